"""Cutting a large schema breadth-first: what is near its root stays, what is beyond takes anything.

A judgement that might turn on a part that was cut is loosened or taken out, so that no value is refused that
the whole schema takes.
"""

from __future__ import annotations

import json
from collections import deque
from typing import TYPE_CHECKING, Any, Final

from extpkg.json_schema.keywords import HOLDS, LISTS, MAPS, Holds

if TYPE_CHECKING:
    from collections.abc import Mapping

_DROPPED: Final = frozenset(
    {
        *("not", "if", "then", "else", "dependentSchemas", "contains", "minContains", "maxContains"),
        *("unevaluatedItems", "unevaluatedProperties", "propertyNames", "contentSchema"),
    }
)
_LONG: Final = frozenset({"title", "description", "default", "enum", "const", "pattern"})
_encode: Final = json.JSONEncoder(ensure_ascii=False, check_circular=False, separators=(",", ":")).encode
_PREFIX: Final = "#/$defs/"
_AROUND: Final = len('"":{},')


def cut(schema: Any, definitions: Mapping[str, Any], most: int) -> tuple[Any, dict[str, Any]]:
    """Return a schema and definitions of at most `most` bytes of JSON that take all that these take."""
    work = _Cut(definitions, most)
    out = work.part(schema)
    while work.waiting:
        work.write(*work.waiting.popleft())
    return out, {name: work.definitions[name] for name in sorted(work.definitions)}


class _Cut:
    """One cutting. `left` are the bytes that may still be written; who waits has been counted as `{}`."""

    __slots__ = ("definitions", "left", "waiting", "whole")

    def __init__(self, whole: Mapping[str, Any], most: int) -> None:
        self.whole = whole
        self.left = most
        self.definitions: dict[str, Any] = {}
        self.waiting: deque[tuple[dict[str, Any], dict[str, Any]]] = deque()

    def part(self, schema: Any) -> Any:
        """Return what stands for a schema until its turn comes: itself where it is a boolean."""
        if type(schema) is not dict:
            return schema
        into: dict[str, Any] = {}
        self.waiting.append((schema, into))
        return into

    def write(self, schema: dict[str, Any], into: dict[str, Any]) -> None:
        """Write what a schema says of its own value into its place, if there is room; its parts wait."""
        own = {
            keyword: value
            for keyword, value in schema.items()
            if HOLDS.get(keyword, Holds.DATA) is Holds.DATA and keyword not in _DROPPED
        }
        parts = {
            "anyOf" if keyword == "oneOf" and "anyOf" not in schema else keyword: schema[keyword]
            for keyword in sorted(schema)
            if keyword not in own and keyword not in _DROPPED
        }
        parts.pop("oneOf", None)
        price = len(_encode(own).encode()) + sum(_price(keyword, value) for keyword, value in parts.items())
        price += self._price_of_definition(own.get("$ref"))
        if price > self.left:
            price -= len(_encode(own).encode())
            own = {keyword: value for keyword, value in own.items() if keyword not in _LONG}
            price += len(_encode(own).encode())
        if price > self.left:
            return
        self.left -= price
        into.update(own)
        for keyword, value in parts.items():
            if keyword in MAPS:
                into[keyword] = {name: self.part(value[name]) for name in sorted(value)}
            elif keyword in LISTS:
                into[keyword] = [self.part(each) for each in value]
            else:
                into[keyword] = self.part(value)
        self._define(own.get("$ref"))

    def _price_of_definition(self, reference: str | None) -> int:
        if reference is None or reference.removeprefix(_PREFIX) in self.definitions:
            return 0
        return len(reference.encode())

    def _define(self, reference: str | None) -> None:
        name = reference.removeprefix(_PREFIX) if reference else ""
        if name and name not in self.definitions:
            self.definitions[name] = self.part(self.whole[name])


def _price(keyword: str, value: Any) -> int:
    """Return the bytes of a keyword with its parts as `{}`, or a little more."""
    if keyword in MAPS:
        return len(_encode(dict.fromkeys(value, 0)).encode()) + 4 * len(value) + len(keyword) + _AROUND
    parts = len(value) if keyword in LISTS else 1
    return len(keyword) + _AROUND * (parts + 1)
