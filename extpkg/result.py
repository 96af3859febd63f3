"""What an invocation gives back, and how much that is (R-RES-2)."""

from __future__ import annotations

from dataclasses import dataclass, field
from json.encoder import encode_basestring
from typing import Any

from extpkg.canonical import canonical_json, canonical_text
from extpkg.errors import DocumentInvalid


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """The data of a successful invocation, with what was invoked. No `repr` shows the data (R-RES-4)."""

    domain: str
    action: str
    data: Any = field(repr=False)

    def envelope(self) -> dict[str, Any]:
        """Return `{"domain", "action", "data"}`."""
        return {"domain": self.domain, "action": self.action, "data": self.data}


def result_bytes(data: Any) -> bytes:
    """Return the form in which results are measured and compared: RFC 8785, members sorted, no spaces.

    Unlike RFC 8785 it writes whole numbers beyond ±(2^53-1), by their digits. Raises `DocumentInvalid` for
    what is not JSON.
    """
    try:
        return canonical_json(data)
    except DocumentInvalid as refused:
        if any(fault.code != "EXT0118" for fault in refused.faults):
            raise
    return _exact_text(data).encode()


def _exact_text(value: Any) -> str:
    """Write what the canonical writer refuses for the size of its whole numbers alone."""
    if isinstance(value, dict):
        names = sorted(value, key=lambda name: name.encode("utf-16-be"))
        members = [f"{encode_basestring(name)}:{_exact_text(value[name])}" for name in names]
        return "{" + ",".join(members) + "}"
    if isinstance(value, list):
        return "[" + ",".join([_exact_text(item) for item in value]) + "]"
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    return canonical_text(value)
