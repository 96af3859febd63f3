"""A transport that a caller brings: whatever it raises stops here (R-ERR-1)."""

from __future__ import annotations

from typing import Final

import httpx

from extpkg.egress.clock import Budget
from extpkg.egress.failure import EgressFailure, Reason
from extpkg.egress.send import accepted, as_httpx, received

_BUDGET: Final = Budget()


class ForeignTransport(httpx.AsyncBaseTransport):
    """Sends over `transport`; whatever it raises, and what is no answer, becomes an `EgressFailure`.

    Cancellation, and whatever else is no `Exception`, passes at once and unchanged.
    """

    def __init__(self, transport: httpx.AsyncBaseTransport) -> None:
        self._transport = transport

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        """Send, and read the whole answer."""
        budget: Budget = request.extensions.get("budget", _BUDGET)
        try:
            answer = await self._transport.handle_async_request(request)
            return as_httpx(await received(answer, budget, accepted(request)))
        except EgressFailure as failure:
            reason = failure.reason
        except Exception:  # noqa: BLE001 - foreign code: it may raise anything
            reason = Reason.TRANSPORT_FAILED
        raise EgressFailure(reason)
