"""Rows of a comparison that no one edit of a package's files makes, and what counts as a witness."""

from __future__ import annotations

import copy
from dataclasses import replace
from typing import Any

import pytest
from corpus import ROOT

from extpkg.definition.build import build
from extpkg.diff import Change, Impact, Kind, Shows, bump_due, compare
from extpkg.diff.areas import area_of
from extpkg.diff.differences import differences
from extpkg.diff.places import Places
from extpkg.pointer import Pointer
from packages import values

META, ACTIONS = values(ROOT / "golden/valid/github")
DIALECT = "https://json-schema.org/draft/2020-12/schema"


def definition(meta: dict[str, Any] | None = None, *actions: dict[str, Any]) -> Any:
    return build({**META, **(meta or {})}, copy.deepcopy(actions or ACTIONS))


def builtin() -> Any:
    meta = {key: META[key] for key in ("domain", "version", "name", "description")}
    return build(
        meta, [{key: action[key] for key in ("name", "catalog")} for action in copy.deepcopy(ACTIONS)]
    )


def by_code(rows: tuple[Change, ...]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for row in rows:
        found.setdefault(row.code, []).append(row.pointer)
    return found


def test_a_builtin_that_becomes_external() -> None:
    """The binding comes from nowhere: another party executes the action, and no request shows it."""
    rows = compare(builtin(), definition())
    assert by_code(rows) == {
        "EXT0627": [f"/actions/{index}/binding" for index in range(3)],
        "EXT0620": ["/actions/0/auth", "/actions/1/auth", "/actions/2/auth", "/auth/profiles/0"],
        "EXT0621": ["/endpoint"],
    }
    assert all(row.possible for row in rows)
    back = compare(definition(), builtin())
    assert by_code(back).keys() == {"EXT0627", "EXT0620", "EXT0621"}
    assert {row.impact for row in back} == {Impact.BREAKING}


def test_the_input_of_a_builtin_is_judged_by_its_schema() -> None:
    old, new = builtin(), builtin()
    new.actions[1].catalog.input_schema["properties"]["number"]["minimum"] = 7
    (row,) = compare(old, new)
    assert row.witness is not None
    assert row.witness.shows is Shows.INPUT
    assert row.witness.old == {"accepted": True}
    assert row.witness.new["error"]["code"] == "validation"


def test_an_action_that_is_gone_is_not_found() -> None:
    for old in (builtin(), definition()):
        new = replace(old, actions=old.actions[1:])
        (row,) = compare(old, new)
        assert (row.code, row.kind) == ("EXT0610", Kind.REMOVED)
        assert row.witness is not None
        assert row.witness.new["error"]["code"] == "not_found"
        assert "error" not in row.witness.old


def test_an_action_that_nothing_can_call_is_gone_without_a_witness() -> None:
    dead = copy.deepcopy(ACTIONS[1])
    dead["catalog"] |= {"input_schema": {"$schema": DIALECT, "not": {}}, "example": None}
    (row,) = compare(definition(None, *ACTIONS[:1], dead), definition(None, ACTIONS[0]))
    assert (row.code, row.possible) == ("EXT0610", True)


def test_an_input_that_can_no_longer_be_sent() -> None:
    """The schema still takes it; the path does not."""
    old, new = copy.deepcopy(ACTIONS[2]), copy.deepcopy(ACTIONS[2])
    for action, place in ((old, "query"), (new, "header")):
        action["catalog"]["example"] = None
        action["catalog"]["input_schema"]["properties"]["state"] = {"enum": ["\u00e9"]}
        action["binding"]["parameters"][2] = {
            "from": "/state", "in": place, "name": "state", "style": "form" if place == "query" else "simple",
        }  # fmt: skip
    old["catalog"]["input_schema"]["required"].append("state")
    new["catalog"]["input_schema"]["required"].append("state")
    rows = compare(definition(None, old), definition(None, new))
    assert {row.code for row in rows} == {"EXT0625"}
    for row in rows:
        assert row.witness is not None
        assert row.witness.shows is Shows.INPUT
        assert "cannot be sent" in row.witness.new["error"]["message"]


def test_a_result_larger_than_any_is_no_witness() -> None:
    """Only data over the limit of a result would tell these schemas apart."""
    old, new = copy.deepcopy(ACTIONS[1]), copy.deepcopy(ACTIONS[1])
    old["catalog"]["output_schema"] = {"$schema": DIALECT, "type": "string", "maxLength": 66_000}
    new["catalog"]["output_schema"] = {"$schema": DIALECT, "type": "string", "maxLength": 67_000}
    (row,) = compare(definition(None, old), definition(None, new))
    assert (row.code, row.possible) == ("EXT0614", True)


def test_text_answers() -> None:
    old, new = copy.deepcopy(ACTIONS[1]), copy.deepcopy(ACTIONS[1])
    old["binding"]["response"]["content_types"] = ["text/plain"]
    new["binding"]["response"] |= {"content_types": ["text/plain"], "max_bytes": 100}
    (row,) = compare(definition(None, old), definition(None, new))
    assert row.witness is not None
    assert row.witness.shows is Shows.ANSWER
    assert row.witness.value["headers"] == [["content-type", "text/plain"]]
    assert len(row.witness.old["data"]) == 65536 - 2
    assert row.witness.new["error"]["details"] == {"reason": "result_too_large"}


def test_a_success_that_gave_nothing() -> None:
    """An answer without data is a result too."""
    old, new = copy.deepcopy(ACTIONS[1]), copy.deepcopy(ACTIONS[1])
    old["binding"]["response"] = {"mode": "empty", "success_statuses": [200, 204]}
    new["binding"]["response"] = {"mode": "empty", "success_statuses": [200]}
    (row,) = compare(definition(None, old), definition(None, new))
    assert row.witness is not None
    assert row.witness.old == {"data": None}


def test_a_limit_that_no_answer_meets() -> None:
    old, new = copy.deepcopy(ACTIONS[1]), copy.deepcopy(ACTIONS[1])
    old["binding"]["response"] = {"mode": "empty", "success_statuses": [204]}
    new["binding"]["response"] = {"mode": "empty", "success_statuses": [204], "max_bytes": 5}
    (row,) = compare(definition(None, old), definition(None, new))
    assert (row.code, row.possible) == ("EXT0616", True)


@pytest.mark.parametrize(
    ("meta", "due"),
    [({}, 1), ({"version": 2}, 1), ({"version": 9, "name": "Another"}, 2), ({"name": "Another"}, 2)],
)
def test_the_bump_that_is_due(meta: dict[str, Any], due: int) -> None:
    """P056: the version by itself is no change; any other one asks for the next version."""
    assert bump_due(definition(), definition(meta)) == due


def test_every_place_of_a_projection_has_an_area() -> None:
    """The walk over both sides of a comparison with nothing meets every place."""
    extra = {"domain": "other", "version": 2, "name": "n", "description": "d", "auth": None}
    changed = definition({**extra, "endpoint": {"base_url": "https://a.example"}}, ACTIONS[1])
    for row in differences(_projected(definition()), _projected(changed)):
        tokens = Pointer(row.pointer).tokens
        if "input_schema" not in tokens and "output_schema" not in tokens:
            assert area_of(tokens, row).code.startswith("EXT06")
    with pytest.raises(KeyError):
        area_of(("contract",), differences({"contract": 1}, {"contract": 2})[0])


def _projected(value: Any) -> Any:
    from extpkg.definition.projection import project

    return project(value)


@pytest.mark.parametrize(
    ("pointer", "file", "source"),
    [
        ("/version", "meta.yaml", "/version"),
        ("/contract", "meta.yaml", ""),
        ("/endpoint", "meta.yaml", "/endpoint"),
        ("/auth/profiles/0/type", "meta.yaml", "/auth/profiles/0/type"),
        ("/actions/0", "actions/create-issue.yaml", ""),
        ("/actions/1/binding/parameters/0/from", "actions/get-issue.yaml", "/binding/parameters/2/from"),
        ("/actions/1/binding/parameters/0/style", "actions/get-issue.yaml", "/binding/parameters/2"),
        ("/actions/2/binding/body", "actions/list-issues.yaml", "/binding"),
        ("/actions/0/binding/response/max_bytes", "actions/create-issue.yaml", "/binding/response"),
        ("/actions/2/binding/static_headers/accept", "actions/list-issues.yaml",
         "/binding/static_headers/Accept"),
        ("/actions/2/catalog/input_schema/properties/state/enum/0", "actions/list-issues.yaml",
         "/catalog/input_schema/properties/state/enum/2"),
        ("/actions/2/catalog/input_schema/properties/state", "actions/list-issues.yaml",
         "/catalog/input_schema/properties/state"),
    ],
)  # fmt: skip
def test_places_in_the_files(pointer: str, file: str, source: str) -> None:
    assert Places(META, {action["name"]: action for action in ACTIONS}).find(pointer) == (file, source)


def test_a_type_in_a_list_of_one_stands_in_the_list() -> None:
    action = copy.deepcopy(ACTIONS[1])
    action["catalog"]["output_schema"] = {"type": ["object"], "title": "t"}
    places = Places(META, {"get-issue": action})
    schema = "/actions/0/catalog/output_schema"
    assert places.find(f"{schema}/type")[1] == "/catalog/output_schema/type/0"
    assert places.find(schema)[1] == "/catalog/output_schema"
    assert Places({**META, "auth": None}, {}).find("/auth/profiles") == ("meta.yaml", "/auth")
