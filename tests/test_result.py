"""The form in which results are measured and compared (R-RES-2)."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from extpkg.canonical import canonical_json
from extpkg.document.strict_json import parse_answer
from extpkg.errors import DocumentInvalid
from extpkg.result import result_bytes

SCALARS = (
    st.none()
    | st.booleans()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(codec="utf-8"))
)
SAFE = SCALARS | st.integers(-(2**53) + 1, 2**53 - 1)
VALUES = st.recursive(
    SAFE | st.integers(),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(st.text(st.characters(codec="utf-8")), inner, max_size=4)
    ),
    max_leaves=12,
)


@given(VALUES)
def test_it_reads_back(value: Any) -> None:
    """Whole numbers of any size keep their digits."""
    written = result_bytes(value)
    assert result_bytes(parse_answer(written)) == written


@given(st.integers())
def test_whole_numbers_keep_their_digits(number: int) -> None:
    assert result_bytes([number]) == f"[{number}]".encode()
    assert parse_answer(result_bytes([number])) == [number]


@given(st.dictionaries(st.text("ab\U0001d49c\uffee", max_size=3), SAFE, max_size=5))
def test_it_is_rfc_8785_where_that_can_write_it(value: Any) -> None:
    assert result_bytes(value) == canonical_json(value)
    wide = result_bytes([value, 2**60])
    assert wide == b"[" + canonical_json(value) + b",1152921504606846976]"


@pytest.mark.parametrize("value", [float("nan"), "\ud800", [2**60, float("inf")], (1,)])
def test_what_is_not_json_is_refused(value: Any) -> None:
    with pytest.raises(DocumentInvalid):
        result_bytes(value)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        (b"9007199254740993", 9007199254740993),
        (b"-" + b"9" * 1000, -(10**1000 - 1)),
        (rb'"\ud800"', "\ufffd"),
        (rb'"\ud800\u0041\udc00"', "\ufffdA\ufffd"),
        (rb'"\ud83d\ude00"', "\U0001f600"),
        (rb'{"\ud800": 1}', {"\ufffd": 1}),
        (b"1e2", 100.0),
    ],
)
def test_answers_keep_what_no_author_can_mend(text: bytes, value: Any) -> None:
    """R-DOC-8."""
    assert parse_answer(text) == value


@pytest.mark.parametrize(
    "text", [b"9" * 1001, b"-" + b"9" * 1001, b"1e400", b"NaN", b'{"a":1,"a":2}', b"\xff", b"[1,]", b"'a'"]
)
def test_answers_are_read_strictly_all_the_same(text: bytes) -> None:
    with pytest.raises(DocumentInvalid):
        parse_answer(text)
