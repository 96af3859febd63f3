"""Schemas compared: what is proven to be compatible, what is blamed, and the value that shows it."""

from __future__ import annotations

from typing import Any

import pytest

from extpkg.diff.blame import judge
from extpkg.diff.differences import Kind, differences
from extpkg.diff.edits import Edit, edited, is_annotation, together
from extpkg.diff.inclusion import STEPS, includes
from extpkg.diff.samples import NONE, sample
from extpkg.diff.sites import Root, is_same
from extpkg.diff.texts import matching
from extpkg.json_schema import compile_schema
from extpkg.pointer import Pointer

STRING = {"type": "string"}
INTEGER = {"type": "integer"}


def closed(properties: dict[str, Any], *required: str, **more: Any) -> dict[str, Any]:
    return {
        "type": "object",
        "additionalProperties": False,
        "required": list(required),
        "properties": properties,
        **more,
    }


TREE = {
    "$ref": "#/$defs/node",
    "$defs": {
        "node": {
            "type": "object",
            "required": ["name"],
            "properties": {
                "name": STRING,
                "children": {"type": "array", "items": {"$ref": "#/$defs/node"}},
                "parent": {"anyOf": [{"type": "null"}, {"$ref": "#/$defs/node"}]},
            },
        }
    },
}


def tree(**node: Any) -> dict[str, Any]:
    return {**TREE, "$defs": {"node": {**TREE["$defs"]["node"], **node}}}  # type: ignore[index]


INCLUDED: list[tuple[str, Any, Any]] = [
    ("anything", {"type": "string"}, True),
    ("nothing", False, {"const": 1}),
    ("an annotation", {"title": "a", **STRING}, {"title": "b", **STRING}),
    ("a wider bound", {"type": "integer", "minimum": 3}, {"type": "number", "minimum": 2.5}),
    ("whole numbers past a bound", {"type": "integer", "minimum": 1}, {"exclusiveMinimum": 0}),
    ("a bound that excludes", {"exclusiveMaximum": 5}, {"maximum": 5}),
    ("whole numbers between bounds", {"type": "integer", "minimum": 1, "maximum": 3}, {"enum": [3, 2, 1]}),
    ("large decimals", {"minimum": 1e22}, {"minimum": 9.5e21}),
    ("multiples", {"multipleOf": 6}, {"multipleOf": 1.5}),
    ("whole numbers are multiples of 0.5", INTEGER, {"multipleOf": 0.5}),
    ("members of enum", {"enum": [1, "a", None]}, {"type": ["integer", "string", "null"]}),
    ("const", {"const": {"a": 1}}, {"type": "object", "required": ["a"]}),
    ("kinds", {"type": ["string", "integer"]}, {"anyOf": [{"type": "integer"}, {"type": "string"}]}),
    ("any of", {"anyOf": [STRING, {"const": 5}]}, {"type": ["string", "integer"]}),
    ("more branches", {"anyOf": [STRING, INTEGER]}, {"anyOf": [INTEGER, {"type": "null"}, STRING]}),
    ("one of by a tag",
     {"oneOf": [{"type": "object", "required": ["t"], "properties": {"t": {"const": "a"}}}]},
     {"oneOf": [{"type": "object", "required": ["t"], "properties": {"t": {"const": "a"}}},
                {"type": "object", "required": ["t"], "properties": {"t": {"const": "b"}}}]}),
    ("all of", {"allOf": [STRING, {"maxLength": 3}]}, {"type": "string", "maxLength": 4}),
    ("a reference", {"$ref": "#/$defs/a", "$defs": {"a": STRING}}, STRING),
    ("an anchor", {"$ref": "#a", "$defs": {"x": {"$anchor": "a", **STRING}}},
     {"$ref": "#b", "$defs": {"y": {"$anchor": "b", **STRING}}}),
    ("not", {"type": "integer"}, {"not": {"type": "string"}}),
    ("not more than before", {"not": {"type": ["string", "null"]}}, {"not": STRING}),
    ("the opposite of a condition", {"not": STRING, "type": ["string", "integer"]}, INTEGER),
    ("if", {"if": STRING, "then": {"minLength": 2}, "else": INTEGER},
     {"if": STRING, "then": {"minLength": 1}, "else": {"type": "number"}}),
    ("if met by all", STRING, {"if": STRING, "then": STRING, "else": False}),
    ("if with no else", {"type": "integer"}, {"if": STRING, "then": {"minLength": 2}}),
    ("required", closed({"a": True}, "a"), {"required": ["a"]}),
    ("required by another", {"required": ["a"], "dependentRequired": {"a": ["b"]}}, {"required": ["b"]}),
    ("dependent on what is not there", closed({"a": True}), {"dependentRequired": {"b": ["c"]}}),
    ("dependent schemas", {"dependentSchemas": {"a": {"required": ["b", "c"]}}},
     {"dependentSchemas": {"a": {"required": ["b"]}}}),
    ("dependent schema of what is not there", closed({}), {"dependentSchemas": {"b": False}}),
    ("an open object", closed({"a": STRING}), {"properties": {"a": STRING}}),
    ("a member more", closed({"a": STRING}), closed({"a": STRING, "b": INTEGER})),
    ("additional by a schema", {"additionalProperties": INTEGER},
     {"additionalProperties": {"type": "number"}}),
    ("patterns of names", {"patternProperties": {"^a": INTEGER}, "additionalProperties": False},
     {"patternProperties": {"^a": {"type": "number"}}}),
    ("a name and a pattern", closed({"ab": STRING}), {"patternProperties": {"^a": STRING}}),
    ("names", {"propertyNames": {"maxLength": 2}}, {"propertyNames": {"maxLength": 3}}),
    ("names of a closed object", closed({"ab": True}), {"propertyNames": {"pattern": "^a"}}),
    ("names that cannot be", {"propertyNames": {"enum": ["a"]}}, {"properties": {"b": False}}),
    ("sizes", closed({"a": True, "b": True}, "a"), {"minProperties": 1, "maxProperties": 2}),
    ("no members", {"maxProperties": 0}, {"properties": {"a": False}}),
    ("unevaluated",
     {"type": "object", "allOf": [{"properties": {"a": STRING}}], "unevaluatedProperties": False},
     closed({"a": STRING, "b": STRING})),
    ("closed otherwise", closed({"a": STRING}),
     {"type": "object", "allOf": [{"properties": {"a": STRING}}], "unevaluatedProperties": False}),
    ("items", {"items": INTEGER, "maxItems": 3}, {"items": {"type": "number"}, "maxItems": 3}),
    ("a prefix", {"prefixItems": [STRING, INTEGER], "items": False}, {"prefixItems": [STRING]}),
    ("a prefix that is not reached", {"type": "array", "maxItems": 1, "items": STRING},
     {"prefixItems": [STRING, INTEGER]}),
    ("no items", {"type": "array", "maxItems": 0}, {"items": False}),
    ("unique", {"type": "array", "maxItems": 1}, {"uniqueItems": True}),
    ("contains", {"contains": {"const": 1}, "minContains": 2}, {"contains": INTEGER}),
    ("contains at most", {"contains": INTEGER, "maxContains": 2},
     {"contains": {"const": 1}, "minContains": 0, "maxContains": 2}),
    ("contains few", {"maxItems": 2}, {"contains": True, "minContains": 0, "maxContains": 2}),
    ("a pattern", {"type": "string", "pattern": "^a"}, {"pattern": "^a", "minLength": 0}),
    ("what cannot be", {"type": "string", "minLength": 2, "maxLength": 1}, {"const": 1}),
    ("what cannot be an object", closed({"a": False}, "a"), STRING),
    ("what cannot be a list", {"type": "array", "minItems": 1, "items": False}, STRING),
    ("what cannot be a number", {"type": "number", "minimum": 2, "exclusiveMaximum": 2}, STRING),
    ("a tree", TREE, tree(title="Node")),
    ("a smaller tree", tree(required=["children", "name"]), TREE),
    ("a tree with shorter names", tree(properties={"name": {"type": "string", "maxLength": 5}}),
     tree(properties={"name": STRING})),
]  # fmt: skip


@pytest.mark.parametrize(("small", "big"), [row[1:] for row in INCLUDED], ids=[row[0] for row in INCLUDED])
def test_inclusion_is_proven(small: Any, big: Any) -> None:
    assert includes([small], big)


PARTED: list[tuple[str, Any, Any]] = [
    ("type", {"type": ["string", "integer"]}, INTEGER),
    ("enum", {"enum": ["a", "b"]}, {"enum": ["b", "c"]}),
    ("const", STRING, {"const": "a"}),
    ("maximum", INTEGER, {"type": "integer", "maximum": 10**6}),
    ("minimum", {"type": "number", "minimum": 0.5}, {"type": "number", "exclusiveMinimum": 0.5}),
    ("multiples", {"type": "number"}, {"type": "number", "multipleOf": 7}),
    ("length", STRING, {"type": "string", "maxLength": 40}),
    ("pattern", STRING, {"type": "string", "pattern": "^a+$"}),
    ("pattern of a pattern", {"pattern": r"^\d{3}-\d{3}$", **STRING},
     {"pattern": r"^\d{3}-0\d\d$", **STRING}),
    ("pattern and length", {"pattern": "^[a-z]+$", **STRING},
     {"pattern": "^[a-z]+$", "maxLength": 9, **STRING}),
    ("required", closed({"a": STRING, "b": STRING}, "a"), closed({"a": STRING, "b": STRING}, "a", "b")),
    ("a member", closed({"a": STRING, "b": STRING}, "a"), closed({"a": STRING}, "a")),
    ("a member deep inside", closed({"a": closed({"b": {"type": "array", "items": closed({"c": INTEGER})}})}),
     closed({"a": closed({"b": {"type": "array", "items": closed({"c": {"type": "integer",
      "maximum": 9}})}})})),
    ("additional", {"type": "object"}, closed({})),
    ("dependent", closed({"a": True, "b": True}),
     closed({"a": True, "b": True}, dependentRequired={"a": ["b"]})),
    ("dependent schema", closed({"a": True, "b": INTEGER}),
     closed({"a": True, "b": INTEGER}, dependentSchemas={"a": {"properties": {"b": {"minimum": 3}}}})),
    ("names", {"type": "object"}, {"type": "object", "propertyNames": {"maxLength": 3}}),
    ("pattern of names", {"type": "object"}, {"type": "object", "patternProperties": {"^x-": STRING}}),
    ("fewer members", {"type": "object"}, {"type": "object", "maxProperties": 3}),
    ("more members", closed({"a": INTEGER}), closed({"a": INTEGER}, minProperties=1)),
    ("items", {"type": "array"}, {"type": "array", "items": STRING}),
    ("a prefix", {"type": "array", "prefixItems": [STRING]},
     {"type": "array", "prefixItems": [STRING, INTEGER]}),
    ("fewer items", {"type": "array", "items": STRING}, {"type": "array", "items": STRING, "maxItems": 20}),
    ("more items", {"type": "array", "items": STRING}, {"type": "array", "items": STRING, "minItems": 1}),
    ("fewer different items", {"type": "array", "items": STRING, "uniqueItems": True, "maxItems": 200},
     {"type": "array", "items": STRING, "uniqueItems": True, "maxItems": 150}),
    ("equal items", {"type": "array", "items": INTEGER},
     {"type": "array", "items": INTEGER, "uniqueItems": True}),
    ("contains", {"type": "array"}, {"type": "array", "contains": {"const": 1}}),
    ("contains more", {"type": "array", "contains": {"const": 1}},
     {"type": "array", "contains": {"const": 2}}),
    ("any of", {"anyOf": [STRING, INTEGER]}, {"anyOf": [STRING]}),
    ("one of", {"oneOf": [{"const": 1}, {"const": 2}]}, {"oneOf": [{"const": 1}, {"const": 2}, INTEGER]}),
    ("not", STRING, {"type": "string", "not": {"const": "b"}}),
    ("if", {"type": ["string", "integer"]},
     {"if": INTEGER, "then": {"minimum": 0}, "type": ["string", "integer"]}),
    ("unevaluated", {"type": "object", "properties": {"a": True}},
     {"type": "object", "properties": {"a": True}, "unevaluatedProperties": False}),
    ("unevaluated items", {"type": "array", "prefixItems": [STRING]},
     {"type": "array", "prefixItems": [STRING], "unevaluatedItems": False}),
    ("a tree", TREE, tree(required=["children", "name"])),
    ("everything", True, False),
]  # fmt: skip


@pytest.mark.parametrize(("old", "new"), [row[1:] for row in PARTED], ids=[row[0] for row in PARTED])
def test_what_was_accepted_and_no_longer_is(old: Any, new: Any) -> None:
    assert not includes([old], new)
    found = judged(old, new)
    values = [each.value for each in found if each.narrows and each.value is not NONE]
    assert values
    before, after = compile_schema(old), compile_schema(new)
    assert all(before.accepts(value) and not after.accepts(value) for value in values)


def edits(old: Any, new: Any) -> list[Edit]:
    return [
        Edit(tokens=Pointer(row.place).tokens, kind=row.kind, value=row.new) for row in differences(old, new)
    ]


def judged(old: Any, new: Any) -> Any:
    return judge(old, new, edits(old, new))


def blamed(old: Any, new: Any) -> list[str]:
    return [
        row.pointer for row, each in zip(differences(old, new), judged(old, new), strict=True) if each.narrows
    ]


def test_changes_of_one_schema_are_told_apart() -> None:
    old = closed({"a": {"type": "string", "maxLength": 9}, "b": {"type": "integer", "maximum": 5}}, "a")
    new = closed({"a": {"type": "string", "maxLength": 8}, "b": {"type": "integer", "maximum": 6}, "c": True})
    assert blamed(old, new) == ["/properties/a/maxLength"]


def test_a_change_that_another_one_makes_up_for_is_none() -> None:
    old = closed({"a": STRING, "b": STRING})
    assert blamed(old, {"type": "object", "properties": {"a": STRING}}) == []
    renamed = {"$ref": "#/$defs/x", "$defs": {"x": STRING}}
    assert blamed(renamed, {"$ref": "#/$defs/y", "$defs": {"y": STRING}}) == []


def test_changes_that_narrow_only_together_are_blamed_together() -> None:
    old = {"if": {"const": 1}, "then": {"type": "integer"}, "minLength": 1}
    new = {"if": {"const": "a"}, "then": {"type": "integer"}, "minLength": 1}
    assert blamed(old, new) == ["/if/const"]
    both = {"contains": {"const": 1}, "minContains": 0}
    assert blamed(both, {"contains": {"const": 2}, "minContains": 1}) != []


def test_an_interplay_is_never_called_compatible() -> None:
    """The one change alone does nothing, the other alone does nothing; together they refuse."""
    old = {"$defs": {"x": True, "y": True}, "properties": {"a": {"$ref": "#/$defs/x"}}}
    new = {"$defs": {"x": True, "y": INTEGER}, "properties": {"a": {"$ref": "#/$defs/y"}}}
    found = judged(old, new)
    assert {each.narrows for each in found} == {True}
    assert any(each.value is not NONE for each in found)


def test_what_is_not_admitted_is_not_shown() -> None:
    old, new = STRING, {"type": "string", "maxLength": 3}
    (found,) = judge(old, new, edits(old, new), lambda _: False)
    assert (found.narrows, found.value) == (True, NONE)


def test_many_changes_are_judged_together() -> None:
    old = closed({f"p{index}": INTEGER for index in range(60)})
    new = closed({f"p{index}": {"type": "integer", "maximum": index} for index in range(60)})
    assert len(blamed(old, new)) == 60


def test_a_list_that_shifts_is_one_change() -> None:
    old = {"anyOf": [STRING, INTEGER]}
    new = {"anyOf": [{"type": "null"}, STRING, INTEGER]}
    assert [len(group) for group in together(edits(old, new))] == [3]
    assert blamed(old, new) == []


@pytest.mark.parametrize(
    ("tokens", "annotation"),
    [
        (("title",), True),
        (("properties", "title"), False),
        (("properties", "title", "title"), True),
        (("items", "default", "type"), True),
        (("x-order", "properties"), True),
        (("$comment",), True),
        (("contentSchema", "type"), True),
        (("enum", "0"), False),
        (("$defs", "examples", "minimum"), False),
        (("dependentRequired", "title", "0"), False),
        ((), False),
    ],
)
def test_annotations_judge_nothing(tokens: tuple[str, ...], *, annotation: bool) -> None:
    assert is_annotation(tokens) is annotation


def test_edits_keep_the_places_of_a_list() -> None:
    old = {"enum": ["a", "b", "c", "d"], "required": ["x"]}
    new = {"enum": ["d", "e", "b"], "required": ["x", "y"], "type": "object"}
    made = edited(old, edits(old, new))
    assert sorted(made["enum"]) == ["b", "d", "e"]
    assert made["required"] == ["x", "y"]
    assert edited({"a": 1}, [Edit(tokens=(), kind=Kind.CHANGED, value=True)]) is True


def test_a_proof_that_takes_too_long_is_none() -> None:
    deep: Any = INTEGER
    for _ in range(60):
        deep = {"anyOf": [{"items": deep}, {"items": deep}]}
    wider: Any = {"type": "number"}
    for _ in range(60):
        wider = {"oneOf": [{"items": wider}, {"not": {"items": wider}}]}
    assert STEPS < 10_000
    assert not includes([deep], wider)


def test_deep_schemas_are_no_recursion() -> None:
    chain = {f"d{index}": {"$ref": f"#/$defs/d{index + 1}"} for index in range(200)}
    old = {"$ref": "#/$defs/d0", "$defs": {**chain, "d200": STRING}}
    new = {"$ref": "#/$defs/d0", "$defs": {**chain, "d200": INTEGER}}
    assert not includes([old], new)
    nested: Any = STRING
    for _ in range(60):
        nested = {"properties": {"a": nested}, "required": ["a"], "type": "object"}
    assert is_same(Root(nested).site, Root(nested).site)
    assert sample((Root(nested).site,)) is NONE


def test_patterns_that_say_more_than_is_made() -> None:
    assert matching(r"\Ba") == ()
    assert matching("(") == ()
    assert matching("[^a]")
    assert matching("[]") == ()
    assert all(len(text) <= 100_000 for text in matching("(?:a{1000}){10}", (100_000,)))
    assert matching("^(?:(?:a|b)c?)+$", (2,)) == ("acac", "bcbc")
