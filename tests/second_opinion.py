"""What ruamel.yaml's own scanner makes of a text, resolved by the core schema and by none of our code."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from ruamel.yaml import YAML
from ruamel.yaml.events import (
    DocumentStartEvent,
    MappingEndEvent,
    MappingStartEvent,
    ScalarEvent,
    SequenceEndEvent,
    SequenceStartEvent,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

_WORDS = {"": None, "~": None, "null": None, "Null": None, "NULL": None} | {
    form: value
    for word, value in (("true", True), ("false", False))
    for form in (word, word.capitalize(), word.upper())
}
_NUMBERS: tuple[tuple[str, Any], ...] = (
    (r"[-+]?[0-9]+", int),
    (r"0o[0-7]+", lambda text: int(text, 8)),
    (r"0x[0-9a-fA-F]+", lambda text: int(text, 16)),
    (r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?", float),
)


def core_schema(text: str) -> Any:
    """Resolve a plain scalar as YAML 1.2.2, 10.3.2 says."""
    if text in _WORDS:
        return _WORDS[text]
    return next((read(text) for pattern, read in _NUMBERS if re.fullmatch(pattern, text)), text)


def second_opinion(text: str) -> Any:
    """Return the value of a text of one document; raises whatever ruamel.yaml raises."""
    events = iter(YAML(typ="safe", pure=True).parse(text))
    for event in events:
        if isinstance(event, DocumentStartEvent):
            value = _node(next(events), events)
            assert not any(isinstance(later, DocumentStartEvent) for later in events)
            return value
    raise AssertionError("no document")


def _node(event: Any, events: Iterator[Any]) -> Any:
    if isinstance(event, ScalarEvent):
        return event.value if event.style else core_schema(event.value)
    if isinstance(event, SequenceStartEvent):
        items = []
        while not isinstance(inner := next(events), SequenceEndEvent):
            items.append(_node(inner, events))
        return items
    assert isinstance(event, MappingStartEvent)
    members: dict[str, Any] = {}
    while not isinstance(inner := next(events), MappingEndEvent):
        key = _node(inner, events)
        assert isinstance(key, str)
        assert key not in members
        members[key] = _node(next(events), events)
    return members
