"""A transport that answers from recorded exchanges, through the network's limits and parser (R-FIX-2)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import httpx

from extpkg.egress.clock import Budget, Clock
from extpkg.egress.failure import EgressFailure, Reason, ReplayMismatch
from extpkg.egress.send import accepted, as_httpx, bare
from extpkg.egress.wire import Answer

if TYPE_CHECKING:
    from collections.abc import Iterable

    from extpkg.exchange import Exchange, Request, Response

_BUDGET: Final = Budget()
_CLOCK: Final = Clock()
_PIECE: Final = 16 << 10


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference:
    """Where a replay and its record part: at `index`, counted from 0.

    `recorded` is None for a request too many, `made` is None for an exchange left over.
    """

    index: int
    recorded: Request | None
    made: Request | None


class ReplayTransport(httpx.AsyncBaseTransport):
    """Recorded answers in their order, each to the request that was recorded with it; no socket is opened.

    A request is compared in R-REQ-7's form, without the engine's headers and the credential. Any other raises
    `ReplayMismatch`, and so does every request after it. `differences` says what parted, whatever became of
    the exception.
    """

    def __init__(self, exchanges: Iterable[Exchange], *, budget: Budget = _BUDGET) -> None:
        self._exchanges = tuple(exchanges)
        self._budget = budget
        self._answered = 0
        self._parted: list[Difference] = []

    def differences(self) -> tuple[Difference, ...]:
        """Return what parted so far, and as the last ones every exchange that is left over."""
        if self._parted:
            return tuple(self._parted)
        left = enumerate(self._exchanges[self._answered :], start=self._answered)
        return tuple(Difference(index=index, recorded=each.request, made=None) for index, each in left)

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        """Answer from the record; raises `ReplayMismatch`, or `EgressFailure` as the network would."""
        made = await bare(request)
        index = self._answered + len(self._parted)
        recorded = self._exchanges[index].request if index < len(self._exchanges) else None
        if self._parted or recorded is None or recorded.canonical() != made.canonical():
            self._parted.append(Difference(index=index, recorded=recorded, made=made))
            raise ReplayMismatch("the request is not the recorded one")
        self._answered += 1
        budget: Budget = request.extensions.get("budget", self._budget)
        try:
            return as_httpx(await _answer(self._exchanges[index].response, budget, accepted(request)))
        except EgressFailure as failure:
            reason = failure.reason
        raise EgressFailure(reason)


async def _answer(recorded: Response, budget: Budget, coding: str) -> Response:
    pieces = iter(_pieces(answer_bytes(recorded)))

    async def receive() -> bytes:
        return next(pieces, b"")

    with _CLOCK.deadline(_CLOCK.now() + budget.total, Reason.TIMED_OUT):
        answer = Answer(receive, budget, coding)
        await answer.head()
        return await answer.response()


def _pieces(data: bytes) -> Iterable[bytes]:
    return (data[start : start + _PIECE] for start in range(0, len(data), _PIECE))


def answer_bytes(recorded: Response) -> bytes:
    """Return an answer as it would arrive.

    Its body is the content: `transfer-encoding: chunked` among the headers sends it as one chunk, a
    `content-length` stands as recorded (and fails where it is not the length), with neither the end of the
    stream ends the body.
    """
    lines = [f"HTTP/1.1 {recorded.status}", *(f"{name}: {value}" for name, value in recorded.headers), "", ""]
    head = "\r\n".join(lines).encode()
    if any(name.lower() == "transfer-encoding" for name, _ in recorded.headers):
        chunk = b"%x\r\n%b\r\n" % (len(recorded.body), recorded.body) if recorded.body else b""
        return head + chunk + b"0\r\n\r\n"
    return head + recorded.body
