"""Keyword by keyword: whether what is known of a value implies what a schema asks of it."""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING, Any, Final

from extpkg.diff.facts import (
    NUMBERS,
    Facts,
    bounds,
    decides_unevaluated,
    decimal,
    gather,
    items,
    members,
    named,
    patterns,
    prefix_length,
    size,
    under,
    unnamed,
)
from extpkg.diff.sites import NEVER, Site, is_same
from extpkg.json_schema import exact

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from extpkg.diff.inclusion import Proof

    Prover = Callable[[Proof, Facts, Site, str], bool]

_PATTERNS: Final = 5
"""Patterns of names whose combinations are looked at."""


def _cannot_tell(_proof: Proof, _facts: Facts, _goal: Site, _kind: str) -> bool:
    return False


def _says_nothing(_proof: Proof, _facts: Facts, _goal: Site, _kind: str) -> bool:
    return True


def _type(_proof: Proof, _facts: Facts, goal: Site, kind: str) -> bool:
    return kind in gather([goal.at({"type": goal.schema["type"]})]).kinds


def _lower(_proof: Proof, facts: Facts, goal: Site, kind: str) -> bool:
    low, _ = bounds(facts, kind)
    return low is not None and all(
        low[0] > bound or (low[0] == bound and (low[1] or not excluded))
        for bound, excluded in _limits(goal, "minimum", "exclusiveMinimum")
    )


def _upper(_proof: Proof, facts: Facts, goal: Site, kind: str) -> bool:
    _, high = bounds(facts, kind)
    return high is not None and all(
        high[0] < bound or (high[0] == bound and (high[1] or not excluded))
        for bound, excluded in _limits(goal, "maximum", "exclusiveMaximum")
    )


def _limits(goal: Site, reached: str, excluded: str) -> Iterator[tuple[Any, bool]]:
    if reached in goal.schema:
        yield decimal(goal.schema[reached]), False
    if excluded in goal.schema:
        yield decimal(goal.schema[excluded]), True


def _multiple(_proof: Proof, facts: Facts, goal: Site, kind: str) -> bool:
    divisors = facts.every("multipleOf") + ([1] if kind == "integer" else [])
    return any(exact.is_multiple(divisor, goal.schema["multipleOf"]) for divisor in divisors)


def _long_enough(_proof: Proof, facts: Facts, goal: Site, kind: str) -> bool:
    wanted = [
        goal.schema[each] for each in ("minLength", "minItems", "minProperties") if _sizes(each, goal, kind)
    ]
    return all(size(facts, kind)[0] >= each for each in wanted)


def _short_enough(_proof: Proof, facts: Facts, goal: Site, kind: str) -> bool:
    wanted = [
        goal.schema[each] for each in ("maxLength", "maxItems", "maxProperties") if _sizes(each, goal, kind)
    ]
    most = size(facts, kind)[1]
    return most is not None and all(most <= each for each in wanted)


def _sizes(keyword: str, goal: Site, kind: str) -> bool:
    return keyword in goal.schema and kind in APPLIES[keyword]


def _unique(_proof: Proof, facts: Facts, goal: Site, kind: str) -> bool:
    most = size(facts, kind)[1]
    few = most is not None and most <= 1
    return few or not goal.schema["uniqueItems"] or True in facts.every("uniqueItems")


def _required(_proof: Proof, facts: Facts, goal: Site, _kind: str) -> bool:
    return facts.required.issuperset(goal.schema["required"])


def _with(proof: Proof, facts: Facts, goal: Site, name: str) -> Facts:
    """Return the facts about an object that has a member of that name."""
    return gather([*facts.sites, proof.kept(goal.at({"required": [name]}))], facts.split)


def _dependent_required(proof: Proof, facts: Facts, goal: Site, _kind: str) -> bool:
    return all(
        _with(proof, facts, goal, name).required.issuperset(names) or proof.lacks(facts, name)
        for name, names in goal.schema["dependentRequired"].items()
    )


def _dependent(proof: Proof, facts: Facts, goal: Site, kind: str) -> bool:
    for name, wanted in goal.schema["dependentSchemas"].items():
        known = [site.at(rows[name]) for site, rows in under(facts, "dependentSchemas") if name in rows]
        there = gather([*_with(proof, facts, goal, name).sites, *known], facts.split)
        if not proof.of_kind(there, goal.at(wanted), kind) and not proof.lacks(facts, name):
            return False
    return True


def _members(proof: Proof, facts: Facts, goal: Site, _kind: str) -> bool:
    """Prove what a schema says of members: of those that are mentioned, then of others by their patterns."""
    if "unevaluatedProperties" in goal.schema and not decides_unevaluated(goal):
        return False
    both = (*facts.sites, goal)
    for name in named(both):
        wanted = members((goal,), name)
        if not _each(proof, members(facts.sites, name), wanted) and not proof.lacks(facts, name):
            return False
    sources = patterns(both)
    return len(sources) <= _PATTERNS and all(
        _each(proof, unnamed(facts.sites, frozenset(matched)), unnamed((goal,), frozenset(matched)))
        for count in range(len(sources) + 1)
        for matched in combinations(sources, count)
    )


def _each(proof: Proof, known: tuple[Site, ...], wanted: tuple[Site, ...]) -> bool:
    return all(proof.holds(known, each) for each in wanted)


def _names(proof: Proof, facts: Facts, goal: Site, _kind: str) -> bool:
    """Prove what a schema asks of names: by what is asked already, or name by name where no other is left."""
    wanted = goal.at(goal.schema["propertyNames"])
    text = proof.kept(goal.at({"type": "string"}))
    if proof.holds((text, *(site.at(names) for site, names in under(facts, "propertyNames"))), wanted):
        return True
    is_closed = any(
        not patterns((site,)) and proof.holds(unnamed((site,), frozenset()), NEVER) for site in facts.sites
    )
    return is_closed and all(
        wanted.accepts(name) is True or proof.lacks(facts, name) for name in named(facts.sites)
    )


def _items(proof: Proof, facts: Facts, goal: Site, kind: str) -> bool:
    most = size(facts, kind)[1]
    length = prefix_length((*facts.sites, goal))
    for index in range(length if most is None else min(length, most)):
        if not _each(proof, items(facts.sites, index), items((goal,), index)):
            return False
    if most is not None and most <= length:
        return True
    return _each(proof, items(facts.sites, None), items((goal,), None))


def _contains(proof: Proof, facts: Facts, goal: Site, kind: str) -> bool:
    wanted = goal.at(goal.schema["contains"])
    least, most = goal.get("minContains", 1), goal.get("maxContains")
    known = [(site, site.at(child)) for site, child in under(facts, "contains")]
    enough = least == 0 or any(
        site.get("minContains", 1) >= least and proof.holds((child,), wanted) for site, child in known
    )
    if most is None or not enough:
        return enough
    length = size(facts, kind)[1]
    return (length is not None and length <= most) or any(
        site.get("maxContains", most + 1) <= most and proof.holds((wanted,), child) for site, child in known
    )


def _reference(proof: Proof, facts: Facts, goal: Site, kind: str) -> bool:
    return proof.of_kind(facts, goal.root.target(goal.schema["$ref"]), kind)


def _all_of(proof: Proof, facts: Facts, goal: Site, kind: str) -> bool:
    return all(proof.of_kind(facts, goal.at(each), kind) for each in goal.schema["allOf"])


def _any_of(proof: Proof, facts: Facts, goal: Site, kind: str) -> bool:
    return any(proof.of_kind(facts, goal.at(each), kind) for each in goal.schema["anyOf"])


def _one_of(proof: Proof, facts: Facts, goal: Site, kind: str) -> bool:
    listed = [goal.at(each) for each in goal.schema["oneOf"]]
    return any(
        proof.of_kind(facts, one, kind)
        and all(proof.excludes(facts, other, kind) for at, other in enumerate(listed) if at != index)
        for index, one in enumerate(listed)
    )


def _not(proof: Proof, facts: Facts, goal: Site, kind: str) -> bool:
    refused = goal.at(goal.schema["not"])
    return any(
        proof.of_all_kinds((refused,), site.at(child)) for site, child in under(facts, "not")
    ) or proof.excludes(facts, refused, kind)


def _if(proof: Proof, facts: Facts, goal: Site, kind: str) -> bool:
    condition = goal.at(goal.schema["if"])
    then, otherwise = (goal.at(goal.get(each, True)) for each in ("then", "else"))
    if not proof.of_kind(gather([*facts.sites, condition], facts.split), then, kind):
        return False
    if proof.of_kind(facts, otherwise, kind) or proof.of_kind(facts, condition, kind):
        return True
    return any(
        is_same(site.at(child), condition)
        and proof.of_kind(
            gather([*facts.sites, site.at(site.get("else", True))], facts.split), otherwise, kind
        )
        for site, child in under(facts, "if")
    )


_OBJECT: Final = frozenset({"object"})
_ARRAY: Final = frozenset({"array"})
_STRING: Final = frozenset({"string"})

APPLIES: Final[dict[str, frozenset[str]]] = {
    **dict.fromkeys(("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"), NUMBERS),
    **dict.fromkeys(("minLength", "maxLength", "pattern"), _STRING),
    **dict.fromkeys(("minItems", "maxItems", "uniqueItems", "items", "prefixItems", "contains"), _ARRAY),
    **dict.fromkeys(("minContains", "maxContains", "unevaluatedItems"), _ARRAY),
    **dict.fromkeys(("minProperties", "maxProperties", "required", "dependentRequired"), _OBJECT),
    **dict.fromkeys(("properties", "patternProperties", "additionalProperties"), _OBJECT),
    **dict.fromkeys(("unevaluatedProperties", "propertyNames", "dependentSchemas"), _OBJECT),
}
"""The kinds of values that a keyword judges; all of them where it is not here."""

PROVERS: Final[dict[str, Prover]] = {
    "false": _cannot_tell,
    "type": _type,
    **dict.fromkeys(("enum", "const", "pattern", "unevaluatedItems"), _cannot_tell),
    **dict.fromkeys(("minimum", "exclusiveMinimum"), _lower),
    **dict.fromkeys(("maximum", "exclusiveMaximum"), _upper),
    "multipleOf": _multiple,
    **dict.fromkeys(("minLength", "minItems", "minProperties"), _long_enough),
    **dict.fromkeys(("maxLength", "maxItems", "maxProperties"), _short_enough),
    "uniqueItems": _unique,
    "required": _required,
    "dependentRequired": _dependent_required,
    "dependentSchemas": _dependent,
    **dict.fromkeys(
        ("properties", "patternProperties", "additionalProperties", "unevaluatedProperties"), _members
    ),
    "propertyNames": _names,
    **dict.fromkeys(("items", "prefixItems"), _items),
    "contains": _contains,
    "$ref": _reference,
    "allOf": _all_of,
    "anyOf": _any_of,
    "oneOf": _one_of,
    "not": _not,
    "if": _if,
    **dict.fromkeys(("then", "else", "minContains", "maxContains"), _says_nothing),
}
"""What proves a keyword; those that only go with another one say nothing by themselves."""
