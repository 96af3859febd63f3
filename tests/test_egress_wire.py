"""One answer, read strictly: the parser alone, fed from memory."""

from __future__ import annotations

import time
from itertools import pairwise
from typing import TYPE_CHECKING

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from extpkg.egress.clock import Budget
from extpkg.egress.failure import EgressFailure, Reason
from extpkg.egress.wire import Answer, request_bytes
from extpkg.exchange import Response

if TYPE_CHECKING:
    from collections.abc import Iterable

OK = b"HTTP/1.1 200 OK\r\n"
SMALL = Budget(raw=10, head=100)


def read(pieces: Iterable[bytes], budget: Budget | None = None) -> Response | Reason:
    """Read one answer from pieces that are there already, so that nothing ever waits."""
    waiting = iter(pieces)

    async def receive() -> bytes:
        return next(waiting, b"")

    async def whole() -> Response | Reason:
        answer = Answer(receive, budget or Budget())
        try:
            await answer.head()
            return await answer.response()
        except EgressFailure as failure:
            return failure.reason

    coroutine = whole()
    try:
        coroutine.send(None)
    except StopIteration as end:
        result: Response | Reason = end.value
        return result
    raise AssertionError("it waited")


ACCEPTED = {
    "length": (OK + b"Content-Length: 2\r\n\r\nhi", b"hi"),
    "nothing after": (OK + b"Content-Length: 0\r\n\r\n", b""),
    "surplus is not read": (OK + b"Content-Length: 2\r\n\r\nhiHTTP/1.1 500 x\r\n", b"hi"),
    "leading zeros": (OK + b"Content-Length: 0002\r\n\r\nhi", b"hi"),
    "no reason": (b"HTTP/1.1 200\r\nContent-Length: 2\r\n\r\nhi", b"hi"),
    "empty reason": (b"HTTP/1.1 200 \r\nContent-Length: 2\r\n\r\nhi", b"hi"),
    "latin reason": (b"HTTP/1.1 200 d\xe9j\xe0\r\nContent-Length: 2\r\n\r\nhi", b"hi"),
    "older minor version": (b"HTTP/1.0 200 OK\r\nContent-Length: 2\r\n\r\nhi", b"hi"),
    "up to the end": (OK + b"\r\nhi", b"hi"),
    "chunked": (OK + b"Transfer-Encoding: chunked\r\n\r\n2\r\nhi\r\n0\r\n\r\n", b"hi"),
    "chunked, upper case": (
        OK + b"TRANSFER-ENCODING: Chunked\r\n\r\nA\r\n0123456789\r\n0\r\n\r\n",
        b"0123456789",
    ),
    "chunk extension": (OK + b'Transfer-Encoding: chunked\r\n\r\n2;a="b"\r\nhi\r\n0;c\r\n\r\n', b"hi"),
    "trailers": (OK + b"Transfer-Encoding: chunked\r\n\r\n2\r\nhi\r\n0\r\nX-T: 1\r\n\r\n", b"hi"),
    "interim answers": (
        b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Hints\r\nLink: x\r\n\r\n" + OK + b"\r\nhi",
        b"hi",
    ),
    "identity": (OK + b"Content-Encoding: Identity\r\n\r\nhi", b"hi"),
    "no content": (b"HTTP/1.1 204 No Content\r\nContent-Length: 5\r\n\r\nhello", b""),
    "not modified": (b"HTTP/1.1 304 x\r\nContent-Length: 5\r\n\r\n", b""),
}

REFUSED = {
    "nothing": (b"", Reason.TRUNCATED),
    "other protocol": (b"SSH-2.0-OpenSSH_9.0\r\n", Reason.MALFORMED),
    "other protocol, no line": (b"SSH-2.0", Reason.MALFORMED),
    "two majors": (b"HTTP/2.0 200 OK\r\n\r\n", Reason.MALFORMED),
    "later minor": (b"HTTP/1.2 200 OK\r\n\r\n", Reason.MALFORMED),
    "lower case": (b"http/1.1 200 OK\r\n\r\n", Reason.MALFORMED),
    "no headers at all": (b"<html></html>", Reason.MALFORMED),
    "leading line": (b"\r\n" + OK + b"\r\n", Reason.MALFORMED),
    "bare line ends": (b"HTTP/1.1 200 OK\nContent-Length: 2\n\nhi", Reason.MALFORMED),
    "bare CR in status": (b"HTTP/1.1 200 O\rK\r\n\r\n", Reason.MALFORMED),
    "two digits": (b"HTTP/1.1 99 x\r\n\r\n", Reason.MALFORMED),
    "four digits": (b"HTTP/1.1 2000 x\r\n\r\n", Reason.MALFORMED),
    "status 0": (b"HTTP/1.1 000 x\r\n\r\n", Reason.MALFORMED),
    "status 600": (b"HTTP/1.1 600 x\r\n\r\n", Reason.MALFORMED),
    "letters": (b"HTTP/1.1 abc x\r\n\r\n", Reason.MALFORMED),
    "two spaces": (b"HTTP/1.1  200 OK\r\n\r\n", Reason.MALFORMED),
    "tab": (b"HTTP/1.1\t200 OK\r\n\r\n", Reason.MALFORMED),
    "switching": (b"HTTP/1.1 101 Switching Protocols\r\n\r\n", Reason.MALFORMED),
    "fold": (OK + b"X: a\r\n b\r\n\r\n", Reason.MALFORMED),
    "fold at once": (OK + b" X: a\r\n\r\n", Reason.MALFORMED),
    "no colon": (OK + b"X\r\n\r\n", Reason.MALFORMED),
    "no name": (OK + b": a\r\n\r\n", Reason.MALFORMED),
    "space before colon": (OK + b"Content-Length : 2\r\n\r\nhi", Reason.MALFORMED),
    "name in another alphabet": (OK + b"\xc3\xa9: 2\r\n\r\n", Reason.MALFORMED),
    "bare CR in a value": (OK + b"X: a\rb\r\n\r\n", Reason.MALFORMED),
    "NUL in a value": (OK + b"X: a\0b\r\n\r\n", Reason.MALFORMED),
    "DEL in a value": (OK + b"X: \x7f\r\n\r\n", Reason.MALFORMED),
    "end in headers": (OK + b"X: a", Reason.TRUNCATED),
    "end before the empty line": (OK + b"X: a\r\n", Reason.TRUNCATED),
    "short body": (OK + b"Content-Length: 3\r\n\r\nhi", Reason.TRUNCATED),
    "two lengths": (OK + b"Content-Length: 2\r\nContent-Length: 3\r\n\r\nhi!", Reason.MALFORMED),
    "the same length twice": (OK + b"Content-Length: 2\r\nContent-Length: 2\r\n\r\nhi", Reason.MALFORMED),
    "a list of lengths": (OK + b"Content-Length: 2, 2\r\n\r\nhi", Reason.MALFORMED),
    "signed": (OK + b"Content-Length: +2\r\n\r\nhi", Reason.MALFORMED),
    "negative": (OK + b"Content-Length: -2\r\n\r\nhi", Reason.MALFORMED),
    "hex": (OK + b"Content-Length: 0x2\r\n\r\nhi", Reason.MALFORMED),
    "empty length": (OK + b"Content-Length:\r\n\r\nhi", Reason.MALFORMED),
    "fraction": (OK + b"Content-Length: 2.0\r\n\r\nhi", Reason.MALFORMED),
    "other digits": (OK + b"Content-Length: \xb2\r\n\r\nhi", Reason.MALFORMED),
    "twenty digits": (OK + b"Content-Length: 00000000000000000002\r\n\r\nhi", Reason.MALFORMED),
    "length and chunked": (
        OK + b"Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nhi\r\n0\r\n\r\n",
        Reason.MALFORMED,
    ),
    "chunked twice": (OK + b"Transfer-Encoding: chunked, chunked\r\n\r\n", Reason.MALFORMED),
    "chunked in two fields": (
        OK + b"Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n",
        Reason.MALFORMED,
    ),
    "another coding": (OK + b"Transfer-Encoding: gzip, chunked\r\n\r\n", Reason.MALFORMED),
    "identity coding": (OK + b"Transfer-Encoding: identity\r\n\r\nhi", Reason.MALFORMED),
    "empty coding": (OK + b"Transfer-Encoding:\r\n\r\nhi", Reason.MALFORMED),
    "chunked in 1.0": (
        b"HTTP/1.0 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nhi\r\n0\r\n\r\n",
        Reason.MALFORMED,
    ),
    "chunk size negative": (OK + b"Transfer-Encoding: chunked\r\n\r\n-1\r\nx\r\n", Reason.MALFORMED),
    "chunk size prefixed": (OK + b"Transfer-Encoding: chunked\r\n\r\n0x1\r\nx\r\n", Reason.MALFORMED),
    "chunk size spaced": (OK + b"Transfer-Encoding: chunked\r\n\r\n 1\r\nx\r\n", Reason.MALFORMED),
    "chunk size empty": (OK + b"Transfer-Encoding: chunked\r\n\r\n\r\n", Reason.MALFORMED),
    "chunk size long": (
        OK + b"Transfer-Encoding: chunked\r\n\r\n00000000000000001\r\nx\r\n",
        Reason.MALFORMED,
    ),
    "chunk without its end": (OK + b"Transfer-Encoding: chunked\r\n\r\n2\r\nhiX0\r\n\r\n", Reason.MALFORMED),
    "chunk with LF": (OK + b"Transfer-Encoding: chunked\r\n\r\n2\nhi\r\n0\r\n\r\n", Reason.MALFORMED),
    "no last chunk": (OK + b"Transfer-Encoding: chunked\r\n\r\n2\r\nhi\r\n", Reason.TRUNCATED),
    "end in a chunk": (OK + b"Transfer-Encoding: chunked\r\n\r\n5\r\nhi", Reason.TRUNCATED),
    "no end of trailers": (OK + b"Transfer-Encoding: chunked\r\n\r\n0\r\nX: 1\r\n", Reason.TRUNCATED),
    "bad trailer": (OK + b"Transfer-Encoding: chunked\r\n\r\n0\r\nX\r\n\r\n", Reason.MALFORMED),
    "gzip": (OK + b"Content-Encoding: gzip\r\nContent-Length: 2\r\n\r\nhi", Reason.ENCODED),
    "two encodings": (
        OK + b"Content-Encoding: identity\r\nContent-Encoding: br\r\nContent-Length: 2\r\n\r\nhi",
        Reason.ENCODED,
    ),
}


@pytest.mark.parametrize(("data", "body"), ACCEPTED.values(), ids=ACCEPTED)
def test_accepted(data: bytes, body: bytes) -> None:
    answer = read([data])
    assert isinstance(answer, Response), answer
    assert answer.body == body
    assert answer == read(data[at : at + 1] for at in range(len(data)))


@pytest.mark.parametrize(("data", "reason"), REFUSED.values(), ids=REFUSED)
def test_refused(data: bytes, reason: Reason) -> None:
    assert read([data]) is reason
    assert read(data[at : at + 1] for at in range(len(data))) is reason


def test_headers_arrive_as_they_were_sent() -> None:
    answer = read(
        [OK + b"Set-Cookie: a\r\nX-Empty:\r\nset-cookie:\t b \t\r\nX-L: \xe9\r\nContent-Length: 0\r\n\r\n"]
    )
    assert isinstance(answer, Response)
    assert answer.headers == (
        ("set-cookie", "a"), ("x-empty", ""), ("set-cookie", "b"), ("x-l", "\xe9"), ("content-length", "0")
    )  # fmt: skip
    assert answer.values("set-cookie") == ("a", "b")


def padded(size: int) -> bytes:
    """A head of exactly `size` bytes."""
    frame = OK + b"Content-Length: 2\r\nX: \r\n\r\n"
    return OK + b"Content-Length: 2\r\nX: " + b"a" * (size - len(frame)) + b"\r\n\r\n"


@pytest.mark.parametrize("budget", [SMALL, Budget()])
def test_head_budget_to_the_byte(budget: Budget) -> None:
    assert isinstance(read([padded(budget.head) + b"hi"], budget), Response)
    assert read([padded(budget.head + 1) + b"hi"], budget) is Reason.HEADERS_TOO_LARGE


def test_head_budget_counts_interim_answers_trailers_and_extensions() -> None:
    interim = b"HTTP/1.1 100 Continue\r\n\r\n"
    assert isinstance(read([interim + padded(100 - len(interim)) + b"hi"], SMALL), Response)
    assert read([interim + padded(101 - len(interim)) + b"hi"], SMALL) is Reason.HEADERS_TOO_LARGE
    chunked = OK + b"Transfer-Encoding: chunked\r\n\r\n"
    left = 100 - len(chunked)
    for trailer, reason in ((left, None), (left + 1, Reason.HEADERS_TOO_LARGE)):
        end = b"0\r\nX: " + b"a" * (trailer - len(b"X: \r\n\r\n")) + b"\r\n\r\n"
        assert read([chunked + end], SMALL) is reason or reason is None
    assert read([chunked + b"1;" + b"a" * left + b"\r\nx\r\n0\r\n\r\n"], SMALL) is Reason.HEADERS_TOO_LARGE
    assert read([chunked + b"0000000000000001\r\nx\r\n0\r\n\r\n"], SMALL).__class__ is Response


def test_interim_storm_ends() -> None:
    def storm() -> Iterable[bytes]:
        while True:
            yield b"HTTP/1.1 100 Continue\r\n\r\n"

    assert read(storm()) is Reason.HEADERS_TOO_LARGE


def test_chunk_sizes_are_not_headers() -> None:
    chunks = b"1\r\nx\r\n" * 50_000
    answer = read([OK + b"Transfer-Encoding: chunked\r\n\r\n" + chunks + b"0\r\n\r\n"])
    assert isinstance(answer, Response)
    assert answer.body == b"x" * 50_000


@pytest.mark.parametrize("head", [b"", b"Content-Length: %d\r\n"])
def test_raw_budget_to_the_byte(head: bytes) -> None:
    """A044, P310."""
    for size, reason in ((10, None), (11, Reason.BODY_TOO_LARGE)):
        length = head % size if head else head
        answer = read([OK + length + b"\r\n" + b"x" * size], SMALL)
        assert answer is reason or (
            reason is None and isinstance(answer, Response) and len(answer.body) == size
        )


def test_raw_budget_sums_chunks() -> None:
    chunked = OK + b"Transfer-Encoding: chunked\r\n\r\n"
    assert isinstance(read([chunked + b"5\r\nhello\r\n5\r\nworld\r\n0\r\n\r\n"], SMALL), Response)
    assert read([chunked + b"5\r\nhello\r\n6\r\n"], SMALL) is Reason.BODY_TOO_LARGE


def test_announced_excess_is_refused_before_it_is_read() -> None:
    def pieces() -> Iterable[bytes]:
        yield OK + b"Content-Length: 11\r\n\r\n"
        raise AssertionError("it read on")

    assert read(pieces(), SMALL) is Reason.BODY_TOO_LARGE


@pytest.mark.parametrize("filler", [b" ", b"\t", b"a", b":", b";"])
def test_hostile_lines_take_linear_time(filler: bytes) -> None:
    start = time.perf_counter()
    for end in (b"\x01", b" ", b"a"):
        read([OK + b"X:" + filler * 65_000 + end + b"\r\n\r\n"])
        read([OK + b"Transfer-Encoding: chunked\r\n\r\n1" + filler * 65_000 + end + b"\r\n"])
        read([b"HTTP/1.1 200" + filler * 65_000 + end + b"\r\n\r\n"])
    assert time.perf_counter() - start < 2


PIECES = st.sampled_from(
    [
        b"HTTP/1.1 ", b"200", b" OK", b"\r\n", b"\n", b"\r", b"Content-Length: ", b"2",
        b"Transfer-Encoding: chunked", b"hi", b"0", b"\r\n\r\n", b"a", b": ", b" ", b"100 x", b";", b"\0",
        b"\xff", OK,
    ]
)  # fmt: skip


@given(st.lists(st.one_of(PIECES, st.binary(max_size=4)), max_size=40), st.data())
@example([OK, b"\r\n"], None)
def test_any_bytes_in_any_pieces_have_one_outcome(parts: list[bytes], data: st.DataObject | None) -> None:
    whole = b"".join(parts)
    outcome = read([whole], SMALL)
    assert isinstance(outcome, Response | Reason)
    cuts = sorted(data.draw(st.lists(st.integers(0, len(whole)), max_size=8))) if data else []
    bounds = [0, *cuts, len(whole)]
    pieces = [whole[a:b] for a, b in pairwise(bounds) if a < b]
    assert read(pieces, SMALL) == outcome


def test_request_bytes() -> None:
    head = (("host", "h"), ("x", ""))
    assert (
        request_bytes("POST", "/a?b=%20", head, b"{}") == b"POST /a?b=%20 HTTP/1.1\r\nhost: h\r\nx:\r\n\r\n{}"
    )


@pytest.mark.parametrize(
    ("method", "target", "header"),
    [
        ("GET ", "/", ("a", "b")),
        ("get", "/", ("a", "b")),
        ("CONNECT", "/", ("a", "b")),
        ("GET", "", ("a", "b")),
        ("GET", "a", ("a", "b")),
        ("GET", "/ ", ("a", "b")),
        ("GET", "/\r\n", ("a", "b")),
        ("GET", "/#f", ("a", "b")),
        ("GET", "/\u00e9", ("a", "b")),
        ("GET", "/", ("", "b")),
        ("GET", "/", ("a:", "b")),
        ("GET", "/", ("a\r\n", "b")),
        ("GET", "/", ("\u00e9", "b")),
        ("GET", "/", ("a", "b\r\nc: d")),
        ("GET", "/", ("a", "b\n")),
        ("GET", "/", ("a", " b")),
        ("GET", "/", ("a", "b ")),
        ("GET", "/", ("a", "b\0")),
        ("GET", "/", ("a", "\u00e9")),
    ],
)
def test_a_request_cannot_smuggle(method: str, target: str, header: tuple[str, str]) -> None:
    with pytest.raises(ValueError, match="cannot be written"):
        request_bytes(method, target, (header,), b"")
