"""Documents written by hand, of 2.0, 3.0 and 3.1: what each becomes was decided before it was authored.

`expected.json` is written from the rules; `package/` and `report.json` are what comes out, byte for byte.
EXTPKG_PIN=1 pytest tests/test_openapi_golden.py     writes the latter two anew
"""

from __future__ import annotations

import json
import os
import shutil
from typing import TYPE_CHECKING, Any

import pytest
from authoring import action, errors_of, file_of, from_file
from console import extpkg
from corpus import ROOT

from extpkg.binding.request import compile_action
from extpkg.json_schema import compile_schema

if TYPE_CHECKING:
    from pathlib import Path

    from extpkg.openapi.author import Authored

FOLDER = ROOT / "golden/openapi"
NAMES = sorted(path.parent.name for path in FOLDER.glob("*/expected.json"))


def source_of(name: str) -> Path:
    [path] = FOLDER.glob(f"{name}/openapi.*")
    return path


def expected_of(name: str) -> dict[str, Any]:
    value: dict[str, Any] = json.loads((FOLDER / name / "expected.json").read_text())
    return value


def authored_of(name: str) -> Authored:
    return from_file(source_of(name), **expected_of(name)["options"])


OPERATIONS = [(name, place) for name in NAMES for place in expected_of(name)["operations"]]


def test_there_are_documents_of_every_version() -> None:
    assert len(NAMES) == 5


@pytest.mark.parametrize("name", NAMES)
def test_the_package_is_as_decided(name: str, tmp_path: Path) -> None:
    authored, expected = authored_of(name), expected_of(name)
    definition, report = authored.definition, authored.report
    assert definition is not None
    assert [row.place for row in report.rows] == list(expected["operations"])
    found = {
        "domain": definition.domain,
        "name": definition.name,
        "description": definition.description,
        "base_url": definition.base_url,
        "document_version": file_of(authored, "meta.yaml")["source"]["document_version"],
        "profiles": file_of(authored, "meta.yaml").get("auth", {"profiles": []})["profiles"],
        "document_warnings": [note.code for note in report.notes],
    }
    assert found == {key: expected[key] for key in found}
    for each, definitions in expected["definitions"].items():
        assert sorted(action(authored, each).catalog.input_schema["$defs"]) == definitions
    assert errors_of(authored, tmp_path / "package") == []


@pytest.mark.parametrize(("name", "place"), OPERATIONS)
def test_an_operation_is_taken_or_left_out_as_decided(name: str, place: str) -> None:
    authored, expected = authored_of(name), expected_of(name)["operations"][place]
    [row] = [row for row in authored.report.rows if row.place == place]
    if "reasons" in expected:
        assert [each.code for each in row.reasons] == expected["reasons"]
        assert not row.taken
        return
    assert row.reasons == ()
    found = _facts(authored, row.action or "")
    found["warnings"] = sorted({note.code for note in row.notes})
    assert {key: found[key] for key in expected} == expected


def _facts(authored: Authored, name: str) -> dict[str, Any]:
    taken = action(authored, name)
    binding, catalog, definition = taken.binding, taken.catalog, authored.definition
    assert binding is not None
    assert definition is not None
    assert compile_schema(catalog.input_schema).accepts(catalog.example)
    request = compile_action(definition, name).bind(catalog.example)
    return {
        "action": taken.name,
        "safety": catalog.safety.classification,
        "auth": [taken.auth.profile, *taken.auth.required_scopes] if taken.auth else None,
        "summary": catalog.summary,
        "inputs": sorted(catalog.input_schema.get("properties", {})),
        "required": catalog.input_schema.get("required", []),
        "example": catalog.example,
        "static_headers": dict(binding.static_headers),
        "url": request.url.removeprefix(definition.base_url or ""),
        "body": json.loads(request.body) if request.body else None,
        "content_type": binding.body.content_type if binding.body else None,
        "mode": binding.response.mode,
        "statuses": list(binding.response.success_statuses),
        "content_types": list(binding.response.content_types),
    }


@pytest.mark.parametrize("name", NAMES)
def test_files_and_report_are_pinned(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pinned = FOLDER / name
    monkeypatch.chdir(tmp_path)
    options = expected_of(name)["options"].get("server_variables", {})
    variables = [f"--server-var={key}={value}" for key, value in options.items()]
    source = shutil.copytree(pinned, tmp_path / "in") / source_of(name).name
    ran = extpkg("author", source, "package", *variables, "--report", "report.json", "--format", "json")
    assert ran.code == 0, ran.err
    if os.environ.get("EXTPKG_PIN"):
        shutil.rmtree(pinned / "package", ignore_errors=True)
        shutil.copytree("package", pinned / "package")
        shutil.copy("report.json", pinned / "report.json")
    assert _tree(tmp_path / "package") == _tree(pinned / "package")
    assert (tmp_path / "report.json").read_bytes() == (pinned / "report.json").read_bytes()


def _tree(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}
