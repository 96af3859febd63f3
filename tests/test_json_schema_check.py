"""The static rules of schemas (R-SCH-1 to R-SCH-7, R-DIG-3)."""

from __future__ import annotations

import time
from typing import Any

import pytest

from extpkg.diagnostic import Part
from extpkg.json_schema import SchemaFault, check_input_root, check_schema, resolve_reference, subschemas
from extpkg.json_schema.keywords import DIALECT, HOLDS, ROLES, Role
from extpkg.json_schema.shapes import SHAPES
from extpkg.json_schema.wording import Violation


def faults(schema: dict[str, Any]) -> list[SchemaFault]:
    return list(check_schema({"$schema": DIALECT, **schema}, "/s"))


def found(schema: dict[str, Any]) -> list[tuple[str, str]]:
    """Return code and pointer of each fault."""
    return [(fault.code, fault.pointer.removeprefix("/s")) for fault in faults(schema)]


def test_the_table_of_keywords_is_total() -> None:
    assert HOLDS.keys() == ROLES.keys() == SHAPES.keys()
    assert len(HOLDS) == 53
    assert {keyword for keyword, role in ROLES.items() if role is Role.IDENTITY} == {
        *("$schema", "$anchor", "$comment", "$defs"),
    }


SOUND: list[dict[str, Any]] = [
    {
        "title": "t",
        "description": "d",
        "deprecated": True,
        "readOnly": False,
        "writeOnly": False,
        "$comment": "c",
    },
    {"type": ["string", "null"], "enum": [1, 1, 1.0], "const": None, "x-y": {"$ref": 1}},
    {"required": [], "dependentRequired": {"a": []}, "minLength": 2.0, "maxLength": 2},
    {"minimum": 1, "maximum": 1, "exclusiveMinimum": 0, "exclusiveMaximum": 1.5, "multipleOf": 0.5},
    {"properties": {"required": {"type": "string"}, "$ref": True, "$schema": {}, "x": False}},
    {
        "additionalProperties": False,
        "required": ["a", "bc"],
        "properties": {"a": {}},
        "patternProperties": {"^b": {}},
    },
    {"allOf": [{"additionalProperties": False}], "required": ["a"]},
    {"$ref": "#/$defs/a%20b", "$defs": {"a b": {"items": {"$ref": "#"}}}},
    {"$defs": {"n": {"$anchor": "n", "properties": {"next": {"$ref": "#n"}}}}, "$ref": "#n"},
    {"$defs": {"a": {"$ref": "#/$defs/b"}, "b": {}}, "allOf": [{"$ref": "#/$defs/a"}, {"$ref": "#/$defs/b"}]},
    {
        "const": {"$schema": "x", "unknown": 1, "$ref": "http://x"},
        "examples": [{"$schema": "x", "unknown": 1, "$ref": "http://x"}],
    },
    {
        "contentSchema": {"type": "object"},
        "contentMediaType": "application/json",
        "contentEncoding": "base64",
        "format": "f",
    },
    {"properties": {"a": {"type": "integer", "default": 1, "examples": [1.0, 2]}}},
    {"items": {"$ref": "#/$defs/x"}, "$defs": {"x": {"examples": [[[]]], "items": {"$ref": "#/$defs/x"}}}},
    {"propertyNames": {"$ref": "#/$defs/x"}, "$defs": {"x": {"propertyNames": {"$ref": "#"}}}},
    {"pattern": "^[a-z]{1,1000}$", "patternProperties": {"(?:a|b){1000}": True}},
]


@pytest.mark.parametrize("schema", SOUND)
def test_sound(schema: dict[str, Any]) -> None:
    assert faults(schema) == []


FAULTY: list[tuple[dict[str, Any], list[tuple[str, str]]]] = [
    ({"items": {"$schema": DIALECT}}, [("EXT0502", "/items/$schema")]),
    ({"definitions": {}}, [("EXT0505", "/definitions")]),
    ({"items": {"$id": "a", "a/b~": 1}}, [("EXT0505", "/items/$id"), ("EXT0505", "/items/a~1b~0")]),
    ({"title": 1}, [("EXT0506", "/title")]),
    ({"deprecated": "yes"}, [("EXT0506", "/deprecated")]),
    ({"minLength": True}, [("EXT0506", "/minLength")]),
    ({"minLength": 1.5}, [("EXT0506", "/minLength")]),
    ({"maxItems": -1}, [("EXT0506", "/maxItems")]),
    ({"maximum": "1"}, [("EXT0506", "/maximum")]),
    ({"maximum": True}, [("EXT0506", "/maximum")]),
    ({"multipleOf": 0}, [("EXT0506", "/multipleOf")]),
    ({"multipleOf": -0.5}, [("EXT0506", "/multipleOf")]),
    ({"examples": {}}, [("EXT0506", "/examples")]),
    ({"enum": {}}, [("EXT0506", "/enum")]),
    ({"enum": []}, [("EXT0513", "/enum")]),
    ({"type": "int"}, [("EXT0506", "/type")]),
    ({"type": []}, [("EXT0506", "/type")]),
    (
        {"type": ["string", 1, [], "string"]},
        [("EXT0506", "/type/1"), ("EXT0506", "/type/2"), ("EXT0522", "/type/3")],
    ),
    ({"required": "a"}, [("EXT0506", "/required")]),
    ({"required": ["a", 1, "b", "a"]}, [("EXT0506", "/required/1"), ("EXT0522", "/required/3")]),
    ({"required": ["a", 1], "additionalProperties": False}, [("EXT0506", "/required/1")]),
    ({"dependentRequired": []}, [("EXT0506", "/dependentRequired")]),
    (
        {"dependentRequired": {"a/b": ["x", "x"], "c": 1}},
        [("EXT0522", "/dependentRequired/a~1b/1"), ("EXT0506", "/dependentRequired/c")],
    ),
    ({"properties": []}, [("EXT0506", "/properties")]),
    (
        {"properties": {"a": 1, "b": {"minLength": "x"}}},
        [("EXT0506", "/properties/a"), ("EXT0506", "/properties/b/minLength")],
    ),
    ({"allOf": []}, [("EXT0506", "/allOf")]),
    ({"anyOf": {}}, [("EXT0506", "/anyOf")]),
    ({"oneOf": [1]}, [("EXT0506", "/oneOf/0")]),
    ({"not": None}, [("EXT0506", "/not")]),
    ({"$anchor": "1a"}, [("EXT0506", "/$anchor")]),
    ({"$anchor": 1}, [("EXT0506", "/$anchor")]),
    ({"$ref": 1}, [("EXT0506", "/$ref")]),
    ({"$ref": "other.json"}, [("EXT0507", "/$ref")]),
    ({"$ref": ""}, [("EXT0507", "/$ref")]),
    ({"$ref": "#/$defs"}, [("EXT0508", "/$ref")]),
    ({"$ref": "#/$defs", "$defs": {}}, [("EXT0508", "/$ref")]),
    ({"$ref": "#/const", "const": {}}, [("EXT0508", "/$ref")]),
    ({"$ref": "#/x-a", "x-a": {}}, [("EXT0508", "/$ref")]),
    ({"$ref": "#/allOf/01", "allOf": [True, True]}, [("EXT0508", "/$ref")]),
    ({"$ref": "#/allOf/2", "allOf": [True, True]}, [("EXT0508", "/$ref")]),
    ({"$ref": "#/not/items", "not": True}, [("EXT0508", "/$ref")]),
    ({"$ref": "#/%zz"}, [("EXT0508", "/$ref")]),
    ({"$ref": "#/~2"}, [("EXT0508", "/$ref")]),
    ({"$ref": "#nowhere"}, [("EXT0508", "/$ref")]),
    ({"$ref": "#"}, [("EXT0509", "/$ref")]),
    ({"not": {"$ref": "#"}}, [("EXT0509", "/not/$ref")]),
    ({"dependentSchemas": {"a": {"if": {"$ref": "#"}}}}, [("EXT0509", "/dependentSchemas/a/if/$ref")]),
    (
        {"$defs": {"a": {"anyOf": [{"$ref": "#/$defs/b"}]}, "b": {"oneOf": [True, {"$ref": "#/$defs/a"}]}}},
        [("EXT0509", "/$defs/b/oneOf/1/$ref")],
    ),
    (
        {
            "allOf": [{"$ref": "#/$defs/a"}, {"$ref": "#/$defs/b"}],
            "$defs": {"a": {"$ref": "#/$defs/a"}, "b": {"$ref": "#/$defs/b"}},
        },
        [("EXT0509", "/$defs/a/$ref"), ("EXT0509", "/$defs/b/$ref")],
    ),
    ({"pattern": "("}, [("EXT0510", "/pattern")]),
    ({"pattern": 1}, [("EXT0506", "/pattern")]),
    (
        {"patternProperties": {"a/(?=b)": True, "a{1001}": {}}},
        [("EXT0511", "/patternProperties/a~1(?=b)"), ("EXT0512", "/patternProperties/a{1001}")],
    ),
    ({"additionalProperties": False, "required": ["a"]}, [("EXT0514", "/required/0")]),
    (
        {"additionalProperties": False, "required": ["b"], "patternProperties": {"^a": {}}},
        [("EXT0514", "/required/0")],
    ),
    (
        {"additionalProperties": False, "required": ["b"], "patternProperties": {"(": {}}},
        [("EXT0510", "/patternProperties/(")],
    ),
    ({"additionalProperties": False, "required": ["b"], "properties": 1}, [("EXT0506", "/properties")]),
    ({"minimum": 2, "maximum": 1}, [("EXT0515", "/minimum")]),
    ({"exclusiveMinimum": 1, "maximum": 1.0}, [("EXT0515", "/exclusiveMinimum")]),
    ({"minimum": 1, "exclusiveMaximum": 1}, [("EXT0515", "/minimum")]),
    ({"exclusiveMinimum": 2, "exclusiveMaximum": 1}, [("EXT0515", "/exclusiveMinimum")]),
    ({"minLength": 2, "maxLength": 1}, [("EXT0515", "/minLength")]),
    ({"minLength": 1, "maxLength": -1}, [("EXT0506", "/maxLength")]),
    ({"minItems": 2, "maxItems": 1}, [("EXT0515", "/minItems")]),
    ({"minProperties": 2, "maxProperties": 1}, [("EXT0515", "/minProperties")]),
    ({"minContains": 2, "maxContains": 1}, [("EXT0515", "/minContains")]),
    ({"minimum": "2", "maximum": 1}, [("EXT0506", "/minimum")]),
    ({"type": "string", "examples": ["a", 1, 2]}, [("EXT0516", "/examples/1"), ("EXT0516", "/examples/2")]),
    ({"items": {"type": "string"}, "default": [1]}, [("EXT0517", "/default/0")]),
    (
        {"properties": {"a": {"$ref": "#/$defs/b", "default": 1}}, "$defs": {"b": {"type": "string"}}},
        [("EXT0517", "/properties/a/default")],
    ),
    (
        {"properties": {"a": {"$ref": "#/$defs/b", "default": 1}}, "$defs": {"b": {"type": "text"}}},
        [("EXT0506", "/$defs/b/type")],
    ),
    (
        {"properties": {"a": {"type": "string", "default": 1}, "b": {"type": "text"}}},
        [("EXT0506", "/properties/b/type"), ("EXT0517", "/properties/a/default")],
    ),
    ({"properties": {"a": {"properties": 3, "default": 1}}}, [("EXT0506", "/properties/a/properties")]),
    ({"properties": {"a": {"items": 3, "default": 1}}}, [("EXT0506", "/properties/a/items")]),
    ({"properties": {"a": {"$ref": "#zz", "default": 1}}}, [("EXT0508", "/properties/a/$ref")]),
    ({"$ref": "#", "default": 1}, [("EXT0509", "/$ref")]),
    ({"unevaluatedProperties": False, "default": {"a": 1}}, [("EXT0517", "/default/a")]),
    ({"properties": {"a": {"$anchor": "n"}, "b": {"$anchor": "n"}}}, [("EXT0519", "/properties/b/$anchor")]),
    (
        {"examples": ["a" * 300_000], "pattern": "a{1000}", "default": 1},
        [("EXT0521", "/examples/0")],
    ),
]


@pytest.mark.parametrize(("schema", "expected"), FAULTY)
def test_faulty(schema: dict[str, Any], expected: list[tuple[str, str]]) -> None:
    assert found(schema) == expected


@pytest.mark.parametrize(
    ("schema", "pointer", "part"),
    [
        ({}, "/s", Part.KEY),
        ({"$schema": "http://json-schema.org/draft-07/schema#"}, "/s/$schema", Part.VALUE),
        ({"$schema": DIALECT + "#"}, "/s/$schema", Part.VALUE),
        ({"$schema": None}, "/s/$schema", Part.VALUE),
        (True, "/s", Part.KEY),
    ],
)
def test_dialect(schema: Any, pointer: str, part: Part) -> None:
    """P071."""
    (fault,) = check_schema(schema, "/s")
    assert (fault.code, fault.pointer, fault.part) == ("EXT0501", pointer, part)


def test_a_root_without_a_holder_is_marked_itself() -> None:
    assert [(fault.pointer, fault.part) for fault in check_schema({})] == [("", Part.VALUE)]
    assert [fault.code for fault in check_schema([])] == ["EXT0501", "EXT0506"]


@pytest.mark.parametrize(
    ("schema", "expected"),
    [
        ({"type": "object", "additionalProperties": False}, []),
        ({"type": ["object"], "unevaluatedProperties": False}, []),
        ({"additionalProperties": False}, [("EXT0503", "/s", Part.KEY)]),
        ({"type": "array", "additionalProperties": False}, [("EXT0503", "/s/type", Part.VALUE)]),
        ({"type": "object"}, [("EXT0504", "/s", Part.KEY)]),
        (
            {"type": "object", "additionalProperties": {}},
            [("EXT0504", "/s/additionalProperties", Part.VALUE)],
        ),
        (
            {"type": "object", "unevaluatedProperties": True},
            [("EXT0504", "/s/unevaluatedProperties", Part.VALUE)],
        ),
        (True, []),
    ],
)
def test_input_root(schema: Any, expected: list[tuple[str, str, Part]]) -> None:
    assert [(fault.code, fault.pointer, fault.part) for fault in check_input_root(schema, "/s")] == expected


@pytest.mark.parametrize(
    ("schema", "message", "help_"),
    [
        ({"allOf": []}, '"allOf" must be a list of one or more schemas, but the list is empty', ""),
        (
            {"type": []},
            '"type" must be the name of a type or a list of such names, but the list is empty',
            "",
        ),
        ({"minimun": 1}, '"minimun" is no keyword that a schema here may use', 'write "minimum"'),
        ({"nullable": True}, '"nullable" is no keyword that a schema here may use', 'add "null" to "type"'),
        (
            {"zzz": True},
            '"zzz" is no keyword that a schema here may use',
            'remove it, or begin its name with "x-"',
        ),
        ({"type": "Int"}, '"type" names "Int", which is no type', "write integer"),
        ({"type": [None]}, '"type" names null, which is no type', 'write "null", in quotes'),
        ({"type": 3.5}, '"type" must be the name of a type or a list of such names, not 3.5', ""),
        (
            {"$ref": "#/$defs/isue", "$defs": {"issue": {}}},
            '"#/$defs/isue" leads to no schema of this document',
            'did you mean "#/$defs/issue"?',
        ),
        (
            {"$ref": "#isue", "$anchor": "issue"},
            '"#isue" leads to no schema of this document',
            'did you mean "#issue"?',
        ),
        ({"$ref": "#/x"}, '"#/x" leads to no schema of this document', 'declare the schema under "$defs"'),
        (
            {"pattern": "a(b"},
            'the pattern "a(b" opens a group with "(" and does not close it (character 2)',
            "",
        ),
        (
            {"minimum": 2, "maximum": 1},
            '"minimum" 2 is above "maximum" 1, so that no value is between',
            'lower "minimum" or raise "maximum"',
        ),
        ({"not": 1}, "a schema must stand here, not 1", "write a mapping of keywords, or true or false"),
    ],
)
def test_messages_say_what_to_do(schema: dict[str, Any], message: str, help_: str) -> None:
    (fault,) = faults(schema)
    assert (fault.message, fault.help) == (message, help_)


def test_hostile_schemas_are_checked_in_bounded_time() -> None:
    many = 20_000
    hostile: list[dict[str, Any]] = [
        {f"unknown{n}": n for n in range(many)},
        {"allOf": [{"$ref": f"#nowhere{n}"} for n in range(many)]},
        {
            "allOf": [{"$ref": f"#a{n}"} for n in range(many)],
            "$defs": {f"a{n}": {"$anchor": f"a{n}"} for n in range(many)},
        },
        {"$defs": {f"d{n}": {"$ref": f"#/$defs/d{n + 1}"} for n in range(many)} | {f"d{many}": {}}},
        {
            "additionalProperties": False,
            "required": [f"r{n}" for n in range(many)],
            "patternProperties": {f"^{n}$": {} for n in range(9)},
        },
        {"allOf": [{"default": n, "type": "integer"} for n in range(many)]},
        {"required": ["x" * 100_000] * 100, "type": "y" * 100_000},
        {"enum": list(range(many)), "examples": [-1] * many},
        {"enum": [f"name{n}" for n in range(many)], "examples": ["name"] * 1_000},
        {
            "additionalProperties": False,
            "properties": {f"p{n}": True for n in range(many)},
            "examples": [{"x": 1}] * 1_000,
        },
        {"pattern": "(" * many + ")" * many},
        {"pattern": "((a*)b)*" * 2_000},
    ]
    nested: dict[str, Any] = {}
    for _ in range(many):
        nested = {"not": nested}
    started = time.process_time()
    for schema in [*hostile, nested]:
        faults(schema)
    assert time.process_time() - started < 60
    assert found(hostile[4]) == [("EXT0521", "/patternProperties")]


def test_patterns_are_bounded_together() -> None:
    """Each is allowed, and each costs RE2 milliseconds: so all of a document are bounded as well."""
    patterns = [f"(?:[^{letter}]{{1000}}){{9}}{letter}" for letter in "abcdefghijklmnopqrstuvwxyzABCDEFGH"]
    codes = {code for code, _ in found({"allOf": [{"pattern": pattern} for pattern in patterns]})}
    assert codes == {"EXT0512"}
    assert found({"allOf": [{"pattern": patterns[0]}] * 100}) == []


def test_the_walk_yields_schemas_alone() -> None:
    schema = {
        "properties": {"a/b": {"type": "string"}},
        "allOf": [True],
        "items": False,
        "const": {"items": {}},
        "enum": [{}],
        "prefixItems": {},
        "$defs": [],
    }
    assert list(subschemas(schema)) == [
        ("/properties/a~1b", {"type": "string"}),
        ("/allOf/0", True),
        ("/items", False),
    ]
    assert list(subschemas(True)) == []


def test_references_resolve_to_a_pointer_and_a_schema() -> None:
    root = {"$defs": {"a b": {"$anchor": "n", "type": "string"}, "é": False}}
    assert resolve_reference(root, "#") == ("", root)
    assert resolve_reference(root, "#/$defs/a%20b") == ("/$defs/a b", root["$defs"]["a b"])
    assert resolve_reference(root, "#/$defs/%C3%A9") == ("/$defs/é", False)
    assert resolve_reference(root, "#n") == ("/$defs/a b", root["$defs"]["a b"])
    assert resolve_reference(root, "a#n") is None
    assert resolve_reference({"not": {}}, "#/not/0") is None
    assert resolve_reference({"$defs": {}}, "#/$defs/a") is None
    assert resolve_reference({"allOf": [{}]}, "#/allOf") is None
    assert resolve_reference({"allOf": [1]}, "#/allOf/0") is None


def test_faults_and_violations_are_values() -> None:
    assert SchemaFault(code="EXT0501", pointer="", message="m").part is Part.VALUE
    first, second = (Violation(pointer="", keyword="k", schema_pointer="", message="m") for _ in range(2))
    assert first == second
