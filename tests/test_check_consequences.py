"""One fault of the author that shows in several files is one finding."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from corpus import ROOT

import extpkg
from extpkg.package import read_package

GITHUB = ROOT / "golden" / "valid" / "github"
ACTIONS = ("create-issue", "get-issue", "list-issues")
ID, DEFAULT, PROFILE = "/auth/profiles/0/id", "/auth/default", "/auth/profile"


@pytest.fixture
def github(tmp_path: Path) -> Path:
    return Path(shutil.copytree(GITHUB, tmp_path / "github"))


def change(package: Path, file: str, old: str, new: str) -> None:
    path = package / file
    text = path.read_text()
    assert text.count(old) == 1
    path.write_text(text.replace(old, new))


def use(package: Path, profile: str, *actions: str) -> None:
    for action in actions:
        change(package, f"actions/{action}.yaml", "profile: default", f"profile: {profile}")


def said(package: Path) -> list[tuple[str, str, str]]:
    return [(d.code, d.path, d.pointer) for d in extpkg.check_package(package).diagnostics]


def test_a_wrong_profile_id_is_said_at_the_id(github: Path) -> None:
    change(github, "meta.yaml", "- id: default", "- id: defualt")
    (found,) = extpkg.check_package(github).diagnostics
    assert (found.code, found.path, found.pointer, found.line) == ("EXT0707", "meta.yaml", ID, 22)
    assert found.message.startswith('3 actions use the profile "default"')
    (first,) = found.related
    assert (first.path, first.pointer) == ("actions/create-issue.yaml", PROFILE)
    assert first.position
    assert first.excerpt
    assert (first.position.line, first.excerpt.text) == (4, "  profile: default")


def test_a_malformed_profile_id_is_said_once(github: Path) -> None:
    change(github, "meta.yaml", "- id: default", "- id: Default")
    assert said(github) == [("EXT0718", "meta.yaml", ID)]


def test_a_malformed_profile_id_that_is_no_default_either(github: Path) -> None:
    change(github, "meta.yaml", "- id: default", "- id: Default")
    change(github, "meta.yaml", "  default: default", "  default: other")
    assert said(github) == [("EXT0705", "meta.yaml", DEFAULT), ("EXT0718", "meta.yaml", ID)]


def test_a_name_that_all_actions_use_is_said_once(github: Path) -> None:
    use(github, "main", *ACTIONS)
    assert said(github) == [("EXT0707", "meta.yaml", ID)]


def test_a_name_that_one_action_uses_is_said_there(github: Path) -> None:
    change(
        github, "meta.yaml", "    - id: default\n", "    - {id: a, type: oauth2_bearer}\n    - id: default\n"
    )
    use(github, "b", "get-issue")
    assert said(github) == [("EXT0707", "actions/get-issue.yaml", PROFILE)]


def test_two_names_are_two_faults(github: Path) -> None:
    use(github, "a", "create-issue", "get-issue")
    use(github, "b", "list-issues")
    assert [code for code, *_ in said(github)] == ["EXT0707", "EXT0707", "EXT0707", "EXT0706"]


def test_an_api_key_without_a_place_judges_no_scopes(github: Path) -> None:
    """Its type may be what is wrong."""
    change(github, "meta.yaml", "type: oauth2_bearer", "type: api_key")
    assert said(github) == [("EXT0702", "meta.yaml", "/auth/profiles/0")]


def test_an_external_package_with_the_domain_of_a_builtin(github: Path) -> None:
    change(github, "meta.yaml", "domain: github", "domain: arxiv")
    reading = read_package(github)
    (found,) = reading.report.diagnostics
    assert (found.code, found.path, found.pointer, found.line) == ("EXT1101", "meta.yaml", "/domain", 4)
    assert reading.computed is None
    assert not reading.report.ok


def test_other_faults_are_said_beside_the_domain(github: Path) -> None:
    change(github, "meta.yaml", "domain: github", "domain: arxiv")
    change(github, "meta.yaml", "name: GitHub", 'name: ""')
    assert [code for code, *_ in said(github)] == ["EXT1101", "EXT0311"]


@pytest.mark.parametrize("kept", ["endpoint", "binding"])
def test_a_field_too_many_makes_no_builtin_external(tmp_path: Path, kept: str) -> None:
    package = Path(shutil.copytree(ROOT / "packages" / "arxiv", tmp_path / "arxiv"))
    file = package / ("meta.yaml" if kept == "endpoint" else "actions/get.yaml")
    more = "endpoint: {base_url: https://a.example}\n" if kept == "endpoint" else "binding: {}\n"
    file.write_text(file.read_text() + more)
    assert ("EXT0323", file.relative_to(package).as_posix(), f"/{kept}") in said(package)
    assert "EXT1101" not in {code for code, *_ in said(package)}
