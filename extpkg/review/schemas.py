"""A JSON Schema as rows, one for each place of a value that the schema speaks of, in the order of reading.

References are followed, what `allOf` joins is one place, and a reference that leads back to where it stands
is named and not followed again. Rows, levels and schemas of one place are bounded.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from extpkg.json_schema import resolve_reference
from extpkg.json_schema.reference import anchors
from extpkg.review.limits import Limit, limits_of, said

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from extpkg.json_schema.reference import Target

ROWS: Final = 300
"""Rows of one schema."""

DEPTH: Final = 10
"""Levels of places inside each other."""

PARTS: Final = 64
"""Schemas that hold at one place."""

_ITEMS: Final = 3
"""Levels of lists that are named in a type."""

_LABELLED: Final = (
    ("contains", "an item"),
    ("unevaluatedItems", "further items"),
    ("propertyNames", "each name"),
    ("if", "if"),
    ("then", "then"),
    ("else", "else"),
    ("not", "never"),
)
"""Keywords with one schema, and what their row is called."""

_INNER: Final = (
    *("properties", "patternProperties", "additionalProperties", "unevaluatedProperties", "required"),
    *("prefixItems", "items", "anyOf", "oneOf", "dependentSchemas"),
    *(keyword for keyword, _ in _LABELLED),
)
"""Keywords that make rows below a place."""

_CHOICES: Final = (("anyOf", "any"), ("oneOf", "one"))


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One place of a value.

    `name` is what it is called inside `above` (a member, `[]` for each item); `label` says what it is where
    it is no member (an option, a condition). `tokens` lead to a member of the input as a binding names it,
    None elsewhere. `required` is None where that is no question.
    """

    above: str
    name: str
    label: str
    tokens: tuple[str, ...] | None
    depth: int
    kind: str
    required: bool | None
    limits: tuple[Limit, ...]
    description: str
    is_deprecated: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class _Place:
    """Where a schema stands: what `Row` has of it, and the references that led there.

    `is_told` says that the row above has its type, so that a row with nothing more is none.
    """

    above: str = ""
    name: str = ""
    label: str = ""
    tokens: tuple[str, ...] | None = ()
    depth: int = 0
    required: bool | None = None
    is_told: bool = False
    trail: frozenset[str] = frozenset()

    @property
    def path(self) -> str:
        return f"{self.above}{self.name}"

    def below(self, path: str, trail: frozenset[str], label: str = "", *, is_told: bool = False) -> _Place:
        """Return a place under this one that is no named member of it."""
        return _Place(
            above=path, label=label, tokens=None, depth=self.depth + 1, is_told=is_told, trail=trail
        )


class SchemaRows:
    """The rows of a schema; the first is the value as a whole. `is_cut` says whether there would be more."""

    def __init__(self, schema: Any) -> None:
        self._root = schema
        self._anchors: Mapping[str, Target] = anchors(schema)
        self.is_cut = False
        self.rows = tuple(self._taken())

    def _taken(self) -> Iterator[Row]:
        for count, row in enumerate(self._walk([self._root], _Place(trail=frozenset({"#"})))):
            if count == ROWS:
                self.is_cut = True
                return
            yield row

    def _walk(self, must: Sequence[Any], place: _Place) -> Iterator[Row]:
        found = self._gather(must, place.trail)
        row = Row(
            above=place.above,
            name=place.name,
            label=place.label,
            tokens=place.tokens,
            depth=place.depth,
            kind=self._kind(found, _ITEMS),
            required=place.required,
            limits=limits_of(found.parts),
            description=said(found.parts),
            is_deprecated=any(part.get("deprecated") is True for part in found.parts),
        )
        if not place.is_told or row.limits or row.description or row.is_deprecated:
            yield row
        if place.depth == DEPTH:
            self.is_cut = self.is_cut or any(keyword in part for part in found.parts for keyword in _INNER)
            return
        yield from self._members(found, place)
        yield from self._items(found, place)
        yield from self._others(found, place)

    def _members(self, found: _Found, place: _Place) -> Iterator[Row]:
        named: dict[str, list[Any]] = {}
        for part in found.parts:
            for name, schema in _mapping(part, "properties"):
                named.setdefault(name, []).append(schema)
        needed = {name: None for part in found.parts for name in part.get("required", ())}
        for name in needed:
            named.setdefault(name, [True])
        prefix = f"{place.path}." if place.path else ""
        for name, must in named.items():
            tokens = None if place.tokens is None else (*place.tokens, name)
            inner = _Place(
                above=prefix,
                name=name,
                tokens=tokens,
                depth=place.depth + 1,
                required=name in needed,
                trail=found.trail,
            )
            yield from self._walk(must, inner)
        for part in found.parts:
            for pattern, schema in _mapping(part, "patternProperties"):
                yield from self._walk(
                    [schema], place.below(f"{prefix}*", found.trail, f"names like {pattern}")
                )
            for keyword in ("additionalProperties", "unevaluatedProperties"):
                if isinstance(part.get(keyword), dict):
                    yield from self._walk(
                        [part[keyword]], place.below(f"{prefix}*", found.trail, "any other member")
                    )

    def _items(self, found: _Found, place: _Place) -> Iterator[Row]:
        for part in found.parts:
            for index, schema in enumerate(part.get("prefixItems", ())):
                yield from self._walk([schema], place.below(f"{place.path}[{index}]", found.trail))
        every = _every(found, "items")
        if every:
            yield from self._walk(every, place.below(f"{place.path}[]", found.trail, is_told=True))

    def _others(self, found: _Found, place: _Place) -> Iterator[Row]:
        for options, _ in found.options:
            for index, schema in enumerate(options, start=1):
                label = f"option {index} of {len(options)}"
                yield from self._walk([schema], place.below(place.path, found.trail, label))
        for part in found.parts:
            for keyword, label in _LABELLED:
                if keyword in part and not isinstance(part[keyword], bool):
                    yield from self._walk([part[keyword]], place.below(place.path, found.trail, label))
            for name, schema in _mapping(part, "dependentSchemas"):
                yield from self._walk([schema], place.below(place.path, found.trail, f"with {name}"))

    def _gather(self, must: Sequence[Any], trail: frozenset[str]) -> _Found:
        """Return every schema that holds at a place: through `$ref`, `allOf`, and an option beside null."""
        found = _Found(trail=trail)
        pending = list(must)
        while pending and len(found.parts) < PARTS:
            part = pending.pop(0)
            if not isinstance(part, dict):
                found.is_nothing = found.is_nothing or part is False
                continue
            found.parts.append(part)
            inner = list(part.get("allOf", ()))
            reference = part.get("$ref")
            if isinstance(reference, str) and reference in trail:
                found.again = found.again or reference.strip("#").rpartition("/")[2] or "the whole"
            elif isinstance(reference, str) and reference not in found.trail:
                found.trail |= {reference}
                target = resolve_reference(self._root, reference, self._anchors)
                inner.append(target.schema if target else False)
            for keyword, kind in _CHOICES:
                options = part.get(keyword, ())
                other = _beside_null(options) if "type" not in part else None
                if other is not None:
                    found.is_nullable = True
                    inner.append(other)
                elif options:
                    found.options.append((options, kind))
            pending = [*inner, *pending]
        return found

    def _kind(self, found: _Found, levels: int) -> str:
        """Return what a value is called, in a few words."""
        if found.is_nothing:
            return "nothing"
        if found.again:
            return f"{found.again} again"
        kind = self._named(found, levels)
        return f"{kind} or null" if found.is_nullable and "null" not in kind else kind

    def _named(self, found: _Found, levels: int) -> str:
        for part in found.parts:
            types = part.get("type")
            if types is not None:
                names = types if isinstance(types, list) else [types]
                names = sorted(names, key=lambda name: name == "null")
                return " or ".join(self._list(found, levels) if name == "array" else name for name in names)
        for part in found.parts:
            members = [part["const"]] if "const" in part else part.get("enum", ())
            if members:
                return " or ".join(sorted({_type_of(member) for member in members}))
        for options, kind in found.options:
            return f"{kind} of {len(options)} options"
        return "anything"

    def _list(self, found: _Found, levels: int) -> str:
        items = _every(found, "items")
        if not items or levels == 0:
            return "array"
        kind = self._kind(self._gather(items, found.trail), levels - 1)
        return f"array of ({kind})" if " or " in kind else f"array of {kind}"


class _Found:
    """What holds at one place; `again` names what it leads back to."""

    __slots__ = ("again", "is_nothing", "is_nullable", "options", "parts", "trail")

    def __init__(self, trail: frozenset[str]) -> None:
        self.parts: list[dict[str, Any]] = []
        self.options: list[tuple[Sequence[Any], str]] = []
        self.trail = trail
        self.again = ""
        self.is_nothing = False
        self.is_nullable = False


def _every(found: _Found, keyword: str) -> list[Any]:
    """Return the schemas that all parts of a place have under a keyword."""
    return [part[keyword] for part in found.parts if isinstance(part.get(keyword), dict)]


def _mapping(part: dict[str, Any], keyword: str) -> Iterator[tuple[str, Any]]:
    yield from part.get(keyword, {}).items()


def _beside_null(options: Sequence[Any]) -> Any:
    """Return the option that stands beside null alone, None where there is no such pair."""
    null = [isinstance(each, dict) and each.get("type") == "null" for each in options]
    return options[null.index(False)] if sorted(null) == [False, True] else None


def _type_of(value: Any) -> str:
    """Return the JSON type of a value."""
    if value is None or isinstance(value, bool):
        return "null" if value is None else "boolean"
    if isinstance(value, (int, float)):
        return "number"
    if isinstance(value, str):
        return "string"
    return "array" if isinstance(value, list) else "object"
