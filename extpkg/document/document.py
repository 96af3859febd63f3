"""A document that was read: its value, and where each part of it stands (R-DOC-6)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from extpkg.diagnostic import Part
from extpkg.pointer import Pointer, escape

if TYPE_CHECKING:
    from array import array
    from collections.abc import Iterator

    from extpkg.diagnostic import Finding, Position
    from extpkg.document.lines import Lines


class Document:
    """The value of one strictly read YAML text, with the place of every key and value.

    `value` is a plain JSON value. `notes` are findings that do not refuse the text: a byte order mark
    (EXT0102) and ambiguous scalars (EXT0124).
    """

    # Spans are code point offsets in document order: start and end of a value, which the start and end
    # of its key precede where it has one. Nothing else is kept until somebody asks for a place.
    __slots__ = ("_index", "_lines", "_spans", "name", "notes", "value")

    def __init__(
        self, *, name: str, value: Any, notes: tuple[Finding, ...], lines: Lines, spans: array[int]
    ) -> None:
        self.name = name
        self.value = value
        self.notes = notes
        self._lines = lines
        self._spans = spans
        self._index: dict[str, tuple[int, bool]] | None = None

    def __repr__(self) -> str:
        return f"Document(name={self.name!r})"

    def position(self, pointer: str = "") -> Position:
        """Return the span of the value at a JSON pointer.

        A pointer to nothing gives the span of the deepest place on its way that exists, so that every
        finding about a document has a position.
        """
        offset, _ = self._offset(pointer)
        return self._span(offset)

    def key_position(self, pointer: str) -> Position:
        """Return the span of the key of the member at a JSON pointer; of the value where it has no key."""
        offset, keyed = self._offset(pointer)
        return self._span(offset - 2 if keyed else offset)

    def character_position(self, pointer: str, index: int, *, part: Part = Part.VALUE) -> Position:
        """Return the span of the character at `index` of the string at a JSON pointer, or of its key.

        Where the text does not show that character, the span of the whole value or key.
        """
        from extpkg.document.within import character_span  # a text without such a fault never needs it

        offset, keyed = self._offset(pointer)
        value: Any = Pointer(pointer).resolve(self.value)
        if part is Part.KEY and keyed:
            offset, value = offset - 2, Pointer(pointer).tokens[-1]
        start, end = self._spans[offset], self._spans[offset + 1]
        if not isinstance(value, str) or index >= len(value):
            return self._span(offset)
        found = character_span(self._lines.text[start:end], value, index)
        return self._lines.position(start + found[0], start + found[1]) if found else self._span(offset)

    def line_text(self, line: int) -> str:
        """Return one source line without its break; a line that is not there is empty."""
        return self._lines.line_text(line)

    def _span(self, offset: int) -> Position:
        return self._lines.position(self._spans[offset], self._spans[offset + 1])

    def _offset(self, pointer: str) -> tuple[int, bool]:
        if self._index is None:
            self._index = dict(_places(self.value))
        while pointer not in self._index:
            pointer = pointer.rpartition("/")[0]
        return self._index[pointer]


def _places(value: Any) -> Iterator[tuple[str, tuple[int, bool]]]:
    """Yield each pointer with the offset of its value's span and whether its key's span precedes it."""
    offset = 0
    waiting: list[tuple[str, Any, bool]] = [("", value, False)]
    while waiting:
        pointer, value, keyed = waiting.pop()
        offset += 2 if keyed else 0
        yield pointer, (offset, keyed)
        offset += 2
        if isinstance(value, dict):
            members = [(f"{pointer}/{escape(key)}", value[key], True) for key in value]
        elif isinstance(value, list):
            members = [(f"{pointer}/{index}", item, False) for index, item in enumerate(value)]
        else:
            continue
        waiting.extend(reversed(members))
