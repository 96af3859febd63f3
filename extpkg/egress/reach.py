"""The one way past the public network: an origin that its owner configured (R-SRCH-8)."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Origin:
    """Scheme, host and port, as in a URL; an IPv6 literal stands without brackets, the port is always there.

    As `reach` of a request it lets that request alone, and only to exactly this origin, use `http` and dial
    private, loopback and CGNAT addresses (`address.is_reachable`). It asks for `gzip` too, which is decoded
    under the raw budget (R-RES-2).
    """

    scheme: str
    host: str
    port: int
