"""The deterministic form of `meta.yaml` and action files: comments kept, value never changed."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

from extpkg.canonical import canonical_json
from extpkg.definition.encode import render
from extpkg.definition.layout import Layout, Outline, read_layout
from extpkg.definition.order import Kind, arranged, is_apart, is_free
from extpkg.document.strict_yaml import parse_document
from extpkg.errors import ExtpkgError

if TYPE_CHECKING:
    from extpkg.definition.layout import Entry

_BREAK: Final = re.compile(r"\r\n?")


def format_document(data: bytes, kind: Kind) -> bytes:
    """Return a file's bytes in the deterministic form; formatting them again changes nothing.

    Known fields stand in the seed's order, schemas and examples in the author's. Comments and the author's
    one-line collections of scalars are kept; line ends are LF, a byte order mark is dropped. Raises
    `DocumentInvalid` for what the reader refuses, and `ExtpkgError` where the form would change the value
    or lose a comment.
    """
    document = parse_document(data)
    value = document.value
    if not isinstance(value, dict):
        raise ExtpkgError("a file whose root is not a mapping has no deterministic form")
    text = _BREAK.sub("\n", data.decode().removeprefix("\ufeff"))
    layout = read_layout(text, document if text.encode() == data else parse_document(text.encode()))
    written = laid_out(arranged(value, kind), layout, kind)
    if written.encode() != data:
        refuse_change(written, value, layout.comments())
    return written.encode()


def refuse_change(written: str, value: Any, comments: list[str]) -> None:
    """Raise `ExtpkgError` unless a text has exactly this value and, in any order, these comments."""
    document = parse_document(written.encode())
    if canonical_json(document.value) != canonical_json(value):
        raise ExtpkgError("the deterministic form would change the value; the file is left as it is")
    if read_layout(written, document).comments() != comments:
        raise ExtpkgError("the deterministic form would lose a comment; the file is left as it is")


def laid_out(value: Any, layout: Layout, kind: Kind) -> str:
    """Return the text of a value with the comments and blank lines of its layout."""
    text = render(value, layout)
    return _Insertion(text, layout, kind).text()


class _Insertion:
    """Comments and blank lines on their way into a text that has none."""

    def __init__(self, text: str, layout: Layout, kind: Kind) -> None:
        self._lines = text.splitlines()
        self._layout = layout
        self._kind = kind
        self._outline = Outline(text, parse_document(text.encode()))
        self._before: dict[int, list[str]] = {}
        self._after: dict[int, list[str]] = {}
        self._beside: dict[int, str] = {}

    def text(self) -> str:
        """Return the whole text."""
        seen: set[str] = set()
        for entry in self._outline.entries:
            self._enter(entry, first=entry.parent not in seen)
            seen.add(entry.parent)
        for pointer in sorted(self._layout.trailing, key=lambda pointer: -pointer.count("/")):
            self._close(pointer)
        lines = _collapsed(self._layout.header, first=True)
        for number, line in enumerate(self._lines, 1):
            lines += self._before.get(number, [])
            lines.append(f"{line} {self._beside[number]}" if number in self._beside else line)
            lines += self._after.get(number, [])
        lines += _collapsed([*self._layout.footer], first=False)
        while lines and not lines[-1]:
            lines.pop()
        return "\n".join(lines) + "\n"

    def _enter(self, entry: Entry, *, first: bool) -> None:
        number = self._outline.line(entry.start)
        indent = self._indent(number)
        beside = list(self._layout.beside.get(entry.pointer, ()))
        group = [*self._group(entry.pointer, first=first), *beside[:-1]]
        if beside:
            if number in self._beside:
                self._before.setdefault(number, []).append(indent + self._beside[number])
            self._beside[number] = beside[-1]
        self._before.setdefault(number, []).extend(indent + line if line else "" for line in group)

    def _group(self, pointer: str, *, first: bool) -> list[str]:
        """Return what stands before an entry, with the blank line that the form asks for."""
        group = _collapsed(self._layout.leading.get(pointer, []), first=first)
        if first or is_free(pointer, self._kind):
            return group
        if is_apart(pointer, self._kind):
            return group if group[:1] == [""] else ["", *group]
        return group if any(group) else []

    def _close(self, pointer: str) -> None:
        """Put the comments that close a collection behind its last line, as far in as its entries."""
        inside = [entry for entry in self._outline.entries if entry.parent == pointer]
        number = self._outline.line(max(inside[-1].start, inside[-1].end - 1))
        indent = " " * inside[-1].column
        group = _collapsed(self._layout.trailing[pointer], first=False)
        self._after.setdefault(number, []).extend(indent + line if line else "" for line in group)

    def _indent(self, number: int) -> str:
        line = self._lines[number - 1]
        return line[: len(line) - len(line.lstrip(" "))]


def _collapsed(group: list[str], *, first: bool) -> list[str]:
    """Return the lines with one blank line for several, and none in front of the first entry."""
    lines: list[str] = []
    for line in group:
        if line or (lines[-1:] != [""] and (lines or not first)):
            lines.append(line)
    return lines
