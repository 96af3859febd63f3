"""A transport that tells whom it asks and keeps what was asked and answered, whatever carries it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, cast

import httpx

from extpkg.egress.clock import Budget
from extpkg.egress.failure import EgressFailure, Reason
from extpkg.egress.send import as_httpx, own_headers, plain_headers
from extpkg.exchange import Exchange, Request, Response

if TYPE_CHECKING:
    from collections.abc import AsyncIterable, Callable


_BUDGET: Final = Budget()


def _nobody(_: str) -> None:
    """Hear of a host and say nothing."""


class RecordingTransport(httpx.AsyncBaseTransport):
    """Sends over `transport`; `heard` is called with the host's name before anything is sent to it.

    `exchanges` are the whole exchanges so far, without the engine's headers; an answer is kept as it came.
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
        body = await request.aread()
        made = Request(
            method=request.method, url=str(request.url), headers=own_headers(request), body=body or None
        )
        answer = await self._transport.handle_async_request(request)
        budget: Budget = request.extensions.get("budget", _BUDGET)
        whole = Response(
            status=answer.status_code,
            headers=plain_headers(answer.headers),
            body=await _body(answer, budget.raw),
        )
        self.exchanges.append(Exchange(request=made, response=whole))
        return as_httpx(whole)


async def _body(answer: httpx.Response, most: int) -> bytes:
    body = bytearray()
    try:
        async for piece in cast("AsyncIterable[bytes]", answer.stream):
            body += piece
            if len(body) > most:
                raise EgressFailure(Reason.BODY_TOO_LARGE)
    finally:
        await answer.aclose()
    return bytes(body)
