"""Every case under `golden/diff` gives its rows, at their lines, and witnesses that do what they say."""

from __future__ import annotations

import json
import shutil
from typing import TYPE_CHECKING, Any

import pytest
from console import extpkg
from corpus import ROOT
from diffs import replayed

from extpkg.package import read_package

if TYPE_CHECKING:
    from pathlib import Path

    from extpkg.definition.model import Definition

GOLDEN = ROOT / "golden" / "diff"
CASES = sorted(folder.name for folder in GOLDEN.iterdir() if folder.is_dir())


def versions(case: dict[str, Any], scratch: Path) -> tuple[Path, Path]:
    old, new = scratch / "old", scratch / "new"
    for folder in (old, new):
        shutil.copytree(ROOT / case["base"], folder)
    for edit in case["edits"]:
        file = new / edit["file"]
        if "removed" in edit:
            file.unlink()
        elif "renamed" in edit:
            file.rename(new / edit["renamed"])
        else:
            text = file.read_bytes().decode()
            assert text.count(edit["before"]) == 1, edit
            file.write_bytes(text.replace(edit["before"], edit["after"]).encode())
    return old, new


def definition(folder: Path) -> Definition:
    found = read_package(folder).definition
    assert found is not None
    return found


def said(row: dict[str, Any], folder: Path) -> dict[str, Any]:
    return {
        **{key: row[key] for key in ("rule", "class", "kind", "pointer", "side")},
        "path": row["path"].removeprefix(f"{folder / row['side']}/"),
        **row["range"]["start"],
        "shows": row["witness"]["shows"] if row["witness"] else None,
    }


def ordered(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return sorted(rows, key=lambda row: (row["pointer"], row["kind"]))


@pytest.mark.parametrize("name", CASES)
def test_case(name: str, tmp_path: Path) -> None:
    case = json.loads((GOLDEN / name / "case.json").read_bytes())
    old, new = versions(case, tmp_path)
    ran = extpkg("diff", "--witness", "--format", "json", old, new)
    assert (ran.code, ran.err) == (0, "")
    report = json.loads(ran.out)
    assert ordered([said(row, tmp_path) for row in report["changes"]]) == ordered(case["rows"])
    for row in report["changes"]:
        assert row["possible"] == (row["class"] == "breaking" and row["witness"] is None)
        if row["witness"]:
            assert replayed(definition(old), definition(new), row["witness"])
    due = [row for row in case["rows"] if row["rule"] != "EXT0629"]
    assert report["summary"]["bump"] == {"due": bool(due), "version": 2 if due else 1}


def test_every_code_has_a_case() -> None:
    rows = [row for name in CASES for row in json.loads((GOLDEN / name / "case.json").read_bytes())["rows"]]
    assert {row["rule"] for row in rows} == {f"EXT06{number}" for number in range(10, 31)} - {"EXT0627"}
