"""Which characters of the source a character of a scalar is, counted by hand."""

from __future__ import annotations

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from extpkg import parse_document
from extpkg.diagnostic import Part
from extpkg.document.within import character_span
from extpkg.errors import DocumentInvalid

PLACES = [
    # text, character, its span: line, column, end line, end column
    ("a: one t\u200bwo\n", "\u200b", (1, 9, 1, 10)),
    ("a: 'it''s t\u200bwo'\n", "\u200b", (1, 12, 1, 13)),
    ('a: "\\t\\x41\\u00e9\\"t\\u200bwo"\n', "\u200b", (1, 20, 1, 26)),
    ('a: "\\U0001F600\\/\\_\\U000E0041"\n', "\U000e0041", (1, 19, 1, 29)),
    ("a: |-\n  one\n\n    two\n  th\u200bree\n", "\u200b", (5, 5, 5, 6)),
    ("a: |2-\n    one\n  th\u200bree\n", "\u200b", (3, 5, 3, 6)),
    ("a: >  # note\n  one\n  two\n\n    more\n  th\u200bree\n", "\u200b", (6, 5, 6, 6)),
    ("a: one\n  two\n\n  th\u200bree\n", "\u200b", (4, 5, 4, 6)),
    ("a: 'one\n\n  th\u200bree'\n", "\u200b", (3, 5, 3, 6)),
    ('a: "one\\\n   \\  two\\\n  th\\u200bree"\n', "\u200b", (3, 5, 3, 11)),
    ('a: "one\\r\\ntwo"\n', "\r", (1, 8, 1, 10)),
    ('a: "one\\r\\ntwo"\n', "\n", (1, 10, 1, 12)),
    ("a: one\ttwo\n", "\t", (1, 7, 1, 8)),
    ("a: |\n  one\n  two\n", "\n", (2, 6, 2, 6)),
    ("a: |\n  one\n", "\n", (2, 6, 2, 6)),
    ("a: one\n\n  two\n", "\n", (1, 7, 1, 7)),
    ('a: "\\n"\n', "\n", (1, 5, 1, 7)),
    ("a: |+\n\n", "\n", (1, 4, 1, 6)),
]


@pytest.mark.parametrize(("text", "character", "span"), PLACES)
@pytest.mark.parametrize("form", ["\n", "\r\n", "\r"])
def test_a_character_of_a_value(text: str, character: str, span: tuple[int, ...], form: str) -> None:
    document = parse_document(text.replace("\n", form).encode())
    at = document.character_position("/a", document.value["a"].index(character))
    assert (at.line, at.column, at.end_line, at.end_column) == span


def test_a_character_of_a_key() -> None:
    document = parse_document('x: {"a\\u200b/b": [v\u200bw]}\n'.encode())
    at = document.character_position("/x/a\u200b~1b", 1, part=Part.KEY)
    assert (at.line, at.column, at.end_column) == (1, 7, 13)
    at = document.character_position("/x/a\u200b~1b/0", 1)
    assert (at.line, at.column, at.end_column) == (1, 20, 21)


@pytest.mark.parametrize(("pointer", "index"), [("/a", 3), ("/b", 0)])
def test_what_is_no_character_gives_the_whole_value(pointer: str, index: int) -> None:
    document = parse_document(b"a: one\nb: 12\n")
    assert document.character_position(pointer, index) == document.position(pointer)


def test_a_source_of_another_value() -> None:
    assert character_span("one", "two", 0) is None
    assert character_span("'one'", "one", 2) == (3, 4)


TEXTS = st.text(alphabet=st.sampled_from("ab'\"\\ \t\n\r#:-|>\u00e9\u200b\x07"), min_size=1, max_size=12)


@given(TEXTS, st.sampled_from(["{}", "'{}'", '"{}"', "|\n  {}\n", ">\n  {}\n", ">+\n  {}\n"]))
def test_the_span_shows_the_character(text: str, style: str) -> None:
    """In any style: a character that is no white space and no escape stands in the source at its span."""
    source = "a: " + style.format(text.replace("\n", "\n  "))
    try:
        value = parse_document(source.encode()).value
    except DocumentInvalid:
        assume(False)
    assume(isinstance(value, dict) and isinstance(value.get("a"), str))
    document = parse_document(source.encode())
    lines = source.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    for index, character in enumerate(document.value["a"]):
        at = document.character_position("/a", index)
        if not character.isspace():
            shown = lines[at.line - 1][at.column - 1 : at.end_column - 1]
            assert shown in {character, "''"} or shown.startswith("\\")
