"""Nothing that the input schema accepts is dropped (R-BIND-9), as a table."""

from __future__ import annotations

from typing import Any

import pytest
from actions import action, body, faults, query, schema

STRING = {"type": "string"}
LEAF = {"type": "object", "additionalProperties": False, "properties": {"b": STRING, "c": STRING}}
TREE = {"$defs": {"node": {**LEAF, "properties": {"b": STRING, "kids": {"items": {"$ref": "#/$defs/node"}}}}}}
HOLLOW = {"type": "object", "additionalProperties": False, "properties": {"next": {"$ref": "#/$defs/hollow"}}}
UNTYPED = {"properties": {"b": STRING}, "additionalProperties": False}
OPEN = {**schema({"a": STRING}), "additionalProperties": True}
AT = "/catalog/input_schema"


def a(**changes: Any) -> dict[str, Any]:
    return schema({"a": {**LEAF, **changes}})


@pytest.mark.parametrize(
    ("input_schema", "sources", "expected"),
    [
        (schema({}), [], []),
        (schema({"a": STRING}), ["/a"], []),
        (schema({"a": STRING}), [""], []),
        (schema({"a": STRING, "b": STRING}), ["/a"], ["/properties/b"]),
        (schema({"a": LEAF}), ["/a"], []),
        (schema({"a": LEAF}), ["/a/b", "/a/c"], []),
        (schema({"a": LEAF}), ["/a/b"], ["/properties/a/properties/c"]),
        (schema({"a": LEAF}), [], ["/properties/a"]),
        # an object that is bound by its members is an object, closed, and has no patterns
        (a(type=["object", "null"]), ["/a/b", "/a/c"], ["/properties/a"]),
        (a(additionalProperties=True), ["/a/b", "/a/c"], ["/properties/a"]),
        (a(additionalProperties=STRING), ["/a/b", "/a/c"], ["/properties/a"]),
        (a(patternProperties={"^x": STRING}), ["/a/b", "/a/c"], ["/properties/a/patternProperties"]),
        (a(patternProperties={}), ["/a/b", "/a/c"], []),
        (a(patternProperties={"^x": STRING}, type="array"), ["/a"], []),
        (a(type=["object", "string"]), ["/a/b", "/a/c"], ["/properties/a"]),
        (schema({"a": UNTYPED}), ["/a/b"], ["/properties/a"]),
        (schema({"a": {"type": "object", "properties": {"b": STRING}}}), ["/a/b"], ["/properties/a"]),
        (schema({"a": STRING}, patternProperties={"^x": STRING}), ["/a"], ["/patternProperties"]),
        # closed by unevaluatedProperties, unless something lets others in all the same
        (
            schema({"a": {"type": "object", "properties": {"b": STRING}, "unevaluatedProperties": False}}),
            ["/a/b"],
            [],
        ),
        ({**OPEN, "unevaluatedProperties": False}, ["/a"], [""]),
        (
            {
                "type": "object",
                "unevaluatedProperties": False,
                "properties": {"a": STRING},
                "anyOf": [{"additionalProperties": {"type": "string"}}, {}],
            },
            ["/a"],
            [""],
        ),
        (
            {
                "type": "object",
                "unevaluatedProperties": False,
                "properties": {"a": STRING},
                "allOf": [{"unevaluatedProperties": {}}],
            },
            ["/a"],
            [""],
        ),
        (
            {
                "type": "object",
                "unevaluatedProperties": False,
                "allOf": [{"properties": {"a": STRING}, "additionalProperties": False}],
            },
            ["/a"],
            [],
        ),
        # declared anywhere
        (schema({"a": STRING}, anyOf=[{"properties": {"b": STRING}}]), ["/a"], ["/anyOf/0/properties/b"]),
        (schema({"a": STRING}, oneOf=[{"properties": {"b": STRING}}]), ["/a"], ["/oneOf/0/properties/b"]),
        (schema({"a": STRING}, allOf=[{"properties": {"b": STRING}}]), ["/a"], ["/allOf/0/properties/b"]),
        (schema({"a": STRING}, **{"if": {"properties": {"b": {}}}}), ["/a"], ["/if/properties/b"]),
        (schema({"a": STRING}, then={"properties": {"b": {}}}), ["/a"], ["/then/properties/b"]),
        (
            schema({"a": STRING}, **{"if": True, "else": {"properties": {"b": {}}}}),
            ["/a"],
            ["/else/properties/b"],
        ),
        (
            schema({"a": STRING}, dependentSchemas={"a": {"properties": {"b": {}}}}),
            ["/a"],
            ["/dependentSchemas/a/properties/b"],
        ),
        (schema({"a": STRING}, **{"$ref": "#/$defs/x", "$defs": {"x": {"properties": {"b": {}}}}}), ["/a"],
         ["/$defs/x/properties/b"]),
        (schema({"a": STRING, "b": STRING}, anyOf=[{"properties": {"b": {}}}]), ["/a", "/b"], []),
        (schema({"a": STRING}, anyOf=[{"required": ["a"]}, {"properties": {"a": {}}}]), ["/a"], []),
        (schema({"a": LEAF}, anyOf=[{"properties": {"a": {"properties": {"d": {}}}}}]), ["/a/b", "/a/c"],
         ["/anyOf/0/properties/a/properties/d"]),
        # what declares nothing
        (schema({"a": STRING}, **{"$defs": {"x": {"properties": {"b": STRING}}}}), ["/a"], []),
        (schema({"a": STRING}, **{"not": {"properties": {"b": STRING}}}), ["/a"], []),
        (schema({"a": STRING, "b": False}), ["/a"], []),
        (schema({"a": STRING, "b": {"allOf": [{"type": "string"}, {"type": "integer"}]}}), ["/a"], []),
        (schema({"a": STRING, "b": {"type": "object", "additionalProperties": False}}), ["/a"], []),
        (schema({"a": STRING, "b": {"type": "object"}}), ["/a"], ["/properties/b"]),
        (schema({"a": STRING, "b": True}), ["/a"], ["/properties/b"]),
        (schema({"a": STRING, "b": {"type": "array", "items": False}}), ["/a"], ["/properties/b"]),
        # recursion
        (schema({"a": {"$ref": "#/$defs/node"}}, **TREE), ["/a"], []),
        (schema({"a": STRING, "b": {"$ref": "#/$defs/node"}}, **TREE), ["/a"], ["/properties/b"]),
        (schema({"a": {"$ref": "#/$defs/node"}}, **TREE), ["/a/b", "/a/kids"], []),
        (schema({"a": {"$ref": "#/$defs/node"}}, **TREE), ["/a/b"], ["/$defs/node/properties/kids"]),
        (schema({"a": STRING, "b": {"$ref": "#/$defs/hollow"}}, **{"$defs": {"hollow": HOLLOW}}), ["/a"], []),
        # every member of a choice closed
        (
            schema({"a": {"type": "object", "properties": {"b": STRING, "c": STRING}, "oneOf": [
                {"additionalProperties": False, "properties": {"b": {}}},
                {"additionalProperties": False, "properties": {"c": {}}},
            ]}}),
            ["/a/b", "/a/c"],
            [],
        ),
    ],
)  # fmt: skip
def test_all_of_the_input_is_bound(input_schema: Any, sources: list[str], expected: list[str]) -> None:
    value = action(input_schema, body=body(*((source, f"/t{index}") for index, source in enumerate(sources))))
    found = faults(value)
    assert [finding.place.pointer for finding in found] == [AT + pointer for pointer in expected]
    assert {finding.code for finding in found} <= {"EXT0427"}


def test_judged_only_where_nothing_else_is_wrong() -> None:
    found = faults(action(schema({"a": STRING, "b": STRING}), query("/a"), query("/a")))
    assert [finding.code for finding in found] == ["EXT0418"]
