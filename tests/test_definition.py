"""The Definition in its one form: what is sorted, what is data, what differs."""

from __future__ import annotations

import copy
import json
from dataclasses import FrozenInstanceError
from typing import Any

import pytest
from corpus import ROOT

from extpkg import load_package
from extpkg.definition.build import build, rebuild
from extpkg.definition.normalize import normalize, normalize_schema
from extpkg.definition.origins import Origin, origins
from extpkg.definition.projection import project, projection
from extpkg.diff.differences import Difference, Kind, differences
from extpkg.json_schema.keywords import HOLDS, Holds
from packages import values

VALID = ROOT / "golden" / "valid"
META, ACTIONS = values(ROOT / "golden" / "valid" / "github")
UNSORTED = {"required": ["b", "a"], "type": ["string"], "enum": [2, 1, 2.0]}
SORTED = {"required": ["a", "b"], "type": "string", "enum": [1, 2]}


@pytest.mark.parametrize("keyword", [keyword for keyword, holds in HOLDS.items() if holds is Holds.MAP])
def test_named_schemas_are_walked(keyword: str) -> None:
    assert normalize_schema({keyword: {"required": UNSORTED, "x": True}}) == {
        keyword: {"required": SORTED, "x": True}
    }


@pytest.mark.parametrize("keyword", [keyword for keyword, holds in HOLDS.items() if holds is Holds.LIST])
def test_listed_schemas_are_walked_in_their_order(keyword: str) -> None:
    assert normalize_schema({keyword: [False, UNSORTED, {}]}) == {keyword: [False, SORTED, {}]}


@pytest.mark.parametrize("keyword", [keyword for keyword, holds in HOLDS.items() if holds is Holds.SINGLE])
def test_single_schemas_are_walked(keyword: str) -> None:
    assert normalize_schema({keyword: UNSORTED}) == {keyword: SORTED}
    assert normalize_schema({keyword: True}) == {keyword: True}


@pytest.mark.parametrize("keyword", ["const", "default", "examples", "x-any", "title", "unknown"])
def test_data_is_never_walked(keyword: str) -> None:
    schema = {keyword: [UNSORTED, {"properties": {"a": UNSORTED}}]}
    assert normalize_schema(schema) == schema


def test_members_of_enum_are_data() -> None:
    assert normalize_schema({"enum": [UNSORTED]}) == {"enum": [UNSORTED]}


@pytest.mark.parametrize(
    ("schema", "normal"),
    [
        ({"enum": ["a", "a b", "B", 10, 9, 1.5, None, True, [2, 1], {"b": 1, "a": 2}]},
         {"enum": ["B", "a b", "a", 1.5, 10, 9, [2, 1], None, True, {"b": 1, "a": 2}]}),
        ({"enum": [1, 1.0, True, "1"]}, {"enum": ["1", 1, True]}),
        ({"enum": [{"a": 1, "b": 2}, {"b": 2.0, "a": 1}]}, {"enum": [{"a": 1, "b": 2}]}),
        ({"type": ["string", "null", "array"]}, {"type": ["array", "null", "string"]}),
        ({"type": ["null"]}, {"type": "null"}),
        ({"type": "null"}, {"type": "null"}),
        ({"required": ["\U0001f600", "\uff00", "z"]}, {"required": ["z", "\uff00", "\U0001f600"]}),
        ({"dependentRequired": {"z": ["b", "a"]}}, {"dependentRequired": {"z": ["a", "b"]}}),
        ({"dependentRequired": {"type": []}}, {"dependentRequired": {"type": []}}),
        (True, True),
        ({}, {}),
    ],
)  # fmt: skip
def test_sets_of_a_schema(schema: Any, normal: Any) -> None:
    before = copy.deepcopy(schema)
    assert repr(normalize_schema(schema)) == repr(normal)
    assert repr(normalize_schema(normalize_schema(schema))) == repr(normal)
    assert schema == before


@pytest.mark.parametrize(
    "schema",
    [{"required": 1, "type": None, "properties": [UNSORTED], "allOf": UNSORTED, "items": [UNSORTED]}],
)
def test_what_has_not_the_shape_of_its_keyword_stays(schema: Any) -> None:
    assert normalize_schema(schema) == schema


def test_depth_is_no_recursion() -> None:
    schema: Any = UNSORTED
    for _ in range(20_000):
        schema = {"not": schema}
    normal = normalize_schema(schema)
    for _ in range(20_000):
        normal = normal.pop("not")
        schema = schema.pop("not")
    assert normal == SORTED


def test_definition_is_immutable() -> None:
    """P025."""
    definition = build(META, ACTIONS)
    with pytest.raises(FrozenInstanceError):
        definition.version = 2  # type: ignore[misc]
    with pytest.raises((AttributeError, TypeError)):
        definition.more = 2  # type: ignore[attr-defined]


def test_a_builtin_has_neither_endpoint_nor_binding() -> None:
    meta = {key: META[key] for key in ("domain", "version", "name", "description")}
    action = {"name": ACTIONS[0]["name"], "catalog": ACTIONS[0]["catalog"]}
    value = project(build(meta, [action]))
    assert (value["endpoint"], value["auth"], value["actions"][0]["binding"]) == (
        None,
        {"profiles": []},
        None,
    )
    listed = {origin.pointer: origin for origin in origins(meta, [action])}
    for pointer in ("/endpoint", "/auth/profiles", "/actions/0/auth", "/actions/0/binding"):
        assert listed[pointer].source is None
    assert listed["/contract"] == Origin(
        pointer="/contract", file="", source=None, value="extpkg.definition/1"
    )


def test_null_and_empty_have_their_origin_where_they_are_written() -> None:
    meta = {**META, "auth": None}
    action = copy.deepcopy(ACTIONS[1])
    action |= {"auth": None}
    action["binding"] |= {"body": None, "static_headers": {}, "parameters": []}
    action["catalog"]["input_schema"] = {
        "enum": [[]],
        "dependentRequired": {"a": []},
        "type": ["object"],
        "not": {},
        "required": [],
    }
    listed = {origin.pointer: origin for origin in origins(meta, [action])}
    assert listed["/auth/profiles"].source == "/auth"
    assert listed["/actions/0/auth"].source == "/auth"
    assert listed["/actions/0/binding/body"].source == "/binding/body"
    assert listed["/actions/0/binding/static_headers"].source == "/binding/static_headers"
    schema = "/actions/0/catalog/input_schema"
    assert listed[f"{schema}/type"].source == "/catalog/input_schema/type/0"
    assert listed[f"{schema}/required"].source == "/catalog/input_schema/required"
    assert listed[f"{schema}/dependentRequired/a"].source == "/catalog/input_schema/dependentRequired/a"


def test_an_empty_list_of_profiles() -> None:
    listed = {origin.pointer: origin for origin in origins({**META, "auth": {"profiles": []}}, ACTIONS)}
    assert listed["/auth/profiles"].source == "/auth/profiles"
    listed = {origin.pointer: origin for origin in origins({**META, "auth": {}}, ACTIONS)}
    assert listed["/auth/profiles"].source is None


def changed(**places: Any) -> tuple[Difference, ...]:
    """Return the differences of the base package and one with values put at pointers (`__` is a slash)."""
    meta, actions = copy.deepcopy((META, ACTIONS))
    for place, value in places.items():
        *way, last = place.split("__")
        holder: Any = {"meta": meta, "create": actions[0], "get": actions[1], "list": actions[2]}[way[0]]
        for step in way[1:]:
            holder = holder[int(step) if step.isdigit() else step]
        holder[last] = value
    return differences(projection(build(META, ACTIONS)), project(build(meta, actions)))


def rows(found: tuple[Difference, ...]) -> list[tuple[str, Kind, str | None]]:
    return [(difference.pointer, difference.kind, difference.action) for difference in found]


def test_no_difference() -> None:
    assert changed() == ()
    assert changed(get__source_operation_id="x", meta__digest="y", get__binding__body=None) == ()


def test_a_changed_value() -> None:
    (found,) = changed(list__catalog__summary="List all")
    assert found == Difference(
        pointer="/actions/2/catalog/summary",
        kind=Kind.CHANGED,
        action="list-issues",
        old="List issues",
        new="List all",
    )


def test_booleans_are_no_numbers() -> None:
    assert rows(changed(get__catalog__input_schema__properties__number__minimum=True)) == [
        ("/actions/1/catalog/input_schema/properties/number/minimum", Kind.CHANGED, "get-issue")
    ]
    assert changed(get__catalog__input_schema__properties__number__minimum=1.0) == ()


def test_members_of_sets_are_matched_by_themselves() -> None:
    found = changed(get__catalog__input_schema__required=["repo", "a", "number"], meta__version=2)
    assert rows(found) == [
        ("/actions/1/catalog/input_schema/required/1", Kind.REMOVED, "get-issue"),
        ("/actions/1/catalog/input_schema/required/0", Kind.ADDED, "get-issue"),
        ("/version", Kind.CHANGED, None),
    ]


def test_parameters_are_matched_by_place_and_name() -> None:
    extra = {"from": "/a", "in": "header", "name": "A", "style": "simple"}
    first, second, third = ACTIONS[1]["binding"]["parameters"]
    found = changed(get__binding__parameters=[extra, {**third, "from": "/n"}, first, second])
    assert rows(found) == [
        ("/actions/1/binding/parameters/1/from", Kind.CHANGED, "get-issue"),
        ("/actions/1/binding/parameters/0", Kind.ADDED, "get-issue"),
    ]


def test_a_body_that_comes_and_goes_is_one_difference() -> None:
    assert rows(changed(create__binding__body=None)) == [
        ("/actions/0/binding/body", Kind.CHANGED, "create-issue")
    ]


def test_actions_are_matched_by_name() -> None:
    old = project(build(META, ACTIONS))
    new = project(build(META, ACTIONS[1:]))
    assert rows(differences(old, new)) == [("/actions/0", Kind.REMOVED, "create-issue")]
    assert rows(differences(new, old)) == [("/actions/0", Kind.ADDED, "create-issue")]
    assert differences(old, new)[0].old == old["actions"][0]


def test_profiles_are_matched_by_id() -> None:
    profiles = [
        {"id": "another", "type": "oauth2_bearer"},
        {"id": "default", "type": "api_key", "in": "query", "name": "k"},
    ]
    assert rows(changed(meta__auth__profiles=profiles)) == [
        ("/auth/profiles/1/in", Kind.ADDED, None),
        ("/auth/profiles/1/name", Kind.ADDED, None),
        ("/auth/profiles/1/type", Kind.CHANGED, None),
        ("/auth/profiles/0", Kind.ADDED, None),
    ]


def test_only_the_order_of_an_array_differs() -> None:
    one = changed(get__catalog__example={"owner": "a", "list": [1, 2, 2]})
    assert rows(one)[0] == ("/actions/1/catalog/example/list", Kind.ADDED, "get-issue")
    old = {"a": [1, 2, 2]}
    assert rows(differences(old, {"a": [2, 1, 2]})) == [("/a", Kind.CHANGED, None)]
    assert rows(differences(old, {"a": [1, 2]})) == [("/a", Kind.CHANGED, None)]
    assert rows(differences({"a": [{}, 1]}, {"a": [{}, 1, [2]]})) == [("/a/2", Kind.ADDED, None)]
    assert rows(differences({"a": [{}, 1]}, {"a": [{}]})) == [("/a/1", Kind.REMOVED, None)]


def test_projection_is_the_bytes_of_project() -> None:
    definition = build(META, ACTIONS)
    assert json.loads(projection(definition)) == project(definition) == project(normalize(definition))


@pytest.mark.parametrize("package", sorted(path.parent.name for path in VALID.glob("*/meta.yaml")))
def test_a_projection_holds_all_of_a_definition(package: str) -> None:
    """A double beyond 2^53 is written without a fraction, and must not come back as a whole number."""
    definition = load_package(VALID / package).definition
    assert rebuild(projection(definition)) == definition
