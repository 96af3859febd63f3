"""A value as the one deterministic text of it; the only place that writes YAML.

ruamel.yaml's emitter writes. Which style a scalar or collection has is decided here, by its value alone
wherever the author's layout leaves no choice.
"""

from __future__ import annotations

import json
import re
from io import StringIO
from typing import TYPE_CHECKING, Any, Final

from extpkg.document.scalars import resolve
from extpkg.pointer import escape

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ruamel.yaml.events import Event

    from extpkg.definition.layout import Layout

WIDTH: Final = 100
"""Columns within which a flow collection stays on its line and folded text is filled."""

_NO_WRAPPING: Final = 1 << 30
_KEY_LENGTH: Final = 1024
_UNPRINTABLE: Final = re.compile(
    "[^\n\x20-\x7e\xa0-\u2027\u202a-\ud7ff\ue000-\ufefe\uff00-\ufffd\U00010000-\U0010ffff]"
)
_PLAIN: Final = re.compile(r"(?!---|\.\.\.)([^\s\-?:,\[\]{}#&*!|>'\"%@`]|-(?=[A-Za-z]))(.*\S)?")
_NOT_PLAIN: Final = re.compile(r":(\s|$)|\s#")
_NOT_PLAIN_IN_FLOW: Final = re.compile(r"[,\[\]{}:#?]")
_NUMERIC: Final = re.compile(r"[-+.]?[0-9]")
_QUOTES: Final = ('"', "'")
_NOT_BLOCK: Final = re.compile(r"\A\s|[ \t](\n|\Z)|\n\t|\n\n\Z")


def render(value: Any, layout: Layout) -> str:
    """Return the text of a value: block style, two spaces, sequences indented, no line wrapped.

    Members stand in the value's own order. Of the layout only the styles are used: comments have no place
    here.
    """
    from ruamel.yaml import YAML

    writer = YAML(pure=True)
    writer.indent(mapping=2, sequence=4, offset=2)
    writer.width = _NO_WRAPPING
    writer.allow_unicode = True
    writer.emitter.MAX_SIMPLE_KEY_LENGTH = _KEY_LENGTH
    stream = StringIO()
    writer.emit(_document(value, layout), stream)
    return stream.getvalue()


def _document(value: Any, layout: Layout) -> Iterator[Event]:
    from ruamel.yaml import events

    yield events.StreamStartEvent()
    yield events.DocumentStartEvent(explicit=False)
    yield from _Events(layout).node(value, "", 0, flow=False)
    yield events.DocumentEndEvent(explicit=False)
    yield events.StreamEndEvent()


class _Events:
    """The events of a value, each with the style that it is written in."""

    def __init__(self, layout: Layout) -> None:
        from ruamel.yaml import events, tag

        self._layout = layout
        self._events = events
        self._tag = tag.Tag(
            suffix="tag:yaml.org,2002:str"
        )  # never written, but an empty scalar must have one

    def node(self, value: Any, pointer: str, column: int, *, flow: bool) -> Iterator[Event]:
        """Yield the events of the value at a pointer whose key or dash stands at a column."""
        events = self._events
        if isinstance(value, dict):
            flow = flow or self._fits(value, pointer, column)
            yield events.MappingStartEvent(None, None, implicit=True, flow_style=flow)
            for name, member in value.items():
                yield self._scalar(name, string_style(name, flow=flow, key=True))
                yield from self.node(member, f"{pointer}/{escape(name)}", column + 2, flow=flow)
            yield events.MappingEndEvent()
        elif isinstance(value, list):
            flow = flow or self._fits(value, pointer, column)
            yield events.SequenceStartEvent(None, None, implicit=True, flow_style=flow)
            for index, item in enumerate(value):
                yield from self.node(item, f"{pointer}/{index}", column + 4, flow=flow)
            yield events.SequenceEndEvent()
        elif isinstance(value, str):
            yield self._string(value, pointer, column, flow=flow)
        else:
            yield self._scalar(spelled(value, self._layout.spelled.get(pointer)), "")

    def _string(self, value: str, pointer: str, column: int, *, flow: bool) -> Event:
        style = string_style(value, flow=flow, key=False)
        long = "\n" in value or column + len(value) > WIDTH
        if long and not flow and pointer in self._layout.folded and _is_foldable(value):
            return self._scalar(_folded(value, WIDTH - column), ">")
        if not style and _NUMERIC.match(value) and self._layout.spelled.get(pointer, "").startswith(_QUOTES):
            style = '"'  # a version or date that the author quoted
        return self._scalar(value, style)

    def _scalar(self, text: str, style: str) -> Event:
        return self._events.ScalarEvent(None, self._tag, (True, True), text, style=style or None)

    def _fits(self, value: Any, pointer: str, column: int) -> bool:
        """Say whether the author's flow collection stays one: scalars only, within the width."""
        members = value.values() if isinstance(value, dict) else value
        if pointer not in self._layout.flow or any(isinstance(member, dict | list) for member in members):
            return not value
        before = column + len(pointer.rpartition("/")[2])
        return before + len(json.dumps(value, ensure_ascii=False)) <= WIDTH


def string_style(text: str, *, flow: bool, key: bool) -> str:
    """Return the style of a string: "" (plain), '"' or "|"."""
    if _UNPRINTABLE.search(text):
        return '"'
    if "\n" in text:
        return '"' if flow or key or _NOT_BLOCK.search(text) else "|"
    plain = _PLAIN.fullmatch(text) and not _NOT_PLAIN.search(text) and resolve(text) == (text, "")
    return "" if plain and not (flow and _NOT_PLAIN_IN_FLOW.search(text)) else '"'


def _is_foldable(text: str) -> bool:
    return not _UNPRINTABLE.search(text) and not _NOT_BLOCK.search(text) and not re.search(r"\n[ \n]", text)


def _folded(text: str, room: int) -> str:
    """Mark where the lines of a folded scalar break: at single spaces, as late as they fit."""
    lines = []
    for line in text.split("\n"):
        filled = ""
        width = 0
        for word in re.split(r"(?<=[^ ]) (?=[^ ])", line):
            breaks = bool(filled) and width + 1 + len(word) > room
            filled += ("\a " if breaks else " " if filled else "") + word
            width = len(word) if breaks else width + len(word) + (1 if width else 0)
        lines.append(filled)
    return "\n".join(lines)


def spelled(value: Any, text: str | None) -> str:
    """Return the author's spelling of a number where all readers share it, else the shared one."""
    if value is None or isinstance(value, bool):
        return json.dumps(value)
    if text is not None and resolve(text) == (value, ""):
        return text
    mantissa, mark, exponent = repr(value).partition("e")
    point = "" if "." in mantissa or not mark else ".0"
    return f"{mantissa}{point}{mark}{exponent}"
