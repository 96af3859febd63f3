"""A Package's directory is written whole or not at all."""

from __future__ import annotations

import errno
import os
from typing import TYPE_CHECKING

import pytest

from extpkg.openapi import write
from extpkg.openapi.write import write_package

if TYPE_CHECKING:
    from pathlib import Path

FILES = {"meta.yaml": b"m\n", "actions/a.yaml": b"a\n", "source/openapi.yaml": b"s\n"}


def tree(folder: Path) -> dict[str, bytes | str]:
    found: dict[str, bytes | str] = {}
    for path in sorted(folder.rglob("*")):
        name = path.relative_to(folder).as_posix()
        if path.is_symlink():
            found[name] = f"-> {path.readlink()}"
        elif path.is_file():
            found[name] = path.read_bytes()
    return found


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_a_new_directory_has_all_files_and_nothing_beside_it(tmp_path: Path) -> None:
    write_package(tmp_path / "out", FILES, replace=False)
    assert tree(tmp_path / "out") == FILES
    assert names(tmp_path) == ["out"]
    umask = os.umask(0)
    os.umask(umask)
    assert (tmp_path / "out").stat().st_mode & 0o777 == 0o777 & ~umask


def test_a_relative_path_is_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    write_package("out/", FILES, replace=True)
    assert tree(tmp_path / "out") == FILES


@pytest.mark.parametrize("replace", [False, True])
def test_what_is_no_directory_is_never_replaced(tmp_path: Path, replace: bool) -> None:
    (tmp_path / "file").write_text("x")
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to("real")
    (tmp_path / "dangling").symlink_to("nowhere")
    before = tree(tmp_path)
    for name in ("file", "link", "dangling"):
        why = "a link or no directory" if replace else "it exists"
        with pytest.raises(FileExistsError, match=why):
            write_package(tmp_path / name, FILES, replace=replace)
    assert tree(tmp_path) == before


@pytest.mark.parametrize("held", [{}, {"meta.yaml": b"old"}])
def test_a_directory_is_replaced_only_on_demand(tmp_path: Path, held: dict[str, bytes]) -> None:
    out = tmp_path / "out"
    out.mkdir()
    for name, data in held.items():
        (out / name).write_bytes(data)
    with pytest.raises(FileExistsError):
        write_package(out, FILES, replace=False)
    assert tree(out) == held
    write_package(out, FILES, replace=True)
    assert tree(out) == FILES
    assert names(tmp_path) == ["out"]


def test_what_is_not_authored_is_kept(tmp_path: Path) -> None:
    out = tmp_path / "out"
    write_package(out, FILES | {"actions/gone.yaml": b"g"}, replace=False)
    kept = {
        "README.md": b"r",
        "tests/a/case/input.json": b"{}",
        "source/notes.txt": b"n",
        ".git/config": b"c",
    }
    for name, data in kept.items():
        (out / name).parent.mkdir(parents=True, exist_ok=True)
        (out / name).write_bytes(data)
    (out / "LICENSE").symlink_to("../LICENSE")
    new = {"meta.yaml": b"m2", "actions/b.yaml": b"b", "source/openapi.yaml": b"s2"}
    write_package(out, new, replace=True)
    assert tree(out) == {**kept, **new, "LICENSE": "-> ../LICENSE"}


def test_nothing_is_written_through_a_link(tmp_path: Path) -> None:
    out, elsewhere = tmp_path / "out", tmp_path / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "openapi.yaml").write_bytes(b"precious")
    out.mkdir()
    (out / "source").symlink_to(elsewhere)
    with pytest.raises(OSError, match="link") as refused:
        write_package(out, FILES, replace=True)
    assert refused.value.errno == errno.ELOOP
    assert tree(elsewhere) == {"openapi.yaml": b"precious"}
    (out / "source").unlink()
    (out / "source").mkdir()
    (out / "source" / "openapi.yaml").symlink_to(elsewhere / "openapi.yaml")
    write_package(out, FILES, replace=True)
    assert tree(elsewhere) == {"openapi.yaml": b"precious"}
    assert tree(out) == FILES
    assert names(tmp_path) == ["elsewhere", "out"]


def test_a_failure_leaves_everything_as_it_was(tmp_path: Path) -> None:
    out = tmp_path / "out"
    write_package(out, FILES, replace=False)
    for bad in ({"meta.yaml": b"", "meta.yaml/x": b""}, {"a\0b": b""}):
        with pytest.raises((OSError, ValueError)):
            write_package(out, bad, replace=True)
        with pytest.raises((OSError, ValueError)):
            write_package(tmp_path / "new", bad, replace=False)
    with pytest.raises(FileNotFoundError):
        write_package(tmp_path / "none" / "out", FILES, replace=False)
    assert tree(out) == FILES
    assert names(tmp_path) == ["out"]


def test_a_rename_that_fails_puts_the_old_directory_back(tmp_path: Path) -> None:
    target, draft = tmp_path / "out", tmp_path / "draft"
    write_package(target, FILES, replace=False)
    with pytest.raises(FileNotFoundError):
        write._put(draft, target)  # noqa: SLF001 - no other way leads to the second rename alone
    assert tree(target) == FILES
    assert names(tmp_path) == ["out"]


def test_a_directory_that_cannot_be_synced_is_no_failure(tmp_path: Path) -> None:
    write._sync(tmp_path / "none")  # noqa: SLF001 - as above
    assert names(tmp_path) == []
