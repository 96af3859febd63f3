"""Every stage of an exchange meets every fault: what it comes to, and after how long by its own clock."""

from __future__ import annotations

import socket
from typing import TYPE_CHECKING, Any

import anyio
import pytest
from loopback import GET, PUBLIC, URL, Script, Upstream, VirtualTime, assert_bare, run, serving

from extpkg.egress.dial import connect
from extpkg.egress.failure import EgressFailure, Reason
from extpkg.egress.send import send
from extpkg.exchange import Request, Response

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Sequence

STAGES = ("resolve", "connect", "tls", "write", "status", "headers", "body", "end")
FAULTS = ("close", "reset", "stall", "drip", "garbage", "oversize")

OK = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"
SIZED = OK + "Content-Length: 100\r\n\r\n{"
CHUNKED = OK + "Transfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n"
READ = {"read_request": True}
CLOSE, RESET, STALL = {"close": True}, {"reset": True}, {"hang": True}
PUBLICS = [f"140.82.112.{last}" for last in range(1, 101)]
UPLOAD = Request(
    method="POST", url=URL, headers=(("content-type", "application/json"),), body=b" " * (8 << 20)
)
RECORD = "\x16\x03\x03\x3f\xff"  # the header of one TLS handshake record of 16 KiB


def drip(text: str) -> dict[str, Any]:
    return {"drip": text, "delay": 1.0}


def many(text: str, size: int = 64 << 20) -> dict[str, Any]:
    return {"repeat": text, "count": size // len(text)}


async def never() -> Any:
    await anyio.sleep_forever()


def answering(*answers: str) -> Callable[[VirtualTime], Awaitable[Sequence[str]]]:
    async def resolve(_: VirtualTime) -> Sequence[str]:
        return answers

    return resolve


def raising(error: Exception) -> Callable[..., Awaitable[Any]]:
    async def act(*_: object) -> Any:
        raise error

    return act


async def slowly(time: VirtualTime) -> Sequence[str]:
    await time.sleep(60)
    return [PUBLIC]


async def hanging(*_: object) -> Any:
    await never()


RESOLVE: dict[str, tuple[Callable[[VirtualTime], Awaitable[Sequence[str]]], Reason, float]] = {
    "close": (answering(), Reason.UNRESOLVED, 0),
    "reset": (raising(socket.gaierror(socket.EAI_FAIL, "secret")), Reason.UNRESOLVED, 0),
    "stall": (hanging, Reason.CONNECT_TIMED_OUT, 5),
    "drip": (slowly, Reason.CONNECT_TIMED_OUT, 5),
    "garbage": (answering("secret\0"), Reason.ADDRESS_DENIED, 0),
    "oversize": (answering(*PUBLICS * 1000, "10.0.0.1"), Reason.ADDRESS_DENIED, 0),
}

CONNECT: dict[str, tuple[Sequence[str], Callable[..., Awaitable[Any]], Reason, float]] = {
    "close": ([PUBLIC], raising(ConnectionRefusedError("secret")), Reason.NOT_CONNECTED, 0),
    "reset": ([PUBLIC], raising(ConnectionResetError("secret")), Reason.NOT_CONNECTED, 0),
    "stall": ([PUBLIC], hanging, Reason.CONNECT_TIMED_OUT, 5),
    "drip": (PUBLICS, hanging, Reason.CONNECT_TIMED_OUT, 5),
    "garbage": ([PUBLIC], raising(OSError(99_999, "secret")), Reason.NOT_CONNECTED, 0),
    "oversize": (PUBLICS, raising(ConnectionRefusedError("secret")), Reason.NOT_CONNECTED, 0),
}

PLAIN = {"plain": True}
WIRE: dict[tuple[str, str], tuple[Script, Reason, float]] = {
    ("tls", "close"): ([PLAIN | CLOSE], Reason.TLS_FAILED, 0),
    ("tls", "reset"): ([PLAIN | RESET], Reason.TLS_FAILED, 0),
    ("tls", "stall"): ([PLAIN | STALL], Reason.HEADERS_TIMED_OUT, 10),
    ("tls", "drip"): ([PLAIN | drip(RECORD + "\x02" * 60)], Reason.HEADERS_TIMED_OUT, 10),
    ("tls", "garbage"): (
        [PLAIN | {"send": "HTTP/1.1 400 secret\r\n\r\n"}, PLAIN | STALL],
        Reason.TLS_FAILED,
        0,
    ),
    ("tls", "oversize"): ([PLAIN | many(RECORD + "\x02" * 0x3FFF)], Reason.TLS_FAILED, 0),
    ("write", "close"): ([CLOSE], Reason.CONNECTION_LOST, 0),
    ("write", "reset"): ([RESET], Reason.CONNECTION_LOST, 0),
    ("write", "stall"): ([STALL], Reason.TIMED_OUT, 30),
    ("write", "drip"): ([{"read_drip": 1.0}], Reason.TIMED_OUT, 30),
    ("write", "garbage"): ([{"raw": "secret"}, STALL], Reason.TIMED_OUT, 30),
    ("write", "oversize"): ([many("secret")], Reason.TIMED_OUT, 30),
    ("status", "close"): ([READ, {"send": "HTTP/1.1 2"}, CLOSE], Reason.TRUNCATED, 0),
    ("status", "reset"): ([READ, {"send": "HTTP/1.1 2"}, RESET], Reason.CONNECTION_LOST, 0),
    ("status", "stall"): ([READ, {"send": "HTTP/1.1 2"}, STALL], Reason.HEADERS_TIMED_OUT, 10),
    ("status", "drip"): ([READ, drip(OK)], Reason.HEADERS_TIMED_OUT, 10),
    ("status", "garbage"): ([READ, {"send": "secret"}, STALL], Reason.MALFORMED, 0),
    ("status", "oversize"): ([READ, {"send": "HTTP/1.1 200 "}, many("secret")], Reason.HEADERS_TOO_LARGE, 0),
    ("headers", "close"): ([READ, {"send": OK}, CLOSE], Reason.TRUNCATED, 0),
    ("headers", "reset"): ([READ, {"send": OK}, RESET], Reason.CONNECTION_LOST, 0),
    ("headers", "stall"): ([READ, {"send": OK}, STALL], Reason.HEADERS_TIMED_OUT, 10),
    ("headers", "drip"): ([READ, {"send": OK}, drip("X: secret\r\n" * 9)], Reason.HEADERS_TIMED_OUT, 10),
    ("headers", "garbage"): ([READ, {"send": OK + "secret\r\n"}, STALL], Reason.MALFORMED, 0),
    ("headers", "oversize"): ([READ, {"send": OK}, many("X: secret\r\n")], Reason.HEADERS_TOO_LARGE, 0),
    ("body", "close"): ([READ, {"send": SIZED}, CLOSE], Reason.TRUNCATED, 0),
    ("body", "reset"): ([READ, {"send": SIZED}, RESET], Reason.CONNECTION_LOST, 0),
    ("body", "stall"): ([READ, {"send": SIZED}, STALL], Reason.TIMED_OUT, 30),
    ("body", "drip"): ([READ, {"send": SIZED}, drip("x" * 99)], Reason.TIMED_OUT, 30),
    ("body", "garbage"): ([READ, {"send": CHUNKED + "secret\r\n"}, STALL], Reason.MALFORMED, 0),
    ("body", "oversize"): ([READ, {"send": OK + "\r\n"}, many("secret")], Reason.BODY_TOO_LARGE, 0),
    ("end", "close"): ([READ, {"send": OK + "\r\n{}"}, CLOSE], Reason.TRUNCATED, 0),
    ("end", "reset"): ([READ, {"send": OK + "\r\n{}"}, RESET], Reason.CONNECTION_LOST, 0),
    ("end", "stall"): ([READ, {"send": CHUNKED + "0\r\n"}, STALL], Reason.TIMED_OUT, 30),
    ("end", "drip"): ([READ, {"send": CHUNKED + "0\r\n"}, drip("X: secret\r\n" * 9)], Reason.TIMED_OUT, 30),
    ("end", "garbage"): ([READ, {"send": CHUNKED + "0\r\nsecret\r\n"}, STALL], Reason.MALFORMED, 0),
    ("end", "oversize"): ([READ, {"send": CHUNKED + "0\r\n"}, many("X: y\r\n")], Reason.HEADERS_TOO_LARGE, 0),
}


async def outcome(upstream: Upstream, request: Request, **given: Any) -> tuple[Response | Reason, float]:
    start = upstream.time.now
    try:
        answer: Response | Reason = await send(request, transport=upstream.transport(**given))
    except EgressFailure as failure:
        assert_bare(failure)
        answer = failure.reason
    return answer, upstream.time.now - start


def test_the_matrix_is_whole() -> None:
    wired = {(stage, fault) for stage in STAGES[2:] for fault in FAULTS}
    assert set(WIRE) == wired
    assert set(RESOLVE) == set(CONNECT) == set(FAULTS)


@pytest.mark.parametrize("fault", FAULTS)
def test_resolve(fault: str) -> None:
    resolve, reason, seconds = RESOLVE[fault]

    async def main(time: VirtualTime) -> None:
        upstream = Upstream([], time)

        async def resolver(name: str, port: int) -> Sequence[str]:
            del name, port
            return await resolve(time)

        assert await outcome(upstream, GET, resolver=resolver) == (reason, seconds)
        assert upstream.dialled == []

    run(main)


@pytest.mark.parametrize("fault", FAULTS)
def test_connect(fault: str) -> None:
    answers, dialer, reason, seconds = CONNECT[fault]

    async def main(time: VirtualTime) -> None:
        async def resolver(name: str, port: int) -> Sequence[str]:
            del name, port
            return answers

        upstream = Upstream([], time)
        assert await outcome(upstream, GET, resolver=resolver, dialer=dialer) == (reason, seconds)

    run(main)


@pytest.mark.parametrize("fault", FAULTS)
@pytest.mark.parametrize("stage", STAGES[2:])
def test_wire(stage: str, fault: str) -> None:
    """A048, P305."""
    script, reason, seconds = WIRE[stage, fault]

    async def main(time: VirtualTime) -> None:
        async with serving(script, time) as upstream:

            async def narrow(address: str, port: int) -> socket.socket:
                """Buffers that hold less than the request, so that writing it has to wait."""
                del address, port
                opened = await connect("127.0.0.1", upstream.port)
                opened.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 16 << 10)
                return opened

            found = await outcome(upstream, UPLOAD if stage == "write" else GET, dialer=narrow)
            assert found == (reason, seconds)

    run(main)
