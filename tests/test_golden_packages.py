"""The packages under `golden/packages`: complete, and everything that can be tried of them is tried."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

import pytest
from console import extpkg
from corpus import ROOT

from extpkg.binding.request import compile_action
from extpkg.errors import ExtensionError
from extpkg.fixture.case import read_case
from extpkg.fixture.find import find_cases
from extpkg.package import load_package

if TYPE_CHECKING:
    from pathlib import Path

PACKAGES: Final = sorted((ROOT / "golden/packages").glob("*/meta.yaml"))

for_each_package = pytest.mark.parametrize(
    "package", [meta.parent for meta in PACKAGES], ids=[meta.parent.name for meta in PACKAGES]
)


def test_the_packages_are_there() -> None:
    assert [meta.parent.name for meta in PACKAGES] == ["github", "hackernews-search", "open-meteo"]


@for_each_package
def test_it_is_ready_to_be_published(package: Path) -> None:
    """P004, P039: valid without a warning, in its one form, with the digest that is its own."""
    validated = extpkg("validate", "--strict", package)
    assert (validated.code, validated.out) == (0, "The package is valid.\n")
    assert extpkg("fmt", "--check", package).code == 0
    assert extpkg("digest", "--check", package).code == 0


@for_each_package
def test_every_case_passes_and_all_is_covered(package: Path) -> None:
    """P015, P081, P082, P085, P088: requests that were written by hand from R-REQ are those that are made."""
    ran = extpkg("test", package, "--coverage", "--fail-under", "100")
    assert (ran.code, ran.err) == (0, ""), ran.out
    count = len(list(package.glob("tests/*/*/input.json")))
    assert ran.out.endswith(f"{package}: {count} of {count} cases passed.\n")
    assert "untried" not in ran.out


@for_each_package
def test_its_page_for_people_names_every_action(package: Path) -> None:
    page = (package / "README.md").read_text(encoding="utf-8")
    actions = {action.name for action in load_package(package).definition.actions}
    assert actions <= set(re.findall(r"`([^`]+)`", page))


def refusals(package: Path) -> dict[str, tuple[str, str | None]]:
    """Return for each case that exchanges nothing the code that binding gives and the one that it expects."""
    definition = load_package(package).definition
    cases, _ = find_cases(package / "tests", {action.name for action in definition.actions})
    found: dict[str, tuple[str, str | None]] = {}
    for folder in cases:
        case = read_case(folder.path)
        plan = compile_action(definition, folder.action)
        if not case.exchanges:
            with pytest.raises(ExtensionError) as refused:
                plan.bind(case.input)
            found[f"{folder.action}/{folder.name}"] = (refused.value.code, case.expectation.code)
    return found


@for_each_package
def test_what_never_leaves_is_refused_before_there_is_a_request(package: Path) -> None:
    """R-BIND, R-REQ-1: an empty exchange is the refusal of an input, never a call that nobody recorded."""
    refused = refusals(package)
    assert set(refused.values()) == {("validation", "validation")}
    assert len(refused) >= 5
