"""Requests and answers as values."""

from __future__ import annotations

import hashlib

from extpkg.exchange import Exchange, Request, Response

GET = Request(method="GET", url="https://api.example.com/v1?a=%20")
POST = Request(
    method="POST", url="https://api.example.com/", headers=(("content-type", "a/b"), ("x", '"')), body=b"{}"
)
EMPTY = "44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a"


def test_canonical_form() -> None:
    """R-REQ-7."""
    assert GET.canonical() == (
        b'{"bodySha256":null,"headers":[],"method":"GET","url":"https://api.example.com/v1?a=%20"}'
    )
    assert POST.canonical() == (
        b'{"bodySha256":"' + EMPTY.encode() + b'","headers":[["content-type","a/b"],["x","\\""]],'
        b'"method":"POST","url":"https://api.example.com/"}'
    )


def test_audit_hash() -> None:
    assert GET.audit_hash == "sha256:" + hashlib.sha256(GET.canonical()).hexdigest()
    assert GET.audit_hash != POST.audit_hash


def test_an_empty_body_is_a_body() -> None:
    empty = Request(method="POST", url=POST.url, body=b"")
    assert empty.canonical() != Request(method="POST", url=POST.url).canonical()


def test_no_repr_shows_what_was_said() -> None:
    answer = Response(status=200, headers=(("x", "secret"),), body=b"secret")
    assert repr(answer) == "Response(status=200)"
    assert repr(Exchange(request=POST, response=answer)) == (
        "Exchange(request=Request(method='POST'), response=Response(status=200))"
    )


def test_values() -> None:
    answer = Response(status=200, headers=(("x", "1"), ("y", "2"), ("x", "3")))
    assert answer.values("x") == ("1", "3")
    assert answer.values("z") == ()
