"""From bytes to characters: encoding, byte order mark, and what no document may hold (R-DOC-1, R-DOC-3)."""

from __future__ import annotations

import codecs
import re
from typing import Final

from extpkg import limits
from extpkg.diagnostic import Finding
from extpkg.document.faults import Faults, refusal
from extpkg.document.lines import Lines

BOM: Final = "\ufeff"
"""The byte order mark."""

_WIDE: Final = (codecs.BOM_UTF32_LE, codecs.BOM_UTF32_BE, codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
_WIDE_UNMARKED: Final = re.compile(rb"\0{3}[^\0]|[^\0]\0{3}|\0[^\0]\0[^\0]|[^\0]\0[^\0]\0")

_ORDINARY: Final = bytes([0x09, 0x0A, 0x0D, *range(0x20, 0x7F)])
_NOT_UTF8: Final = re.compile("[\udc80-\udcff]+")
_REFUSED: Final = re.compile("[\0-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]")
_REPLACEMENT: Final = "\ufffd"
_BREAKS: Final = {"\x85": "U+0085", "\u2028": "U+2028", "\u2029": "U+2029"}


def decode(
    data: bytes, name: str, most: int = limits.DOCUMENT_BYTES
) -> tuple[str, Faults, tuple[Finding, ...]]:
    """Return the characters of a YAML text, its faults so far, and the note on a leading byte order mark.

    The mark is taken off. Each character that is refused is replaced by one that is harmless, so that reading
    can go on and every place stays where it is. Raises `DocumentInvalid` where nothing more can be said.
    """
    marked = data.startswith(codecs.BOM_UTF8)
    text, faults = decode_utf8(data.removeprefix(codecs.BOM_UTF8), name, most)
    if data.translate(None, _ORDINARY):
        text = _REFUSED.sub(lambda found: _refused(found, faults), text)
        faults.lines = Lines(text)
    if not marked:
        return text, faults, ()
    message = "the document starts with a byte order mark"
    return text, faults, (Finding(code="EXT0102", place=faults.place((0, 0)), message=message),)


def decode_utf8(data: bytes, name: str, most: int = limits.DOCUMENT_BYTES) -> tuple[str, Faults]:
    """Return the characters of a text and its faults so far; a byte that is no UTF-8 becomes U+FFFD.

    Raises `DocumentInvalid` for a text that is too large, and for UTF-16 and UTF-32.
    """
    if len(data) > most:
        raise refusal(name, "EXT0103", f"the document has more than {most:,} bytes")
    if data.startswith(_WIDE) or _WIDE_UNMARKED.match(data):
        raise refusal(name, "EXT0101", "the document is not UTF-8 but looks like UTF-16 or UTF-32")
    try:
        text = data.decode()
    except UnicodeDecodeError:
        text = data.decode(errors="surrogateescape")
        faults = Faults(name, Lines(text))
        text = _NOT_UTF8.sub(lambda found: _not_utf8(found, faults), text)
        faults.lines = Lines(text)
        return text, faults
    return text, Faults(name, Lines(text))


def _not_utf8(found: re.Match[str], faults: Faults) -> str:
    shown = " ".join(f"{ord(character) - 0xDC00:02X}" for character in found[0][:4])
    more = " ..." if len(found[0]) > 4 else ""
    subject = "the byte" if len(found[0]) == 1 else "the bytes"
    message = f"{subject} {shown}{more} {'is' if len(found[0]) == 1 else 'are'} not UTF-8"
    faults.add(Finding(code="EXT0101", place=faults.place(found.span()), message=message))
    return _REPLACEMENT * len(found[0])


def _refused(found: re.Match[str], faults: Faults) -> str:
    character = found[0]
    if character == "\0":
        code, message = "EXT0120", "the character U+0000 is not allowed"
    elif character in _BREAKS:
        code = "EXT0121"
        message = f"the line separator {_BREAKS[character]} is a line break to some readers only"
    elif character == BOM:
        code, message = "EXT0127", "a byte order mark (U+FEFF) stands inside the document"
    else:
        code, message = "EXT0127", f"the character U+{ord(character):04X} is not allowed unescaped"
    faults.add(Finding(code=code, place=faults.place(found.span()), message=message))
    return _REPLACEMENT
