"""Where one character of a scalar stands in the text that the scalar was read from.

Styles differ in what they do to white space (indentation, folding) and in nothing else but the escapes of
quoted scalars. So what is not white space corresponds one to one, and white space is found between it.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterator

_WHITE: Final = " \t\r\n"
_SOLID: Final = dict.fromkeys(map(ord, _WHITE))
"""What takes the white space out of a text."""

_PIECE: Final = re.compile(r"\r\n|.", re.DOTALL)
_SINGLE: Final = re.compile(r"\r\n|''|.", re.DOTALL)
_DOUBLE: Final = re.compile(r"\\(?:x[0-9A-Fa-f]{2}|u[0-9A-Fa-f]{4}|U[0-9A-Fa-f]{8}|\r\n|.)|\r\n|.", re.DOTALL)
_HEADER: Final = re.compile(r"[|>][^\r\n]*")
_SHORT: Final = {
    "0": "\0",
    "a": "\a",
    "b": "\b",
    "t": "\t",
    "n": "\n",
    "v": "\v",
    "f": "\f",
    "r": "\r",
    "e": "\x1b",
    "N": "\x85",
    "_": "\xa0",
    "L": "\u2028",
    "P": "\u2029",
    "\r": "",
    "\n": "",
    "\r\n": "",
}

_Piece = tuple[str, int, int]
"""A character as the scalar's value has it, and the offsets in the source where it starts and ends."""


def character_span(source: str, value: str, index: int) -> tuple[int, int] | None:
    """Return the offsets in `source`, a scalar as it is written, of the character at `index` of its `value`.

    A line break has no width. None where the two do not correspond: the source is no such scalar's.
    """
    pieces = list(_pieces(source))
    solid = [number for number, piece in enumerate(pieces) if piece[0] not in _WHITE]
    if "".join(pieces[number][0] for number in solid) != value.translate(_SOLID):
        return None
    before = len(value[:index].translate(_SOLID))
    if value[index] not in _WHITE:
        return pieces[solid[before]][1:]
    between = pieces[solid[before - 1] + 1 if before else 0 : solid[before] if before < len(solid) else None]
    for character, start, end in between:
        if character == value[index]:
            return (start, start) if source[start] in "\r\n" else (start, end)
    if not before:
        return None
    end = pieces[solid[before - 1]][2]
    return end, end


def _pieces(source: str) -> Iterator[_Piece]:
    """Yield the characters that stand in a scalar, those of its indentation and folded lines included."""
    style = source[:1]
    header = _HEADER.match(source)
    start, stop = (header.end() if header else 0), len(source)
    pattern = _PIECE
    if style in {"'", '"'}:
        pattern = _SINGLE if style == "'" else _DOUBLE
        start, stop = 1, stop - 1
    for found in pattern.finditer(source, start, stop):
        character = _meant(found[0])
        if character:
            yield character, found.start(), found.end()


def _meant(text: str) -> str:
    """Return the character that a piece of the source stands for, or nothing."""
    if len(text) == 1:
        return "\n" if text == "\r" else text
    if text == "\r\n":
        return "\n"
    if text == "''":
        return "'"
    rest = text[1:]
    return chr(int(rest[1:], 16)) if len(rest) > 2 else _SHORT.get(rest, rest)
