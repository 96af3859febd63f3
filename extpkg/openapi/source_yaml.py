"""YAML sources: the core schema of R-DOC-2, and what authors of OpenAPI write although packages may not.

Aliases and merge keys are read, within the budget of a source; keys are strings as they are written; the
tags of the core schema are obeyed. A value carries no place: who needs one reads the text again.
"""

from __future__ import annotations

import re
from typing import Any, Final

from extpkg import limits
from extpkg.diagnostic import Finding, Part, quoted
from extpkg.document.characters import decode
from extpkg.document.directives import without_directives
from extpkg.document.events import (
    AliasEvent,
    DocumentStartEvent,
    MappingEndEvent,
    MappingStartEvent,
    ScalarEvent,
    SequenceEndEvent,
    StreamEndEvent,
    YAMLError,
    event_source,
)
from extpkg.document.faults import Faults
from extpkg.document.scalars import NOT_FINITE, OVERFLOW, PLAIN, UNSAFE_INTEGER, WORDS, resolve
from extpkg.document.syntax import syntax_finding
from extpkg.pointer import join

_MERGE: Final = "<<"
_TEXT: Final = 64
"""Characters of what an alias names that count as a value more each time it is named."""

_DECIMAL: Final = re.compile(r"[-+]?[0-9]+")
_TAG: Final = "tag:yaml.org,2002:"
_SCALAR_TAGS: Final = {
    "null": (type(None),),
    "bool": (bool,),
    "int": (int,),
    "float": (int, float),
}


def parse(data: bytes, name: str, left: int = limits.SOURCE_VALUES) -> Any:
    """Return the value of a YAML text of at most `left` values, aliases expanded.

    Raises `DocumentInvalid` with every fault and its place; no bytes make it raise anything else.
    """
    text, faults, _ = decode(data, name, limits.SOURCE_BYTES)
    text = without_directives(text, Faults(name, faults.lines))
    reader = _Reader(text, faults, left)
    try:
        value = reader.read()
    except YAMLError as error:
        faults.add(syntax_finding(error, faults, reader.pointer(None), reader.opened(), reader.last))
    faults.raise_any()
    return value


class _Anchored:
    """What an anchor names: its value, how many values that is, how deep it nests (-1 while it is open)."""

    __slots__ = ("height", "size", "value")

    def __init__(self) -> None:
        self.value: Any = None
        self.size = 0
        self.height = -1


class _Reader:
    """One run over the events of one text; depth is bounded, hence recursion is.

    `left` is how many values may still come; `height` is how deep the collection nests that was closed last.
    """

    __slots__ = ("anchors", "faults", "get", "height", "last", "left", "path", "starts", "text")

    def __init__(self, text: str, faults: Faults, left: int) -> None:
        self.text = text
        self.faults = faults
        self.left = left
        self.height = 0
        self.last = 0
        self.path: list[str | int] = []
        self.starts: list[int] = []
        self.anchors: dict[str, _Anchored] = {}
        self.get = event_source(text)

    def read(self) -> Any:
        """Return the value; what is wrong with it goes into `faults`. Raises `YAMLError` for syntax."""
        self.get()
        start = self.get()
        if start.__class__ is StreamEndEvent:
            self._fault("EXT0107", (0, 0), "the text holds no document")
            return None
        event = self.get()
        value = self._scalar(event, None) if event.__class__ is ScalarEvent else self._collection(event, None)
        self.get()
        following = self.get()
        if following.__class__ is DocumentStartEvent:
            self._fault("EXT0108", _span(following), "a second document starts here")
        return value

    def _mapping(self) -> dict[str, Any]:
        # The hot loop: an ordinary key or value costs no call.
        get = self.get
        members: dict[str, Any] = {}
        merged: list[tuple[Any, Any]] = []
        height = collections = 0
        while True:
            event = get()
            if event.__class__ is ScalarEvent:
                key = event.value
                if key in members or event.anchor is not None:
                    self._odd_key(event, members)
            elif event.__class__ is MappingEndEvent:
                break
            else:
                key = self._collection_key(event)
            merging = key == _MERGE and not event.style
            event = get()
            if event.__class__ is ScalarEvent:
                value = event.value
                if event.tag is not None or event.anchor is not None or value < PLAIN or value in WORDS:
                    value = self._scalar(event, key)
            else:
                value = self._collection(event, key)
                collections += 1
                height = max(height, self.height)
            if merging:
                merged.append((event, value))
            else:
                members[key] = value
            if len(members) > self.left:
                self._too_many(event)
        self.left -= len(members) - collections
        self.height = height + 1
        self.last = event.end_mark.index
        for event, value in merged:
            self._merge(event, value, members)
        return members

    def _sequence(self) -> list[Any]:
        get = self.get
        items: list[Any] = []
        height = collections = 0
        while True:
            event = get()
            if event.__class__ is ScalarEvent:
                value = event.value
                if event.tag is not None or event.anchor is not None or value < PLAIN or value in WORDS:
                    value = self._scalar(event, len(items))
                items.append(value)
            elif event.__class__ is SequenceEndEvent:
                break
            else:
                items.append(self._collection(event, len(items)))
                collections += 1
                height = max(height, self.height)
            if len(items) > self.left:
                self._too_many(event)
        self.left -= len(items) - collections
        self.height = height + 1
        self.last = event.end_mark.index
        return items

    def _collection(self, event: Any, token: str | int | None) -> Any:
        """Return the value of an event that is no scalar, whose key or index is `token`."""
        kind = event.__class__
        if kind is AliasEvent:
            return self._alias(event, token)
        if token is not None:
            self.path.append(token)
        if len(self.path) >= limits.DOCUMENT_DEPTH:
            self._too_deep(event, None)
        is_mapping = kind is MappingStartEvent
        if event.tag is not None and event.tag != f"{_TAG}{'map' if is_mapping else 'seq'}":
            self._fault("EXT0112", _span(event), f"the tag {quoted(event.tag)} is not allowed here")
        anchored = None
        if event.anchor is not None:
            anchored = self.anchors[event.anchor] = _Anchored()
        before, self.left = self.left, self.left - 1
        self.starts.append(event.start_mark.index)
        value: Any = self._mapping() if is_mapping else self._sequence()
        self.starts.pop()
        if anchored is not None:
            weight = before - self.left + (self.last - event.start_mark.index) // _TEXT
            anchored.value, anchored.size, anchored.height = value, weight, self.height
        if token is not None:
            self.path.pop()
        return value

    def _alias(self, event: Any, token: str | int | None) -> Any:
        anchored = self.anchors.get(event.anchor)
        if anchored is None or anchored.height < 0:
            reason = "stands inside of what it names" if anchored else "names nothing that stands before it"
            message = f"the alias {quoted('*' + event.anchor)} {reason}"
            self._fault("EXT0111", _span(event), message, token)
            return None
        if len(self.path) + 1 + anchored.height > limits.DOCUMENT_DEPTH:
            self._too_deep(event, token)
        self.left -= anchored.size
        if self.left < 0:
            self._too_many(event)
        self.height = anchored.height
        return anchored.value

    def _scalar(self, event: Any, token: str | int | None) -> Any:
        """Return the value of a scalar, after a look at everything that may be odd about it."""
        text: str = event.value
        tag = event.tag
        if tag is None:
            value: Any = text if event.style else self._resolved(event, token)
        elif tag in {"!", f"{_TAG}str"}:
            value = text
        else:
            value = self._resolved(event, token)
            if type(value) not in _SCALAR_TAGS.get(tag.removeprefix(_TAG), ()):
                self._fault("EXT0112", _span(event), f"the tag {quoted(tag)} is not allowed here", token)
        if event.anchor is not None:
            anchored = self.anchors[event.anchor] = _Anchored()
            anchored.value, anchored.size, anchored.height = value, 1 + len(text) // _TEXT, 0
        self.last = event.end_mark.index
        return value

    def _resolved(self, event: Any, token: str | int | None) -> Any:
        text: str = event.value
        value, code = resolve(text)
        if code == UNSAFE_INTEGER and len(text) <= limits.ANSWER_DIGITS:
            # Kept exactly: what is made of it decides whether it matters.
            return int(text) if _DECIMAL.fullmatch(text) else int(text, 0)
        if code in _NUMBERS:
            self._fault(code, _span(event), _NUMBERS[code].format(quoted(text)), token)
        return value

    def _odd_key(self, event: Any, members: dict[str, Any]) -> None:
        key: str = event.value
        if event.anchor is not None:
            anchored = self.anchors[event.anchor] = _Anchored()
            anchored.value, anchored.size, anchored.height = key, 1 + len(key) // _TEXT, 0
        if key in members:
            place = self.faults.place(_span(event), self.pointer(key), Part.KEY)
            message = f"the key {quoted(key)} stands twice in one mapping"
            self.faults.add(Finding(code="EXT0114", place=place, message=message))

    def _collection_key(self, event: Any) -> str:
        """Read a key that is no scalar; return what an alias names, else a name that no other key has."""
        kind = event.__class__
        value = self._collection(event, "?")
        if kind is AliasEvent and isinstance(value, str):
            return value
        self._fault("EXT0115", _span(event), "a key is not a string but a collection")
        return f"\0{event.start_mark.index}"

    def _merge(self, event: Any, value: Any, members: dict[str, Any]) -> None:
        """Add the members that a merge key names and the mapping does not have itself."""
        sources = value if isinstance(value, list) else [value]
        if not all(isinstance(source, dict) for source in sources):
            self._fault(
                "EXT0113", _span(event), "the merge key << takes a mapping or a list of mappings", _MERGE
            )
            return
        for source in sources:
            for name, member in source.items():
                members.setdefault(name, member)

    def _too_deep(self, event: Any, token: str | int | None) -> None:
        self._fault("EXT0104", _span(event), f"collections nest deeper than {limits.DOCUMENT_DEPTH}", token)
        self.faults.raise_any()

    def _too_many(self, event: Any) -> None:
        message = f"the source holds more than {limits.SOURCE_VALUES:,} values, aliases expanded"
        self._fault("EXT0105", _span(event), message)
        self.faults.raise_any()

    def _fault(self, code: str, span: tuple[int, int], message: str, token: str | int | None = None) -> None:
        place = self.faults.place(span, self.pointer(token))
        self.faults.add(Finding(code=code, place=place, message=message))

    def opened(self) -> int:
        """Return the offset where the innermost flow collection that is open starts, or 0."""
        return next((start for start in reversed(self.starts) if self.text[start] in "[{"), 0)

    def pointer(self, token: str | int | None) -> str:
        """Return the pointer to a member of the innermost open collection, or to itself."""
        tokens = self.path if token is None else [*self.path, token]
        return join(tuple(str(each) for each in tokens))


_NUMBERS: Final = {
    NOT_FINITE: "{} is no number that JSON can hold",
    OVERFLOW: "the number {} is too large for a double",
    UNSAFE_INTEGER: "the whole number {} has more than 1,000 digits",
}


def _span(event: Any) -> tuple[int, int]:
    return event.start_mark.index, event.end_mark.index
