"""Source lines with marks under them, in terminal columns."""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass
from typing import Final

from extpkg.cli.render.escape import breaks_command, is_unsafe
from extpkg.unprintable import escape_character

TAB_WIDTH: Final = 4
LINE_WIDTH: Final = 120
"""Terminal columns of source that are shown; a longer line is cut around its marks."""

_LEAD: Final = 30
_CUT: Final = "..."


@dataclass(frozen=True, slots=True, kw_only=True)
class Mark:
    """What stands under a source line: code point columns (1-based, end exclusive), a sign and a label."""

    column: int
    end_column: int
    sign: str
    label: str


def draw(text: str, marks: tuple[Mark, ...], encoding: str = "utf-8") -> list[str]:
    """Return the source line as it can be shown, then one line for each mark, aligned with it.

    Tabs take four columns, wide characters two, combining ones none; unsafe characters, and those that
    `encoding` lacks, are shown escaped.
    """
    cells = [_cell(text, index, encoding) for index in range(len(text))]
    starts = [0]
    for cell in cells:
        starts.append(starts[-1] + width_of(cell))
    window = _window(starts, marks)
    low, high = window
    head = _CUT if low else ""
    tail = _CUT if high < len(cells) else ""
    lines = [head + "".join(cells[low:high]) + tail]
    for mark in marks:
        first = min(max(mark.column - 1, low), high)
        last = min(max(mark.end_column - 1, first), high)
        left = starts[first] - starts[low] + len(head)
        size = max(starts[last] - starts[first], 1)
        lines.append(f"{' ' * left}{mark.sign * size}{' ' if mark.label else ''}{mark.label}")
    return [line.rstrip() for line in lines]


def _cell(text: str, index: int, encoding: str) -> str:
    character = text[index]
    if character == "\t":
        return " " * TAB_WIDTH
    if is_unsafe(character) or breaks_command(text, index):
        return escape_character(character)
    return character.encode(encoding, "backslashreplace").decode(encoding)


def width_of(cell: str) -> int:
    """Return how many columns of a terminal a cell takes: one character, or an escape."""
    if cell.isascii():
        return len(cell)
    if unicodedata.combining(cell) or unicodedata.category(cell) in {"Mn", "Me"}:
        return 0
    return 2 if unicodedata.east_asian_width(cell) in {"W", "F"} else 1


def _window(starts: list[int], marks: tuple[Mark, ...]) -> tuple[int, int]:
    """Return the range of characters to show: all, or what fits from a little before the first mark."""
    count = len(starts) - 1
    if starts[count] <= LINE_WIDTH:
        return 0, count
    first = min((min(max(mark.column - 1, 0), count) for mark in marks), default=0)
    low = first
    while low > 0 and starts[first] - starts[low - 1] <= _LEAD:
        low -= 1
    if starts[first] <= LINE_WIDTH // 2:
        low = 0
    high = low
    while high < count and starts[high + 1] - starts[low] <= LINE_WIDTH:
        high += 1
    return low, high
