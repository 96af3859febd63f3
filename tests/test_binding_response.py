"""Answers: what becomes data, what becomes which error, and that no error says what the upstream said."""

from __future__ import annotations

from typing import Any, get_args

import pytest
from actions import schema
from plans import plan

from extpkg import ExtensionError
from extpkg.binding.response import CODES, read_response
from extpkg.errors import ErrorCode
from extpkg.exchange import Response

CANARY = "canary-0b5e"
JSON = "application/json"


def policy(**more: Any) -> dict[str, Any]:
    return {"mode": "passthrough", "success_statuses": [200], "content_types": [JSON], **more}


EMPTY = {"mode": "empty", "success_statuses": [200, 202]}


def answer(body: bytes = b"{}", kind: str | None = JSON, status: int = 200) -> Response:
    headers = (("x-canary", CANARY), *((("content-type", kind),) if kind is not None else ()))
    return Response(status=status, headers=headers, body=body)


def data(response: Response, **more: Any) -> Any:
    return read_response(plan(schema({}), response=policy(**more)), response)


def refused(response: Response, **more: Any) -> ExtensionError:
    with pytest.raises(ExtensionError) as caught:
        data(response, **more)
    error = caught.value
    assert error.__cause__ is None
    assert error.__context__ is None
    assert CANARY not in str(error.envelope())
    return error


EXPECTED = {
    400: "validation",
    401: "provider_auth_unavailable",
    403: "permission_denied",
    404: "not_found",
    409: "conflict",
    410: "not_found",
    412: "conflict",
    422: "validation",
    429: "rate_limited",
}


@pytest.mark.parametrize("status", [*range(200, 600), 100, 600, 999])
def test_each_status(status: int) -> None:
    """R-RES-1; P095, P096."""
    response = answer(CANARY.encode(), "text/html", status)
    if status == 200:
        assert data(answer()) == {}
        return
    error = refused(response)
    assert error.code == EXPECTED.get(status, "upstream_failure")
    assert str(status) in error.message
    assert error.details == ({"reason": "status"} if error.code == "upstream_failure" else None)


def test_the_table_holds_known_codes() -> None:
    assert set(CODES.values()) <= set(get_args(ErrorCode))
    assert CODES == EXPECTED


@pytest.mark.parametrize("status", [204, 205])
@pytest.mark.parametrize("mode", ["passthrough", "empty"])
def test_no_content_is_null_in_either_mode(status: int, mode: str) -> None:
    """R-RES-1: `content_types` is not asked."""
    response = (
        policy(success_statuses=[status]) if mode == "passthrough" else EMPTY | {"success_statuses": [status]}
    )
    bound = plan(schema({}), response=response)
    assert read_response(bound, answer(b"", None, status)) is None
    assert read_response(bound, answer(b"\xff", "text/html", status)) is None
    assert refused(answer(b"", None, status)).code == "upstream_failure"


def test_empty_reads_nothing() -> None:
    """R-BIND-8."""
    bound = plan(schema({}), response=EMPTY)
    assert read_response(bound, answer(b"\xff\0", "image/png", 202)) is None
    with pytest.raises(ExtensionError):
        read_response(bound, answer(b"", None, 201))


@pytest.mark.parametrize(
    "kind",
    [JSON, "APPLICATION/JSON", "application/json; charset=utf-8", "application/json;charset=latin-1",
     "Application/Json ;x", "application/json\t", 'application/json; profile="a;b"'],
)  # fmt: skip
def test_media_types_are_compared_without_case_and_parameters(kind: str) -> None:
    """R-RES-4; P097."""
    assert data(answer(b'{"a":[1]}', kind)) == {"a": [1]}


@pytest.mark.parametrize(
    "kind",
    [
        None,
        "",
        "text/html",
        "application/jsonx",
        "application/problem+json",
        "*/*",
        "json",
        "application/json, a/b",
    ],
)
def test_a_type_that_is_not_listed_is_no_result(kind: str | None) -> None:
    error = refused(answer(b"{}", kind))
    assert (error.code, error.details) == ("upstream_failure", {"reason": "content_type"})


def test_two_types_are_none() -> None:
    response = Response(status=200, headers=(("content-type", JSON), ("content-type", JSON)), body=b"{}")
    assert refused(response).details == {"reason": "content_type"}


@pytest.mark.parametrize(
    ("body", "value"),
    [
        (b"null", None),
        (b" [1.50, true]\n", [1.5, True]),
        (b'"x"', "x"),
        (b"123456789012345678901234567890", 123456789012345678901234567890),
        (b'"\\ud800"', "\ufffd"),
        (b'"\\u0000"', "\0"),
        ("{}é".encode()[:2], {}),
    ],
)
def test_json_is_data(body: bytes, value: Any) -> None:
    """R-DOC-8."""
    assert data(answer(body)) == value


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"{",
        b"{}{}",
        b'{"a":1,"a":2}',
        b"NaN",
        b"1e400",
        b'{"canary-0b5e":}',
        b'"\xff"',
        "{}".encode("utf-16"),
        b"[" * 65 + b"]" * 65,
        b"[" + b"0," * 100_000 + b"0]",
        b"canary-0b5e",
        b"<html>",
    ],
)
def test_what_is_not_strict_json_is_no_result(body: bytes) -> None:
    error = refused(answer(body))
    assert (error.code, error.details) == ("upstream_failure", {"reason": "json_malformed"})


def test_structured_suffixes_are_json() -> None:
    kind = "application/vnd.github+json"
    assert data(answer(b"[]", kind), content_types=[kind]) == []


@pytest.mark.parametrize("kind", ["text/plain", "text/csv; charset=iso-8859-1", "TEXT/Plain"])
@pytest.mark.parametrize("text", ["", "a,b\r\n", "{}", "é\0", "\ufeffx"])
def test_text_is_a_string_whatever_its_charset_says(kind: str, text: str) -> None:
    assert data(answer(text.encode(), kind), content_types=["text/plain", "text/csv"]) == text


@pytest.mark.parametrize("body", [b"\xe9", b"a\xff", "x".encode("utf-16"), b"\xed\xa0\x80"])
def test_text_that_is_not_utf8_is_no_result(body: bytes) -> None:
    error = refused(answer(CANARY.encode() + body, "text/plain"), content_types=["text/plain"])
    assert (error.code, error.details) == ("upstream_failure", {"reason": "text_not_utf8"})


@pytest.mark.parametrize(
    ("body", "kind", "size"),
    [
        (b'{ "a" : "\\u00e9" }', JSON, 10),  # {"a":"é"}
        (b"[1.0, 1e2]", JSON, 7),  # [1,100]
        (b"12345678901234567890", JSON, 20),
        (b"ab\n", "text/plain", 6),  # "ab\n" as JSON writes it
    ],
)
def test_the_budget_is_measured_on_the_data(body: bytes, kind: str, size: int) -> None:
    """R-RES-2, R-BIND-8."""
    types = [JSON, "text/plain"]
    data(answer(body, kind), content_types=types, max_bytes=size)
    error = refused(answer(body, kind), content_types=types, max_bytes=size - 1)
    assert (error.code, error.details) == ("upstream_failure", {"reason": "result_too_large"})


def test_the_default_budget_is_64_kib() -> None:
    assert data(answer(b'"' + b"x" * 65_534 + b'"')) == "x" * 65_534
    assert refused(answer(b'"' + b"x" * 65_535 + b'"')).details == {"reason": "result_too_large"}
