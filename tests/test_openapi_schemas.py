"""Schemas of OpenAPI 2.0, 3.0 and 3.1 as JSON Schema 2020-12: what each construct comes to (R-SCH)."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from openapi_sources import at, read, schema, with_schemas

from extpkg.json_schema import check_schema, compile_schema
from extpkg.openapi.schemas import OUTPUT_BYTES, Converted, Direction, convert

if TYPE_CHECKING:
    from pathlib import Path

DIALECT = "https://json-schema.org/draft/2020-12/schema"


def whole(converted: Converted) -> Any:
    """Return a converted schema as a document of its own, which R-SCH has nothing against."""
    assert isinstance(converted.schema, dict)
    document = {"$schema": DIALECT, **converted.schema}
    if converted.definitions:
        document["$defs"] = converted.definitions
    assert list(check_schema(document)) == []
    return document


def accepts(converted: Converted, value: Any) -> bool:
    return compile_schema(whole(converted)).accepts(value)


def codes(converted: Converted) -> list[str]:
    return [note.code for note in converted.notes]


SAME = [
    (
        {"type": "string", "minLength": 1, "maxLength": 2.0, "format": "date"},
        {"type": "string", "minLength": 1, "maxLength": 2, "format": "date"},
    ),
    (
        {"type": "string", "pattern": "^a+$", "deprecated": True},
        {"type": "string", "pattern": "^a+$", "deprecated": True},
    ),
    ({"type": ["string", "null"]}, {"type": ["string", "null"]}),
    ({"type": ["string", "string"]}, {"type": "string"}),
    (
        {"type": "array", "items": {"type": "string"}, "uniqueItems": True},
        {"type": "array", "items": {"type": "string"}, "uniqueItems": True},
    ),
    ({"type": "array", "uniqueItems": False}, {"type": "array"}),
    ({"enum": ["a", "a", 1, 1.0, True]}, {"enum": ["a", 1, True]}),
    ({"const": None}, {"const": None}),
    ({"required": ["a", "a"], "properties": {"a": {}}}, {"required": ["a"], "properties": {"a": {}}}),
    ({"additionalProperties": False}, {"additionalProperties": False}),
    ({"additionalProperties": {"type": "string"}}, {"additionalProperties": {"type": "string"}}),
    ({"oneOf": [True, {"not": {}}]}, {"oneOf": [True, {"not": {}}]}),
    (
        {"if": {}, "then": {"type": "string"}, "else": False},
        {"if": {}, "then": {"type": "string"}, "else": False},
    ),
    (
        {"contains": {}, "minContains": 1, "maxContains": 2},
        {"contains": {}, "minContains": 1, "maxContains": 2},
    ),
    ({"propertyNames": {"maxLength": 3}}, {"propertyNames": {"maxLength": 3}}),
    (
        {"patternProperties": {"^x": {}}, "unevaluatedProperties": False},
        {"patternProperties": {"^x": {}}, "unevaluatedProperties": False},
    ),
    (
        {"dependentRequired": {"a": ["b"]}, "dependentSchemas": {"a": {}}},
        {"dependentRequired": {"a": ["b"]}, "dependentSchemas": {"a": {}}},
    ),
    ({"prefixItems": [{}], "items": False}, {"prefixItems": [{}], "items": False}),
    ({"default": "x"}, {"default": "x"}),
    ({"multipleOf": 0.01, "minimum": -1, "maximum": 1}, {"multipleOf": 0.01, "minimum": -1, "maximum": 1}),
    (
        {"contentEncoding": "base64", "contentMediaType": "text/plain"},
        {"contentEncoding": "base64", "contentMediaType": "text/plain"},
    ),
]

CHANGED = [
    (
        {
            "xml": {},
            "example": 1,
            "examples": [1],
            "externalDocs": {},
            "discriminator": {},
            "x-a": 1,
            "title": " a\n b ",
        },
        {"title": "a b"},
    ),
    ({"$id": "x", "$anchor": "y", "$comment": "z", "$schema": "w", "$defs": {"a": {}}}, {}),
    (
        {"minimum": 0, "exclusiveMinimum": True, "maximum": 10, "exclusiveMaximum": False},
        {"exclusiveMinimum": 0, "maximum": 10},
    ),
    ({"exclusiveMinimum": True}, {}),
    (
        {"type": "array", "items": [{"type": "string"}, {}]},
        {"type": "array", "prefixItems": [{"type": "string"}, {}]},
    ),
    ({"items": [{}], "additionalItems": False}, {"prefixItems": [{}], "items": False}),
    (
        {"dependencies": {"a": ["b", "b"], "c": {"minProperties": 2}}},
        {"dependentRequired": {"a": ["b"]}, "dependentSchemas": {"c": {"minProperties": 2}}},
    ),
    ({"description": ""}, {}),
    ({"allOf": [], "anyOf": [], "oneOf": {}, "not": 1, "items": 3, "properties": [], "required": True}, {}),
    ({"type": "string", "enum": ["a", None, 1]}, {"type": "string", "enum": ["a"]}),
]

NOTED = [
    ({"type": "any"}, {}, "schema-type-unknown"),
    ({"type": ["string", "file"]}, {"type": "string"}, "schema-type-unknown"),
    ({"enum": []}, {}, "schema-enum-empty"),
    ({"enum": "a"}, {}, "schema-enum-empty"),
    ({"type": "string", "enum": [1, 2]}, {"type": "string"}, "schema-enum-off-type"),
    ({"maximum": 2**63 - 1}, {}, "schema-integer-domain"),
    ({"exclusiveMinimum": -(2**63)}, {}, "schema-integer-domain"),
    ({"maxLength": 2**63 - 1}, {}, "schema-integer-domain"),
    ({"default": 2**64 - 1}, {}, "schema-integer-domain"),
    ({"default": "\x07"}, {}, "schema-unfit-text"),
    ({"minimum": "1"}, {}, "schema-keyword-malformed"),
    ({"multipleOf": 0}, {}, "schema-keyword-malformed"),
    ({"minLength": -1}, {}, "schema-keyword-malformed"),
    ({"maxItems": 1.5}, {}, "schema-keyword-malformed"),
    ({"minimum": 2, "maximum": 1}, {}, "schema-range-empty"),
    ({"exclusiveMinimum": 1, "maximum": 1}, {}, "schema-range-empty"),
    ({"minItems": 2, "maxItems": 1}, {}, "schema-range-empty"),
    ({"pattern": "(?=a)b"}, {}, "schema-pattern-dropped"),
    ({"pattern": 1}, {}, "schema-pattern-dropped"),
    (
        {"patternProperties": {"(?!a)": {}}, "additionalProperties": False},
        {"additionalProperties": True},
        "schema-pattern-dropped",
    ),
    ({"default": {}}, {}, "schema-default-dropped"),
    ({"default": [1]}, {}, "schema-default-dropped"),
    (
        {"type": "array", "minItems": 1, "default": []},
        {"type": "array", "minItems": 1},
        "schema-default-dropped",
    ),
    ({"type": "string", "default": 1}, {"type": "string"}, "schema-default-dropped"),
    ({"enum": ["a"], "default": "b"}, {"enum": ["a"]}, "schema-default-dropped"),
    ({"const": "a", "default": "b"}, {"const": "a"}, "schema-default-dropped"),
    ({"pattern": "^a$", "default": "b"}, {"pattern": "^a$"}, "schema-default-dropped"),
    ({"maxLength": 1, "default": "bb"}, {"maxLength": 1}, "schema-default-dropped"),
    ({"maximum": 1, "default": 2}, {"maximum": 1}, "schema-default-dropped"),
    ({"exclusiveMinimum": 1, "default": 1}, {"exclusiveMinimum": 1}, "schema-default-dropped"),
    ({"properties": {"a": 1}}, {"properties": {"a": {}}}, "schema-malformed"),
    (
        {"additionalProperties": False, "required": ["a"]},
        {"additionalProperties": False},
        "schema-required-undeclared",
    ),
    (
        {"not": {"$ref": "#/components/schemas/Any"}, "nullable": True, "allOf": [{}]},
        {"not": {}, "allOf": [{}]},
        "nullable-without-effect",
    ),
]


@pytest.mark.parametrize("direction", ["input", "output"])
@pytest.mark.parametrize(("value", "result"), [*SAME, *CHANGED], ids=repr)
def test_a_schema_comes_to_this(tmp_path: Path, value: Any, result: Any, direction: Direction) -> None:
    converted = schema(tmp_path, value, direction, "3.1.0")
    assert converted.schema == result
    assert codes(converted) == []
    whole(converted)


@pytest.mark.parametrize(("value", "result", "code"), NOTED, ids=repr)
def test_what_cannot_be_kept_is_left_out_with_a_note(
    tmp_path: Path, value: Any, result: Any, code: str
) -> None:
    source = with_schemas(tmp_path, {"It": value, "Any": {}})
    converted = convert(source, at(source, "components", "schemas", "It"), "input")
    assert converted.schema == result
    assert codes(converted) == [code]
    assert all(note.pointer.startswith("/components/schemas/It/") for note in converted.notes)
    assert all(note.message and "\n" not in note.message for note in converted.notes)
    whole(converted)


def test_defaults_that_the_schema_takes_are_kept(tmp_path: Path) -> None:
    for value in (
        {"type": "integer", "minimum": 1, "maximum": 5, "default": 3},
        {"type": "integer", "default": 3.0},
        {"type": "number", "default": 3},
        {"type": "boolean", "default": False},
        {"type": "array", "items": {}, "default": []},
        {"type": ["null", "string"], "default": None},
    ):
        assert "default" in schema(tmp_path, value).schema


NULLABLE: list[tuple[str, Any, Any, Any]] = [
    (
        "3.0.3",
        {"type": "string", "nullable": True},
        {"type": ["string", "null"]},
        {"type": ["string", "null"]},
    ),
    ("3.0.3", {"type": "string", "nullable": False}, {"type": "string"}, {"type": "string"}),
    (
        "3.0.3",
        {"type": "string", "enum": ["low"], "nullable": True},
        {"type": ["string", "null"], "enum": ["low"]},
        {"type": ["string", "null"], "enum": ["low", None]},
    ),
    (
        "3.0.3",
        {"type": "string", "enum": ["low", None], "nullable": True},
        {"type": ["string", "null"], "enum": ["low", None]},
        {"type": ["string", "null"], "enum": ["low", None]},
    ),
    ("3.0.3", {"nullable": True}, {}, {}),
    ("3.0.3", {"enum": ["a"], "nullable": True}, {"enum": ["a"]}, {"enum": ["a", None]}),
    ("3.0.3", {"const": "a", "nullable": True}, {"const": "a"}, {"enum": ["a", None]}),
    (
        "3.0.3",
        {"allOf": [{}], "nullable": True},
        {"allOf": [{}]},
        {"anyOf": [{"allOf": [{}]}, {"type": "null"}]},
    ),
    (
        "2.0",
        {"type": "string", "x-nullable": True},
        {"type": ["string", "null"]},
        {"type": ["string", "null"]},
    ),
    ("2.0", {"type": "string", "nullable": True}, {"type": "string"}, {"type": "string"}),
    ("3.1.0", {"type": "string", "nullable": True}, {"type": "string"}, {"type": ["string", "null"]}),
    (
        "3.1.0",
        {"type": ["string", "null"], "nullable": True},
        {"type": ["string", "null"]},
        {"type": ["string", "null"]},
    ),
]


@pytest.mark.parametrize(("version", "value", "goes_in", "comes_out"), NULLABLE)
def test_nullable_is_strict_for_what_goes_in_and_lenient_for_what_comes_out(
    tmp_path: Path, version: str, value: Any, goes_in: Any, comes_out: Any
) -> None:
    assert schema(tmp_path, value, "input", version).schema == goes_in
    assert schema(tmp_path, value, "output", version).schema == comes_out


def test_what_stands_beside_a_reference_counts_from_3_1_on(tmp_path: Path) -> None:
    value = {"properties": {"a": {"$ref": "#/components/schemas/S", "description": "mine", "nullable": True}}}
    schemas = {"It": value, "S": {"type": "string", "description": "its"}}
    old = with_schemas(tmp_path, schemas)
    assert (
        convert(old, at(old, "components", "schemas", "It"), "input").schema["properties"]["a"]
        == schemas["S"]
    )
    lenient = convert(old, at(old, "components", "schemas", "It"), "output").schema["properties"]["a"]
    assert lenient == {"anyOf": [schemas["S"], {"type": "null"}]}
    new = with_schemas(tmp_path, schemas, "3.1.0")
    joined = convert(new, at(new, "components", "schemas", "It"), "input").schema["properties"]["a"]
    assert joined == {"type": "string", "description": "mine"}
    value["properties"]["a"] = {"$ref": "#/components/schemas/S", "minLength": 2, "allOf": [{"maxLength": 3}]}
    both = with_schemas(tmp_path, schemas, "3.1.0")
    joined = convert(both, at(both, "components", "schemas", "It"), "input").schema["properties"]["a"]
    assert joined == {"minLength": 2, "allOf": [schemas["S"], {"maxLength": 3}]}


def test_boolean_schemas_may_be_referred_to(tmp_path: Path) -> None:
    ref = "#/components/schemas/"
    schemas = {
        "It": {"properties": {"a": {"$ref": f"{ref}T"}, "b": {"$ref": f"{ref}F"}}},
        "T": True,
        "F": False,
    }
    source = with_schemas(tmp_path, schemas, "3.1.0")
    converted = convert(source, at(source, "components", "schemas", "It"), "input")
    assert converted.schema == {"properties": {"a": {}, "b": {"not": {}}}}
    assert convert(source, at(source, "components", "schemas", "T"), "input").schema is True


USER = {
    "Id": {"type": "string", "readOnly": True},
    "Base": {
        "type": "object",
        "required": ["id", "created"],
        "properties": {
            "id": {"$ref": "#/components/schemas/Id"},
            "created": {"allOf": [{"$ref": "#/components/schemas/Id"}]},
        },
    },
    "User": {
        "allOf": [
            {"$ref": "#/components/schemas/Base"},
            {"required": ["id", "email", "password"], "properties": {"email": {"type": "string"}}},
        ],
        "required": ["created", "password"],
        "properties": {
            "password": {"type": "string", "writeOnly": True},
            "address": {
                "type": "array",
                "items": {"required": ["geo", "city"], "properties": {"geo": {"readOnly": True}, "city": {}}},
            },
        },
    },
    "Late": {
        "allOf": [
            {"$ref": "#/components/schemas/Open"},
            {"properties": {"id": {"readOnly": True}}},
        ]
    },
    "Open": {"allOf": [{"type": "object"}, {"required": ["id", "name"]}]},
}


def test_members_for_the_other_direction_are_gone_at_every_depth(tmp_path: Path) -> None:
    source = with_schemas(tmp_path, USER)
    goes_in = convert(source, at(source, "components", "schemas", "User"), "input")
    assert accepts(goes_in, {"email": "a", "password": "b", "address": [{"city": 1}]})
    assert not accepts(goes_in, {"email": "a"})
    text = json.dumps(whole(goes_in))
    assert "id" not in text.replace("3id", "").split('"')
    assert '"geo"' not in text
    assert '"created"' not in text
    comes_out = convert(source, at(source, "components", "schemas", "User"), "output")
    assert accepts(comes_out, {"id": "1", "created": "2", "email": "a"})
    assert not accepts(comes_out, {"id": "1", "email": "a"})
    assert '"password"' not in json.dumps(whole(comes_out))
    late = convert(source, at(source, "components", "schemas", "Late"), "input")
    assert accepts(late, {"name": 1})
    assert not accepts(late, {})


def test_in_3_0_read_only_beside_a_reference_is_ignored(tmp_path: Path) -> None:
    value = {"properties": {"a": {"$ref": "#/components/schemas/S", "readOnly": True}}}
    for version, names in (("3.0.3", {"a"}), ("3.1.0", set())):
        source = with_schemas(tmp_path, {"It": value, "S": {}}, version)
        properties = convert(source, at(source, "components", "schemas", "It"), "input").schema["properties"]
        assert properties.keys() == names


NODE = {
    "Node": {
        "type": "object",
        "required": ["label"],
        "properties": {
            "label": {"type": "string"},
            "children": {"type": "array", "items": {"$ref": "#/components/schemas/Node"}},
            "peer": {"$ref": "#/components/schemas/Peer"},
        },
    },
    "Peer": {"type": "object", "properties": {"back": {"$ref": "#/components/schemas/Node"}}},
    "Holder": {"allOf": [{"$ref": "#/components/schemas/Node"}, {"properties": {"more": {}}}]},
    "Alias": {"$ref": "#/components/schemas/Node"},
}


@pytest.mark.parametrize("name", ["Node", "Holder", "Alias"])
def test_cycles_are_kept_as_definitions(tmp_path: Path, name: str) -> None:
    source = with_schemas(tmp_path, NODE)
    converted = convert(source, at(source, "components", "schemas", name), "input")
    assert converted.definitions.keys() == {"Node", "Peer"}
    assert accepts(converted, {"label": "a", "children": [{"label": "b"}]})
    assert not accepts(converted, {"label": "a", "children": [{}]})
    assert not accepts(converted, {"label": "a", "peer": {"back": {}}})
    assert "$ref" not in converted.schema
    assert all("$ref" not in branch for branch in converted.schema.get("allOf", ()))


def test_equal_names_are_equal_definitions_in_one_direction(tmp_path: Path) -> None:
    source = with_schemas(tmp_path, NODE)
    found: dict[str, Any] = {}
    for name in NODE:
        for key, value in convert(
            source, at(source, "components", "schemas", name), "input"
        ).definitions.items():
            assert found.setdefault(key, value) == value


def test_a_conversion_is_made_once(tmp_path: Path) -> None:
    source = with_schemas(tmp_path, NODE)
    node = at(source, "components", "schemas", "Node")
    assert convert(source, node, "input") is convert(source, node, "input")
    assert convert(source, node, "input") is not convert(source, node, "output")


def test_large_schemas_are_written_once(tmp_path: Path) -> None:
    large = {"type": "object", "description": "x" * 2_000}
    ref = {"$ref": "#/components/schemas/Large 1"}
    value = {"properties": {"a": ref, "b": ref, "c": {"$ref": "#/components/schemas/Small"}}}
    source = with_schemas(tmp_path, {"It": value, "Large 1": large, "Small": {"type": "string"}})
    converted = convert(source, at(source, "components", "schemas", "It"), "input")
    (name,) = converted.definitions
    assert name.startswith("Large_1-")
    assert converted.definitions[name] == large
    assert (
        converted.schema["properties"]["a"]
        == converted.schema["properties"]["b"]
        == {"$ref": f"#/$defs/{name}"}
    )
    assert converted.schema["properties"]["c"] == {"type": "string"}
    whole(converted)


def test_what_is_written_out_at_the_root_is_no_definition_too(tmp_path: Path) -> None:
    large = {"type": "object", "description": "x" * 2_000}
    value = {"allOf": [{"$ref": "#/components/schemas/Large"}, {"minProperties": 1}]}
    source = with_schemas(tmp_path, {"It": value, "Large": large})
    converted = convert(source, at(source, "components", "schemas", "It"), "input")
    assert converted.schema == {"allOf": [large, {"minProperties": 1}]}
    assert converted.definitions == {}


def test_dynamic_references_mean_the_schema_around_them(tmp_path: Path) -> None:
    for words in (
        ("$recursiveAnchor", True, "$recursiveRef", "#"),
        ("$dynamicAnchor", "n", "$dynamicRef", "#n"),
    ):
        anchor, named, reference, to = words
        value = {anchor: named, "required": ["a"], "properties": {"a": {"items": {reference: to}}}}
        converted = schema(tmp_path, value, "input", "3.1.0")
        assert converted.definitions.keys() == {"It"}
        assert accepts(converted, {"a": [{"a": []}]})
        assert not accepts(converted, {"a": [{}]})


def test_a_large_input_is_reported(tmp_path: Path) -> None:
    converted = schema(tmp_path, {"properties": {f"p{n}": {"description": "x" * 700} for n in range(100)}})
    assert codes(converted) == ["input-large"]
    assert len(converted.schema["properties"]) == 100


def level(depth: int) -> Any:
    if not depth:
        return {"type": "string", "description": "leaf", "not": {"const": "never"}}
    return {
        "type": "object",
        "description": f"level {depth} " + "x" * 200,
        "required": ["p0"],
        "properties": {f"p{n}": level(depth - 1) for n in range(5)},
        "oneOf": [{"required": ["p0"]}, {"required": ["p9"]}],
    }


def test_a_large_output_is_cut_breadth_first(tmp_path: Path) -> None:
    value = level(4)
    converted = schema(tmp_path, value, "output")
    assert codes(converted) == ["output-cut"]
    document = whole(converted)
    assert len(json.dumps(document, separators=(",", ":")).encode()) <= OUTPUT_BYTES
    assert document["description"] == value["description"]
    assert document["properties"].keys() == value["properties"].keys()
    assert all(member["description"] for member in document["properties"].values())
    assert "oneOf" not in json.dumps(document)
    deepest = document["properties"]["p4"]["properties"]["p4"]["properties"]["p4"]
    assert deepest == {}


def test_what_a_cut_schema_refuses_the_whole_one_refuses(tmp_path: Path) -> None:
    value = level(4)
    converted = schema(tmp_path, value, "output")
    uncut = compile_schema({"$schema": DIALECT, **level(4)})

    def instance(depth: int) -> Any:
        return {"p0": instance(depth - 1)} if depth else "text"

    assert uncut.accepts(instance(4))
    assert accepts(converted, instance(4))
    assert not accepts(converted, {"p0": 1})


def test_cutting_keeps_definitions_and_their_names(tmp_path: Path) -> None:
    node = {
        "type": "object",
        "properties": {f"p{n}": {"$ref": "#/components/schemas/It"} for n in range(40)},
        "additionalProperties": {"type": "object", "title": "y" * 20_000, "enum": [{"a": "z" * 9_000}]},
        "patternProperties": {"^x": {"type": "string"}},
        "items": False,
    }
    converted = schema(tmp_path, {**node, "description": "x" * 15_000}, "output")
    document = whole(converted)
    assert len(json.dumps(document, separators=(",", ":")).encode()) <= OUTPUT_BYTES
    assert "output-cut" in codes(converted)
    assert converted.schema["type"] == "object"


@pytest.mark.parametrize(
    "reference", ["#/components/parameters/p/schema", "#/paths/~1a/get/responses/200/content/x/schema"]
)
def test_references_may_lead_to_any_schema_of_the_document(tmp_path: Path, reference: str) -> None:
    source = read(
        tmp_path,
        "openapi: 3.0.3\ninfo: {title: t, version: '1'}\n"
        "paths: {/a: {get: {responses: {'200': {content: {x: {schema: {type: string, minLength: 3}}}}}}}}\n"
        "components:\n  parameters: {p: {schema: {type: string, minLength: 3}}}\n"
        f"  schemas: {{It: {{type: array, items: {{$ref: '{reference}'}}}}}}\n",
    )
    converted = convert(source, at(source, "components", "schemas", "It"), "input")
    assert converted.schema == {"type": "array", "items": {"type": "string", "minLength": 3}}


def test_sources_do_not_share_what_was_converted(tmp_path: Path) -> None:
    first = with_schemas(tmp_path / "a", {"It": {"type": "string"}})
    other = with_schemas(tmp_path / "b", {"It": {"type": "number"}})
    for source, name in ((first, "string"), (other, "number")):
        assert convert(source, at(source, "components", "schemas", "It"), "input").schema == {"type": name}
