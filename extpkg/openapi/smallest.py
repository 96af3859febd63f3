"""The smallest value that a schema accepts, of a few that are tried: short texts, numbers near zero."""

from __future__ import annotations

from itertools import islice
from math import ceil, floor
from typing import TYPE_CHECKING, Any, Final

from extpkg.canonical import canonical_text
from extpkg.diff.samples import NONE
from extpkg.diff.texts import matching

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from extpkg.diff.sites import Root

    _Facts = list[dict[str, Any]]

__all__ = ["NONE", "smallest"]

STEPS: Final = 10_000
"""Schemas and values that one search looks at."""

_DEPTH: Final = 10
_VARIANTS: Final = 12
_TRIED: Final = 24
_LONGEST: Final = 4_096
_PREFIX: Final = "#/$defs/"
_ORDER: Final = ("string", "integer", "number", "boolean", "array", "object", "null")
_HINTS: Final = (
    ("object", ("properties", "required", "additionalProperties", "minProperties", "propertyNames")),
    ("array", ("items", "prefixItems", "minItems", "uniqueItems", "contains")),
    ("string", ("pattern", "minLength", "maxLength", "format")),
    ("number", ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf")),
)
_FORMATS: Final = {
    "date": "2024-01-01",
    "date-time": "2024-01-01T00:00:00Z",
    "time": "00:00:00Z",
    "duration": "P1D",
    "email": "a@example.com",
    "hostname": "example.com",
    "ipv4": "192.0.2.1",
    "ipv6": "2001:db8::1",
    "uri": "https://example.com/",
    "url": "https://example.com/",
    "uuid": "00000000-0000-4000-8000-000000000000",
}


def smallest(root: Root, schema: Any, *, least: int = 0) -> Any:
    """Return the smallest value that is found which `schema`, a part of `root`, accepts; `NONE` without one.

    What the schema gives as an example or default is taken first. An array has at least `least` items.
    """
    return _value(_Search(root), schema, 0, least)


class _Search:
    """One search: `left` is how many values may still be tried, whatever the schema asks for."""

    __slots__ = ("left", "root")

    def __init__(self, root: Root) -> None:
        self.root = root
        self.left = STEPS

    def accepts(self, schema: Any, value: Any) -> bool:
        """Say whether a schema accepts a value; one that costs too much to judge ends the search."""
        self.left -= 1
        verdict = self.root.accepts(schema, value)
        if verdict is None:
            self.left = 0
        return verdict is True


def _value(search: _Search, schema: Any, depth: int, least: int = 0) -> Any:
    if schema is True or schema == {}:
        return "a"
    search.left -= 1
    if not isinstance(schema, dict) or depth > _DEPTH or search.left <= 0:
        return NONE
    for facts in islice(_variants(search, [schema], []), _VARIANTS):
        for value in islice(_candidates(search, facts, depth, least), _TRIED):
            if search.left <= 0:
                return NONE
            if search.accepts(schema, value):
                return value
    return NONE


def _variants(search: _Search, pending: list[Any], facts: _Facts) -> Iterator[_Facts]:
    """Yield what always holds of a value, with one branch of every choice."""
    pending, facts = list(pending), list(facts)
    while pending:
        here = pending.pop(0)
        search.left -= 1
        if here is False or search.left <= 0:
            return
        if not isinstance(here, dict) or any(here is each for each in facts):
            continue
        facts.append(here)
        if isinstance(here.get("$ref"), str):
            pending.append(search.root.target(here["$ref"]).schema)
        pending.extend(here.get("allOf", ()))
        for keyword in ("anyOf", "oneOf"):
            for branch in here.get(keyword, ()):
                rest = {
                    key: value for key, value in here.items() if key in {"anyOf", "oneOf"} and key != keyword
                }
                yield from _variants(search, [branch, *pending, *([rest] if rest else [])], facts)
            if keyword in here:
                return
    yield facts


def _candidates(search: _Search, facts: _Facts, depth: int, least: int) -> Iterator[Any]:
    for fact in facts:
        said = fact.get("examples")
        values = [
            *(said if isinstance(said, list) else ()),
            *([fact["default"]] if "default" in fact else ()),
        ]
        yield from (value for value in values if not (least and value == []) and value is not None)
    listed = [[fact["const"]] for fact in facts if "const" in fact]
    listed += [fact["enum"] for fact in facts if isinstance(fact.get("enum"), list)]
    if listed:
        yield from sorted(
            listed[0], key=lambda value: (value is None, len(text := canonical_text(value)), text)
        )
        return
    for kind in _kinds(facts):
        yield from _of_kind(search, facts, kind, depth, least)


def _kinds(facts: _Facts) -> list[str]:
    kinds = list(_ORDER)
    typed = False
    for fact in facts:
        said = fact.get("type")
        if said is not None:
            typed = True
            listed = said if isinstance(said, list) else [said]
            kinds = [kind for kind in kinds if kind in listed or (kind == "integer" and "number" in listed)]
    if typed:
        return kinds
    hinted = [kind for kind, words in _HINTS if any(not fact.keys().isdisjoint(words) for fact in facts)]
    return [*hinted, *(kind for kind in kinds if kind not in hinted)]


def _of_kind(search: _Search, facts: _Facts, kind: str, depth: int, least: int) -> Iterator[Any]:
    if kind == "string":
        yield from _strings(facts)
    elif kind in {"integer", "number"}:
        yield from _numbers(facts, whole=kind == "integer")
    elif kind == "boolean":
        yield from (False, True)
    elif kind == "array":
        yield from _arrays(search, facts, depth, least)
    elif kind == "object":
        yield from _objects(search, facts, depth)
    else:
        yield None


def _strings(facts: _Facts) -> Iterator[str]:
    least = max((fact["minLength"] for fact in facts if "minLength" in fact), default=0)
    shortest = int(max(least, 1))
    for fact in facts:
        if fact.get("format") in _FORMATS:
            yield _FORMATS[fact["format"]]
    for fact in facts:
        if isinstance(fact.get("pattern"), str):
            yield from sorted(
                matching(fact["pattern"], (0, 1, min(shortest, _LONGEST))), key=lambda t: (not t, len(t), t)
            )
    if shortest <= _LONGEST:
        yield "a" * shortest
        yield "0" * shortest
    yield ""


def _numbers(facts: _Facts, *, whole: bool) -> Iterator[float]:
    lows = [fact[word] for fact in facts for word in ("minimum", "exclusiveMinimum") if word in fact]
    highs = [fact[word] for fact in facts for word in ("maximum", "exclusiveMaximum") if word in fact]
    steps = [fact["multipleOf"] for fact in facts if "multipleOf" in fact]
    near: list[float] = [0, 1, -1]
    for low in lows:
        near += [ceil(low), floor(low) + 1]
    for high in highs:
        near += [floor(high), ceil(high) - 1]
    for step in steps:
        near += [step * factor for factor in (1, 2, -1)]
        near += [ceil(low / step) * step for low in lows] + [(floor(low / step) + 1) * step for low in lows]
    if not whole:
        near += [*lows, *highs, *((low + high) / 2 for low in lows for high in highs)]
        near += [low + 0.5 for low in lows] + [high - 0.5 for high in highs]
    yield from sorted(dict.fromkeys(near), key=lambda number: (abs(number), number < 0))


def _arrays(search: _Search, facts: _Facts, depth: int, least: int) -> Iterator[list[Any]]:
    length = max([least, *(int(fact["minItems"]) for fact in facts if "minItems" in fact)])
    if length > _TRIED:
        return
    if length == 0:
        yield []
    unique = any(fact.get("uniqueItems") is True for fact in facts)
    made: list[Any] = []
    for index in range(max(length, 1)):
        item = _item(search, facts, index, depth)
        if item is NONE:
            return
        made.append(_other(item, index) if unique and item in made else item)
    yield made


def _item(search: _Search, facts: _Facts, index: int, depth: int) -> Any:
    schemas: list[Any] = []
    for fact in facts:
        prefix = fact.get("prefixItems", ())
        schemas += [prefix[index]] if index < len(prefix) else [fact["items"]] if "items" in fact else []
        schemas += [fact["contains"]] if "contains" in fact else []
    return _value(search, _all_of(schemas), depth + 1)


def _other(item: Any, index: int) -> Any:
    if isinstance(item, str):
        return f"{item}{index}"
    return item + index if isinstance(item, int) and not isinstance(item, bool) else item


def _objects(search: _Search, facts: _Facts, depth: int) -> Iterator[dict[str, Any]]:
    required = sorted({name for fact in facts for name in fact.get("required", ())})
    value: dict[str, Any] = {}
    for name in required:
        member = _member(search, facts, name, depth)
        if member is NONE:
            return
        value[name] = member
    yield value
    least = max((int(fact["minProperties"]) for fact in facts if "minProperties" in fact), default=0)
    known = sorted({name for fact in facts for name in fact.get("properties", {})} - value.keys())
    more = dict(value)
    for name in [*known, *_NAMES]:
        if len(more) >= max(least, 1):
            break
        member = _member(search, facts, name, depth)
        if member is not NONE:
            more[name] = member
    yield more


_NAMES: Final = ("a", "b", "c", "d")


def _member(search: _Search, facts: _Facts, name: str, depth: int) -> Any:
    schemas: Sequence[Any] = [
        fact["properties"][name] for fact in facts if name in fact.get("properties", {})
    ]
    if not schemas:
        more = [fact["additionalProperties"] for fact in facts if "additionalProperties" in fact]
        schemas = more[:1] or [True]
    return _value(search, _all_of(schemas), depth + 1)


def _all_of(schemas: Sequence[Any]) -> Any:
    return schemas[0] if len(schemas) == 1 else {"allOf": list(schemas)} if schemas else True
