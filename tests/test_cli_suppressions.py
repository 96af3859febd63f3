"""Which warnings `extpkg.toml` silences, and what is said about its entries."""

from __future__ import annotations

import json
import os
from datetime import UTC, date, datetime
from typing import TYPE_CHECKING, Any

import pytest
from console import Ran, extpkg, github

from extpkg.cli.find import Target
from extpkg.cli.suppressions import config_of, day_of
from extpkg.cli.terminal import Halt

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def package(tmp_path: Path) -> Path:
    """A valid package with one warning, in a repository."""
    (tmp_path / ".git").mkdir()
    package = github(tmp_path / "packages/github")
    (package / ".DS_Store").write_text("")
    return package


def suppress(file: Path, **changes: Any) -> Path:
    entry = {"rule": "EXT0214", "path": "packages/github/.DS_Store", "reason": "a test"} | changes
    lines = [
        f"{key} = {value if isinstance(value, date) else json.dumps(value)}\n" for key, value in entry.items()
    ]
    file.write_text("".join(["[[suppress]]\n", *lines]))
    return file


def strict(*arguments: object) -> tuple[int, list[str], Ran]:
    """Validate strictly; return the exit code and the codes that were found."""
    ran = extpkg("validate", "--strict", "--format", "json", *arguments)
    found = json.loads(ran.out)["diagnostics"] if ran.out else []
    return ran.code, [row["rule"] for row in found], ran


def test_the_warning_counts_without_a_configuration(package: Path) -> None:
    assert strict(package)[:2] == (1, ["EXT0214"])


@pytest.mark.parametrize("place", [".", "packages"])
def test_the_nearest_configuration_above_counts(package: Path, tmp_path: Path, place: str) -> None:
    path = {".": "packages/github/.DS_Store", "packages": "github/.DS_Store"}[place]
    suppress(tmp_path / "extpkg.toml", path="never/this")
    suppress(tmp_path / place / "extpkg.toml", path=path)
    assert strict(package)[:2] == (0, [])
    assert strict(tmp_path)[:2] == (0, [])


def test_nothing_above_the_repository_counts(package: Path, tmp_path: Path) -> None:
    (tmp_path / ".git").rmdir()
    (tmp_path / "packages/.git").mkdir()
    suppress(tmp_path / "extpkg.toml")
    assert strict(package)[:2] == (1, ["EXT0214"])
    (tmp_path / "packages/.git").rmdir()
    assert strict(package)[:2] == (0, [])


def test_nothing_inside_the_package_counts(package: Path) -> None:
    suppress(package / "extpkg.toml", path=".DS_Store")
    code, found, _ = strict(package)
    assert code == 1
    assert "EXT0214" in found
    (package / ".git").mkdir()
    assert config_of(Target(root=str(package), directory=str(package))) is None


def test_a_given_configuration_replaces_the_one_above(package: Path, tmp_path: Path) -> None:
    suppress(tmp_path / "extpkg.toml", path="never/this")
    given = suppress(tmp_path / "elsewhere.toml")
    assert strict(package, "--config", given)[:2] == (0, [])


def test_an_unused_entry_is_an_error_at_its_line(package: Path, tmp_path: Path) -> None:
    suppress(tmp_path / "extpkg.toml", path="never/this")
    code, found, ran = strict(package)
    assert (code, found) == (1, ["EXT0214", "EXT1110"])
    report = json.loads(ran.out)
    assert report["diagnostics"][1]["path"] == str(tmp_path / "extpkg.toml")
    assert report["diagnostics"][1]["range"]["start"]["line"] == 1
    assert len(report["packages"]) == 1
    text = extpkg("validate", package)
    assert text.code == 1
    assert f" --> {tmp_path}/extpkg.toml:1:1\n  |\n1 | [[suppress]]\n" in text.out


def test_an_expired_entry_is_an_error_and_silences_nothing(package: Path, tmp_path: Path) -> None:
    suppress(tmp_path / "extpkg.toml", expires=date(2020, 1, 31))
    assert strict(package)[:2] == (1, ["EXT0214", "EXT1111"])
    suppress(tmp_path / "extpkg.toml", expires=date(9999, 12, 31))
    assert strict(package)[:2] == (0, [])


def test_an_entry_counts_up_to_and_with_its_last_day(package: Path, tmp_path: Path) -> None:
    from extpkg.check.suppression import expired, read_suppressions

    suppress(tmp_path / "extpkg.toml", expires=date(2026, 6, 30))
    entries, faults = read_suppressions((tmp_path / "extpkg.toml").read_bytes(), "extpkg.toml")
    assert faults == ()
    assert list(expired(entries, date(2026, 6, 30))) == []
    assert len(list(expired(entries, date(2026, 7, 1)))) == 1
    assert package.is_dir()


def test_errors_cannot_be_suppressed(package: Path, tmp_path: Path) -> None:
    suppress(tmp_path / "extpkg.toml", rule="EXT0603", path="packages/github/meta.yaml")
    assert strict(package)[:2] == (1, ["EXT0214", "EXT1112"])


@pytest.mark.parametrize("text", ["[[suppress]", "\xff", "x = 1\n", "[[suppress]]\nrule = 1\n"])
def test_a_malformed_configuration_is_an_error(package: Path, tmp_path: Path, text: str) -> None:
    (tmp_path / "extpkg.toml").write_bytes(text.encode("latin-1"))
    code, found, _ = strict(package)
    assert (code, set(found)) == (1, {"EXT0214", "EXT1112"})


def test_packages_with_different_configurations_in_one_run(package: Path, tmp_path: Path) -> None:
    other = github(tmp_path / "more/other")
    (other / ".DS_Store").write_text("")
    suppress(tmp_path / "more/extpkg.toml", path="other/.DS_Store")
    assert strict(package, other)[:2] == (1, ["EXT0214"])
    suppress(tmp_path / "packages/extpkg.toml", path="github/.DS_Store")
    assert strict(package, other)[:2] == (0, [])


def test_a_configuration_that_cannot_be_read(package: Path, tmp_path: Path) -> None:
    for given, reason in (
        (tmp_path / "absent.toml", "no such file or directory"),
        (tmp_path, "not a file"),
        ("a\0b", "not a path"),
    ):
        code, _, ran = strict(package, "--config", given)
        assert code == 2
        assert reason in ran.err
    (tmp_path / "big.toml").write_bytes(b"#" * (1 << 21))
    assert "larger than 1048576 bytes" in strict(package, "--config", tmp_path / "big.toml")[2].err


def test_a_relative_path_shows_a_relative_configuration(package: Path, tmp_path: Path) -> None:
    suppress(tmp_path / "extpkg.toml")
    relative = os.path.relpath(package)
    found = config_of(Target(root=relative, directory=relative))
    assert found == os.path.relpath(tmp_path / "extpkg.toml")
    assert config_of(Target(root="@arxiv", directory=str(package))) is None


def test_the_day_is_that_of_utc_or_of_the_build() -> None:
    assert day_of({}) == datetime.now(UTC).date()
    assert day_of({"SOURCE_DATE_EPOCH": "0"}) == date(1970, 1, 1)
    for wrong in ("x", "1e3", "9" * 30):
        with pytest.raises(Halt):
            day_of({"SOURCE_DATE_EPOCH": wrong})
