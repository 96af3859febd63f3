"""What libyaml accepts although YAML 1.2 does not, looked for in the text itself (R-DOC-1, R-DOC-3).

A text without the few characters in question costs some searches; one with them is walked a second time.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from contextlib import suppress
from typing import TYPE_CHECKING, Final

from extpkg.diagnostic import Finding
from extpkg.document.events import (
    AliasEvent,
    DocumentEndEvent,
    MappingEndEvent,
    MappingStartEvent,
    ScalarEvent,
    SequenceEndEvent,
    SequenceStartEvent,
    YAMLError,
    event_source,
)

if TYPE_CHECKING:
    from extpkg.document.faults import Faults

_NODES: Final = frozenset((AliasEvent, MappingStartEvent, ScalarEvent, SequenceStartEvent))
_HEADER: Final = re.compile(r"[|>][-+0-9]*(?P<rest>[ \t]*)(?P<comment>#)?[^\r\n]*(?P<break>\r\n|\n|\r|$)")
_BLANK_LINES: Final = re.compile(r"(?: *+(?:\r\n|\n|\r))*+")
_BLANK_LINE: Final = re.compile(r"( *)(?:\r\n|\n|\r)")
_SPACES: Final = re.compile(" *")


def block_scalar(text: str, span: tuple[int, int], faults: Faults) -> tuple[int, int]:
    """Return the span of a block scalar without the blank lines after it; report what libyaml lets pass."""
    start, end = span
    header = _HEADER.match(text, start)
    if not header:
        # A property stands before the header: a fault of its own.
        return span
    if header["comment"] and not header["rest"]:
        at = header.start("comment")
        _report(faults, "EXT0106", at, "a comment needs a space before its #")
    blank = _BLANK_LINES.match(text, header.end())
    if blank and not any(digit in header[0][:3] for digit in "123456789"):
        _leading(text, blank, faults)
    if header.end() < len(text) and not text.endswith(("\n", "\r")) and not text[end:].strip(" "):
        _report(faults, "EXT0125", len(text), "a block scalar ends with the text, without a final line break")
    return start, start + len(text[start:end].rstrip())


_NO_CONTENT: Final = re.compile(r"[^\r\n]*(?: *(?:\r\n|\n|\r))++(?:#|---|\.\.\.)")
_INDENTATION_INDICATOR: Final = re.compile(r"[|>][-+]?[1-9]")


def root_block_scalar(text: str, start: int, value: str, faults: Faults) -> None:
    """Report a block scalar that is the whole document and that YAML 1.1 and 1.2 scanners cut differently.

    They do where its content may begin at column 0 (a `#` or a document marker there) and where its
    indentation is explicit.
    """
    if not value.strip("\n") and _NO_CONTENT.match(text, start):
        _report(faults, "EXT0125", start, "a block scalar may begin with the line after it, at column 0")
    elif value and _INDENTATION_INDICATOR.match(text, start):
        _report(faults, "EXT0125", start, "the indentation of a block scalar counts from no collection")


def _leading(text: str, blank: re.Match[str], faults: Faults) -> None:
    first = _SPACES.match(text, blank.end())
    indentation = len(first[0]) if first else 0
    for line in _BLANK_LINE.finditer(text, blank.start(), blank.end()):
        if len(line[1]) > indentation > 0:
            message = "a blank line before the first line of a block scalar is indented deeper than it"
            _report(faults, "EXT0106", line.end(1), message)
            # libyaml has cut the scalar elsewhere: whatever it says from here on is about another text.
            raise faults.refusal()


def _report(faults: Faults, code: str, offset: int, message: str) -> None:
    faults.add(Finding(code=code, place=faults.place((offset, offset + 1)), message=message))


_TAB_LINE: Final = re.compile(r"[\r\n]\t[ \t]*[^\s]")


def tabbed_line(text: str, span: tuple[int, int], faults: Faults) -> None:
    """Report a line of a quoted scalar inside a collection that a tab indents."""
    found = _TAB_LINE.search(text, *span)
    if found:
        _report(faults, "EXT0122", found.start() + 1, "a line is indented by a tab")


def glued_comment(text: str, end: int, faults: Faults) -> None:
    """Report a comment right at the end of a quoted scalar or a flow collection."""
    if text.startswith("#", end):
        _report(faults, "EXT0106", end, "a comment needs a space before its #")


def first_keys(text: str) -> dict[tuple[int, str], tuple[int, int]]:
    """Return where each key of each mapping stands first, by the mapping's offset and the key's text.

    `text` may end in an error of syntax.
    """
    keys: dict[tuple[int, str], tuple[int, int]] = {}
    get = event_source(text)
    # For each open collection its offset and whether a key comes next (None: it has no keys).
    stack: list[tuple[int, bool | None]] = [(0, None)]
    with suppress(YAMLError):
        while (event := get()) is not None:
            kind = event.__class__
            if kind is MappingEndEvent or kind is SequenceEndEvent:
                stack.pop()
            elif kind in _NODES:
                offset, key_next = stack[-1]
                if key_next and kind is ScalarEvent:
                    keys.setdefault((offset, event.value), (event.start_mark.index, event.end_mark.index))
                if key_next is not None:
                    stack[-1] = (offset, not key_next)
                if kind is MappingStartEvent or kind is SequenceStartEvent:
                    stack.append((event.start_mark.index, True if kind is MappingStartEvent else None))
    return keys


_GLUED: Final = ("[#", "{#", ",#", "':#", '":#')
_TABBED: Final = ("\n\t", "\r\t")
_QUESTION: Final = re.compile(r"\?(?=\S)")
_CANDIDATE: Final = re.compile(
    r"(?<=[\[{,])(?P<comment>#)|(?<=[\"']:)(?P<pair>#)|(?<=[\s\[{,:])(?P<question>\?)(?=\S)"
    r"|(?<=[\r\n])(?P<tab>\t)(?=[ \t]*[^\s#])"
)


def check(text: str, faults: Faults) -> None:
    """Report comments glued to an indicator, `?` before a plain scalar in a flow collection, tab indentation.

    `text` is a text that libyaml reads to its end.
    """
    if not (
        ("#" in text and any(pair in text for pair in _GLUED))
        or ("\t" in text and any(pair in text for pair in _TABBED))
        or ("?" in text and _QUESTION.search(text))
    ):
        return
    spans = _scalar_spans(text)
    comments = _Comments(text, spans)
    tabs: list[int] = []
    for found in _CANDIDATE.finditer(text):
        at = found.start()
        if _inside(at, spans) or comments.hold(at):
            continue
        if found["tab"]:
            tabs.append(at)
        else:
            _candidate(found, faults)
    if tabs:
        # JSON that tabs indent is one fault, not one of each line.
        more = len(tabs) - 1
        also = f", and {more} more {'line' if more == 1 else 'lines'}" if more else ""
        _report(faults, "EXT0122", tabs[0], f"a line is indented by a tab{also}")


def _candidate(found: re.Match[str], faults: Faults) -> None:
    at = found.start()
    if found["question"]:
        message = 'a plain scalar in a flow collection starts with "?"'
        _report(faults, "EXT0123", at, message)
    else:
        _report(faults, "EXT0106", at, "a comment needs a space before its #")


CLOSERS: Final = {"[": "]", "{": "}"}
"""What closes a flow collection, by what opens it."""

_GLUED_COMMENT: Final = re.compile(r"(?<=[\s\[{,])(?P<value>#[^\s,\]}]+)[^\r\n]*")


def swallowing_comment(text: str, opened: int, offset: int) -> re.Match[str] | None:
    """Return the first comment that hides what would close the flow collection that starts at `opened`.

    Such a comment has no space after its `#`: it was meant as a value. `text` ends in an error of syntax at
    `offset`; None where no flow collection starts there.
    """
    closer = CLOSERS.get(text[opened : opened + 1])
    if closer is None or "#" not in text[opened:offset]:
        return None
    spans = _scalar_spans(text)
    comments = _Comments(text, spans)
    for found in _GLUED_COMMENT.finditer(text, opened, offset):
        at = found.start()
        if closer in found[0] and not _inside(at, spans) and not comments.hold(at):
            return found
    return None


def _scalar_spans(text: str) -> list[tuple[int, int]]:
    """Return the spans of the scalars of a text, up to an error of syntax."""
    get = event_source(text)
    spans = []
    with suppress(YAMLError):
        while (event := get()).__class__ is not DocumentEndEvent:
            if event.__class__ is ScalarEvent:
                spans.append((event.start_mark.index, event.end_mark.index))
    return spans


_COMMENT_START: Final = re.compile(r"(?<!\S)#")
_REST_OF_LINE: Final = re.compile(r"[^\r\n]*")
_FAR: Final = 1 << 30


class _Comments:
    """The comments of a text, each found once: asked about offsets in rising order."""

    def __init__(self, text: str, spans: list[tuple[int, int]]) -> None:
        self._text = text
        self._spans = spans
        self._end = 0

    def hold(self, offset: int) -> bool:
        """Tell whether a comment holds an offset that is in no scalar."""
        while self._end <= offset:
            found = _COMMENT_START.search(self._text, self._end, offset)
            if found is None:
                self._end = offset
                return False
            start, after = found.span()
            rest = None if _inside(start, self._spans) else _REST_OF_LINE.match(self._text, after)
            self._end = rest.end() if rest else after
        return True


def _inside(offset: int, spans: list[tuple[int, int]]) -> bool:
    at = bisect_right(spans, (offset, _FAR))
    return at > 0 and offset < spans[at - 1][1]
