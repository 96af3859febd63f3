"""Which characters a text that an Agent sees may hold: none that hide, none that reorder others."""

from __future__ import annotations

import re
import unicodedata
from typing import Final

CONTROL: Final = "EXT1001"
BIDI: Final = "EXT1002"
INVISIBLE: Final = "EXT1003"
TAG: Final = "EXT1004"

LINE_BREAKS: Final = "\n\v\f\r\x85\u2028\u2029"

_CONTROLS: Final = "\x00-\x1f\x7f-\x9f\u2028\u2029"
_DIRECTIONS: Final = "\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069"
_TAGS: Final = "\U000e0000-\U000e007f"
_SELECTORS: Final = "\ufe00-\ufe0f\U000e0100-\U000e01ef"
_JOINERS: Final = "\u200c\u200d"
_FILLERS: Final = (
    "\xad\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b\u2060-\u2065\u206a-\u206f\u3164\ufeff\uffa0\ufff0-\ufffb"
    "\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0080-\U000e00ff\U000e01f0-\U000e0fff"
)

_SUSPECT: Final = re.compile(f"[{_CONTROLS}{_DIRECTIONS}{_TAGS}{_SELECTORS}{_JOINERS}{_FILLERS}]")
_SELECTOR: Final = re.compile(f"[{_SELECTORS}]")
_JOINER: Final = re.compile(f"[{_JOINERS}]")
_KINDS: Final = (
    (re.compile(f"[{_CONTROLS}]"), CONTROL),
    (re.compile(f"[{_DIRECTIONS}]"), BIDI),
    (re.compile(f"[{_TAGS}]"), TAG),
)

_EMOJI: Final = re.compile("[\u2194\U0001f000-\U0001faff\U0001fc00-\U0001fffd]")
_JOINABLE: Final = frozenset({"Lu", "Ll", "Lt", "Lm", "Lo", "Mn", "Mc", "Me", "So", "Cn"})
_KEYCAPS: Final = frozenset("0123456789#*")
_KEYCAP: Final = "\u20e3"


def is_fit(text: str, allowed: str = "") -> bool:
    """Whether a text has nothing that `unfit` would find; fast for ASCII."""
    if text.isascii():
        if text.isprintable():
            return True
        for character in allowed:
            text = text.replace(character, "")
        return text.isprintable()
    return _SUSPECT.search(text) is None or not unfit(text, allowed)


def has_suspect(text: str) -> bool:
    """Whether a text has a character at all that is unfit in some place."""
    return not text.isprintable() if text.isascii() else _SUSPECT.search(text) is not None


def unfit(text: str, allowed: str = "") -> dict[str, list[int]]:
    """Return the indexes of unfit characters by the rule that they break; `allowed` are controls."""
    found: dict[str, list[int]] = {}
    for match in _SUSPECT.finditer(text):
        if match[0] not in allowed:
            code = _broken_rule(text, match.start())
            if code:
                found.setdefault(code, []).append(match.start())
    return found


def named(character: str) -> str:
    """Return a character's code point and, where it has one, its name: `U+200B ZERO WIDTH SPACE`."""
    return f"U+{ord(character):04X} {unicodedata.name(character, '')}".rstrip()


def _broken_rule(text: str, index: int) -> str:
    """Return the rule that a suspect character breaks where it stands, or an empty string."""
    character = text[index]
    if _JOINER.match(character):
        return "" if _joins(text, index) else INVISIBLE
    if _SELECTOR.match(character):
        return "" if _selects(text, index) else INVISIBLE
    return next((code for pattern, code in _KINDS if pattern.match(character)), INVISIBLE)


def _joins(text: str, index: int) -> bool:
    """Whether a joiner stands between two letters, marks or emoji."""
    return 0 < index < len(text) - 1 and _is_joinable(text[index - 1]) and _is_joinable(text[index + 1])


def _is_joinable(character: str) -> bool:
    """Whether a character is a letter, a mark or an emoji, or unknown to this Python's Unicode version."""
    if _SUSPECT.match(character) and not _SELECTOR.match(character):
        return False
    return unicodedata.category(character) in _JOINABLE or _EMOJI.match(character) is not None


def _selects(text: str, index: int) -> bool:
    """Whether a variation selector has something to vary: one visible character or a keycap's base."""
    before = text[index - 1] if index else " "
    if before in _KEYCAPS:
        return text[index + 1 : index + 2] == _KEYCAP
    return not before.isascii() and not before.isspace() and _SUSPECT.match(before) is None
