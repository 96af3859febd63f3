"""Laws of the engine: it agrees with python-jsonschema, and its parts agree with each other."""

from __future__ import annotations

import copy
from typing import Any

import jsonschema
import mutants
import pytest
import referencing
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from schema_strategies import VALUES, schemas

from extpkg import resources
from extpkg.definition.normalize import normalize_schema
from extpkg.json_schema import check_schema, compile_schema
from extpkg.json_schema.shipped import structure_violations
from extpkg.pointer import Pointer


def has_cycle(schema: Any) -> bool:
    return any(fault.code == "EXT0509" for fault in check_schema(schema))


@settings(max_examples=150, suppress_health_check=list(HealthCheck))
@given(schemas(), st.lists(VALUES, min_size=1, max_size=3))
def test_verdicts_agree_with_python_jsonschema(schema: dict[str, Any], values: list[Any]) -> None:
    if has_cycle(schema):
        return
    ours = compile_schema(schema)
    theirs = jsonschema.Draft202012Validator(schema, registry=referencing.Registry())
    for value in values:
        assert ours.accepts(value) is theirs.is_valid(value)


@settings(max_examples=150, suppress_health_check=list(HealthCheck))
@given(schemas(), VALUES)
def test_violations_agree_with_the_verdict_and_lie_in_the_value(schema: dict[str, Any], value: Any) -> None:
    """Cycles included: they end at the bound of nesting."""
    before = copy.deepcopy((schema, value))
    compiled = compile_schema(schema)
    violations = compiled.violations(value)
    assert bool(violations) is not compiled.accepts(value)
    for violation in violations:
        Pointer(violation.pointer).resolve(value)
        assert violation.message
        assert "\n" not in violation.message
    assert violations == compile_schema(schema).violations(value)
    assert (schema, value) == before


@settings(max_examples=100, suppress_health_check=list(HealthCheck))
@given(schemas(), VALUES)
def test_the_one_form_of_a_schema_means_the_same(schema: dict[str, Any], value: Any) -> None:
    assert compile_schema(normalize_schema(schema)).accepts(value) is compile_schema(schema).accepts(value)


SHIPPED = [
    pytest.param("meta", mutants.package().meta, id="meta"),
    *[pytest.param("action", value, id=path) for path, value in mutants.package().actions.items()],
    *[
        pytest.param("action", value, id="arxiv-" + path)
        for path, value in mutants.package("arxiv").actions.items()
    ],
]
ODD = st.sampled_from([None, True, 0, 1.5, "", "x", "a b", [], ["x"], ["x", "x"], {}, {"x": 1}]).map(
    copy.deepcopy  # a value that was drawn twice must not end up inside itself
)


@pytest.mark.parametrize(("name", "value"), SHIPPED)
@given(data=st.data())
@settings(max_examples=40)
def test_both_engines_agree_on_mutated_documents(name: str, value: Any, data: st.DataObject) -> None:
    schema = resources.schema(name)
    mutated = copy.deepcopy(value)
    for _ in range(data.draw(st.integers(0, 3))):
        mutated = _mutated(mutated, data)
    rows = list(structure_violations(schema, mutated))
    assert compile_schema(schema).accepts(mutated) is not bool(rows)
    assert rows == list(structure_violations(schema, mutated))


def _mutated(value: Any, data: st.DataObject) -> Any:
    """Replace, add or remove one member somewhere in `value`."""
    places = [holder for holder in _holders(value) if holder]
    if not places:
        return data.draw(ODD)
    holder = data.draw(st.sampled_from(places))
    keys = list(holder) if isinstance(holder, dict) else list(range(len(holder)))
    key = data.draw(st.sampled_from(keys))
    change = data.draw(st.sampled_from(["replace", "remove", "add"]))
    if change == "replace":
        holder[key] = data.draw(ODD)
    elif change == "remove":
        del holder[key]
    elif isinstance(holder, dict):
        holder[data.draw(st.sampled_from(["extra", "name", "x"]))] = data.draw(ODD)
    else:
        holder.append(data.draw(ODD))
    return value


def _holders(value: Any) -> list[Any]:
    found = []
    pending = [value]
    while pending:
        here = pending.pop()
        if isinstance(here, dict | list):
            found.append(here)
            pending.extend(here.values() if isinstance(here, dict) else here)
    return found


def test_structure_violations_come_in_the_order_of_the_text() -> None:
    schema = {"properties": {"a": {"type": "string"}, "b": {"items": {"type": "null"}}}, "required": ["c"]}
    rows = list(structure_violations(schema, {"b": [None, 1], "a": 2}))
    assert [(row.pointer, row.keyword, row.params, row.schema_pointer) for row in rows] == [
        ("", "required", ["c"], "/required"),
        ("/b/1", "type", "null", "/properties/b/items/type"),
        ("/a", "type", "string", "/properties/a/type"),
    ]
