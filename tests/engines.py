"""Search engines on loopback: what each answers is a function of the request that it got.

The three with fixed origins speak TLS as their own names, under the tests' authority; a transport leads every
public address to them. SearXNG's stands where its base URL says, and behaves as its documentation and an
instance of it do: the limiter's look at the headers, JSON as a format that has to be allowed.
"""

from __future__ import annotations

import gzip
import json
import socket
import ssl
import threading
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qs, urlsplit

from loopback import PUBLIC, client_tls, server_tls

from extpkg.egress.dial import connect
from extpkg.egress.send import GuardedTransport

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

ORIGINS = {
    "brave": "api.search.brave.com",
    "serper": "google.serper.dev",
    "tavily": "api.tavily.com",
}
"""The fixed origins of seed 004 section 6."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """One request as a server got it; the names of its headers are in lower case."""

    method: str
    target: str
    headers: dict[str, str]
    body: bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    status: int = 200
    body: bytes = b""
    headers: dict[str, str] = field(default_factory=dict)


@dataclass
class Engine:
    """A server that runs: its port, and what it was asked."""

    port: int
    asked: list[Asked] = field(default_factory=list, repr=False)

    def transport(self) -> GuardedTransport:
        """Return the guarded network, every name of which leads here."""

        async def resolver(_: str, __: int) -> Sequence[str]:
            return [PUBLIC]

        async def dialer(_: str, __: int) -> socket.socket:
            return await connect("127.0.0.1", self.port)

        return GuardedTransport(resolver=resolver, dialer=dialer, tls=client_tls())


@contextmanager
def serving(answer: Callable[[Asked], Answer], name: str | None = None) -> Iterator[Engine]:
    """Answer every request on a port of loopback, under TLS as `name` where one is given."""
    tls = None if name is None else server_tls(name)
    with socket.create_server(("127.0.0.1", 0)) as listener:
        engine = Engine(port=listener.getsockname()[1])

        def work() -> None:
            with suppress(OSError):
                while True:
                    with suppress(ssl.SSLError, ConnectionError):
                        _converse(engine, listener.accept()[0], tls, answer)

        thread = threading.Thread(target=work, daemon=True)
        thread.start()
        try:
            yield engine
        finally:
            listener.shutdown(socket.SHUT_RDWR)
            thread.join(10)


def _converse(
    engine: Engine, opened: socket.socket, tls: ssl.SSLContext | None, answer: Callable[[Asked], Answer]
) -> None:
    opened.settimeout(10)
    with opened if tls is None else tls.wrap_socket(opened, server_side=True) as stream:
        asked = _read(stream)
        engine.asked.append(asked)
        given = answer(asked)
        head = f"HTTP/1.1 {given.status} Some Reason\r\nContent-Length: {len(given.body)}\r\n"
        head += "".join(f"{name}: {value}\r\n" for name, value in given.headers.items())
        stream.sendall(f"{head}Connection: close\r\n\r\n".encode() + given.body)
        if tls is not None:
            with suppress(OSError):
                stream.unwrap()  # type: ignore[attr-defined]


def _read(stream: socket.socket) -> Asked:
    data = b""
    while b"\r\n\r\n" not in data:
        data += stream.recv(65536)
    head, _, body = data.partition(b"\r\n\r\n")
    first, *lines = head.decode("latin-1").split("\r\n")
    headers = {name.lower(): value for name, _, value in (line.partition(": ") for line in lines)}
    while len(body) < int(headers.get("content-length", 0)):
        body += stream.recv(65536)
    method, target, _ = first.split(" ")
    return Asked(method=method, target=target, headers=headers, body=body)


KEY_OF: dict[str, Callable[[Asked], str]] = {
    "brave": lambda asked: asked.headers.get("x-subscription-token", ""),
    "serper": lambda asked: asked.headers.get("x-api-key", ""),
    "tavily": lambda asked: asked.headers.get("authorization", "").removeprefix("Bearer "),
}
"""Where each engine finds its key."""

RESULT = {"title": "A title", "text": "A snippet.", "url": "https://example.com/page"}

BODIES: dict[str, Any] = {
    "brave": {
        "type": "search",
        "web": {
            "results": [
                {k: RESULT[v] for k, v in (("url", "url"), ("title", "title"), ("description", "text"))}
            ]
        },
    },
    "serper": {
        "searchParameters": {},
        "organic": [
            {"link": RESULT["url"], "title": RESULT["title"], "snippet": RESULT["text"], "position": 1}
        ],
    },
    "tavily": {"results": [{"url": RESULT["url"], "title": RESULT["title"], "content": RESULT["text"]}]},
    "searxng": {
        "results": [{"url": RESULT["url"], "title": RESULT["title"], "content": RESULT["text"]}],
        "unresponsive_engines": [],
    },
}


def keyed(name: str, key: str) -> Callable[[Asked], Answer]:
    """Return an engine that answers to one key, and tells the key that it refuses, as some do."""

    def answer(asked: Asked) -> Answer:
        given = KEY_OF[name](asked)
        if given != key:
            return Answer(status=401, body=json.dumps({"error": f"no such key: {given}"}).encode())
        return Answer(body=json.dumps(BODIES[name]).encode())

    return answer


def searxng(*, formats: tuple[str, ...] = ("html", "json"), body: Any = None) -> Callable[[Asked], Answer]:
    """Return an instance with its limiter on, where those formats are allowed (`search.formats`)."""

    def answer(asked: Asked) -> Answer:
        if not limiter_passes(asked.headers):
            return Answer(status=429, body=b"Too Many Requests")
        query = parse_qs(urlsplit(asked.target).query)
        if query.get("format") != ["json"] or "json" not in formats:
            return Answer(status=403, body=b"<!doctype html>\n<title>403 Forbidden</title>")
        data = gzip.compress(json.dumps(BODIES["searxng"] if body is None else body).encode())
        return Answer(body=data, headers={"Content-Encoding": "gzip", "Content-Type": "application/json"})

    return answer


def limiter_passes(headers: dict[str, str]) -> bool:
    """Say whether the limiter takes a client for a person (botdetection, the http_* methods)."""
    accepted = headers.get("accept", "")
    codings = [coding.strip() for coding in headers.get("accept-encoding", "").split(",")]
    return (
        ("*/*" in accepted or "text/html" in accepted)
        and ("gzip" in codings or "deflate" in codings)
        and bool(headers.get("accept-language", "").strip())
        and bool(headers.get("user-agent"))
    )
