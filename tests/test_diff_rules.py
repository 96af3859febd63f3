"""Every rule of a difference is found on its sample: between the package before and after, where it says."""

from __future__ import annotations

import json
import re
import shutil
from typing import TYPE_CHECKING

import pytest
from console import extpkg
from corpus import ROOT

from extpkg.check.rules.changes import RULES

if TYPE_CHECKING:
    from pathlib import Path

    from extpkg.check.rules import Rule

ROWS = [row for row in RULES if row.code != "EXT0627"]
"""One edit of a file turns no Builtin into an External package: `test_diff_compare` has that."""


def written(row: Rule, text: str, folder: Path) -> Path:
    """Write the base package with a text of the sample in its place, and only the actions that it lists."""
    shutil.copytree(ROOT / "golden" / "valid" / row.sample.base, folder)
    name = "meta.yaml" if row.code in {"EXT0610", "EXT0611"} else row.sample.file
    before = (folder / name).read_bytes().decode()
    anchor = row.sample.anchor or row.sample.good
    assert before.count(anchor) == 1
    (folder / name).write_bytes(before.replace(anchor, text).encode())
    listed = re.findall("actions/[a-z-]+", (folder / "meta.yaml").read_text())
    for file in (folder / "actions").iterdir():
        if f"actions/{file.stem}" not in listed:
            file.unlink()
    return folder


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.code)
def test_a_sample_is_found_where_it_says(row: Rule, tmp_path: Path) -> None:
    old = written(row, row.sample.good, tmp_path / "old")
    new = written(row, row.sample.bad, tmp_path / "new")
    report = json.loads(extpkg("diff", "--format", "json", old, new).out)
    found = [change for change in report["changes"] if change["rule"] == row.code]
    others = {"EXT0616"} if row.code == "EXT0618" else set()
    assert {change["rule"] for change in report["changes"]} == {row.code} | others
    places = [
        (change["path"].partition(f"/{change['side']}/")[2], change["range"]["start"]) for change in found
    ]
    wanted = {"line": row.sample.line, "column": row.sample.column}
    assert (row.sample.file, wanted) in places
    assert {change["class"] for change in found} == {
        {"error": "breaking", "note": "text" if row.code > "EXT0628" else "compatible"}[row.severity.value]
    }


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.code)
def test_it_is_explained_before_and_after(row: Rule) -> None:
    said = extpkg("explain", row.code).out
    assert said.index("\nAfter, ") < said.index("\nBefore:\n")
