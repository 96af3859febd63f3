"""How a call that failed ends the process: its envelope printed, and an exit code of R-ERR-3."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from extpkg.cli.render.escape import escaped
from extpkg.cli.render.json_report import dumped
from extpkg.cli.terminal import Halt

if TYPE_CHECKING:
    from collections.abc import Mapping

    from extpkg.cli.terminal import Terminal
    from extpkg.errors import ErrorCode, ExtensionError

EXIT_CODES: Final[Mapping[ErrorCode, int]] = {
    "validation": 65,
    "not_found": 66,
    "provider_auth_unavailable": 69,
    "upstream_failure": 69,
    "internal": 70,
    "conflict": 73,
    "rate_limited": 75,
    "agent_extension_catalog_stale": 75,
    "deadline_exceeded": 75,
    "permission_denied": 77,
    "canceled": 130,
}
"""How a call that failed ends the process (R-ERR-3)."""


def failed(terminal: Terminal, error: ExtensionError) -> Halt:
    """Print the envelope of a failed call, and return the end of the command, for the caller to raise."""
    terminal.print(dumped(error.envelope()))
    return Halt(EXIT_CODES[error.code], f"{error.code}: {escaped(error.message)}")
