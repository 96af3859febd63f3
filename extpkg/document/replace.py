"""Writing a file of a package: whole or not at all, and never through a link."""

from __future__ import annotations

import errno
import os
import secrets
import stat
from contextlib import suppress
from pathlib import Path
from typing import Final

_NO_FOLLOW: Final = getattr(os, "O_NOFOLLOW", 0)
_BINARY: Final = getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0)


def replace_file(path: str | os.PathLike[str], data: bytes) -> None:
    """Put `data` in the place of a file, whole or not at all; its permissions stay.

    A link, directory or device at `path` is refused, not followed. Raises `OSError`; the file then stays.
    """
    target = Path(path)
    mode = _replaceable_mode(target)
    draft = target.with_name(f".{secrets.token_hex(8)}.tmp")
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | _NO_FOLLOW | _BINARY
    descriptor = os.open(draft, flags, 0o666 if mode is None else 0o600)
    try:
        with os.fdopen(descriptor, "wb") as file:
            if mode is not None and hasattr(os, "fchmod"):
                os.fchmod(descriptor, mode)
            file.write(data)
            file.flush()
            os.fsync(descriptor)
        draft.replace(target)
    except BaseException:
        draft.unlink(missing_ok=True)
        raise
    _sync_directory(target.parent)


def _replaceable_mode(target: Path) -> int | None:
    try:
        mode = target.lstat().st_mode
    except FileNotFoundError:
        return None
    if stat.S_ISLNK(mode):
        raise OSError(errno.ELOOP, "it is a symbolic link", str(target))
    if not stat.S_ISREG(mode):
        raise OSError(errno.EINVAL, "it is no regular file", str(target))
    return stat.S_IMODE(mode)


def _sync_directory(directory: Path) -> None:
    # The new file is in place; where a directory cannot be synced, nothing is left to be done about it.
    with suppress(OSError):
        descriptor = os.open(directory, os.O_RDONLY | _BINARY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
