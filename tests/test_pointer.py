"""Pointers: what the corpus of RFC 6901 does not hold."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from extpkg.errors import DocumentInvalid
from extpkg.pointer import Pointer, escape, join

TOKENS = st.lists(st.text(alphabet=st.sampled_from("~/01a-é😀 %"), max_size=4), max_size=4)


@given(TOKENS)
def test_text_and_tokens_are_one(tokens: list[str]) -> None:
    pointer = Pointer.of(*tokens)
    assert list(pointer.tokens) == tokens
    assert (
        str(pointer)
        == pointer.text
        == join(tuple(tokens))
        == "".join(f"/{escape(token)}" for token in tokens)
    )
    assert Pointer(pointer.text) == pointer
    assert len({Pointer(pointer.text), pointer}) == 1


@given(TOKENS, st.sampled_from([None, 1, "s", [], {}]))
def test_what_is_put_somewhere_is_found_there(tokens: list[str], leaf: Any) -> None:
    value = leaf
    for token in reversed(tokens):
        value = {token: value}
    assert Pointer.of(*tokens).resolve(value) == leaf


@pytest.mark.parametrize("index", ["1", "01", "+1", "-1", "-", "\u0661", "1" * 5000, "0x0", "1 ", ""])
def test_an_index_is_the_decimal_of_an_item(index: str) -> None:
    value = ["a", "b"]
    pointer = Pointer.of(index)
    if index == "1":
        assert pointer.resolve(value) == "b"
        return
    with pytest.raises(DocumentInvalid, match="EXT0430"):
        pointer.resolve(value)


def test_a_fault_says_where_the_way_ends() -> None:
    with pytest.raises(DocumentInvalid) as caught:
        Pointer("/a/0/c/d").resolve({"a": [{"b": 1}]})
    (fault,) = caught.value.faults
    assert fault.place.pointer == "/a/0"
    assert fault.message == 'the object at "/a/0" has no place "c"'
    with pytest.raises(DocumentInvalid, match='the array at "/a" has no place "1"'):
        Pointer("/a/1").resolve({"a": [0]})
    with pytest.raises(DocumentInvalid, match='a scalar at "/a" has no place "0"'):
        Pointer("/a/0").resolve({"a": "text"})


@pytest.mark.parametrize(("text", "reason"), [("a", "does not start"), ("/~", "neither"), ("/~2", "neither")])
def test_malformed_text_is_refused(text: str, reason: str) -> None:
    with pytest.raises(DocumentInvalid, match=reason):
        Pointer(text)
