"""What is known of a value that several schemas accept: its kinds, bounds, members and items.

Everything here errs on one side: what is said to hold does hold of every such value, and what cannot be told
is not said.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from decimal import Decimal
from fractions import Fraction
from math import ceil, floor
from typing import TYPE_CHECKING, Any, Final

from extpkg.json_schema import exact
from extpkg.json_schema.assertions import searcher

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from extpkg.diff.sites import Key, Site

NUMBERS: Final = frozenset({"integer", "fraction"})
KINDS: Final = ("null", "boolean", "integer", "fraction", "string", "array", "object")
"""The kinds of values, each value of exactly one: `fraction` is a number that is not whole."""

LISTED: Final = 64
"""Whole numbers between two bounds that are looked at one by one."""

_TYPES: Final = {"number": NUMBERS} | {kind: frozenset({kind}) for kind in KINDS if kind != "fraction"}
_FORKS: Final = ("anyOf", "oneOf", "if")

Bound = tuple[Fraction, bool]
"""A bound, and whether it excludes itself."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Facts:
    """Schema objects that all hold of a value, references and `allOf` followed.

    `split` are the forks (schema and keyword) of which one branch is among `sites`. `impossible` says that
    one of the schemas refuses everything.
    """

    sites: tuple[Site, ...]
    split: frozenset[tuple[Key, str]] = field(default=frozenset())
    impossible: bool = False

    @property
    def kinds(self) -> frozenset[str]:
        """The kinds that the value may be of, as far as `type`, `enum` and `const` say it."""
        found = frozenset() if self.impossible else frozenset(KINDS)
        for site in self.sites:
            found &= _kinds_of(site.schema)
        return found

    def every(self, keyword: str) -> list[Any]:
        """Return what stands under a keyword, in each schema that has it."""
        return [site.schema[keyword] for site in self.sites if keyword in site.schema]

    def least(self, keyword: str) -> int:
        """Return the largest of the lower bounds under a keyword, 0 where there is none."""
        return max(self.every(keyword), default=0)

    def most(self, keyword: str) -> int | None:
        """Return the smallest of the upper bounds under a keyword, None where there is none."""
        return min(self.every(keyword), default=None)

    @property
    def required(self) -> frozenset[str]:
        """The members that an object must have."""
        found = {name for names in self.every("required") for name in names}
        rows = [row for needs in self.every("dependentRequired") for row in needs.items()]
        size = -1
        while size != len(found):
            size = len(found)
            found.update(*(names for name, names in rows if name in found))
        return frozenset(found)

    def fork(self) -> tuple[Site, str] | None:
        """Return the first fork that is not split yet: a schema and one of `anyOf`, `oneOf`, `if`."""
        for site in self.sites:
            for keyword in _FORKS:
                if keyword in site.schema and (site.key, keyword) not in self.split:
                    return site, keyword
        return None


def gather(sites: Sequence[Site], split: frozenset[tuple[Key, str]] = frozenset()) -> Facts:
    """Return what several schemas say together."""
    found: dict[Key, Site] = {}
    pending = list(reversed(sites))
    while pending:
        site = pending.pop()
        if site.schema is True or site.key in found:
            continue
        if site.schema is False:
            return Facts(sites=(), split=split, impossible=True)
        found[site.key] = site
        if "$ref" in site.schema:
            pending.append(site.root.target(site.schema["$ref"]))
        pending.extend(site.at(each) for each in reversed(site.get("allOf", ())))
    return Facts(sites=tuple(found.values()), split=split)


def branches(facts: Facts, fork: tuple[Site, str]) -> Iterator[Facts]:
    """Yield the facts with each branch of a fork; every value is of one of them."""
    site, keyword = fork
    split = facts.split | {(site.key, keyword)}
    if keyword == "if":
        for side in (("if", "then"), ("else",)):
            applied = [site.at(site.schema[each]) for each in side if each in site.schema]
            yield gather([*facts.sites, *applied], split)
        return
    for branch in site.schema[keyword]:
        yield gather([*facts.sites, site.at(branch)], split)


def kind_of(value: Any) -> str:
    """Return the kind of a value."""
    if value is None:
        return "null"
    if isinstance(value, int | float) and not isinstance(value, bool):
        return "integer" if type(exact.number(value)) is int else "fraction"
    return {bool: "boolean", str: "string", list: "array", dict: "object"}[type(value)]


def _kinds_of(schema: dict[str, Any]) -> frozenset[str]:
    found = frozenset(KINDS)
    if "type" in schema:
        wanted = schema["type"] if type(schema["type"]) is list else [schema["type"]]
        found &= frozenset().union(*(_TYPES.get(each, frozenset()) for each in wanted))
    if "enum" in schema:
        found &= {kind_of(member) for member in schema["enum"]}
    if "const" in schema:
        found &= {kind_of(schema["const"])}
    return found


def finite(facts: Facts, kind: str) -> list[Any] | None:
    """Return values among which every value of a kind is, None where they are too many to list."""
    if kind in {"null", "boolean"}:
        return [None] if kind == "null" else [False, True]
    lists = [*facts.every("enum"), *([value] for value in facts.every("const"))]
    if lists:
        return [value for value in min(lists, key=len) if kind_of(value) == kind]
    if kind == "integer":
        return _whole_numbers(facts)
    limits = {"string": ("maxLength", ""), "array": ("maxItems", []), "object": ("maxProperties", {})}
    if kind in limits and facts.most(limits[kind][0]) == 0:
        return [limits[kind][1]]
    return None


def _whole_numbers(facts: Facts) -> list[Any] | None:
    low, high = bounds(facts, "integer")
    if low is None or high is None or high[0] - low[0] >= LISTED:
        return None
    return list(range(int(low[0]), int(high[0]) + 1))


def decimal(value: float) -> Fraction:
    """Return a number as the decimal that RFC 8785 writes for it (R-SCH-8)."""
    found = exact.number(value)
    return Fraction(found) if type(found) is int else Fraction(Decimal(repr(found)))


def bounds(facts: Facts, kind: str) -> tuple[Bound | None, Bound | None]:
    """Return the lower and the upper bound of a number of a kind; those of whole numbers are reached."""
    lows = [(decimal(each), False) for each in facts.every("minimum")]
    lows += [(decimal(each), True) for each in facts.every("exclusiveMinimum")]
    highs = [(decimal(each), False) for each in facts.every("maximum")]
    highs += [(decimal(each), True) for each in facts.every("exclusiveMaximum")]
    low = max(lows, default=None)
    high = min(highs, key=lambda bound: (bound[0], not bound[1]), default=None)
    if kind == "integer" and low is not None:
        low = (Fraction(floor(low[0]) + 1 if low[1] else ceil(low[0])), False)
    if kind == "integer" and high is not None:
        high = (Fraction(ceil(high[0]) - 1 if high[1] else floor(high[0])), False)
    return low, high


def patterns(sites: Sequence[Site]) -> list[str]:
    """Return the patterns of names of several schemas, each once, in their order."""
    found = [source for site in sites for source in _names(site).patterns]
    return list(dict.fromkeys(found))


def named(sites: Sequence[Site]) -> list[str]:
    """Return the names of members that several schemas mention, each once, in their order."""
    found: dict[str, None] = {}
    for site in sites:
        found.update(dict.fromkeys(_names(site).names))
        found.update(dict.fromkeys(site.get("required", ())))
        for name, names in site.get("dependentRequired", {}).items():
            found.update(dict.fromkeys([name, *names]))
        found.update(dict.fromkeys(site.get("dependentSchemas", {})))
    return list(found)


def members(sites: Sequence[Site], name: str) -> tuple[Site, ...]:
    """Return the schemas that judge the member of that name."""
    return _applied(sites, name, frozenset(_matching(patterns(sites), name)))


def unnamed(sites: Sequence[Site], matched: frozenset[str]) -> tuple[Site, ...]:
    """Return the schemas that judge a member that no schema mentions and exactly those patterns match."""
    return _applied(sites, None, matched)


def _matching(sources: Sequence[str], name: str) -> Iterator[str]:
    for source in sources:
        pattern = searcher(source)
        if pattern is not None and pattern.found_in(name):
            yield source


def _applied(sites: Sequence[Site], name: str | None, matched: frozenset[str]) -> tuple[Site, ...]:
    found: list[Site] = []
    for site in sites:
        schema = site.schema
        properties, patterned = schema.get("properties", {}), schema.get("patternProperties", {})
        own = [site.at(properties[name])] if name is not None and name in properties else []
        own += [site.at(patterned[source]) for source in patterned if source in matched]
        if not own and "additionalProperties" in schema:
            own = [site.at(schema["additionalProperties"])]
        found += own
        if "unevaluatedProperties" in schema:
            known = _names(site)
            if not (known.open or name in known.names or matched.intersection(known.patterns)):
                found.append(site.at(schema["unevaluatedProperties"]))
    return tuple(found)


@dataclass(frozen=True, slots=True, kw_only=True)
class Names:
    """The names of members that a schema mentions, in `$ref` and `allOf` too where that decides.

    `open` says that what else there is cannot be told to be unevaluated.
    """

    names: dict[str, None]
    patterns: tuple[str, ...]
    open: bool


def _names(site: Site) -> Names:
    known = site.root.names
    if site.key not in known:
        closes = "unevaluatedProperties" in site.schema
        reach = gather([site]).sites if closes else (site,)
        known[site.key] = Names(
            names=dict.fromkeys(name for each in reach for name in each.get("properties", ())),
            patterns=tuple(source for each in reach for source in each.get("patternProperties", ())),
            open=closes and not decides_unevaluated(site),
        )
    return known[site.key]


_DECIDING: Final = frozenset({"anyOf", "oneOf", "if", "dependentSchemas", "additionalProperties"})


def decides_unevaluated(site: Site) -> bool:
    """Say whether it is plain which members `unevaluatedProperties` of a schema judges: those not named."""
    reach = gather([site])
    return not reach.impossible and not any(
        not _DECIDING.isdisjoint(each.schema)
        or ("unevaluatedProperties" in each.schema and each.key != site.key)
        for each in reach.sites
    )


def items(sites: Sequence[Site], index: int | None) -> tuple[Site, ...]:
    """Return the schemas that judge the item at an index; those of all behind every prefix for None."""
    found: list[Site] = []
    for site in sites:
        prefix = site.get("prefixItems", ())
        if index is not None and index < len(prefix):
            found.append(site.at(prefix[index]))
        elif "items" in site.schema:
            found.append(site.at(site.schema["items"]))
    return tuple(found)


def prefix_length(sites: Sequence[Site]) -> int:
    """Return how many items have schemas of their own."""
    return max((len(site.get("prefixItems", ())) for site in sites), default=0)


def under(facts: Facts, keyword: str) -> Iterator[tuple[Site, Any]]:
    """Yield each schema that has a keyword, and what stands under it."""
    for site in facts.sites:
        if keyword in site.schema:
            yield site, site.schema[keyword]


def is_void(low: Bound, high: Bound) -> bool:
    """Say whether no number lies between two bounds."""
    return low[0] > high[0] or (low[0] == high[0] and (low[1] or high[1]))


def size(facts: Facts, kind: str) -> tuple[int, int | None]:
    """Return how long a string, array or object is at least and at most."""
    if kind == "string":
        return facts.least("minLength"), facts.most("maxLength")
    if kind == "array":
        return facts.least("minItems"), facts.most("maxItems")
    if kind != "object":
        return 0, None
    limits = facts.every("maxProperties")
    limits += [
        len(site.get("properties", ()))
        for site in facts.sites
        if site.get("additionalProperties") is False and not site.get("patternProperties")
    ]
    return max(facts.least("minProperties"), len(facts.required)), min(limits, default=None)
