"""From a name to a socket: resolve once, judge every answer, dial what was judged (R-RES-3)."""

from __future__ import annotations

import socket
from contextlib import suppress
from errno import EINPROGRESS, EWOULDBLOCK
from functools import partial
from threading import Thread
from typing import TYPE_CHECKING, Final

import anyio

from extpkg import limits
from extpkg.egress.address import is_public
from extpkg.egress.failure import EgressFailure, Reason

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Sequence

    from extpkg.egress.clock import Clock

    Resolver = Callable[[str, int], Awaitable[Sequence[str]]]
    """From a name and a port to addresses as text, in the order to try; OSError or UnicodeError for none."""

    Dialer = Callable[[str, int], Awaitable[socket.socket]]
    """From an address and a port to a connected, non-blocking socket; OSError where there is none."""

_UNDER_WAY: Final = frozenset({0, EINPROGRESS, EWOULDBLOCK})


async def resolve(name: str, port: int) -> tuple[str, ...]:
    """Ask the operating system for the addresses of `name`, in its order.

    The question runs in a daemon thread: a resolver that hangs holds up neither a cancelled call nor the end
    of the process. Raises OSError or UnicodeError as `getaddrinfo` does.
    """
    answers: list[tuple[str, ...] | Exception] = []
    told, tell = socket.socketpair()
    with told:
        _start(
            Thread(target=_look_up, args=(name, port, answers, tell), name="extpkg-resolve", daemon=True),
            tell,
        )
        await anyio.wait_readable(told)
    answer = answers[0]
    if isinstance(answer, Exception):
        raise answer
    return answer


def _start(thread: Thread, tell: socket.socket) -> None:
    """Start the thread that closes `tell`; OSError where the system has no thread left."""
    try:
        thread.start()
    except RuntimeError:
        tell.close()
        raise OSError("no thread to resolve in") from None


def _look_up(name: str, port: int, answers: list[tuple[str, ...] | Exception], tell: socket.socket) -> None:
    """Put what `getaddrinfo` answers into `answers`; closing `tell` says that it is there."""
    with tell:
        try:
            found = socket.getaddrinfo(name, port, type=socket.SOCK_STREAM)
            answers.append(tuple(dict.fromkeys(address_text(entry[4]) for entry in found)))
        except (OSError, UnicodeError) as error:
            answers.append(error)


def address_text(target: tuple[str, int] | tuple[str, int, int, int] | tuple[int, bytes]) -> str:
    """Return the address of a socket address; a scope id stays visible, so that it is judged too."""
    address = str(target[0])
    scope = target[3] if len(target) == 4 else 0
    return f"{address}%{scope}" if scope and "%" not in address else address


async def connect(address: str, port: int) -> socket.socket:
    """Open a TCP connection to one IPv4 or IPv6 address, never to a name; OSError where it fails."""
    family = socket.AF_INET6 if ":" in address else socket.AF_INET
    socket.inet_pton(family, address)
    opened = socket.socket(family, socket.SOCK_STREAM)
    try:
        opened.setblocking(False)
        opened.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        code = opened.connect_ex((address, port))
        if code in _UNDER_WAY:
            await anyio.wait_writable(opened)
            code = opened.getsockopt(socket.SOL_SOCKET, socket.SO_ERROR)
    except BaseException:
        opened.close()
        raise
    if code:
        opened.close()
        raise OSError(code, "not connected")
    return opened


async def dial(  # noqa: PLR0913 - the outside world, part by part
    name: str,
    port: int,
    *,
    resolver: Resolver,
    dialer: Dialer,
    clock: Clock,
    permitted: Callable[[str], bool] = is_public,
) -> socket.socket:
    """Return a socket that is connected to one of the addresses of `name`, all of which are `permitted`.

    The name is resolved once. One denied answer denies all: no connection is then opened to any. The
    addresses are tried in the resolver's order until one connects; while another is left a try ends after two
    seconds. The caller bounds the whole. Raises `EgressFailure`.
    """
    try:
        answers = dict.fromkeys(await resolver(name, port))
    except (OSError, UnicodeError):
        answers = {}
    if not answers:
        raise EgressFailure(Reason.UNRESOLVED)
    if not all(map(permitted, answers)):
        raise EgressFailure(Reason.ADDRESS_DENIED)
    *others, last = answers
    for address in others:
        with suppress(EgressFailure), clock.deadline(clock.now() + limits.TRY_SECONDS, Reason.NOT_CONNECTED):
            return await _try(partial(dialer, address, port))
    return await _try(partial(dialer, last, port))


async def _try(connecting: Callable[[], Awaitable[socket.socket]]) -> socket.socket:
    try:
        return await connecting()
    except OSError:
        pass
    raise EgressFailure(Reason.NOT_CONNECTED)
