"""Where keys and values stand (R-DOC-6), counted by hand."""

from __future__ import annotations

import pytest

from extpkg import parse_document

TEXT = """\
# a comment
name: x
empty:
list:
  - a
  -
  - {k: "v", e: }   # flow
nested:
    deep:
        - 1

        - last

text: |
  one
  two

folded: plain
  goes on
"\u00e9\U0001f600": '\U0001f600\u00e9'
"""

PLACES = {
    "": (2, 1, 20, 11),
    "/name": (2, 7, 2, 8),
    "/empty": (3, 6, 3, 6),
    "/list": (5, 3, 7, 18),
    "/list/0": (5, 5, 5, 6),
    "/list/1": (6, 4, 6, 4),
    "/list/2": (7, 5, 7, 18),
    "/list/2/k": (7, 9, 7, 12),
    "/list/2/e": (7, 15, 7, 15),
    "/nested": (9, 5, 12, 15),
    "/nested/deep": (10, 9, 12, 15),
    "/nested/deep/1": (12, 11, 12, 15),
    "/text": (14, 7, 16, 6),
    "/folded": (18, 9, 19, 10),
    "/\u00e9\U0001f600": (20, 7, 20, 11),
}
KEYS = {
    "": (2, 1, 20, 11),
    "/name": (2, 1, 2, 5),
    "/empty": (3, 1, 3, 6),
    "/list/0": (5, 5, 5, 6),
    "/list/2/e": (7, 14, 7, 15),
    "/\u00e9\U0001f600": (20, 1, 20, 5),
}


@pytest.mark.parametrize("form", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("mark", ["", "\ufeff"])
def test_places(form: str, mark: str) -> None:
    document = parse_document((mark + TEXT.replace("\n", form)).encode())
    for pointer, place in PLACES.items():
        at = document.position(pointer)
        assert (at.line, at.column, at.end_line, at.end_column) == place, pointer
    for pointer, place in KEYS.items():
        at = document.key_position(pointer)
        assert (at.line, at.column, at.end_line, at.end_column) == place, pointer
    assert document.line_text(7) == '  - {k: "v", e: }   # flow'
    assert document.line_text(21) == document.line_text(0) == document.line_text(99) == ""
    assert document.name == "<document>"
    assert "x" not in repr(document)


@pytest.mark.parametrize(
    ("pointer", "same_as"),
    [
        ("/nested/deep/7", "/nested/deep"),
        ("/nope", ""),
        ("/list/2/k/x/y", "/list/2/k"),
        ("nope", ""),
        ("/a~2", ""),
    ],
)
def test_a_pointer_to_nothing_gives_the_deepest_place_on_its_way(pointer: str, same_as: str) -> None:
    document = parse_document(TEXT.encode())
    assert document.position(pointer) == document.position(same_as)


def test_escaped_pointers() -> None:
    document = parse_document(b"a/b: {~m: 1, '': 2}\n")
    assert document.position("/a~1b/~0m").column == 11
    assert document.position("/a~1b/").column == 18


@pytest.mark.parametrize(
    ("text", "place"),
    [("---", (1, 4)), ("--- # c\n", (1, 4)), ("--- x", (1, 5)), ("- 'a'", (1, 1)), ("\n\n  x\n", (3, 3))],
)
def test_the_root(text: str, place: tuple[int, int]) -> None:
    at = parse_document(text.encode()).position("")
    assert (at.line, at.column) == place


def test_explicit_keys() -> None:
    document = parse_document(b"? a\n? b\n:\n? |\n  c\n:  - x\n")
    assert document.value == {"a": None, "b": None, "c\n": ["x"]}
    assert [document.position(p).line for p in ("/a", "/b", "/c\n", "/c\n/0")] == [1, 2, 6, 6]
    at = document.key_position("/c\n")
    assert (at.line, at.column, at.end_line, at.end_column) == (4, 3, 5, 4)
