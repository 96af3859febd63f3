"""The input of an action as it is given on the command line: JSON, `-` or `@FILE`."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING, Any, BinaryIO

from extpkg.binding.input import VIOLATIONS
from extpkg.cli.render.escape import shown_path
from extpkg.cli.terminal import Halt
from extpkg.document.strict_json import parse_json
from extpkg.errors import DocumentInvalid, ExtensionError
from extpkg.limits import DOCUMENT_BYTES

if TYPE_CHECKING:
    from extpkg.diagnostic import Finding


def read_input(given: str | None) -> Any:
    """Return the input that an argument gives: JSON, `-` (standard input), `@FILE`; `{}` without an argument.

    The text is strict JSON of at most 1 MiB, else `ExtensionError` (`validation`) with the place of each
    fault. `Halt` (2) where a file cannot be read.
    """
    if given is None:
        return {}
    try:
        return parse_json(_bytes(given), "input")
    except DocumentInvalid as refused:
        faults = refused.faults
    first = faults[0]
    message = f"the input cannot be read as JSON: {_where(first)}{first.message}"
    raise ExtensionError("validation", message, {"diagnostics": [_row(each) for each in faults[:VIOLATIONS]]})


def _bytes(given: str) -> bytes:
    if given == "-":
        if sys.stdin is None:
            raise Halt(2, "there is no standard input to read from")
        return _read(sys.stdin.buffer)
    if not given.startswith("@"):
        return os.fsencode(given)
    try:
        with open(given[1:], "rb") as file:  # noqa: PTH123 - the text that was typed, which may be no UTF-8
            return _read(file)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or "not a path"
        raise Halt(2, f"cannot read the input from '{shown_path(given[1:])}': {reason.lower()}") from error


def _read(file: BinaryIO) -> bytes:
    """Return one byte more than may be there at most: the reader says what is wrong with that."""
    return file.read(DOCUMENT_BYTES + 1)


def _where(fault: Finding) -> str:
    where = fault.place.position
    return f"line {where.line}, column {where.column}: " if where else ""


def _row(fault: Finding) -> dict[str, Any]:
    where = fault.place.position
    place = {"line": where.line, "column": where.column} if where else {}
    return {"code": fault.code, **place, "message": fault.message}
