"""The keywords that judge one value by itself, each made into a function.

A *test* says whether a value passes and counts as one evaluation. A *weighed* test looks at as much as the
value holds: it returns how many evaluations more than one that was, or `~count` if the value does not pass.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final

from extpkg.json_schema import exact
from extpkg.json_schema.pattern_syntax import PatternRefused
from extpkg.json_schema.patterns import compile_pattern
from extpkg.limits import EVALUATIONS

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Sized

    from extpkg.json_schema.patterns import Pattern

    Test = Callable[[Any], bool]
    Weighed = Callable[[Any], int]

_SHARED: Final = 256
"""Tests of common bounds that are shared between schemas."""

BULK: Final = 5
"""Names that are compared in bulk count as one evaluation more for each 2^BULK of them."""


def never(_: Any) -> bool:
    """Refuse any value."""
    return False


def _is_integer(value: Any) -> bool:
    kind = type(value)
    return kind is int or (kind is float and value.is_integer())


_TYPE_TESTS: Final[dict[str, Test]] = {
    "object": lambda value: type(value) is dict,
    "array": lambda value: type(value) is list,
    "string": lambda value: type(value) is str,
    "number": lambda value: type(value) is int or type(value) is float,
    "integer": _is_integer,
    "boolean": lambda value: type(value) is bool,
    "null": lambda value: value is None,
}
_KINDS: Final[dict[str, tuple[type, ...]]] = {
    "object": (dict,),
    "array": (list,),
    "string": (str,),
    "number": (int, float),
    "integer": (int,),
    "boolean": (bool,),
    "null": (type(None),),
}


def _type(wanted: Any) -> Test:
    if type(wanted) is str:
        return _TYPE_TESTS.get(wanted, never)
    kinds = frozenset([kind for name in wanted for kind in _KINDS.get(name, ())])
    if "integer" in wanted and float not in kinds:
        return lambda value: type(value) in kinds or (type(value) is float and value.is_integer())
    return lambda value: type(value) in kinds


def _enum(members: list[Any]) -> Test | None:
    keys = frozenset([exact.scalar_key(member) for member in members])
    if () in keys:
        return None
    if all(type(member) is str for member in members):
        return lambda value: type(value) is str and value in keys
    return lambda value: exact.scalar_key(value) in keys


def _const(member: Any) -> Test | None:
    if type(member) is str:
        return lambda value: value == member
    return _enum([member])


@lru_cache(_SHARED)
def _minimum(bound: float) -> Test:
    return lambda value: not _is_number(value) or not exact.is_less(value, bound)


@lru_cache(_SHARED)
def _maximum(bound: float) -> Test:
    return lambda value: not _is_number(value) or not exact.is_less(bound, value)


def _exclusive_minimum(bound: float) -> Test:
    return lambda value: not _is_number(value) or exact.is_less(bound, value)


def _exclusive_maximum(bound: float) -> Test:
    return lambda value: not _is_number(value) or exact.is_less(value, bound)


def _multiple_of(divisor: float) -> Test:
    return lambda value: not _is_number(value) or exact.is_multiple(value, divisor)


def _is_number(value: Any) -> bool:
    kind = type(value)
    return kind is int or kind is float


def _shortest(kind: type[Sized]) -> Callable[[int], Test]:
    return lru_cache(_SHARED)(lambda bound: lambda value: type(value) is not kind or len(value) >= bound)


def _longest(kind: type[Sized]) -> Callable[[int], Test]:
    return lru_cache(_SHARED)(lambda bound: lambda value: type(value) is not kind or len(value) <= bound)


def _required(names: list[str]) -> Test:
    wanted = frozenset(names)
    return lambda value: type(value) is not dict or value.keys() >= wanted


def _dependent_required(needs: dict[str, list[str]]) -> Test:
    rows = [(name, frozenset(names)) for name, names in needs.items()]
    return lambda value: (
        type(value) is not dict or all(name not in value or value.keys() >= names for name, names in rows)
    )


TESTS: Final[dict[str, Callable[[Any], Test | None]]] = {
    "type": _type,
    "enum": _enum,
    "const": _const,
    "minimum": _minimum,
    "maximum": _maximum,
    "exclusiveMinimum": _exclusive_minimum,
    "exclusiveMaximum": _exclusive_maximum,
    "multipleOf": _multiple_of,
    "minLength": _shortest(str),
    "maxLength": _longest(str),
    "minItems": _shortest(list),
    "maxItems": _longest(list),
    "minProperties": _shortest(dict),
    "maxProperties": _longest(dict),
    "required": _required,
    "dependentRequired": _dependent_required,
}
"""What makes the test of a keyword from its value; None where the value needs a weighed test."""


def _weighed_enum(members: list[Any]) -> Weighed:
    keys: frozenset[Hashable] = frozenset([exact.key(member)[0] for member in members])

    def weighed(value: Any) -> int:
        found, looked = exact.key(value)
        return looked - 1 if found in keys else ~(looked - 1)

    return weighed


def _weighed_const(member: Any) -> Weighed:
    return _weighed_enum([member])


def _pattern(source: str) -> Weighed:
    pattern = searcher(source)

    def weighed(value: Any) -> int:
        if type(value) is not str:
            return 0
        if pattern is None:
            return ~0
        more = pattern.surcharge(value)
        if more >= EVALUATIONS:
            return more  # no budget holds it, so that there is nothing to search
        return more if pattern.found_in(value) else ~more

    return weighed


def searcher(source: str) -> Pattern | None:
    """Return the compiled pattern; None, which matches nothing, where it is not allowed."""
    try:
        return compile_pattern(source)
    except PatternRefused:
        return None


def _unique_items(value: Any) -> int:
    if type(value) is not list or not value:
        return 0
    keys: set[Hashable] = set()
    total = -1
    for item in value:
        found, looked = exact.key(item)
        total += looked
        if found in keys:
            return ~total
        keys.add(found)
    return total


def _accept(_: Any) -> int:
    return 0


WEIGHED: Final[dict[str, Callable[[Any], Weighed]]] = {
    "enum": _weighed_enum,
    "const": _weighed_const,
    "pattern": _pattern,
    "uniqueItems": lambda wanted: _unique_items if wanted else _accept,
}
"""What makes the weighed test of a keyword from its value."""


def bulk(schema: dict[str, Any]) -> int:
    """Return how many evaluations more the names cost that `schema` compares in bulk."""
    names = len(schema["required"]) if "required" in schema else 0
    if "dependentRequired" in schema:
        names += sum([1 + len(wanted) for wanted in schema["dependentRequired"].values()])
    return names >> BULK
