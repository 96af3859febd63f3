"""Updating a Package: the author's edits stay, the source's changes come, and where they meet it is said."""

from __future__ import annotations

from copy import deepcopy
from typing import TYPE_CHECKING, Any

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st
from openapi_sources import read

from extpkg.canonical import canonical_json
from extpkg.document.strict_yaml import parse_document
from extpkg.openapi.author import author
from extpkg.openapi.update import Merged, merge
from extpkg.openapi.update_merge import ABSENT, Merge
from extpkg.openapi.write import write_package
from extpkg.package import check_package

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

SOURCE: dict[str, Any] = {
    "openapi": "3.0.3",
    "info": {"title": "Pets", "version": "1", "description": "All about pets."},
    "servers": [{"url": "https://api.example.com/v1"}],
    "paths": {
        "/pets": {
            "get": {
                "operationId": "listPets",
                "summary": "List pets",
                "parameters": [{"name": "limit", "in": "query", "schema": {"type": "integer"}}],
                "responses": {
                    "200": {
                        "description": "ok",
                        "content": {"application/json": {"schema": {"type": "object"}}},
                    }
                },
            },
            "post": {
                "operationId": "addPet",
                "summary": "Add a pet",
                "requestBody": {
                    "required": True,
                    "content": {
                        "application/json": {
                            "schema": {
                                "type": "object",
                                "required": ["name"],
                                "properties": {"name": {"type": "string"}},
                            }
                        }
                    },
                },
                "responses": {"204": {"description": "added"}},
            },
        },
        "/pets/{id}": {
            "delete": {
                "operationId": "deletePet",
                "parameters": [{"name": "id", "in": "path", "required": True, "schema": {"type": "string"}}],
                "responses": {"204": {"description": "gone"}},
            }
        },
    },
}
LIST, ADD, DELETE = "actions/list-pets.yaml", "actions/add-pet.yaml", "actions/delete-pet.yaml"
META = "meta.yaml"

Files = dict[str, bytes]


@pytest.fixture
def authored(tmp_path: Path) -> Callable[[Any], Files]:
    def run(document: Any) -> Files:
        files = author(read(tmp_path, yaml.safe_dump(document))).files
        assert files
        return files

    return run


def changed(**changes: Callable[[Any], Any]) -> Any:
    """Return the source after a change to an operation, by its id."""
    document = deepcopy(SOURCE)
    for item in document["paths"].values():
        for operation in item.values():
            if operation.get("operationId") in changes:
                changes[operation["operationId"]](operation)
    return document


def edited(files: Files, path: str, edit: Callable[[Any], Any]) -> Files:
    """Return files after a person has edited one: its value changed, written anew with a comment on top."""
    value = parse_document(files[path]).value
    edit(value)
    return {**files, path: ("# by hand\n" + yaml.safe_dump(value, sort_keys=False)).encode()}


def value(files: Files, path: str) -> Any:
    return parse_document(files[path]).value


def valid(merged: Merged, tmp_path: Path) -> None:
    write_package(tmp_path / "merged", merged.files, replace=False)
    report = check_package(tmp_path / "merged")
    assert report.errors == (), [d.message for d in report.errors]


def conflicts(merged: Merged) -> list[tuple[str, str]]:
    return [(each.file, each.pointer) for each in merged.conflicts]


def test_nothing_changed_is_nothing_written_anew(authored: Callable[[Any], Files]) -> None:
    files = authored(SOURCE)
    assert merge(files, files, files) == Merged(files=files, conflicts=(), changed=False)


def test_edits_stay_where_the_source_did_not_change(authored: Callable[[Any], Files], tmp_path: Path) -> None:
    base = authored(SOURCE)
    ours = edited(
        base, LIST, lambda action: action["catalog"].update(summary="All the pets", example={"limit": 3})
    )
    ours = edited(ours, META, lambda meta: meta.update(version=7, name="My pets"))
    theirs = authored(changed(addPet=lambda operation: operation.update(summary="Add one pet")))
    merged = merge(base, ours, theirs)
    assert merged.conflicts == ()
    assert merged.changed
    assert value(merged.files, LIST)["catalog"]["summary"] == "All the pets"
    assert merged.files[LIST] == ours[LIST]
    assert value(merged.files, ADD)["catalog"]["summary"] == "Add one pet"
    meta = value(merged.files, META)
    assert (meta["version"], meta["name"]) == (7, "My pets")
    assert meta["digest"] != value(base, META)["digest"]
    assert meta["source"] == value(theirs, META)["source"]
    assert merged.files["source/openapi.yaml"] == theirs["source/openapi.yaml"]
    assert merged.files[META].startswith(b"# by hand\n")
    valid(merged, tmp_path)


def test_what_both_changed_is_the_authors_and_is_named(
    authored: Callable[[Any], Files], tmp_path: Path
) -> None:
    base = authored(SOURCE)
    ours = edited(base, LIST, lambda action: action["catalog"].update(summary="Mine"))
    theirs = authored(changed(listPets=lambda operation: operation.update(summary="Theirs")))
    merged = merge(base, ours, theirs)
    assert [
        (c.file, c.pointer, c.base, c.ours, c.theirs) for c in merged.conflicts if "summary" in c.pointer
    ] == [(LIST, "/catalog/summary", "List pets", "Mine", "Theirs")]
    assert value(merged.files, LIST)["catalog"]["summary"] == "Mine"
    valid(merged, tmp_path)


def test_the_same_change_on_both_sides_is_none(authored: Callable[[Any], Files]) -> None:
    base = authored(SOURCE)
    theirs = authored(
        changed(listPets=lambda operation: operation.update(summary="Same", description="Same"))
    )
    merged = merge(base, {**theirs, META: base[META]}, theirs)
    assert merged.conflicts == ()
    assert not merged.changed


def test_parameters_and_sets_are_merged_by_what_they_are(
    authored: Callable[[Any], Files], tmp_path: Path
) -> None:
    def more(operation: Any) -> None:
        operation["parameters"].append({"name": "page", "in": "query", "schema": {"type": "integer"}})

    def mine(action: Any) -> None:
        action["binding"]["parameters"][0]["explode"] = False
        action["catalog"]["input_schema"]["required"] = ["limit"]
        action["catalog"]["example"] = {"limit": 1}

    base = authored(SOURCE)
    merged = merge(base, edited(base, LIST, mine), authored(changed(listPets=more)))
    action = value(merged.files, LIST)
    assert merged.conflicts == ()
    assert {each["name"]: each.get("explode") for each in action["binding"]["parameters"]} == {
        "limit": False,
        "page": None,
    }
    assert action["catalog"]["input_schema"]["required"] == ["limit"]
    assert action["catalog"]["input_schema"]["properties"].keys() == {"limit", "page"}
    valid(merged, tmp_path)


def test_a_removed_action_stays_removed(authored: Callable[[Any], Files], tmp_path: Path) -> None:
    base = authored(SOURCE)
    ours = edited(base, META, lambda meta: meta["actions"].remove({"name": "delete-pet", "file": DELETE}))
    del ours[DELETE]
    merged = merge(base, ours, base)
    assert DELETE not in merged.files
    assert (merged.kept_out, merged.conflicts, merged.changed) == (("delete-pet",), (), False)
    theirs = authored(changed(deletePet=lambda operation: operation.update(summary="Another")))
    again = merge(base, ours, theirs)
    assert DELETE not in again.files
    assert [(c.file, c.pointer, c.ours) for c in again.conflicts] == [(DELETE, "", ABSENT)]
    assert again.kept_out == ("delete-pet",)
    valid(again, tmp_path)


def test_actions_come_and_go_with_the_source(authored: Callable[[Any], Files], tmp_path: Path) -> None:
    base = authored(SOURCE)
    document = deepcopy(SOURCE)
    del document["paths"]["/pets/{id}"]
    document["paths"]["/owners"] = {
        "get": {"operationId": "listOwners", "responses": {"204": {"description": "-"}}}
    }
    theirs = authored(document)
    merged = merge(base, base, theirs)
    assert (merged.added, merged.removed) == (("list-owners",), ("delete-pet",))
    assert merged.conflicts == ()
    assert merged.files.keys() == theirs.keys()
    edited_by_hand = edited(base, DELETE, lambda action: action["catalog"].update(summary="Mine"))
    kept = merge(base, edited_by_hand, theirs)
    assert conflicts(kept) == [(DELETE, "")]
    assert DELETE in kept.files
    valid(kept, tmp_path)


def test_a_name_changed_by_hand_is_no_new_action(authored: Callable[[Any], Files], tmp_path: Path) -> None:
    base = authored(SOURCE)
    ours = edited(base, LIST, lambda action: action.update(name="pets"))
    ours["actions/pets.yaml"] = ours.pop(LIST)
    ours = edited(
        ours,
        META,
        lambda meta: meta["actions"].__setitem__(
            [row["name"] for row in meta["actions"]].index("list-pets"),
            {"name": "pets", "file": "actions/pets.yaml"},
        ),
    )
    theirs = authored(changed(listPets=lambda operation: operation.update(description="More.")))
    merged = merge(base, ours, theirs)
    assert merged.conflicts == ()
    assert (merged.added, merged.removed, merged.kept_out) == ((), (), ())
    action = value(merged.files, "actions/pets.yaml")
    assert (action["name"], action["catalog"]["description"]) == ("pets", "More.")
    assert LIST not in merged.files
    valid(merged, tmp_path)


def test_a_name_changed_in_the_source_moves_the_edited_action(
    authored: Callable[[Any], Files], tmp_path: Path
) -> None:
    base = authored(SOURCE)
    ours = edited(base, LIST, lambda action: action["catalog"].update(summary="Mine"))
    theirs = authored(changed(listPets=lambda operation: operation.update(operationId="allPets")))
    merged = merge(base, ours, theirs)
    assert value(merged.files, "actions/all-pets.yaml")["catalog"]["summary"] == "Mine"
    assert LIST not in merged.files
    valid(merged, tmp_path)


def test_an_action_made_by_hand_stays(authored: Callable[[Any], Files], tmp_path: Path) -> None:
    base = authored(SOURCE)
    own = value(base, LIST)
    own["name"] = "own"
    own.pop("source_operation_id", None)
    own["binding"]["path"] = "/own"
    ours = {**base, "actions/own.yaml": yaml.safe_dump(own).encode()}
    ours = edited(
        ours, META, lambda meta: meta["actions"].append({"name": "own", "file": "actions/own.yaml"})
    )
    merged = merge(base, ours, base)
    assert merged.files["actions/own.yaml"] == ours["actions/own.yaml"]
    assert not merged.changed
    document = deepcopy(SOURCE)
    document["paths"]["/new"] = {"get": {"operationId": "own", "responses": {"204": {"description": "-"}}}}
    met = merge(base, ours, authored(document))
    assert value(met.files, "actions/own.yaml")["binding"]["path"] == "/own"
    assert ("actions/own.yaml", "/binding/path") in conflicts(met)
    valid(met, tmp_path)


def test_two_actions_that_come_to_one_name_are_a_conflict(
    authored: Callable[[Any], Files], tmp_path: Path
) -> None:
    base = authored(SOURCE)
    ours = edited(base, LIST, lambda action: action.update(name="owners"))
    ours["actions/owners.yaml"] = ours.pop(LIST)
    document = deepcopy(SOURCE)
    document["paths"]["/owners"] = {
        "get": {"operationId": "owners", "responses": {"204": {"description": "-"}}}
    }
    merged = merge(base, ours, authored(document))
    assert value(merged.files, "actions/owners.yaml")["binding"]["path"] == "/pets"
    assert conflicts(merged) == [("actions/owners.yaml", "")]
    valid(merged, tmp_path)


def test_without_a_base_the_authors_stands_and_every_difference_is_named(
    authored: Callable[[Any], Files], tmp_path: Path
) -> None:
    ours = edited(authored(SOURCE), LIST, lambda action: action["catalog"].update(summary="Mine"))
    document = changed(addPet=lambda operation: operation.update(summary="Add one pet"))
    document["paths"]["/owners"] = {
        "get": {"operationId": "listOwners", "responses": {"204": {"description": "-"}}}
    }
    merged = merge(None, ours, authored(document))
    assert {(LIST, "/catalog/summary"), (ADD, "/catalog/summary")} <= set(conflicts(merged))
    assert value(merged.files, ADD)["catalog"]["summary"] == "Add a pet"
    assert merged.added == ("list-owners",)
    valid(merged, tmp_path)


def test_comments_stay_in_files_that_change(authored: Callable[[Any], Files]) -> None:
    base = authored(SOURCE)
    text = base[LIST].decode().replace("catalog:", "catalog: # what an Agent sees", 1)
    theirs = authored(changed(listPets=lambda operation: operation.update(summary="Theirs")))
    merged = merge(base, {**base, LIST: text.encode()}, theirs)
    written = merged.files[LIST].decode()
    assert "# what an Agent sees" in written
    assert "summary: Theirs" in written


def test_a_comment_that_has_lost_its_place_does_not_stop_the_update(authored: Callable[[Any], Files]) -> None:
    base = authored(SOURCE)
    lines = base[LIST].decode().splitlines()
    at = next(index for index, line in enumerate(lines) if line.strip() == "limit:")
    lines.insert(at, lines[at].replace("limit:", "# gone soon"))
    text = "\n".join(lines) + "\n"
    theirs = authored(changed(listPets=lambda operation: operation["parameters"][0].update(name="size")))
    merged = merge(base, {**base, LIST: text.encode()}, theirs)
    assert value(merged.files, LIST)["catalog"]["input_schema"]["properties"].keys() == {"size"}


values = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(0, 3), st.sampled_from("ab")),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3), st.dictionaries(st.sampled_from("abc"), inner, max_size=3)
    ),
    max_leaves=8,
)


@settings(max_examples=200, deadline=None)
@given(values, values)
def test_one_side_alone_decides_where_the_other_is_the_base(base: Any, other: Any) -> None:
    for ours, theirs in ((base, other), (other, base), (other, other)):
        work = Merge("f")
        assert canonical_json(work.merged(base, ours, theirs)) == canonical_json(other)
        assert work.conflicts == []


@settings(max_examples=200, deadline=None)
@given(values, values, values)
def test_a_merge_is_stable(base: Any, ours: Any, theirs: Any) -> None:
    first = Merge("f").merged(base, ours, theirs)
    again = Merge("f")
    second = again.merged(theirs, first, theirs)
    assert canonical_json(second) == canonical_json(first)
    assert again.conflicts == []
