"""Comparison is sound: what is called compatible has no counterexample, and what is shown holds."""

from __future__ import annotations

import copy
from typing import Any

from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st
from package_strategies import Files, packages
from schema_strategies import VALUES
from schema_strategies import schemas as any_schemas

from extpkg.definition.build import build
from extpkg.definition.projection import project
from extpkg.diff import Impact, Kind, bump_due, compare
from extpkg.diff.blame import judge
from extpkg.diff.differences import differences
from extpkg.diff.edits import Edit, edited
from extpkg.diff.inclusion import includes
from extpkg.diff.samples import NONE, samples
from extpkg.diff.sites import Root
from extpkg.diff.texts import matching
from extpkg.json_schema import check_schema, compile_schema
from extpkg.json_schema.pattern_syntax import PatternRefused
from extpkg.json_schema.patterns import compile_pattern
from extpkg.pointer import Pointer

Pair = tuple[Any, Any]
LAW = settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])
MANY = st.lists(VALUES, min_size=10, max_size=25)


def schemas() -> st.SearchStrategy[Any]:
    """Schemas that may be evaluated: a reference that leads back to itself is refused before (EXT0509)."""
    return any_schemas().filter(is_evaluated)


def is_evaluated(schema: Any) -> bool:
    return "EXT0509" not in {fault.code for fault in check_schema(schema)}


@st.composite
def pairs(draw: st.DrawFn) -> Pair:
    """Two schemas, mostly one and what became of it: some keywords gone, some taken from another one."""
    one, other = draw(schemas()), draw(schemas())
    if draw(st.integers(0, 4)) == 0:
        return one, other
    changed = copy.deepcopy(one)
    names = st.sampled_from(sorted({*one, *other} - {"$defs"}))
    for name in draw(st.lists(names, min_size=1, max_size=3, unique=True)):
        if name in changed and draw(st.booleans()):
            del changed[name]
        elif name in other:
            changed[name] = other[name]
    assume(is_evaluated(changed))
    return (one, changed) if draw(st.booleans()) else (changed, one)


def edits(old: Any, new: Any) -> list[Edit]:
    return [
        Edit(tokens=Pointer(row.place).tokens, kind=row.kind, value=row.new) for row in differences(old, new)
    ]


@LAW
@given(pairs(), MANY)
def test_inclusion_has_no_counterexample(pair: Pair, values: list[Any]) -> None:
    small, big = pair
    if includes([small], big):
        narrow, wide = compile_schema(small), compile_schema(big)
        assert [value for value in values if narrow.accepts(value) and not wide.accepts(value)] == []


@LAW
@given(pairs(), schemas(), MANY)
def test_inclusion_in_the_intersection_has_no_counterexample(
    pair: Pair, third: Any, values: list[Any]
) -> None:
    if includes([pair[0], third], pair[1]):
        one, other, wide = map(compile_schema, (pair[0], third, pair[1]))
        both = [value for value in values if one.accepts(value) and other.accepts(value)]
        assert [value for value in both if not wide.accepts(value)] == []


@LAW
@given(pairs(), MANY)
def test_a_judgement_holds(pair: Pair, values: list[Any]) -> None:
    old, new = map(compile_schema, pair)
    judged = judge(*pair, edits(*pair))
    assert len(judged) == len(differences(*pair))
    shown = [each.value for each in judged if each.value is not NONE]
    assert all(old.accepts(value) and not new.accepts(value) for value in shown)
    assert all(each.narrows for each in judged if each.value is not NONE)
    if not any(each.narrows for each in judged):
        assert [value for value in values if old.accepts(value) and not new.accepts(value)] == []


@LAW
@given(schemas())
def test_a_schema_includes_itself(schema: Any) -> None:
    assert includes([schema], copy.deepcopy(schema))
    assert judge(schema, copy.deepcopy(schema), []) == []


@LAW
@given(schemas())
def test_samples_are_accepted(schema: Any) -> None:
    judged = compile_schema(schema)
    for _, value in zip(range(20), samples((Root(schema).site,)), strict=False):
        assert judged.accepts(value)


@LAW
@given(pairs())
def test_all_edits_together_are_the_other_schema(pair: Pair) -> None:
    old, new = copy.deepcopy(pair)
    assert differences(edited(old, edits(old, new)), new) == ()
    assert (old, new) == pair


@settings(max_examples=300, deadline=None)
@given(st.from_regex(r"\A(\^|)(a|[b-d]|\[x-z\]|\\d|\(a\|b\)|\.|\\S|\*|\+|\?|\{2,3\}|\{2\}|\|){1,8}(\$|)\Z"))
def test_texts_match_their_pattern(source: str) -> None:
    try:
        pattern = compile_pattern(source)
    except PatternRefused:
        assert matching(source) == ()
        return
    found = matching(source, (0, 1, 4))
    assert found or source != source.strip("^$")
    assert all(pattern.found_in(text) for text in found)


@settings(max_examples=40, deadline=None)
@given(packages(), packages())
def test_rows_are_the_differences(first: Files, second: Files) -> None:
    old, new = build(*first), build(*second)
    rows = compare(old, new)
    found = differences(project(old), project(new))
    assert [(row.pointer, row.kind, row.action) for row in rows] == [
        (each.pointer, each.kind, each.action) for each in found
    ]
    assert compare(old, old) == ()
    assert bump_due(old, old) == old.version
    assert (bump_due(old, new) == old.version) == (not [row for row in rows if row.pointer != "/version"])
    for row in rows:
        assert row.possible == (row.impact is Impact.BREAKING and row.witness is None)
        assert row.kind is not Kind.ADDED or row.old is None
