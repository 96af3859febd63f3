"""Sets of code points, as the classes of ECMA-262 patterns name them and as RE2 writes them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterable

Ranges = tuple[tuple[int, int], ...]
"""Inclusive ranges of code points, ascending and apart."""

LAST: Final = 0x10FFFF
SURROGATES: Final = (0xD800, 0xDFFF)

DIGIT: Final[Ranges] = ((0x30, 0x39),)
WORD: Final[Ranges] = ((0x30, 0x39), (0x41, 0x5A), (0x5F, 0x5F), (0x61, 0x7A))
SPACE: Final[Ranges] = (
    (0x09, 0x0D),
    (0x20, 0x20),
    (0xA0, 0xA0),
    (0x1680, 0x1680),
    (0x2000, 0x200A),
    (0x2028, 0x2029),
    (0x202F, 0x202F),
    (0x205F, 0x205F),
    (0x3000, 0x3000),
    (0xFEFF, 0xFEFF),
)
LINE_ENDS: Final[Ranges] = ((0x0A, 0x0A), (0x0D, 0x0D), (0x2028, 0x2029))

NOTHING: Final = r"[^\x{0}-\x{10FFFF}]"


def union(ranges: Iterable[tuple[int, int]]) -> Ranges:
    """Return any ranges as ascending ones that neither overlap nor touch."""
    merged: list[tuple[int, int]] = []
    for low, high in sorted(ranges):
        if merged and low <= merged[-1][1] + 1:
            merged[-1] = (merged[-1][0], max(high, merged[-1][1]))
        else:
            merged.append((low, high))
    return tuple(merged)


def complement(ranges: Ranges) -> Ranges:
    """Return every code point that is not in `ranges`."""
    gaps: list[tuple[int, int]] = []
    start = 0
    for low, high in ranges:
        if start < low:
            gaps.append((start, low - 1))
        start = high + 1
    if start <= LAST:
        gaps.append((start, LAST))
    return tuple(gaps)


ESCAPES: Final[dict[str, Ranges]] = {
    "d": DIGIT,
    "D": complement(DIGIT),
    "w": WORD,
    "W": complement(WORD),
    "s": SPACE,
    "S": complement(SPACE),
}
"""What the class escapes stand for; all but the spaces are ASCII, whatever the text."""

DOT: Final = complement(LINE_ENDS)


def written(ranges: Ranges) -> str:
    """Return one character of `ranges` as RE2 writes it; surrogates are in no text and are left out."""
    apart = [part for low, high in ranges for part in _without_surrogates(low, high)]
    if not apart:
        return NOTHING
    if len(apart) == 1 and apart[0][0] == apart[0][1]:
        return literal(apart[0][0])
    return "[" + "".join([_span(low, high) for low, high in apart]) + "]"


def literal(code: int) -> str:
    """Return one code point as RE2 writes it, inside and outside brackets."""
    character = chr(code)
    return character if character.isascii() and character.isalnum() else f"\\x{{{code:X}}}"


def _span(low: int, high: int) -> str:
    return literal(low) if low == high else f"{literal(low)}-{literal(high)}"


def _without_surrogates(low: int, high: int) -> list[tuple[int, int]]:
    first, last = SURROGATES
    if high < first or low > last:
        return [(low, high)]
    parts = [(low, first - 1), (last + 1, high)]
    return [(start, end) for start, end in parts if start <= end]
