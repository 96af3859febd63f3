"""Every rule fires on its bad sample, and on that alone, at the stated place; never on its good sample."""

from __future__ import annotations

import os
import re
import shutil
from pathlib import Path

import pytest

import extpkg
from extpkg.check.publication import PUBLICATION_CODES
from extpkg.check.rules import RULES, Rule, rule, rule_named

ROOT = Path(__file__).resolve().parent.parent
BASES = {"arxiv": ROOT / "packages" / "arxiv"}
READER_ONLY = {"EXT0126", "EXT0430"}
"""Rules of values that are no package's: JSON input, and pointers that a program resolves."""

CONFIGURATION = {"EXT1110", "EXT1111", "EXT1112"}
"""Rules of the suppression file, which stands outside the package (tested with it)."""

FIXTURES = {row.code for row in RULES if row.code.startswith("EXT09")}
"""Rules of the files of a test case (tested with the reading of cases)."""

GATE = {row.code for row in RULES if row.code.startswith("EXT13")}
"""Rules of what the release gate asks beyond a valid package (tested with the gate)."""

AUTHORING = {row.code for row in RULES if row.code.startswith("EXT12")}
"""Rules of what a package is authored from (tested with the reading of sources)."""

CHANGES = {row.code for row in RULES if row.compares}
"""Rules of what differs between two versions of a package (tested with their comparison)."""

ELSEWHERE = READER_ONLY | CONFIGURATION | FIXTURES | CHANGES | AUTHORING | GATE
"""Rules that no package can break."""


@pytest.mark.parametrize("row", RULES, ids=lambda row: row.code)
def test_a_row_is_whole(row: Rule) -> None:
    assert re.fullmatch(r"EXT[0-9]{4}", row.code)
    assert re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", row.name)
    for text in (row.section, row.summary, row.why, row.fix, row.since):
        assert text.strip()
    assert (row.sample.good + row.sample.bad).strip()
    assert row.sample.good != row.sample.bad or row.sample.tree


def test_codes_and_names_are_unique_and_found() -> None:
    assert len({row.code for row in RULES}) == len({row.name for row in RULES}) == len(RULES)
    assert [row.code for row in RULES] == sorted(row.code for row in RULES)
    for row in RULES:
        assert rule(row.code) is rule_named(row.name) is rule_named(row.code.lower()) is row
    assert rule_named("EXT0000") is None


def test_every_code_in_the_source_is_a_row() -> None:
    source = "".join(path.read_text() for path in (ROOT / "extpkg").rglob("*.py"))
    used = set(re.findall(r"EXT[0-9]{4}", source)) | set(
        re.findall(r"EXT[0-9]{4}", "".join(p.read_text() for p in (ROOT / "schemas").glob("*.json")))
    )
    assert used == {row.code for row in RULES}


@pytest.mark.parametrize(
    "row",
    [row for row in RULES if row.code not in ELSEWHERE],
    ids=lambda row: row.code,
)
def test_a_sample_is_found_where_it_says(row: Rule, tmp_path: Path) -> None:
    good = extpkg.check_package(_package(row, tmp_path / "good", row.sample.good, broken=False))
    assert row.code not in {d.code for d in good.diagnostics}
    assert {d.code for d in good.diagnostics} <= PUBLICATION_CODES

    folder = _package(row, tmp_path / "bad", row.sample.bad, broken=True)
    if row.code == "EXT1101":
        _write_digest(folder)
    bad = extpkg.check_package(folder)
    aside = PUBLICATION_CODES - {row.code}
    found = [(d.code, d.path, d.line, d.column) for d in bad.diagnostics if d.code not in aside]
    assert found == [(row.code, row.sample.file, row.sample.line, row.sample.column)]
    assert [d.severity for d in bad.diagnostics if d.code == row.code] == [row.severity]


def _package(row: Rule, folder: Path, text: str, *, broken: bool) -> Path:
    """Write the base package with `text` in the sample's place; the sample's tree if it is the bad one."""
    sample = row.sample
    shutil.copytree(BASES.get(sample.base, ROOT / "golden" / "valid" / sample.base), folder)
    if sample.tree:
        for step in sample.tree if broken else ():
            _apply(folder, *step)
        return folder
    file = folder / sample.file
    before = file.read_bytes().decode()
    anchor = sample.anchor or sample.good
    assert before.count(anchor) == 1, f"{row.code}: the anchor stands {before.count(anchor)} times"
    file.write_bytes(before.replace(anchor, text).encode("utf-8", "surrogateescape"))
    return folder


def _write_digest(folder: Path) -> None:
    """Write the computed digest, since the right to a domain is judged where nothing else is wrong."""
    computed = extpkg.check_package(folder).digest
    assert computed is not None
    meta = folder / "meta.yaml"
    meta.write_text(re.sub(r"(?m)^digest: .*$", f"digest: {computed}", meta.read_text()))


def _apply(folder: Path, operation: str, path: str, argument: str) -> None:
    target = folder / path
    match operation:
        case "write":
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(argument.encode("utf-8", "surrogateescape"))
        case "symlink":
            target.unlink(missing_ok=True)
            target.symlink_to(argument)
        case "fifo":
            target.unlink(missing_ok=True)
            os.mkfifo(target)
        case "mkdir":
            target.mkdir(parents=True)
        case "remove":
            shutil.rmtree(target) if target.is_dir() else target.unlink()
        case "chmod":
            target.chmod(int(argument, 8))
            if os.access(target, os.R_OK):
                pytest.skip("this user reads files whatever their mode is")
        case "rename":
            target.rename(folder / argument)
        case _:
            raise AssertionError(operation)
