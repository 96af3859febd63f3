"""A scripted TLS server on loopback, a throwaway CA, and a clock that jumps while nothing happens.

A script is a list of steps, as in the corpus of wire faults. Server, client and clock live in one event loop:
the clock moves to the next moment that anybody waits for as soon as no socket has anything to say.
"""

from __future__ import annotations

import asyncio
import base64
import heapq
import itertools
import selectors
import socket
import ssl
import struct
import zlib
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from functools import cache
from typing import TYPE_CHECKING, Any, TypeVar

import anyio
import trustme
from anyio.abc import SocketAttribute
from anyio.streams.tls import TLSStream

from extpkg.egress.clock import Budget, Clock
from extpkg.egress.dial import connect
from extpkg.egress.failure import EgressFailure, Reason
from extpkg.egress.send import GuardedTransport, send
from extpkg.exchange import Request, Response

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Sequence

    from anyio.abc import ByteStream, SocketStream

    from extpkg.egress.dial import Dialer, Resolver

NAME = "api.example.com"
PUBLIC = "140.82.112.3"
URL = f"https://{NAME}/v1/items"
GET = Request(method="GET", url=URL)

Script = list[dict[str, Any]]
_Result = TypeVar("_Result")


@cache
def authority() -> trustme.CA:
    return trustme.CA()


@cache
def server_tls(*names: str) -> ssl.SSLContext:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    authority().issue_cert(*(names or (NAME,))).configure_cert(context)
    return context


def client_tls() -> ssl.SSLContext:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    authority().configure_trust(context)
    return context


class CountingSelector(selectors.DefaultSelector):
    """Counts what it reports, so that the clock knows whether anything happens."""

    events = 0

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        ready = super().select(timeout)
        self.events += len(ready)
        return ready


class VirtualTime:
    """Time that stands while sockets speak and jumps to the next awaited moment while none does."""

    def __init__(self, selector: CountingSelector) -> None:
        self.now = 1_000.0
        self.stands = False
        self.clock = Clock(now=lambda: self.now, until=self._until)
        self._selector = selector
        self._due: list[tuple[float, int, Callable[[], object]]] = []
        self._numbers = itertools.count()

    def _until(self, moment: float) -> anyio.CancelScope:
        scope = anyio.CancelScope()
        self._at(moment, scope.cancel)
        return scope

    def _at(self, moment: float, act: Callable[[], object]) -> None:
        if moment <= self.now:
            act()
        else:
            heapq.heappush(self._due, (moment, next(self._numbers), act))

    async def sleep(self, seconds: float) -> None:
        woken = anyio.Event()
        self._at(self.now + seconds, woken.set)
        await woken.wait()

    async def drive(self) -> None:
        while True:
            seen = self._selector.events
            for _ in range(4):
                await anyio.sleep(0.001)
            if self._due and not self.stands and self._selector.events == seen:
                self.now, _, act = heapq.heappop(self._due)
                act()


@dataclass
class Upstream:
    """One scripted server: what it is to do, and what it saw."""

    script: Script
    time: VirtualTime
    tls: ssl.SSLContext | None = None
    port: int = 0
    dialled: list[str] = field(default_factory=list)
    resolved: list[str] = field(default_factory=list)
    requests: list[bytes] = field(default_factory=list)
    alive: int = 0

    async def dialer(self, address: str, port: int) -> socket.socket:
        assert port == 443
        self.dialled.append(address)
        return await connect("127.0.0.1", self.port)

    async def resolver(self, name: str, port: int) -> Sequence[str]:
        assert port == 443
        self.resolved.append(name)
        return [PUBLIC]

    def transport(
        self, *, resolver: Resolver | None = None, dialer: Dialer | None = None, budget: Budget | None = None
    ) -> GuardedTransport:
        return GuardedTransport(
            resolver=resolver or self.resolver,
            dialer=dialer or self.dialer,
            clock=self.time.clock,
            tls=client_tls(),
            budget=budget or Budget(),
        )

    async def answer(self, stream: SocketStream) -> None:
        self.alive += 1
        try:
            with suppress(
                anyio.BrokenResourceError, anyio.ClosedResourceError, anyio.EndOfStream, ssl.SSLError
            ):
                await self._play(stream)
        finally:
            self.alive -= 1
            await anyio.aclose_forcefully(stream)

    async def _play(self, stream: SocketStream) -> None:
        steps = list(self.script)
        while steps and steps[0].get("plain"):
            step = steps.pop(0)
            if await self._step(stream, {key: step[key] for key in step if key != "plain"}, stream):
                return
        secured = await TLSStream.wrap(
            stream, server_side=True, ssl_context=self.tls or server_tls(), standard_compatible=False
        )
        for step in steps:
            if await self._step(secured, step, stream):
                return
        await secured.receive()

    async def _step(self, stream: ByteStream, step: dict[str, Any], below: SocketStream) -> bool:
        """Do one step; True when the connection is over."""
        match step:
            case {"read_request": _}:
                self.requests.append(await read_request(stream))
            case {"read_drip": delay}:
                while True:
                    await stream.receive(1)
                    await self.time.sleep(delay)
            case {"sleep": seconds}:
                await self.time.sleep(seconds)
            case {"raw": text}:
                await below.send(text.encode("latin-1"))
            case {"hang": _}:
                await anyio.sleep_forever()
            case {"close": _} | {"reset": _} | {"farewell": _}:
                await end(stream, step, below)
                return True
            case _:
                for data, delay in pieces(step):
                    await stream.send(data)
                    if delay:
                        await self.time.sleep(delay)
        return False


async def end(stream: ByteStream, step: dict[str, Any], below: SocketStream) -> None:
    """End a connection: with TLS's farewell, with a reset, or (as the caller will) just so."""
    if "farewell" in step:
        assert isinstance(stream, TLSStream)
        stream.standard_compatible = True
        with suppress(anyio.BrokenResourceError, anyio.EndOfStream):
            await stream.unwrap()
    if "reset" in step:
        plain = below.extra(SocketAttribute.raw_socket)  # noqa: S610 - anyio's, not Django's
        plain.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))


def pieces(step: dict[str, Any]) -> Iterator[tuple[bytes, float]]:
    """Give what a step sends, each with the pause after it."""
    delay = step.get("delay", 0.0)
    match step:
        case {"send": text}:
            yield text.encode("latin-1"), delay
        case {"send_b64": text}:
            yield base64.b64decode(text), delay
        case {"send_gen": kind}:
            yield bomb(kind), delay
        case {"send_each_byte": text} | {"drip": text}:
            for byte in text.encode("latin-1"):
                yield bytes([byte]), delay
        case {"drip_repeat": text, "count": count}:
            for _ in range(count):
                yield text.encode("latin-1"), delay
        case {"repeat": text, "count": count}:
            block = text.encode("latin-1") * max(1, 65536 // len(text))
            for start in range(0, count * len(text), len(block)):
                yield block[: count * len(text) - start], delay
        case _:
            raise AssertionError(f"no such step: {step}")


async def read_request(stream: ByteStream) -> bytes:
    data = b""
    while b"\r\n\r\n" not in data:
        data += await stream.receive()
    head, _, body = data.partition(b"\r\n\r\n")
    for line in head.lower().split(b"\r\n"):
        if line.startswith(b"content-length:"):
            while len(body) < int(line.partition(b":")[2]):
                body += await stream.receive()
    return head + b"\r\n\r\n" + body


@cache
def bomb(kind: str) -> bytes:
    """200 MiB of zeros, compressed."""
    wbits = {"gzip-bomb": 31, "deflate-bomb": 15}[kind]
    squeeze = zlib.compressobj(9, zlib.DEFLATED, wbits)
    return b"".join(squeeze.compress(b"0" * (1 << 20)) for _ in range(200)) + squeeze.flush()


@asynccontextmanager
async def serving(
    script: Script, time: VirtualTime, tls: ssl.SSLContext | None = None
) -> AsyncIterator[Upstream]:
    """Serve the script to every connection until the block ends; nothing of it is left then."""
    upstream = Upstream(script, time, tls)
    async with (
        await anyio.create_tcp_listener(local_host="127.0.0.1") as listener,
        anyio.create_task_group() as group,
    ):
        upstream.port = listener.extra(SocketAttribute.local_port)  # noqa: S610 - anyio's, not Django's
        group.start_soon(listener.serve, upstream.answer)
        yield upstream
        group.cancel_scope.cancel()


def run(main: Callable[[VirtualTime], Awaitable[_Result]]) -> _Result:
    """Run `main` with a clock of its own, in an event loop of its own."""
    selector = CountingSelector()

    async def driven() -> _Result:
        time = VirtualTime(selector)
        async with anyio.create_task_group() as group:
            group.start_soon(time.drive)
            result = await main(time)
            group.cancel_scope.cancel()
        return result

    options = {"loop_factory": lambda: asyncio.SelectorEventLoop(selector)}
    return anyio.run(driven, backend_options=options)


@dataclass(frozen=True)
class Outcome:
    """What a call came to, how long it took by its own clock, and what the server saw of it."""

    result: Response | Reason
    seconds: float
    upstream: Upstream


def call(
    script: Script, request: Request = GET, *, budget: Budget | None = None, tls: ssl.SSLContext | None = None
) -> Outcome:
    """Make one call to a server that follows the script."""

    async def main(time: VirtualTime) -> Outcome:
        async with serving(script, time, tls) as upstream:
            start = time.now
            try:
                result: Response | Reason = await send(
                    request, transport=upstream.transport(), budget=budget or Budget()
                )
            except EgressFailure as failure:
                result = failure.reason
                assert_bare(failure)
            return Outcome(result, time.now - start, upstream)

    return run(main)


def assert_bare(failure: EgressFailure) -> None:
    """A failure says its reason, and nothing else is within reach of it."""
    assert str(failure) == failure.reason.value
    assert repr(failure) == f"EgressFailure({failure.reason.value!r})"
    assert failure.__cause__ is None
    assert failure.__context__ is None
