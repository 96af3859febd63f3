"""Writing a Package's directory: whole or not at all."""

from __future__ import annotations

import errno
import os
import secrets
import shutil
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Mapping

_OURS: Final = frozenset({"meta.yaml", "actions"})
"""Root entries that are written anew; of `source/` only the files that are given."""

_SYNCS: Final = 16
"""Files that are synced at once: a journal that has to be written anyway takes many in one go."""


def write_package(output: str | os.PathLike[str], files: Mapping[str, bytes], *, replace: bool) -> None:
    """Write `files`, by path inside, as the directory `output`: all of them, or it is as it was.

    With `replace` the directory may exist: `meta.yaml`, `actions/` and the files given are then new, and
    everything else in it (tests, README, what the author added) is kept. Two renames put the new directory in
    the place of the old one; a crash between the two leaves the old one beside it, under a name that starts
    with a dot. Raises `OSError`: `FileExistsError` without `replace`, and for a link or a file at `output`.
    """
    target = Path(os.path.abspath(output))  # noqa: PTH100 - a link at its end must be seen, not followed
    exists = os.path.lexists(target)
    if exists and (not replace or target.is_symlink() or not target.is_dir()):
        what = "it is a link or no directory" if replace else "it exists"
        raise FileExistsError(errno.EEXIST, what, os.fspath(output))
    draft = _beside(target)
    draft.mkdir()
    try:
        if exists:
            _keep(target, draft, files)
        _fill(draft, files)
        _put(draft, target)
    except BaseException:
        shutil.rmtree(draft, ignore_errors=True)
        raise
    _sync(target.parent)


def _beside(target: Path) -> Path:
    return target.parent / f".{target.name[:200]}.{secrets.token_hex(8)}.tmp"


def _keep(old: Path, draft: Path, files: Mapping[str, bytes]) -> None:
    """Copy what is not written anew, links as links."""
    for entry in sorted(old.iterdir()):
        if entry.name in _OURS or entry.name in files:
            continue
        if entry.is_symlink() and any(path.startswith(f"{entry.name}/") for path in files):
            raise OSError(errno.ELOOP, "it is a symbolic link", os.fspath(entry))
        if entry.is_dir() and not entry.is_symlink():
            shutil.copytree(entry, draft / entry.name, symlinks=True)
        else:
            shutil.copy2(entry, draft / entry.name, follow_symlinks=False)


def _fill(draft: Path, files: Mapping[str, bytes]) -> None:
    written = [draft / path for path in sorted(files)]
    for full, path in zip(written, sorted(files), strict=True):
        full.parent.mkdir(parents=True, exist_ok=True)
        full.unlink(missing_ok=True)
        full.write_bytes(files[path])
    with ThreadPoolExecutor(_SYNCS) as pool:
        list(pool.map(_sync_file, written))
    for directory in sorted({full.parent for full in written} | {draft}, reverse=True):
        _sync(directory)


def _put(draft: Path, target: Path) -> None:
    if not os.path.lexists(target):
        draft.rename(target)
        return
    old = _beside(target)
    target.rename(old)
    try:
        draft.rename(target)
    except OSError:
        old.rename(target)
        raise
    shutil.rmtree(old, ignore_errors=True)


def _sync_file(path: Path) -> None:
    with path.open("r+b") as file:
        os.fsync(file.fileno())


def _sync(directory: Path) -> None:
    # What was written is in place; where a directory cannot be synced, nothing is left to be done about it.
    with suppress(OSError):
        descriptor = os.open(directory, os.O_RDONLY | getattr(os, "O_DIRECTORY", 0))
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
