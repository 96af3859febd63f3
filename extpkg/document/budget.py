"""The bound on values, held while events come in (R-DOC-1)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from extpkg import limits
from extpkg.document.events import (
    AliasEvent,
    MappingEndEvent,
    MappingStartEvent,
    ScalarEvent,
    SequenceEndEvent,
    SequenceStartEvent,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

_STARTS: Final = (MappingStartEvent, SequenceStartEvent)
_ENDS: Final = (MappingEndEvent, SequenceEndEvent)
_LEAVES: Final = (ScalarEvent, AliasEvent)


def counted(get: Callable[[], Any], size: int, stop: Callable[[Any], None]) -> Callable[[], Any]:
    """Return a source of the same events that calls `stop` with the event of the first value too many.

    A text of `size` characters holds no more than half as many values, open collections apart, so that
    only long texts pay for counting.
    """
    if size < 2 * (limits.DOCUMENT_VALUES - limits.DOCUMENT_DEPTH):
        return get
    return _counting(get, stop).__next__


def _counting(get: Callable[[], Any], stop: Callable[[Any], None]) -> Iterator[Any]:
    left = limits.DOCUMENT_VALUES
    # For each open collection whether its next node is a key; for a sequence that never changes.
    mappings: list[bool] = [False]
    key_next: list[bool] = [False]
    while True:
        event = get()
        kind = event.__class__
        if kind in _ENDS:
            mappings.pop()
            key_next.pop()
        elif kind in _LEAVES or kind in _STARTS:
            if key_next[-1]:
                key_next[-1] = False
            else:
                key_next[-1] = mappings[-1]
                left -= 1
                if left < 0:
                    stop(event)
            if kind in _STARTS:
                mappings.append(kind is MappingStartEvent)
                key_next.append(kind is MappingStartEvent)
        yield event
