"""Feeds in arXiv's shape, and transports that answer with them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import httpx

if TYPE_CHECKING:
    from collections.abc import Callable

NAMESPACES = (
    'xmlns="http://www.w3.org/2005/Atom" xmlns:arxiv="http://arxiv.org/schemas/atom" '
    'xmlns:opensearch="http://a9.com/-/spec/opensearch/1.1/"'
)
TIME = "2021-03-04T05:06:07Z"


def feed(*entries: str, total: object = 1) -> bytes:
    """Return a feed of entries; a total of None is left out."""
    counted = "" if total is None else f"<opensearch:totalResults>{total}</opensearch:totalResults>"
    text = f"<?xml version='1.0' encoding='UTF-8'?>\n<feed {NAMESPACES}>{counted}{''.join(entries)}</feed>"
    return text.encode()


def entry(name: str = "2103.01234v1", more: str = "", **parts: str | None) -> str:
    """Return an entry that is a paper; `parts` replace the content of an element, None leaves it out."""
    content: dict[str, str | None] = {
        "id": f"http://arxiv.org/abs/{name}",
        "updated": TIME,
        "published": TIME,
    }
    rows = [f"<{tag}>{text}</{tag}>" for tag, text in (content | parts).items() if text is not None]
    return f"<entry>{''.join(rows)}{more}</entry>"


def crowd(name: str, authors: int) -> str:
    """Return an entry with so many authors; each is at least 50 bytes of a result."""
    people = "".join(f"<author><name>Author Number {n:06}</name></author>" for n in range(authors))
    return entry(name, people)


class Answering(httpx.AsyncBaseTransport):
    """Answers every request alike and keeps what was asked."""

    def __init__(self, body: bytes, status: int = 200, headers: dict[str, str] | None = None) -> None:
        self.body = body
        self.status = status
        self.headers = headers or {}
        self.requests: list[httpx.Request] = []

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        self.requests.append(request)
        stream = httpx.ByteStream(self.body)
        return httpx.Response(self.status, headers=self.headers, stream=stream)


class Doing(httpx.AsyncBaseTransport):
    """Does something instead of answering."""

    def __init__(self, act: Callable[[], Any]) -> None:
        self.act = act

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        await self.act()
        raise AssertionError(f"no answer to {request.method}")
