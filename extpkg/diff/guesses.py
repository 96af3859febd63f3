"""Guesses at what tells two schemas apart: values on both sides of every bound that either of them sets.

A guess is a small or a full value of the first schema that is changed at one place where the two differ. The
caller judges it. Guesses come in a fixed order.
"""

from __future__ import annotations

from contextlib import suppress
from itertools import chain, islice
from typing import TYPE_CHECKING, Any, Final

from extpkg.diff.facts import Facts, gather, items, members, named, patterns, prefix_length, size, under
from extpkg.diff.samples import (
    DEPTH,
    LISTED,
    LONGEST,
    NAMES,
    NONE,
    filled,
    full,
    grown,
    objects,
    said_by,
    sample,
    samples,
    variants,
)
from extpkg.diff.sites import WORK, Spent, are_same
from extpkg.diff.texts import matching

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from extpkg.diff.sites import Site

MOST: Final = 4_000
"""Guesses of one search."""

_EACH: Final = 120
_LONG: Final = 3_000
_FIRST: Final = 12
_BRANCHES: Final = 4
_NUMBERS: Final = ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf")
_COUNTS: Final = ("minItems", "maxItems", "minContains", "maxContains")
_TYPICAL: Final[tuple[Any, ...]] = (
    *("a", 1, 0.5, True, None, [], {}),
    *("", 0, -1, False, "ab", ["a"], {"a": 1}),
)


def apart(base: Site, others: Sequence[Site], admitted: Callable[[Any], bool]) -> Any:
    """Return a value that `base` accepts and all of `others` refuse, `NONE` where no guess is one.

    `admitted` says whether a value counts at all.
    """
    for site in (base, *others):
        site.root.left = WORK
    with suppress(Spent):
        for value in islice(around((base,), (others[0],)), MOST):
            parts = base.accepts(value) and all(other.accepts(value) is False for other in others)
            if parts and admitted(value):
                return value
    return NONE


def around(must: Sequence[Site], other: Sequence[Site], depth: int = 0) -> Iterator[Any]:
    """Yield values near where two lists of schemas part: guesses, those that `must` accept among them."""
    if depth > DEPTH:
        return
    for site in must[:1]:
        site.root.attempt()
    small = samples(must, depth)
    yield from islice(small, 1)
    if depth and are_same(tuple(must), tuple(other)):
        yield from islice(small, 1)
        return
    for facts in variants(gather(must), depth):
        for rest in islice(variants(gather(other), depth), _BRANCHES):
            yield from _edges(facts, rest)
            yield from _forked(facts, rest, depth)
            yield from _objects_around(facts, rest, depth)
            yield from _arrays_around(facts, rest, depth)
    yield from islice(small, _FIRST)
    yield from _TYPICAL


def _edges(facts: Facts, other: Facts) -> Iterator[Any]:
    """Yield scalars on both sides of every bound that either of two sets of facts has."""
    for one, another in ((other, facts), (facts, other)):
        for listed in [*one.every("enum"), *([value] for value in one.every("const"))]:
            yield from listed[:LISTED]
        for bound in chain.from_iterable(map(one.every, _NUMBERS)):
            yield from (
                bound,
                bound - 1,
                bound + 1,
                bound + 0.5,
                bound - 0.5,
                bound * 2,
                bound / 2,
                bound * 3,
            )
        lengths = [each for each in _beside(one, ("minLength", "maxLength")) if each <= LONGEST]
        for source in (*one.every("pattern"), *another.every("pattern")):
            yield from matching(source, (0, 1, 2, *lengths))
        yield from ("a" * length for length in lengths)
        yield from said_by(one, "string")


def _forked(facts: Facts, other: Facts, depth: int) -> Iterator[Any]:
    """Yield values that also meet what a `not` refuses or an `if` asks about."""
    for keyword in ("not", "if"):
        for site, child in (*under(other, keyword), *under(facts, keyword)):
            yield from islice(samples((*facts.sites, site.at(child)), depth + 1), _FIRST)


def _beside(facts: Facts, keywords: Sequence[str]) -> list[int]:
    """Return the sizes that keywords name, one less, and one more."""
    named_ = [bound for keyword in keywords for bound in facts.every(keyword)]
    return [each for each in dict.fromkeys(size for b in named_ for size in (b - 1, b, b + 1)) if each >= 0]


def _objects_around(facts: Facts, other: Facts, depth: int) -> Iterator[Any]:
    """Yield objects that differ from a small one, and from a full one, in one member."""
    small: Any = next(objects(facts, depth), NONE) if "object" in facts.kinds else NONE
    if small is NONE:
        return
    made_up = list(_made_up(facts, other))
    names = list(dict.fromkeys([*named(facts.sites), *named(other.sites), *made_up]))
    guesses = {name: _member_guesses(facts, other, name, depth) for name in _parted(facts, other, names)}
    for name, values in guesses.items():
        yield from ({**small, name: value} for value in values)
    yield from ({key: value for key, value in small.items() if key != name} for name in names[:_EACH])
    yield from (grown(facts, small, [name], depth, len(small) + 1) for name in made_up)
    whole = full(facts, small, depth)
    yield whole
    yield from ({**small, name: whole[name]} for name in names[:_EACH] if name in whole)
    for name, values in guesses.items():
        yield {key: value for key, value in whole.items() if key != name}
        yield from ({**whole, name: value} for value in values)
    yield from _sized(facts, other, small, names)


def _member_guesses(facts: Facts, other: Facts, name: str, depth: int) -> list[Any]:
    guesses = around(members(facts.sites, name), members(other.sites, name), depth + 1)
    return list(islice(guesses, _EACH))


def _parted(facts: Facts, other: Facts, names: Sequence[str]) -> list[str]:
    """Return the names of members that two sets of facts judge differently."""
    return [name for name in names if not are_same(members(facts.sites, name), members(other.sites, name))]


def _made_up(facts: Facts, other: Facts) -> Iterator[str]:
    """Yield names that nobody mentions: those that patterns and `propertyNames` speak of, and a plain one."""
    for source in patterns((*other.sites, *facts.sites))[:_FIRST]:
        yield from matching(source)[:2]
    for one in (facts, other):
        for site in one.sites:
            if "propertyNames" in site.schema:
                guesses = around((site.at(site.schema["propertyNames"]),), (), DEPTH - 1)
                yield from (each for each in islice(guesses, 20) if isinstance(each, str))
    yield NAMES[0]


def _sized(
    facts: Facts, other: Facts, small: dict[str, Any], names: Sequence[str]
) -> Iterator[dict[str, Any]]:
    """Yield objects with as many members as a bound names, one less, one more."""
    for one in (facts, other):
        for count in _beside(one, ("minProperties", "maxProperties")):
            if count <= LISTED:
                more = [*names, *(f"x{index}" for index in range(count))]
                yield grown(facts, dict(list(small.items())[:count]), more, 1, count)


def _arrays_around(facts: Facts, other: Facts, depth: int) -> Iterator[Any]:
    """Yield arrays with one item changed, and of every length that a bound names."""
    if "array" not in facts.kinds:
        return
    for index in range(min(LISTED, 1 + prefix_length((*facts.sites, *other.sites)))):
        start = filled(facts, [()] * index, depth)
        if start is NONE:
            break
        guesses = around(items(facts.sites, index), items(other.sites, index), depth + 1)
        for guess in islice(guesses, _EACH):
            yield [*start, guess]
            yield from _lengthened([*start, guess], facts, depth)
    yield from _of_lengths(facts, other, depth)
    for site, child in (*under(facts, "contains"), *under(other, "contains")):
        yield from ([each] for each in islice(around((site.at(child),), (), depth + 1), _EACH))


def _lengthened(start: list[Any], facts: Facts, depth: int) -> Iterator[list[Any]]:
    """Yield a list with as many more items as it must have."""
    least = min(size(facts, "array")[0], LISTED)
    rest = filled(facts, [()] * least, depth) if len(start) < least else NONE
    if rest is not NONE:
        yield [*start, *rest[len(start) :]]


def _of_lengths(facts: Facts, other: Facts, depth: int) -> Iterator[list[Any]]:
    """Yield lists of one item over and over, and of different ones, as long as bounds name."""
    must = items(facts.sites, None)
    item = sample(must, depth + 1) if must else 1
    if item is NONE:
        return
    least = max(2, size(facts, "array")[0])
    for count in dict.fromkeys([least, *_beside(facts, _COUNTS), *_beside(other, _COUNTS)]):
        different = filled(facts, [()] * count, depth) if count <= LISTED else NONE
        if different is not NONE:
            yield different
        if count <= _LONG:
            yield [item] * count
