"""Bytes over a socket and over TLS: each wait is one that a cancellation ends at once."""

from __future__ import annotations

import ssl
from contextlib import suppress
from functools import cache, partial
from typing import TYPE_CHECKING, Final, TypeVar

import anyio
import certifi
from anyio.lowlevel import checkpoint

if TYPE_CHECKING:
    import socket
    from collections.abc import Callable

READ_BYTES: Final = 64 << 10
"""How much one read takes at most."""

_Result = TypeVar("_Result")


async def receive(opened: socket.socket) -> bytes:
    """Return the next bytes, empty at the end of the stream; OSError where the connection breaks."""
    try:
        data = opened.recv(READ_BYTES)
    except BlockingIOError:
        return await _awaited(opened)
    await checkpoint()
    return data


async def _awaited(opened: socket.socket) -> bytes:
    while True:
        await anyio.wait_readable(opened)
        with suppress(BlockingIOError):
            return opened.recv(READ_BYTES)


async def send(opened: socket.socket, data: bytes) -> None:
    """Send all of `data`; OSError where the connection breaks."""
    rest = memoryview(data)
    while rest:
        try:
            rest = rest[opened.send(rest) :]
        except BlockingIOError:
            await anyio.wait_writable(opened)


class PlainStream:
    """A connection without TLS over a connected socket, as `TlsStream` is one with it."""

    def __init__(self, opened: socket.socket) -> None:
        self._socket = opened

    async def handshake(self) -> None:
        """Agree on nothing."""

    async def receive(self) -> bytes:
        """Return the next bytes, empty at the end; OSError where the connection breaks."""
        return await receive(self._socket)

    async def send(self, data: bytes) -> None:
        """Send all of `data`; OSError where the connection breaks."""
        await send(self._socket, data)


class TlsStream:
    """A TLS connection over a connected socket; `handshake` comes first.

    TLS runs on buffers, so that every piece that arrives is a wait of its own and no flood of records can
    hold the event loop. A stream that ends without TLS's own farewell is an error, never an end (R-RES-4).
    """

    def __init__(self, opened: socket.socket, name: str, context: ssl.SSLContext) -> None:
        self._socket = opened
        self._arrived = ssl.MemoryBIO()
        self._leaving = ssl.MemoryBIO()
        self._tls = context.wrap_bio(self._arrived, self._leaving, server_hostname=name)

    async def handshake(self) -> None:
        """Agree on keys and verify the certificate for the name; ssl.SSLError or OSError where it fails.

        The last message of the handshake leaves with the first bytes that are sent.
        """
        await self._run(self._tls.do_handshake)

    async def receive(self) -> bytes:
        """Return the next bytes, empty at the end; ssl.SSLError or OSError where the connection breaks."""
        return await self._run(partial(self._tls.read, READ_BYTES))

    async def send(self, data: bytes) -> None:
        """Send all of `data`; ssl.SSLError or OSError where the connection breaks."""
        rest = memoryview(data)
        while rest:
            rest = rest[await self._run(partial(self._tls.write, rest[:READ_BYTES])) :]
            await self._flush()

    async def _run(self, step: Callable[[], _Result]) -> _Result:
        while True:
            try:
                return step()
            except ssl.SSLWantReadError:
                await self._flush()
                self._feed(await receive(self._socket))

    async def _flush(self) -> None:
        if self._leaving.pending:
            await send(self._socket, self._leaving.read())

    def _feed(self, data: bytes) -> None:
        if data:
            self._arrived.write(data)
        else:
            self._arrived.write_eof()


@cache
def public_tls() -> ssl.SSLContext:
    """Return the process's client context: the public roots of `certifi`, and nothing of the environment.

    Built when first asked for, as it costs milliseconds; shared, and not to be changed.
    """
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.load_verify_locations(certifi.where())
    return strict_tls(context)


def strict_tls(context: ssl.SSLContext) -> ssl.SSLContext:
    """Make a client context as strict as egress needs it, and return it; only its roots stay the caller's.

    The certificate is verified for the name, TLS is 1.2 or later, HTTP/1.1 is the only protocol offered, and
    an end without TLS's farewell is an error.
    """
    context.verify_mode = ssl.CERT_REQUIRED
    context.check_hostname = True
    context.hostname_checks_common_name = False
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    context.maximum_version = ssl.TLSVersion.MAXIMUM_SUPPORTED
    context.options &= ~ssl.OP_IGNORE_UNEXPECTED_EOF
    context.options |= ssl.OP_NO_RENEGOTIATION
    context.keylog_filename = None  # type: ignore[assignment]  # typeshed leaves None out
    context.set_alpn_protocols(["http/1.1"])
    return context
