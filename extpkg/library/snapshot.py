"""The files of a package, read once: what is judged is what is published, byte for byte."""

from __future__ import annotations

import tempfile
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Final

from extpkg.diagnostic import Finding
from extpkg.document.files import EntryKind, read_tree
from extpkg.errors import DocumentInvalid
from extpkg.limits import SOURCE_BYTES

if TYPE_CHECKING:
    import os
    from collections.abc import Iterator, Mapping

TOTAL_BYTES: Final = SOURCE_BYTES
"""Bytes of all files of one package that a library takes."""


def snapshot(path: str | os.PathLike[str]) -> dict[str, bytes]:
    """Return the bytes of every file of the package at `path`, by path inside it.

    Entries of the root whose name starts with a dot are no part of a package (R-PKG-1) and are left out.
    Raises `DocumentInvalid` where a file cannot be read, is no regular file, or all are too large together.
    """
    files: dict[str, bytes] = {}
    faults: list[Finding] = []
    left = TOTAL_BYTES
    with read_tree(path) as tree:
        for entry in tree.entries:
            if entry.path.startswith(".") or entry.kind is EntryKind.DIRECTORY:
                continue
            data = tree.read(entry.path, left)
            if isinstance(data, Finding):
                faults.append(data)
            else:
                files[entry.path] = data
                left -= len(data)
    if faults:
        raise DocumentInvalid(tuple(faults))
    return files


@contextmanager
def laid_down(files: Mapping[str, bytes]) -> Iterator[Path]:
    """Give a directory of its own that holds exactly these files, for as long as they are judged."""
    with tempfile.TemporaryDirectory(prefix="extpkg-") as directory:
        root = Path(directory)
        (root / "actions").mkdir()
        for path, data in files.items():
            target = root / path
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(data)
        yield root
