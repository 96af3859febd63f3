"""RFC 8785: the reference library as oracle, and every refusal."""

from __future__ import annotations

import json
import math
import struct
from typing import Any

import pytest
import rfc8785
from hypothesis import given
from hypothesis import strategies as st

from extpkg.canonical import DEPTH, canonical_json, number_text
from extpkg.diagnostic import Part
from extpkg.errors import DocumentInvalid
from extpkg.limits import SAFE_INTEGER

SCALARS = (
    st.none()
    | st.booleans()
    | st.integers(min_value=-SAFE_INTEGER, max_value=SAFE_INTEGER)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text()
    | st.text(alphabet='\x00\x1f\x7f"\\/\b\f\n\r\t\ud7ff\ue000\ufb33\uffff\U00010000\U0010ffff aé')
)
VALUES = st.recursive(
    SCALARS, lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner), max_leaves=40
)


def _double(bits: str) -> float:
    return float(struct.unpack(">d", bytes.fromhex(bits))[0])


@given(VALUES)
def test_agrees_with_the_reference(value: Any) -> None:
    assert canonical_json(value) == rfc8785.dumps(value)


@given(st.integers(min_value=0, max_value=2**64 - 1))
def test_agrees_with_the_reference_on_every_double(bits: int) -> None:
    number = _double(f"{bits:016x}")
    if math.isfinite(number):
        assert number_text(number).encode() == rfc8785.dumps(number)
        assert float(number_text(number)) == number


@given(VALUES)
def test_is_a_fixed_point(value: Any) -> None:
    """With whole numbers read as doubles: from 2^53 to 10^21 they are written without an exponent."""
    canonical = canonical_json(value)
    assert canonical_json(json.loads(canonical, parse_int=float)) == canonical


@given(st.dictionaries(st.text(), st.integers(0, 9)))
def test_names_sort_by_utf16_code_units(value: dict[str, int]) -> None:
    names = list(json.loads(canonical_json(value)))
    assert names == sorted(value, key=lambda name: name.encode("utf-16-be"))


NESTED: Any = 1
for _ in range(DEPTH + 1):
    NESTED = [NESTED]
CYCLE: list[Any] = []
CYCLE += [CYCLE, CYCLE]


@pytest.mark.parametrize(
    ("value", "code", "pointer", "part"),
    [
        ({"a": [1.5, math.nan]}, "EXT0116", "/a/1", Part.VALUE),
        (math.inf, "EXT0116", "", Part.VALUE),
        ([-math.inf], "EXT0116", "/0", Part.VALUE),
        ({"a": 2**53}, "EXT0118", "/a", Part.VALUE),
        (-(2**53), "EXT0118", "", Part.VALUE),
        ({"x": "a\ud800"}, "EXT0119", "/x", Part.VALUE),
        ({"a": {"\udc00/": 1}}, "EXT0119", "/a/\udc00~1", Part.KEY),
        ({"é": 1, "\ud83d": 2}, "EXT0119", "/\ud83d", Part.KEY),
        (NESTED, "EXT0104", "/0" * DEPTH, Part.VALUE),
        (CYCLE, "EXT0104", "/0" * DEPTH, Part.VALUE),
        ({"a": {1: 2}}, "EXT0115", "/a", Part.VALUE),
        ({"a": {1: 2, "b": 3}}, "EXT0115", "/a", Part.VALUE),
        ({None: 2}, "EXT0115", "", Part.VALUE),
        ({"a": (1, 2)}, "EXT0303", "/a", Part.VALUE),
        ([{1, 2}], "EXT0303", "/0", Part.VALUE),
        (b"a", "EXT0303", "", Part.VALUE),
    ],
    ids=repr,
)
def test_refusal_names_the_place(value: Any, code: str, pointer: str, part: Part) -> None:
    with pytest.raises(DocumentInvalid) as refused:
        canonical_json(value)
    (fault,) = refused.value.faults
    assert (fault.code, fault.place.pointer, fault.place.part) == (code, pointer, part)
    assert fault.message
    assert "\n" not in fault.message
    assert "\ud800" not in str(refused.value)


def test_all_faults_are_reported_in_order() -> None:
    with pytest.raises(DocumentInvalid) as refused:
        canonical_json({"a": [math.nan, 2**60], "b": {2: None}, "c": "\ud800"})
    assert [(fault.code, fault.place.pointer) for fault in refused.value.faults] == [
        ("EXT0116", "/a/0"),
        ("EXT0118", "/a/1"),
        ("EXT0115", "/b"),
        ("EXT0119", "/c"),
    ]


def test_the_deepest_value_is_written() -> None:
    (inner,) = NESTED
    assert canonical_json(inner) == b"[" * DEPTH + b"1" + b"]" * DEPTH


def test_depth_beyond_any_stack_is_refused() -> None:
    deep: Any = {}
    for _ in range(200_000):
        deep = {"a": deep}
    with pytest.raises(DocumentInvalid):
        canonical_json(deep)
    while deep:
        deep = deep.pop("a")
