"""The one door to PyYAML: libyaml's events, which are all that is used of it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from yaml import error, events
from yaml._yaml import CParser

if TYPE_CHECKING:
    from collections.abc import Callable

# The kinds of events, to compare classes with; an event has the attributes of its kind and always both marks.
AliasEvent: Final[Any] = events.AliasEvent
DocumentEndEvent: Final[Any] = events.DocumentEndEvent
DocumentStartEvent: Final[Any] = events.DocumentStartEvent
MappingEndEvent: Final[Any] = events.MappingEndEvent
MappingStartEvent: Final[Any] = events.MappingStartEvent
ScalarEvent: Final[Any] = events.ScalarEvent
SequenceEndEvent: Final[Any] = events.SequenceEndEvent
SequenceStartEvent: Final[Any] = events.SequenceStartEvent
StreamEndEvent: Final[Any] = events.StreamEndEvent

YAMLError: Final = error.YAMLError


def event_source(text: str) -> Callable[[], Any]:
    """Return a function that gives the next event of `text` at each call, and at the end None.

    It raises `YAMLError` where the text is not YAML. Marks count code points from 0; a leading byte order
    mark must have been taken off.
    """
    source: Callable[[], Any] = CParser(text.encode()).get_event
    return source
