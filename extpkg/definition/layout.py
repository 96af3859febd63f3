"""What an author's file says beside its value: comments, blank lines, and the style of each part.

A comment belongs to the entry (member or item) that it stands before or beside or, behind the last one, to
the collection that it closes. Places are named by pointers, so that comments follow them wherever they are
written.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from extpkg.pointer import escape

if TYPE_CHECKING:
    from collections.abc import Iterator

    from extpkg.diagnostic import Position
    from extpkg.document.document import Document

_COMMENT: Final = re.compile(r"(?<!\S)#.*")
_BLOCK_HEADER: Final = re.compile(r"[|>][-+0-9]*")


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """A member or item of a text: offsets of its start, its value and its end; its column from 0."""

    pointer: str
    parent: str
    start: int
    value: int
    end: int
    column: int
    flow: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Layout:
    """What a writer needs to know of the author's text, by pointer; a blank line is "" among the comments.

    `leading` stand before an entry, `beside` at the end of its first line, `trailing` behind the last entry
    of a collection; `header` stands before everything, `footer` behind. `flow` and `folded` say how a value
    was written, `spelled` is the text of a scalar that is no string.
    """

    leading: dict[str, list[str]] = field(default_factory=dict)
    beside: dict[str, list[str]] = field(default_factory=dict)
    trailing: dict[str, list[str]] = field(default_factory=dict)
    header: list[str] = field(default_factory=list)
    footer: list[str] = field(default_factory=list)
    flow: set[str] = field(default_factory=set)
    folded: set[str] = field(default_factory=set)
    spelled: dict[str, str] = field(default_factory=dict)

    def comments(self) -> list[str]:
        """Return all comments, sorted."""
        places = (self.leading, self.beside, self.trailing)
        groups = [self.header, self.footer, *(group for place in places for group in place.values())]
        return sorted(comment for group in groups for comment in group if comment)


class Outline:
    """The entries of a text in document order, and the text with its scalars masked.

    `lines` are the offsets at which its lines start; `inside` are the lines that go on with a scalar.
    """

    def __init__(self, text: str, document: Document) -> None:
        self.text = text
        self.lines = [0, *(found.end() for found in re.finditer("\n", text))]
        self.inside: set[int] = set()
        self._document = document
        self.masked = self._mask()
        self._bare = _COMMENT.sub(_blank, self.masked)
        self.entries = list(self._entries("", document.value, flow=self._is_flow(document.value, "")))
        self.starts = [entry.start for entry in self.entries]
        self.named = {entry.pointer: entry for entry in self.entries}

    def line(self, offset: int) -> int:
        """Return the line that holds an offset."""
        return bisect_right(self.lines, offset)

    def offsets(self, position: Position) -> tuple[int, int]:
        """Return where a span of the document starts and ends in the text."""
        lines = self.lines
        return (
            lines[position.line - 1] + position.column - 1,
            lines[position.end_line - 1] + position.end_column - 1,
        )

    def _is_flow(self, value: Any, pointer: str) -> bool:
        if not isinstance(value, dict | list):
            return False
        start, _ = self.offsets(self._document.position(pointer))
        return self.text[start : start + 1] in ("[", "{")

    def _mask(self) -> str:
        pieces = []
        done = 0
        for start, end in self._scalars("", self._document.value):
            pieces += [self.text[done:start], _blank(self.text[start:end])]
            done = end
            self.inside.update(range(self.line(start) + 1, self.line(max(start, end - 1)) + 1))
        return "".join([*pieces, self.text[done:]])

    def _scalars(self, pointer: str, value: Any) -> Iterator[tuple[int, int]]:
        """Yield the spans of keys and scalars, without the rest of a block scalar's header line."""
        if isinstance(value, dict | list):
            for key, member in value.items() if isinstance(value, dict) else enumerate(value):
                below = f"{pointer}/{escape(str(key))}"
                if isinstance(value, dict):
                    yield self.offsets(self._document.key_position(below))
                yield from self._scalars(below, member)
            return
        start, end = self.offsets(self._document.position(pointer))
        header = _BLOCK_HEADER.match(self.text, start, end)
        if header is None:
            yield start, end
            return
        yield start, header.end()
        body = self.text.find("\n", header.end())
        if 0 <= body < end:
            yield body + 1, end

    def _entries(self, pointer: str, value: Any, *, flow: bool) -> Iterator[Entry]:
        if not isinstance(value, dict | list):
            return
        for key, member in value.items() if isinstance(value, dict) else enumerate(value):
            below = f"{pointer}/{escape(str(key))}"
            at, end = self.offsets(self._document.position(below))
            start = at
            if isinstance(value, dict):
                start, _ = self.offsets(self._document.key_position(below))
            elif not flow:
                start = self._bare.rfind("-", 0, at)
            column = start - self.lines[self.line(start) - 1]
            yield Entry(
                pointer=below, parent=pointer, start=start, value=at, end=end, column=column, flow=flow
            )
            yield from self._entries(below, member, flow=self._is_flow(member, below))


def _blank(found: str | re.Match[str]) -> str:
    return re.sub(r"[^\n]", "x", found if isinstance(found, str) else found.group())


def read_layout(text: str, document: Document) -> Layout:
    """Return the layout of a text (LF line ends, no byte order mark) whose document is given."""
    return _Reader(text, document).read()


class _Reader:
    """One reading of a text: its outline, and the layout as far as it is known."""

    def __init__(self, text: str, document: Document) -> None:
        self.outline = Outline(text, document)
        self.layout = Layout()
        self.flows: set[str] = set()

    def read(self) -> Layout:
        self._styles()
        blank = False
        for number, line in enumerate(self.outline.masked.split("\n"), 1):
            comment = _COMMENT.search(line)
            before = line[: comment.start()] if comment else line
            if before.strip():
                self._content(number, blank=blank)
                blank = False
            if comment:
                group = self._group(number, comment.start(), own_line=not before.strip())
                start = self.outline.lines[number - 1] + comment.start()
                said = self.outline.text[start : start + len(comment.group())].rstrip()
                group += ["", said] if blank else [said]
                blank = False
            elif not line.strip() and number not in self.outline.inside:
                blank = True
        return self.layout

    def _styles(self) -> None:
        for entry in self.outline.entries:
            text = self.outline.text[entry.value : entry.end]
            if text.startswith(("[", "{")):
                self.flows.add(entry.pointer)
            elif text.startswith(">"):
                self.layout.folded.add(entry.pointer)
            else:
                self.layout.spelled[entry.pointer] = text
        self.layout.flow.update(self.flows)

    def _content(self, number: int, *, blank: bool) -> None:
        """Hand a blank line to the first entry of the line that follows it."""
        start = self.outline.lines[number - 1]
        index = bisect_left(self.outline.starts, start)
        if blank and index < len(self.outline.entries) and number not in self.outline.inside:
            entry = self.outline.entries[index]
            if self.outline.line(entry.start) == number:
                self._leading(index).append("")

    def _leading(self, index: int) -> list[str]:
        if index == 0:
            return self.layout.header
        return self.layout.leading.setdefault(self.outline.entries[index].pointer, [])

    def _group(self, number: int, column: int, *, own_line: bool) -> list[str]:
        """Return the comments that one at a place joins."""
        offset = self.outline.lines[number - 1] + column
        index = bisect_right(self.outline.starts, offset)
        if index == 0:
            return self.layout.header
        before = self.outline.entries[index - 1]
        around = self._flow_around(before, offset)
        if around:
            self._open(around)
        if not own_line:
            return self.layout.beside.setdefault(self._ended(before, offset).pointer, [])
        if around:
            return self._in_flow(around, index)
        if offset < before.value and not self._is_parent(before, index):
            return self._leading(index - 1)
        return self._in_block(self._ended(before, offset), index, column)

    def _is_parent(self, entry: Entry, index: int) -> bool:
        return index < len(self.outline.entries) and self.outline.entries[index].parent == entry.pointer

    def _flow_around(self, entry: Entry | None, offset: int) -> Entry | None:
        """Return the entry whose flow collection is the innermost around an offset."""
        while entry and not (entry.pointer in self.flows and entry.value < offset < entry.end):
            entry = self.outline.named.get(entry.parent)
        return entry

    def _open(self, entry: Entry | None) -> None:
        """Have a flow collection and those around it written as blocks: a comment needs its own line end."""
        while entry:
            self.layout.flow.discard(entry.pointer)
            entry = self.outline.named.get(entry.parent)

    def _ended(self, entry: Entry, offset: int) -> Entry:
        """Climb out of the flow collections that end before an offset."""
        parent = self.outline.named.get(entry.parent)
        while parent and parent.pointer in self.flows and parent.end <= offset:
            entry = parent
            parent = self.outline.named.get(entry.parent)
        return entry

    def _in_flow(self, around: Entry, index: int) -> list[str]:
        if index < len(self.outline.entries) and self.outline.starts[index] < around.end:
            return self._leading(index)
        if self.outline.entries[index - 1] is around:
            return self.layout.beside.setdefault(around.pointer, [])
        return self.layout.trailing.setdefault(around.pointer, [])

    def _in_block(self, before: Entry, index: int, column: int) -> list[str]:
        """Choose between the next entry and the collections that have just ended, by the column."""
        after = self.outline.entries[index] if index < len(self.outline.entries) else None
        if after and (self._is_parent(before, index) or column <= after.column):
            return self._leading(index)
        entry: Entry | None = before
        while entry and not (after and entry.parent == after.parent):
            if entry.column <= column or (not after and not entry.parent):
                return (
                    self.layout.trailing.setdefault(entry.parent, []) if entry.parent else self.layout.footer
                )
            entry = self.outline.named.get(entry.parent)
        return self._leading(index) if after else self.layout.footer
