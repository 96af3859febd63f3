"""Where a place of a text is: lines and columns in code points (R-DOC-5, R-DOC-6)."""

from __future__ import annotations

import re
from array import array
from bisect import bisect_right

from extpkg.diagnostic import Position

_BREAK = re.compile(r"\r\n|\n|\r")


class Lines:
    """A text cut into lines at LF, CRLF and CR, which all mean the same (R-DOC-5).

    Offsets are code points from the start of the text; lines and columns are 1-based.
    """

    __slots__ = ("_starts", "text")

    def __init__(self, text: str) -> None:
        self.text = text
        self._starts: array[int] | None = None

    @property
    def _table(self) -> array[int]:
        if self._starts is None:
            self._starts = array("I", [0])
            self._starts.extend(found.end() for found in _BREAK.finditer(self.text))
        return self._starts

    def position(self, start: int, end: int) -> Position:
        """Return the span from offset `start` up to, not including, offset `end`."""
        line, column = self.place(start)
        end_line, end_column = self.place(max(start, end))
        return Position(line=line, column=column, end_line=end_line, end_column=end_column)

    def place(self, offset: int) -> tuple[int, int]:
        """Return the line and column of an offset; one past the end stands at the end."""
        offset = min(offset, len(self.text))
        line = bisect_right(self._table, offset)
        return line, offset - self._table[line - 1] + 1

    def start(self, line: int) -> int:
        """Return the offset at which a line starts; a line past the last one starts at the end."""
        return self._table[line - 1] if line <= len(self._table) else len(self.text)

    def line_text(self, line: int) -> str:
        """Return one line without its break; a line that is not there is empty."""
        if not 1 <= line <= len(self._table):
            return ""
        return self.text[self.start(line) : self.start(line + 1)].rstrip("\r\n")
