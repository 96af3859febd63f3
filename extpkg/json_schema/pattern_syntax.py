"""ECMA-262 patterns with the `u` flag, as R-SCH-5 allows them, rewritten for RE2 with the same meaning.

The rewriting goes along with the parsing, bottom-up and without recursion: each part of a pattern becomes a
`Piece`. Whether a text matches is all that is asked, so captures and laziness are dropped.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, NamedTuple

from extpkg.json_schema import characters
from extpkg.limits import PATTERN_REPETITION, PATTERN_STATES

if TYPE_CHECKING:
    from extpkg.json_schema.characters import Ranges

SYNTAX: Final = "EXT0510"
UNSUPPORTED: Final = "EXT0511"
TOO_LARGE: Final = "EXT0512"

_TEXT_LIMIT: Final = 1 << 22
_SPECIAL: Final = frozenset("^$\\.*+?()[]{}|")
_CONTROLS: Final = {"f": 0x0C, "n": 0x0A, "r": 0x0D, "t": 0x09, "v": 0x0B}
_COUNT: Final = re.compile(r"\{([0-9]+)(,([0-9]*))?\}")
_HEX4: Final = re.compile("[0-9A-Fa-f]{4}")
_HEX2: Final = re.compile("[0-9A-Fa-f]{2}")
_BRACED: Final = re.compile(r"\{([0-9A-Fa-f]+)\}")
_TRAIL: Final = re.compile(r"\\u([Dd][C-Fc-f][0-9A-Fa-f]{2})")
_FORMS: Final = {"?": {"?": "?"}, "*": {}, "+": {"+": "+"}, "": {"?": "?", "*": "*", "+": "+"}}


class PatternRefused(Exception):
    """A pattern that is not allowed: the rule's code, the 0-based offset of the fault, and what it is."""

    def __init__(self, code: str, offset: int, message: str) -> None:
        self.code = code
        self.offset = offset
        self.message = message
        super().__init__(message)


@dataclass(frozen=True, slots=True, kw_only=True)
class Translation:
    """A pattern for RE2, its states as R-SCH-5 counts them, and about how much RE2 must compile for it."""

    text: str
    states: int
    weight: int


class Piece(NamedTuple):
    """A part of a pattern for RE2.

    `text` may stand in a sequence, `base` takes a quantifier, `form` is the quantifier that `text` adds to
    `base` (`#` for a counted one). `factor` is the largest product of nested counts inside, of which RE2
    takes 1,000. `text` is empty where `states` is zero or over the limit.
    """

    text: str
    base: str
    form: str
    states: int
    weight: int
    factor: int


_EMPTY: Final = Piece("", "", "", 0, 0, 1)


def translate(pattern: str) -> Translation:
    """Return `pattern` for RE2; raise `PatternRefused` where R-SCH-5 does not allow it."""
    parser = _Parser(pattern)
    piece = parser.parse()
    if piece.states > PATTERN_STATES:
        message = (
            f"has {piece.states} states once repetition is unfolded; at most {PATTERN_STATES} are allowed"
        )
        raise PatternRefused(TOO_LARGE, 0, message)
    # RE2 looks between bytes: only whole characters before the match keep \B from matching inside one.
    text = rf"\A(?s:.)*(?:{piece.text})" if parser.has_non_boundary else piece.text
    return Translation(text=text, states=piece.states, weight=piece.weight)


class _Group:
    """What is known of an open group: where it opened, its finished branches, its current sequence."""

    __slots__ = ("branches", "offset", "sequence")

    def __init__(self, offset: int) -> None:
        self.offset = offset
        self.branches: list[Piece] = []
        self.sequence: list[Piece] = []

    def end_branch(self) -> None:
        self.branches.append(_joined(self.sequence))
        self.sequence = []

    def close(self) -> Piece:
        self.end_branch()
        if len(self.branches) == 1:
            return self.branches[0]
        states = sum(piece.states for piece in self.branches)
        if not states or states > PATTERN_STATES:
            return _EMPTY._replace(states=states)
        text = "(?:" + "|".join([piece.text for piece in self.branches]) + ")"
        return _sized(text, text, "", self.branches)


class _Parser:
    """One pass over one pattern."""

    __slots__ = ("at", "groups", "has_non_boundary", "pattern")

    def __init__(self, pattern: str) -> None:
        self.pattern = pattern
        self.at = 0
        self.groups = [_Group(0)]
        self.has_non_boundary = False

    def parse(self) -> Piece:
        pattern = self.pattern
        while self.at < len(pattern):
            character = pattern[self.at]
            if character == "(":
                self._open()
            elif character == ")":
                self._close()
            elif character == "|":
                self.at += 1
                self.groups[-1].end_branch()
            else:
                self._term(character)
        if len(self.groups) > 1:
            raise PatternRefused(
                SYNTAX, self.groups[-1].offset, 'opens a group with "(" and does not close it'
            )
        return self.groups[0].close()

    def _open(self) -> None:
        start = self.at
        rest = self.pattern[start + 1 : start + 4]
        self.groups.append(_Group(start))
        if not rest.startswith("?"):
            self.at += 1
            return
        if rest.startswith("?:"):
            self.at += 3
            return
        if rest.startswith(("?=", "?!", "?<=", "?<!")):
            raise PatternRefused(UNSUPPORTED, start, "looks around, which no linear matcher can do")
        if rest.startswith("?<"):
            raise PatternRefused(UNSUPPORTED, start, "names a group")
        raise PatternRefused(SYNTAX, start, f'has "({rest[:2]}", which opens no group of ECMA-262')

    def _close(self) -> None:
        if len(self.groups) == 1:
            raise PatternRefused(SYNTAX, self.at, 'has a ")" that closes nothing')
        self.at += 1
        piece = self.groups.pop().close()
        self.groups[-1].sequence.append(self._quantified(piece))

    def _term(self, character: str) -> None:
        start = self.at
        if character in "*+?{":
            raise PatternRefused(SYNTAX, start, f'has a "{character}" with nothing to repeat')
        if character in "]}":
            raise PatternRefused(
                SYNTAX, start, f'has a "{character}" of its own, which must be written "\\{character}"'
            )
        assertion = self._assertion(character)
        if assertion is not None:
            if self.pattern[self.at : self.at + 1] in {"*", "+", "?", "{"}:
                raise PatternRefused(SYNTAX, self.at, "repeats an assertion")
            self.groups[-1].sequence.append(assertion)
            return
        self.groups[-1].sequence.append(self._quantified(self._atom(character)))

    def _assertion(self, character: str) -> Piece | None:
        following = self.pattern[self.at + 1 : self.at + 2] if character == "\\" else ""
        written = {"^": r"\A", "$": r"\z", "\\b": r"\b", "\\B": r"\B"}.get(character + following)
        if written is None:
            return None
        self.has_non_boundary = self.has_non_boundary or written == r"\B"
        self.at += 1 + len(following)
        return Piece(written, f"(?:{written})", "", 1, 1, 1)

    def _atom(self, character: str) -> Piece:
        if character == "[":
            return _class_piece(self._class())
        if character == "\\":
            ranges = self._escape(in_class=False)
            return _class_piece(ranges)
        self.at += 1
        return _class_piece(characters.DOT if character == "." else ((ord(character), ord(character)),))

    def _quantified(self, piece: Piece) -> Piece:
        start = self.at
        character = self.pattern[start : start + 1]
        if character in {"*", "+", "?"}:
            self.at += 1
            result = _repeated(piece, character)
        elif character == "{":
            result = self._counted(piece)
        else:
            return piece
        if self.pattern[self.at : self.at + 1] == "?":
            self.at += 1
        return result

    def _counted(self, piece: Piece) -> Piece:
        match = _COUNT.match(self.pattern, self.at)
        if match is None:
            raise PatternRefused(
                SYNTAX, self.at, 'has a "{" that begins no repetition; write "\\{" for the character'
            )
        low = _count(match[1])
        high = low if match[2] is None else _count(match[3]) if match[3] else None
        if max(low, high or 0) > PATTERN_REPETITION:
            message = f"repeats {match[0][:20]} times; at most {PATTERN_REPETITION} are allowed"
            raise PatternRefused(TOO_LARGE, self.at, message)
        if high is not None and high < low:
            raise PatternRefused(SYNTAX, self.at, f"repeats {match[0][:20]} times, from more to fewer")
        self.at = match.end()
        return _counted(piece, low, high)

    def _class(self) -> Ranges:
        opened = self.at
        self.at += 1
        negated = self.pattern[self.at : self.at + 1] == "^"
        self.at += negated
        found: list[tuple[int, int]] = []
        while self.pattern[self.at : self.at + 1] != "]":
            start = self.at
            low = self._class_atom(opened)
            if self.pattern[self.at : self.at + 1] != "-" or self.pattern[self.at + 1 : self.at + 2] in {
                "]",
                "",
            }:
                found.extend(low)
                continue
            self.at += 1
            high = self._class_atom(opened)
            found.append(self._range(start, low, high))
        self.at += 1
        ranges = characters.union(found)
        return characters.complement(ranges) if negated else ranges

    def _range(self, start: int, low: Ranges, high: Ranges) -> tuple[int, int]:
        written = self.pattern[start : self.at][:20]
        if not (_is_single(low) and _is_single(high)):
            raise PatternRefused(
                SYNTAX, start, f'has the range "{written}", whose ends are not both one character'
            )
        if low[0][0] > high[0][0]:
            raise PatternRefused(SYNTAX, start, f'has the range "{written}", which runs backwards')
        return low[0][0], high[0][0]

    def _class_atom(self, opened: int) -> Ranges:
        character = self.pattern[self.at : self.at + 1]
        if not character:
            raise PatternRefused(SYNTAX, opened, 'opens a class with "[" and does not close it')
        if character == "\\":
            return self._escape(in_class=True)
        self.at += 1
        return ((ord(character), ord(character)),)

    def _escape(self, *, in_class: bool) -> Ranges:
        start = self.at
        character = self.pattern[start + 1 : start + 2]
        self.at += 2
        if character in characters.ESCAPES:
            return characters.ESCAPES[character]
        if character in {"p", "P"}:
            raise PatternRefused(UNSUPPORTED, start, f'has "\\{character}", a Unicode property')
        if not in_class and character == "k":
            raise PatternRefused(UNSUPPORTED, start, "refers back to a group")
        if not in_class and character in "123456789" and character:
            raise PatternRefused(UNSUPPORTED, start, "refers back to a group")
        code = {"b": 0x08, "-": 0x2D}.get(character) if in_class else None
        if code is None:
            code = self._character(start, character)
        return ((code, code),)

    def _character(self, start: int, character: str) -> int:
        if character in _CONTROLS:
            return _CONTROLS[character]
        if character == "u":
            return self._unicode(start)
        following = self.pattern[self.at : self.at + 1]
        if character == "0" and not (following.isascii() and following.isdigit()):
            return 0
        if character == "c" and following.isascii() and following.isalpha():
            self.at += 1
            return ord(following) % 32
        if character == "x" and (match := _HEX2.match(self.pattern, self.at)):
            self.at = match.end()
            return int(match[0], 16)
        if character and (character in _SPECIAL or character == "/"):
            return ord(character)
        shown = f'"\\{character}"' if character else 'a "\\" at its end'
        raise PatternRefused(SYNTAX, start, f"has {shown}, which is no escape of ECMA-262 under the u flag")

    def _unicode(self, start: int) -> int:
        if match := _HEX4.match(self.pattern, self.at):
            self.at = match.end()
            code = int(match[0], 16)
            trail = _TRAIL.match(self.pattern, self.at) if 0xD800 <= code <= 0xDBFF else None
            if trail is None:
                return code
            self.at = trail.end()
            return 0x10000 + ((code - 0xD800) << 10) + int(trail[1], 16) - 0xDC00
        match = _BRACED.match(self.pattern, self.at)
        digits = match[1].lstrip("0") if match else "FFFFFFF"
        if match is None or len(digits) > 6 or int(digits or "0", 16) > characters.LAST:
            raise PatternRefused(SYNTAX, start, 'has a "\\u" that names no code point')
        self.at = match.end()
        return int(digits or "0", 16)


def _is_single(ranges: Ranges) -> bool:
    return len(ranges) == 1 and ranges[0][0] == ranges[0][1]


def _count(digits: str) -> int:
    """Return a count; beyond six digits all counts are refused alike."""
    significant = digits.lstrip("0") or "0"
    return int(significant) if len(significant) <= 6 else 10**6


def _class_piece(ranges: Ranges) -> Piece:
    text = characters.written(ranges)
    return Piece(text, text, "", 1, max(1, len(ranges)), 1)


def _joined(sequence: list[Piece]) -> Piece:
    if len(sequence) == 1:
        return sequence[0]
    states = sum([piece.states for piece in sequence])
    if not states or states > PATTERN_STATES:
        return _EMPTY._replace(states=states)
    text = "".join([piece.text for piece in sequence])
    return _sized(text, f"(?:{text})", "", sequence)


def _sized(text: str, base: str, form: str, parts: list[Piece]) -> Piece:
    return Piece(
        text,
        base,
        form,
        sum([piece.states for piece in parts]),
        sum([piece.weight for piece in parts]),
        max([piece.factor for piece in parts]),
    )


def _repeated(piece: Piece, quantifier: str) -> Piece:
    """Return `piece` under `*`, `+` or `?`, two of which in a row make one."""
    if not piece.text:
        return piece
    if piece.form == "#":
        base, form = f"(?:{piece.text})", quantifier
    else:
        base, form = piece.base, _FORMS[piece.form].get(quantifier, "*")
    return piece._replace(text=base + form, base=base, form=form)


def _counted(piece: Piece, low: int, high: int | None) -> Piece:
    """Return `piece` repeated `low` to `high` times (None: without end), each copy counted (R-SCH-5)."""
    copies = low + 1 if high is None else high
    states, weight = piece.states * copies, piece.weight * copies
    if not states or states > PATTERN_STATES:
        return _EMPTY._replace(states=states)
    if (low, high) == (1, 1):
        return piece
    short = {(0, 1): "?", (0, None): "*", (1, None): "+"}.get((low, high))
    if short:
        return _repeated(piece, short)._replace(states=states, weight=weight)
    base = piece.base if not piece.form else f"(?:{piece.text})"
    step = PATTERN_REPETITION // piece.factor
    if len(base) * (copies // step + 1) > _TEXT_LIMIT:
        raise PatternRefused(TOO_LARGE, 0, "is too large once repetition is unfolded")
    text = _copies(base, low, step)
    text += f"{base}*" if high is None else _copies(base, high - low, step, optional=True)
    factor = piece.factor * min(step, max(copies, 1))
    return Piece(text, f"(?:{text})", "#", states, weight, factor)


def _copies(base: str, count: int, step: int, *, optional: bool = False) -> str:
    """Return `count` copies, in counted repetitions of at most `step`, which RE2 still takes."""
    whole, rest = divmod(count, step)
    return _times(base, step, optional) * whole + (_times(base, rest, optional) if rest else "")


def _times(base: str, count: int, optional: bool) -> str:  # noqa: FBT001  passed on
    if count == 1:
        return base + "?" if optional else base
    return f"{base}{{0,{count}}}" if optional else f"{base}{{{count}}}"
