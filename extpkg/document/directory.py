"""Writing a whole directory: it appears with every file in it, or not at all."""

from __future__ import annotations

import errno
import os
import secrets
import shutil
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Mapping

_NEW: Final = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0)


def place_directory(path: str | os.PathLike[str], files: Mapping[str, bytes]) -> None:
    """Make the directory at `path` with exactly these files, by path inside it, joined by `/`.

    It is written beside its place under a hidden name, synced, and renamed. Raises `FileExistsError` where
    anything is at `path`, an empty directory too, and `OSError`; nothing is then left behind.
    """
    target = Path(os.path.abspath(path))  # noqa: PTH100 - the last name may be a link that leads nowhere
    if os.path.lexists(target):
        raise FileExistsError(errno.EEXIST, "it exists already", os.fspath(path))
    draft = target.with_name(f".{secrets.token_hex(8)}.tmp")
    draft.mkdir()
    try:
        for name, data in files.items():
            _write(draft / name, data)
        for folder, _, _ in os.walk(draft):
            _sync(folder)
        _rename(draft, target)
    except BaseException:
        shutil.rmtree(draft, ignore_errors=True)
        raise
    _sync(target.parent)


def _write(path: Path, data: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with os.fdopen(os.open(path, _NEW, 0o666), "wb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())


def _rename(draft: Path, target: Path) -> None:
    """Rename where nothing is; POSIX would replace an empty directory that was made meanwhile."""
    if os.path.lexists(target):
        raise FileExistsError(errno.EEXIST, "it exists already", os.fspath(target))
    draft.rename(target)


def _sync(folder: str | os.PathLike[str]) -> None:
    with suppress(OSError):  # a platform that syncs no directories
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
