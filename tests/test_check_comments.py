from __future__ import annotations

import pytest

from extpkg import parse_document
from extpkg.check.comments import explained
from extpkg.diagnostic import Finding, Part, Place


def told(text: str, pointer: str, part: Part = Part.VALUE) -> str:
    finding = Finding(
        code="EXT0303", place=Place(path="a.yaml", pointer=pointer, part=part), message="m", help="other"
    )
    (found,) = explained([finding], parse_document(text.encode(), "a.yaml"))
    return found.help


@pytest.mark.parametrize(
    ("text", "pointer", "value"),
    [
        ("a: #/x\n", "/a", "#/x"),
        ("a:\n  b: #/$defs/x  \n  c: 1\n", "/a/b", "#/$defs/x"),
        ('"a" :\t#x y', "/a", "#x y"),
        ("{a: #x\n}\n", "/a", "#x"),
        ("- #x\n- b\n", "/0", "#x"),
    ],
)
def test_a_comment_in_the_place_of_a_value_is_to_be_quoted(text: str, pointer: str, value: str) -> None:
    assert told(text, pointer) == f'put the value in quotes: "{value}"'


@pytest.mark.parametrize(
    ("text", "pointer"),
    [
        ("a: # x\n", "/a"),
        ("a: ## x\n", "/a"),
        ("a:\n", "/a"),
        ("a: 1 #x\n", "/a"),
        ('a: "" #x\n', "/a"),
        ("a: #x\n  b\n", "/a"),
        ("a: null #x\n", "/a"),
    ],
)
def test_another_comment_is_none(text: str, pointer: str) -> None:
    assert told(text, pointer) == "other"


def test_a_key_is_no_value() -> None:
    assert told("a: #x\n", "/a", Part.KEY) == "other"
