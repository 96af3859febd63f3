"""One request out, one whole answer back, over a connection of its own (R-RES-2, R-RES-3)."""

from __future__ import annotations

import re
import ssl
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Final, cast

import httpx

from extpkg.egress.clock import Budget, Clock
from extpkg.egress.dial import connect, dial, resolve
from extpkg.egress.failure import EgressFailure, Reason
from extpkg.egress.stream import TlsStream, public_tls, strict_tls
from extpkg.egress.wire import Answer, refuse_encoded, request_bytes
from extpkg.exchange import Response

if TYPE_CHECKING:
    import socket
    from collections.abc import AsyncIterable, Iterator

    from extpkg.egress.dial import Dialer, Resolver
    from extpkg.egress.wire import Headers
    from extpkg.exchange import Request

Transport = httpx.AsyncBaseTransport
"""What carries one request: the guarded transport, a replay, or a test's own."""

ENGINE_HEADERS: Final = frozenset(
    {"host", "user-agent", "accept-encoding", "connection", "content-length", "transfer-encoding"}
)
"""What only the engine writes; of these `transfer-encoding` is never written."""

_PORT: Final = 443
_HOST: Final = re.compile(r"(?=.{1,253}\Z)[a-z0-9-]{1,63}(\.[a-z0-9-]{1,63})*")
_BUDGET: Final = Budget()
_CLOCK: Final = Clock()


class GuardedTransport(httpx.AsyncBaseTransport):
    """The network, for one HTTPS exchange at a time over a connection that nothing else uses.

    The name is resolved once and every address judged, TLS verifies the name, the answer is read strictly and
    whole, and every step is bounded by the budget: the request's own (extension `budget`), else this one's.
    There is no redirect, proxy, cookie, `.netrc`, retry or compression, and no way to a private address.
    `tls` brings the roots of trust and is made strict; None is the process's context with the public roots.

    Any number of calls may run at once. Raises `EgressFailure`; ValueError for a request that is no plain
    HTTPS request; the caller's cancellation passes at once and unchanged, with the connection closed.
    """

    def __init__(
        self,
        *,
        resolver: Resolver = resolve,
        dialer: Dialer = connect,
        clock: Clock = _CLOCK,
        tls: ssl.SSLContext | None = None,
        budget: Budget = _BUDGET,
    ) -> None:
        self._resolver = resolver
        self._dialer = dialer
        self._clock = clock
        self._tls = strict_tls(tls) if tls else None
        self._budget = budget

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        """Send `request` with the engine's headers; the answer is whole and its connection closed."""
        name, port = _origin(request.url)
        body = await request.aread()
        head = (*engine_headers(request.url, body), *own_headers(request))
        data = request_bytes(request.method, request.url.raw_path.decode("ascii"), head, body)
        budget: Budget = request.extensions.get("budget", self._budget)
        try:
            return as_httpx(await self._exchange(name, port, data, budget))
        except EgressFailure as failure:
            reason = failure.reason
        raise EgressFailure(reason)  # anew: the first one's context may hold an address

    async def _exchange(self, name: str, port: int, data: bytes, budget: Budget) -> Response:
        clock = self._clock
        start = clock.now()
        with clock.deadline(start + budget.total, Reason.TIMED_OUT):
            with clock.deadline(start + budget.connect, Reason.CONNECT_TIMED_OUT):
                opened = await dial(name, port, resolver=self._resolver, dialer=self._dialer, clock=clock)
            with opened:
                return await self._converse(opened, name, data, budget)

    async def _converse(self, opened: socket.socket, name: str, data: bytes, budget: Budget) -> Response:
        clock, tls = self._clock, TlsStream(opened, name, self._tls or public_tls())
        start = clock.now()
        with clock.deadline(start + budget.header, Reason.HEADERS_TIMED_OUT), _failing(Reason.TLS_FAILED):
            await tls.handshake()
        left = start + budget.header - clock.now()
        with _failing(Reason.CONNECTION_LOST):
            await tls.send(data)
            answer = Answer(tls.receive, budget)
            with clock.deadline(clock.now() + left, Reason.HEADERS_TIMED_OUT):
                await answer.head()
            return await answer.response()


async def send(request: Request, *, transport: Transport, budget: Budget = _BUDGET) -> Response:
    """Send `request` with the engine's headers over `transport` and return the whole answer.

    The budget's total, its raw bytes and the refusal of encoded answers hold whatever the transport is.
    Raises `EgressFailure`, and ValueError for a request whose URL another writer would write differently.
    """
    outbound = _outbound(request, budget)
    try:
        with _CLOCK.deadline(_CLOCK.now() + budget.total, Reason.TIMED_OUT):
            return await _received(await transport.handle_async_request(outbound), budget)
    except EgressFailure as failure:
        reason = failure.reason
    except (httpx.HTTPError, httpx.StreamError, OSError):
        reason = Reason.TRANSPORT_FAILED
    raise EgressFailure(reason)


def _outbound(request: Request, budget: Budget) -> httpx.Request:
    url = _one_form(request.url)
    body = request.body or b""
    headers = (*engine_headers(url, body), *request.headers)
    stream = httpx.ByteStream(body)
    return httpx.Request(request.method, url, headers=headers, stream=stream, extensions={"budget": budget})


def _one_form(text: str) -> httpx.URL:
    """Return a URL that goes out as it is written; ValueError for one that would be written differently."""
    with suppress(httpx.InvalidURL):
        url = httpx.URL(text)
        if str(url) == text:
            return url
    raise ValueError("the URL is not in the one form that goes out")


async def _received(answer: httpx.Response, budget: Budget) -> Response:
    body = bytearray()
    try:
        headers = plain_headers(answer.headers)
        refuse_encoded(headers)
        async for piece in cast("AsyncIterable[bytes]", answer.stream):
            body += piece
            if len(body) > budget.raw:
                raise EgressFailure(Reason.BODY_TOO_LARGE)
    finally:
        await answer.aclose()
    return Response(status=answer.status_code, headers=headers, body=bytes(body))


def engine_headers(url: httpx.URL, body: bytes) -> Headers:
    """Return what the engine adds to every request, the credential apart (R-RES-3)."""
    length = (("content-length", str(len(body))),) if body else ()
    return (
        ("host", url.netloc.decode("ascii")),
        ("user-agent", "extpkg"),
        ("accept-encoding", "identity"),
        ("connection", "close"),
        *length,
    )


def plain_headers(headers: httpx.Headers) -> Headers:
    """Return headers as pairs with lower-case names, in their order."""
    return tuple((name.decode("latin-1").lower(), value.decode("latin-1")) for name, value in headers.raw)


def own_headers(request: httpx.Request) -> Headers:
    """Return the headers of `request` that are not the engine's, lower-case and in their order."""
    return tuple(pair for pair in plain_headers(request.headers) if pair[0] not in ENGINE_HEADERS)


def as_httpx(response: Response) -> httpx.Response:
    """Return a whole answer as httpx's type, with nothing added."""
    headers = [(name.encode("latin-1"), value.encode("latin-1")) for name, value in response.headers]
    return httpx.Response(response.status, headers=headers, stream=httpx.ByteStream(response.body))


def _origin(url: httpx.URL) -> tuple[str, int]:
    """Return name and port of a plain HTTPS URL; ValueError for any other."""
    name = url.raw_host.decode("ascii")
    port = _PORT if url.port is None else url.port
    plain = url.scheme == "https" and not url.userinfo and not url.fragment and 1 <= port <= 65_535
    if not plain or not _HOST.fullmatch(name):
        raise ValueError("the URL has no plain HTTPS origin")
    return name, port


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
