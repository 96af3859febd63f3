"""A package as a revision of a git repository has it, written out so that it is read like any other.

Only objects are read: nothing of the working tree, no filter, no hook, no network. What a directory would be
refused for is refused here too: a link stays a link, and nothing that it leads to is read.
"""

# ruff: noqa: S603 - the git program, with arguments that are never options and never a shell's

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from contextlib import contextmanager
from dataclasses import dataclass, replace
from itertools import islice
from typing import IO, TYPE_CHECKING, Final

from extpkg.diagnostic import quoted
from extpkg.document.files import ENTRIES, META
from extpkg.errors import ExtpkgError
from extpkg.limits import DOCUMENT_BYTES, SOURCE_BYTES

if TYPE_CHECKING:
    from collections.abc import Iterator

_WALKED: Final = ("actions", "source", "tests")
_SETTINGS: Final = ("-c", "protocol.allow=never", "-c", "core.fsmonitor=false", "-c", "core.quotePath=false")
_ENVIRONMENT: Final = {
    "LC_ALL": "C",
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_TERMINAL_PROMPT": "0",
}
_HERE: Final = frozenset({"GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_PREFIX", "GIT_COMMON_DIR"})
_SECONDS: Final = 60
_CHUNK: Final = 1 << 16
_TREE: Final = "040000"
_LINK: Final = "120000"
_SUBMODULE: Final = "160000"


@dataclass(frozen=True, slots=True, kw_only=True)
class Repository:
    """A git repository, by a directory in it."""

    directory: str

    def tree(self, revision: str, path: str) -> str:
        """Return the object name of a directory of a revision; `ExtpkgError` where there is none."""
        if not revision or revision.startswith("-") or "\x00" in revision + path:
            raise ExtpkgError(f"{quoted(revision)} is no revision")
        if self._named(f"{revision}^{{tree}}") is None:
            raise ExtpkgError(f"git knows no revision {quoted(revision)} here")
        found = self._named(f"{revision}:{path}") if path else self._named(f"{revision}^{{tree}}")
        if found is None or self._said("cat-file", "-t", found) != "tree":
            raise ExtpkgError(f"revision {quoted(revision)} has no directory {quoted(path)}")
        return found

    def prefix(self) -> str | None:
        """Return the path of the directory in its repository, None where it is in none."""
        said = self._said("rev-parse", "--show-prefix")
        return None if said is None else said.rstrip("/")

    def _named(self, expression: str) -> str | None:
        return self._said("rev-parse", "--verify", "--quiet", expression) or None

    def _said(self, *arguments: str) -> str | None:
        """Return the line that git prints, None where it refuses."""
        done = subprocess.run(
            self.command(*arguments),
            cwd=self.directory,
            env=self.environment(),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            check=False,
            timeout=_SECONDS,
        )
        return os.fsdecode(done.stdout).removesuffix("\n") if done.returncode == 0 else None

    def start(self, *arguments: str) -> subprocess.Popen[bytes]:
        """Return the running git program, to be written to and read from."""
        return subprocess.Popen(
            self.command(*arguments),
            cwd=self.directory,
            env=self.environment(),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )

    def command(self, *arguments: str) -> list[str]:
        """Return a command of git; `ExtpkgError` where there is no git."""
        program = shutil.which("git")
        if program is None:
            raise ExtpkgError("there is no git program to read a revision with")
        return [program, "--no-replace-objects", "--literal-pathspecs", *_SETTINGS, *arguments]

    def environment(self) -> dict[str, str]:
        """Return the environment that git runs in; which repository it is goes by the directory alone."""
        kept = os.environ if self.directory == os.curdir else os.environ.keys() - _HERE
        return {name: os.environ[name] for name in kept} | _ENVIRONMENT


@dataclass(frozen=True, slots=True, kw_only=True)
class _Entry:
    path: str
    mode: str
    name: str
    size: int

    @property
    def most(self) -> int:
        """How many of its bytes are looked at: none of what is neither a document nor a source."""
        if self.path == META or (self.path.startswith("actions/") and self.path.endswith(".yaml")):
            return DOCUMENT_BYTES
        return SOURCE_BYTES if self.path.startswith("source/") else 0


@contextmanager
def checked_out(repository: Repository, tree: str) -> Iterator[str]:
    """Write a tree of a repository to a directory of its own, and take it away in the end.

    Files that are never read (cases, a readme) are there and empty; one that is too large is as large as it
    takes to say so. Raises `ExtpkgError` for a
    submodule, for more entries than a package may have, and where git cannot read an object.
    """
    with tempfile.TemporaryDirectory(prefix="extpkg-") as directory:
        entries = list(islice(_entries(repository, tree), ENTRIES + 1))
        if len(entries) > ENTRIES:
            raise ExtpkgError(f"the tree has more than {ENTRIES:,} entries")
        with repository.start("cat-file", "--batch") as blobs:
            for entry in entries:
                _write(os.path.join(directory, *entry.path.split("/")), entry, blobs)  # noqa: PTH118
        yield directory


def _entries(repository: Repository, tree: str) -> Iterator[_Entry]:
    """Yield the entries of the root, and everything below the directories that a package has."""
    walked: list[_Entry] = []
    for entry in _listed(repository, tree):
        yield entry
        if entry.mode == _TREE and entry.path in _WALKED:
            walked.append(entry)
    for holder in walked:
        for entry in _listed(repository, holder.name, "-r", "-t"):
            yield replace(entry, path=f"{holder.path}/{entry.path}")


def _listed(repository: Repository, tree: str, *options: str) -> Iterator[_Entry]:
    with repository.start("ls-tree", "--full-tree", "-z", "-l", *options, tree) as git:
        rest = b""
        while git.stdout and (chunk := git.stdout.read(_CHUNK)):
            *rows, rest = (rest + chunk).split(b"\x00")
            yield from map(_entry, rows)
    if git.returncode or rest:
        raise ExtpkgError("git cannot list the tree")


def _entry(row: bytes) -> _Entry:
    facts, _, path = row.partition(b"\t")
    mode, _, name, size = facts.decode().split()
    shown = os.fsdecode(path)
    if mode == _SUBMODULE:
        raise ExtpkgError(f"{quoted(shown)} is a submodule")
    if mode != _TREE and not size.isdigit():
        raise ExtpkgError(f"git cannot read the object {name}")
    if any(part in {"", ".", ".."} or os.sep in part for part in shown.split("/")):
        raise ExtpkgError(f"{quoted(shown)} is no name of a file")
    return _Entry(path=shown, mode=mode, name=name, size=int(size) if size.isdigit() else 0)


def _write(path: str, entry: _Entry, blobs: subprocess.Popen[bytes]) -> None:
    if entry.mode == _TREE:
        os.mkdir(path)  # noqa: PTH102
    elif entry.mode == _LINK:
        os.symlink("elsewhere", path)  # noqa: PTH211
    else:
        with open(path, "xb") as file:  # noqa: PTH123
            if entry.size > entry.most:
                file.truncate(entry.most and entry.most + 1)
            elif entry.size:
                file.write(_blob(entry.name, blobs.stdin, blobs.stdout))


def _blob(name: str, asked: IO[bytes] | None, answered: IO[bytes] | None) -> bytes:
    """Return the bytes of an object: its header says how many, a line break ends it."""
    if asked is None or answered is None:
        raise ExtpkgError("git cannot be asked for an object")
    asked.write(f"{name}\n".encode())
    asked.flush()
    header = answered.readline().split()
    if len(header) != 3 or header[1] != b"blob":
        raise ExtpkgError(f"git cannot read the object {name}")
    data = answered.read(int(header[2]) + 1)
    return data[:-1]
