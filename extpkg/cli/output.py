"""Files that commands write: whole or not at all."""

# ruff: noqa: PTH112, PTH119, PTH120
# A path is the text that was typed: it is shown as it is, and may be no UTF-8.

from __future__ import annotations

import os
from typing import TYPE_CHECKING, NoReturn

from extpkg.cli.render.escape import shown_path
from extpkg.cli.terminal import Halt, OutputLost, is_lost
from extpkg.document.replace import replace_file

if TYPE_CHECKING:
    from extpkg.cli.find import Target


def replace_inside(target: Target, path: str, data: bytes) -> None:
    """Replace a file of a package atomically; `Halt` (1) or `OutputLost` (a full disk) where that fails."""
    if target.root.startswith("@"):
        raise Halt(1, f"{shown_path(target.root)} is installed and is not changed; change its source")
    try:
        replace_file(target.directory, path, data)
    except OSError as error:
        refuse_write(shown_path(target.root, path), error, 1)


def write_file(path: str, data: bytes) -> None:
    """Write a report to `path` atomically; `Halt` (2) or `OutputLost` (a full disk) where that fails."""
    if not path or os.path.isdir(path):
        raise Halt(2, f"cannot write '{shown_path(path)}': not a file")
    try:
        # The path is the user's own: links above the file are meant, and its directory need not be readable.
        replace_file(os.path.dirname(path), os.path.basename(path), data, anchored=False)
    except OSError as error:
        refuse_write(shown_path(path), error, 2)


def refuse_write(shown: str, error: OSError, code: int) -> NoReturn:
    """End the command because `shown` cannot be written: `OutputLost` (a full disk) or `Halt` with `code`."""
    if is_lost(error):
        raise OutputLost(error) from error
    reason = (error.strerror or type(error).__name__).lower()
    raise Halt(code, f"cannot write '{shown}': {reason}") from error
