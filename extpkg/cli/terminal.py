"""The one door through which the command line prints, to any terminal, pipe or disk."""

from __future__ import annotations

import errno
import os
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING, BinaryIO, Final

from extpkg.cli.render.escape import guarded

if TYPE_CHECKING:
    from collections.abc import Mapping

_LOST: Final = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO, errno.EPIPE, errno.EBADF})


class OutputLost(Exception):
    """What was to be printed or written has not arrived: full disk, closed pipe, no output at all.

    Its text says why; it is empty where the reader of a pipe has gone, who need not be told.
    """

    def __init__(self, error: Exception | None = None) -> None:
        if isinstance(error, BrokenPipeError):
            super().__init__()
        else:
            reason = getattr(error, "strerror", None) or "there is nowhere to write to"
            super().__init__(f"the output is lost: {reason.lower()}")


class Halt(Exception):
    """The command ends here, with an exit code of R-ERR-3 and a line for people (or none)."""

    def __init__(self, code: int, message: str) -> None:
        self.code = code
        self.message = message
        super().__init__(message)


@dataclass(frozen=True, slots=True, kw_only=True)
class Terminal:
    """Standard output and error of one run; a stream that was closed at start is None.

    `encoding` is what text is written in; a character that it lacks is escaped. `colour` and
    `interactive` say whether standard output takes colour, and standard error a progress line.
    """

    out: BinaryIO | None
    err: BinaryIO | None
    encoding: str = "utf-8"
    colour: bool = False
    interactive: bool = False

    def print(self, text: str) -> None:
        """Write lines to standard output; none of them can be a CI workflow command."""
        self.write(guarded(text).encode(self.encoding, "backslashreplace"))

    def write(self, data: bytes) -> None:
        """Write bytes to standard output, all of them, or raise `OutputLost`."""
        if self.out is None:
            raise OutputLost
        try:
            self.out.write(data)
            self.out.flush()
        except (OSError, ValueError) as error:
            raise OutputLost(error) from error

    def complain(self, text: str) -> None:
        """Write lines to standard error; a standard error that was closed at start takes nothing."""
        if self.err is None:
            return
        try:
            self.err.write(guarded(text).encode(self.encoding, "backslashreplace"))
            self.err.flush()
        except (OSError, ValueError) as error:
            raise OutputLost(error) from error


def standard_terminal(environment: Mapping[str, str]) -> Terminal:
    """Return the terminal of this process.

    What goes into a pipe or a file is UTF-8 in every locale, unless `PYTHONIOENCODING` says otherwise.
    """
    _fill_descriptors()
    out, err = sys.stdout, sys.stderr
    # A closed descriptor leaves None where typeshed sees a stream.
    out_is_terminal = bool(out and out.isatty())
    explicit = out_is_terminal or bool(environment.get("PYTHONIOENCODING"))
    return Terminal(
        out=out.buffer if out else None,
        err=err.buffer if err else None,
        encoding=(out.encoding if out and explicit else None) or "utf-8",
        colour=_wants_colour(environment, is_terminal=out_is_terminal),
        interactive=bool(err and err.isatty()) and environment.get("TERM") != "dumb",
    )


def is_lost(error: OSError) -> bool:
    """Whether an error of the system means that what was written has not arrived (exit code 74)."""
    return error.errno in _LOST


def _wants_colour(environment: Mapping[str, str], *, is_terminal: bool) -> bool:
    if environment.get("NO_COLOR"):
        return False
    if environment.get("FORCE_COLOR", "0") not in {"", "0"}:
        return True
    return is_terminal and environment.get("TERM") != "dumb"


def _fill_descriptors() -> None:
    """Open the null device where standard streams are closed, so that no file of ours takes their numbers."""
    for descriptor in range(3):
        try:
            os.fstat(descriptor)
        except OSError:
            os.open(os.devnull, os.O_RDWR)
