"""The cases of `golden/bind`: the bytes are those of the oracle, of a plan, and of the command line."""

from __future__ import annotations

import hashlib
import json
from typing import TYPE_CHECKING, Any

import oracle
import pytest
from console import extpkg
from corpus import ROOT

from extpkg import ExtensionError, compile_action, load_package, parse_json
from packages import values

if TYPE_CHECKING:
    from pathlib import Path

GOLDEN = ROOT / "golden"
CASES = sorted(path.parent for path in (GOLDEN / "bind").glob("*/case.json"))
FILES = {"case.json", "input.json"}


def asked(case: Path) -> tuple[Path, str, Any]:
    row = json.loads((case / "case.json").read_bytes())
    return GOLDEN / row["package"], row["action"], parse_json((case / "input.json").read_bytes())


def body(case: Path) -> bytes | None:
    path = case / "body.json"
    return path.read_bytes() if path.exists() else None


def is_refused(case: Path) -> bool:
    return (case / "error.json").exists()


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_a_case_is_whole(case: Path) -> None:
    names = {path.name for path in case.iterdir()}
    if is_refused(case):
        assert names == FILES | {"error.json"}
        return
    assert names - {"body.json"} == FILES | {"canonical.json", "audit-hash.txt"}
    canonical = (case / "canonical.json").read_bytes()
    written = body(case)
    digest = None if written is None else hashlib.sha256(written).hexdigest()
    assert json.loads(canonical)["bodySha256"] == digest
    expected = f"sha256:{hashlib.sha256(canonical).hexdigest()}\n"
    assert (case / "audit-hash.txt").read_text() == expected


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_the_oracle_agrees(case: Path) -> None:
    """R-REQ."""
    package, name, value = asked(case)
    meta, actions = values(package)
    action = next(each for each in actions if each["name"] == name)
    try:
        request = oracle.expected(meta["endpoint"]["base_url"], action, value)
    except oracle.Refused:
        assert is_refused(case)
        return
    assert request.canonical() == (case / "canonical.json").read_bytes()
    assert request.body == body(case)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_a_plan_binds_it(case: Path) -> None:
    """P085 to P093."""
    package, name, value = asked(case)
    bound = compile_action(load_package(package).definition, name)
    if is_refused(case):
        with pytest.raises(ExtensionError) as caught:
            bound.bind(value)
        assert caught.value.details
        pointers = [row["pointer"] for row in caught.value.details["violations"]]
        assert {"code": caught.value.code, "pointers": pointers} == json.loads(
            (case / "error.json").read_bytes()
        )
        return
    request = bound.bind(value)
    assert request.canonical() == (case / "canonical.json").read_bytes()
    assert request.body == body(case)
    assert f"{request.audit_hash}\n" == (case / "audit-hash.txt").read_text()


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_the_command_line_shows_it(case: Path) -> None:
    package, name, _ = asked(case)
    ran = extpkg("bind", package, name, f"@{case / 'input.json'}", "--json")
    if is_refused(case):
        assert ran.code == 65
        return
    shown = json.loads(ran.out)
    assert shown["canonical"] == json.loads((case / "canonical.json").read_bytes())
    assert shown["body"] == (None if body(case) is None else (body(case) or b"").decode())
    assert f"{shown['auditHash']}\n" == (case / "audit-hash.txt").read_text()


def test_there_are_cases_of_every_kind() -> None:
    assert len(CASES) >= 40
    assert sum(map(is_refused, CASES)) >= 8
