"""Why an exchange gave no answer: a closed set of reasons, and nothing that the other side said."""

from __future__ import annotations

import enum


class Reason(enum.Enum):
    """What went wrong; the values are stable and may be shown as `details.reason` of `upstream_failure`."""

    UNRESOLVED = "name_not_resolved"
    ADDRESS_DENIED = "address_denied"
    NOT_CONNECTED = "not_connected"
    CONNECT_TIMED_OUT = "connect_timed_out"
    TLS_FAILED = "tls_failed"
    CONNECTION_LOST = "connection_lost"
    HEADERS_TIMED_OUT = "headers_timed_out"
    TIMED_OUT = "timed_out"
    MALFORMED = "malformed_answer"
    TRUNCATED = "truncated_answer"
    ENCODED = "encoded_answer"
    HEADERS_TOO_LARGE = "headers_too_large"
    BODY_TOO_LARGE = "body_too_large"
    TRANSPORT_FAILED = "transport_failed"


class ReplayMismatch(Exception):
    """A request that the record does not hold at this place; the replay's `differences` say which."""


class EgressFailure(Exception):
    """An exchange that ended without a whole answer: `upstream_failure` to the caller (R-ERR-1).

    It carries its reason alone: no address, name, URL, header, upstream byte or foreign exception (R-RES-4).
    The caller's own cancellation or deadline is never one.
    """

    def __init__(self, reason: Reason) -> None:
        self.reason = reason
        super().__init__(reason.value)
