from __future__ import annotations

import pytest

from extpkg.diagnostic import quoted
from extpkg.unprintable import escape_character


@pytest.mark.parametrize(
    ("character", "escape"),
    [
        ("\n", r"\n"),
        ("\t", r"\t"),
        ("\x07", r"\x07"),
        ("\x85", r"\x85"),
        ("\xad", r"\xad"),
        ("\u202e", r"\u202e"),
        ("\ud800", r"\ud800"),
        ("\udcff", r"\xff"),
        ("\udc80", r"\x80"),
        ("\udc7f", r"\udc7f"),
        ("\U000e0001", r"\U000e0001"),
    ],
)
def test_a_message_spells_a_character_as_a_path_does(character: str, escape: str) -> None:
    assert quoted(f"a{character}b") == f'"a{escape}b"'
    assert escape_character(character) == escape


def test_quotes_and_backslashes_are_escaped() -> None:
    assert quoted('a"\\') == r'"a\"\\"'
