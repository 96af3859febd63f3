"""Every package tree of the corpus, made on disk and checked whole: each is refused by the rule it breaks."""

from __future__ import annotations

import base64
import os
import re
import shutil
from pathlib import Path
from typing import Any

import pytest
from corpus import corpus

from extpkg import check_package
from extpkg.diagnostic import Severity

CORPUS: dict[str, Any] = corpus("conformance/paths.json")
TEMPLATES: dict[str, str] = CORPUS["templates"]
ACTION = TEMPLATES["action"].replace("name: @NAME@", 'name: "@NAME@"').replace("/@NAME@/{id}", "/items/{id}")
"""The template fitted: any name is a string, and none makes a malformed path."""

CASES: list[dict[str, Any]] = CORPUS["cases"]
DIGEST = {"EXT0603"}
"""The template's digest is zero."""

EXPECTED: dict[str, set[str]] = {
    r"listed-missing": {"EXT0205"},
    r"unlisted-(yml|nested|hidden|json)": {"EXT0204"},
    r"unlisted-(symlink|dangling)|symlink-(?!dir-inside|meta-inside).*": {"EXT0206"},
    r"symlink-(dir|meta)-inside": {"EXT0206", "EXT0203"},
    r"dup-.*": {"EXT0213"},
    r"spelling-.*|swapped|path-(?!nul|root-level|other-dir).*": {"EXT0211"},
    r"path-(root-level|other-dir)": {"EXT0211", "EXT0203"},
    r"path-nul": {"EXT0120"},
    r"inner-name-differs": {"EXT0212"},
    r"name-(?!win|long|empty).*": {"EXT0308"},
    r"name-empty": {"EXT0308", "EXT0202"},
    r"name-long-65": {"EXT0309"},
    r"name-win-com1": {"EXT0210"},
    r"case-collision-files": {"EXT0209"},
    r"nfc-nfd-files": {"EXT0209", "EXT0204"},
    r"nonutf8-file": {"EXT0204"},
    r"fifo.*|meta-dir": {"EXT0207"},
    r"meta-missing|empty-dir": {"EXT0201"},
    r"meta-json": {"EXT0201", "EXT0203"},
    r"meta-empty": {"EXT0107"},
    r"pkg-(missing|is-fifo)|unreadable": {"EXT0208"},
    r"actions-missing-key": {"EXT0302", "EXT0202"},
    r"action-no-file": {"EXT0302"},
    r"action-extra-field": {"EXT0301"},
    r"huge-file": {"EXT0103"},
}


def meta_text(case: dict[str, Any]) -> str:
    rows = case["actions"]
    if rows is None:
        return TEMPLATES["meta"].replace("actions:\n@ACTIONS@", "")
    lines = [_row(row) for row in rows]
    return TEMPLATES["meta"].replace("@ACTIONS@", "".join(lines)) + str(case.get("meta_extra", ""))


def _row(row: dict[str, Any]) -> str:
    return "  - {" + ", ".join(f"{key}: {_scalar(value)}" for key, value in row.items()) + "}\n"


def _scalar(value: Any) -> str:
    if not isinstance(value, str):
        return str(value)
    escaped = "".join(c if " " <= c <= "~" and c not in '"\\' else f"\\U{ord(c):08x}" for c in value)
    return f'"{escaped}"'


def content(case: dict[str, Any], text: str) -> str:
    kind, _, rest = text.partition(":")
    if kind == "meta":
        return meta_text(case)
    return ACTION.replace("@NAME@", rest) if kind == "action" else rest


def make(case: dict[str, Any], root: Path) -> None:
    root.mkdir()
    for entry in case["entries"]:
        target = root / entry["path"]
        if "path_b64" in entry:
            target = Path(os.fsdecode(os.fsencode(root) + b"/" + base64.b64decode(entry["path_b64"])))
        target.parent.mkdir(parents=True, exist_ok=True)
        _make_entry(case, entry, target, root)


def _make_entry(case: dict[str, Any], entry: dict[str, Any], target: Path, root: Path) -> None:
    kind = entry["type"]
    if kind == "dir":
        target.mkdir(exist_ok=True)
    elif kind == "symlink":
        target.symlink_to(entry["target"].replace("@PKG@", str(root)))
    elif kind == "hardlink":
        target.hardlink_to(root / entry["target"])
    elif kind == "fifo":
        os.mkfifo(target)
    elif kind == "sparse":
        with target.open("wb") as file:
            file.truncate(entry["size"])
    else:
        target.write_text(content(case, entry["content"]), encoding="utf-8")
        if "mode" in entry:
            target.chmod(int(entry["mode"], 8))


def place(case: dict[str, Any], tmp_path: Path) -> Path:
    """Make the case on disk and return the path that is given to the check."""
    root = tmp_path / "pkg"
    if case.get("outside"):
        outside = tmp_path / "outside"
        outside.mkdir()
        (outside / "meta.yaml").write_text(meta_text(case))
        (outside / "get-item.yaml").write_text(content(case, "action:get-item"))
    given = case.get("pkg")
    if given == "missing":
        return root
    if given == "fifo":
        os.mkfifo(root)
        return root
    make(case, root)
    if given == "symlink":
        (tmp_path / "given").symlink_to(root)
        return tmp_path / "given"
    return root


def expected(identifier: str) -> set[str]:
    return next((codes for pattern, codes in EXPECTED.items() if re.fullmatch(pattern, identifier)), set())


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["id"])
def test_tree(case: dict[str, Any], tmp_path: Path) -> None:
    """P042 to P049."""
    if case.get("skip_if") == "root" and hasattr(os, "geteuid") and os.geteuid() == 0:
        pytest.skip("root reads everything")
    path = place(case, tmp_path)
    try:
        report = check_package(path)
    finally:
        if case["id"] == "unreadable":
            shutil.rmtree(path)
    found = [diagnostic for diagnostic in report.diagnostics if diagnostic.code not in DIGEST]
    assert {diagnostic.code for diagnostic in found} == expected(case["id"])
    refused = any(diagnostic.severity is Severity.ERROR for diagnostic in found)
    assert refused == (case["verdict"] == "reject")
    said = "\n".join(f"{diagnostic.path}: {diagnostic.message}" for diagnostic in found)
    assert case.get("mention", "") in said
    said.encode("utf-8", "surrogateescape")
