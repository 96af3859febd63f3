"""Schemas at their places: what two documents have in common, and what one says of a value."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any, Final

from extpkg.canonical import canonical_json
from extpkg.json_schema.compile import COUNTED, Part, SchemaDocument
from extpkg.json_schema.evaluate import Evaluation, Exhausted
from extpkg.json_schema.keywords import HOLDS, Holds
from extpkg.json_schema.reference import anchors, resolve_reference

if TYPE_CHECKING:
    from collections.abc import Mapping

    from extpkg.diff.facts import Names
    from extpkg.json_schema.reference import Target

    Key = tuple[int, int]

WORK: Final = 1_000_000
"""Keyword evaluations that one proof or one search may spend on a document."""

_COST: Final = 10
_ATTEMPT: Final = 300
"""What beginning an evaluation, and an attempt to make a value, count as: many small ones end too."""

_DEPTH: Final = 64
"""Levels down to which two schemas are compared; deeper they count as different."""


class Spent(Exception):
    """A proof or a search has used up its `WORK`."""


class Root:
    """A whole schema, which the references in it are resolved against; read, never changed.

    `left` is how many evaluations may still be spent on it; who begins something new sets it anew. `names`
    are those of members that its schemas mention, as far as somebody asked.
    """

    def __init__(self, schema: Any) -> None:
        self.schema = schema
        self.left = WORK
        self.names: dict[Key, Names] = {}
        self._document = SchemaDocument(schema)
        self._targets: dict[str, Site] = {}
        self._parts: dict[int, Part] = {}

    @cached_property
    def _anchors(self) -> Mapping[str, Target]:
        return anchors(self.schema)

    @property
    def site(self) -> Site:
        """The schema itself."""
        return Site(self, self.schema)

    def target(self, reference: str) -> Site:
        """Return what a `$ref` refers to; a schema that refuses everything where that is nothing."""
        if reference not in self._targets:
            found = resolve_reference(self.schema, reference, self._anchors)
            self._targets[reference] = Site(self, found.schema if found else False)
        return self._targets[reference]

    def attempt(self) -> None:
        """Count an attempt to make a value; raise `Spent` where nothing is left to be spent."""
        self.left -= _ATTEMPT
        if self.left < 0:
            raise Spent

    def accepts(self, schema: Any, value: Any) -> bool | None:
        """Say whether a schema of this document accepts a value; None where that costs too much to say.

        Raises `Spent` where nothing is left to be spent.
        """
        if self.left < 0:
            raise Spent
        part = self._parts.get(id(schema))
        if part is None:
            part = self._parts[id(schema)] = self._document.part(schema, "")
        evaluation = Evaluation()
        try:
            return evaluation.holds(part, value)
        except Exhausted:
            return None
        finally:
            self.left -= evaluation.spent + _COST


class Site:
    """One schema of a document: an object or a boolean. Sites of the same schema have the same `key`."""

    __slots__ = ("key", "root", "schema")

    def __init__(self, root: Root, schema: Any) -> None:
        self.root = root
        self.schema = schema
        self.key: Key = (id(root), id(schema))

    def accepts(self, value: Any) -> bool | None:
        """Say whether it accepts a value; None where that costs too much to say."""
        return self.root.accepts(self.schema, value)

    def at(self, schema: Any) -> Site:
        """Return another schema of the same document."""
        return Site(self.root, schema)

    def get(self, keyword: str, default: Any = None) -> Any:
        """Return what stands under a keyword of a schema object."""
        return self.schema.get(keyword, default)


def keywords(schema: Any) -> dict[str, Any]:
    """Return the keywords of a schema that judge values; a schema that is `true` has none."""
    if type(schema) is not dict:
        return {} if schema is True else {"false": False}
    return {keyword: value for keyword, value in schema.items() if keyword in COUNTED}


def is_same(one: Site, other: Site) -> bool:
    """Say whether two schemas judge alike because they read alike: annotations and names aside."""
    return _same(one, other, set(), 0)


def are_same(some: tuple[Site, ...], others: tuple[Site, ...]) -> bool:
    """Say whether two lists of schemas are the same, one by one."""
    return len(some) == len(others) and all(map(is_same, some, others))


def _same(one: Site, other: Site, assumed: set[tuple[Key, Key]], depth: int) -> bool:
    pair = (one.key, other.key)
    if pair in assumed or one.key == other.key:
        return True
    mine, theirs = keywords(one.schema), keywords(other.schema)
    if mine.keys() != theirs.keys() or depth > _DEPTH:
        return False
    assumed.add(pair)
    return all(
        _same_keyword(keyword, one.at(value), other.at(theirs[keyword]), assumed, depth + 1)
        for keyword, value in mine.items()
    )


def _same_keyword(keyword: str, one: Site, other: Site, assumed: set[tuple[Key, Key]], depth: int) -> bool:
    """Compare what stands under a keyword, which may be no schema itself."""
    mine, theirs = one.schema, other.schema
    holds = HOLDS.get(keyword, Holds.DATA)
    if keyword == "$ref":
        return _same(one.root.target(mine), other.root.target(theirs), assumed, depth)
    if holds is Holds.DATA:
        return mine is theirs or canonical_json(mine) == canonical_json(theirs)
    if holds is Holds.SINGLE:
        return _same(one, other, assumed, depth)
    if holds is Holds.MAP:
        return mine.keys() == theirs.keys() and all(
            _same(one.at(mine[name]), other.at(theirs[name]), assumed, depth) for name in mine
        )
    return len(mine) == len(theirs) and all(
        _same(one.at(first), other.at(second), assumed, depth)
        for first, second in zip(mine, theirs, strict=True)
    )


NEVER: Final = Root(False).site
"""The schema that accepts nothing."""
