"""Judging values: bounds counted exactly, numbers as decimals, no recursion (R-SCH-4, R-SCH-5, R-SCH-8)."""

from __future__ import annotations

import sys
import time
from typing import Any

import pytest

from extpkg.json_schema import compile_schema
from extpkg.limits import EVALUATION_DEPTH


def accepts(schema: Any, value: Any) -> bool:
    """Return the verdict, having seen that the violations agree with it."""
    compiled = compile_schema(schema)
    verdict = compiled.accepts(value)
    assert bool(compiled.violations(value)) is not verdict
    return verdict


def test_a_million_evaluations_pass_and_one_more_is_refused() -> None:
    # Each item costs ten; the root costs two for `items` and `allOf`, and one for each branch of that.
    bounds = ["Length", "Items", "Properties"]
    item = {
        "type": "integer",
        "multipleOf": 1,
        "minimum": 0,
        "maximum": 5,
        **{f"min{bound}": 0 for bound in bounds},
        **{f"max{bound}": 9 for bound in bounds},
    }
    value = [1] * 99_990
    schema: dict[str, Any] = {"items": item, "allOf": [True] * 98}
    assert compile_schema(schema).accepts(value)
    schema["allOf"].append(True)
    assert not compile_schema(schema).accepts(value)
    (violation,) = compile_schema(schema).violations(value)
    assert violation.keyword == ""
    assert violation.message == "is too costly to check: checking it takes more than 1,000,000 evaluations"


@pytest.mark.parametrize("keyword", ["allOf", "anyOf", "oneOf", "not", "if", "$ref", "dependentSchemas"])
def test_256_nested_applicators_pass_and_one_more_is_refused(keyword: str) -> None:
    def nested(count: int) -> dict[str, Any]:
        definitions: dict[str, Any] = {"d0": {"type": ["object", "null"]}}
        for index in range(1, count + 1):
            inner = {"$ref": f"#/$defs/d{index - 1}"}
            definitions[f"d{index}"] = {
                "$ref": inner,
                "not": {"not": {"not": inner}},
                "if": {"if": inner, "then": True},
                "dependentSchemas": {"dependentSchemas": {"a": inner}},
            }.get(keyword, {keyword: [inner]})
        if keyword == "$ref":
            definitions = {name: {"$ref": f"#/$defs/d{int(name[1:]) - 1}"} for name in definitions}
            definitions["d0"] = {"type": "object"}
        return {"$ref": f"#/$defs/d{count}", "$defs": definitions}

    hops = {"not": 3, "$ref": 1}.get(keyword, 2)
    most = (EVALUATION_DEPTH - 1) // hops
    assert accepts(nested(most), {"a": 1})
    schema = nested(most + 1)
    assert not accepts(schema, {"a": 1})
    (violation,) = compile_schema(schema).violations({"a": 1})
    assert (
        violation.message
        == "is too costly to check: more than 256 applicators and references are nested at one place"
    )


def test_nesting_starts_anew_at_each_place() -> None:
    definitions: dict[str, Any] = {f"d{n}": {"$ref": f"#/$defs/d{n + 1}"} for n in range(200)}
    definitions["d200"] = {"properties": {"c": {"$ref": "#/$defs/d0"}}, "type": "object"}
    value: Any = {}
    for _ in range(50):
        value = {"c": value}
    assert accepts({"$ref": "#/$defs/d0", "$defs": definitions}, value)


def test_deep_values_and_schemas_do_not_recurse() -> None:
    deep: Any = {}
    broken: Any = {"c": 1}
    listed: Any = []
    for _ in range(5_000):
        deep, broken, listed = {"c": deep}, {"c": broken}, [listed]
    tree = {"properties": {"c": {"anyOf": [{"type": "null"}, {"$ref": "#"}]}}, "type": "object"}
    nested: Any = {"type": "object"}
    for _ in range(5_000):
        nested = {"properties": {"c": nested}}
    limit = sys.getrecursionlimit()
    assert accepts(tree, deep)
    assert not accepts(tree, broken)
    assert accepts(nested, deep)
    assert not accepts({"enum": [listed]}, [listed])
    assert accepts({"enum": [listed]}, listed)
    assert not accepts({"uniqueItems": True}, [listed, listed])
    assert accepts({"unevaluatedProperties": {"$ref": "#"}}, deep)
    assert accepts({"contains": {"$ref": "#"}, "minContains": 0}, listed)
    assert sys.getrecursionlimit() == limit


FAN = [{"$ref": "#/$defs/next"}] * 4


@pytest.mark.parametrize(
    ("schema", "value"),
    [
        pytest.param(
            {"items": {"oneOf": [{"$ref": "#"}, {"not": {"$ref": "#"}}] * 4}}, [[[[[[[[[1]]]]]]]]], id="one"
        ),
        pytest.param(
            {"items": {"allOf": [{"contains": {"$ref": "#"}}] * 9}}, [[[[[[[[1]]]]]]]], id="contains"
        ),
        pytest.param({"uniqueItems": True}, [{"a": n, "b": [n]} for n in range(300_000)], id="unique"),
        pytest.param(
            {"items": {"enum": [[n] for n in range(1000)]}}, [[n] for n in range(600_000)], id="enum"
        ),
        pytest.param(
            {"patternProperties": {f"^{n}$": {} for n in range(2_000)}},
            dict.fromkeys(map(str, range(2_000))),
            id="names",
        ),
        pytest.param(
            {"items": {"required": [f"n{n}" for n in range(5_000)]}},
            [{f"n{n}": 1 for n in range(5_000)}] * 20_000,
            id="required",
        ),
        pytest.param({"allOf": [{"pattern": "(?:a|b){500}c"}] * 2_000}, "ab" * 20_000, id="pattern"),
    ],
)
def test_no_work_is_without_bound(schema: Any, value: Any) -> None:
    compiled = compile_schema(schema)
    started = time.process_time()
    compiled.accepts(value)
    assert time.process_time() - started < 15


@pytest.mark.parametrize(
    ("schema", "value", "verdict"),
    [
        ({"multipleOf": 0.01}, 4.02, True),
        ({"multipleOf": 0.01}, 0.07, True),
        ({"multipleOf": 0.01}, 0.075, False),
        ({"multipleOf": 5e-324}, 1e308, True),
        ({"multipleOf": 1e308}, 5e-324, False),
        ({"multipleOf": 0.1}, 3, True),
        ({"multipleOf": 1.5}, 3, True),
        ({"multipleOf": 2}, -4.0, True),
        ({"multipleOf": 2}, 1e22, True),
        ({"multipleOf": 3}, 10**400, False),
        ({"multipleOf": 1}, float("inf"), False),
        ({"multipleOf": 1}, float("nan"), False),
        ({"type": "integer"}, 1.0, True),
        ({"type": "integer"}, 1.5, False),
        ({"type": "integer"}, True, False),
        ({"type": ["integer", "null"]}, 2.0, True),
        ({"type": ["integer", "null"]}, 2.5, False),
        ({"type": ["integer", "number"]}, 2.5, True),
        ({"type": "number"}, False, False),
        ({"const": 1}, True, False),
        ({"const": True}, 1, False),
        ({"const": 1}, 1.0, True),
        ({"const": 1.0}, 1, True),
        ({"const": -0.0}, 0, True),
        ({"const": 10**23}, 1e23, True),
        ({"const": 99999999999999991611392}, 1e23, False),
        ({"const": [1, {"a": True}]}, [1.0, {"a": True}], True),
        ({"const": [1, {"a": True}]}, [1.0, {"a": 1}], False),
        ({"const": {"a": 1, "b": 2}}, {"b": 2, "a": 1}, True),
        ({"const": ["1"]}, [1], False),
        ({"const": [None]}, ["None,"], False),
        ({"const": ["a", "b"]}, ['a","b'], False),
        ({"const": [0.5]}, [0.5], True),
        ({"enum": [[], 1]}, [], True),
        ({"enum": [[], 1]}, 1.0, True),
        ({"enum": [[], 1]}, True, False),
        ({"enum": [False]}, 0, False),
        ({"enum": ["a", 1]}, [], False),
        ({"uniqueItems": True}, [1, True], True),
        ({"uniqueItems": True}, [1, 1.0], False),
        ({"uniqueItems": True}, [[0], [False]], True),
        ({"uniqueItems": True}, [{"a": 1, "b": 2}, {"b": 2, "a": 1.0}], False),
        ({"uniqueItems": True}, ["a", ["a"]], True),
        ({"uniqueItems": False}, [1, 1], True),
        ({"minimum": 1e23}, 10**23, True),
        ({"minimum": 1e23}, 10**23 - 1, False),
        ({"maximum": 0.1}, 0.1, True),
        ({"exclusiveMaximum": 10**400}, 1e308, True),
        ({"exclusiveMinimum": 1}, 1.0, False),
        ({"maximum": 3}, True, True),
        ({"maxLength": 1}, "😀", True),
        ({"maxLength": 1}, "e\u0301", False),
        ({"format": "uri", "contentEncoding": "base64", "contentSchema": False, "default": 1}, "::", True),
        ({"pattern": "^a$"}, "a\n", False),
        ({"pattern": "^.$"}, "\ud800", True),
        ({"minContains": 2}, [], True),
        ({"contains": {"type": "integer"}, "minContains": 2}, [1, "a", 2.0], True),
        ({"contains": {"type": "integer"}, "minContains": 0}, [], True),
        ({"contains": {"items": {"type": "integer"}}, "maxContains": 1}, [[1], ["a"]], True),
        ({"then": False, "else": False}, 1, True),
    ],
)
def test_verdict(schema: Any, value: Any, verdict: bool) -> None:
    assert accepts(schema, value) is verdict


UNEVALUATED_ITEMS = {"unevaluatedItems": False}


@pytest.mark.parametrize(
    ("schema", "value", "verdict"),
    [
        ({"anyOf": [{"properties": {"a": True}}, {"properties": {"b": True}}]}, {"a": 1, "b": 1}, True),
        ({"anyOf": [{"properties": {"a": True}}, {"required": ["z"]}]}, {"a": 1}, True),
        (
            {"oneOf": [{"properties": {"a": {"const": 1}}, "required": ["a"]}, {"required": ["b"]}]},
            {"a": 1},
            True,
        ),
        (
            {"oneOf": [{"properties": {"a": {"const": 1}}, "required": ["a"]}, {"required": ["b"]}]},
            {"b": 1},
            False,
        ),
        ({"not": {"properties": {"a": False}}}, {"a": 1}, False),
        (
            {"if": {"properties": {"a": {"const": 1}}}, "then": {"properties": {"b": True}}},
            {"a": 1, "b": 1},
            True,
        ),
        ({"if": {"properties": {"a": {"const": 1}}}, "else": {"properties": {"a": True}}}, {"a": 2}, True),
        ({"dependentSchemas": {"a": {"properties": {"a": True, "b": True}}}}, {"a": 1, "b": 1}, True),
        ({"$ref": "#/$defs/x", "$defs": {"x": {"properties": {"a": True}}}}, {"a": 1}, True),
        ({"patternProperties": {"^a": True}}, {"ab": 1}, True),
        ({"patternProperties": {"^a": True}}, {"b": 1}, False),
        ({"allOf": [{"additionalProperties": True}]}, {"b": 1}, True),
        ({"allOf": [{"unevaluatedProperties": True}]}, {"b": 1}, True),
        ({"allOf": [{"unevaluatedProperties": {"type": "string"}}]}, {"b": 1}, False),
        ({"properties": {"a": {"properties": {"b": True}}}}, {"a": {"c": 1}}, True),
    ],
)
def test_unevaluated_properties(schema: Any, value: Any, verdict: bool) -> None:
    assert accepts({**schema, "unevaluatedProperties": False}, value) is verdict


@pytest.mark.parametrize(
    ("schema", "value", "verdict"),
    [
        ({"prefixItems": [True]}, [1], True),
        ({"prefixItems": [True]}, [1, 2], False),
        ({"items": True}, [1, 2], True),
        ({"contains": {"type": "string"}}, ["a"], True),
        ({"contains": {"type": "string"}}, ["a", 1], False),
        ({"contains": {"type": "string"}, "prefixItems": [True]}, [1, "a"], True),
        ({"allOf": [{"contains": {"items": True, "type": "array"}}]}, [[1], []], True),
        ({"anyOf": [{"prefixItems": [True, {"const": 1}]}, {"prefixItems": [True]}]}, [0, 1], True),
        ({"allOf": [{"unevaluatedItems": True}]}, [1], True),
    ],
)
def test_unevaluated_items(schema: Any, value: Any, verdict: bool) -> None:
    assert accepts({**schema, "unevaluatedItems": False}, value) is verdict


@pytest.mark.parametrize(
    "reference", ["#/$defs/zz", "#zz", "http://example.com/", "#/$defs/%zz", "#/~2", "#/%ff"]
)
def test_a_reference_that_leads_nowhere_accepts_nothing(reference: str) -> None:
    assert not accepts({"$ref": reference}, 1)


@pytest.mark.parametrize("schema", [{"pattern": "("}, {"allOf": [{"pattern": "\\p{L}"}]}, {"type": "text"}])
def test_what_is_no_schema_fails_closed(schema: Any) -> None:
    assert not accepts(schema, "a")


def test_a_schema_may_be_used_again() -> None:
    compiled = compile_schema({"type": "object", "properties": {"a": {"$ref": "#"}}})
    values: list[Any] = [{}, {"a": {}}, {"a": 1}, {"a": {"a": {}}}]
    assert [compiled.accepts(value) for value in values] == [True, True, False, True]
