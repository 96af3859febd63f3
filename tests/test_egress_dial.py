"""From a name to a connection: who is asked, who is dialled, and for how long."""

from __future__ import annotations

import socket
from typing import TYPE_CHECKING

import anyio
import pytest
from loopback import NAME, PUBLIC, VirtualTime, run

from extpkg.egress import dial
from extpkg.egress.clock import Clock
from extpkg.egress.failure import EgressFailure, Reason

if TYPE_CHECKING:
    from collections.abc import Sequence

OTHER = "151.101.1.140"
SIXTH = "2606:4700:4700::1111"


class Net:
    """A resolver with fixed answers and a dialer that does with each address what the plan says."""

    def __init__(
        self, answers: Sequence[str] | Exception, plan: dict[str, Exception | None] | None = None
    ) -> None:
        self.answers = answers
        self.plan = plan or {}
        self.asked = 0
        self.tried: list[str] = []

    async def resolver(self, name: str, port: int) -> Sequence[str]:
        assert (name, port) == (NAME, 443)
        self.asked += 1
        if isinstance(self.answers, Exception):
            raise self.answers
        return self.answers

    async def dialer(self, address: str, port: int) -> socket.socket:
        assert port == 443
        self.tried.append(address)
        if address in self.plan:
            error = self.plan[address]
            if error is None:
                await anyio.sleep_forever()
            else:
                raise error
        return socket.socket()


def dialled(net: Net) -> tuple[str | Reason, float]:
    """Dial, and say which address was connected to (or why none) and after how long."""

    async def main(time: VirtualTime) -> tuple[str | Reason, float]:
        start = time.now
        clock = time.clock
        try:
            with clock.deadline(start + 5, Reason.CONNECT_TIMED_OUT):
                opened = await dial.dial(NAME, 443, resolver=net.resolver, dialer=net.dialer, clock=clock)
            opened.close()
        except EgressFailure as failure:
            return failure.reason, time.now - start
        return net.tried[-1], time.now - start

    return run(main)


REFUSED = ConnectionRefusedError(111, "secret")


@pytest.mark.parametrize(
    ("answers", "reason"),
    [
        ([], Reason.UNRESOLVED),
        (socket.gaierror(socket.EAI_AGAIN, "secret"), Reason.UNRESOLVED),
        (UnicodeError("label too long"), Reason.UNRESOLVED),
        (["127.0.0.1"], Reason.ADDRESS_DENIED),
        ([PUBLIC, "10.0.0.1"], Reason.ADDRESS_DENIED),
        (["10.0.0.1", PUBLIC], Reason.ADDRESS_DENIED),
        ([PUBLIC, "fe80::1%2"], Reason.ADDRESS_DENIED),
        ([PUBLIC, "no address"], Reason.ADDRESS_DENIED),
    ],
    ids=str,
)
def test_one_bad_answer_denies_all(answers: Sequence[str] | Exception, reason: Reason) -> None:
    """P303, P304: nobody is dialled."""
    net = Net(answers)
    assert dialled(net) == (reason, 0)
    assert net.tried == []
    assert net.asked == 1


def test_the_first_that_connects_is_taken() -> None:
    net = Net([SIXTH, OTHER, PUBLIC], {SIXTH: REFUSED})
    assert dialled(net) == (OTHER, 0)
    assert net.tried == [SIXTH, OTHER]


def test_none_connects() -> None:
    net = Net([SIXTH, OTHER, SIXTH], {SIXTH: REFUSED, OTHER: OSError(101, "unreachable")})
    assert dialled(net) == (Reason.NOT_CONNECTED, 0)
    assert net.tried == [SIXTH, OTHER]


def test_a_try_ends_after_two_seconds_while_another_address_is_left() -> None:
    net = Net([SIXTH, PUBLIC], {SIXTH: None})
    assert dialled(net) == (PUBLIC, 2)


def test_all_tries_share_five_seconds() -> None:
    """P305."""
    net = Net([SIXTH, OTHER, PUBLIC, "8.8.8.8"], {SIXTH: None, OTHER: None, PUBLIC: None})
    assert dialled(net) == (Reason.CONNECT_TIMED_OUT, 5)
    assert net.tried == [SIXTH, OTHER, PUBLIC]


def test_the_last_address_has_what_is_left() -> None:
    assert dialled(Net([SIXTH, PUBLIC], {SIXTH: None, PUBLIC: None})) == (Reason.CONNECT_TIMED_OUT, 5)


def test_the_system_resolver_answers_with_text() -> None:
    """Numeric names need no network."""
    assert anyio.run(dial.resolve, "127.0.0.1", 443) == ("127.0.0.1",)
    assert anyio.run(dial.resolve, "::1", 443) == ("::1",)


@pytest.mark.parametrize("name", ["a" * 70 + ".example", "::1%no-such-interface"])
def test_the_system_resolver_refuses(name: str) -> None:
    with pytest.raises((OSError, UnicodeError)):
        anyio.run(dial.resolve, name, 443)


def test_the_system_resolver_without_a_thread(monkeypatch: pytest.MonkeyPatch) -> None:
    def full(_: object) -> None:
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr("threading.Thread.start", full)
    with pytest.raises(OSError, match="no thread"):
        anyio.run(dial.resolve, "127.0.0.1", 443)


def test_a_scope_stays_visible() -> None:
    assert dial.address_text(("fe80::1", 443, 0, 2)) == "fe80::1%2"
    assert dial.address_text(("fe80::1%eth0", 443, 0, 2)) == "fe80::1%eth0"
    assert dial.address_text(("2a00::1", 443, 0, 0)) == "2a00::1"


@pytest.mark.parametrize(("address", "family"), [("127.0.0.1", socket.AF_INET), ("::1", socket.AF_INET6)])
def test_connect(address: str, family: socket.AddressFamily) -> None:
    with socket.socket(family) as listener:
        try:
            listener.bind((address, 0))
        except OSError:
            pytest.skip("this machine has no such loopback")
        listener.listen()
        port = listener.getsockname()[1]

        async def main() -> None:
            with await dial.connect(address, port) as opened:
                assert opened.getpeername()[:2] == (address, port)
                assert opened.gettimeout() == 0

        anyio.run(main)
    with pytest.raises(OSError, match="not connected"):
        anyio.run(dial.connect, address, port)


def test_connect_that_is_refused_at_once() -> None:
    with pytest.raises(OSError, match="not connected"):
        anyio.run(dial.connect, "255.255.255.255", 443)


@pytest.mark.parametrize("address", ["256.1.1.1", "localhost", "::g", "::1%lo"])
def test_connect_never_resolves(address: str) -> None:
    with pytest.raises(OSError, match="illegal IP address"):
        anyio.run(dial.connect, address, 443)


def test_the_default_clock_is_the_event_loops() -> None:
    async def main() -> None:
        clock = Clock()
        with (
            pytest.raises(EgressFailure, match="timed_out"),
            clock.deadline(clock.now() + 0.01, Reason.TIMED_OUT),
        ):
            await anyio.sleep_forever()
        with anyio.move_on_after(0.01) as outer, clock.deadline(clock.now() + 60, Reason.TIMED_OUT):
            await anyio.sleep_forever()
        assert outer.cancelled_caught

    anyio.run(main)
