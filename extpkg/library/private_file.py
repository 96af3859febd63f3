"""Files of the user's own that hold secrets: read only where nobody else can read them."""

from __future__ import annotations

import os
import stat
from typing import Final

from extpkg.library.store import Unavailable

_OPEN: Final = (
    os.O_RDONLY
    | getattr(os, "O_NONBLOCK", 0)
    | getattr(os, "O_NOCTTY", 0)
    | getattr(os, "O_CLOEXEC", 0)
    | getattr(os, "O_BINARY", 0)
)
_OTHERS: Final = 0o077


def read_file(path: str, what: str, most: int, *, closed: int = 0) -> bytes:
    """Return the bytes of a regular file; `closed` are the permissions that nobody may have on it.

    Raises `Unavailable`, which names `what` the file is and never the path or its content.
    """
    try:
        descriptor = os.open(path, _OPEN)
        try:
            _judge(os.fstat(descriptor), what, closed)
            data = _read_up_to(descriptor, most + 1)
        finally:
            os.close(descriptor)
    except (OSError, ValueError) as error:
        reason = (getattr(error, "strerror", None) or "not a path").lower()
        raise Unavailable(f"{what} cannot be read: {reason}") from None
    if len(data) > most:
        raise Unavailable(f"{what} has more than {most} bytes")
    return data


def _judge(found: os.stat_result, what: str, closed: int) -> None:
    if not stat.S_ISREG(found.st_mode):
        raise Unavailable(f"{what} is no regular file")
    if os.name != "nt" and found.st_mode & closed:
        raise Unavailable(f"others may read {what}: chmod 600 makes it its owner's")


def _read_up_to(descriptor: int, most: int) -> bytes:
    data = b""
    while len(data) < most and (piece := os.read(descriptor, most - len(data))):
        data += piece
    return data


def read_private(path: str, what: str, most: int) -> bytes:
    """Return the bytes of a regular file that its owner alone can read; raises `Unavailable`."""
    return read_file(path, what, most, closed=_OTHERS)
