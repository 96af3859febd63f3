"""A transport that tells whom it asks and keeps what was asked and answered, whatever carries it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import httpx

from extpkg.egress.clock import Budget
from extpkg.egress.send import accepted, as_httpx, bare, received
from extpkg.exchange import Exchange

if TYPE_CHECKING:
    from collections.abc import Callable


_BUDGET: Final = Budget()


def _nobody(_: str) -> None:
    """Hear of a host and say nothing."""


class RecordingTransport(httpx.AsyncBaseTransport):
    """Sends over `transport`; `heard` is called with the host's name before anything is sent to it.

    `exchanges` are the whole exchanges so far, without the engine's headers and the credential; an answer is
    kept as it came, but decoded.
    """

    def __init__(self, transport: httpx.AsyncBaseTransport, heard: Callable[[str], None] = _nobody) -> None:
        self._transport = transport
        self._heard = heard
        self.exchanges: list[Exchange] = []
        self.asked = 0

    @property
    def is_whole(self) -> bool:
        """Whether every request that was made got a whole answer."""
        return self.asked == len(self.exchanges)

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        """Send, and keep the exchange once its answer is whole; raises what the transport raises."""
        self._heard(request.url.raw_host.decode("ascii"))
        self.asked += 1
        made = await bare(request)
        answer = await self._transport.handle_async_request(request)
        budget: Budget = request.extensions.get("budget", _BUDGET)
        whole = await received(answer, budget, accepted(request))
        self.exchanges.append(Exchange(request=made, response=whole))
        return as_httpx(whole)
