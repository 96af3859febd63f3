"""The quick way through JSON: never another value, never a verdict of its own (R-DOC-8)."""

from __future__ import annotations

import json
import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from extpkg.document import strict_json
from extpkg.document.json_scan import UnscannableError, scan
from extpkg.document.strict_json import parse_answer
from extpkg.errors import DocumentInvalid

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)
PIECES = (
    "{", "}", "[", "]", ",", ":", '"', '"k"', "0", "-", "1.5", "1e400", "01", "1e5", "NaN", "-Infinity",
    "true", "null", " ", "\n", "\t", "\ufeff", "\u00a0", "\\", "\\u", "\\ud800", "\\uDFFF", "\\u00e9", "é",
    "\x00", "\x7f", "\u0661", "//", "9" * 400,
)  # fmt: skip
MANY = "[" + "0," * 100_000 + "0]"


def slowly(data: bytes, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Return what the strict reader alone makes of an answer."""

    def never(_: str) -> Any:
        raise UnscannableError

    with monkeypatch.context() as patch:
        patch.setattr(strict_json, "scan", never)
        return outcome(data)


def outcome(data: bytes) -> Any:
    """Return the value as text that tells its types apart, or the faults."""
    try:
        return repr(parse_answer(data))
    except DocumentInvalid as refused:
        return refused.faults


@given(VALUES, st.booleans(), st.sampled_from([None, 1]))
def test_json_is_read_as_the_reader_reads_it(value: Any, ascii_only: bool, indent: int | None) -> None:
    data = json.dumps(value, ensure_ascii=ascii_only, indent=indent).encode("utf-8", "replace")
    with pytest.MonkeyPatch.context() as patch:
        assert outcome(data) == slowly(data, patch)


@given(st.lists(st.sampled_from(PIECES) | st.text(max_size=3), max_size=12).map("".join))
def test_so_is_what_only_looks_like_json(text: str) -> None:
    data = text.encode("utf-8", "surrogatepass")
    with pytest.MonkeyPatch.context() as patch:
        assert outcome(data) == slowly(data, patch)


@pytest.mark.parametrize(
    "text",
    [
        "[" * 64 + "]" * 64,
        '{"a":' * 64 + "{}" + "}" * 64,
        "[" * 65 + "]" * 65,
        "[" * 100_000,
        "9" * 1_000,
        "-" + "9" * 1_000,
        "9" * 1_001,
        "-" + "9" * 1_001,
        "9" * 5_000,
        "[" + "0," * 99_998 + "0]",
        "[" + "0," * 99_999 + "0]",
        '["' + "," * 100_000 + '"]',
        "1e400",
        "-1e400",
        '{"a":1,"\\u0061":2}',
        "NaN",
        "[Infinity]",
        "-Infinity",
        "",
        "\ufeff1",
        "1 2",
        '{"a":1 ,"a" :2}',
        '{"a" :1,"a":"x\\":"}',
        '{"a":1,"b":"x\\":"}',
        '[{"a":1},{"a":1,"a\\"":2}]',
        '{"a":{"a":1,"a"\t:2}}',
    ],
    ids=lambda text: text[:20],
)
def test_bounds(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    assert outcome(text.encode()) == slowly(text.encode(), monkeypatch)


@pytest.mark.parametrize(
    "text",
    [
        "[" * 65 + "]" * 65,
        "9" * 1_001,
        "1e400",
        '{"a":1,"a":2}',
        "NaN",
        "",
        "[1,]",
        "[" + "0," * 100_000 + "0]",
    ],
    ids=lambda text: text[:20],
)
def test_what_is_left_to_the_reader(text: str) -> None:
    with pytest.raises(UnscannableError):
        scan(text)


def test_halves_are_mended_or_kept() -> None:
    data = rb'{"\udc00": ["\ud83d\ude00 \ud83d", "\\ud800"]}'
    assert parse_answer(data) == {"\ufffd": ["\U0001f600 \ufffd", "\\ud800"]}
    assert parse_answer(data, halves="kept") == {"\udc00": ["\U0001f600 \ud83d", "\\ud800"]}
    slow = data.replace(b"}", b', "n": ' + b"[" * 62 + b"]" * 62 + b"}")
    assert parse_answer(slow, halves="kept")["\udc00"] == ["\U0001f600 \ud83d", "\\ud800"]


def test_halves_are_kept_by_the_reader_too(monkeypatch: pytest.MonkeyPatch) -> None:
    def never(_: str) -> Any:
        raise UnscannableError

    monkeypatch.setattr(strict_json, "scan", never)
    assert parse_answer(rb'["\ud83d\ude00 \ud83d"]', halves="kept") == ["\U0001f600 \ud83d"]


def test_zeros_keep_their_signs() -> None:
    assert math.copysign(1, parse_answer(b"-0.0")) == -1
    assert repr(parse_answer(b"-0")) == "0"
