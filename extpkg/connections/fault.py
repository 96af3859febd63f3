"""Why a stored connection cannot be used: one error for an invocation, with what mends it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from extpkg.errors import ExtensionError

if TYPE_CHECKING:
    from typing import Final

Reason = Literal[
    "connection_unsafe",
    "connection_unreadable",
    "connection_malformed",
    "connection_invalid",
    "connection_tampered",
    "master_key_missing",
    "master_key_invalid",
    "master_key_unknown",
    "keyring_unavailable",
]
"""What is wrong, in `details.reason`."""

LOCKED: Final = "connections_locked"
SEVERAL: Final = "several_connections"


def unusable(reason: Reason, message: str) -> ExtensionError:
    """Return the error of a connection that is there and cannot be used, for the caller to raise.

    Invalid local credentials are `provider_auth_unavailable` (seed 004 section 6). `message` holds no secret
    and says what mends it.
    """
    return ExtensionError("provider_auth_unavailable", message, {"reason": reason})
