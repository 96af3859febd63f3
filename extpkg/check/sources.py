"""What an input schema declares: locations, their types, whether required, whether null (R-BIND-1 to 3).

A location is a list of tokens; the schemas that declare it are found through `properties`, `$ref` and `allOf`
alone. What they admit is judged through `anyOf` and `oneOf` too.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import reduce
from itertools import islice
from operator import and_, or_
from typing import TYPE_CHECKING, Any, Final

from extpkg.check.schema_graph import post_order, schema_graph
from extpkg.limits import DOCUMENT_DEPTH

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from extpkg.check.schema_graph import Node

NULL: Final = 1
BOOLEAN: Final = 2
NUMBER: Final = 4
STRING: Final = 8
ARRAY: Final = 16
OBJECT: Final = 32
ANY: Final = 63

STEPS: Final = 400_000
"""Subschemas that one walk over an input schema looks at: four times what the largest document can hold."""

_HINTS: Final = 20
_HINT_MEMBERS: Final = 200
_HINT_CHARACTERS: Final = 100

_TYPES: Final = {
    "null": NULL,
    "boolean": BOOLEAN,
    "integer": NUMBER,
    "number": NUMBER,
    "string": STRING,
    "array": ARRAY,
    "object": OBJECT,
}

Tokens = tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Admitted:
    """What a schema admits, as far as it says: a set of types, whether it names any, where it names null."""

    types: int = ANY
    known: bool = False
    null: Node | None = None


_UNJUDGED: Final = Admitted()
_NO_ARRAY: Final = Admitted(types=0, known=True)
_OF_TYPE: Final = {name: Admitted(types=bit, known=True) for name, bit in _TYPES.items() if bit != NULL}


@dataclass(frozen=True, slots=True, kw_only=True)
class Required:
    """The names that a location requires, and the first schema that has a `required` list."""

    names: frozenset[str]
    holder: Node | None


class Sources:
    """The locations that one input schema declares, each looked at once."""

    def __init__(self, schema: Any, pointer: Tokens) -> None:
        self.root = schema_graph(schema, pointer)
        self.exhausted = False
        self._left = STEPS
        self._hints = _HINTS
        self._seeds: dict[Tokens, tuple[Node, ...]] = {(): (self.root,)}
        self._closures: dict[Tokens, tuple[Node, ...]] = {}
        self._members: dict[Tokens, dict[str, list[Node]]] = {}
        self._required: dict[Tokens, Required] = {}
        self._values: dict[Node, Admitted] = {}
        self._items: dict[Node, Admitted] = {}

    def declared(self, tokens: Tokens) -> tuple[Node, ...]:
        """Return the schemas that declare a location; none where it is not declared.

        No input is deeper than `DOCUMENT_DEPTH`, so a longer pointer leads nowhere. `exhausted` says that the
        schema was too entangled to follow to the end.
        """
        if len(tokens) > DOCUMENT_DEPTH:
            return ()
        for end in range(1, len(tokens) + 1):
            here = tokens[:end]
            if here not in self._seeds:
                self._seeds[here] = tuple(self.members(tokens[: end - 1]).get(tokens[end - 1], ()))
        return self._seeds[tokens]

    def members(self, tokens: Tokens) -> dict[str, list[Node]]:
        """Return the members that a declared location declares, each with the schemas that do."""
        if tokens not in self._members:
            members: dict[str, list[Node]] = {}
            for node in self._closure(tokens):
                for name, member in node.children.get("properties", {}).items():
                    members.setdefault(name, []).append(member)
            self._members[tokens] = members
        return self._members[tokens]

    def close_member(self, tokens: Tokens, name: str) -> str | None:
        """Return the declared member that was probably meant by a name; only the first few are looked for."""
        self._hints -= 1
        if self._hints < 0 or len(name) > _HINT_CHARACTERS:
            return None
        from difflib import get_close_matches

        names = (other for other in self.members(tokens) if len(other) <= _HINT_CHARACTERS)
        return next(iter(get_close_matches(name, islice(names, _HINT_MEMBERS), n=1)), None)

    def required(self, tokens: Tokens) -> Required:
        """Return what a declared location requires."""
        if tokens not in self._required:
            lists = [(node, node.get("required")) for node in self._closure(tokens)]
            held = [(node, names) for node, names in lists if isinstance(names, list)]
            names = frozenset(name for _, each in held for name in each if isinstance(name, str))
            self._required[tokens] = Required(names=names, holder=held[0][0] if held else None)
        return self._required[tokens]

    def admitted(self, nodes: Iterable[Node]) -> Admitted:
        """Return what a value may be that all of these schemas judge."""
        return _both([self._value(node) for node in nodes])

    def admitted_items(self, nodes: Iterable[Node]) -> Admitted:
        """Return what the items of an array may be that all of these schemas judge."""
        return _both([self._item(node) for node in nodes])

    def _closure(self, tokens: Tokens) -> tuple[Node, ...]:
        if tokens not in self._closures:
            found: dict[Node, None] = {}
            stack = list(reversed(self._seeds.get(tokens, ())))
            while stack and self._left > 0:
                node = stack.pop()
                if node not in found:
                    found[node] = None
                    self._left -= 1 + len(node.children.get("properties", ()))
                    stack.extend(reversed(node.always()))
            self.exhausted = self.exhausted or self._left <= 0
            self._closures[tokens] = () if self._left <= 0 else tuple(found)
        return self._closures[tokens]

    def _value(self, start: Node) -> Admitted:
        if start not in self._values and start.stands_alone():
            self._values[start] = _own(start)
        for node in post_order([start], _in_place, self._values):
            self._values[node] = self._fold(node, _own(node), self._values)
        return self._values[start]

    def _item(self, start: Node) -> Admitted:
        if start.stands_alone() and not self._value(start).types & ARRAY:
            return _NO_ARRAY
        for node in post_order([start], _in_place, self._items):
            whole = self._value(node)
            self._items[node] = (
                self._fold(node, self._own_items(node), self._items) if whole.types & ARRAY else _NO_ARRAY
            )
        return self._items[start]

    def _fold(self, node: Node, own: Admitted, facts: dict[Node, Admitted]) -> Admitted:
        """Join what a schema says itself with what its `$ref`, `allOf`, `anyOf` and `oneOf` say."""
        always = [facts.get(other, _UNJUDGED) for other in node.always()]
        choices = [
            _either([facts.get(other, _UNJUDGED) for other in group]) for group in node.choices() if group
        ]
        return _both([own, *always, *choices])

    def _own_items(self, node: Node) -> Admitted:
        listed = _listed(node)
        if listed:
            members = [item for value in listed[0] if isinstance(value, list) for item in value]
            return Admitted(types=_types_of(members), known=True)
        prefixed = list(node.under("prefixItems"))
        rest = list(node.under("items"))
        if not prefixed and not rest:
            return _UNJUDGED
        parts = [self._value(part) for part in (*prefixed, *rest)]
        return _either(parts if rest else [*parts, _UNJUDGED])


def accepts_null(schema: Any) -> bool:
    """Say whether a sound schema accepts null, exactly: null holds nothing that could be judged further."""
    root = schema_graph(schema, ())
    verdicts: dict[Node, bool] = {}
    for node in post_order([root], _judging, verdicts):
        verdicts[node] = _accepts_null(node, lambda other: verdicts.get(other, True))
    return verdicts[root]


def types_named(types: int) -> str:
    """Return the names of a set of types, for a message."""
    names = {
        NULL: "null",
        BOOLEAN: "boolean",
        NUMBER: "number",
        STRING: "string",
        ARRAY: "array",
        OBJECT: "object",
    }
    return ", ".join(name for bit, name in names.items() if types & bit)


def _in_place(node: Node) -> list[Node]:
    return [*node.always(), *(other for group in node.choices() for other in group)]


def _judging(node: Node) -> list[Node]:
    return [
        *_in_place(node),
        *(other for keyword in ("not", "if", "then", "else") for other in node.under(keyword)),
    ]


def _both(parts: Sequence[Admitted]) -> Admitted:
    if len(parts) == 1:
        return parts[0]
    return Admitted(
        types=reduce(and_, [part.types for part in parts], ANY),
        known=any(part.known for part in parts),
        null=next((part.null for part in parts if part.null is not None), None),
    )


def _either(parts: Sequence[Admitted]) -> Admitted:
    if len(parts) == 1:
        return parts[0]
    return Admitted(
        types=reduce(or_, [part.types for part in parts], 0),
        known=all(part.known for part in parts),
        null=next((part.null for part in parts if part.null is not None), None),
    )


def _own(node: Node) -> Admitted:
    """Return what a schema says itself; `false` admits nothing, and is no unknown."""
    if not isinstance(node.schema, dict):
        return Admitted(types=0, known=True) if node.schema is False else _UNJUDGED
    types, known = ANY, False
    if "type" in node.schema:
        names = node.schema["type"]
        if isinstance(names, str) and not node.has_values():
            return _OF_TYPE.get(names) or Admitted(
                types=_TYPES.get(names, 0), known=True, null=node if names == "null" else None
            )
        listed = names if isinstance(names, list) else [names]
        types = reduce(or_, [_TYPES.get(name, 0) for name in listed if isinstance(name, str)], 0)
        known = True
    null = node if known and types & NULL else None
    for values in _listed(node):
        types, known = types & _types_of(values), True
        if any(value is None or (isinstance(value, list) and None in value) for value in values):
            null = node
    return Admitted(types=types, known=known, null=null)


def _listed(node: Node) -> list[list[Any]]:
    """Return the lists of values that a schema's own `const` and `enum` leave."""
    listed = [[node.schema["const"]]] if isinstance(node.schema, dict) and "const" in node.schema else []
    values = node.get("enum")
    return [*listed, values] if isinstance(values, list) else listed


def _types_of(values: Iterable[Any]) -> int:
    return reduce(or_, [_type_of(value) for value in values], 0)


def _type_of(value: Any) -> int:
    if value is None:
        return NULL
    if isinstance(value, bool):
        return BOOLEAN
    if isinstance(value, int | float):
        return NUMBER
    if isinstance(value, str):
        return STRING
    return ARRAY if isinstance(value, list) else OBJECT


def _accepts_null(node: Node, accepts: Callable[[Node], bool]) -> bool:
    one_of = [accepts(other) for other in node.under("oneOf")]
    conditions = {word: next(map(accepts, node.under(word)), None) for word in ("not", "if", "then", "else")}
    branch = conditions["then" if conditions["if"] else "else"] if conditions["if"] is not None else None
    return (
        bool(_own(node).types & NULL)
        and all(accepts(other) for other in node.always())
        and ("anyOf" not in node.children or any(accepts(other) for other in node.under("anyOf")))
        and ("oneOf" not in node.children or one_of.count(True) == 1)
        and conditions["not"] is not True
        and branch is not False
    )
