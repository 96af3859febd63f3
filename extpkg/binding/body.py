"""Building the JSON body of a request from an input (R-REQ-6)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from extpkg.binding.source import ABSENT, read
from extpkg.canonical import canonical_json

if TYPE_CHECKING:
    from collections.abc import Sequence

Route = tuple[tuple[str, ...], tuple[str, ...]]
"""The tokens of a mapping's source in the input and of its target in the body."""


def build_body(routes: Sequence[Route], value: Any) -> Any:
    """Return the body that `routes` build from an input, `ABSENT` where a sole whole-body source is absent.

    `routes` are sound (R-BIND-5): no target is a prefix of another, and the empty target stands alone. A body
    is an object whose parents are made as needed; with every source absent it is `{}`. The input stays as it
    is.
    """
    if len(routes) == 1 and not routes[0][1]:
        return read(value, routes[0][0])
    body: dict[str, Any] = {}
    for source, target in routes:
        found = read(value, source)
        if found is ABSENT:
            continue
        place = body
        for token in target[:-1]:
            place = place.setdefault(token, {})
        place[target[-1]] = found
    return body


def body_bytes(routes: Sequence[Route], value: Any) -> bytes | None:
    """Return the RFC 8785 bytes of the built body, None for no body; raises `DocumentInvalid` as they do."""
    body = build_body(routes, value)
    return None if body is ABSENT else canonical_json(body)
