"""What goes out and what comes back: one request without secrets, one answer, and the two together.

Values only: nothing here knows a socket, a Definition or a credential. No `repr` shows a URL, a header or a
body (R-RES-4).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from hashlib import sha256

from extpkg.canonical import canonical_json


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """A request as an action and its input determine it (R-REQ): no engine header, no credential.

    `headers` are (name, value) pairs with lower-case names, sorted; with a body `content-type` is one of
    them. `body` is None where no body is sent.
    """

    method: str
    url: str = field(repr=False)
    headers: tuple[tuple[str, str], ...] = field(default=(), repr=False)
    body: bytes | None = field(default=None, repr=False)

    def canonical(self) -> bytes:
        """Return the RFC 8785 bytes of `{method, url, headers, bodySha256}` (R-REQ-7)."""
        return canonical_json(
            {
                "method": self.method,
                "url": self.url,
                "headers": [list(pair) for pair in self.headers],
                "bodySha256": None if self.body is None else sha256(self.body).hexdigest(),
            }
        )

    @property
    def audit_hash(self) -> str:
        """`sha256:` and the hex digest of the canonical bytes (R-REQ-7)."""
        return "sha256:" + sha256(self.canonical()).hexdigest()


@dataclass(frozen=True, slots=True, kw_only=True)
class Response:
    """A whole answer inside its budgets: no more is known of it than that it was framed as HTTP says.

    `headers` are (name, value) pairs in the order of arrival with lower-case names. `body` is what was sent,
    no longer than the raw budget.
    """

    status: int
    headers: tuple[tuple[str, str], ...] = field(default=(), repr=False)
    body: bytes = field(default=b"", repr=False)

    def values(self, name: str) -> tuple[str, ...]:
        """Return the values of the header of that lower-case name, in order."""
        return tuple(value for key, value in self.headers if key == name)


@dataclass(frozen=True, slots=True, kw_only=True)
class Exchange:
    """A request and the answer that it got, or is to get."""

    request: Request
    response: Response
