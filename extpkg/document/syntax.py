"""libyaml's errors in our own words, at the place that helps most: its text stops here."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from extpkg import limits
from extpkg.diagnostic import Finding, quoted
from extpkg.document import gaps

if TYPE_CHECKING:
    from extpkg.document.faults import Faults


@dataclass(frozen=True, slots=True, kw_only=True)
class _Wording:
    """What an error is called here; `at_context` puts it where the part began that the parser was in."""

    message: str
    code: str = "EXT0106"
    help: str = ""
    at_context: bool = False


_QUOTED: Final = "while scanning a quoted scalar"
_ESCAPE: Final = "while parsing a quoted scalar"
_BLOCK: Final = "while scanning a block scalar"
_PLAIN: Final = "while scanning a plain scalar"
_ANCHOR_HELP: Final = "write the value out where it is needed, without anchor and alias"
_TAG_HELP: Final = "take the tag off; quote the value if it is a string"
_INDENT_HELP: Final = "align it with the entries that it belongs to"

BAD_ESCAPE: Final = "found invalid Unicode character escape code"
"""What libyaml calls an escape beyond U+10FFFF or for half of a surrogate pair."""

_ESCAPES: Final = (
    _Wording(message="an escape lacks hexadecimal digits", help=r"write \xHH, \uHHHH or \UHHHHHHHH"),
    _Wording(message="an escape names no Unicode character"),
    _Wording(
        message="a backslash sequence is not known to YAML",
        help="write the backslash twice, or use single quotes",
    ),
)
_MISPLACED: Final = (
    _Wording(
        message='this line belongs to no collection: an entry of the list above would start with "- "',
        help=_INDENT_HELP,
    ),
    _Wording(message="this line is at the indentation of no mapping above, or is no key", help=_INDENT_HELP),
    _Wording(
        message="the document has ended before this text",
        help="align it with the entries above, or remove it",
    ),
)
_NO_VALUE: Final = _Wording(message="a value is expected here", help="quote the value if it is text")
_NO_NODE: Final = _Wording(message="a value is expected here", help="take the extra sign out")
_COLON_FIRST: Final = _Wording(
    code="EXT0125", message='a plain scalar in a flow collection starts with ":"', help="quote the text"
)
_SECOND_COLON: Final = _Wording(message='a second ": " stands in one line', help='quote text that holds ": "')

_WORDINGS: Final[dict[tuple[str | None, str], _Wording]] = {
    ("while parsing a block collection", "did not find expected '-' indicator"): _MISPLACED[0],
    ("while parsing a block mapping", "did not find expected key"): _MISPLACED[1],
    ("while parsing a block node", "did not find expected node content"): _NO_VALUE,
    ("while parsing a flow node", "did not find expected node content"): _NO_NODE,
    ("while parsing a flow mapping", "did not find expected ',' or '}'"): _Wording(
        message='"," or "}" is missing in a flow mapping', help='close the mapping with "}"'
    ),
    ("while parsing a flow sequence", "did not find expected ',' or ']'"): _Wording(
        message='"," or "]" is missing in a flow list', help='close the list with "]"'
    ),
    ("while parsing a node", "found undefined tag handle"): _Wording(
        code="EXT0112", message="a tag is not allowed", help=_TAG_HELP
    ),
    (None, "did not find expected <document start>"): _MISPLACED[2],
    (_ESCAPE, "did not find expected hexdecimal number"): _ESCAPES[0],
    (_ESCAPE, BAD_ESCAPE): _ESCAPES[1],
    (_ESCAPE, "found unknown escape character"): _ESCAPES[2],
    (_QUOTED, "found unexpected end of stream"): _Wording(
        message="a quoted scalar is not closed", help="add the closing quote", at_context=True
    ),
    (_QUOTED, "found unexpected document indicator"): _Wording(
        message="a document marker stands inside a quoted scalar",
        help="close the quote before it, or indent it",
    ),
    (_BLOCK, "did not find expected comment or line break"): _Wording(
        message='only "-", "+", one digit and a comment may follow "|" or ">"',
        help="start the text on the next line",
    ),
    (_BLOCK, "found an indentation indicator equal to 0"): _Wording(
        message="the indentation of a block scalar is 1 to 9"
    ),
    (_BLOCK, "found a tab character where an indentation space is expected"): _Wording(
        code="EXT0125", message="a tab stands right after the indentation of a block scalar"
    ),
    (_PLAIN, "found unexpected ':'"): _Wording(
        code="EXT0125",
        message='":" stands right before a flow indicator',
        help="quote the text, or write a space after the key's colon",
    ),
    (_PLAIN, "found a tab character that violates indentation"): _Wording(
        code="EXT0122", message="a line is indented by a tab"
    ),
    ("while scanning a simple key", "could not find expected ':'"): _Wording(
        message='":" is missing after a key',
        at_context=True,
        help="write `key: value`; indent a line that continues the text above",
    ),
    ("while scanning a tag", "did not find expected whitespace or line break"): _Wording(
        code="EXT0112", message="a tag is not allowed", help=_TAG_HELP, at_context=True
    ),
    ("while scanning an anchor", "did not find expected alphabetic or numeric character"): _Wording(
        code="EXT0110", message="an anchor is not allowed", help=_ANCHOR_HELP, at_context=True
    ),
    ("while scanning an alias", "did not find expected alphabetic or numeric character"): _Wording(
        code="EXT0111", message="an alias is not allowed", help=_ANCHOR_HELP, at_context=True
    ),
    (None, "block sequence entries are not allowed in this context"): _Wording(
        message='a list entry ("- ") cannot start here', help="start the list on the next line"
    ),
    (None, "mapping keys are not allowed in this context"): _Wording(
        message='"? " cannot start a key here', help="quote the text"
    ),
    (None, "mapping values are not allowed in this context"): _SECOND_COLON,
}

_TOO_DEEP: Final = _Wording(code="EXT0104", message=f"collections nest deeper than {limits.DOCUMENT_DEPTH}")
_BY_CONTEXT: Final[dict[str, _Wording]] = {
    "while parsing a tag": _Wording(
        code="EXT0112", message="a tag is not allowed", help=_TAG_HELP, at_context=True
    ),
    "while scanning a tag": _Wording(
        code="EXT0112", message="a tag is not allowed", help=_TAG_HELP, at_context=True
    ),
    "while increasing flow level": _TOO_DEEP,
    "while increasing block level": _TOO_DEEP,
    "while scanning a directive": _Wording(code="EXT0109", message="a directive is not allowed"),
    "while scanning a %YAML directive": _Wording(code="EXT0109", message="a directive is not allowed"),
    "while scanning a %TAG directive": _Wording(code="EXT0109", message="a directive is not allowed"),
}
_UNKNOWN: Final = _Wording(message="the text is not YAML here")


def syntax_finding(error: Any, faults: Faults, pointer: str, opened: int, read: int) -> Finding:
    """Return the finding for an error of the parser.

    `pointer` names the innermost open collection, the innermost flow collection starts at `opened`, and what
    has been read ends at `read`.
    """
    context: str | None = getattr(error, "context", None)
    problem: str = getattr(error, "problem", "")
    text = faults.lines.text
    offset = _offset(error, "problem_mark")
    hidden = _swallowed(faults, pointer, opened, offset) or _runaway(faults, pointer, read, offset)
    if hidden:
        return hidden
    began = _offset(error, "context_mark") if context else offset
    if problem == "found character that cannot start any token":
        wording = _no_token(text[offset : offset + 1])
    else:
        wording = _WORDINGS.get((context, problem)) or _BY_CONTEXT.get(context or "", _UNKNOWN)
    at_end = not text[offset:].strip()
    if at_end and wording is _NO_NODE:
        wording, began = _UNCLOSED, opened
    flow = wording.message.endswith(_FLOW)
    if wording.at_context or (flow and at_end):
        offset = began
    wording, start, end = _sharpened(wording, text, offset)
    label = _BEGINNINGS.get(wording.message, "opened here" if flow else "")
    above = _above(faults, wording, start, began)
    related = (faults.place(above, pointer, label=label),) if label and above[0] < start else ()
    place = faults.place((start, end), pointer)
    return Finding(
        code=wording.code, place=place, message=wording.message, help=wording.help, related=related
    )


_QUOTED_TEXT: Final = re.compile(
    r"""[\s:,\[\]{}?-]*(?P<open>)(?:"(?:[^"\\]|\\.)*+"|'(?:[^']|'')*+')(?P<end>)[ \t]*""", re.DOTALL
)


def _runaway(faults: Faults, pointer: str, read: int, offset: int) -> Finding | None:
    """Return the finding at the quote that opens the text whose end is followed by an error at `offset`.

    Such a text over several lines most often lacks its closing quote, and the next quote below has closed it.
    """
    text = faults.lines.text
    found = _QUOTED_TEXT.match(text, read)
    if not found or not found.end() <= offset or text[found.end()] in ",]}":
        return None
    start, end = found.end("open"), found.end("end")
    rest = text[found.end() : offset]
    one_line = faults.lines.place(start)[0] == faults.lines.place(end)[0]
    if one_line or "\n" in rest or "\r" in rest:
        return None
    return Finding(
        code="EXT0106",
        place=faults.place((start, start + 1), pointer, label="opened here"),
        message="the quoted text that starts here ends only lines below, with more text after it",
        help="close the quote where the text ends",
        related=(faults.place((end - 1, end), pointer, label="closed here"),),
    )


def _swallowed(faults: Faults, pointer: str, opened: int, offset: int) -> Finding | None:
    """Return the finding at a comment that hides what would close the flow collection that is open."""
    text = faults.lines.text
    comment = gaps.swallowing_comment(text, opened, offset)
    if comment is None:
        return None
    value = comment["value"]
    is_value = text[: comment.start()].rstrip(" \t").endswith((":", ",", "[", "{"))
    return Finding(
        code="EXT0106",
        place=faults.place((comment.start(), comment.end("value")), pointer, label="a comment"),
        message=f'"#" starts a comment here, which hides the closing "{gaps.CLOSERS[text[opened]]}"',
        help=f"put the value in quotes{f': {quoted(value)}' if is_value else ''}",
        related=(faults.place((opened, opened + 1), pointer, label="opened here"),),
    )


def _offset(error: Any, mark: str) -> int:
    found = getattr(error, mark, None)
    return found.index if found else 0


def _no_token(character: str) -> _Wording:
    if character == "\t":
        return _Wording(code="EXT0122", message="a tab stands where spaces are expected")
    shown = quoted(character)
    return _Wording(message=f"{shown} cannot start a value", help=f"quote text that starts with {shown}")


_FLOW: Final = ("in a flow mapping", "in a flow list")
_UNCLOSED: Final = _Wording(message="a flow collection is not closed", help="close it", at_context=True)
_NO_KEY: Final = _Wording(
    code="EXT0115", message='nothing stands before ":", so that the key is null', help="write the key"
)
_INDENTED: Final = _Wording(
    message="this line is indented deeper than the entry that it should follow", help=_INDENT_HELP
)
_NO_PAIR: Final = _Wording(
    message='this line is no "key: value"', help='put ":" and a space after the key, or indent the text'
)
_AFTER_VALUE: Final = _Wording(
    message="a value has ended before this text",
    help="start a new line for the next key, or quote the whole value",
)


_ITEM_SIGN: Final = re.compile(r"-(?=[ \t\r\n]|$)")
_ITEM: Final = _Wording(
    message="this list entry is at the indentation of no list above",
    help="align it with the other entries of its list",
)
_BEGINNINGS: Final = {
    _INDENTED.message: "the entry that it should follow",
    _ITEM.message: "an entry of the list above",
    _MISPLACED[1].message: "the mapping above begins here",
}


def _above(faults: Faults, wording: _Wording, start: int, began: int) -> tuple[int, int]:
    """Return the span that explains a line at offset `start` whose collection began at `began`."""
    if wording not in (_INDENTED, _ITEM):
        return began, began + 1
    number, column = faults.lines.place(start)
    for above in range(number - 1, 0, -1):
        text = faults.lines.line_text(above)
        entry = text.lstrip(" ")
        indentation = len(text) - len(entry)
        is_meant = entry.startswith("- ") if wording is _ITEM else indentation < column - 1
        if is_meant and entry and not entry.startswith("#"):
            return faults.lines.start(above) + indentation, faults.lines.start(above) + len(text.rstrip())
    return start, start


def _sharpened(wording: _Wording, text: str, offset: int) -> tuple[_Wording, int, int]:
    """Return the wording and the span, made more exact by a look at the text."""
    line = max(text.rfind("\n", 0, offset), text.rfind("\r", 0, offset)) + 1
    before = text[line:offset]
    if wording in _ESCAPES:
        start = text.rfind("\\", 0, offset + 1)
        return wording, start, max(offset, start + 1) + 1
    if wording is _SECOND_COLON and line and ": " not in before and not before.lstrip().startswith("- "):
        indentation = len(before) - len(before.lstrip())
        if indentation:
            return _INDENTED, line + indentation, offset
        return _NO_PAIR, *_line_above(text, line)
    if wording in _MISPLACED[:2] and not before.strip() and _ITEM_SIGN.match(text, offset):
        return _ITEM, offset, offset + 1
    return _misplaced(wording, text[offset : offset + 1], before), offset, min(offset + 1, len(text))


def _misplaced(wording: _Wording, character: str, before: str) -> _Wording:
    """Return what a character means that stands where no entry can start, with the line before it."""
    if wording is _NO_NODE and character == ":":
        return _COLON_FIRST
    if character in {"]", "}"} and wording in (*_MISPLACED, _NO_VALUE):
        return _Wording(message=f"{quoted(character)} closes nothing that is open here")
    if wording not in _MISPLACED:
        return wording
    if before.strip():
        return _AFTER_VALUE
    return _NO_KEY if character == ":" else wording


def _line_above(text: str, line: int) -> tuple[int, int]:
    above = text[:line].rstrip()
    start = max(above.rfind("\n"), above.rfind("\r")) + 1
    return start + len(above[start:]) - len(above[start:].lstrip()), len(above)
