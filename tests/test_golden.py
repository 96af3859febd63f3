"""The packages under `golden/valid` and `golden/invalid`: what is said of each, no more and no less."""

from __future__ import annotations

import json
import os
import shutil
from typing import TYPE_CHECKING, Any, Final

import pytest
from console import extpkg as run
from corpus import ROOT

import extpkg
from extpkg.check.rules import RULES

if TYPE_CHECKING:
    from pathlib import Path

VALID: Final = ROOT / "golden" / "valid"
INVALID: Final = ROOT / "golden" / "invalid"
GOOD: Final = sorted(path.parent.name for path in VALID.glob("*/meta.yaml"))
BAD: Final = sorted(path.parent.name for path in INVALID.glob("*/expected.json"))
WARNINGS: Final[dict[str, list[dict[str, Any]]]] = json.loads((VALID / "expected.json").read_bytes())
"""The only findings that a valid package has."""

UNREACHABLE: Final = {
    "EXT0126": "JSON is read from inputs and fixtures; the files of a package are YAML",
    **{f"EXT090{digit}": "the files of a test case are no part of what is checked" for digit in range(1, 7)},
    "EXT0430": "only a program that resolves a pointer in a value can meet it",
    **{row.code: "it is found between two versions of a package" for row in RULES if row.compares},
    "EXT1201": "it is found in the source that a package is authored from",
    "EXT1110": "suppressions stand outside the package",
    "EXT1111": "suppressions stand outside the package",
    "EXT1112": "suppressions stand outside the package",
}
"""Rules that no package can break, with the reason; each has tests of its own."""

BY_COMMAND: Final = (
    "astral-before-the-fault",
    "bom-and-crlf-everywhere",
    "device-names",
    "digest-missing",
    "fault-at-the-very-end",
    "faults-in-every-file",
    "fifo-as-action",
    "lone-surrogates",
    "many-faults-in-one-binding",
    "null-document",
    "utf16-file",
    "warnings-of-all-kinds",
)
"""Cases that the command line is run on too."""


def expected(case: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads((INVALID / case / "expected.json").read_bytes())
    return found


def package(case: str, scratch: Path) -> Path:
    """Return the package of a case: where it lies, or a copy to which its steps have been applied."""
    steps = INVALID / case / "tree.json"
    if not steps.exists():
        return INVALID / case / "package"
    folder = scratch / "package"
    shutil.copytree(INVALID / case / "package", folder)
    for step in json.loads(steps.read_bytes()):
        _apply(folder / step["path"], step)
    return folder


def _apply(target: Path, step: dict[str, Any]) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    match step["step"]:
        case "write":
            target.write_bytes("".join(text * count for text, count in step["text"]).encode())
        case "symlink":
            target.symlink_to(step["target"])
        case "fifo":
            os.mkfifo(target)
        case "mkdir":
            target.mkdir()
        case "chmod":
            target.chmod(int(step["mode"], 8))
            if os.access(target, os.R_OK):
                pytest.skip("this user reads files whatever their mode is")
        case other:
            raise AssertionError(other)


def said(report: extpkg.Report) -> list[dict[str, Any]]:
    return [
        {
            "code": found.code,
            "severity": found.severity.value,
            "path": found.path,
            "pointer": found.pointer,
            "line": found.line,
            "column": found.column,
            "end_line": found.end_line,
            "end_column": found.end_column,
        }
        for found in report.diagnostics
    ]


NOWHERE: Final = {"start": {"line": 0, "column": 0}, "end": {"line": 0, "column": 0}}


def printed(text: str) -> list[dict[str, Any]]:
    """Return the findings of a JSON report in the form of `expected.json`."""
    found: list[dict[str, Any]] = json.loads(text)["diagnostics"]
    spans = [row["range"] or NOWHERE for row in found]
    return [
        {
            "code": row["rule"],
            "severity": row["severity"],
            "path": row["path"],
            "pointer": row["pointer"],
            "line": span["start"]["line"],
            "column": span["start"]["column"],
            "end_line": span["end"]["line"],
            "end_column": span["end"]["column"],
        }
        for row, span in zip(found, spans, strict=True)
    ]


@pytest.mark.parametrize("case", GOOD)
def test_valid(case: str) -> None:
    report = extpkg.check_package(VALID / case)
    assert said(report) == WARNINGS.get(case, [])
    assert report.ok
    assert extpkg.load_package(VALID / case).digest == report.digest


@pytest.mark.parametrize("case", BAD)
def test_invalid(case: str, tmp_path: Path) -> None:
    report = extpkg.check_package(package(case, tmp_path))
    assert said(report) == expected(case)
    for found in report.diagnostics:
        assert found.message.splitlines() == [found.message]
        assert found.help


@pytest.mark.parametrize("case", BY_COMMAND)
def test_invalid_by_command(case: str, tmp_path: Path) -> None:
    folder = package(case, tmp_path)
    ran = run("validate", "--format", "json", folder)
    wanted = expected(case)
    assert ran.code == int(any(row["severity"] == "error" for row in wanted))
    assert [row | {"path": row["path"].removeprefix(f"{folder}/")} for row in printed(ran.out)] == wanted


@pytest.mark.parametrize("case", [name for name in BAD if name.startswith("twenty-")])
def test_one_fault_is_one_finding(case: str) -> None:
    """The twenty faults of the acceptance list, in `github` and, where they fit, in `arxiv`."""
    assert len(expected(case)) == 1


def test_there_are_twenty_faults() -> None:
    assert len({case.split("-")[1] for case in BAD if case.startswith("twenty-")}) == 20


def test_every_rule_has_a_bad_package() -> None:
    """A mutation of a good package for each rule yields that code."""
    yielded = {row["code"] for case in BAD for row in expected(case)}
    assert yielded | set(UNREACHABLE) == {rule.code for rule in RULES}
    assert not yielded & set(UNREACHABLE)


@pytest.mark.parametrize("case", BAD)
def test_the_severity_is_the_rule_s(case: str) -> None:
    severities = {rule.code: rule.severity.value for rule in RULES}
    assert all(row["severity"] == severities[row["code"]] for row in expected(case))


def test_the_warnings_are_of_packages_that_exist() -> None:
    assert set(WARNINGS) <= set(GOOD)
    assert {row["severity"] for rows in WARNINGS.values() for row in rows} == {"warning"}
