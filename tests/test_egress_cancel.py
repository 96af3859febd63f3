"""Cancellation and deadlines of the caller, at every await; and nothing is left open, however a call ends."""

from __future__ import annotations

import asyncio
import gc
import socket
import time as real_time
from collections.abc import Coroutine
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import anyio
import pytest
from loopback import GET, URL, Upstream, VirtualTime, run, serving

from extpkg.egress import dial
from extpkg.egress.failure import EgressFailure
from extpkg.egress.send import send
from extpkg.exchange import Request

if TYPE_CHECKING:
    from loopback import Script

READ = {"read_request": True}
OK: Script = [READ, {"send": "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi"}]
HANGING: dict[str, Script] = {
    "handshake": [{"plain": True, "hang": True}],
    "write": [{"hang": True}],
    "headers": [READ, {"hang": True}],
    "body": [READ, {"send": "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n"}, {"hang": True}],
    "rest": [READ, {"send": "HTTP/1.1 200 OK\r\n\r\n"}, {"hang": True}],
}
UPLOAD = Request(method="POST", url=URL, body=b" " * (8 << 20))
FOLDER = Path("/proc/self/fd")


def opened() -> int:
    if not FOLDER.is_dir():
        pytest.skip("this machine does not list a process's descriptors")
    return sum(1 for _ in FOLDER.iterdir())


async def forever(*_: object) -> Any:
    await anyio.sleep_forever()


class Watched:
    """An upstream whose client sockets are kept in sight."""

    def __init__(self, upstream: Upstream) -> None:
        self.upstream = upstream
        self.sockets: list[socket.socket] = []

    async def dialer(self, address: str, port: int) -> socket.socket:
        connected = await self.upstream.dialer(address, port)
        connected.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 16 << 10)
        self.sockets.append(connected)
        return connected

    def all_closed(self) -> bool:
        return all(each.fileno() == -1 for each in self.sockets)


@pytest.mark.parametrize("stage", HANGING)
def test_the_callers_deadline_is_its_own(stage: str) -> None:
    """A049."""

    async def main(time: VirtualTime) -> None:
        async with serving(HANGING[stage], time) as upstream:
            watched = Watched(upstream)
            transport = upstream.transport(dialer=watched.dialer)
            time.stands = True
            with pytest.raises(TimeoutError), anyio.fail_after(0.2):
                await send(UPLOAD if stage == "write" else GET, transport=transport)
            assert watched.sockets
            assert watched.all_closed()

    run(main)


@pytest.mark.parametrize("where", ["resolver", "dialer"])
def test_the_callers_deadline_before_there_is_a_connection(where: str) -> None:
    async def main(time: VirtualTime) -> None:
        time.stands = True
        upstream = Upstream([], time)
        transport = upstream.transport(
            resolver=forever if where == "resolver" else None, dialer=forever if where == "dialer" else None
        )
        with pytest.raises(TimeoutError), anyio.fail_after(0.02):
            await send(GET, transport=transport)

    run(main)


def test_a_resolver_that_hangs_holds_nobody_up(monkeypatch: pytest.MonkeyPatch) -> None:
    """Not the call, and not the end of the event loop."""

    def hang(*_: object, **__: object) -> None:
        real_time.sleep(4)
        raise OSError

    monkeypatch.setattr(socket, "getaddrinfo", hang)
    start = real_time.perf_counter()

    async def main() -> bool:
        with anyio.move_on_after(0.05) as scope:
            await dial.resolve("api.example.com", 443)
        return scope.cancelled_caught

    assert anyio.run(main)
    assert real_time.perf_counter() - start < 3


class CancelledAt(Coroutine[Any, Any, Any]):
    """A coroutine whose task is cancelled as soon as it waits for the n-th time."""

    def __init__(self, inner: Coroutine[Any, Any, Any], wait: int) -> None:
        self.inner = inner
        self.left = wait
        self.task: asyncio.Task[Any] | None = None

    def send(self, value: Any) -> Any:
        waited_for = self.inner.send(value)
        self.left -= 1
        if self.left == 0:
            assert self.task
            asyncio.get_running_loop().call_soon(self.task.cancel)
        return waited_for

    def throw(self, *error: Any) -> Any:
        return self.inner.throw(*error)

    def close(self) -> None:
        self.inner.close()

    def __await__(self) -> Any:
        return self.inner.__await__()


async def is_cancelled_at(wait: int, transport: Any) -> bool:
    """Cancel a call at its n-th wait; False when it ended without so many."""
    stepped = CancelledAt(send(GET, transport=transport), wait)
    stepped.task = asyncio.ensure_future(stepped)
    await asyncio.wait([stepped.task])
    if not stepped.task.cancelled():
        assert stepped.task.result().body == b"hi"
    return stepped.task.cancelled()


def test_cancelled_at_any_await_it_stays_cancelled() -> None:
    """A049: at each of the waits that a call consists of, for an answer that comes in pieces."""
    pieces = ("HTTP/1.1 200 OK\r\n", "Transfer-Encoding: chunked\r\n\r\n", "2\r\nhi\r\n", "0\r\n\r\n")
    slow: Script = [READ, *(step for piece in pieces for step in ({"send": piece}, {"sleep": 0.1}))]

    async def main(time: VirtualTime) -> int:
        async with serving(slow, time) as upstream:
            watched = Watched(upstream)
            transport = upstream.transport(dialer=watched.dialer)
            for wait in range(1, 1_000):
                if not await is_cancelled_at(wait, transport):
                    return wait
                assert watched.all_closed()
        raise AssertionError("it never ended")

    assert run(main) > 5


def test_a_cancelled_scope_around_it_is_at_once() -> None:
    async def main(time: VirtualTime) -> None:
        async with serving(OK, time) as upstream:
            watched = Watched(upstream)
            with anyio.CancelScope() as scope:
                scope.cancel()
                await send(GET, transport=upstream.transport(dialer=watched.dialer))
            assert scope.cancelled_caught
            assert watched.all_closed()
            assert upstream.requests == []

    run(main)


ENDINGS: list[tuple[int, Script]] = [
    (100, OK),
    (600, [{"plain": True, "close": True}]),
    (100, [{"reset": True}]),
    (100, [READ, {"send": "secret"}]),
    (100, [READ, {"send": "HTTP/1.1 200 OK\r\nContent-Length: 5000000\r\n\r\n"}]),
]


def test_a_thousand_calls_leave_nothing_open() -> None:
    async def main(time: VirtualTime) -> None:
        before = opened()
        for calls, script in ENDINGS:
            async with serving(script, time) as upstream:
                transport = upstream.transport()
                for _ in range(calls):
                    try:
                        await send(GET, transport=transport)
                    except EgressFailure:
                        assert script is not OK
                for _ in range(10):
                    with suppress(EgressFailure), anyio.move_on_after(0.001):
                        await send(GET, transport=transport)
            gc.collect()
            with anyio.fail_after(10):  # the server's own sockets close a turn later
                while opened() > before:  # noqa: ASYNC110 - the kernel tells nobody
                    await anyio.sleep(0.01)

    run(main)


def test_calls_run_side_by_side() -> None:
    async def main(time: VirtualTime) -> None:
        async with serving(OK, time) as upstream:
            transport = upstream.transport()
            bodies: list[bytes] = []

            async def one() -> None:
                bodies.append((await send(GET, transport=transport)).body)

            async with anyio.create_task_group() as group:
                for _ in range(50):
                    group.start_soon(one)
            assert bodies == [b"hi"] * 50

    run(main)
