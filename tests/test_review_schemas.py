"""A schema as rows: each place that it speaks of, once, whatever it is written with."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import pytest

from extpkg.review.limits import MOST, Limit, limits_of, said
from extpkg.review.schemas import DEPTH, PARTS, ROWS, Row, SchemaRows


def told(row: Row) -> str:
    """Return a row in one line: where, label, type, whether it is required."""
    need = {None: "", True: " required", False: " optional"}[row.required]
    label = f" ({row.label})" if row.label else ""
    return f"{row.above}{row.name}{label}: {row.kind}{need}"


def rows(schema: Any) -> list[str]:
    return [told(row) for row in SchemaRows(schema).rows]


NODE = {"type": "object", "properties": {"next": {"$ref": "#/$defs/node"}, "value": {"type": "string"}}}

CASES: dict[str, tuple[Any, list[str]]] = {
    "members": (
        {
            "type": "object",
            "required": ["b", "c"],
            "properties": {"a": {"type": "string"}, "b": {"type": ["null", "integer"]}},
        },
        [": object", "a: string optional", "b: integer or null required", "c: anything required"],
    ),
    "nested": (
        {"properties": {"a": {"type": "object", "properties": {"b": {"type": "string"}}}}},
        [": anything", "a: object optional", "a.b: string optional"],
    ),
    "items that the row above tells": ({"type": "array", "items": {"type": "string"}}, [": array of string"]),
    "items with something to say": (
        {"type": "array", "items": {"type": "string", "minLength": 1}},
        [": array of string", "[]: string"],
    ),
    "items of lists": (
        {
            "type": "array",
            "items": {"type": "array", "items": {"type": "object", "properties": {"a": True}}},
        },
        [": array of array of object", "[][].a: anything optional"],
    ),
    "a list of either": (
        {"type": "array", "items": {"type": ["string", "null"]}},
        [": array of (string or null)"],
    ),
    "tuples": (
        {"type": "array", "prefixItems": [{"type": "string"}, False], "items": {"const": 1}},
        [": array of number", "[0]: string", "[1]: nothing", "[]: number"],
    ),
    "a list of anything": ({"type": "array"}, [": array"]),
    "reference": (
        {"properties": {"a": {"$ref": "#/$defs/x"}}, "$defs": {"x": {"type": "integer"}}},
        [": anything", "a: integer optional"],
    ),
    "anchor": (
        {"properties": {"a": {"$ref": "#x"}}, "$defs": {"y": {"$anchor": "x", "type": "integer"}}},
        [": anything", "a: integer optional"],
    ),
    "the same reference twice": (
        {
            "properties": {"a": {"$ref": "#/$defs/x"}, "b": {"$ref": "#/$defs/x"}},
            "$defs": {"x": {"type": "object", "properties": {"c": {"type": "null"}}}},
        },
        [
            ": anything",
            "a: object optional",
            "a.c: null optional",
            "b: object optional",
            "b.c: null optional",
        ],
    ),
    "a reference back": (
        {"$ref": "#/$defs/node", "$defs": {"node": NODE}},
        [": object", "next: node again optional", "value: string optional"],
    ),
    "a reference to the whole": (
        {"type": "object", "properties": {"a": {"$ref": "#"}}},
        [": object", "a: the whole again optional"],
    ),
    "a reference to nothing": ({"properties": {"a": {"$ref": "#/x"}}}, [": anything", "a: nothing optional"]),
    "allOf": (
        {
            "allOf": [
                {"type": "object", "required": ["a"]},
                {"properties": {"a": {"type": "string"}}},
                {"properties": {"a": {"minLength": 1}, "b": {"type": "null"}}},
            ]
        },
        [": object", "a: string required", "b: null optional"],
    ),
    "anyOf": (
        {"properties": {"a": {"anyOf": [{"type": "string"}, {"type": "object", "properties": {"b": True}}]}}},
        [
            ": anything",
            "a: any of 2 options optional",
            "a (option 1 of 2): string",
            "a (option 2 of 2): object",
            "a.b: anything optional",
        ],
    ),
    "one or null": (
        {"oneOf": [{"type": "null"}, {"type": "object", "properties": {"b": {"type": "string"}}}]},
        [": object or null", "b: string optional"],
    ),
    "two nulls": (
        {"oneOf": [{"type": "null"}, {"type": "null"}]},
        [": one of 2 options", " (option 1 of 2): null", " (option 2 of 2): null"],
    ),
    "null beside a type that refuses it": (
        {"type": "object", "anyOf": [{"type": "null"}, {"required": ["a"]}]},
        [": object", " (option 1 of 2): null", " (option 2 of 2): anything", "a: anything required"],
    ),
    "choices": (
        {"properties": {"a": {"enum": ["x", 1, None, True, [], {}]}, "b": {"const": "x"}}},
        [
            ": anything",
            "a: array or boolean or null or number or object or string optional",
            "b: string optional",
        ],
    ),
    "patterns and others": (
        {"patternProperties": {"^x": {"type": "string"}}, "additionalProperties": {"type": "integer"}},
        [": anything", "* (names like ^x): string", "* (any other member): integer"],
    ),
    "conditions": (
        {
            "if": {"required": ["a"]},
            "then": {"required": ["b"]},
            "else": False,
            "not": {"type": "string"},
            "contains": {"type": "null"},
            "propertyNames": {"maxLength": 3},
            "dependentSchemas": {"a": {"required": ["c"]}},
        },
        [
            ": anything",
            " (an item): null",
            " (each name): anything",
            " (if): anything",
            "a: anything required",
            " (then): anything",
            "b: anything required",
            " (never): string",
            " (with a): anything",
            "c: anything required",
        ],
    ),
    "true and false": (
        {"properties": {"a": True, "b": False}},
        [": anything", "a: anything optional", "b: nothing optional"],
    ),
    "false": (False, [": nothing"]),
}


@pytest.mark.parametrize("case", CASES)
def test_rows(case: str) -> None:
    schema, expected = CASES[case]
    assert rows(schema) == expected


def test_a_row_names_what_a_binding_names() -> None:
    schema = {
        "properties": {
            "a": {"$ref": "#/$defs/x"},
            "b": {"type": "array", "items": {"properties": {"c": {"minimum": 1}}}},
        },
        "$defs": {"x": {"allOf": [{"properties": {"d": True}}]}},
    }
    tokens = {f"{row.above}{row.name}": row.tokens for row in SchemaRows(schema).rows}
    assert tokens == {"": (), "a": ("a",), "a.d": ("a", "d"), "b": ("b",), "b[].c": None}


def test_descriptions_titles_and_age() -> None:
    schema = {
        "properties": {
            "a": {"title": "T", "description": "D", "deprecated": True},
            "b": {"title": "T", "allOf": [{"description": "D"}]},
            "c": {"title": "T", "description": " "},
        }
    }
    found = SchemaRows(schema).rows[1:]
    assert [(row.description, row.is_deprecated) for row in found] == [
        ("D", True),
        ("D", False),
        ("T", False),
    ]
    assert said([{}]) == ""


LIMITS: list[tuple[dict[str, Any], list[tuple[str, tuple[str, ...]]]]] = [
    ({"const": None}, [("always", ("null",))]),
    ({"enum": ["a", 1]}, [("one of", ('"a"', "1"))]),
    ({"minimum": 0, "exclusiveMaximum": 9.5}, [("at least", ("0",)), ("less than", ("9.5",))]),
    ({"exclusiveMinimum": 0, "maximum": 2}, [("more than", ("0",)), ("at most", ("2",))]),
    ({"multipleOf": 0.01}, [("a multiple of", ("0.01",))]),
    ({"minLength": 1}, [("at least 1 character", ())]),
    ({"maxLength": 20}, [("at most 20 characters", ())]),
    ({"minItems": 1, "maxItems": 5}, [("1 to 5 items", ())]),
    ({"minProperties": 2, "maxProperties": 2}, [("exactly 2 members", ())]),
    ({"minContains": 2}, [("at least 2 matching items", ())]),
    ({"pattern": "^a$", "format": "uri"}, [("matches", ("^a$",)), ("format", ("uri",))]),
    ({"contentEncoding": "base64"}, [("encoded as", ("base64",))]),
    ({"uniqueItems": True, "items": False}, [("all different", ()), ("no further items", ())]),
    ({"uniqueItems": False}, []),
    ({"additionalProperties": False}, [("no other members", ())]),
    ({"unevaluatedProperties": False}, [("no other members", ())]),
    ({"dependentRequired": {"a": ["b", "c"]}}, [("with a also", ("b", "c"))]),
    ({"readOnly": True, "writeOnly": True}, [("read only", ()), ("write only", ())]),
    ({"default": ["ü"]}, [("default (not filled in)", ('["ü"]',))]),
    ({"examples": [1, 2]}, [("for example", ("1", "2"))]),
]


@pytest.mark.parametrize(("part", "expected"), LIMITS)
def test_limits(part: dict[str, Any], expected: list[tuple[str, tuple[str, ...]]]) -> None:
    assert [(limit.words, limit.values) for limit in limits_of([part])] == expected


def test_limits_of_all_schemas_of_a_place_each_once() -> None:
    assert limits_of([{"minLength": 1}, {"minLength": 1, "maxLength": 3}]) == (
        Limit(words="at least 1 character"),
        Limit(words="1 to 3 characters"),
    )


def test_long_lists_are_cut_and_say_so() -> None:
    (limit,) = limits_of([{"enum": list(range(100))}])
    assert (len(limit.values), limit.more) == (40, 60)
    (named,) = limits_of([{"dependentRequired": {"a": [str(each) for each in range(50)]}}])
    assert (len(named.values), named.more) == (40, 10)
    many = limits_of([{"dependentRequired": {str(each): [] for each in range(1_000)}}])
    assert (len(many), many[-1].words) == (MOST + 1, "and more")


def chain(keyword: str, width: int) -> dict[str, Any]:
    """Return a schema each of whose definitions holds the next one `width` times."""
    names = [f"d{index}" for index in range(30)]
    each = {name: {keyword: [{"$ref": f"#/$defs/{after}"}] * width} for name, after in pairwise(names)}
    return {"$ref": "#/$defs/d0", "$defs": {**each, names[-1]: {"type": "string"}}}


@pytest.mark.parametrize("keyword", ["allOf", "anyOf", "oneOf", "prefixItems"])
def test_schemas_that_double_at_every_level_end(keyword: str) -> None:
    found = SchemaRows(chain(keyword, 3))
    assert len(found.rows) <= ROWS
    assert found.is_cut == (keyword != "allOf")
    if keyword == "allOf":
        assert found.rows[0].kind == "string"


def test_lists_of_lists_end() -> None:
    names = [f"d{index}" for index in range(30)]
    lists = {
        name: {"type": "array", "allOf": [{"items": {"$ref": f"#/$defs/{after}"}}] * 3}
        for name, after in pairwise(names)
    }
    schema = {"$ref": "#/$defs/d0", "$defs": {**lists, names[-1]: {"type": "string"}}}
    assert SchemaRows(schema).is_cut
    assert rows(schema) == [": array of array of array of array"]


def test_rows_and_levels_and_parts_are_bounded() -> None:
    wide = SchemaRows({"properties": {str(index): True for index in range(1_000)}})
    assert (len(wide.rows), wide.is_cut) == (ROWS, True)
    deep: Any = {"type": "string"}
    for _ in range(DEPTH + 5):
        deep = {"properties": {"a": deep}}
    assert (len(SchemaRows(deep).rows), SchemaRows(deep).is_cut) == (DEPTH + 1, True)
    level: Any = {"type": "string"}
    for _ in range(DEPTH):
        level = {"properties": {"a": level}}
    assert (len(SchemaRows(level).rows), SchemaRows(level).is_cut) == (DEPTH + 1, False)
    many = SchemaRows({"allOf": [{"minLength": index} for index in range(1_000)]})
    assert len(many.rows[0].limits) == MOST + 1
    assert PARTS > MOST
