"""What publication asks, row by row of the requirements: each by the gate and by publishing."""

from __future__ import annotations

import json
import shutil
from typing import TYPE_CHECKING, Any

import pytest
from console import change, extpkg
from corpus import ROOT
from releases import meta, release, rewritten

from extpkg.canonical import canonical_json

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

INVALID = ROOT / "golden/invalid"


def _one_for_each_code() -> dict[str, Path]:
    """Return the first case of each code; cases that git cannot hold whole are left out."""
    first: dict[str, Path] = {}
    for case in sorted(
        path for path in INVALID.iterdir() if path.is_dir() and not (path / "tree.json").exists()
    ):
        for found in json.loads((case / "expected.json").read_bytes()):
            first.setdefault(found["code"], case / "package")
    return first


CODES = _one_for_each_code()


@pytest.fixture
def library(tmp_path: Path) -> Path:
    path = tmp_path / "library.db"
    assert extpkg("library", "init", "--library", path).code == 0
    return path


@pytest.fixture(scope="module")
def empty_library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("empty") / "library.db"
    assert extpkg("library", "init", "--library", path).code == 0
    return path


@pytest.mark.parametrize("code", sorted(CODES))
def test_any_single_fault_blocks(code: str, empty_library: Path) -> None:
    """P004, P035: whichever stage finds it, loader, validator, normalizer or digest; warnings count."""
    gated = extpkg("gate", CODES[code], "--format", "sarif")
    assert gated.code == 1
    assert code in {result["ruleId"] for run in json.loads(gated.out)["runs"] for result in run["results"]}
    assert extpkg("library", "publish", CODES[code], "--library", empty_library).code == 1
    assert extpkg("library", "list", "--json", "--library", empty_library).out == "[]\n"


def test_there_are_many_kinds_of_faults() -> None:
    assert len(CODES) > 100
    assert {code[3:5] for code in CODES} >= {f"{number:02}" for number in range(1, 9)}


@pytest.mark.parametrize("kind", ["builtin", "external"])
def test_the_kind_is_no_field(tmp_path: Path, library: Path, kind: str) -> None:
    """P114."""
    root = release(tmp_path / "a")
    value = json.loads((root / "meta.yaml").read_bytes())
    (root / "meta.yaml").write_bytes(canonical_json({**value, "kind": kind}))
    ran = extpkg("library", "publish", root, "--library", library)
    assert ran.code == 1
    assert 'EXT0301 the file has no field "kind"' in ran.err


def _writing(value: dict[str, Any]) -> None:
    value["catalog"]["safety"] = {"class": "mutation", "idempotent": False, "destructive": False}
    value["binding"]["method"] = "POST"


CHANGES: dict[str, Callable[[dict[str, Any]], object]] = {
    "schema": lambda value: value["catalog"].update(
        output_schema={"$schema": "https://json-schema.org/draft/2020-12/schema", "type": "array"}
    ),
    "binding": lambda value: value["binding"].update(path="/pong"),
    "safety": _writing,
    "response policy": lambda value: value["binding"]["response"].update(max_bytes=9),
    "text": lambda value: value["catalog"].update(summary="Other words"),
}


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
def test_a_changed_contract_needs_the_next_version(
    tmp_path: Path, library: Path, change: Callable[[dict[str, Any]], object]
) -> None:
    """P056, S025: the same version is refused by the gate, and is a conflict in the library."""
    assert extpkg("library", "publish", release(tmp_path / "a"), "--library", library).code == 0
    root = rewritten(release(tmp_path / "same"), change)
    against = ("--against", "library", "--library", library)
    ran = extpkg("gate", root, *against)
    assert ran.code == 1
    assert "the Definition changed and the version did not: it must say 2" in ran.out
    assert "is published as sha256:" in extpkg("library", "publish", root, "--library", library).err
    assert extpkg("gate", rewritten(release(tmp_path / "next", version=2), change), *against).code == 0


def test_a_changed_auth_needs_the_next_version(tmp_path: Path, library: Path) -> None:
    """P056."""
    for name, header in (("old", "X-Key"), ("new", "X-Token")):
        root = rewritten(release(tmp_path / name), lambda value: value.update(auth={"profile": "key"}))
        profile = {"id": "key", "type": "api_key", "in": "header", "name": header}
        (root / "meta.yaml").write_bytes(canonical_json({**meta("a", 1), "auth": {"profiles": [profile]}}))
        assert extpkg("digest", "--write", root).code == 0
        ran = extpkg("library", "publish", root, "--library", library)
        assert ran.code == (0 if name == "old" else 1)
    ran = extpkg("gate", root, "--against", "library", "--library", library)
    assert "the Definition changed and the version did not: it must say 2" in ran.out


def test_provenance_takes_no_part_in_an_invocation(tmp_path: Path) -> None:
    """P040: without `source/`, or with another one, the request and the digest are the same."""
    root = tmp_path / "package"
    document = ROOT / "golden/openapi/tracker/openapi.yaml"
    assert extpkg("author", document, root).code == 0
    [source] = [path for path in (root / "source").iterdir() if path.is_file()]

    def seen() -> tuple[object, ...]:
        return extpkg("digest", root).out, extpkg("bind", root, "get-status", "--json").out

    before = seen()
    assert all(before)
    source.write_bytes(b"another document")
    assert seen() == before
    assert extpkg("validate", root).code == 0
    shutil.rmtree(root / "source")
    assert seen() == before


def test_authoring_again_is_the_same_bytes_and_keeps_the_version(tmp_path: Path) -> None:
    """P054, P055: into a new place, and over a package whose version was raised by hand."""
    document = ROOT / "golden/openapi/tracker/openapi.yaml"

    def files(root: Path) -> dict[str, bytes]:
        return {str(path.relative_to(root)): path.read_bytes() for path in root.rglob("*") if path.is_file()}

    for name in ("one", "two"):
        assert extpkg("author", document, tmp_path / name).code == 0
    assert files(tmp_path / "one") == files(tmp_path / "two")
    change(tmp_path / "one/meta.yaml", "\nversion: 1\n", "\nversion: 7\n")
    assert extpkg("digest", "--write", tmp_path / "one").code == 0
    before = files(tmp_path / "one")
    assert extpkg("author", document, tmp_path / "one", "--update").code == 0
    assert files(tmp_path / "one") == before
