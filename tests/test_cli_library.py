"""`extpkg library` on the command line: what it prints, its exit codes, and what it leaves on disk."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from console import extpkg, script
from corpus import ROOT
from keys import pair
from registries import Registry, Reply, serving
from releases import reformatted, release

from extpkg.library.location import location
from extpkg.library.snapshot import snapshot

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def library(tmp_path: Path) -> Path:
    path = tmp_path / "library.db"
    assert extpkg("library", "init", "--library", path).code == 0
    return path


def test_from_init_to_mirror(tmp_path: Path, library: Path) -> None:
    """Publish, list, get, verify, log and mirror; the copy is the original, byte for byte."""
    root = release(tmp_path / "a")
    digest = json.loads((root / "meta.yaml").read_bytes())["digest"]
    stored = extpkg("library", "publish", root, "--library", library)
    assert (stored.code, stored.out) == (0, f"a@1 {digest} stored\n")
    again = extpkg("library", "publish", reformatted(root), "--library", library)
    assert (again.code, again.out) == (0, f"a@1 {digest} unchanged\n")
    assert digest in extpkg("library", "list", "--library", library).out
    assert json.loads(extpkg("library", "list", "b", "--json", "--library", library).out) == []
    for what in ("a@1", digest):
        copy = tmp_path / f"copy-{len(what)}"
        assert extpkg("library", "get", what, copy, "--library", library).code == 0
        assert snapshot(copy).files == snapshot(release(tmp_path / f"x-{len(what)}")).files
        assert extpkg("validate", copy).code == 0
    other = tmp_path / "other.db"
    assert extpkg("library", "init", "--library", other).code == 0
    assert extpkg("library", "mirror", other, "--library", library).out == f"a@1 {digest} stored\n"
    assert extpkg("library", "mirror", other, "--library", library).out == f"a@1 {digest} unchanged\n"
    logs = [extpkg("library", "log", "--json", "--library", path).out for path in (library, other)]
    assert logs[0] == logs[1]
    assert json.loads(logs[0])[0]["definition"] == digest
    whole = extpkg("library", "verify", "--library", other)
    assert (whole.code, whole.out, whole.err) == (0, "", "1 versions, all whole\n")
    assert extpkg("library", "verify", "a@1", "--library", other).out == f"a@1 {digest} is whole\n"


def test_a_registry_is_a_library(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The same commands, signed; an attestation of the gate goes in and comes out, and is verified."""
    private, public = pair(tmp_path)
    monkeypatch.setenv("DOCKER_CONFIG", str(tmp_path))
    monkeypatch.setenv("EXTPKG_LIBRARY_KEY", str(private))
    root = release(tmp_path / "a")
    digest = json.loads((root / "meta.yaml").read_bytes())["digest"]
    verdict = tmp_path / "verdict.json"
    assert extpkg("gate", root, "--attest", verdict, "--key", private).code == 0
    with serving(Registry()) as registry:
        monkeypatch.setenv("EXTPKG_LIBRARY", registry.location)
        assert extpkg("library", "list").code == 2
        assert extpkg("library", "init").out == f"made: {registry.location}\n"
        assert extpkg("library", "publish", root).out == f"a@1 {digest} stored\n"
        assert extpkg("library", "publish", root).out == f"a@1 {digest} unchanged\n"
        assert extpkg("library", "get", "a@1", tmp_path / "copy").code == 0
        assert snapshot(tmp_path / "copy").files == snapshot(root).files
        for _ in range(2):
            assert extpkg("library", "attest", digest, verdict).code == 0
        assert extpkg("library", "attestations", "a@1", tmp_path / "found").out.startswith(
            "1 attestations of"
        )
        assert extpkg("library", "attestations", "a@1", tmp_path / "found").code == 1
        assert (tmp_path / "found" / "1.json").read_bytes() == verdict.read_bytes()
        assert extpkg("verify", tmp_path / "found" / "1.json", digest, "--key", public).code == 0
        assert extpkg("library", "verify").err == "1 versions, all whole\n"
        monkeypatch.delenv("EXTPKG_LIBRARY_KEY")
        assert "note: the log is signed; EXTPKG_LIBRARY_PUBLIC_KEY" in extpkg("library", "verify").err
        registry.before = lambda _: Reply(507)
        assert extpkg("library", "publish", release(tmp_path / "b", version=2)).code == 74
        assert registry.complaints == []


def test_a_file_keeps_no_attestations(tmp_path: Path, library: Path) -> None:
    extpkg("library", "publish", release(tmp_path / "a"), "--library", library)
    for name in ("attest", "attestations"):
        ran = extpkg("library", name, "a@1", library, "--library", library)
        assert (ran.code, ran.out) == (2, "")
        assert "keeps no attestations" in ran.err or "larger than" in ran.err


def test_a_conflict_names_both_digests(tmp_path: Path, library: Path) -> None:
    extpkg("library", "publish", release(tmp_path / "a"), "--library", library)
    ran = extpkg("library", "publish", release(tmp_path / "b", marker="B"), "--library", library)
    assert (ran.code, ran.out) == (1, "")
    assert ran.err.count("sha256:") == 2


def test_a_dry_run_stores_nothing(tmp_path: Path, library: Path) -> None:
    root = release(tmp_path / "a")
    ran = extpkg("library", "publish", root, "--dry-run", "--library", library)
    assert ran.out.endswith("would be stored\n")
    assert json.loads(extpkg("library", "list", "--json", "--library", library).out) == []


def test_an_invalid_package_is_not_published(tmp_path: Path, library: Path) -> None:
    """P113: nothing but a conforming package, raw OpenAPI least of all."""
    ran = extpkg("library", "publish", release(tmp_path / "a", domain="A"), "--library", library)
    assert (ran.code, ran.out) == (1, "")
    assert "REFUSED" in ran.err
    folder = tmp_path / "raw"
    folder.mkdir()
    (folder / "openapi.yaml").write_text("openapi: 3.1.0\n")
    assert extpkg("library", "publish", folder, "--library", library).code == 2


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (("get", "a@2", "copy"), 1),
        (("get", "a", "copy"), 2),
        (("get", "a@01x", "copy"), 2),
        (("get", "sha256:" + "0" * 64, "copy"), 1),
        (("verify", "b@1"), 1),
        (("verify", "a@1", "--all"), 2),
        (("mirror", "nowhere.db"), 2),
        (("mirror", "https://x.example"), 2),
    ],
)
def test_what_is_not_there(
    tmp_path: Path, library: Path, monkeypatch: pytest.MonkeyPatch, arguments: tuple[str, ...], code: int
) -> None:
    monkeypatch.chdir(tmp_path)
    extpkg("library", "publish", release(tmp_path / "a"), "--library", library)
    ran = extpkg("library", *arguments, "--library", library)
    assert ran.code == code
    assert "Traceback" not in ran.err
    assert not (tmp_path / "copy").exists()


def test_nothing_is_written_over(tmp_path: Path, library: Path) -> None:
    extpkg("library", "publish", release(tmp_path / "a"), "--library", library)
    target = tmp_path / "copy"
    target.mkdir()
    assert extpkg("library", "get", "a@1", target, "--library", library).code == 1
    assert list(target.iterdir()) == []


def test_a_library_that_is_not_there_says_how_to_make_one(tmp_path: Path) -> None:
    ran = extpkg("library", "list", "--library", tmp_path / "none.db")
    assert (ran.code, ran.out) == (2, "")
    assert "extpkg library init" in ran.err


def test_the_environment_names_the_library(tmp_path: Path) -> None:
    place = tmp_path / "deep" / "own.db"
    ran = script("library", "init", env={"EXTPKG_LIBRARY": str(place)})
    assert ran.returncode == 0
    assert place.is_file()
    assert place.parent.stat().st_mode & 0o077 == 0


def test_the_library_of_a_user_is_in_the_data_directory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    assert location(None, {}).endswith("library.db")
    assert location(None, {"EXTPKG_LIBRARY": "x"}) == "x"
    assert location("y", {"EXTPKG_LIBRARY": "x"}) == "y"


def test_builtins_are_published_like_any_other(library: Path) -> None:
    ran = extpkg("library", "publish", ROOT / "packages/arxiv", "--library", library)
    assert ran.code == 0, ran.err
