"""What one exchange over loopback costs: `python benchmarks/invocation.py [BYTES]`, ratios in one run.

Egress opens a TLS connection for each exchange and closes it. The peer is `httpx` on a connection that it
keeps, and beside it `httpx` on a fresh one each time: the same bytes, the same server in its own process.
"""

from __future__ import annotations

import asyncio
import ssl
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING

import anyio
import httpx
import trustme

from extpkg.egress.dial import connect
from extpkg.egress.send import GuardedTransport, send
from extpkg.exchange import Request

if TYPE_CHECKING:
    import socket
    from collections.abc import Awaitable, Callable

NAME = "api.example.com"
ROUNDS, CALLS = 25, 20


def serve(size: int, folder: Path) -> None:
    """Answer every request with `size` bytes; the authority goes to `folder`, the port to standard output."""
    authority = trustme.CA()
    authority.cert_pem.write_to_path(str(folder / "ca.pem"))
    tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    authority.issue_cert(NAME).configure_cert(tls)
    answer = (
        b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n" % size
        + b"x" * size
    )

    async def reply(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while await reader.readuntil(b"\r\n\r\n"):
                writer.write(answer)
                await writer.drain()
        except (asyncio.IncompleteReadError, OSError):
            writer.close()

    async def main() -> None:
        server = await asyncio.start_server(reply, "127.0.0.1", 0, ssl=tls)
        print(server.sockets[0].getsockname()[1], flush=True)
        await server.serve_forever()

    asyncio.run(main())


def trusting(folder: Path) -> ssl.SSLContext:
    """Return a client context with the throwaway authority as its only root."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.load_verify_locations(folder / "ca.pem")
    return context


async def best(jobs: dict[str, Callable[[], Awaitable[object]]]) -> dict[str, float]:
    """Return the seconds of one call of each job in its best round; the rounds of all jobs alternate."""
    found = dict.fromkeys(jobs, float("inf"))
    for _ in range(ROUNDS):
        for name, job in jobs.items():
            await job()
            start = time.perf_counter()
            for _ in range(CALLS):
                await job()
            found[name] = min(found[name], (time.perf_counter() - start) / CALLS)
    return found


async def compare(port: int, folder: Path) -> dict[str, float]:
    """Time egress and both peers against the server at `port`."""

    async def resolver(_: str, __: int) -> list[str]:
        return ["140.82.112.3"]

    async def dialer(_: str, __: int) -> socket.socket:
        return await connect("127.0.0.1", port)

    transport = GuardedTransport(resolver=resolver, dialer=dialer, tls=trusting(folder))
    request = Request(method="GET", url=f"https://{NAME}/v1/items?a=b")
    fresh = httpx.Limits(max_keepalive_connections=0)
    async with (
        httpx.AsyncClient(trust_env=False, verify=trusting(folder)) as keeping,
        httpx.AsyncClient(trust_env=False, verify=trusting(folder), limits=fresh) as opening,
    ):

        async def peer(client: httpx.AsyncClient) -> bytes:
            named = {"sni_hostname": NAME}
            url = f"https://127.0.0.1:{port}/v1/items?a=b"
            return (await client.get(url, headers={"host": NAME}, extensions=named)).content

        return await best(
            {
                "egress, one connection each": lambda: send(request, transport=transport),
                "httpx, connection kept": lambda: peer(keeping),
                "httpx, one connection each": lambda: peer(opening),
            }
        )


def main(size: int) -> None:
    """Print the table."""
    with tempfile.TemporaryDirectory() as name:
        command = [sys.executable, __file__, str(size), name]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
            assert server.stdout  # noqa: S101 - asked for above
            try:
                found = anyio.run(compare, int(server.stdout.readline()), Path(name))
            finally:
                server.terminate()
    floor = found["httpx, connection kept"]
    for label, seconds in found.items():
        print(f"{label:30} {seconds * 1e3:7.2f} ms  {seconds / floor:5.2f}x")


if __name__ == "__main__":
    given = sys.argv[1:]
    if len(given) > 1:
        serve(int(given[0]), Path(given[1]))
    else:
        main(int(given[0]) if given else 20_000)
