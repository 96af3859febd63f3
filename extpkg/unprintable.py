"""Characters that are never shown as they are: controls, what is invisible, what turns the text around it.

A closed list of its own, so that no output depends on the Unicode tables of an interpreter.
"""

from __future__ import annotations

from typing import Final

UNPRINTABLE: Final = (
    "\x00-\x1f\x7f-\x9f\xad"  # controls, soft hyphen
    "\u034f\u061c\u115f\u1160\u17b4\u17b5\u180e"  # invisible joiners, fillers, marks
    "\u200b-\u200f\u2028-\u202e\u2060-\u206f"  # zero width, line separators, bidi
    "\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff9-\uffff"
    "\ud800-\udfff"  # what no encoding can write
    "\U000e0000-\U000e0fff"  # tags and variation selectors
)
"""The inside of a character class of a regular expression."""

_SHORT: Final = {"\n": r"\n", "\r": r"\r", "\t": r"\t"}


def escape_character(character: str) -> str:
    """Return the escape of one character; a byte that was no UTF-8 (U+DC80 to U+DCFF) shows as that byte."""
    code = ord(character)
    if 0xDC80 <= code <= 0xDCFF:
        code -= 0xDC00
    if character in _SHORT:
        return _SHORT[character]
    if code <= 0xFF:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code <= 0xFFFF else f"\\U{code:08x}"
