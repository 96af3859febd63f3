"""A schema made ready to judge values: nodes, forks and the places they hand values on to.

A *node* is a schema object: everything in it must hold. A *fork* is a keyword whose outcome hangs on the
outcomes of others (`anyOf`, `oneOf`, `not`, `if`, `contains`, `unevaluated…`). Both are read when they are
first met, so that a part of a schema that no value reaches costs nothing.
"""

from __future__ import annotations

import enum
from typing import TYPE_CHECKING, Any, Final

from extpkg.json_schema.assertions import TESTS, WEIGHED, bulk, never, searcher
from extpkg.json_schema.keywords import ROLES, Role
from extpkg.json_schema.reference import anchors, resolve_reference
from extpkg.pointer import escape

if TYPE_CHECKING:
    from collections.abc import Callable

    from extpkg.json_schema.assertions import Test, Weighed
    from extpkg.json_schema.patterns import Pattern
    from extpkg.json_schema.reference import Target

COUNTED: Final = frozenset(
    keyword for keyword, role in ROLES.items() if role in {Role.ASSERTION, Role.APPLICATOR}
)
"""The keywords that are evaluated, one evaluation at each place (R-SCH-5)."""

_UNEVALUATED: Final = frozenset({"unevaluatedProperties", "unevaluatedItems"})


class Kind(enum.Enum):
    """What a fork makes of the outcomes of its branches."""

    ANY = "anyOf"
    ONE = "oneOf"
    NOT = "not"
    IF = "if"
    CONTAINS = "contains"
    UNEVALUATED = "unevaluated"


class Node:
    """A schema object, or a boolean, at one place of the schema document.

    Once it is prepared, `tests` and `weighed` judge the value itself and `inner` takes it further; `cost` is
    what one evaluation counts (R-SCH-5). A *leaf* has nothing but tests.
    """

    __slots__ = (
        "_keyword",
        "_parent",
        "_token",
        "cost",
        "document",
        "inner",
        "keywords",
        "leaf",
        "schema",
        "tests",
        "unprepared",
        "weighed",
    )

    def __init__(
        self, document: SchemaDocument, schema: Any, parent: Node | None, keyword: str, token: str | None
    ) -> None:
        self.document = document
        self.schema = schema
        self.unprepared = True
        self.leaf = False
        self._parent = parent
        self._keyword = keyword
        self._token = token

    @property
    def pointer(self) -> str:
        """The pointer of this schema in its document."""
        parts: list[str] = []
        node: Node = self
        while node._parent is not None:
            if node._token is not None:
                parts.append("/" + escape(node._token))
            parts.append("/" + node._keyword)
            node = node._parent
        parts.append(node._keyword)  # noqa: SLF001
        return "".join(reversed(parts))

    def prepare(self) -> None:
        """Read the schema object; its subschemas are only named."""
        self.unprepared = False
        self.weighed: tuple[tuple[str, Weighed], ...] = ()
        self.inner: Inner | None = None
        self.cost = 1
        schema = self.schema
        if type(schema) is dict:
            self._read(schema)
            return
        self.leaf = True
        self.tests: tuple[Test, ...] = () if schema is True else (never,)
        self.keywords: tuple[str, ...] = () if schema is True else ("false",)

    def _read(self, schema: dict[str, Any]) -> None:
        tests: list[Test] = []
        keywords: list[str] = []
        counted = 0
        for keyword, value in schema.items():
            if keyword not in COUNTED:
                continue
            counted += 1
            make = TESTS.get(keyword)
            test = make(value) if make is not None else None
            if test is not None:
                tests.append(test)
                keywords.append(keyword)
            elif keyword in WEIGHED:
                self.weighed += ((keyword, WEIGHED[keyword](value)),)
            elif keyword in _READERS:
                inner = self.inner = self.inner or Inner()
                _READERS[keyword](self, inner, schema)
        self.tests = tuple(tests)
        self.keywords = tuple(keywords)
        self.cost = (counted or 1) + bulk(schema)
        self.leaf = self.inner is None and not self.weighed

    def child(self, schema: Any, keyword: str, token: str | None = None) -> Part:
        """Return the part of the document that stands under a keyword of this one."""
        if type(schema) is not dict or _UNEVALUATED.isdisjoint(schema):
            return Node(self.document, schema, self, keyword, token)
        return _unevaluated(self.document, schema, (self, keyword, token))


class Inner:
    """Where a node hands values on to: members and items of its value, further judges of the same place."""

    __slots__ = (
        "additional",
        "dependent",
        "forks",
        "in_place",
        "items",
        "names",
        "patterns",
        "prefix",
        "properties",
    )

    def __init__(self) -> None:
        self.properties: dict[str, Part] = {}
        self.patterns: list[tuple[Pattern, Part]] = []
        self.additional: Part | None = None
        self.names: Part | None = None
        self.prefix: list[Part] = []
        self.items: Part | None = None
        self.in_place: list[Part] = []
        self.dependent: dict[str, Part] = {}
        self.forks: list[Fork] = []

    def applied(self, value: Any) -> list[Part]:
        """Return what judges the same place whatever else holds."""
        if self.dependent and type(value) is dict:
            return self.in_place + [part for name, part in self.dependent.items() if name in value]
        return self.in_place


class Fork:
    """A keyword of `node` whose outcome hangs on the outcomes of its branches, in the order of the text."""

    __slots__ = ("branches", "cost", "kind", "least", "most", "node", "otherwise", "then")
    leaf: Final = False

    def __init__(self, kind: Kind, node: Node, branches: list[Part]) -> None:
        self.kind = kind
        self.node = node
        self.branches = branches
        self.cost = 0
        self.then: Part | None = None
        self.otherwise: Part | None = None
        self.least = 1
        self.most: int | None = None


Part = Node | Fork


class SchemaDocument:
    """One schema with its references; each target is compiled once, so that recursion closes."""

    __slots__ = ("_anchors", "_targets", "root")

    def __init__(self, root: Any) -> None:
        self.root = root
        self._anchors: dict[str, Target] | None = None
        self._targets: dict[str, Part] = {}

    def part(self, schema: Any, pointer: str) -> Part:
        """Return the schema that stands at a pointer."""
        if type(schema) is not dict or _UNEVALUATED.isdisjoint(schema):
            return Node(self, schema, None, pointer, None)
        return _unevaluated(self, schema, (None, pointer, None))

    def target(self, reference: str) -> Part:
        """Return what a `$ref` refers to; a schema that refuses everything where that is nothing."""
        part = self._targets.get(reference)
        if part is None:
            if self._anchors is None and reference != "#" and not reference.startswith("#/"):
                self._anchors = anchors(self.root)
            target = resolve_reference(self.root, reference, self._anchors)
            part = self.part(target.schema, target.pointer) if target else self.part(False, "")
            self._targets[reference] = part
        return part


def _unevaluated(
    document: SchemaDocument, schema: dict[str, Any], place: tuple[Node | None, str, str | None]
) -> Fork:
    """Return a schema that asks for what is unevaluated: a fork whose branch is all the rest of it."""
    body = {keyword: value for keyword, value in schema.items() if keyword not in _UNEVALUATED}
    node = Node(document, body, *place)
    fork = Fork(Kind.UNEVALUATED, node, [node])
    fork.cost = len(_UNEVALUATED.intersection(schema))
    if "unevaluatedProperties" in schema:
        fork.then = node.child(schema["unevaluatedProperties"], "unevaluatedProperties")
    if "unevaluatedItems" in schema:
        fork.otherwise = node.child(schema["unevaluatedItems"], "unevaluatedItems")
    return fork


def _properties(node: Node, inner: Inner, schema: dict[str, Any]) -> None:
    inner.properties = _named(node, schema, "properties")


def _pattern_properties(node: Node, inner: Inner, schema: dict[str, Any]) -> None:
    for source, child in schema["patternProperties"].items():
        pattern = searcher(source)
        if pattern is not None:
            inner.patterns.append((pattern, node.child(child, "patternProperties", source)))


def _additional(node: Node, inner: Inner, schema: dict[str, Any]) -> None:
    inner.additional = node.child(schema["additionalProperties"], "additionalProperties")


def _property_names(node: Node, inner: Inner, schema: dict[str, Any]) -> None:
    inner.names = node.child(schema["propertyNames"], "propertyNames")


def _prefix_items(node: Node, inner: Inner, schema: dict[str, Any]) -> None:
    inner.prefix = _listed(node, schema, "prefixItems")


def _items(node: Node, inner: Inner, schema: dict[str, Any]) -> None:
    inner.items = node.child(schema["items"], "items")


def _all_of(node: Node, inner: Inner, schema: dict[str, Any]) -> None:
    inner.in_place += _listed(node, schema, "allOf")


def _reference(node: Node, inner: Inner, schema: dict[str, Any]) -> None:
    inner.in_place.append(node.document.target(schema["$ref"]))


def _dependent_schemas(node: Node, inner: Inner, schema: dict[str, Any]) -> None:
    inner.dependent = _named(node, schema, "dependentSchemas")


def _any_of(node: Node, inner: Inner, schema: dict[str, Any]) -> None:
    inner.forks.append(Fork(Kind.ANY, node, _listed(node, schema, "anyOf")))


def _one_of(node: Node, inner: Inner, schema: dict[str, Any]) -> None:
    inner.forks.append(Fork(Kind.ONE, node, _listed(node, schema, "oneOf")))


def _not(node: Node, inner: Inner, schema: dict[str, Any]) -> None:
    inner.forks.append(Fork(Kind.NOT, node, [node.child(schema["not"], "not")]))


def _if(node: Node, inner: Inner, schema: dict[str, Any]) -> None:
    fork = Fork(Kind.IF, node, [node.child(schema["if"], "if")])
    fork.then = node.child(schema["then"], "then") if "then" in schema else None
    fork.otherwise = node.child(schema["else"], "else") if "else" in schema else None
    inner.forks.append(fork)


def _contains(node: Node, inner: Inner, schema: dict[str, Any]) -> None:
    fork = Fork(Kind.CONTAINS, node, [node.child(schema["contains"], "contains")])
    fork.least = schema.get("minContains", 1)
    fork.most = schema.get("maxContains")
    inner.forks.append(fork)


def _named(node: Node, schema: dict[str, Any], keyword: str) -> dict[str, Part]:
    return {name: node.child(child, keyword, name) for name, child in schema[keyword].items()}


def _listed(node: Node, schema: dict[str, Any], keyword: str) -> list[Part]:
    return [node.child(child, keyword, str(index)) for index, child in enumerate(schema[keyword])]


_READERS: Final[dict[str, Callable[[Node, Inner, dict[str, Any]], None]]] = {
    "properties": _properties,
    "patternProperties": _pattern_properties,
    "additionalProperties": _additional,
    "propertyNames": _property_names,
    "prefixItems": _prefix_items,
    "items": _items,
    "allOf": _all_of,
    "$ref": _reference,
    "dependentSchemas": _dependent_schemas,
    "anyOf": _any_of,
    "oneOf": _one_of,
    "not": _not,
    "if": _if,
    "contains": _contains,
}
"""What reads a keyword that hands values on."""
