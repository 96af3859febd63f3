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

    `tests` and `weighed` judge the value itself; `properties` to `items` hand its members on; `in_place`,
    `dependent` and `forks` judge it further. `cost` is what one evaluation counts (R-SCH-5). A *leaf*
    has nothing but tests.
    """

    __slots__ = (
        "additional",
        "cost",
        "dependent",
        "document",
        "forks",
        "in_place",
        "items",
        "keywords",
        "leaf",
        "names",
        "open",
        "patterns",
        "pointer",
        "prefix",
        "properties",
        "schema",
        "tests",
        "unprepared",
        "weighed",
    )
    is_fork: Final = False

    def __init__(self, document: SchemaDocument, schema: Any, pointer: str) -> None:
        self.document = document
        self.schema = schema
        self.pointer = pointer
        self.unprepared = True
        self.leaf = False

    def prepare(self) -> None:
        """Read the schema object; its subschemas are only named."""
        self.unprepared = False
        self.tests: tuple[Test, ...] = ()
        self.keywords: tuple[str, ...] = ()
        self.weighed: tuple[tuple[str, Weighed], ...] = ()
        self.properties: dict[str, Part] = {}
        self.patterns: list[tuple[Pattern, Part]] = []
        self.additional: Part | None = None
        self.names: Part | None = None
        self.prefix: list[Part] = []
        self.items: Part | None = None
        self.in_place: list[Part] = []
        self.dependent: dict[str, Part] = {}
        self.forks: list[Fork] = []
        self.cost = 1
        schema = self.schema
        if type(schema) is not dict:
            self._read_boolean(schema)
            return
        counted = COUNTED.intersection(schema)
        self.cost = max(1, len(counted)) + bulk(schema)
        self.tests, self.keywords, self.weighed = _read_assertions(schema)
        is_plain = _HANDING_ON.isdisjoint(counted)
        if not is_plain:
            for keyword in schema:
                if keyword in _READERS:
                    _READERS[keyword](self, schema)
        self.leaf = is_plain and not self.weighed

    def _read_boolean(self, schema: Any) -> None:
        self.leaf = True
        if schema is not True:
            self.tests = (never,)
            self.keywords = ("false",)

    def at(self, suffix: str, schema: Any) -> Part:
        """Return the part of the document that stands at `suffix` below this one."""
        return self.document.part(schema, self.pointer + suffix)


class Fork:
    """A keyword whose outcome hangs on the outcomes of its branches, in the order of the text."""

    __slots__ = ("branches", "cost", "kind", "least", "most", "node", "otherwise", "then")
    is_fork: Final = True
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
        """Return a subschema as a node, or as a fork where it asks for what is unevaluated."""
        if type(schema) is not dict or _UNEVALUATED.isdisjoint(schema):
            return Node(self, schema, pointer)
        body = {keyword: value for keyword, value in schema.items() if keyword not in _UNEVALUATED}
        fork = Fork(Kind.UNEVALUATED, Node(self, body, pointer), [])
        fork.branches = [fork.node]
        fork.cost = len(_UNEVALUATED.intersection(schema))
        if "unevaluatedProperties" in schema:
            fork.then = self.part(schema["unevaluatedProperties"], pointer + "/unevaluatedProperties")
        if "unevaluatedItems" in schema:
            fork.otherwise = self.part(schema["unevaluatedItems"], pointer + "/unevaluatedItems")
        return fork

    def target(self, reference: str) -> Part:
        """Return what a `$ref` refers to; a schema that refuses everything where that is nothing."""
        part = self._targets.get(reference)
        if part is None:
            if self._anchors is None and not reference.startswith(("#/", "#%")) and reference != "#":
                self._anchors = anchors(self.root)
            target = resolve_reference(self.root, reference, self._anchors)
            part = self.part(target.schema, target.pointer) if target else self.part(False, "")
            self._targets[reference] = part
        return part


def _read_assertions(
    schema: dict[str, Any],
) -> tuple[tuple[Test, ...], tuple[str, ...], tuple[tuple[str, Weighed], ...]]:
    """Return the tests of a schema object, their keywords, and its weighed tests with theirs."""
    tests: list[Test] = []
    keywords: list[str] = []
    weighed: list[tuple[str, Weighed]] = []
    for keyword, value in schema.items():
        make = TESTS.get(keyword)
        test = make(value) if make else None
        if test is not None:
            tests.append(test)
            keywords.append(keyword)
        elif keyword in WEIGHED:
            weighed.append((keyword, WEIGHED[keyword](value)))
    return tuple(tests), tuple(keywords), tuple(weighed)


def _properties(node: Node, schema: dict[str, Any]) -> None:
    prefix = node.pointer + "/properties/"
    part = node.document.part
    node.properties = {
        name: part(child, prefix + escape(name)) for name, child in schema["properties"].items()
    }


def _pattern_properties(node: Node, schema: dict[str, Any]) -> None:
    for source, child in schema["patternProperties"].items():
        pattern = searcher(source)
        if pattern is not None:
            node.patterns.append((pattern, node.at("/patternProperties/" + escape(source), child)))


def _additional(node: Node, schema: dict[str, Any]) -> None:
    node.additional = node.at("/additionalProperties", schema["additionalProperties"])


def _property_names(node: Node, schema: dict[str, Any]) -> None:
    node.names = node.at("/propertyNames", schema["propertyNames"])


def _prefix_items(node: Node, schema: dict[str, Any]) -> None:
    node.prefix = _listed(node, schema, "prefixItems")


def _items(node: Node, schema: dict[str, Any]) -> None:
    node.items = node.at("/items", schema["items"])


def _all_of(node: Node, schema: dict[str, Any]) -> None:
    node.in_place += _listed(node, schema, "allOf")


def _reference(node: Node, schema: dict[str, Any]) -> None:
    node.in_place.append(node.document.target(schema["$ref"]))


def _dependent_schemas(node: Node, schema: dict[str, Any]) -> None:
    prefix = "/dependentSchemas/"
    node.dependent = {
        name: node.at(prefix + escape(name), child) for name, child in schema["dependentSchemas"].items()
    }


def _any_of(node: Node, schema: dict[str, Any]) -> None:
    node.forks.append(Fork(Kind.ANY, node, _listed(node, schema, "anyOf")))


def _one_of(node: Node, schema: dict[str, Any]) -> None:
    node.forks.append(Fork(Kind.ONE, node, _listed(node, schema, "oneOf")))


def _not(node: Node, schema: dict[str, Any]) -> None:
    node.forks.append(Fork(Kind.NOT, node, [node.at("/not", schema["not"])]))


def _if(node: Node, schema: dict[str, Any]) -> None:
    fork = Fork(Kind.IF, node, [node.at("/if", schema["if"])])
    fork.then = node.at("/then", schema["then"]) if "then" in schema else None
    fork.otherwise = node.at("/else", schema["else"]) if "else" in schema else None
    node.forks.append(fork)


def _contains(node: Node, schema: dict[str, Any]) -> None:
    fork = Fork(Kind.CONTAINS, node, [node.at("/contains", schema["contains"])])
    fork.least = schema.get("minContains", 1)
    fork.most = schema.get("maxContains")
    node.forks.append(fork)


def _listed(node: Node, schema: dict[str, Any], keyword: str) -> list[Part]:
    return [node.at(f"/{keyword}/{index}", child) for index, child in enumerate(schema[keyword])]


_READERS: Final[dict[str, Callable[[Node, dict[str, Any]], None]]] = {
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
_HANDING_ON: Final = frozenset(_READERS)
