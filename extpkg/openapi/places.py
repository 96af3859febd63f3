"""Where a value of a source stands in its text, found by reading the text again: only messages need it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from extpkg.document.events import (
    MappingEndEvent,
    MappingStartEvent,
    ScalarEvent,
    SequenceEndEvent,
    SequenceStartEvent,
    YAMLError,
    event_source,
)
from extpkg.document.lines import Lines
from extpkg.pointer import Pointer

if TYPE_CHECKING:
    from collections.abc import Callable

    from extpkg.diagnostic import Position

_STARTS: Final = (MappingStartEvent, SequenceStartEvent)
_ENDS: Final = (MappingEndEvent, SequenceEndEvent)
_SHOWN: Final = 256


def position(data: bytes, pointer: str) -> Position:
    """Return the span of the value at a pointer, or of the deepest place on the way that is found."""
    text = _text(data)
    return Lines(text).position(*_span(text, pointer))


def written(data: bytes, pointer: str) -> str:
    """Return the scalar at a pointer as it is written; nothing where that is long."""
    text = _text(data)
    start, end = _span(text, pointer)
    return text[start:end] if end - start < _SHOWN else ""


def _text(data: bytes) -> str:
    return data.decode(errors="replace").removeprefix("\ufeff")


def _span(text: str, pointer: str) -> tuple[int, int]:
    get = event_source(text)
    try:
        get()
        get()
        event = get()
        for token in Pointer(pointer).tokens:
            below = _member(get, event, token)
            if below is None:
                break
            event = below
    except YAMLError:  # JSON that is no YAML
        return 0, 0
    return event.start_mark.index, event.end_mark.index


def _member(get: Callable[[], Any], parent: Any, token: str) -> Any:
    """Return the first event of a collection's member, once all events before it are taken; else None."""
    kind = parent.__class__
    index = 0
    while kind in _STARTS:
        event = get()
        if event.__class__ in _ENDS:
            return None
        found = index == int(token) if kind is SequenceStartEvent and token.isdecimal() else False
        if kind is MappingStartEvent:
            found = event.__class__ is ScalarEvent and event.value == token
            _skip(get, event)
            event = get()
        if found:
            return event
        _skip(get, event)
        index += 1
    return None


def _skip(get: Callable[[], Any], event: Any) -> None:
    depth = int(event.__class__ in _STARTS)
    while depth:
        kind = get().__class__
        depth += (kind in _STARTS) - (kind in _ENDS)
