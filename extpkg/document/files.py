# ruff: noqa: PTH116, PTH118 - pathlib costs more to import than all else that is done here
"""The files of a package: listed, opened and read so that nothing outside of it is ever touched (R-PKG-2).

Every file is opened relative to a descriptor of its directory, without following links and without waiting,
and looked at through the descriptor before a byte is read. Where the platform cannot open relative to a
directory (`_ByPath`), each name is looked at, opened and compared instead: whoever can write to the package
while it is read may still swap a directory between two of those steps.
"""

from __future__ import annotations

import enum
import errno
import hashlib
import os
import stat
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from extpkg import limits
from extpkg.diagnostic import Finding, Place, quoted
from extpkg.document.faults import refusal
from extpkg.errors import DocumentInvalid

if TYPE_CHECKING:
    from collections.abc import Iterator

META: Final = "meta.yaml"
"""The file that lists all the others (R-PKG-1)."""

ENTRIES: Final = 100_000
"""Entries of one package that are listed; a directory with more is not looked into."""

_CHUNK: Final = 1 << 20
_DEPTH: Final = 64
_READ: Final = os.O_RDONLY | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0)
_NO_FOLLOW: Final = getattr(os, "O_NOFOLLOW", 0)
_FILE: Final = _READ | _NO_FOLLOW | getattr(os, "O_NONBLOCK", 0)
_DIRECTORY: Final = _READ | getattr(os, "O_DIRECTORY", 0)
ANCHORED: Final = os.open in os.supports_dir_fd and os.scandir in os.supports_fd
"""Whether this platform opens files relative to a directory's descriptor."""


class EntryKind(enum.Enum):
    """What an entry of a package is; a directory that cannot be listed is unreadable or crowded."""

    FILE = "file"
    DIRECTORY = "directory"
    LINK = "symbolic link"
    OTHER = "other"
    UNREADABLE = "unreadable"
    CROWDED = "crowded"


_CROWDED: Final = errno.E2BIG
"""What a listing with too many entries raises; no system says that of a directory."""

_NO_FILE: Final = {
    EntryKind.LINK: errno.ELOOP,
    EntryKind.DIRECTORY: errno.EISDIR,
    EntryKind.OTHER: errno.EISDIR,
    EntryKind.UNREADABLE: errno.EACCES,
    EntryKind.CROWDED: errno.EACCES,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One entry: its path in the package, joined by `/`, and its kind. Undecodable bytes are surrogates."""

    path: str
    kind: EntryKind


@dataclass(frozen=True, slots=True, kw_only=True)
class Tree:
    """A package's directory while it is open: its entries, sorted by path, and its files' bytes.

    `root` is the path as given. `entries` are those of the root and everything below `actions/`, `source/`
    and `tests/`.
    """

    root: str
    entries: tuple[Entry, ...]
    _kinds: dict[str, EntryKind] = field(repr=False)
    _door: _Anchored | _ByPath = field(repr=False)

    def kind(self, path: str) -> EntryKind | None:
        """Return the kind of the entry at a path, None where there is no entry."""
        return self._kinds.get(path)

    def read(self, path: str, most: int = limits.DOCUMENT_BYTES) -> bytes | Finding:
        """Return the bytes of a regular file, read once, or the finding that says why not.

        The codes are EXT0206 (a link), EXT0207 (no regular file), EXT0208 (unreadable), EXT0103 (more than
        `most` bytes) and, for `meta.yaml`, EXT0201 (not there).
        """
        try:
            descriptor = self._open(path)
        except (OSError, ValueError) as error:
            return _unopened(path, error)
        with os.fdopen(descriptor, "rb", buffering=0) as file:
            try:
                data = _read_up_to(file.fileno(), most + 1)
            except OSError as error:
                return _unopened(path, error)
        if len(data) > most:
            message = f"the file has more than {most:,} bytes"
            return refusal(path, "EXT0103", message).faults[0]
        return data

    def sha256(self, path: str, limit: int) -> str | None:
        """Return the lower-case SHA-256 of a regular file of at most `limit` bytes, else None.

        The file is hashed as a stream (R-META-4).
        """
        try:
            descriptor = self._open(path)
        except (OSError, ValueError):
            return None
        with os.fdopen(descriptor, "rb", buffering=0) as file, suppress(OSError):
            found, left = hashlib.sha256(), limit
            while chunk := file.read(_CHUNK):
                found.update(chunk)
                left -= len(chunk)
                if left < 0:
                    return None
            return found.hexdigest()
        return None

    def _open(self, path: str) -> int:
        """Return a descriptor of a regular file; nothing that was seen to be anything else is opened."""
        kind = self._kinds.get(path)
        if kind is not EntryKind.FILE:
            raise OSError(_NO_FILE[kind] if kind else errno.ENOENT, "no regular file", path)
        descriptor = self._door.open_file(path)
        if stat.S_ISREG(os.fstat(descriptor).st_mode):
            return descriptor
        os.close(descriptor)
        raise IsADirectoryError(errno.EISDIR, "not a regular file", path)


@contextmanager
def read_tree(path: str | os.PathLike[str], *, anchored: bool = ANCHORED) -> Iterator[Tree]:
    """Open a package's directory, which may itself be a link; what is opened is closed at the end.

    Raises `DocumentInvalid` (EXT0208) where the path is no directory that can be listed.
    """
    root = os.fspath(path)
    with ExitStack() as opened:
        try:
            door = _Anchored(root) if anchored else _ByPath(root)
            opened.callback(door.close)
            kinds = _walk(door)
        except (OSError, ValueError) as error:
            raise DocumentInvalid((_no_directory(root, error),)) from error
        entries = tuple(Entry(path=path, kind=kinds[path]) for path in sorted(kinds))
        yield Tree(root=root, entries=entries, _kinds=kinds, _door=door)


def read_below(root: str, path: str, most: int, *, anchored: bool = ANCHORED) -> bytes | Finding:
    """Return the bytes of a regular file at `path` below the directory `root`, or what keeps it from that.

    No link is followed below `root`. The codes are those of `Tree.read`.
    """
    try:
        door = _Anchored(root) if anchored else _ByPath(root)
    except (OSError, ValueError) as error:
        return _unopened(path, error)
    try:
        descriptor = door.open_file(path)
        with os.fdopen(descriptor, "rb", buffering=0):
            regular = stat.S_ISREG(os.fstat(descriptor).st_mode)
            data = _read_up_to(descriptor, most + 1) if regular else None
    except (OSError, ValueError) as error:
        return _unopened(path, error)
    finally:
        door.close()
    if data is None:
        return _unopened(path, OSError(errno.EISDIR, "no regular file"))
    if len(data) > most:
        return refusal(path, "EXT0103", f"the file has more than {most:,} bytes").faults[0]
    return data


def _no_directory(root: str, error: OSError | ValueError) -> Finding:
    message, mend = "is no directory that can be read", ""
    if isinstance(error, FileNotFoundError):
        message, mend = "does not exist", "give the path of a package: a directory with meta.yaml"
    elif isinstance(error, OSError) and error.errno == _CROWDED:
        message, mend = f"has more than {ENTRIES:,} entries", "remove what does not belong to the package"
    return Finding(code="EXT0208", place=Place(path=""), message=f"{quoted(root)} {message}", help=mend)


def _walk(door: _Anchored | _ByPath) -> dict[str, EntryKind]:
    found: dict[str, EntryKind] = {}
    waiting = [""]
    while waiting:
        directory = waiting.pop()
        try:
            names = door.list(directory, ENTRIES - len(found))
        except OSError as error:
            if not directory:
                raise
            crowded = error.errno == _CROWDED
            found[directory] = EntryKind.CROWDED if crowded else EntryKind.UNREADABLE
            continue
        for name, kind in names:
            path = f"{directory}/{name}" if directory else name
            found[path] = kind
            if kind is EntryKind.DIRECTORY and _is_walked(path):
                waiting.append(path)
    return found


def _is_walked(path: str) -> bool:
    return path.partition("/")[0] in {"actions", "source", "tests"} and path.count("/") < _DEPTH


def _kind(entry: os.DirEntry[str]) -> EntryKind:
    if entry.is_symlink():
        return EntryKind.LINK
    if entry.is_dir(follow_symlinks=False):
        return EntryKind.DIRECTORY
    return EntryKind.FILE if entry.is_file(follow_symlinks=False) else EntryKind.OTHER


def _listed(directory: int | str, most: int) -> list[tuple[str, EntryKind]]:
    names: list[tuple[str, EntryKind]] = []
    with os.scandir(directory) as entries:
        for entry in entries:
            if len(names) >= most:
                raise OSError(_CROWDED, "too many entries")
            names.append((entry.name, _kind(entry)))
    return names


class _Anchored:
    """A package's directory by its descriptor: no name is looked up from anywhere else."""

    __slots__ = ("_held", "_held_path", "_root")

    def __init__(self, root: str) -> None:
        self._root = os.open(root, _DIRECTORY)
        # The directory opened last stays open: thousands of actions are in one.
        self._held: int | None = None
        self._held_path = ""

    def list(self, directory: str, most: int) -> list[tuple[str, EntryKind]]:
        return _listed(self._directory(directory), most)

    def open_file(self, path: str) -> int:
        directory, _, name = path.rpartition("/")
        return os.open(name, _FILE, dir_fd=self._directory(directory))

    def close(self) -> None:
        self._let_go()
        os.close(self._root)

    def _directory(self, path: str) -> int:
        if not path:
            return self._root
        if self._held is None or self._held_path != path:
            opened = self._walk_to(path)
            self._let_go()
            self._held, self._held_path = opened, path
        return self._held

    def _walk_to(self, path: str) -> int:
        here = self._root
        try:
            for part in path.split("/"):
                below = os.open(part, _DIRECTORY | _NO_FOLLOW, dir_fd=here)
                if here != self._root:
                    os.close(here)
                here = below
        except OSError:
            if here != self._root:
                os.close(here)
            raise
        return here

    def _let_go(self) -> None:
        if self._held is not None:
            os.close(self._held)
            self._held = None


class _ByPath:
    """A package's directory by its path, where nothing better is to be had: look, open, compare."""

    __slots__ = ("_root",)

    def __init__(self, root: str) -> None:
        os.stat(root)  # before resolving, which says a loop in a way of its own
        self._root = os.path.realpath(root, strict=True)
        with os.scandir(self._root):
            pass

    def list(self, directory: str, most: int) -> list[tuple[str, EntryKind]]:
        return _listed(self._checked(directory), most)

    def open_file(self, path: str) -> int:
        directory, _, name = path.rpartition("/")
        full = os.path.join(self._checked(directory), name)
        seen = os.lstat(full)
        if stat.S_ISLNK(seen.st_mode):
            raise OSError(errno.ELOOP, "a symbolic link", path)
        if not stat.S_ISREG(seen.st_mode):
            raise IsADirectoryError(errno.EISDIR, "not a regular file", path)
        descriptor = os.open(full, _FILE)
        opened = os.fstat(descriptor)
        if (opened.st_dev, opened.st_ino) != (seen.st_dev, seen.st_ino):
            os.close(descriptor)
            raise OSError(errno.ELOOP, "replaced while it was opened", path)
        return descriptor

    def close(self) -> None:
        """Nothing is held open."""

    def _checked(self, directory: str) -> str:
        here = self._root
        for part in directory.split("/") if directory else ():
            here = os.path.join(here, part)
            if stat.S_ISLNK(os.lstat(here).st_mode):
                raise OSError(errno.ELOOP, "a symbolic link", directory)
        return here


def _read_up_to(descriptor: int, most: int) -> bytes:
    # The size is a hint only: the file may grow or shrink while it is read.
    parts, left = [], most
    while left > 0 and (part := os.read(descriptor, min(left, _CHUNK))):
        parts.append(part)
        left -= len(part)
    return b"".join(parts)


def _unopened(path: str, error: OSError | ValueError) -> Finding:
    number = error.errno if isinstance(error, OSError) else None
    if path == META and number == errno.ENOENT:
        code, message = "EXT0201", "the package has no meta.yaml"
    elif number in {errno.ELOOP, errno.EMLINK}:
        code, message = "EXT0206", f"{quoted(path)} is a symbolic link"
    elif number in {errno.EISDIR, errno.ENXIO}:  # the latter is what opening a socket says
        code, message = "EXT0207", f"{quoted(path)} is no regular file"
    else:
        code, message = "EXT0208", f"{quoted(path)} cannot be read"
    return Finding(code=code, place=Place(path=path), message=message)
