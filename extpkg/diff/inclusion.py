"""Whether every value that some schemas accept is accepted by another one: proven, or not said.

A proof goes kind by kind and keyword by keyword. It may assume, at a member or item, what it is about to
prove for the whole: values are finite. What it cannot prove within `STEPS` it does not claim. The bounds that
R-SCH-5 sets to one validation are left aside: a schema that would accept a value in more steps accepts it.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

from extpkg.diff.facts import (
    KINDS,
    NUMBERS,
    Facts,
    bounds,
    branches,
    finite,
    gather,
    is_void,
    items,
    members,
    prefix_length,
    size,
    under,
)
from extpkg.diff.implication import APPLIES, PROVERS
from extpkg.diff.sites import NEVER, Root, Site, Spent, is_same, keywords

if TYPE_CHECKING:
    from collections.abc import Sequence

    from extpkg.diff.sites import Key

STEPS: Final = 4_000
"""Steps of one proof."""

_DEPTH: Final = 50


def includes(small: Sequence[Any], big: Any) -> bool:
    """Say whether `big` provably accepts every value that all the schemas of `small` accept.

    The schemas are whole documents that `check_schema` has nothing against.
    """
    try:
        return Proof().holds(tuple(Root(each).site for each in small), Root(big).site)
    except Spent:
        return False


class Proof:
    """One proof: its steps, what is assumed on the way, and what has turned out."""

    def __init__(self) -> None:
        self._left = STEPS
        self._depth = 0
        self._open: dict[tuple[frozenset[Key], Key], int] = {}
        self._known: dict[tuple[frozenset[Key], Key], bool] = {}
        self._lowest = 0
        self._kept: list[Site] = []

    def holds(self, facts: Sequence[Site], goal: Site) -> bool:
        """Say whether a value that all of `facts` accept is proven to be accepted by `goal`.

        The value is the whole or a part of the one that was asked about before: a question that is still open
        may then be assumed to have a good end.
        """
        question = (frozenset([site.key for site in facts]), goal.key)
        if question in self._known:
            return self._known[question]
        if question in self._open:
            self._lowest = min(self._lowest, self._open[question])
            return True
        before, level = self._lowest, len(self._open)
        self._lowest = self._open[question] = level
        proven = self.of_all_kinds(facts, goal)
        del self._open[question]
        if not proven or self._lowest >= level:
            self._known[question] = proven
        self._lowest = min(before, self._lowest)
        return proven

    def of_all_kinds(self, sites: Sequence[Site], goal: Site) -> bool:
        """Say the same, assuming nothing about the question itself."""
        if not keywords(goal.schema) or any(is_same(site, goal) for site in sites):
            return True
        facts = gather(sites)
        return all(self.of_kind(facts, goal, kind) for kind in KINDS if kind in facts.kinds)

    def of_kind(self, facts: Facts, goal: Site, kind: str) -> bool:
        """Say the same of the values of one kind."""
        self._left -= 1
        if self._left < 0 or self._depth >= _DEPTH:
            return False
        self._depth += 1
        proven = kind not in facts.kinds or self._proves(facts, goal, kind)
        self._depth -= 1
        return proven

    def excludes(self, facts: Facts, other: Site, kind: str) -> bool:
        """Say whether provably no value of a kind is like `facts` and accepted by `other` too."""
        return self.of_kind(gather([*facts.sites, other], facts.split), NEVER, kind)

    def lacks(self, facts: Facts, name: str) -> bool:
        """Say whether an object like this provably has no member of that name."""
        if any(site.at(names).accepts(name) is False for site, names in under(facts, "propertyNames")):
            return True
        return self.holds(members(facts.sites, name), NEVER)

    def kept(self, site: Site) -> Site:
        """Keep a schema that was made up, so that its key stays its own."""
        self._kept.append(site)
        return site

    def _proves(self, facts: Facts, goal: Site, kind: str) -> bool:
        listed = finite(facts, kind)
        if listed is not None:
            self._left -= len(listed)
            return all(_accepted(facts, goal, value) for value in listed)
        if self._every_keyword(facts, goal, kind) or self._is_empty(facts, kind):
            return True
        fork = facts.fork()
        return fork is not None and all(self.of_kind(each, goal, kind) for each in branches(facts, fork))

    def _every_keyword(self, facts: Facts, goal: Site, kind: str) -> bool:
        schema = keywords(goal.schema)
        if any(is_same(site, goal) for site in facts.sites):
            return True
        wanted = [keyword for keyword in schema if kind in APPLIES.get(keyword, KINDS)]
        left = [keyword for keyword in wanted if not _is_repeated(facts, goal, keyword)]
        return all(prove(self, facts, goal, kind) for prove in dict.fromkeys(PROVERS[each] for each in left))

    def _is_empty(self, facts: Facts, kind: str) -> bool:
        """Say whether there is provably no value of a kind like this."""
        if kind in NUMBERS:
            low, high = bounds(facts, kind)
            return low is not None and high is not None and is_void(low, high)
        least, most = size(facts, kind)
        if (most is not None and least > most) or self._contradicts(facts, kind):
            return True
        if kind == "object":
            return any(self.lacks(facts, name) for name in facts.required)
        first = range(min(least, 1 + prefix_length(facts.sites)))
        return kind == "array" and any(self.holds(items(facts.sites, index), NEVER) for index in first)

    def _contradicts(self, facts: Facts, kind: str) -> bool:
        """Say whether what a `not` refuses is what all the rest amounts to."""
        for site, refused in under(facts, "not"):
            if (site.key, "not") not in facts.split:
                rest = replace(facts, split=facts.split | {(site.key, "not")})
                if self.of_kind(rest, site.at(refused), kind):
                    return True
        return False


def _accepted(facts: Facts, goal: Site, value: Any) -> bool:
    """Say whether one value is accepted, or is none of those that are asked about."""
    return goal.accepts(value) is True or any(site.accepts(value) is False for site in facts.sites)


_WITH: Final = {"if": ("if", "then", "else"), "contains": ("contains", "minContains", "maxContains")}
_WHOLE: Final = frozenset({"anyOf", "oneOf", "not", "if", "contains", "pattern", "enum", "const"})


def _is_repeated(facts: Facts, goal: Site, keyword: str) -> bool:
    """Say whether one of the facts has the same under a keyword that stands for itself."""
    if keyword not in _WHOLE:
        return False
    names = _WITH.get(keyword, (keyword,))
    wanted = goal.at({name: goal.schema[name] for name in names if name in goal.schema})
    for site, _ in under(facts, keyword):
        if is_same(site.at({name: site.schema[name] for name in names if name in site.schema}), wanted):
            return True
    return False
