"""Values made from schemas: small ones that they accept, in a fixed order, a bounded number of them."""

from __future__ import annotations

from contextlib import suppress
from itertools import count, islice
from typing import TYPE_CHECKING, Any, Final

from extpkg.diff.facts import (
    NUMBERS,
    Facts,
    bounds,
    branches,
    finite,
    gather,
    items,
    kind_of,
    members,
    named,
    size,
    under,
)
from extpkg.diff.sites import Spent
from extpkg.diff.texts import matching

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from extpkg.diff.sites import Key, Site

NONE: Final[Any] = object()
"""What stands for no value; null is one."""

DEPTH: Final = 12
"""Levels of a value that is made."""

LONGEST: Final = 70_000
"""Characters of a text that is made: more than any result holds."""

LISTED: Final = 300
"""Members and items of a value that is made."""

_VARIANTS: Final = 8
_FULL: Final = 2
NAMES: Final = ("extra", "x", "other", "more")
"""What members are called that no schema mentions."""

_ORDER: Final = ("string", "integer", "boolean", "fraction", "null", "array", "object")


def some(must: Sequence[Site], most: int) -> list[Any]:
    """Return up to `most` different values that all schemas accept: those that are found within `WORK`."""
    found: list[Any] = []
    with suppress(Spent):
        for value in islice(samples(must), most):
            found.append(value)  # noqa: PERF402 - what is found before the end stays
    return found


def sample(must: Sequence[Site], depth: int = 0) -> Any:
    """Return a small value that all schemas accept, `NONE` where none is found."""
    return next(samples(must, depth), NONE)


def samples(must: Sequence[Site], depth: int = 0) -> Iterator[Any]:
    """Yield values that all schemas accept, small ones first."""
    for site in must[:1]:
        site.root.attempt()
    every = list(variants(gather(must), depth)) if depth <= DEPTH else []
    for kind in _ORDER:
        for facts in every:
            if kind in facts.kinds:
                yield from (value for value in of_kind(facts, kind, depth) if _fits(must, value))


def _fits(must: Sequence[Site], value: Any) -> bool:
    return all(site.accepts(value) is True for site in must)


def variants(facts: Facts, depth: int) -> Iterator[Facts]:
    """Yield the facts with one branch of each fork, a few combinations of them, fewer the deeper they are."""
    pending = [facts]
    left = max(1, _VARIANTS >> depth)
    while pending and left:
        here = pending.pop(0)
        fork = here.fork()
        if fork is None:
            left -= 1
            yield here
        else:
            pending = [*branches(here, fork), *pending][: 4 * _VARIANTS]


def of_kind(facts: Facts, kind: str, depth: int) -> Iterator[Any]:
    """Yield values of a kind that are likely to be like the facts."""
    listed = finite(facts, kind)
    if listed is not None:
        yield from listed[:LISTED]
    elif kind in NUMBERS:
        yield from _numbers(facts, kind)
    elif kind == "string":
        yield from _strings(facts)
    elif kind == "array":
        yield from _arrays(facts, depth)
    else:
        yield from objects(facts, depth)
    yield from said_by(facts, kind)


def said_by(facts: Facts, kind: str) -> Iterator[Any]:
    """Yield what the author gives as an example or default."""
    for site in facts.sites:
        said = [*site.get("examples", ()), *([site.schema["default"]] if "default" in site.schema else [])]
        yield from (value for value in said if kind_of(value) == kind)


def _numbers(facts: Facts, kind: str) -> Iterator[Any]:
    low, high = bounds(facts, kind)
    near = [1, 0, -1] if kind == "integer" else [0.5, -0.5, 1.5]
    near += [number(each[0] + step) for each in (low, high) if each for step in (0, 1, -1, 0.5, -0.5)]
    near += [factor * divisor for divisor in facts.every("multipleOf") for factor in (1, 2, -1, 3)]
    if low and high:
        near.append(number((low[0] + high[0]) / 2))
    yield from (value for value in near if kind_of(value) == kind)
    start = int(low[0]) if low else -LISTED if high and high[0] < LISTED else 2
    yield from range(start, start + LISTED) if kind == "integer" else ()


def number(value: Any) -> int | float:
    """Return a number of any class as JSON has it."""
    return int(value) if value == int(value) else float(value)


def _strings(facts: Facts) -> Iterator[str]:
    least, most = size(facts, "string")
    lengths = [each for each in (max(least, 1), least, least + 1) if each <= LONGEST]
    for source in facts.every("pattern"):
        yield from matching(source, (0, 1, *lengths))
    yield from ("a" * length for length in dict.fromkeys(lengths) if most is None or length <= most)
    yield from (str(each).rjust(max(least, 1), "a") for each in range(LISTED) if least <= LONGEST)


def _arrays(facts: Facts, depth: int) -> Iterator[list[Any]]:
    least, _ = size(facts, "array")
    wanted: list[tuple[Site, ...]] = [(site.at(child),) for site, child in under(facts, "contains")]
    wanted = wanted or [()]
    for more in wanted:
        for length in (max(least, 1), least, least + 1):
            found = filled(facts, [more] * min(length, LISTED), depth)
            if found is not NONE:
                yield found


def filled(facts: Facts, more: Sequence[tuple[Site, ...]], depth: int) -> Any:
    """Return a list with an item for each of `more`, schemas that it satisfies too; `NONE` if none is found.

    Items are different as far as values are found for that; in a list that asks for it they always are.
    """
    made: list[Any] = []
    pools: dict[tuple[Key, ...], Iterator[Any]] = {}
    repeats = True not in facts.every("uniqueItems")
    for index, extra in enumerate(more):
        must = (*items(facts.sites, index), *extra)
        pool = pools.setdefault(
            tuple(site.key for site in must), samples(must, depth + 1) if must else count(1)
        )
        found = next((each for each in islice(pool, LISTED) if each not in made), NONE)
        if found is NONE and repeats:
            found = sample(must, depth + 1)
        if found is NONE:
            return NONE
        made.append(found)
    return made


def objects(facts: Facts, depth: int) -> Iterator[dict[str, Any]]:
    """Yield the object with what it must have, then with everything that it may have."""
    required = grown(facts, {}, sorted(facts.required), depth)
    if required is NONE:
        return
    least, _ = size(facts, "object")
    enough = grown(facts, required, [*named(facts.sites), *NAMES], depth, least)
    yield enough
    if depth < _FULL:
        yield full(facts, enough, depth)


def full(facts: Facts, value: dict[str, Any], depth: int) -> dict[str, Any]:
    """Return an object with every member that it may have and that a value is found for."""
    most = size(facts, "object")[1]
    made: dict[str, Any] = grown(facts, value, named(facts.sites), depth, LISTED if most is None else most)
    return made


def grown(
    facts: Facts, value: dict[str, Any], names: Sequence[str], depth: int, least: int | None = None
) -> Any:
    """Return an object with more members: all of `names`, or as many as it needs to have `least`."""
    made = dict(value)
    for name in names:
        if name in made or (least is not None and len(made) >= least):
            continue
        must = members(facts.sites, name)
        found = sample(must, depth + 1) if must else "a"
        if found is not NONE:
            made[name] = found
        elif least is None:
            return NONE
    return made
