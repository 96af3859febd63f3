"""`extpkg library` on the command line: what it prints, its exit codes, and what it leaves on disk."""

from __future__ import annotations

import errno
import json
import os
from pathlib import Path

import pytest
from console import extpkg, script
from corpus import ROOT
from keys import pair
from registries import Registry, Reply, serving
from releases import reformatted, release

from extpkg.library.location import location
from extpkg.library.snapshot import snapshot


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


@pytest.mark.parametrize("name", ["a\\b", "a:b", "a\udcff"])
def test_a_name_that_not_every_system_has_is_refused_by_the_gate_too(
    tmp_path: Path, library: Path, name: str
) -> None:
    """What cannot be given out again is not taken; the gate says the same as publishing."""
    root = release(tmp_path / "a")
    (root / "source").mkdir()
    (root / "source" / name).write_bytes(b"x")
    for arguments in (("gate", root), ("library", "publish", root, "--library", library)):
        ran = extpkg(*arguments)
        assert ran.code == 1
        assert "EXT1304" in ran.out + ran.err
        assert "is no name on every system" in ran.out + ran.err
    assert json.loads(extpkg("library", "list", "--json", "--library", library).out) == []


def test_a_package_that_is_too_large_is_refused_by_the_gate_too(
    tmp_path: Path, library: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("extpkg.library.snapshot.TOTAL_BYTES", 5_000)
    root = release(tmp_path / "a")
    (root / "source").mkdir()
    (root / "source" / "large").write_bytes(b"x" * 5_000)
    for arguments in (("gate", root), ("library", "publish", root, "--library", library)):
        ran = extpkg(*arguments)
        assert ran.code == 1
        assert 'EXT1304 with "source/large" the package has more than 5,000 bytes' in ran.out + ran.err


def test_what_is_got_is_the_package_again(tmp_path: Path, library: Path) -> None:
    root = release(tmp_path / "a")
    (root / "source" / "deep").mkdir(parents=True)
    (root / "source" / "deep" / "é b.bin").write_bytes(bytes(range(256)))
    (root / "tests").mkdir()
    assert extpkg("library", "publish", root, "--library", library).code == 0
    assert extpkg("library", "get", "a@1", tmp_path / "copy", "--library", library).code == 0
    assert snapshot(tmp_path / "copy").files == snapshot(root).files
    for command in (("validate", "--strict"), ("digest", "--check")):
        assert extpkg(*command, tmp_path / "copy").code == 0


@pytest.mark.parametrize(("error", "code"), [(errno.ENOSPC, 74), (errno.EACCES, 2)])
def test_a_place_that_takes_nothing(
    tmp_path: Path, library: Path, monkeypatch: pytest.MonkeyPatch, error: int, code: int
) -> None:
    root = release(tmp_path / "a")
    assert extpkg("library", "publish", root, "--library", library).code == 0

    def refuse(*_: object, **__: object) -> None:
        raise OSError(error, "refused")

    monkeypatch.setattr("extpkg.cli.library.place_directory", refuse)
    assert extpkg("library", "get", "a@1", tmp_path / "copy", "--library", library).code == code
    monkeypatch.setattr("tempfile.TemporaryDirectory", refuse)
    assert extpkg("gate", root).code == code


def test_a_dry_run_of_what_is_published_writes_nothing_either(
    tmp_path: Path, library: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = release(tmp_path / "a")
    assert extpkg("library", "publish", root, "--library", library).code == 0
    monkeypatch.setattr("extpkg.library.local.LocalStore.add", None)
    ran = extpkg("library", "publish", root, "--library", library, "--dry-run")
    assert (ran.code, ran.out.endswith(" unchanged\n")) == (0, True)
    other = release(tmp_path / "b", marker="B")
    assert extpkg("library", "publish", other, "--library", library, "--dry-run").code == 1


@pytest.mark.parametrize("kind", ["directory", "pipe", "device"])
def test_a_library_is_a_regular_file(tmp_path: Path, kind: str) -> None:
    place = Path("/dev/null") if kind == "device" else tmp_path / "place"
    if kind == "directory":
        place.mkdir()
    elif kind == "pipe":
        os.mkfifo(place)
    for name in ("init", "list"):
        ran = extpkg("library", name, "--library", place)
        assert (ran.code, ran.err) == (2, "Error: library: a library is a regular file\n")
    assert not Path("/dev/null-journal").exists()


def test_a_library_has_any_name(tmp_path: Path) -> None:
    for name in ("a?b#c%20.db", "\udcff.db", "a\nb.db", ":memory:"):
        assert extpkg("library", "init", "--library", f"{tmp_path}/{name}").code == 0
        assert (tmp_path / name).is_file()
