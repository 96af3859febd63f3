"""Schema objects that contradict themselves (R-SCH-7), judged one by one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from extpkg.diagnostic import quoted
from extpkg.json_schema import exact
from extpkg.json_schema.assertions import searcher
from extpkg.json_schema.fault import SchemaFault

if TYPE_CHECKING:
    from collections.abc import Iterator

    from extpkg.json_schema.patterns import Pattern

REQUIRED_UNDECLARED: Final = "EXT0514"
EMPTY_RANGE: Final = "EXT0515"
TOO_COSTLY: Final = "EXT0521"

_SEARCHES: Final = 100_000
"""Names times patterns that one schema object may make the check search."""

_RANGES: Final = (
    ("minimum", "maximum"),
    ("minLength", "maxLength"),
    ("minItems", "maxItems"),
    ("minProperties", "maxProperties"),
    ("minContains", "maxContains"),
)
_OPEN_RANGES: Final = (
    ("exclusiveMinimum", "maximum"),
    ("minimum", "exclusiveMaximum"),
    ("exclusiveMinimum", "exclusiveMaximum"),
)
BOUNDS: Final = frozenset(keyword for pair in (*_RANGES, *_OPEN_RANGES) for keyword in pair)
"""The keywords that bound a range."""


def check_ranges(schema: dict[str, Any], pointer: str) -> Iterator[SchemaFault]:
    """Yield the bounds that leave no value between them."""
    for low, high in _RANGES:
        if low in schema and high in schema and _is_less(schema[high], schema[low]):
            yield _empty(schema, pointer, (low, high), "is above")
    for low, high in _OPEN_RANGES:
        if low not in schema or high not in schema or not _is_number(schema[low], schema[high]):
            continue
        if not exact.is_less(schema[low], schema[high]):
            equal = not exact.is_less(schema[high], schema[low])
            yield _empty(schema, pointer, (low, high), "meets" if equal else "is above")


def _empty(schema: dict[str, Any], pointer: str, pair: tuple[str, str], relation: str) -> SchemaFault:
    low, high = pair
    bounds = f'"{low}" {quoted(schema[low])} {relation} "{high}" {quoted(schema[high])}'
    return SchemaFault(
        code=EMPTY_RANGE,
        pointer=f"{pointer}/{low}",
        message=f"{bounds}, so that no value is between",
        help=f'lower "{low}" or raise "{high}"',
    )


def _is_less(one: Any, other: Any) -> bool:
    return _is_number(one, other) and exact.is_less(one, other)


def _is_number(*values: Any) -> bool:
    return all(type(value) is int or type(value) is float for value in values)


def check_required(schema: dict[str, Any], pointer: str) -> Iterator[SchemaFault]:
    """Yield the required names that `additionalProperties: false` beside them forbids."""
    declared = schema.get("properties", {})
    sources = schema.get("patternProperties", {})
    if type(declared) is not dict or type(sources) is not dict:
        return
    patterns = [searcher(source) for source in sources]
    if None in patterns:
        return
    undeclared = [
        (index, name)
        for index, name in enumerate(schema["required"])
        if type(name) is str and name not in declared
    ]
    if len(undeclared) * len(patterns) > _SEARCHES:
        yield _too_many_searches(pointer)
        return
    for index, name in undeclared:
        if not _is_matched(name, patterns):
            yield SchemaFault(
                code=REQUIRED_UNDECLARED,
                pointer=f"{pointer}/required/{index}",
                message=f'{quoted(name)} is required, but "additionalProperties: false" beside it forbids it',
                help=f'declare {quoted(name)} under "properties", or take it out of "required"',
            )


def _is_matched(name: str, patterns: list[Pattern | None]) -> bool:
    return any(pattern is not None and pattern.found_in(name) for pattern in patterns)


def _too_many_searches(pointer: str) -> SchemaFault:
    return SchemaFault(
        code=TOO_COSTLY,
        pointer=f"{pointer}/patternProperties",
        message='"required" names and "patternProperties" are too many to compare',
        help='declare the required names under "properties"',
    )
