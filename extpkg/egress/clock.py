"""Time as an argument: what now is, and how to end what takes longer (R-RES-3)."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

import anyio

from extpkg import limits
from extpkg.egress.failure import EgressFailure, Reason

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


def _until(moment: float) -> anyio.CancelScope:
    return anyio.CancelScope(deadline=moment)


@dataclass(frozen=True, slots=True, kw_only=True)
class Clock:
    """The event loop's own time: `now` in seconds, and `until` for a scope that is cancelled at a moment."""

    now: Callable[[], float] = anyio.current_time
    until: Callable[[float], anyio.CancelScope] = _until

    @contextmanager
    def deadline(self, moment: float, reason: Reason) -> Iterator[None]:
        """Raise `EgressFailure(reason)` where the body has not ended by `moment`; other cancelling passes."""
        with self.until(moment) as scope:
            yield
        if scope.cancelled_caught:
            raise EgressFailure(reason)


@dataclass(frozen=True, slots=True, kw_only=True)
class Budget:
    """What one exchange may cost; the defaults are those of R-RES-2, and only Builtins have others.

    Every time is a total: bytes that drip in never extend one. `connect` holds from the start until a
    connection stands, `header` for the TLS handshake and the wait for the headers together, `total` from the
    start to the last byte. `raw` bounds the body, `head` everything else that an answer consists of. `bodies`
    are the statuses whose body is read, None every one; any other answer ends with its headers.
    """

    connect: float = limits.CONNECT_SECONDS
    header: float = limits.HEADER_SECONDS
    total: float = limits.TOTAL_SECONDS
    raw: int = limits.RAW_BYTES
    head: int = limits.HEADER_BYTES
    bodies: frozenset[int] | None = None

    def reads(self, status: int) -> bool:
        """Whether the body of an answer with that status is read."""
        return self.bodies is None or status in self.bodies
