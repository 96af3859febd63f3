"""Values in paths, queries and headers (R-REQ-2 to 5)."""

from __future__ import annotations

from typing import Any
from urllib.parse import quote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from extpkg.binding.parameters import (
    encode_value,
    fill_path,
    header_value,
    percent_encode,
    query_pairs,
    query_text,
    request_url,
    scalar_text,
)
from extpkg.errors import DocumentInvalid

TEXT = st.text(st.characters(exclude_categories=["Cs"]))


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("a b", "a b"),
        ("", ""),
        (True, "true"),
        (False, "false"),
        (0, "0"),
        (-0.0, "0"),
        (1.0, "1"),
        (1e21, "1e+21"),
        (1e-7, "1e-7"),
        (123456789012345680.0, "123456789012345680"),
        (9007199254740991, "9007199254740991"),
    ],
)
def test_scalars(value: Any, text: str) -> None:
    assert scalar_text(value) == text


@pytest.mark.parametrize("value", [None, {}, [], {"a": 1}, ["a"], 2**53, float("nan"), float("inf")])
def test_what_is_no_scalar(value: Any) -> None:
    """P083."""
    with pytest.raises(DocumentInvalid):
        scalar_text(value)


@pytest.mark.parametrize(
    ("parameters", "expected"),
    [
        ([], ""),
        ([("b", "1", True), ("a", "2", True)], "a=2&b=1"),
        ([("a", [3, 1], True), ("A", "x", True)], "A=x&a=3&a=1"),
        ([("~", "1", True), ("é", "2", True), ("z", "3", True)], "%C3%A9=2&z=3&~=1"),
        ([("a", [], True), ("b", [], False), ("c", "", True)], "c="),
        ([("a", ["", ""], False)], "a=,"),
        ([("a", ["x,y", "z"], False)], "a=x%2Cy,z"),
    ],
)
def test_queries(parameters: list[tuple[str, Any, bool]], expected: str) -> None:
    assert query_text(parameters) == expected


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("", ""),
        ("a b", "a b"),
        ([], None),
        (["a", ""], "a,"),
        ([""], ""),
        (["a", " b"], "a, b"),
        (1.5, "1.5"),
    ],
)
def test_headers(value: Any, expected: str | None) -> None:
    assert header_value(value) == expected


@pytest.mark.parametrize("value", [" a", "a ", "a\tb", "\n", "é", ["a,b"], [" a"], ["a", None], [["a"]], {}])
def test_what_no_header_carries(value: Any) -> None:
    with pytest.raises(DocumentInvalid):
        header_value(value)


@pytest.mark.parametrize(
    ("template", "values", "expected"),
    [
        ("/", {}, "/"),
        ("/{a}/", {"a": "x"}, "/x/"),
        ("/{a}.json", {"a": []}, "/.json"),
        ("/{a}{b}", {"a": "", "b": "x"}, "/x"),
        ("/.{a}", {"a": ".x"}, "/..x"),
        ("/{a-b.c~d}", {"a-b.c~d": ["1", 2, True]}, "/1,2,true"),
    ],
)
def test_paths(template: str, values: dict[str, Any], expected: str) -> None:
    assert fill_path(template, values) == expected


@pytest.mark.parametrize(
    ("template", "values"),
    [
        ("/{a}", {"a": ""}),
        ("/{a}", {"a": []}),
        ("/.{a}", {"a": ""}),
        ("/.{a}", {"a": "."}),
        ("/{a}{b}", {"a": ".", "b": "."}),
        ("/x/{a}/y", {"a": ".."}),
    ],
)
def test_segments_that_would_vanish(template: str, values: dict[str, Any]) -> None:
    """P085."""
    with pytest.raises(DocumentInvalid, match="comes out"):
        fill_path(template, values)


def test_url_of_a_request() -> None:
    assert request_url("https://h.example/v1/", "/x", "") == "https://h.example/v1/x"
    assert request_url("https://h.example", "/x", "a=1") == "https://h.example/x?a=1"


@given(TEXT)
def test_percent_encoding_is_that_of_the_standard_library(text: str) -> None:
    assert percent_encode(text) == quote(text, safe="")


@given(st.lists(TEXT, min_size=1))
def test_items_are_joined_by_the_only_bare_commas(items: list[str]) -> None:
    assert encode_value(items).split(",") == [quote(item, safe="") for item in items]
    assert query_pairs("n", items, explode=True) == [f"n={quote(item, safe='')}" for item in items]


@given(st.text())
def test_any_text_is_written_or_refused(text: str) -> None:
    for write in (percent_encode, header_value, lambda value: fill_path("/{a}", {"a": value})):
        try:
            written = write(text)
        except DocumentInvalid:
            continue
        assert written is not None
        assert written.isascii()
        assert "\n" not in written
