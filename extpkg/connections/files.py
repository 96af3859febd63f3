# ruff: noqa: PTH105, PTH108, PTH116, PTH118, PTH208 - pathlib knows no directory descriptors
"""A directory that is its owner's alone: a file is read only where nobody else could read or change it.

Files are opened relative to the directory's descriptor, without following links and without waiting, and
judged through their own descriptor. They are written whole or not at all. Who changes several holds the lock,
which the system takes back from a process that ends, however it ends.
"""

from __future__ import annotations

import errno
import os
import re
import secrets
import shlex
import stat
import sys
import time
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

from extpkg.connections.fault import LOCKED, unusable
from extpkg.document.replace import replace_file
from extpkg.errors import ExtensionError

if TYPE_CHECKING:
    from collections.abc import Iterator

OTHERS: Final = 0o077
OTHERS_WRITE: Final = 0o022
OWN_FILE: Final = 0o600
OWN_DIRECTORY: Final = 0o700
LOCK_SECONDS: Final = 10.0
"""How long a change waits for another process to end its own."""

LOCK: Final = ".lock"

_POLL_SECONDS: Final = 0.02
_DRAFT: Final = re.compile(r"\.[0-9a-f]{16}\.tmp")
_PERMITS: Final = os.name != "nt"
_BINARY: Final = getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0)
_NO_FOLLOW: Final = getattr(os, "O_NOFOLLOW", 0)
_DIRECTORY: Final = os.O_RDONLY | getattr(os, "O_DIRECTORY", 0) | _BINARY
_FILE: Final = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | _NO_FOLLOW | _BINARY
ANCHORED: Final = {os.open, os.link, os.unlink} <= os.supports_dir_fd and os.listdir in os.supports_fd
"""Whether this platform opens files relative to a directory's descriptor."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PrivateDirectory:
    """A directory by its path; `closed` are the permissions that it must not give to others.

    Who can write to the directory `within` which it stands can put another in its place: where that one is
    given, it is judged each time too. What is read raises `ExtensionError` where it is not safe or cannot be
    read; what is written raises `OSError`.
    """

    path: str
    closed: int = OTHERS
    within: PrivateDirectory | None = None

    def shown(self, name: str = "") -> str:
        """Return the path of a file in the directory, for a message."""
        return shlex.quote(os.path.join(self.path, name) if name else self.path)

    def ensure(self) -> None:
        """Make the directory where there is none, for its owner alone."""
        path = Path(self.path)
        path.parent.mkdir(mode=OWN_DIRECTORY, parents=True, exist_ok=True)
        path.mkdir(mode=OWN_DIRECTORY, exist_ok=True)

    def names(self) -> tuple[str, ...]:
        """Return the names of its entries, sorted; none where there is no directory."""
        try:
            with self._opened() as here:
                return tuple(sorted(os.listdir(self.path if here is None else here)))
        except FileNotFoundError:
            return ()
        except OSError as error:
            number = error.errno
        raise self._unreadable("", number)

    def read(self, name: str, most: int) -> bytes | None:
        """Return what a file holds, of a larger one `most` bytes and one more; None where there is none."""
        try:
            return self._read(name, most + 1)
        except FileNotFoundError:
            return None
        except OSError as error:
            number = error.errno
        raise self._unreadable(name, number)

    def write(self, name: str, data: bytes) -> None:
        """Put a file there, or another in its place, whole or not at all; its owner alone can read it."""
        replace_file(self.path, name, data, fresh=OWN_FILE)

    def create(self, name: str, data: bytes) -> None:
        """Put a file there unless there is one, whole or not at all."""
        draft = f".{secrets.token_hex(8)}.tmp"
        self.write(draft, data)
        source, target = os.path.join(self.path, draft), os.path.join(self.path, name)
        try:
            os.link(source, target)
        except FileExistsError:
            pass
        except OSError:  # a file system without hard links: the lock alone keeps others away
            os.replace(source, target)
            return
        os.unlink(source)
        self._sync()

    def remove(self, name: str) -> bool:
        """Remove a file, or a link in its place; say whether there was one."""
        try:
            os.unlink(os.path.join(self.path, name))
        except FileNotFoundError:
            return False
        self._sync()
        return True

    @contextmanager
    def locked(self, wait: float = LOCK_SECONDS) -> Iterator[None]:
        """Hold the directory against every other process that changes it, and sweep up what one left.

        Makes the directory. Raises `ExtensionError` (`conflict`) where another holds it longer than `wait`.
        """
        self.ensure()
        self.names()  # judged before anything is written there
        flags = os.O_RDWR | os.O_CREAT | _NO_FOLLOW | _BINARY
        descriptor = os.open(os.path.join(self.path, LOCK), flags, OWN_FILE)
        try:
            last = time.monotonic() + wait
            while not _taken(descriptor):
                if time.monotonic() >= last:
                    message = "another process is changing connections; try again when it has ended"
                    raise ExtensionError("conflict", message, {"reason": LOCKED})
                time.sleep(_POLL_SECONDS)
            self.sweep()
            yield
        finally:
            os.close(descriptor)

    def sweep(self) -> None:
        """Remove drafts whose writer was killed; only who holds the lock may."""
        for name in self.names():
            if _DRAFT.fullmatch(name):
                self.remove(name)

    @contextmanager
    def _opened(self) -> Iterator[int | None]:
        """Give the descriptor that names are relative to, None where the platform has none; judge it."""
        if self.within is not None:
            with self.within._opened():  # noqa: SLF001 - of the same kind
                pass
        if not ANCHORED:
            self._judge_directory(os.stat(self.path))
            yield None
            return
        here = os.open(self.path, _DIRECTORY)
        try:
            self._judge_directory(os.fstat(here))
            yield here
        finally:
            os.close(here)

    def _read(self, name: str, most: int) -> bytes:
        with self._opened() as here:
            path = os.path.join(self.path, name) if here is None else name
            if here is None and stat.S_ISLNK(os.lstat(path).st_mode):
                raise OSError(errno.ELOOP, "a symbolic link", path)
            descriptor = os.open(path, _FILE, dir_fd=here)
            with os.fdopen(descriptor, "rb") as file:
                self._judge_file(name, os.fstat(descriptor))
                return file.read(most)

    def _judge_directory(self, found: os.stat_result) -> None:
        if _PERMITS and found.st_mode & self.closed:
            fix = f"run: chmod {'go-w' if self.closed == OTHERS_WRITE else '700'} {self.shown()}"
            raise unusable("connection_unsafe", f"the directory {self.shown()} is open to others; {fix}")
        self._judge_owner("", found)

    def _judge_file(self, name: str, found: os.stat_result) -> None:
        if not stat.S_ISREG(found.st_mode):
            raise self._irregular(name)
        if _PERMITS and found.st_mode & OTHERS:
            message = f"{self.shown(name)} is open to others; run: chmod 600 {self.shown(name)}"
            raise unusable("connection_unsafe", message)
        self._judge_owner(name, found)

    def _judge_owner(self, name: str, found: os.stat_result) -> None:
        if _PERMITS and found.st_uid not in {0, os.geteuid()}:
            message = (
                f"{self.shown(name)} belongs to another user; run: chown {os.geteuid()} {self.shown(name)}"
            )
            raise unusable("connection_unsafe", message)

    def _irregular(self, name: str) -> ExtensionError:
        return unusable("connection_unsafe", f"{self.shown(name)} is no regular file; remove it")

    def _unreadable(self, name: str, number: int | None) -> ExtensionError:
        if number in {errno.ELOOP, errno.EMLINK}:
            message = f"{self.shown(name)} is a symbolic link; put the file itself in its place"
            return unusable("connection_unsafe", message)
        if number in {errno.EISDIR, errno.ENXIO}:  # the latter is what opening a socket says
            return self._irregular(name)
        reason = os.strerror(number or 0).lower()
        return unusable("connection_unreadable", f"{self.shown(name)} cannot be read: {reason}")

    def _sync(self) -> None:
        # What was done is in place; where a directory cannot be synced, nothing is left to be done about it.
        with suppress(OSError):
            descriptor = os.open(self.path, _DIRECTORY)
            try:
                os.fsync(descriptor)
            finally:
                os.close(descriptor)


if sys.platform == "win32":
    import msvcrt

    def _taken(descriptor: int) -> bool:
        """Take the lock unless another process holds it; say whether it is taken."""
        try:
            msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
        except OSError:
            return False
        return True

else:
    import fcntl

    def _taken(descriptor: int) -> bool:
        """Take the lock unless another process holds it; say whether it is taken."""
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True
