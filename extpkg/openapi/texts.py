"""Texts of a source as texts of a Package: fit to be shown, folded to one line or cut where that is asked.

CommonMark stays as it is written: what an Agent reads is text.
"""

from __future__ import annotations

import re
from typing import Final, NamedTuple

from extpkg.check.characters import is_fit, unfit

NAME_CHARACTERS: Final = 80
PACKAGE_CHARACTERS: Final = 1024
SUMMARY_CHARACTERS: Final = 120
DESCRIPTION_CHARACTERS: Final = 4096

_LINES: Final = "\n\t"
_BREAKS: Final = re.compile("\r\n?|[\v\f\x85\u2028\u2029]")
_TRAILING: Final = re.compile(r"[ \t]+$", re.MULTILINE)
_PARAGRAPH: Final = re.compile(r"\n[ \t]*\n")
_SENTENCE_END: Final = re.compile(r"[.!?][)\"'\u201d]*(?=\s|\Z)")
_ABBREVIATION: Final = re.compile(
    r"(?:\b(?:e\.g|i\.e|etc|vs|cf|approx|resp|incl|no|fig|v\d+|[A-Za-z])|\d)\.\Z", re.IGNORECASE
)
_MARK: Final = "\u2026"


class Line(NamedTuple):
    """A text that was made to fit, and whether something was cut off for that."""

    text: str
    cut: bool


def cleaned(text: str) -> str:
    """Return prose without what R-META-3 forbids: its line breaks are LF, no line ends with a space.

    A control character becomes a space; one that hides or reorders others goes.
    """
    text = _BREAKS.sub("\n", text)
    while not is_fit(text, _LINES):
        marks = sorted({index for places in unfit(text, _LINES).values() for index in places}, reverse=True)
        for index in marks:
            kept = " " if ord(text[index]) < 0xA0 and text[index] != "\xad" else ""
            text = text[:index] + kept + text[index + 1 :]
    return _TRAILING.sub("", text).strip("\n \t")


def folded(text: str) -> str:
    """Return a text on one line, its white space as single spaces, without what R-META-3 forbids."""
    return " ".join(cleaned(text).split())


def fitted(text: str, most: int) -> Line:
    """Return a text of at most `most` characters, cut at the last space that leaves room for the ellipsis."""
    if len(text) <= most:
        return Line(text, cut=False)
    head = text[:most]
    space = max(head.rfind(" "), head.rfind("\n"))
    return Line((head[:space] if space > 0 else head[: most - 1]).rstrip() + _MARK, cut=True)


def first_paragraph(text: str) -> str:
    """Return a text up to its first blank line, on one line."""
    return folded(_PARAGRAPH.split(cleaned(text), maxsplit=1)[0])


def first_sentence(text: str) -> str:
    """Return the first sentence of a text, without its full stop; the whole paragraph where none ends."""
    paragraph = first_paragraph(text)
    for end in _SENTENCE_END.finditer(paragraph):
        sentence = paragraph[: end.start() + 1]
        if not _ABBREVIATION.search(sentence):
            return sentence.removesuffix(".")
    return paragraph


def as_words(name: str) -> str:
    """Return a kebab-case name as words: `list-users` is `List users`."""
    words = name.replace("-", " ")
    return words[:1].upper() + words[1:]
