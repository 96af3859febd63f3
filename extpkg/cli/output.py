"""Files that commands write: whole or not at all."""

from __future__ import annotations

import os

from extpkg.cli.render.escape import shown_path
from extpkg.cli.terminal import Halt, OutputLost, is_lost
from extpkg.document.files import replace_file


def write_file(path: str, data: bytes) -> None:
    """Write a report to `path` atomically; `Halt` (2) where it cannot be, `OutputLost` where the disk is full."""
    if not path or os.path.isdir(path):
        raise Halt(2, f"cannot write '{shown_path(path)}': not a file")
    try:
        replace_file(path, data)
    except OSError as error:
        if is_lost(error):
            raise OutputLost from error
        reason = (error.strerror or type(error).__name__).lower()
        raise Halt(2, f"cannot write '{shown_path(path)}': {reason}") from error
