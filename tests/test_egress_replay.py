"""Recorded exchanges instead of the network: the same limits, the same parser, and every request compared."""

from __future__ import annotations

from typing import Any

import anyio
import pytest
from hypothesis import given
from hypothesis import strategies as st

from extpkg.egress.clock import Budget
from extpkg.egress.failure import EgressFailure, Reason, ReplayMismatch
from extpkg.egress.replay import Difference, ReplayTransport
from extpkg.egress.send import send
from extpkg.exchange import Exchange, Request, Response

GET = Request(method="GET", url="https://api.example.com/v1/items?a=b")
POST = Request(
    method="POST",
    url="https://api.example.com/v1/items",
    headers=(("content-type", "application/json"), ("x-a", "1")),
    body=b"{}",
)
HI = Response(status=200, headers=(("content-type", "text/plain"),), body=b"hi")


def replayed(
    exchanges: list[Exchange], *requests: Request, budget: Budget | None = None
) -> tuple[list[Any], ReplayTransport]:
    transport = ReplayTransport(exchanges)

    async def main() -> list[Any]:
        results: list[Any] = []
        for request in requests:
            try:
                results.append(await send(request, transport=transport, budget=budget or Budget()))
            except EgressFailure as failure:
                results.append(failure.reason)
            except ReplayMismatch as mismatch:
                results.append("mismatch" if "example" not in str(mismatch) else str(mismatch))
        return results

    return anyio.run(main), transport


def test_answers_come_in_their_order() -> None:
    other = Response(status=404)
    results, transport = replayed(
        [Exchange(request=GET, response=HI), Exchange(request=POST, response=other)], GET, POST
    )
    assert results == [HI, other]
    assert transport.differences() == ()


@pytest.mark.parametrize(
    "made",
    [
        Request(method="DELETE", url=POST.url, headers=POST.headers, body=POST.body),
        Request(method="POST", url=POST.url + "?a=b", headers=POST.headers, body=POST.body),
        Request(method="POST", url=POST.url, headers=POST.headers[:1], body=POST.body),
        Request(method="POST", url=POST.url, headers=POST.headers[::-1], body=POST.body),
        Request(method="POST", url=POST.url, headers=(POST.headers[0], ("x-a", "2")), body=POST.body),
        Request(method="POST", url=POST.url, headers=POST.headers, body=b"{ }"),
        Request(method="POST", url=POST.url, headers=POST.headers),
    ],
)
def test_another_request_fails_the_replay_for_good(made: Request) -> None:
    results, transport = replayed([Exchange(request=POST, response=HI)], made, POST)
    assert results == ["mismatch", "mismatch"]
    assert transport.differences()[0] == Difference(index=0, recorded=POST, made=made)


def test_one_request_too_many() -> None:
    results, transport = replayed([Exchange(request=GET, response=HI)], GET, GET)
    assert results == [HI, "mismatch"]
    assert transport.differences() == (Difference(index=1, recorded=None, made=GET),)


def test_an_exchange_left_over() -> None:
    exchanges = [Exchange(request=request, response=HI) for request in (GET, POST, GET)]
    results, transport = replayed(exchanges, GET)
    assert results == [HI]
    assert transport.differences() == (
        Difference(index=1, recorded=POST, made=None),
        Difference(index=2, recorded=GET, made=None),
    )


@pytest.mark.parametrize(
    ("headers", "body", "expected"),
    [
        ((("content-length", "2"),), b"hi", b"hi"),
        ((("content-length", "3"),), b"hi", Reason.TRUNCATED),
        ((("content-length", "1"),), b"hi", b"h"),
        ((("content-length", "x"),), b"hi", Reason.MALFORMED),
        ((("content-length", "2"), ("content-length", "2")), b"hi", Reason.MALFORMED),
        ((("Transfer-Encoding", "chunked"),), b"hi", b"hi"),
        ((("transfer-encoding", "chunked"),), b"", b""),
        ((("transfer-encoding", "gzip"),), b"hi", Reason.MALFORMED),
        ((("content-encoding", "gzip"),), b"hi", Reason.ENCODED),
        ((("x", "a\r\n b"),), b"hi", Reason.MALFORMED),
        ((("x y", "a"),), b"hi", Reason.MALFORMED),
        ((), b"x" * 11, Reason.BODY_TOO_LARGE),
        ((("x", "a" * 200),), b"hi", Reason.HEADERS_TOO_LARGE),
    ],
)
def test_limits_and_parser_are_the_networks(
    headers: tuple[tuple[str, str], ...], body: bytes, expected: bytes | Reason
) -> None:
    recorded = Response(status=200, headers=headers, body=body)
    results, transport = replayed(
        [Exchange(request=GET, response=recorded)], GET, budget=Budget(raw=10, head=100)
    )
    assert [result.body if isinstance(result, Response) else result for result in results] == [expected]
    assert transport.differences() == ()


@given(st.binary(max_size=100), st.sampled_from([200, 201, 400, 404, 429, 503]))
def test_a_recorded_answer_comes_back_as_it_is(body: bytes, status: int) -> None:
    recorded = Response(status=status, headers=(("content-type", "a/b"), ("x", "\xe9")), body=body)
    results, _ = replayed([Exchange(request=GET, response=recorded)], GET)
    assert results[0].status == status
    assert results[0].body == body


@pytest.mark.parametrize("status", [99, 600, 1000, -1])
def test_a_status_that_is_none(status: int) -> None:
    results, _ = replayed([Exchange(request=GET, response=Response(status=status))], GET)
    assert results == [Reason.MALFORMED]
