"""An embedded schema as a graph: its subschemas, what `$ref` leads to, and which stand at the same place.

All walks keep their own stack and visit a subschema once, so a schema of any shape costs what its size costs.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from extpkg.json_schema.keywords import LISTS, MAPS, SINGLES
from extpkg.json_schema.reference import decode_fragment
from extpkg.pointer import join

if TYPE_CHECKING:
    from collections.abc import Callable, Container, Iterable, Iterator

_IN_PLACE: Final = frozenset({"allOf", "anyOf", "oneOf"})


class Node:
    """One subschema: its value, where it stands, its own subschemas by keyword, and what its `$ref` names.

    `children[keyword]` maps the member's name or index, or `""` for a single schema, to its node.
    """

    __slots__ = ("children", "parent", "reference", "schema", "tokens")

    def __init__(self, schema: Any, parent: Node | None, tokens: tuple[str, ...]) -> None:
        self.schema = schema
        self.parent = parent
        self.tokens = tokens
        self.children: dict[str, dict[str, Node]] = {}
        self.reference: Node | None = None

    @property
    def pointer(self) -> str:
        """The pointer of this subschema inside its file."""
        parts: list[str] = []
        node: Node | None = self
        while node is not None:
            parts.append(join(node.tokens))
            node = node.parent
        return "".join(reversed(parts))

    def get(self, keyword: str) -> Any:
        """Return the value of a keyword, None where it is absent (a boolean schema has none)."""
        return self.schema.get(keyword) if isinstance(self.schema, dict) else None

    def has_values(self) -> bool:
        """Say whether the schema lists the values it admits."""
        return "enum" in self.schema or "const" in self.schema

    def stands_alone(self) -> bool:
        """Say whether no other subschema judges the same value whenever or wherever this one does."""
        return self.reference is None and not _IN_PLACE & self.children.keys()

    def under(self, keyword: str) -> Iterable[Node]:
        """Return the subschemas directly under a keyword."""
        children = self.children.get(keyword)
        return children.values() if children else ()

    def always(self) -> list[Node]:
        """Return the subschemas that judge the same value whenever this one does: `$ref`, `allOf`."""
        found = [self.reference] if self.reference is not None else []
        return [*found, *self.under("allOf")]

    def choices(self) -> list[list[Node]]:
        """Return the groups of which one member judges the same value: `anyOf`, `oneOf`."""
        return [list(self.under(keyword)) for keyword in ("anyOf", "oneOf") if keyword in self.children]

    def conditions(self) -> list[Node]:
        """Return the subschemas that judge the same value under a condition."""
        return [
            node for keyword in ("if", "then", "else", "dependentSchemas") for node in self.under(keyword)
        ]

    def beside(self) -> list[Node]:
        """Return every subschema that may judge the same value and tell what it holds (so not `not`)."""
        return [*self.always(), *(node for group in self.choices() for node in group), *self.conditions()]


def schema_graph(schema: Any, pointer: tuple[str, ...]) -> Node:
    """Return the root of the graph of a schema that stands at `pointer` of its file.

    Any value is taken: what is no schema has no children, a reference that leads nowhere has no target.
    """
    root = Node(schema, None, pointer)
    anchors: dict[str, Node] = {}
    references: list[Node] = []
    stack = [root]
    while stack:
        node = stack.pop()
        if not isinstance(node.schema, dict):
            continue
        if isinstance(node.get("$anchor"), str):
            anchors.setdefault(node.get("$anchor"), node)
        if isinstance(node.get("$ref"), str):
            references.append(node)
        stack.extend(_grow(node))
    for node in references:
        node.reference = _resolve(root, anchors, node.get("$ref"))
    return root


def post_order(
    start: Iterable[Node], edges: Callable[[Node], Iterable[Node]], done: Container[Node]
) -> Iterator[Node]:
    """Yield each node that `edges` reach from `start` after all it leads to; a cycle is cut where it closes.

    Nodes in `done` count as visited.
    """
    seen = _Seen(done)
    for first in start:
        if not seen.add(first):
            continue
        stack = [(first, iter(edges(first)))]
        while stack:
            node, rest = stack[-1]
            following = next((other for other in rest if seen.add(other)), None)
            if following is None:
                stack.pop()
                yield node
            else:
                stack.append((following, iter(edges(following))))


class _Seen:
    """A set whose `add` says whether the member is new; `done` is asked, not copied: it may be large."""

    __slots__ = ("_done", "_new")

    def __init__(self, done: Container[Node]) -> None:
        self._done = done
        self._new: set[Node] = set()

    def add(self, node: Node) -> bool:
        if node in self._new or node in self._done:
            return False
        self._new.add(node)
        return True


def _grow(node: Node) -> list[Node]:
    """Give a node its children and return them."""
    grown: list[Node] = []
    for keyword, value in node.schema.items():
        members: Iterable[tuple[str, Any]]
        if keyword in MAPS and isinstance(value, dict):
            members = value.items()
        elif keyword in LISTS and isinstance(value, list):
            members = ((str(index), member) for index, member in enumerate(value))
        elif keyword in SINGLES:
            child = Node(value, node, (keyword,))
            node.children[keyword] = {"": child}
            grown.append(child)
            continue
        else:
            continue
        node.children[keyword] = {name: Node(member, node, (keyword, name)) for name, member in members}
        grown.extend(node.children[keyword].values())
    return grown


def _resolve(root: Node, anchors: dict[str, Node], reference: str) -> Node | None:
    """Return what a local reference names (R-SCH-3), None where it names no schema."""
    if not reference.startswith("#"):
        return None
    fragment = decode_fragment(reference[1:])
    if not fragment:
        return None if fragment is None else root
    if not fragment.startswith("/"):
        return anchors.get(fragment)
    node: Node | None = root
    tokens = iter(fragment[1:].split("/"))
    for keyword in tokens:
        children = node.children.get(keyword, {}) if node is not None else {}
        name = "" if keyword in SINGLES else next(tokens, "").replace("~1", "/").replace("~0", "~")
        node = children.get(name)
    return node
