"""Bodies, and fields that are not there (R-REQ-1, R-REQ-6)."""

from __future__ import annotations

from typing import Any

import pytest

from extpkg.binding.body import body_bytes
from extpkg.binding.source import ABSENT, read


@pytest.mark.parametrize(
    ("tokens", "expected"),
    [
        ((), {"a": {"b": None}, "l": [1]}),
        (("a", "b"), None),
        (("a", "c"), ABSENT),
        (("b",), ABSENT),
        (("a", "b", "c"), ABSENT),
        (("l", "0"), ABSENT),
    ],
)
def test_reading_a_source(tokens: tuple[str, ...], expected: Any) -> None:
    """P081."""
    assert read({"a": {"b": None}, "l": [1]}, tokens) == expected


@pytest.mark.parametrize(
    ("routes", "value", "expected"),
    [
        ([(("a",), ("x", "y")), (("b",), ("x", "z"))], {"a": 1, "b": None}, b'{"x":{"y":1,"z":null}}'),
        ([(("a",), ("x",)), (("b",), ("y",))], {"b": 2}, b'{"y":2}'),
        ([], {"a": 1}, b"{}"),
        ([(("a",), ("x",))], {}, b"{}"),
        ([((), ())], {"b": 1, "a": 2}, b'{"a":2,"b":1}'),
        ([(("a",), ())], {"a": None}, b"null"),
        ([(("a",), ())], {}, None),
        ([((), ("all",))], {"a": 1}, b'{"all":{"a":1}}'),
        ([(("a",), ("x",)), (("a",), ("y",))], {"a": [1.0]}, b'{"x":[1],"y":[1]}'),
    ],
)
def test_body(routes: list[Any], value: Any, expected: bytes | None) -> None:
    """P081, P082."""
    assert body_bytes(routes, value) == expected


def test_the_input_stays_as_it_is() -> None:
    value = {"a": {"b": 1}}
    body_bytes([(("a",), ("x",)), (("a", "b"), ("y",))], value)
    assert value == {"a": {"b": 1}}
