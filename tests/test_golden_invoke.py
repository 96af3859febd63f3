"""The cases under `golden/invoke`: each Builtin's code byte for byte against recorded exchanges."""

from __future__ import annotations

import pytest
from corpus import ROOT

from extpkg.fixture.coverage import measure
from extpkg.fixture.find import CaseFolder, cases_root, find_cases
from extpkg.fixture.run import run_case, run_cases
from extpkg.providers import builtin_registry
from extpkg.resources import builtin_package_path

GOLDEN = ROOT / "golden" / "invoke"
BUILTINS = builtin_registry().newest


def folders(domain: str) -> tuple[CaseFolder, ...]:
    actions = {action.name for action in BUILTINS[domain].extension.definition.actions}
    cases, strangers = find_cases(GOLDEN / domain, actions)
    assert strangers == ()
    return cases


CASES = [(domain, case) for domain in BUILTINS for case in folders(domain)]


@pytest.mark.parametrize(("domain", "case"), CASES, ids=[f"{domain}/{case}" for domain, case in CASES])
def test_case(domain: str, case: CaseFolder) -> None:
    """A019 to A051, A061, D028."""
    result = run_case(case, BUILTINS[domain])
    assert [f"{fault.place.path}: {fault.message}" for fault in result.faults] == []
    assert "\n".join(f"{each.title}\n{each.text}" for each in result.mismatches) == ""


@pytest.mark.parametrize("domain", BUILTINS)
def test_everything_there_is_to_try_is_tried(domain: str) -> None:
    builtin = BUILTINS[domain]
    results = run_cases(folders(domain), builtin)
    coverage = measure(builtin.extension.definition, builtin.extension.fails_with, results)
    assert [str(point) for point in coverage.untried] == []


@pytest.mark.parametrize("domain", BUILTINS)
def test_a_shipped_package_finds_its_cases(domain: str) -> None:
    assert cases_root(builtin_package_path(domain), domain) == GOLDEN / domain


def test_nothing_else_is_there() -> None:
    assert {path.name for path in GOLDEN.iterdir() if not path.name.startswith(".")} == set(BUILTINS)
    assert len(CASES) >= 40
