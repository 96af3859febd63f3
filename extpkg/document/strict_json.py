"""The strict JSON reader: RFC 8259 text with I-JSON values, under the bounds of a document (R-DOC-8)."""

from __future__ import annotations

import json
import math
import re
from typing import TYPE_CHECKING, Any, Final, Literal, NoReturn

from extpkg import limits
from extpkg.diagnostic import Finding, Part, quoted
from extpkg.document.characters import BOM, decode_utf8
from extpkg.document.json_scan import UnscannableError, scan
from extpkg.pointer import join

if TYPE_CHECKING:
    from extpkg.document.faults import Faults


def parse_json(data: bytes, name: str = "<json>") -> Any:
    """Return the value that `data` is: strict UTF-8 JSON within the bounds of R-DOC-1.

    Duplicate keys, numbers that are no finite double, whole numbers outside ±(2^53-1) and halves of surrogate
    pairs are refused; a number with a fraction or an exponent is a float whatever its size. Raises
    `DocumentInvalid` with every fault and its place in the file `name`; no bytes make it raise anything else.
    """
    text, faults = decode_utf8(data, name)
    value = _Reader(text, faults).read()
    faults.raise_any()
    return value


Halves = Literal["refused", "mended", "kept"]
"""What is done with half of a surrogate pair: a fault, U+FFFD instead, or nothing."""


def parse_answer(data: bytes, name: str = "<answer>", *, halves: Literal["mended", "kept"] = "mended") -> Any:
    """Return the value of JSON that a provider wrote, a fixture's `output.json` included (R-DOC-8).

    As `parse_json`, but for two things that no author can mend: a whole number outside ±(2^53-1) keeps its
    exact digits, up to 1,000 of them, and half of a surrogate pair becomes U+FFFD. `kept` leaves the halves
    as they came, for a caller to whom it matters where one was.
    """
    text, faults = decode_utf8(data, name)
    if not faults.found and (halves == "kept" or not _SURROGATE.search(text)):
        try:
            return scan(text)
        except UnscannableError:
            pass  # the reader below says what is wrong, or that nothing is
    value = _Reader(text, faults, whole_digits=limits.ANSWER_DIGITS, halves=halves).read()
    faults.raise_any()
    return value


def parse_source(data: bytes, name: str) -> Any:
    """Return the value of JSON that somebody authors a Package from, under the bounds of a source.

    As `parse_json`, but whole numbers keep their exact digits, up to 1,000 of them.
    """
    text, faults = decode_utf8(data, name, limits.SOURCE_BYTES)
    if not faults.found:
        try:
            value = scan(text, limits.SOURCE_VALUES)
            if _SURROGATE.search(text):
                json.dumps(value, ensure_ascii=False).encode()
        except (UnscannableError, UnicodeEncodeError):
            pass  # the reader below says what is wrong
        else:
            return value
    reader = _Reader(text, faults, whole_digits=limits.ANSWER_DIGITS)
    reader.left = reader.most = limits.SOURCE_VALUES
    value = reader.read()
    faults.raise_any()
    return value


_SPACE: Final = re.compile(r"[ \t\n\r]*+")
_STRING: Final = re.compile(
    r'"([^"\\\x00-\x1f]*+(?:\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})[^"\\\x00-\x1f]*+)*+)(?P<close>")?'
)
_ESCAPE: Final = re.compile(
    r"\\u(?P<high>[dD][89abAB][0-9a-fA-F]{2})\\u(?P<low>[dD][c-fC-F][0-9a-fA-F]{2})"
    r"|\\u(?P<hex>[0-9a-fA-F]{4})|\\(?P<short>.)"
)
_SURROGATE: Final = re.compile(r"\\u[dD][89a-fA-F]")
_SHORT: Final = {"b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t"}
_NUMBER: Final = re.compile(r"-?(?:0|[1-9][0-9]*+)(?P<real>\.[0-9]++)?+(?P<exponent>[eE][-+]?[0-9]++)?+")
_WORD: Final = re.compile(r"-?[A-Za-z]++")
_WORDS: Final[dict[str, bool | None]] = {"true": True, "false": False, "null": None}
_NOT_FINITE: Final = frozenset(("NaN", "Infinity", "-Infinity", "-NaN"))
_SAFE_DIGITS: Final = len(str(limits.SAFE_INTEGER))


class _Reader:
    """One run over one text; depth is bounded, hence recursion is."""

    __slots__ = ("at", "faults", "halves", "left", "most", "path", "text", "whole_digits")

    def __init__(
        self, text: str, faults: Faults, *, whole_digits: int = 0, halves: Halves = "refused"
    ) -> None:
        self.whole_digits = whole_digits
        self.halves = halves
        self.text = text
        self.faults = faults
        self.at = 0
        self.left = self.most = limits.DOCUMENT_VALUES
        self.path: list[str | int] = []

    def read(self) -> Any:
        """Return the value; faults that are no fault of syntax are collected."""
        if self.text.startswith(BOM):
            self._syntax("JSON starts without a byte order mark")
        value = self._value()
        if self._next():
            self._syntax("text stands after the value")
        return value

    def _next(self) -> str:
        """Return the next character after white space without reading it, or "" at the end."""
        found = _SPACE.match(self.text, self.at)
        self.at = found.end() if found else self.at
        return self.text[self.at : self.at + 1]

    def _value(self) -> Any:
        sign = self._next()
        self.left -= 1
        if self.left < 0:
            self._fault("EXT0105", 1, f"there are more than {self.most:,} values")
            self.faults.raise_any()
        if sign == '"':
            return self._string()
        if sign in {"{", "["}:
            return self._collection(sign)
        found = _NUMBER.match(self.text, self.at)
        if found:
            return self._number(found)
        return self._word()

    def _collection(self, sign: str) -> Any:
        if len(self.path) >= limits.DOCUMENT_DEPTH:
            self._fault("EXT0104", 1, f"collections nest deeper than {limits.DOCUMENT_DEPTH}")
            self.faults.raise_any()
        self.at += 1
        return self._object() if sign == "{" else self._array()

    def _array(self) -> list[Any]:
        items: list[Any] = []
        if self._next() == "]":
            self.at += 1
            return items
        while True:
            self.path.append(len(items))
            items.append(self._value())
            self.path.pop()
            if self._separator("]"):
                return items

    def _object(self) -> dict[str, Any]:
        members: dict[str, Any] = {}
        firsts: dict[str, tuple[int, int]] = {}
        if self._next() == "}":
            self.at += 1
            return members
        while True:
            if self._next() != '"':
                self._syntax("a key in double quotes is expected")
            start = self.at
            key = self._string()
            self.path.append(key)
            if key in members:
                self._duplicate(key, (start, self.at), firsts[key])
            else:
                firsts[key] = (start, self.at)
            if self._next() != ":":
                self._syntax('":" is expected after a key')
            self.at += 1
            members[key] = self._value()
            self.path.pop()
            if self._separator("}"):
                return members

    def _separator(self, close: str) -> bool:
        """Read past a comma or the end of the collection; return whether it was the end."""
        sign = self._next()
        if sign not in {",", close}:
            self._syntax(f'"," or "{close}" is expected')
        self.at += 1
        return sign == close

    def _string(self) -> str:
        found = _STRING.match(self.text, self.at)
        if not found or not found["close"]:
            self._bad_string(found.end() if found else self.at)
        start, self.at = self.at, found.end()
        text = found[1]
        if "\\" not in text:
            return text
        return _ESCAPE.sub(lambda escape: self._escape(escape, start + 1), text)

    def _escape(self, escape: re.Match[str], base: int) -> str:
        if escape["short"]:
            return _SHORT.get(escape["short"], escape["short"])
        if escape["high"]:
            high, low = int(escape["high"], 16), int(escape["low"], 16)
            return chr(0x10000 + ((high - 0xD800) << 10) + (low - 0xDC00))
        code = int(escape["hex"], 16)
        if not 0xD800 <= code <= 0xDFFF:
            return chr(code)
        if self.halves != "refused":
            return "\ufffd" if self.halves == "mended" else chr(code)
        span = (base + escape.start(), base + escape.end())
        message = f"the escape {escape[0]} is half a surrogate pair"
        self.faults.add(
            Finding(code="EXT0119", place=self.faults.place(span, self._pointer()), message=message)
        )
        return "\ufffd"

    def _bad_string(self, end: int) -> NoReturn:
        character = self.text[end : end + 1]
        if not character:
            self._syntax("a string is not closed")
        self.at = end
        if character == "\\":
            self._syntax(f"the escape {quoted(self.text[end : end + 2])} is not known to JSON")
        self._syntax(f"the control character U+{ord(character):04X} must be escaped in a string")

    def _number(self, found: re.Match[str]) -> int | float:
        start, self.at = self.at, found.end()
        written = found[0]
        if found["real"] or found["exponent"]:
            number = float(written)
            if math.isfinite(number):
                return number
            code, message = "EXT0117", f"the number {quoted(written)} is too large for a double"
        elif self._is_kept(written):
            return int(written)
        else:
            code, message = "EXT0118", f"the whole number {quoted(written)} is outside ±(2^53-1)"
        self.faults.add(
            Finding(code=code, place=self.faults.place((start, self.at), self._pointer()), message=message)
        )
        return 0

    def _is_kept(self, whole: str) -> bool:
        """Say whether a whole number is in the safe range, or as short as this reader keeps exactly."""
        if len(whole) <= _SAFE_DIGITS + 1 and abs(int(whole)) <= limits.SAFE_INTEGER:
            return True
        return len(whole.removeprefix("-")) <= self.whole_digits

    def _word(self) -> bool | None:
        found = _WORD.match(self.text, self.at)
        word = found[0] if found else ""
        if word in _NOT_FINITE:
            self._fault("EXT0116", len(word), f"{word} is no number that JSON can hold")
        elif word not in _WORDS:
            self._syntax("a value is expected")
        self.at += len(word)
        return _WORDS.get(word)

    def _duplicate(self, key: str, span: tuple[int, int], first: tuple[int, int]) -> None:
        pointer = self._pointer()
        related = (self.faults.place(first, pointer, Part.KEY, "first here"),)
        place = self.faults.place(span, pointer, Part.KEY, "again here")
        message = f"the key {quoted(key)} stands twice in one object"
        self.faults.add(Finding(code="EXT0114", place=place, message=message, related=related))

    def _syntax(self, message: str) -> NoReturn:
        self._fault("EXT0126", 1, message if self.at < len(self.text) else f"{message}, but the text ends")
        raise self.faults.refusal()

    def _fault(self, code: str, width: int, message: str) -> None:
        place = self.faults.place((self.at, min(self.at + width, len(self.text))), self._pointer())
        self.faults.add(Finding(code=code, place=place, message=message))

    def _pointer(self) -> str:
        return join(tuple(map(str, self.path)))
