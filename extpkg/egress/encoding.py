"""Content codings: `gzip` where it was asked for, decoded under the budget, and nothing else (R-RES-2)."""

from __future__ import annotations

import zlib
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from extpkg.egress.failure import EgressFailure, Reason

if TYPE_CHECKING:
    from extpkg.egress.wire import Headers
    from extpkg.exchange import Response

IDENTITY: Final = "identity"
GZIP: Final = "gzip"

_PLAIN: Final = frozenset({"", IDENTITY})
_DESCRIBES_BYTES: Final = frozenset({"content-encoding", "content-length"})


def refuse_encoded(headers: Headers, accepted: str = IDENTITY) -> None:
    """Raise `EgressFailure` where headers with lower-case names say that the body is encoded otherwise."""
    if any(coding != accepted for coding in _codings(headers)):
        raise EgressFailure(Reason.ENCODED)


def decoded(response: Response, most: int) -> Response:
    """Return an answer with its content decoded, `most` bytes of it, and without what described the coding.

    Raises `EgressFailure`: a coding applied twice, content that is cut off, malformed or followed by more.
    """
    codings = _codings(response.headers)
    if not codings:
        return response
    if codings != [GZIP]:
        raise EgressFailure(Reason.ENCODED)
    headers = tuple(pair for pair in response.headers if pair[0] not in _DESCRIBES_BYTES)
    return replace(response, headers=headers, body=_unzipped(response.body, most))


def _codings(headers: Headers) -> list[str]:
    values = [value.lower() for name, value in headers if name == "content-encoding"]
    return [value for value in values if value not in _PLAIN]


def _unzipped(data: bytes, most: int) -> bytes:
    if not data:
        return data
    reader = zlib.decompressobj(wbits=16 + zlib.MAX_WBITS)
    try:
        content = reader.decompress(data, most + 1)
    except zlib.error:
        content = None
    if content is None:
        raise EgressFailure(Reason.MALFORMED)
    if len(content) > most:
        raise EgressFailure(Reason.BODY_TOO_LARGE)
    if not reader.eof:
        raise EgressFailure(Reason.TRUNCATED)
    if reader.unused_data:
        raise EgressFailure(Reason.MALFORMED)
    return content
