"""What a schema allows at one place, in words: ranges, lengths, patterns, choices, and what is only said."""

from __future__ import annotations

import json
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, Any, Final

from extpkg.review.markup import VALUES

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

MOST: Final = 60
"""Limits of one place that are shown."""

_RANGES: Final = (
    ("minLength", "maxLength", "character"),
    ("minItems", "maxItems", "item"),
    ("minProperties", "maxProperties", "member"),
    ("minContains", "maxContains", "matching item"),
)
_BOUNDS: Final = (
    ("minimum", "at least"),
    ("exclusiveMinimum", "more than"),
    ("maximum", "at most"),
    ("exclusiveMaximum", "less than"),
    ("multipleOf", "a multiple of"),
)
_SAID: Final = (
    ("pattern", "matches"),
    ("format", "format"),
    ("contentEncoding", "encoded as"),
    ("contentMediaType", "holds"),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Limit:
    """A few words, and the values that they are about, as JSON or as they are; `more` are left out."""

    words: str
    values: tuple[str, ...] = ()
    more: int = 0


def limits_of(parts: Sequence[dict[str, Any]]) -> tuple[Limit, ...]:
    """Return what all schemas of a place say of its values, each thing once."""
    every = islice((limit for part in parts for limit in _limits(part)), MOST + 1)
    found = tuple(dict.fromkeys(every))
    return (*found[:MOST], Limit(words="and more")) if len(found) > MOST else found


def said(parts: Sequence[dict[str, Any]]) -> str:
    """Return the first description, else the first title."""
    for keyword in ("description", "title"):
        for part in parts:
            if isinstance(part.get(keyword), str) and part[keyword].strip():
                return str(part[keyword])
    return ""


def _limits(part: dict[str, Any]) -> Iterator[Limit]:
    if "const" in part:
        yield Limit(words="always", values=(_json(part["const"]),))
    if "enum" in part:
        yield _listed("one of", part["enum"])
    for keyword, words in _BOUNDS:
        if keyword in part:
            yield Limit(words=words, values=(_json(part[keyword]),))
    for least, most, noun in _RANGES:
        yield from _range(part.get(least), part.get(most), noun)
    for keyword, words in _SAID:
        if keyword in part:
            yield Limit(words=words, values=(str(part[keyword]),))
    yield from _others(part)


def _others(part: dict[str, Any]) -> Iterator[Limit]:
    if part.get("uniqueItems") is True:
        yield Limit(words="all different")
    if part.get("additionalProperties") is False or part.get("unevaluatedProperties") is False:
        yield Limit(words="no other members")
    if part.get("items") is False or part.get("unevaluatedItems") is False:
        yield Limit(words="no further items")
    for name, needed in part.get("dependentRequired", {}).items():
        yield _named(f"with {name} also", needed)
    for keyword, words in (("readOnly", "read only"), ("writeOnly", "write only")):
        if part.get(keyword) is True:
            yield Limit(words=words)
    if "default" in part:
        yield Limit(words="default (not filled in)", values=(_json(part["default"]),))
    if "examples" in part:
        yield _listed("for example", part["examples"])


def _named(words: str, names: Sequence[str]) -> Limit:
    return Limit(words=words, values=tuple(names[:VALUES]), more=max(0, len(names) - VALUES))


def _listed(words: str, members: Sequence[Any]) -> Limit:
    values = tuple(_json(member) for member in members[:VALUES])
    return Limit(words=words, values=values, more=len(members) - len(values))


def _range(least: Any, most: Any, noun: str) -> Iterator[Limit]:
    if least is None and most is None:
        return
    plural = noun if (least if most is None else most) == 1 else f"{noun}s"
    if most is None:
        yield Limit(words=f"at least {_json(least)} {plural}")
    elif least is None:
        yield Limit(words=f"at most {_json(most)} {plural}")
    elif least == most:
        yield Limit(words=f"exactly {_json(most)} {plural}")
    else:
        yield Limit(words=f"{_json(least)} to {_json(most)} {plural}")


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(", ", ": "))
