"""Bound requests against a second reading of R-REQ, and against a second process (issue: 200 pairs)."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import oracle
import pytest
from actions import FILE
from bound_packages import bound, pair
from corpus import ROOT

from extpkg import compile_action, load_package, parse_json
from extpkg.check import is_error
from extpkg.check.bindings import check_bindings
from extpkg.check.schemas import check_schemas
from packages import values

COUNT = 400
CASES = sorted((ROOT / "golden/packages").glob("*/tests/*/*/input.json"))
PAIRS = [pair(seed) for seed in range(COUNT)]


def expected(seed: int) -> list[Any] | str:
    made = PAIRS[seed]
    try:
        request = oracle.expected(made.base_url, made.action, made.value)
    except oracle.Refused:
        return "validation"
    body = None if request.body is None else request.body.hex()
    return [request.method, request.url, request.headers, body, request.audit_hash()]


@pytest.mark.parametrize("seed", range(COUNT))
def test_the_oracle_agrees(seed: int) -> None:
    """P085 to P093, P291."""
    assert bound(PAIRS[seed]) == expected(seed)


def test_the_pairs_are_sound_and_of_every_kind() -> None:
    outcomes = [expected(seed) for seed in range(COUNT)]
    made = [outcome for outcome in outcomes if isinstance(outcome, list)]
    assert len(made) >= 200
    assert COUNT - len(made) >= 20, "some inputs no request can carry"
    assert {outcome[0] for outcome in made} == {"GET", "POST", "PUT", "PATCH", "DELETE"}
    assert any("?" in outcome[1] for outcome in made)
    assert any(outcome[3] is None for outcome in made)
    assert any(len(outcome[2]) > 3 for outcome in made)
    for one in PAIRS:
        findings = [*check_schemas(one.action, FILE), *check_bindings(one.action, {}, FILE)]
        assert [finding for finding in findings if is_error(finding)] == []


@pytest.mark.parametrize(
    "environment",
    [
        {"PYTHONHASHSEED": "1", "LC_ALL": "C", "TZ": "Pacific/Kiritimati"},
        {"PYTHONHASHSEED": "4242", "LC_ALL": "tr_TR.UTF-8", "TZ": "America/St_Johns", "PYTHONUTF8": "0"},
    ],
    ids=["c", "tr"],
)
def test_another_process_binds_the_same_bytes(environment: dict[str, str]) -> None:
    script = Path(__file__).with_name("bound_packages.py")
    ran = subprocess.run(
        [sys.executable, str(script), "0", str(COUNT)],
        env={**os.environ, **environment},
        check=True,
        capture_output=True,
    )
    assert json.loads(ran.stdout) == [bound(one) for one in PAIRS]


@pytest.mark.parametrize("case", CASES, ids=lambda path: "/".join(path.parts[-5:-1]))
def test_the_oracle_agrees_on_real_packages(case: Path) -> None:
    folder, name = case.parents[3], case.parents[1].name
    meta, actions = values(folder)
    action = next(each for each in actions if each["name"] == name)
    value = parse_json(case.read_bytes())
    exchanges = json.loads(case.with_name("exchange.json").read_bytes())
    if not exchanges:
        return
    request = compile_action(load_package(folder).definition, name).bind(value)
    assert request.canonical() == oracle.expected(meta["endpoint"]["base_url"], action, value).canonical()
    assert request.url == exchanges[0]["request"]["url"]
