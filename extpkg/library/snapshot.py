"""The files of a package, read once: what is judged is what is published, byte for byte."""

from __future__ import annotations

import errno
import tempfile
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Final

from extpkg.diagnostic import Finding, Place, quoted
from extpkg.document.files import EntryKind, read_tree
from extpkg.errors import DocumentInvalid
from extpkg.library.entry import is_path
from extpkg.library.store import Unavailable
from extpkg.limits import SOURCE_BYTES

if TYPE_CHECKING:
    import os
    from collections.abc import Iterator

TOTAL_BYTES: Final = SOURCE_BYTES
"""Bytes of all files of one package that a library takes."""


_TOO_LARGE: Final = "EXT0103"
_FULL: Final = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG})


@dataclass(frozen=True, slots=True, kw_only=True)
class Snapshot:
    """A package as it was at one moment: its files by path, its directories, and what is left out of it.

    `ignored` are the entries of the root whose name starts with a dot: they are no part of a package
    (R-PKG-1), are never opened, and are known by name only.
    """

    files: dict[str, bytes] = field(repr=False)
    directories: tuple[str, ...]
    ignored: tuple[str, ...]


def snapshot(path: str | os.PathLike[str]) -> Snapshot:
    """Return what the package at `path` consists of, every file read once.

    Raises `DocumentInvalid` where a file cannot be read, is no regular file, has a name that not every system
    can give it, or where all are too large together.
    """
    files: dict[str, bytes] = {}
    faults: list[Finding] = []
    left = TOTAL_BYTES
    with read_tree(path) as tree:
        entries = [entry for entry in tree.entries if not entry.path.startswith(".")]
        for entry in entries:
            if entry.kind is EntryKind.DIRECTORY:
                continue
            data = tree.read(entry.path, left)
            if not is_path(entry.path):
                faults.append(_not_storable(entry.path, f"{quoted(entry.path)} is no name on every system"))
            elif not isinstance(data, Finding):
                files[entry.path] = data
                left -= len(data)
            elif data.code == _TOO_LARGE:
                message = f"with {quoted(entry.path)} the package has more than {TOTAL_BYTES:,} bytes"
                faults.append(_not_storable(entry.path, message))
            else:
                faults.append(data)
        ignored = tuple(entry.path for entry in tree.entries if entry.path.startswith("."))
    if faults:
        raise DocumentInvalid(tuple(faults))
    directories = tuple(entry.path for entry in entries if entry.kind is EntryKind.DIRECTORY)
    return Snapshot(files=files, directories=directories, ignored=ignored)


def _not_storable(path: str, message: str) -> Finding:
    return Finding(code="EXT1304", place=Place(path=path), message=message)


@contextmanager
def laid_down(taken: Snapshot) -> Iterator[Path]:
    """Give a directory of its own that holds exactly these files, for as long as they are judged.

    What is ignored is there as empty files, so that judging says of it what it says of the original. Raises
    `Unavailable` where the system has no room.
    """
    with ExitStack() as stack:
        try:
            root = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="extpkg-")))
            for path in taken.directories:
                (root / path).mkdir(parents=True)
            for path in taken.ignored:
                (root / path).touch()
            for path, data in taken.files.items():
                (root / path).write_bytes(data)
        except OSError as error:
            reason = (error.strerror or type(error).__name__).lower()
            message = f"there is no room for what is judged: {reason}"
            raise Unavailable(message, full=error.errno in _FULL) from None
        yield root
