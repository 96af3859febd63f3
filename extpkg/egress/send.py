"""One request out, one whole answer back, over a connection of its own (R-RES-2, R-RES-3)."""

from __future__ import annotations

import re
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, Any, Final, cast

import httpx

from extpkg.egress.address import is_public, is_reachable
from extpkg.egress.clock import Budget, Clock
from extpkg.egress.converse import Network, Sending
from extpkg.egress.credential import with_credential, without_credential
from extpkg.egress.dial import connect, resolve
from extpkg.egress.encoding import GZIP, IDENTITY, decoded, refuse_encoded
from extpkg.egress.failure import EgressFailure, Reason, ReplayMismatch
from extpkg.egress.reach import Origin
from extpkg.egress.stream import strict_tls
from extpkg.egress.wire import engine_headers, request_bytes
from extpkg.exchange import Request, Response

if TYPE_CHECKING:
    import ssl
    from collections.abc import AsyncIterable, Callable

    from extpkg.egress.credential import Credential, Place
    from extpkg.egress.dial import Dialer, Resolver
    from extpkg.egress.wire import Headers

Transport = httpx.AsyncBaseTransport
"""What carries one request: the guarded transport, a replay, or a test's own."""

ENGINE_HEADERS: Final = frozenset(
    {"host", "user-agent", "accept-encoding", "connection", "content-length", "transfer-encoding"}
)
"""What only the engine writes; of these `transfer-encoding` is never written."""

_PORTS: Final = {"https": 443, "http": 80}
_HOST: Final = re.compile(r"(?=.{1,253}\Z)[a-z0-9-]{1,63}(\.[a-z0-9-]{1,63})*")
_IPV6: Final = re.compile(r"[0-9a-f:.]{2,45}")
_BUDGET: Final = Budget()
_CLOCK: Final = Clock()


class GuardedTransport(httpx.AsyncBaseTransport):
    """The network, for one HTTPS exchange at a time over a connection that nothing else uses.

    The name is resolved once and every address judged, TLS verifies the name, the answer is read strictly and
    whole, and every step is bounded by the budget: the request's own (extension `budget`), else this one's.
    There is no redirect, proxy, cookie, `.netrc`, retry or compression. A request whose extension `reach` is
    its own origin may be plain HTTP, may go to a private address, and accepts gzip; no other request may.
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
        self._network = Network(
            resolver=resolver, dialer=dialer, clock=clock, tls=strict_tls(tls) if tls else None
        )
        self._budget = budget

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        """Send `request` with the engine's headers; the answer is whole and its connection closed."""
        reach: Origin | None = request.extensions.get("reach")
        origin = plain_origin(request.url, reach)
        body = await request.aread()
        head = (*engine_headers(_host(request.url), body, accepted(request)), *own_headers(request))
        data = request_bytes(request.method, request.url.raw_path.decode("ascii"), head, body)
        sending = Sending(
            origin=origin,
            permitted=is_public if reach is None else is_reachable,
            data=data,
            accepted=accepted(request),
            budget=request.extensions.get("budget", self._budget),
        )
        try:
            return as_httpx(await self._network.exchange(sending))
        except EgressFailure as failure:
            reason = failure.reason
        raise EgressFailure(reason)  # anew: the first one's context may hold an address


async def send(
    request: Request,
    *,
    transport: Transport,
    budget: Budget = _BUDGET,
    credential: Credential | None = None,
    reach: Origin | None = None,
) -> Response:
    """Send `request` with the engine's headers over `transport` and return the whole answer.

    `credential` is written into its place, by this function alone and last of all. `reach` is the origin of
    the request where its owner configured it; then gzip is accepted, and the answer is returned decoded. The
    budget's total, its raw bytes and the refusal of other encoded answers hold whatever the transport is.

    Raises `EgressFailure`, and ValueError for a request that would not go out as it is written. Neither these
    nor `ReplayMismatch` lead to the credential: they are raised anew, outside every frame that has seen it.
    """
    plain_origin(_one_form(request.url), reach)
    ended: Exception
    try:
        outbound = partial(_outbound, request, budget, credential, reach)
        with _CLOCK.deadline(_CLOCK.now() + budget.total, Reason.TIMED_OUT):
            return await _sent(outbound, transport, budget)
    except EgressFailure as failure:
        ended = EgressFailure(failure.reason)
    except (httpx.HTTPError, httpx.StreamError, OSError):
        ended = EgressFailure(Reason.TRANSPORT_FAILED)
    except ReplayMismatch:
        ended = ReplayMismatch("the request is not the recorded one")
    except ValueError:
        ended = ValueError("the request cannot be sent as it is written")
    raise ended


async def _sent(outbound: Callable[[], httpx.Request], transport: Transport, budget: Budget) -> Response:
    request = outbound()
    return await received(await transport.handle_async_request(request), budget, accepted(request))


def _outbound(
    request: Request, budget: Budget, credential: Credential | None, reach: Origin | None
) -> httpx.Request:
    text, headers = request.url, request.headers
    extensions: dict[str, Any] = {"budget": budget}
    if reach is not None:
        extensions["reach"] = reach
    if credential is not None:
        text, headers = with_credential(text, headers, credential)
        extensions["credential"] = credential.place
    url = _one_form(text)
    body = request.body or b""
    return httpx.Request(
        request.method,
        url,
        headers=(*engine_headers(_host(url), body, IDENTITY if reach is None else GZIP), *headers),
        stream=httpx.ByteStream(body),
        extensions=extensions,
    )


def accepted(request: httpx.Request) -> str:
    """Return the content coding that the answer to a request may have (R-RES-2)."""
    return IDENTITY if request.extensions.get("reach") is None else GZIP


async def bare(request: httpx.Request) -> Request:
    """Return a request that is sent as it was bound: without the engine's headers and the credential."""
    body = await request.aread()
    url, headers = str(request.url), own_headers(request)
    place: Place | None = request.extensions.get("credential")
    if place is not None:
        url, headers = without_credential(url, headers, place)
    return Request(method=request.method, url=url, headers=headers, body=body or None)


def _one_form(text: str) -> httpx.URL:
    """Return a URL that goes out as it is written; ValueError for one that would be written differently."""
    with suppress(httpx.InvalidURL):
        url = httpx.URL(text)
        if str(url) == text:
            return url
    raise ValueError("the URL is not in the one form that goes out")


async def received(answer: httpx.Response, budget: Budget, coding: str) -> Response:
    """Read an answer as far as the budget says, decode it, and close it; raises `EgressFailure`."""
    body = bytearray()
    try:
        headers = plain_headers(answer.headers)
        if not budget.reads(answer.status_code):
            return Response(status=answer.status_code, headers=headers)
        refuse_encoded(headers, coding)
        async for piece in cast("AsyncIterable[bytes]", answer.stream):
            body += piece
            if len(body) > budget.raw:
                raise EgressFailure(Reason.BODY_TOO_LARGE)
    finally:
        await answer.aclose()
    return decoded(Response(status=answer.status_code, headers=headers, body=bytes(body)), budget.raw)


def _host(url: httpx.URL) -> str:
    return url.netloc.decode("ascii")


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


def plain_origin(url: httpx.URL, reach: Origin | None) -> Origin:
    """Return the origin of a plain HTTPS URL, or of one at `reach`; ValueError for any other."""
    host = url.raw_host.decode("ascii")
    port = _PORTS.get(url.scheme, 0) if url.port is None else url.port
    origin = Origin(scheme=url.scheme, host=host, port=port)
    plain = url.scheme in _PORTS and not url.userinfo and not url.fragment and 1 <= port <= 65_535
    if reach is None:
        allowed = url.scheme == "https" and _HOST.fullmatch(host)
    else:
        allowed = origin == reach and (_HOST.fullmatch(host) or _IPV6.fullmatch(host))
    if not plain or not allowed:
        raise ValueError("the URL has no origin that may be dialled")
    return origin
