"""The entry: runs one command and turns every way in which it can end into an exit code (R-ERR-3).

Click is imported only after `--version` was answered: it costs more than everything else that start-up does.
"""

from __future__ import annotations

import contextlib
import gc
import io
import os
import sys
from typing import TYPE_CHECKING, Final

from extpkg.cli.render.escape import escaped, shown_path
from extpkg.cli.terminal import Halt, OutputLost, Terminal, standard_terminal
from extpkg.errors import ExtpkgError
from extpkg.version import __version__

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

DONE: Final = 0
REFUSED: Final = 1
USAGE: Final = 2
INTERNAL: Final = 70
LOST_OUTPUT: Final = 74
INTERRUPTED: Final = 130


def run(arguments: Sequence[str] | None = None, *, environment: Mapping[str, str] = os.environ) -> int:
    """Run the command that `arguments` (by default those of the process) name; return the exit code.

    0 clean or done; 1 findings, failed or refused; 2 usage, or a path that cannot be read; 70 internal;
    74 output lost; 130 interrupted (R-ERR-3). No traceback is shown without `--debug`.
    """
    gc.disable()  # values form no cycles and the process is short: collecting would cost a quarter
    code = INTERRUPTED
    try:
        terminal = standard_terminal(environment)
        code = run_on(terminal, sys.argv[1:] if arguments is None else arguments)
    except KeyboardInterrupt:
        pass
    finally:
        gc.freeze()  # nor does the interpreter look at them once more when it ends
        gc.enable()
        with contextlib.suppress(KeyboardInterrupt):  # the end is settled by now
            _abandon_streams()
    return code


def run_on(terminal: Terminal, arguments: Sequence[str]) -> int:
    """Run a command that prints to `terminal`; return the exit code."""
    options, debug = _split_debug(arguments)
    try:
        if options == ["--version"]:
            terminal.print(f"extpkg {__version__}\n")
            return DONE
        return _dispatch(terminal, options)
    except BaseException as error:  # noqa: BLE001 - the outermost surface: nothing leaves it as a traceback
        code, message = verdict(error)
        trace = _traceback(error) if debug else ""
    return _end(terminal, code, f"{trace}Error: {message}\n" if message else trace)


def _dispatch(terminal: Terminal, options: list[str]) -> int:
    """Run a command of the tree; what click prints by itself (help, completion) goes through the door too."""
    from extpkg.cli.group import invoke

    printed = io.BytesIO()
    catcher = io.TextIOWrapper(printed, encoding="utf-8", write_through=True)
    standard, sys.stdout = sys.stdout, catcher
    try:
        code = invoke(options, terminal)
    finally:
        sys.stdout = standard
    if printed.getvalue():
        terminal.print(printed.getvalue().decode())
    catcher.close()
    return code


def verdict(error: BaseException) -> tuple[int, str]:
    """Return the exit code of an end, and the line that says why."""
    if isinstance(error, Halt):
        return error.code, error.message
    if isinstance(error, KeyboardInterrupt):
        return INTERRUPTED, "interrupted"
    if isinstance(error, OutputLost):
        return LOST_OUTPUT, str(error)
    if isinstance(error, OSError):
        return USAGE, _unreadable(error)
    if isinstance(error, ExtpkgError):
        return REFUSED, escaped(str(error))
    name = type(error).__name__
    return INTERNAL, f"internal error ({name}); please report it with what extpkg --debug prints"


def _unreadable(error: OSError) -> str:
    """Say which path the system refuses, and why."""
    reason = escaped(error.strerror or type(error).__name__).lower()
    name = error.filename
    return f"path '{shown_path(os.fsdecode(name))}': {reason}" if isinstance(name, (str, bytes)) else reason


def _traceback(error: BaseException) -> str:
    from traceback import format_exception

    lines = [line for part in format_exception(error) for line in part.splitlines()]
    return "".join(f"{escaped(line)}\n" for line in lines)


def _split_debug(arguments: Sequence[str]) -> tuple[list[str], bool]:
    """Take `--debug` off wherever it stands before `--`: errors can come before options are read."""
    options = list(arguments)
    end = options.index("--") if "--" in options else len(options)
    kept = [option for option in options[:end] if option != "--debug"]
    return kept + options[end:], len(kept) != end


def _end(terminal: Terminal, code: int, message: str) -> int:
    """Say why the run ends; a message that nobody can read changes nothing."""
    with contextlib.suppress(OutputLost):
        terminal.complain(message)
    return code


def _abandon_streams() -> None:
    """Keep the interpreter from flushing what is lost already, and from complaining about it."""
    for stream in (sys.stdout, sys.stderr):
        try:
            if stream is not None:
                stream.flush()
        except (OSError, ValueError):
            os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
