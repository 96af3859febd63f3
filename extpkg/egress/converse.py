"""One conversation: dial an origin, agree on TLS, send one request as bytes, read its answer (R-RES-3)."""

from __future__ import annotations

import ssl
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from extpkg.egress.clock import Budget, Clock
from extpkg.egress.dial import connect, dial, resolve
from extpkg.egress.encoding import IDENTITY
from extpkg.egress.failure import EgressFailure, Reason
from extpkg.egress.stream import PlainStream, TlsStream, public_tls
from extpkg.egress.wire import Answer

if TYPE_CHECKING:
    import socket
    from collections.abc import Callable, Iterator

    from extpkg.egress.dial import Dialer, Resolver
    from extpkg.egress.reach import Origin
    from extpkg.egress.wire import Sink
    from extpkg.exchange import Response

_CLOCK: Final = Clock()
_BUDGET: Final = Budget()


@dataclass(frozen=True, slots=True, kw_only=True)
class Sending:
    """One request as bytes, where it goes, and what its answer may be and cost.

    `permitted` judges every address of the origin. With `sink` the answer's body goes there as it arrives.
    """

    origin: Origin
    permitted: Callable[[str], bool]
    data: bytes = field(repr=False)
    accepted: str = IDENTITY
    budget: Budget = _BUDGET
    sink: Sink | None = field(default=None, repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Network:
    """The world outside: who resolves, who dials, what time it is, and the roots of trust (None: public)."""

    resolver: Resolver = resolve
    dialer: Dialer = connect
    clock: Clock = _CLOCK
    tls: ssl.SSLContext | None = None

    async def exchange(self, sending: Sending) -> Response:
        """Send one request over a connection of its own, and return the whole answer; `EgressFailure`."""
        clock, budget, origin = self.clock, sending.budget, sending.origin
        start = clock.now()
        with clock.deadline(start + budget.total, Reason.TIMED_OUT):
            with clock.deadline(start + budget.connect, Reason.CONNECT_TIMED_OUT):
                opened = await dial(
                    origin.host,
                    origin.port,
                    resolver=self.resolver,
                    dialer=self.dialer,
                    clock=clock,
                    permitted=sending.permitted,
                )
            with opened:
                return await self._converse(self._stream(opened, origin), sending)

    def _stream(self, opened: socket.socket, origin: Origin) -> PlainStream | TlsStream:
        if origin.scheme == "http":
            return PlainStream(opened)
        return TlsStream(opened, origin.host, self.tls or public_tls())

    async def _converse(self, stream: PlainStream | TlsStream, sending: Sending) -> Response:
        clock, budget = self.clock, sending.budget
        start = clock.now()
        with clock.deadline(start + budget.header, Reason.HEADERS_TIMED_OUT), _failing(Reason.TLS_FAILED):
            await stream.handshake()
        left = start + budget.header - clock.now()
        with _failing(Reason.CONNECTION_LOST):
            await stream.send(sending.data)
            answer = Answer(stream.receive, budget, sending.accepted, sending.sink)
            with clock.deadline(clock.now() + left, Reason.HEADERS_TIMED_OUT):
                await answer.head()
            return await answer.response()


@contextmanager
def _failing(reason: Reason) -> Iterator[None]:
    """Turn what sockets and TLS raise into `EgressFailure`; without TLS's farewell an answer is truncated."""
    found: Reason = reason
    try:
        yield
    except ssl.SSLEOFError:
        found = Reason.TRUNCATED if reason is Reason.CONNECTION_LOST else reason
    except OSError:
        pass
    else:
        return
    raise EgressFailure(found)
