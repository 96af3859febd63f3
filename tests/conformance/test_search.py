"""The corpus of search engines: normalized results, error bodies, requests, and faults that all share."""

from __future__ import annotations

import json
from collections import Counter
from typing import TYPE_CHECKING, Any

import httpx
import pytest
from corpus import corpus

import extpkg
from extpkg.egress.send import ENGINE_HEADERS
from extpkg.providers import builtin_registry

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

ENGINES = ("brave", "searxng", "serper", "tavily")
SECRET = "the-secret-of-the-test"  # noqa: S105 - no one's


def rows(kind: str) -> list[Any]:
    return [(engine, row) for engine in ENGINES for row in corpus(f"search/{engine}/{kind}.json")]


def named(value: Any) -> str | None:
    return value["name"] if isinstance(value, dict) and "name" in value else None


CASES = rows("cases")
ERRORS = rows("errors")
REQUESTS = rows("requests")
SHARED: list[dict[str, Any]] = corpus("search/shared_errors.json")


class Upstream(httpx.AsyncBaseTransport):
    """Answers every request alike, in pieces, and keeps what was asked."""

    def __init__(self, status: int, body: bytes, headers: dict[str, str]) -> None:
        self.status = status
        self.body = body
        self.headers = headers
        self.requests: list[httpx.Request] = []

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        self.requests.append(request)
        return httpx.Response(self.status, headers=self.headers, stream=Pieces(self.body))


class Pieces(httpx.AsyncByteStream):
    def __init__(self, body: bytes) -> None:
        self.body = body

    async def __aiter__(self) -> AsyncIterator[bytes]:
        for start in range(0, len(self.body), 4096):
            yield self.body[start : start + 4096]


def connection(engine: str, config: dict[str, Any] | None = None) -> extpkg.Connection:
    if engine == "searxng":
        return extpkg.Connection(config=config or {"baseUrl": "http://10.0.0.5:8080"})
    return extpkg.Connection(credentials={"apiKey": SECRET})


def asked(engine: str, value: Any, upstream: Upstream) -> Any:
    return extpkg.invoke(engine, "search", value, transport=upstream, connection=connection(engine)).data


@pytest.mark.parametrize(("engine", "case"), CASES, ids=named)
def test_normalization(engine: str, case: dict[str, Any]) -> None:
    """S036 to S043, S070 to S073."""
    body = json.dumps(case["body"]).encode()  # halves of surrogate pairs stand as escapes
    upstream = Upstream(200, body, {"content-type": "application/json"})
    value = {"query": "q", "limit": case["limit"]}
    if "error" in case:
        with pytest.raises(extpkg.ExtensionError) as caught:
            asked(engine, value, upstream)
        assert caught.value.code == case["error"]
    else:
        assert asked(engine, value, upstream) == case["expected"]
    assert len(upstream.requests) == 1


@pytest.mark.parametrize(("engine", "case"), ERRORS, ids=named)
def test_error_bodies(engine: str, case: dict[str, Any]) -> None:
    """S044, S084, S085, S086, S087: the stable code, one request, and no word of what was answered."""
    headers = {"content-type": case["content_type"], **case.get("headers", {})}
    upstream = Upstream(case["status"], case["body"].encode(), headers)
    with pytest.raises(extpkg.ExtensionError) as caught:
        asked(engine, {"query": "q"}, upstream)
    assert caught.value.code == case["expected"]
    assert len(upstream.requests) == 1
    told = json.dumps(caught.value.envelope())
    assert SECRET not in told
    assert str(case["status"]) not in told
    assert not any(text in told for text in texts(case["body"]) if len(text) > 4)


def texts(body: str) -> list[str]:
    """Return the texts of a body: the strings that it holds where it is JSON, else all of it."""
    try:
        pending = [json.loads(body)]
    except ValueError:
        return [body] if body else []
    found = []
    while pending:
        each = pending.pop()
        if isinstance(each, str):
            found.append(each)
        elif isinstance(each, dict | list):
            pending += each.values() if isinstance(each, dict) else each
    return found


@pytest.mark.parametrize(("engine", "case"), REQUESTS, ids=str)
def test_requests(engine: str, case: dict[str, Any]) -> None:
    """S070 to S074: method, URL, body and every listed header, and beside them what the engine adds."""
    upstream = Upstream(500, b"", {})
    with pytest.raises(extpkg.ExtensionError):
        extpkg.invoke(
            engine,
            "search",
            case["input"],
            transport=upstream,
            connection=connection(engine, case.get("config")),
        )
    (request,) = upstream.requests
    expected = case["request"]
    assert request.method == expected["method"]
    assert str(request.url) == expected["url"]
    assert request.read().decode() == expected.get("body", "")
    headers = {name: value.replace("<secret>", SECRET) for name, value in expected["headers"].items()}
    sent = Counter(name.lower() for name, _ in request.headers.multi_items())
    assert {name: request.headers[name] for name in headers} == headers
    assert set(sent) - set(headers) <= ENGINE_HEADERS
    assert set(sent.values()) == {1}
    assert request.headers["accept-encoding"] == ("gzip" if engine == "searxng" else "identity")


@pytest.mark.parametrize("case", [case for case in SHARED if case["status"] is not None], ids=named)
@pytest.mark.parametrize("engine", ENGINES)
def test_faults_that_all_share(engine: str, case: dict[str, Any]) -> None:
    """S077, S081, S083, S086; the two of time are in tests/test_search_execute.py."""
    body = case.get("body", "").encode()
    if "body_bytes" in case:
        body = empty(engine)
        body += b" " * (case["body_bytes"] - len(body))
    upstream = Upstream(case["status"], body, case.get("headers", {}))
    if case["expected"].startswith("success"):
        assert asked(engine, {"query": "q"}, upstream) == {"results": []}
        return
    with pytest.raises(extpkg.ExtensionError) as caught:
        asked(engine, {"query": "q"}, upstream)
    assert caught.value.code == case["expected"]
    assert len(upstream.requests) == 1


def empty(engine: str) -> bytes:
    """Return what an engine answers where it found nothing."""
    bodies = {"brave": {"type": "search", "web": {"results": []}}, "serper": {"organic": []}}
    return json.dumps(bodies.get(engine, {"results": []})).encode()


def test_every_engine_of_the_corpus_is_a_builtin() -> None:
    assert set(ENGINES) <= set(builtin_registry().newest)
