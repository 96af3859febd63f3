"""The files of a package: nothing outside is touched, nothing hangs, nothing stays half-written (R-PKG-2)."""

from __future__ import annotations

import errno
import hashlib
import os
import socket
import stat
import time
from pathlib import Path

import pytest

from extpkg import DocumentInvalid
from extpkg.diagnostic import Finding
from extpkg.document import files
from extpkg.document.files import EntryKind, Tree, read_tree
from extpkg.document.replace import ANCHORED, replace_file

anchored = pytest.mark.parametrize("anchored", [True, False], ids=["anchored", "by path"])
AS_ROOT = hasattr(os, "geteuid") and os.geteuid() == 0


@pytest.fixture
def package(tmp_path: Path) -> Path:
    root = tmp_path / "package"
    for path, text in {
        "meta.yaml": "a: 1\n",
        "actions/b.yaml": "b: 1\n",
        "actions/a.yaml": "a: 1\n",
        "source/deep/er/openapi.yaml": "x",
        "tests/a/case/input.json": "{}",
        ".git/config": "never looked at",
    }.items():
        file = root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
    return root


def kinds(tree: Tree) -> dict[str, EntryKind]:
    return {entry.path: entry.kind for entry in tree.entries}


def code(found: bytes | Finding) -> str:
    assert isinstance(found, Finding)
    return found.code


@anchored
def test_entries_are_sorted_and_read(package: Path, *, anchored: bool) -> None:
    (package / "actions" / "sub").mkdir()
    (package / "actions" / "sub" / "x.yaml").touch()
    with read_tree(package, anchored=anchored) as tree:
        assert tree.root == str(package)
        assert [entry.path for entry in tree.entries] == [
            ".git",
            "actions",
            "actions/a.yaml",
            "actions/b.yaml",
            "actions/sub",
            "actions/sub/x.yaml",
            "meta.yaml",
            "source",
            "source/deep",
            "source/deep/er",
            "source/deep/er/openapi.yaml",
            "tests",
            "tests/a",
            "tests/a/case",
            "tests/a/case/input.json",
        ]
        assert tree.read("meta.yaml") == b"a: 1\n"
        assert tree.read("actions/b.yaml") == b"b: 1\n"
        assert tree.kind("source/deep/er/openapi.yaml") is not None
        assert tree.kind("nope") is None
        assert tree.sha256("source/deep/er/openapi.yaml", 1) == hashlib.sha256(b"x").hexdigest()
        assert tree.sha256("meta.yaml", 4) is None
        assert tree.sha256("nope", 4) is None


@anchored
@pytest.mark.parametrize(
    "path", ["nope", "", ".", "..", "../package/meta.yaml", "/etc/passwd", "a\0b", ".git/config"]
)
def test_what_was_not_listed_is_not_read(package: Path, path: str, *, anchored: bool) -> None:
    with read_tree(package, anchored=anchored) as tree:
        assert code(tree.read(path)) == ("EXT0207" if path == ".git" else "EXT0208")


@anchored
def test_meta_that_is_missing_has_its_own_code(package: Path, *, anchored: bool) -> None:
    (package / "meta.yaml").unlink()
    with read_tree(package, anchored=anchored) as tree:
        assert code(tree.read("meta.yaml")) == "EXT0201"


@anchored
def test_links_are_seen_and_never_followed(package: Path, *, anchored: bool) -> None:
    outside = package.parent / "outside"
    outside.mkdir()
    (outside / "a.yaml").write_text("secret: 1\n")
    (package / "actions" / "a.yaml").unlink()
    (package / "actions" / "a.yaml").symlink_to("../../outside/a.yaml")
    (package / "actions" / "loop.yaml").symlink_to("loop.yaml")
    (package / "actions" / "up").symlink_to("..")
    (package / "source" / "deep" / "etc").symlink_to("/etc")
    with read_tree(package, anchored=anchored) as tree:
        for path in ("actions/a.yaml", "actions/loop.yaml", "actions/up", "source/deep/etc"):
            assert kinds(tree)[path] is EntryKind.LINK
            assert code(tree.read(path)) == "EXT0206"
            assert tree.sha256(path, 1000) is None
        assert "source/deep/etc/passwd" not in kinds(tree)


@anchored
def test_a_link_put_in_place_after_listing_is_not_followed(package: Path, *, anchored: bool) -> None:
    outside = package.parent / "outside.yaml"
    outside.write_text("secret: 1\n")
    with read_tree(package, anchored=anchored) as tree:
        (package / "actions" / "a.yaml").unlink()
        (package / "actions" / "a.yaml").symlink_to(outside)
        assert code(tree.read("actions/a.yaml")) == "EXT0206"
        (package / "meta.yaml").unlink()
        (package / "meta.yaml").mkdir()
        assert code(tree.read("meta.yaml")) == "EXT0207"


@anchored
def test_a_directory_replaced_by_a_link_is_not_followed(package: Path, *, anchored: bool) -> None:
    outside = package.parent / "outside"
    (package / "source").rename(outside)
    (package / "source").mkdir()
    (package / "source" / "deep").mkdir()
    (package / "source" / "deep" / "er").mkdir()
    (package / "source" / "deep" / "er" / "openapi.yaml").touch()
    with read_tree(package, anchored=anchored) as tree:
        (package / "source").rename(package.parent / "gone")
        (package / "source").symlink_to(outside)
        assert tree.sha256("source/deep/er/openapi.yaml", 10) is None
        assert isinstance(tree.read("source/deep/er/openapi.yaml"), Finding)


@anchored
def test_fifos_and_sockets_are_never_opened(package: Path, *, anchored: bool) -> None:
    """A FIFO would hang its reader for ever."""
    os.mkfifo(package / "actions" / "fifo.yaml")
    with socket.socket(socket.AF_UNIX) as listener:
        here = Path.cwd()
        os.chdir(package / "actions")
        try:
            listener.bind("socket.yaml")
        finally:
            os.chdir(here)
        with read_tree(package, anchored=anchored) as tree:
            for path in ("actions/fifo.yaml", "actions/socket.yaml"):
                assert kinds(tree)[path] is EntryKind.OTHER
                assert code(tree.read(path)) == "EXT0207"
            (package / "meta.yaml").unlink()
            os.mkfifo(package / "meta.yaml")
            assert code(tree.read("meta.yaml")) == "EXT0207"
            assert tree.sha256("meta.yaml", 10) is None


@anchored
def test_a_large_file_is_read_no_further_than_the_bound(package: Path, *, anchored: bool) -> None:
    with (package / "actions" / "a.yaml").open("wb") as file:
        file.truncate(1 << 36)
    (package / "actions" / "b.yaml").write_bytes(b"#" * (1 << 20))
    with read_tree(package, anchored=anchored) as tree:
        found = tree.read("actions/a.yaml")
        assert isinstance(found, Finding)
        assert (found.code, found.place.path) == ("EXT0103", "actions/a.yaml")
        assert len(tree.read("actions/b.yaml")) == 1 << 20  # type: ignore[arg-type]


@anchored
@pytest.mark.parametrize("what", ["missing", "file", "fifo", "loop", "nul"])
def test_a_root_that_is_no_directory(tmp_path: Path, what: str, *, anchored: bool) -> None:
    root = str(tmp_path / "root")
    if what == "file":
        Path(root).touch()
    elif what == "fifo":
        os.mkfifo(root)
    elif what == "loop":
        Path(root).symlink_to("root")
    elif what == "nul":
        root = "a\0b"
    with pytest.raises(DocumentInvalid) as refused, read_tree(root, anchored=anchored):
        pass
    assert [fault.code for fault in refused.value.faults] == ["EXT0208"]


@anchored
def test_the_root_may_be_a_link(package: Path, *, anchored: bool) -> None:
    (package.parent / "link").symlink_to("package")
    with read_tree(package.parent / "link", anchored=anchored) as tree:
        assert tree.read("meta.yaml") == b"a: 1\n"


@anchored
@pytest.mark.skipif(AS_ROOT, reason="permissions do not bind root")
def test_what_may_not_be_read(package: Path, *, anchored: bool) -> None:
    (package / "meta.yaml").chmod(0)
    (package / "actions").chmod(0)
    try:
        with read_tree(package, anchored=anchored) as tree:
            assert kinds(tree)["actions"] is EntryKind.UNREADABLE
            assert code(tree.read("actions")) == code(tree.read("meta.yaml")) == "EXT0208"
    finally:
        (package / "actions").chmod(0o755)


@anchored
def test_more_entries_than_the_bound(
    package: Path, monkeypatch: pytest.MonkeyPatch, *, anchored: bool
) -> None:
    monkeypatch.setattr(files, "ENTRIES", 6)
    with read_tree(package, anchored=anchored) as tree:
        crowded = [path for path, kind in kinds(tree).items() if kind is EntryKind.CROWDED]
        assert [code(tree.read(path)) for path in crowded] == ["EXT0208"] * len(crowded)
    assert crowded
    monkeypatch.setattr(files, "ENTRIES", 1)
    with (
        pytest.raises(DocumentInvalid, match="has more than 1 entries"),
        read_tree(package, anchored=anchored),
    ):
        pass


@anchored
def test_undecodable_names(package: Path, *, anchored: bool) -> None:
    try:
        os.close(os.open(os.fsencode(package / "actions") + b"/\xff.yaml", os.O_CREAT))
    except OSError:
        pytest.skip("this file system has no such names")
    with read_tree(package, anchored=anchored) as tree:
        assert tree.read("actions/\udcff.yaml") == b""


@anchored
def test_no_descriptor_stays_open(package: Path, *, anchored: bool) -> None:
    fds = Path("/proc/self/fd")
    if not fds.is_dir():
        pytest.skip("no /proc to count descriptors in")
    before = len(list(fds.iterdir()))
    with read_tree(package, anchored=anchored) as tree:
        for entry in tree.entries:
            tree.read(entry.path)
            tree.sha256(entry.path, 1 << 20)
        assert len(list(fds.iterdir())) <= before + 2
    assert len(list(fds.iterdir())) == before


@anchored
def test_five_thousand_files_are_quick(tmp_path: Path, *, anchored: bool) -> None:
    (tmp_path / "actions").mkdir()
    for number in range(5000):
        (tmp_path / "actions" / f"a{number}.yaml").write_bytes(b"a: 1\n")
    started = time.process_time()
    with read_tree(tmp_path, anchored=anchored) as tree:
        assert all(tree.read(entry.path) == b"a: 1\n" for entry in tree.entries if "/" in entry.path)
    assert time.process_time() - started < 5


@anchored
@pytest.mark.parametrize("mode", [0o644, 0o600, 0o755])
def test_replacing_keeps_the_mode_and_leaves_nothing_else(
    tmp_path: Path, mode: int, *, anchored: bool
) -> None:
    file = tmp_path / "meta.yaml"
    file.write_text("old")
    file.chmod(mode)
    replace_file(tmp_path, "meta.yaml", b"new", anchored=anchored)
    assert file.read_bytes() == b"new"
    assert stat.S_IMODE(file.stat().st_mode) == mode
    assert list(tmp_path.iterdir()) == [file]


@anchored
def test_a_new_file_and_a_relative_path(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, anchored: bool
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("actions").mkdir()
    replace_file("", "report.json", b"{}", anchored=anchored)
    replace_file(".", "actions/a.yaml", b"a: 1\n", anchored=anchored)
    assert Path("report.json").read_bytes() == b"{}"
    assert Path("actions/a.yaml").read_bytes() == b"a: 1\n"
    assert [path.name for path in Path("actions").iterdir()] == ["a.yaml"]


@anchored
@pytest.mark.parametrize(
    ("what", "number"), [("link", errno.ELOOP), ("directory", errno.EINVAL), ("fifo", errno.EINVAL)]
)
def test_only_a_regular_file_is_replaced(tmp_path: Path, what: str, number: int, *, anchored: bool) -> None:
    target, other = tmp_path / "x", tmp_path / "other"
    other.write_text("kept")
    if what == "link":
        target.symlink_to(other)
    elif what == "fifo":
        os.mkfifo(target)
    else:
        target.mkdir()
    with pytest.raises(OSError, match="it is") as refused:
        replace_file(tmp_path, "x", b"new", anchored=anchored)
    assert refused.value.errno == number
    assert other.read_text() == "kept"
    assert sorted(tmp_path.iterdir()) == [other, target]


@anchored
def test_a_disk_that_is_full_leaves_the_old_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, anchored: bool
) -> None:
    file = tmp_path / "meta.yaml"
    file.write_text("old")

    def full(_: int) -> None:
        raise OSError(errno.ENOSPC, "no space left")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="no space left"):
        replace_file(tmp_path, "meta.yaml", b"new", anchored=anchored)
    assert file.read_text() == "old"
    assert list(tmp_path.iterdir()) == [file]


@anchored
@pytest.mark.parametrize(("root", "file"), [("no", "file"), ("", "no/file")])
def test_a_directory_that_is_not_there(tmp_path: Path, root: str, file: str, *, anchored: bool) -> None:
    with pytest.raises(FileNotFoundError):
        replace_file(tmp_path / root, file, b"new", anchored=anchored)


@anchored
def test_the_root_may_be_a_link_and_what_is_below_may_not(tmp_path: Path, *, anchored: bool) -> None:
    package, elsewhere, link = tmp_path / "package", tmp_path / "elsewhere", tmp_path / "link"
    for folder in (package, elsewhere):
        folder.mkdir()
        (folder / "a.yaml").write_text("old")
    link.symlink_to(package)
    (package / "actions").symlink_to(elsewhere)
    replace_file(link, "a.yaml", b"new", anchored=anchored)
    assert (package / "a.yaml").read_text() == "new"
    with pytest.raises(OSError, match=r".") as refused:
        replace_file(link, "actions/a.yaml", b"new", anchored=anchored)
    assert refused.value.errno in {errno.ELOOP, errno.ENOTDIR}
    assert [path.read_text() for path in elsewhere.iterdir()] == ["old"]


@pytest.mark.skipif(not ANCHORED, reason="this platform opens by path")
def test_a_directory_swapped_for_a_link_while_a_file_is_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    package, elsewhere = tmp_path / "package", tmp_path / "elsewhere"
    for folder in (package / "actions", elsewhere):
        folder.mkdir(parents=True)
        (folder / "a.yaml").write_text("old")
    fsync = os.fsync

    def swap(descriptor: int) -> None:
        if not (package / "actions").is_symlink():
            (package / "actions").rename(package / "moved")
            (package / "actions").symlink_to(elsewhere)
        fsync(descriptor)

    monkeypatch.setattr(os, "fsync", swap)
    replace_file(package, "actions/a.yaml", b"new")
    assert [path.read_text() for path in elsewhere.iterdir()] == ["old"]
    assert [path.read_text() for path in (package / "moved").iterdir()] == ["new"]
