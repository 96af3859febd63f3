"""The checks of a binding, as tables: an action, and the codes that it gives (R-BIND-1 to 7)."""

from __future__ import annotations

from typing import Any

import pytest
from actions import action, body, codes, faults, header, path, query, schema

STRING = {"type": "string"}
DEFS = {"text": STRING, "pair": {"allOf": [{"$ref": "#/$defs/text"}, {"minLength": 1}]}}


def nested(parent: dict[str, Any], *required: str) -> dict[str, Any]:
    return schema({"a": {"type": "object", "additionalProperties": False, **parent}}, *required)


@pytest.mark.parametrize(
    ("input_schema", "source", "expected"),
    [
        (schema({"a": STRING}), "/a", []),
        (schema({"a": STRING}), "a", ["01"]),
        (schema({"a": STRING}), "#/a", ["01"]),
        (schema({"a": STRING}), "/a~", ["01"]),
        (schema({"a": STRING}), "/a~2", ["01"]),
        (schema({"a": STRING}), "/b", ["02"]),
        (schema({"a": STRING}), "/a/b", ["02"]),
        (schema({"a": STRING}), "/A", ["02"]),
        (schema({"a": STRING}), "/%61", ["02"]),
        (schema({"a/b": STRING}), "/a~1b", []),
        (schema({"": STRING}), "/", []),
        (schema({"0": STRING}), "/0", []),
        (schema({"a": {"type": "array", "items": STRING}}), "/a/0", ["02"]),
        (schema({"a": {"$ref": "#/$defs/text"}}, **{"$defs": DEFS}), "/a", []),
        (schema({"a": {"$ref": "#/$defs/pair"}}, **{"$defs": DEFS}), "/a", []),
        (schema({"a": {"$ref": "#t"}}, **{"$defs": {"t": {**STRING, "$anchor": "t"}}}), "/a", []),
        (schema({"a": {"$ref": "#/$defs/a%25b"}}, **{"$defs": {"a%b": STRING}}), "/a", []),
        (schema({"a": STRING, "b": {"$ref": "#/properties/a"}}), "/a", ["27"]),
        (schema({"a": {"$ref": "#"}}), "/a", ["13"]),
        (schema({"a": {"$ref": "https://x.example/"}}), "/a", ["15"]),
        (schema({"a": {"$ref": "#/$defs/none/properties/a"}}), "/a", ["15"]),
        (schema({}, allOf=[{"properties": {"a": STRING}}]), "/a", []),
        (schema({}, anyOf=[{"properties": {"a": STRING}}]), "/a", ["02"]),
        (schema({}, oneOf=[{"properties": {"a": STRING}}]), "/a", ["02"]),
        (schema({}, **{"if": {"properties": {"a": STRING}}}), "/a", ["02"]),
        (schema({}, dependentSchemas={"a": {"properties": {"a": STRING}}}), "/a", ["02"]),
        (schema({}, patternProperties={"a": STRING}), "/a", ["02"]),
        ({**schema({}), "additionalProperties": {"properties": {"b": STRING}}}, "/a/b", ["02"]),
        (nested({"properties": {"b": STRING}}), "/a/b", []),
        (nested({"additionalProperties": STRING}), "/a/b", ["02"]),
    ],
)
def test_sources(input_schema: Any, source: str, expected: list[str]) -> None:
    """P074."""
    assert codes(action(input_schema, query(source, "q"))) == expected


@pytest.mark.parametrize(
    ("location", "expected"),
    [
        ({"type": "string"}, []),
        ({"type": ["string", "integer", "boolean", "number"]}, []),
        ({"enum": ["a", 1, True]}, []),
        ({"const": 1.5}, []),
        ({"type": "array", "items": {"type": "string"}}, []),
        ({"type": ["string", "array"], "items": {"enum": [1, 2]}}, []),
        ({"type": "array", "prefixItems": [{"type": "string"}], "items": {"type": "integer"}}, []),
        ({"type": "array", "prefixItems": [{"type": "string"}], "items": False}, []),
        ({"enum": [["a"], ["b"]]}, []),
        ({"const": ["a", 1]}, []),
        ({"allOf": [{"type": "array"}, {"items": {"type": "string"}}]}, []),
        ({"anyOf": [{"type": "string"}, {"type": "array", "items": {"type": "string"}}]}, []),
        ({"anyOf": [{"type": "string"}, {"const": 1}]}, []),
        ({"oneOf": [{"type": "string"}, {"enum": [1]}]}, []),
        ({"allOf": [{"type": ["object", "string"]}, {"type": ["string", "array"]}]}, []),
        ({"type": "string", "not": {"type": "null"}}, []),
        ({"type": "string", "anyOf": [{"minLength": 1}, {"pattern": "a"}]}, []),
        # what is never known
        ({}, ["15"]),
        (True, ["15"]),
        ({"minimum": 1}, ["15"]),
        ({"anyOf": [{"type": "string"}, {"minimum": 1}]}, ["15"]),
        ({"oneOf": [{"type": "string"}, True]}, ["15"]),
        ({"type": "array"}, ["15"]),
        ({"type": "array", "items": {}}, ["15"]),
        ({"type": "array", "items": True}, ["15"]),
        ({"type": ["string", "array"]}, ["15"]),
        ({"type": "array", "prefixItems": [{"type": "string"}]}, ["15"]),
        ({"type": "array", "prefixItems": [{}], "items": {"type": "string"}}, ["15"]),
        ({"anyOf": [{"type": "string"}, {"type": "array"}]}, ["15"]),
        ({"if": {"type": "string"}, "then": {"type": "string"}}, ["15"]),
        # objects and nested arrays
        ({"type": "object", "additionalProperties": False}, ["13"]),
        ({"type": ["string", "object"]}, ["13"]),
        ({"enum": ["a", {"b": 1}]}, ["13"]),
        ({"anyOf": [{"type": "string"}, {"type": "object"}]}, ["13"]),
        ({"type": "array", "items": {"type": "object"}}, ["13"]),
        ({"type": "array", "items": {"type": "array", "items": {"type": "string"}}}, ["13"]),
        ({"type": "array", "prefixItems": [{"type": "object"}], "items": {"type": "string"}}, ["13"]),
        ({"const": [["a"]]}, ["13"]),
        ({"const": [{"a": 1}]}, ["13"]),
        # null anywhere
        ({"type": "null"}, ["14"]),
        ({"type": ["string", "null"]}, ["14"]),
        ({"enum": ["a", None]}, ["14"]),
        ({"const": None}, ["14"]),
        ({"type": "string", "enum": ["a", None]}, ["14"]),
        ({"type": "string", "const": "a", "enum": ["a", None]}, ["14"]),
        ({"anyOf": [{"type": "string"}, {"type": "null"}]}, ["14"]),
        ({"oneOf": [{"type": "string"}, {"const": None}]}, ["14"]),
        ({"allOf": [{"type": ["string", "null"]}, {"type": "string"}]}, ["14"]),
        ({"type": "array", "items": {"type": ["string", "null"]}}, ["14"]),
        ({"type": "array", "items": {"type": "string"}, "prefixItems": [{"enum": ["a", None]}]}, ["14"]),
        ({"const": ["a", None]}, ["14"]),
        ({"type": ["object", "null"], "additionalProperties": False}, ["13", "14"]),
    ],
)
@pytest.mark.parametrize("kind", ["query", "header", "referenced"])
def test_types_of_sources(location: Any, expected: list[str], kind: str) -> None:
    """P087."""
    properties = {"v": {"$ref": "#/$defs/v"} if kind == "referenced" else location}
    input_schema = schema(properties, **{"$defs": {"v": location}})
    parameter = header("/v", "X-V") if kind == "header" else query("/v")
    assert codes(action(input_schema, parameter)) == expected


def test_two_declarations_of_one_source_are_judged_together() -> None:
    parts = [{"properties": {"v": {"type": ["string", "object"]}}}, {"properties": {"v": {"enum": ["a"]}}}]
    assert codes(action(schema({}, allOf=parts), query("/v"))) == []


@pytest.mark.parametrize(
    ("input_schema", "source", "expected"),
    [
        (schema({"a": STRING}, "a"), "/a", []),
        (schema({"a": STRING}), "/a", ["21"]),
        (nested({"properties": {"b": STRING}, "required": ["b"]}, "a"), "/a/b", []),
        (nested({"properties": {"b": STRING}, "required": ["b"]}), "/a/b", ["21"]),
        (nested({"properties": {"b": STRING}}, "a"), "/a/b", ["21"]),
        (schema({"a": STRING}, allOf=[{"required": ["a"]}]), "/a", []),
        (schema({"a": STRING}, **{"$ref": "#/$defs/r", "$defs": {"r": {"required": ["a"]}}}), "/a", []),
        (schema({"a": STRING}, anyOf=[{"required": ["a"]}]), "/a", ["21"]),
    ],
)
def test_path_sources_are_required_at_every_level(
    input_schema: Any, source: str, expected: list[str]
) -> None:
    """P084, P086."""
    assert codes(action(input_schema, path(source, "p"), path="/{p}")) == expected


def test_optional_path_source_says_where_required_is() -> None:
    (finding,) = faults(action(schema({"a": STRING, "b": STRING}, "b"), path("/a", "p"), path="/{p}"))
    assert finding.place.pointer == "/binding/parameters/0/from"
    assert finding.message == "path placeholder {p} is bound to an optional input field"
    assert finding.help == 'add "a" to required (changes the agent schema: needs a version bump)'
    assert finding.place.label == "a path source must be required at every level"
    (related,) = finding.related
    assert (related.pointer, related.label) == (
        "/catalog/input_schema/required",
        '"a" is missing here',
    )


def test_path_source_below_a_whole_field_that_may_be_no_object() -> None:
    declared = {"properties": {"b": STRING}, "required": ["b"], "additionalProperties": False}
    value = action(schema({"a": declared}, "a"), path("/a/b", "p"), path="/{p}", body=body(("/a", "/a")))
    assert codes(value) == ["21"]
    declared["type"] = "object"
    value = action(schema({"a": declared}, "a"), path("/a/b", "p"), path="/{p}", body=body(("/a", "/a")))
    assert codes(value) == []


@pytest.mark.parametrize(
    ("template", "names", "expected"),
    [
        ("/x/{a}", ["a"], []),
        ("/x/{a}/", ["a"], []),
        ("/x/{a}.json", ["a"], []),
        ("/{a}{b}", ["a", "b"], []),
        ("/x/{a}/{a}", ["a"], ["04"]),
        ("/x/{a}/{b}", ["a"], ["05"]),
        ("/x/{a}/{b}", [], ["05", "05"]),
        ("/x", ["a"], ["06"]),
        ("/x/{A}", ["a"], ["05"]),
        ("/x/{A}", ["a", "b"], ["05", "06"]),
        ("/x/{a}", ["a", "a"], ["07"]),
        ("/x/{a", ["a"], ["09"]),
        ("/x/{a*}", ["a"], ["12"]),
        ("/x/./{a}", ["a"], ["10"]),
        ("/x/./{a}", [], ["10", "05"]),
    ],
)
def test_placeholders(template: str, names: list[str], expected: list[str]) -> None:
    """P084, P085."""
    input_schema = schema({"a": STRING}, "a")
    parameters = [path("/a", name) for name in names]
    found = codes(action(input_schema, query("/a"), *parameters, path=template))
    assert found == expected


def test_unbound_placeholder_points_at_the_parameter_that_is_meant() -> None:
    (finding,) = faults(action(schema({"a": STRING}, "a"), path("/a", "b"), path="/{a}"))
    assert (finding.code, finding.place.pointer) == ("EXT0405", "/binding/path")
    assert [place.pointer for place in finding.related] == ["/binding/parameters/0/name"]


@pytest.mark.parametrize(("source", "meant"), [("/a/", "/a"), ("/b", ""), ("/a/c/", ""), ("/", "")])
def test_undeclared_source_with_a_slash_too_many(source: str, meant: str) -> None:
    (found,) = faults(action(schema({"a": STRING, "xyz": STRING}), query(source)))
    assert (found.code, found.help) == ("EXT0402", f'did you mean "{meant}"?' if meant else "")


@pytest.mark.parametrize("location", ["query", "header"])
def test_a_path_parameter_that_goes_elsewhere_is_one_fault(location: str) -> None:
    parameter = {"from": "/a", "in": location, "name": "a"}
    (finding,) = faults(action(schema({"a": STRING}, "a"), parameter, path="/{a}"))
    assert (finding.code, finding.place.pointer) == ("EXT0405", "/binding/parameters/0/in")
    assert finding.help == "write in: path"
    assert [place.pointer for place in finding.related] == ["/binding/path"]


def test_a_parameter_that_belongs_elsewhere_is_judged_there() -> None:
    value = schema({"a": STRING}, "a")
    bare = {"from": "/a", "in": "query", "name": "a"}
    assert codes(action(value, query("/a"), path="/{a}")) == ["05"]
    assert codes(action(value, path("/a"), bare, path="/{a}")) == ["16"]
    assert sorted(codes(action(value, bare, path="/{a"))) == ["09", "16"]
    assert sorted(codes(action(value, bare, {**bare, "in": "header"}, path="/{a}"))) == ["05", "16"]


def test_unknown_location_is_one_fault() -> None:
    parameter = {"from": "/a", "in": "cookie", "name": "a"}
    assert codes(action(schema({"a": STRING}, "a"), parameter, path="/{a}")) == ["31"]


@pytest.mark.parametrize(
    ("parameter", "expected"),
    [
        ({"in": "query", "style": "form"}, []),
        ({"in": "query", "style": "form", "explode": True}, []),
        ({"in": "query", "style": "form", "explode": False}, []),
        ({"in": "header", "style": "simple"}, []),
        ({"in": "header", "style": "simple", "explode": False}, []),
        ({"in": "path"}, []),
        ({"in": "path", "style": "simple"}, []),
        ({"in": "path", "explode": False}, []),
        ({"in": "query"}, ["16"]),
        ({"in": "header"}, ["16"]),
        *(
            ({"in": "query", "style": style}, ["16"])
            for style in ("simple", "spaceDelimited", "pipeDelimited", "deepObject", "FORM", "", "matrix")
        ),
        *(({"in": "header", "style": style}, ["16"]) for style in ("form", "Simple", "label")),
        *(({"in": "path", "style": style}, ["16"]) for style in ("form", "matrix", "label")),
        ({"in": "header", "style": "simple", "explode": True}, ["17"]),
        ({"in": "path", "explode": True}, ["17"]),
        ({"in": "path", "style": "simple", "explode": True}, ["17"]),
        ({"in": "header", "style": "form", "explode": True}, ["16"]),
        ({"in": "cookie", "style": "form"}, ["31"]),
        ({"in": "Query", "style": "form"}, ["31"]),
    ],
)
def test_style_and_explode(parameter: dict[str, Any], expected: list[str]) -> None:
    """P088, P089."""
    template = "/{a}" if parameter["in"] == "path" else "/"
    value = action(schema({"a": STRING}, "a"), {"from": "/a", "name": "a", **parameter}, path=template)
    assert codes(value) == expected


@pytest.mark.parametrize(
    ("names", "static", "expected"),
    [
        (["X-A", "X-B"], {}, []),
        (["X-A", "x-a"], {}, ["18"]),
        (["X-A"], {"x-a": "1"}, ["18"]),
        ([], {"X-A": "1", "x-A": "2"}, ["18"]),
        (["Host"], {"HOST": "1"}, ["23", "23"]),
        (["X A", "X A"], {}, ["22", "22"]),
    ],
)
def test_headers_share_no_target(names: list[str], static: dict[str, str], expected: list[str]) -> None:
    """P090, P093."""
    input_schema = schema({"a": STRING})
    parameters = [query("/a"), *(header("/a", name) for name in names)]
    assert codes(action(input_schema, *parameters, static_headers=static)) == expected


@pytest.mark.parametrize(
    ("names", "expected"),
    [(["a", "b"], []), (["a", "A"], []), (["a", "a"], ["18"]), (["a", "a", "a"], ["18"] * 2)],
)
def test_queries_share_no_target(names: list[str], expected: list[str]) -> None:
    assert codes(action(schema({"a": STRING}), *(query("/a", name) for name in names))) == expected


@pytest.mark.parametrize(
    ("profile", "parameter", "static", "expected"),
    [
        ({"in": "query", "name": "key"}, query("/a", "key"), {}, ["18"]),
        ({"in": "query", "name": "key"}, query("/a", "Key"), {}, []),
        ({"in": "query", "name": "key"}, header("/a", "key"), {}, []),
        ({"in": "header", "name": "X-Key"}, header("/a", "x-key"), {}, ["18"]),
        ({"in": "header", "name": "X-Key"}, query("/a", "X-Key"), {}, []),
        ({"in": "header", "name": "X-Key"}, query("/a"), {"x-KEY": "1"}, ["18"]),
    ],
)
def test_api_key_takes_part(
    profile: dict[str, str], parameter: dict[str, Any], static: dict[str, str], expected: list[str]
) -> None:
    value = action(schema({"a": STRING}), parameter, static_headers=static)
    profiles = [{"id": "other", "type": "oauth2_bearer"}, {"id": "mine", "type": "api_key", **profile}]
    assert codes(value, profiles=profiles, profile="mine") == expected
    assert codes(value, profiles=profiles, profile="other") == []
    for finding in faults(value, profiles, "mine"):
        assert [(place.path, place.pointer) for place in finding.related] == [
            ("meta.yaml", "/auth/profiles/1/name")
        ]


@pytest.mark.parametrize(
    ("value", "expected"),
    [("a", []), ("a b", []), ("~!", []), ("", ["24"]), (" a", ["24"]), ("a ", ["24"]), ("a\tb", ["24"])]
    + [(text, ["24"]) for text in ("a\n", "a\r\nb: c", "é", "a\x7f", "a\x00", "\u560d")],
)
def test_static_header_values(value: str, expected: list[str]) -> None:
    assert codes(action(schema({}), static_headers={"X-A": value})) == expected


@pytest.mark.parametrize(
    ("mappings", "expected"),
    [
        ([("/a", "/a"), ("/a", "/b")], []),
        ([("/a", "")], []),
        ([("", "")], []),
        ([("", "/all")], []),
        ([("/a", ""), ("/a", "/b")], ["03"]),
        ([("/a", "/b"), ("/a", "")], ["03"]),
        ([("/a", ""), ("/a", "")], ["03"]),
        ([("/a", "b")], ["01"]),
        ([("a", "/b")], ["01"]),
        ([("/b", "/b")], ["02"]),
        ([("/a", "/x"), ("/a", "/x")], ["18"]),
        ([("/a", "/x"), ("/a", "/x/y")], ["19"]),
        ([("/a", "/x/y/z"), ("/a", "/x")], ["19"]),
        ([("/a", "/x/y"), ("/a", "/x/z"), ("/a", "/x")], ["19"]),
        ([("/a", "/x"), ("/a", "/xy")], []),
        ([("/a", "/"), ("/a", "/a")], []),
        ([("/a", "/"), ("/a", "//a")], ["19"]),
        ([("/a", "/x/0")], ["20"]),
        ([("/a", "/01")], ["20"]),
        ([("/a", "/x/-/y")], ["20"]),
        ([("/a", "/x1"), ("/a", "/-x"), ("/a", "/1.5"), ("/a", "/٣")], []),
    ],
)
def test_body_targets(mappings: list[tuple[str, str]], expected: list[str]) -> None:
    """P082, P091, P092."""
    assert codes(action(schema({"a": STRING}), body=body(*mappings))) == expected


@pytest.mark.parametrize(
    ("method", "expected"),
    [
        ("POST", []),
        ("PUT", []),
        ("PATCH", []),
        ("DELETE", []),
        ("GET", ["25"]),
        ("HEAD", ["29"]),
        ("OPTIONS", ["29"]),
        ("TRACE", ["29"]),
        ("post", ["29"]),
        ("", ["29"]),
        (None, ["29"]),
        ([], ["29"]),
    ],
)
def test_methods(method: Any, expected: list[str]) -> None:
    assert codes(action(schema({"a": STRING}), method=method, body=body(("/a", "/a")))) == expected


@pytest.mark.parametrize(("method", "mend"), [("delete", "write DELETE"), ("Get", "write GET"), ("HEAD", "")])
def test_a_method_in_lower_case_is_known(method: str, mend: str) -> None:
    (found,) = faults(action(schema({"a": STRING}), method=method))
    assert (found.code, found.help) == ("EXT0429", mend)


def test_get_with_a_null_body_has_none() -> None:
    assert codes(action(schema({"a": STRING}), query("/a"), method="GET", body=None)) == []


@pytest.mark.parametrize(
    ("content_type", "expected"),
    [
        ("application/json", []),
        ("application/vnd.github+json", []),
        ("application/merge-patch+json", []),
        ("application/+json", ["26"]),
        ("Application/json", ["26"]),
        ("application/json; charset=utf-8", ["26"]),
        ("application/json ", ["26"]),
        ("application/json\n", ["26"]),
        ("text/json", ["26"]),
        ("application/x-www-form-urlencoded", ["26"]),
        ("application/*+json", ["26"]),
        ("", ["26"]),
    ],
)
def test_body_content_types(content_type: str, expected: list[str]) -> None:
    value = action(schema({"a": STRING}), body={**body(("/a", "/a")), "content_type": content_type})
    assert codes(value) == expected


@pytest.mark.parametrize(
    ("example", "expected"),
    [
        ({"p": "a", "h": "b", "q": "é"}, []),
        ({"p": "a"}, []),
        ({"p": "."}, ["28"]),
        ({"p": ".."}, ["28"]),
        ({"p": ""}, ["28"]),
        ({"p": "..."}, []),
        ({"p": "a", "h": "é"}, ["28"]),
        ({"p": "a", "h": " b"}, ["28"]),
        ({"p": "a", "h": ""}, []),
        ({"p": "a", "h": "a,b"}, []),
        ({"p": "a", "l": ["a,b"]}, ["28"]),
        ({"p": "a", "l": ["a", "b"]}, []),
        ({"p": "a", "l": []}, []),
        ({"p": ".", "h": "é"}, ["28", "28"]),
        # refused by the schema already
        ({}, []),
        ({"p": 1, "h": "é"}, []),
        ({"p": None}, []),
        ("text", []),
    ],
)
def test_example_binds(example: Any, expected: list[str]) -> None:
    """P072."""
    strings = {"type": "array", "items": STRING}
    value = action(
        schema({"p": STRING, "q": STRING, "h": STRING, "l": strings}, "p"),
        path("/p"),
        query("/q"),
        header("/h", "X-H"),
        header("/l", "X-L"),
        path="/{p}",
        example=example,
    )
    assert codes(value) == expected


def test_rows_without_pointers_are_passed_over() -> None:
    value = action(schema({"a": STRING}), body=body(("/a", "/a")), example={"a": "x"})
    value["binding"]["body"]["mappings"] += [{"from": None, "to": "/b"}, {"from": "/a", "to": 1}, 3]
    assert codes(value) == []


def test_example_finding_stands_at_the_value() -> None:
    value = action(schema({"p": STRING}, "p"), path("/p"), path="/x/.{p}", example={"p": "."})
    (finding,) = faults(value)
    assert finding.place.pointer == "/catalog/example/p"
    assert [place.pointer for place in finding.related] == ["/binding/parameters/0/from"]


def test_example_whose_body_is_too_deep() -> None:
    target = "/x" * 200
    value = action(schema({"a": STRING}), body=body(("/a", target)), example={"a": "b"})
    assert codes(value) == ["28"]


@pytest.mark.parametrize("value", [{}, {"binding": None}, {"binding": []}, {"binding": "x", "catalog": 1}])
def test_action_without_a_binding(value: dict[str, Any]) -> None:
    assert codes(value) == []
