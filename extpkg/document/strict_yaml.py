"""The strict YAML reader: libyaml's events in, a JSON value with places out (R-DOC-1 to R-DOC-6).

The only door to a YAML parser for reading. The parser's own constructors are not used: values are resolved
here. What libyaml accepts and the rulings refuse is checked before (`characters`) and after (`gaps`).
"""

from __future__ import annotations

import re
from array import array
from sys import intern
from typing import Any, Final

from extpkg import limits
from extpkg.diagnostic import Finding, Part, quoted
from extpkg.document import gaps
from extpkg.document.budget import counted
from extpkg.document.characters import decode
from extpkg.document.directives import without_directives
from extpkg.document.document import Document
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
from extpkg.document.faults import FAULTS, Faults
from extpkg.document.scalars import AMBIGUOUS, PLAIN, WORDS, resolve, unambiguous
from extpkg.document.syntax import BAD_ESCAPE, syntax_finding
from extpkg.pointer import join


def parse_document(data: bytes, name: str = "<document>") -> Document:
    """Return the document that `data` is: UTF-8 YAML 1.2, core schema, within the bounds of R-DOC-1.

    Raises `DocumentInvalid` with every fault of the text, each with its place in the file `name`; no bytes
    make it raise anything else.
    """
    text, faults, notes = decode(data, name)
    text = without_directives(text, faults)
    value, reader = _read(text, faults)
    faults.raise_any()
    return Document(
        name=name,
        value=value,
        notes=notes + tuple(reader.notes),
        lines=faults.lines,
        spans=array("I", reader.spans),
    )


def _read(text: str, faults: Faults) -> tuple[Any, _Reader]:
    """Return the value of a text and the reader that read it; what is wrong goes into `faults`."""
    known = len(faults.found)
    reader = _Reader(text, text, faults)
    try:
        return reader.read(), reader
    except YAMLError as error:
        first = syntax_finding(error, faults, reader.pointer(None), reader.opened(), reader.read_to())
        halves = getattr(error, "problem", "") == BAD_ESCAPE
    if halves:
        # Half a surrogate pair is no fault of syntax, although libyaml stops there: reading has to go on.
        del faults.found[known:]
        mended = _Reader(text, _SURROGATE.sub(lambda found: f"{found[0][:-4]}fffd", text), faults)
        try:
            mended.read()
        except YAMLError as error:
            first = syntax_finding(error, faults, mended.pointer(None), mended.opened(), mended.read_to())
            halves = False
    if not halves or len(faults.found) == known:
        faults.add(first)
    return None, reader


_PROPERTY: Final = re.compile(r"(?:^|[\s\[\]{},:?-])(?:&\S|!)")
_MERGE: Final = "<<"
_ESCAPE: Final = re.compile(
    r"\\(?:(?P<null>0|x00|u0000|U00000000)|"
    r"(?P<pair>u(?P<high>[dD][89abAB][0-9a-fA-F]{2})\\u(?P<low>[dD][c-fC-F][0-9a-fA-F]{2}))|"
    r"(?P<half>(?:u|U0000)[dD][89a-fA-F][0-9a-fA-F]{2})|.|$)"
)
_SURROGATE: Final = re.compile(r"\\(?:u|U0000)[dD][89a-fA-F][0-9a-fA-F]{2}")
_COMPLEX: Final = "?"

Token = str | int | None


class _Reader:
    """One run over the events of one text.

    `spans` is what `Document` keeps, `path` are the keys and indexes of the open collections, and `closed`
    is the offset where the collection that was closed last ends. Depth is bounded, hence recursion is.
    """

    __slots__ = (
        "closed",
        "escapes",
        "faults",
        "feed",
        "first_keys",
        "get",
        "notes",
        "path",
        "quick",
        "spans",
        "starts",
        "tabs",
        "text",
    )

    def __init__(self, text: str, feed: str, faults: Faults) -> None:
        self.text = text
        self.feed = feed
        self.faults = faults
        self.notes: list[Finding] = []
        self.spans: list[int] = []
        self.path: list[str | int] = []
        self.starts: list[int] = []
        self.closed = 0
        self.first_keys: dict[tuple[int, str], tuple[int, int]] | None = None
        # Without an anchor or a tag in the whole text, most scalars need no further look.
        self.escapes = "\\" in text
        self.tabs = "\t" in text
        self.quick = not (("&" in text or "!" in text) and _PROPERTY.search(text))
        self.get = counted(event_source(feed), len(text), self._too_many)

    def read(self) -> Any:
        """Return the value; what is wrong with it goes into `faults`. Raises `YAMLError` for syntax."""
        self.get()
        start = self.get()
        if start.__class__ is StreamEndEvent:
            self._fault("EXT0107", (0, 0), "the text holds no document")
            return None
        self.closed = start.end_mark.index
        value = self._root(self.get())
        self.get()
        following = self.get()
        if following.__class__ is DocumentStartEvent:
            self._fault("EXT0108", _span(following), "a second document starts here")
        gaps.check(self.feed, self.faults)
        return value

    def _root(self, event: Any) -> Any:
        if event.__class__ is ScalarEvent:
            return self._scalar(event, self.closed, None)
        return self._collection(event, None)

    def _mapping(self, mapping: int) -> dict[str, Any]:
        # The hot loop: an ordinary key or value costs no call.
        get, spans, quick = self.get, self.spans, self.quick
        members: dict[str, Any] = {}
        event: Any = None
        while True:
            last, event = event, get()
            if event.__class__ is ScalarEvent:
                key = intern(event.value)  # a package writes the same few words in a thousand files
                if quick and key >= PLAIN and not event.style and key not in WORDS and key not in members:
                    spans += (event.start_mark.index, event.end_mark.index)
                else:
                    key = self._key(event, members, mapping)
            elif event.__class__ is MappingEndEvent:
                break
            else:
                key = self._collection_key(event)
            event = get()
            if event.__class__ is ScalarEvent:
                value = event.value
                if quick and value >= PLAIN and not event.style and value not in WORDS:
                    spans += (event.start_mark.index, event.end_mark.index)
                else:
                    value = self._scalar(event, spans[-1], key)
                members[key] = value
            else:
                members[key] = self._collection(event, key)
        self._close(event, last)
        return members

    def _sequence(self) -> list[Any]:
        get, spans, quick = self.get, self.spans, self.quick
        items: list[Any] = []
        event: Any = None
        while True:
            last, event = event, get()
            if event.__class__ is ScalarEvent:
                value = event.value
                if quick and value >= PLAIN and not event.style and value not in WORDS:
                    spans += (event.start_mark.index, event.end_mark.index)
                else:
                    value = self._scalar(event, event.start_mark.index, len(items))
                items.append(value)
            elif event.__class__ is SequenceEndEvent:
                break
            else:
                items.append(self._collection(event, len(items)))
        self._close(event, last)
        return items

    def _close(self, end: Any, last: Any) -> None:
        # A block's own end mark stands before whatever comes next: its last child says where it ends.
        if end.end_mark.index > end.start_mark.index:
            self.closed = end.end_mark.index
            gaps.glued_comment(self.text, self.closed, self.faults)
        elif last.__class__ is ScalarEvent:
            self.closed = self.spans[-1]

    def _collection(self, event: Any, token: Token) -> Any:
        """Return the value of an event that is no scalar, whose key or index is `token`."""
        kind = event.__class__
        if kind is AliasEvent:
            self._alias(event, token)
            return None
        if token is not None:
            self.path.append(token)
        if len(self.path) >= limits.DOCUMENT_DEPTH:
            self._fault("EXT0104", _span(event), f"collections nest deeper than {limits.DOCUMENT_DEPTH}")
            self.faults.raise_any()
        if event.anchor is not None or event.tag is not None:
            self._properties(event, None)
        offset = len(self.spans)
        self.spans += (event.start_mark.index, 0)
        self.starts.append(event.start_mark.index)
        value: Any = self._mapping(event.start_mark.index) if kind is MappingStartEvent else self._sequence()
        self.starts.pop()
        self.spans[offset + 1] = self.closed
        if token is not None:
            self.path.pop()
        return value

    def _scalar(self, event: Any, empty: int, token: Token) -> Any:
        """Return the value of a scalar; an empty one stands at offset `empty`."""
        span = _span(event)
        text: str = event.value
        style = event.style
        value: Any = text
        if style in {"|", ">"}:
            if token is None:
                gaps.root_block_scalar(self.text, span[0], text, self.faults)
            span = gaps.block_scalar(self.text, span, self.faults)
        elif style:
            if self.escapes:
                self._escapes(span, token)
            if self.tabs and token is not None:
                gaps.tabbed_line(self.text, span, self.faults)
            gaps.glued_comment(self.text, span[1], self.faults)
        elif event.tag is None:
            value = self._resolved(text, span, token)
            if not text:
                span = (empty, empty)
        if event.anchor is not None or event.tag is not None:
            self._properties(event, token)
        self.spans += span
        return value

    def _resolved(self, text: str, span: tuple[int, int], token: Token) -> Any:
        value, code = resolve(text)
        if text == "-":
            self._fault("EXT0106", span, 'a lone "-" is no value in a flow collection', token)
        elif code == AMBIGUOUS:
            self._ambiguous(text, span, token, Part.VALUE)
        elif code:
            self._fault(code, span, _NUMBERS[code].format(quoted(text)), token)
        return value

    def _key(self, event: Any, members: dict[str, Any], mapping: int) -> str:
        """Return the key that a scalar is, after a look at everything that may be wrong with it."""
        span = _span(event)
        text: str = event.value
        plain = not event.style and event.tag is None
        if event.anchor is not None or event.tag is not None:
            self._properties(event, text)
        if event.style in {"|", ">"}:
            span = gaps.block_scalar(self.text, span, self.faults)
        if self.escapes and event.style:
            self._escapes(span, text)
        self.spans += span
        value, code = resolve(text) if plain else (text, "")
        if not isinstance(value, str) or (code and code != AMBIGUOUS):
            self._fault("EXT0115", span, f"the key {quoted(text)} is not a string but {_kind(value)}", text)
        elif plain and text == _MERGE:
            self._fault("EXT0113", span, "the merge key << is not allowed", text)
        elif text in members and not ("\ufffd" in text and self.faults.found):
            # A character that was refused may have made two keys one.
            self._duplicate(text, span, mapping)
        elif code:
            self._ambiguous(text, span, text, Part.KEY)
        return text

    def _collection_key(self, event: Any) -> str:
        """Read a key that is no scalar for its own faults; return a name that no other key has."""
        if event.__class__ is not AliasEvent and len(self.path) + 1 < limits.DOCUMENT_DEPTH:
            kind = "a mapping" if event.__class__ is MappingStartEvent else "a list"
            self._fault("EXT0115", _span(event), f"a key is not a string but {kind}")
        self._collection(event, _COMPLEX)
        return f"\0{len(self.spans)}"

    def _alias(self, event: Any, token: Token) -> None:
        self._fault("EXT0111", _span(event), f"the alias {quoted('*' + event.anchor)} is not allowed", token)
        self.spans += _span(event)
        self.closed = self.spans[-1]

    def _escapes(self, span: tuple[int, int], token: Token) -> None:
        """Report escapes that stand for no allowed character."""
        if self.text[span[0]] != '"':
            return
        for found in _ESCAPE.finditer(self.text, *span):
            if found["null"]:
                self._fault("EXT0120", found.span(), "U+0000 is not allowed, nor is its escape", token)
            elif found["pair"]:
                code = 0x10000 + ((int(found["high"], 16) - 0xD800) << 10) + int(found["low"], 16) - 0xDC00
                message = f"the escape {found[0]} is a surrogate pair, which YAML does not know"
                self._fault("EXT0119", found.span(), message, token, rf"write \U{code:08X}, or the character")
            elif found["half"]:
                message = f"the escape {found[0]} is half of a surrogate pair"
                self._fault("EXT0119", found.span(), message, token)

    def _properties(self, event: Any, token: Token) -> None:
        start = event.start_mark.index
        if event.anchor is not None:
            span = self._property("&", start)
            self._fault("EXT0110", span, f"the anchor {quoted('&' + event.anchor)} is not allowed", token)
        if event.tag is not None:
            span = self._property("!", start)
            shown = quoted(self.text[span[0] : span[1]])
            self._fault("EXT0112", span, f"the tag {shown} is not allowed", token)

    def _property(self, sign: str, start: int) -> tuple[int, int]:
        # Anchor and tag stand in either order, with white space between them.
        found = re.compile(rf"{sign}\S*").match(self.text, start)
        found = found or re.compile(rf"(?<=\s){sign}\S*").search(self.text, start)
        return found.span() if found else (start, start)

    def _duplicate(self, key: str, span: tuple[int, int], mapping: int) -> None:
        """Report a key that the mapping at offset `mapping` already has."""
        if self.first_keys is None:
            self.first_keys = gaps.first_keys(self.feed)
        pointer = self.pointer(key)
        first = self.first_keys.get((mapping, key))
        related = () if first is None else (self.faults.place(first, pointer, Part.KEY, "first here"),)
        place = self.faults.place(span, pointer, Part.KEY, "again here")
        message = f"the key {quoted(key)} stands twice in one mapping"
        self.faults.add(Finding(code="EXT0114", place=place, message=message, related=related))

    def _ambiguous(self, text: str, span: tuple[int, int], token: Token, part: Part) -> None:
        if len(self.notes) < FAULTS:
            place = self.faults.place(span, self.pointer(token), part)
            message = f"{quoted(text)} means something else to other YAML readers"
            self.notes.append(
                Finding(code=AMBIGUOUS, place=place, message=message, help=f"write {unambiguous(text)}")
            )

    def _too_many(self, event: Any) -> None:
        self._fault(
            "EXT0105", _span(event), f"the document holds more than {limits.DOCUMENT_VALUES:,} values"
        )
        self.faults.raise_any()

    def _fault(
        self, code: str, span: tuple[int, int], message: str, token: Token = None, mend: str = ""
    ) -> None:
        place = self.faults.place(span, self.pointer(token))
        self.faults.add(Finding(code=code, place=place, message=message, help=mend))

    def opened(self) -> int:
        """Return the offset where the innermost flow collection that is open starts, or 0."""
        return next((start for start in reversed(self.starts) if self.text[start] in "[{"), 0)

    def read_to(self) -> int:
        """Return the offset from which nothing has been read, a quoted text that was read last included."""
        if not self.spans:
            return 0
        start, end = self.spans[-2:]
        return start if self.text[start : start + 1] in {'"', "'"} else max(start, end)

    def pointer(self, token: Token) -> str:
        """Return the pointer to a member of the innermost open collection, or to itself."""
        tokens = self.path if token is None else [*self.path, token]
        return join(tuple(str(each) for each in tokens))


_NUMBERS: Final = {
    "EXT0116": "{} is no number that JSON can hold",
    "EXT0117": "the number {} is too large for a double",
    "EXT0118": "the whole number {} is outside ±(2^53-1)",
}


def _span(event: Any) -> tuple[int, int]:
    return event.start_mark.index, event.end_mark.index


def _kind(value: object) -> str:
    if value is None:
        return "null"
    return "a boolean" if isinstance(value, bool) else "a number"
