"""Content codings: gzip where it was asked for, under the budget, whole, and never twice."""

from __future__ import annotations

import gzip
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from extpkg.egress.encoding import decoded, refuse_encoded
from extpkg.egress.failure import EgressFailure, Reason
from extpkg.exchange import Response

ZIPPED = (("content-encoding", "gzip"), ("content-length", "9"), ("content-type", "a/b"))


def answer(body: bytes, *headers: tuple[str, str]) -> Response:
    return Response(status=200, headers=headers or ZIPPED, body=body)


@given(st.binary(max_size=300))
def test_what_was_zipped_comes_back(data: bytes) -> None:
    whole = decoded(answer(gzip.compress(data, mtime=0)), 300)
    assert (whole.body, whole.headers) == (data, (("content-type", "a/b"),))


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        (gzip.compress(b"x" * 101, mtime=0), Reason.BODY_TOO_LARGE),
        (gzip.compress(b"0" * (64 << 20), mtime=0), Reason.BODY_TOO_LARGE),
        (gzip.compress(b"abc", mtime=0)[:-1], Reason.TRUNCATED),
        (gzip.compress(b"abc", mtime=0)[:5], Reason.TRUNCATED),
        (gzip.compress(b"abc", mtime=0)[:-8] + b"\0" * 8, Reason.MALFORMED),
        (gzip.compress(b"abc", mtime=0) + b"x", Reason.MALFORMED),
        (gzip.compress(b"abc", mtime=0) + gzip.compress(b"abc", mtime=0), Reason.MALFORMED),
        (b"{}", Reason.MALFORMED),
        (gzip.compress(gzip.compress(b"abc", mtime=0), mtime=0)[1:], Reason.MALFORMED),
    ],
)
def test_what_is_refused(body: bytes, reason: Reason) -> None:
    """R-RES-2, R-RES-4: under the same cap, and never a part."""
    with pytest.raises(EgressFailure) as caught:
        decoded(answer(body), 100)
    assert caught.value.reason is reason
    assert caught.value.__context__ is None


def test_the_cap_is_reached() -> None:
    assert decoded(answer(gzip.compress(b"x" * 100, mtime=0)), 100).body == b"x" * 100


def test_nothing_to_decode() -> None:
    for plain in (answer(b"{}", ("content-type", "a/b")), answer(b"{}", ("content-encoding", "Identity"))):
        assert decoded(plain, 100) is plain
    assert decoded(answer(b""), 100).body == b""


def test_a_coding_that_is_applied_twice() -> None:
    twice: Any = (("content-encoding", "gzip"), ("content-encoding", "gzip"))
    with pytest.raises(EgressFailure, match="encoded_answer"):
        decoded(answer(gzip.compress(gzip.compress(b"x", mtime=0), mtime=0), *twice), 100)


@pytest.mark.parametrize("value", ["gzip", "GZIP", "br", "deflate", "gzip, gzip", "identity, gzip", "x-gzip"])
def test_which_codings_are_accepted(value: str) -> None:
    headers = (("content-encoding", value),)
    with pytest.raises(EgressFailure, match="encoded_answer"):
        refuse_encoded(headers)
    if value.lower() == "gzip":
        refuse_encoded(headers, "gzip")
    else:
        with pytest.raises(EgressFailure, match="encoded_answer"):
            refuse_encoded(headers, "gzip")
