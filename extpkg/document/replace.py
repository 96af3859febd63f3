# ruff: noqa: PTH118, PTH120 - pathlib knows no directory descriptors
"""Writing a file of a package: whole or not at all, and never through a link.

The file's directory is opened first, and every step is made relative to its descriptor: whoever swaps a
directory for a link meanwhile makes nothing be written elsewhere. Where a platform cannot do that, the steps
are made by path, and between two of them a directory may still be swapped.
"""

from __future__ import annotations

import errno
import os
import secrets
import stat
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterator

_NO_FOLLOW: Final = getattr(os, "O_NOFOLLOW", 0)
_BINARY: Final = getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0)
_DIRECTORY: Final = os.O_RDONLY | _BINARY | getattr(os, "O_DIRECTORY", 0)
ANCHORED: Final = {os.open, os.stat, os.rename, os.unlink} <= os.supports_dir_fd
"""Whether this platform writes files relative to a directory's descriptor."""


def replace_file(
    root: str | os.PathLike[str], path: str, data: bytes, *, anchored: bool = ANCHORED, fresh: int = 0o666
) -> None:
    """Put `data` in the place of the file at `path` below `root`, whole or not at all; its permissions stay.

    `path` is joined by `/`. `fresh` are the permissions of a file that was not there, less the process's
    mask. `root` may be a link; a link below it, or a directory or device at `path`, is
    refused, not followed. Raises `OSError`; the file then stays.
    """
    directory, _, name = path.rpartition("/")
    with _opened(os.fspath(root), directory, anchored=anchored) as (prefix, descriptor):
        _replace(os.path.join(prefix, name), data, descriptor, fresh)


@contextmanager
def _opened(root: str, directory: str, *, anchored: bool) -> Iterator[tuple[str, int | None]]:
    """Give what names in the directory are joined to, and the descriptor that they are relative to."""
    parts = directory.split("/") if directory else []
    if not anchored:
        yield _by_path(root or os.curdir, parts), None
        return
    here = os.open(root or os.curdir, _DIRECTORY)
    try:
        for part in parts:
            below = os.open(part, _DIRECTORY | _NO_FOLLOW, dir_fd=here)
            os.close(here)
            here = below
        yield "", here
    finally:
        os.close(here)


def _by_path(root: str, parts: list[str]) -> str:
    for part in parts:
        root = os.path.join(root, part)
        if stat.S_ISLNK(os.lstat(root).st_mode):
            raise OSError(errno.ELOOP, "it is a symbolic link", root)
    return root


def _replace(target: str, data: bytes, directory: int | None, fresh: int) -> None:
    mode = _replaceable_mode(target, directory)
    draft = os.path.join(os.path.dirname(target), f".{secrets.token_hex(8)}.tmp")
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | _NO_FOLLOW | _BINARY
    descriptor = os.open(draft, flags, fresh if mode is None else 0o600, dir_fd=directory)
    try:
        with os.fdopen(descriptor, "wb") as file:
            if mode is not None and hasattr(os, "fchmod"):
                os.fchmod(descriptor, mode)
            file.write(data)
            file.flush()
            os.fsync(descriptor)
        os.replace(draft, target, src_dir_fd=directory, dst_dir_fd=directory)
    except BaseException:
        with suppress(FileNotFoundError):
            os.unlink(draft, dir_fd=directory)
        raise
    _sync(os.path.dirname(target), directory)


def _replaceable_mode(target: str, directory: int | None) -> int | None:
    try:
        mode = os.stat(target, dir_fd=directory, follow_symlinks=False).st_mode
    except FileNotFoundError:
        return None
    if stat.S_ISLNK(mode):
        raise OSError(errno.ELOOP, "it is a symbolic link", target)
    if not stat.S_ISREG(mode):
        raise OSError(errno.EINVAL, "it is no regular file", target)
    return stat.S_IMODE(mode)


def _sync(path: str, directory: int | None) -> None:
    # The new file is in place; where a directory cannot be synced, nothing is left to be done about it.
    with suppress(OSError):
        if directory is not None:
            os.fsync(directory)
            return
        descriptor = os.open(path or os.curdir, os.O_RDONLY | _BINARY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
