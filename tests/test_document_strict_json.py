"""The strict JSON reader: what it refuses, and where (R-DOC-8)."""

from __future__ import annotations

from typing import Any

import pytest

from extpkg import DocumentInvalid, parse_json
from extpkg.diagnostic import Finding, Part


def faults(data: bytes) -> tuple[Finding, ...]:
    with pytest.raises(DocumentInvalid) as refused:
        parse_json(data)
    assert all(fault.place.path == "<json>" for fault in refused.value.faults)
    return refused.value.faults


def places(data: bytes) -> list[tuple[str, int, int]]:
    return [(f.code, p.line, p.column) for f in faults(data) if (p := f.place.position)]


@pytest.mark.parametrize(
    ("text", "value"),
    [
        (b'{"a": [1, -2, 1.5, 1E2, true, false, null]}', {"a": [1, -2, 1.5, 100.0, True, False, None]}),
        (b"9007199254740991", 2**53 - 1),
        (b"-9007199254740991", -(2**53) + 1),
        (b"9007199254740993.0", 2.0**53),
        (b"123456789012345678901234567890e0", 1.2345678901234568e29),
        (b"1e-400", 0.0),
        (b"-0", 0),
        (b"-0.0", -0.0),
        (rb'"\u0000\ud83d\ude00\\\"\/\b\f\n\r\t"', '\0\U0001f600\\"/\b\f\n\r\t'),
        ('"\u2028\x7f\uffff"'.encode(), "\u2028\x7f\uffff"),
        (b" \r\n\t[ ] ", []),
        (b'{"":{}}', {"": {}}),
        (b"[" * 64 + b"]" * 64, None),
    ],
)
def test_values(text: bytes, value: Any) -> None:
    found = parse_json(text)
    assert value is None or repr(found) == repr(value)


@pytest.mark.parametrize(
    ("code", "text", "line", "column"),
    [
        ("EXT0101", b'"\xe9"', 1, 2),
        ("EXT0101", b"\xff\xfe{\0}\0", 1, 1),
        ("EXT0103", b" " * (1 << 20) + b"1", 1, 1),
        ("EXT0104", b"[" * 100_000, 1, 65),
        ("EXT0104", b'{"a":' * 65, 1, 321),
        ("EXT0105", b"[" + b"0," * 100_000 + b"0]", 1, 200_000),
        ("EXT0114", b'{"a": 1,\n "\\u0061": 2}', 2, 2),
        ("EXT0116", b"[NaN]", 1, 2),
        ("EXT0116", b"[-Infinity]", 1, 2),
        ("EXT0117", b"[1e400]", 1, 2),
        ("EXT0117", b"-1e400", 1, 1),
        ("EXT0118", b"[\r9007199254740992]", 2, 1),
        ("EXT0118", b"1" * 1_000_000, 1, 1),
        ("EXT0119", rb'"a\ud800"', 1, 3),
        ("EXT0119", rb'{"\udc00": 1}', 1, 3),
        ("EXT0126", b"", 1, 1),
        ("EXT0126", b" \n", 2, 1),
        ("EXT0126", b"\xef\xbb\xbf{}", 1, 1),
        ("EXT0126", b"{} {}", 1, 4),
        ("EXT0126", b"[1,]", 1, 4),
        ("EXT0126", b'{"a": 1,}', 1, 9),
        ("EXT0126", b'{"a" 1}', 1, 6),
        ("EXT0126", b"{a: 1}", 1, 2),
        ("EXT0126", b"[1 2]", 1, 4),
        ("EXT0126", b"01", 1, 2),
        ("EXT0126", b"+1", 1, 1),
        ("EXT0126", b"1.", 1, 2),
        ("EXT0126", b"nul", 1, 1),
        ("EXT0126", b"'a'", 1, 1),
        ("EXT0126", b'"a', 1, 1),
        ("EXT0126", b'"a\tb"', 1, 3),
        ("EXT0126", b'"\\x41"', 1, 2),
        ("EXT0126", b'"\\', 1, 2),
        ("EXT0126", b"[1] // c", 1, 5),
        ("EXT0126", b"[1", 1, 3),
        ("EXT0126", b"\0", 1, 1),
    ],
)
def test_one_fault_is_one_finding(code: str, text: bytes, line: int, column: int) -> None:
    assert places(text) == [(code, line, column)]


def test_every_fault_is_said_in_the_order_of_the_text() -> None:
    text = b'{"a": NaN, "b": [1e999, "\\ud800"],\n "a": 9007199254740992, "c": tru}'
    assert [(f.code, f.place.pointer, f.place.part) for f in faults(text)] == [
        ("EXT0116", "/a", Part.VALUE),
        ("EXT0117", "/b/0", Part.VALUE),
        ("EXT0119", "/b/1", Part.VALUE),
        ("EXT0114", "/a", Part.KEY),
        ("EXT0118", "/a", Part.VALUE),
        ("EXT0126", "/c", Part.VALUE),
    ]
    (first,) = faults(text)[3].related
    assert first.position
    assert (first.position.line, first.position.column) == (1, 2)


def test_a_hostile_text_yields_a_thousand_findings_at_most() -> None:
    assert len(faults(b"[" + b"NaN," * 5000 + b"1]")) == 1000


def test_messages_say_where_a_text_ends() -> None:
    assert faults(b"[1")[0].message == '"," or "]" is expected, but the text ends'
    assert faults(b'["\\q"]')[0].message == 'the escape "\\\\q" is not known to JSON'
