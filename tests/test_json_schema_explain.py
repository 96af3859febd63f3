"""What a refused value is told: places in order, names, limits, choices, never a schema (P072)."""

from __future__ import annotations

from typing import Any

import pytest

from extpkg.json_schema import compile_schema

ISSUE = {
    "type": "object",
    "additionalProperties": False,
    "required": ["owner", "repo"],
    "properties": {
        "owner": {"type": "string", "minLength": 1},
        "repo": {"type": "string", "pattern": "^[a-z]+$"},
        "state": {"enum": ["open", "closed"]},
        "page": {"type": ["integer", "null"], "maximum": 10, "multipleOf": 2},
        "labels": {"type": "array", "uniqueItems": True, "items": {"type": "string"}, "minItems": 2},
    },
}
FORMS = {
    "oneOf": [
        {"type": "string"},
        {"type": "object", "required": ["a"], "properties": {"a": {"const": 1}}},
        {"type": "object", "properties": {"b": {"type": "string"}}},
    ]
}
TREE = {
    "anyOf": [{"type": "null"}, {"type": "object", "required": ["v"], "properties": {"c": {"$ref": "#"}}}]
}
LONG = "x" * 100
CUT = '"' + "x" * 60 + '…"'

CASES: list[tuple[Any, Any, list[str]]] = [
    (ISSUE, {}, ['| lacks the required member "owner"', '| lacks the required member "repo"']),
    (
        ISSUE,
        {"onwer": "a", "repo": "A"},
        [
            '/onwer | is no known member; did you mean "owner"?',
            '/repo | must match the pattern "^[a-z]+$", which "A" does not',
        ],
    ),
    (
        ISSUE,
        {"page": 13, "owner": "", "repo": "a", "state": "Open", "labels": [1]},
        [
            "/page | must be at most 10, not 13",
            "/page | must be a multiple of 2, not 13",
            "/owner | must have at least 1 character, not 0",
            '/state | must be one of "open", "closed", not "Open"; did you mean "open"?',
            "/labels | must have at least 2 items, not 1",
            "/labels/0 | must be a string, not 1",
        ],
    ),
    (
        ISSUE,
        {"owner": "a", "repo": "b", "page": 1.5, "labels": ["a", "a"], "state": "x", "zzzz": 1},
        [
            "/page | must be a whole number or null, not 1.5",
            "/labels | must not have the same item twice",
            '/state | must be one of "open", "closed", not "x"',
            '/zzzz | is no known member; known are "owner", "repo", "state", "page", "labels"',
        ],
    ),
    (ISSUE, [], ["| must be an object, not an array"]),
    (ISSUE, LONG, [f"| must be an object, not the string {CUT}"]),
    ({"type": ["object", "array", "null"]}, False, ["| must be an object, an array or null, not false"]),
    ({"enum": list(range(30))}, 77, ["| must be one of 0, 1, 2, 3, 4, 5, 6, 7, 8, 9 and 20 more, not 77"]),
    ({"enum": [[], {}]}, {"a": 1}, ["| must equal one of 2 listed values, which an object does not"]),
    ({"const": 1}, {}, ["| must be 1, not an object"]),
    ({"const": [1]}, [2], ["| must equal an array that the schema fixes"]),
    ({"minimum": 1, "exclusiveMinimum": 1}, 0, ["| must be at least 1, not 0", "| must be above 1, not 0"]),
    ({"exclusiveMaximum": 1}, 1, ["| must be below 1, not 1"]),
    ({"maxLength": 2.0, "minProperties": 1}, "abc", ["| must have at most 2 characters, not 3"]),
    ({"minProperties": 1}, {}, ["| must have at least 1 member, not 0"]),
    ({"maxProperties": 0, "maxItems": 1}, {"a": 1}, ["| must have at most 0 members, not 1"]),
    ({"maxItems": 1}, [1, 2], ["| must have at most 1 item, not 2"]),
    ({"properties": {"a": False}}, {"a": 1}, ["/a | must be absent"]),
    ({"additionalProperties": False}, {"a": 1}, ["/a | is no known member; none is allowed here"]),
    ({"additionalProperties": {"type": "null"}}, {"a": 1}, ["/a | must be null, not 1"]),
    (
        {"patternProperties": {"^x": {"type": "null"}}, "additionalProperties": False},
        {"xa": 1},
        ["/xa | must be null, not 1"],
    ),
    (
        {"propertyNames": {"maxLength": 2}},
        {"abc": 1},
        ["/abc | has a name that is not allowed: it must have at most 2 characters, not 3"],
    ),
    ({"dependentRequired": {"a": ["b"], "c": ["d"]}}, {"a": 1}, ['| has "a" and so needs "b" too']),
    ({"dependentSchemas": {"a": {"required": ["b"]}}}, {"a": 1}, ['| lacks the required member "b"']),
    ({"allOf": [{"$ref": "#/$defs/x"}], "$defs": {"x": {"type": "null"}}}, 1, ["| must be null, not 1"]),
    ({"allOf": [{"type": "null"}, {"type": "null"}]}, 1, ["| must be null, not 1"]),
    (
        {"prefixItems": [{"type": "null"}, True], "items": {"type": "string"}},
        [1, 2, 3],
        ["/0 | must be null, not 1", "/2 | must be a string, not 3"],
    ),
    (
        {"anyOf": [{"required": ["query"]}, {"required": ["idList", "n"]}]},
        {},
        ['| must have "query" or "idList" and "n"'],
    ),
    ({"anyOf": [{"type": "null"}]}, 1, ["| does not fit: it must be null, not 1"]),
    (
        FORMS,
        3,
        ["| fits none of the 3 allowed forms: form 1, the closest, says that it must be a string, not 3"],
    ),
    (
        FORMS,
        {"a": 2, "b": 1},
        ['| fits none of the 3 allowed forms: form 2, the closest, says that "/a" must be 1, not 2'],
    ),
    (FORMS, {"a": 1}, ["| fits forms 2 and 3 of 3, but must fit exactly one of them"]),
    (
        TREE,
        {"v": 1, "c": {"v": 1, "c": {"v": 1, "c": {"v": 1, "c": 1}}}},
        [
            "| "
            + 2 * 'fits none of the 2 allowed forms: form 2, the closest, says that "/c" '
            + "fits none of the 2 allowed forms"
        ],
    ),
    ({"not": {"type": "string"}}, "x", ['| must not be what "not" describes, but "x" is']),
    ({"if": {"required": ["k"]}, "then": {"required": ["z"]}}, {"k": 1}, ['| lacks the required member "z"']),
    ({"if": {"required": ["k"]}, "else": {"required": ["y"]}}, {}, ['| lacks the required member "y"']),
    ({"if": True, "else": False, "type": "null"}, 1, ["| must be null, not 1"]),
    (
        {"contains": {"type": "string"}},
        [1, 2],
        ["| has no item of the kind that is needed; of the first, it must be a string, not 1"],
    ),
    (
        {"contains": {"properties": {"a": False}}},
        [{"a": 1}],
        ['| has no item of the kind that is needed; of the first, "/a" must be absent'],
    ),
    ({"contains": True}, [], ["| has no item of the kind that is needed"]),
    (
        {"contains": True, "maxContains": 1},
        [1, 2],
        ["| has 2 items of the kind that may stand at most 1 times"],
    ),
    (
        {"contains": True, "minContains": 3},
        [1, 2],
        ["| has 2 items of the kind that must stand at least 3 times"],
    ),
    (
        {
            "properties": {"a": {}},
            "unevaluatedProperties": False,
            "allOf": [{"properties": {"beta": {}}}, {"anyOf": [{"properties": {"gamma": {}}}, True]}],
        },
        {"bta": 2, "gama": 3},
        [
            '/bta | is no known member; did you mean "beta"?',
            '/gama | is no known member; did you mean "gamma"?',
        ],
    ),
    ({"unevaluatedProperties": {"type": "null"}}, {"a": 1}, ["/a | must be null, not 1"]),
    ({"unevaluatedProperties": False, "type": "null"}, {"a": 1}, ["| must be null, not an object"]),
    (
        {"unevaluatedItems": {"type": "null"}, "prefixItems": [True], "contains": {"const": 2}},
        [1, 2, 3],
        ["/2 | must be null, not 3"],
    ),
]


@pytest.mark.parametrize(("schema", "value", "expected"), CASES)
def test_messages(schema: Any, value: Any, expected: list[str]) -> None:
    compiled = compile_schema(schema)
    assert not compiled.accepts(value)
    said = [f"{violation.pointer} | {violation.message}".lstrip() for violation in compiled.violations(value)]
    assert said == expected


def test_a_violation_names_its_keyword() -> None:
    schema = {"$defs": {"a/b": {"properties": {"c": {"allOf": [{"minLength": 2}]}}}}, "$ref": "#/$defs/a~1b"}
    (violation,) = compile_schema(schema).violations({"c": ""})
    assert (violation.pointer, violation.keyword) == ("/c", "minLength")
    assert violation.schema_pointer == "/$defs/a~1b/properties/c/allOf/0/minLength"
    (violation,) = compile_schema({"items": False}).violations([1])
    assert (violation.keyword, violation.schema_pointer) == ("false", "/items")


def test_the_limit_is_kept() -> None:
    compiled = compile_schema({**ISSUE, "required": [f"r{n}" for n in range(100)], "items": {"type": "null"}})
    assert len(compiled.violations({f"x{n}": n for n in range(100)})) == 20
    assert len(compiled.violations({f"x{n}": n for n in range(100)}, limit=3)) == 3
    assert len(compile_schema({"items": {"type": "null"}}).violations([1] * 100, limit=7)) == 7
    assert (
        len(compile_schema({"additionalProperties": False}).violations(dict.fromkeys("abcdefg"), limit=2))
        == 2
    )


def test_a_hundred_declared_names_are_not_all_told() -> None:
    schema = {"additionalProperties": False, "properties": {f"p{n}": {} for n in range(100)}}
    (violation,) = compile_schema(schema).violations({"zzzzzz": 1})
    assert violation.message.endswith('"p9", …')


def test_what_is_found_before_the_budget_ends_is_said() -> None:
    costly = {"pattern": "a{1000}"}
    text = "a" * 300_000
    compiled = compile_schema({"properties": {"a": {"type": "null"}, "b": costly}})
    assert [violation.keyword for violation in compiled.violations({"b": text})] == [""]
    assert not compiled.accepts({"a": 1, "b": text})
    # The verdict comes from `type`, which is judged first; reasons are looked for in the order of the text.
    compiled = compile_schema({"allOf": [costly, {"type": "null"}]})
    (violation,) = compiled.violations(text)
    assert violation.message.startswith("is too costly to check")
    compiled = compile_schema({"allOf": [{"type": "null"}, {"allOf": [costly, {"type": "null"}]}]})
    (violation,) = compiled.violations(text)
    assert violation.message.startswith("must be null")


def test_recursion_in_place_ends_at_the_bound() -> None:
    schema: dict[str, Any] = {"allOf": [{"type": "null"}, {"$ref": "#"}], "additionalProperties": False}
    compiled = compile_schema(schema)
    (violation,) = compiled.violations({})
    assert violation.message.startswith("is too costly")
    schema = {"$ref": "#/$defs/a", "$defs": {"a": {"allOf": [{"$ref": "#/$defs/a"}], "type": "object"}}}
    schema["unevaluatedProperties"] = False
    (violation,) = compile_schema(schema).violations({"x": 1})
    assert violation.message.startswith("is too costly")
    compiled = compile_schema(
        {"properties": {"a": {}}, "allOf": [{"if": {"required": ["b"]}}], "unevaluatedProperties": False}
    )
    (violation,) = compiled.violations({"z": 1})
    assert violation.message == 'is no known member; known are "a"'


def test_nothing_invisible_is_left_as_it_is() -> None:
    (violation,) = compile_schema({"type": "null"}).violations("a\u202eb\n")
    assert "\u202e" not in violation.message
    assert "\n" not in violation.message
