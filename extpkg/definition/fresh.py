"""The text of a file that nobody has laid out yet: what `format.laid_out` writes, in one pass.

What is rare goes the long way: a key of many characters, or of more than one line.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final

from extpkg.definition.encode import spelled, string_style
from extpkg.definition.format import laid_out
from extpkg.definition.layout import Layout
from extpkg.definition.order import is_apart
from extpkg.pointer import escape

if TYPE_CHECKING:
    from extpkg.definition.order import Kind

_ESCAPED: Final = re.compile('["\\\\\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff\ufeff\ufffe\uffff]')
_LETTERS: Final = dict(zip('\0\a\b\t\n\v\f\r\x1b"\\\x85\u2028\u2029', '0abtnvfre"\\NLP', strict=True))
_BREAKS: Final = re.compile("[\n\x85\u2028\u2029]")
_KEY: Final = 1_000
_SHORT: Final = 100
_SHALLOW: Final = 2


class _Rare(Exception):
    """Something that is left to the emitter."""


def fresh_text(value: Any, kind: Kind) -> str:
    """Return what `laid_out` makes of a value with an empty layout."""
    if isinstance(value, dict) and value:
        lines: list[str] = []
        try:
            _top(value, "", kind, lines)
        except _Rare:
            return laid_out(value, Layout(), kind)
        lines.append("")
        return "\n".join(lines)
    return laid_out(value, Layout(), kind)


def _top(value: dict[str, Any], pointer: str, kind: Kind, lines: list[str]) -> None:
    """Write the outer members of a file, where blank lines set groups apart."""
    column = 2 * pointer.count("/")
    first = True
    for name, member in value.items():
        below = f"{pointer}/{escape(name)}"
        if not first and is_apart(below, kind):
            lines.append("")
        first = False
        if type(member) is dict and member and column <= _SHALLOW:
            lines.append(f"{' ' * column}{_key(name)}:")
            _top(member, below, kind, lines)
        else:
            _mapping({name: member}, column, lines)


def _mapping(value: dict[str, Any], column: int, lines: list[str]) -> None:
    indent = " " * column
    for name, member in value.items():
        kind = type(member)
        if kind is str:
            line = f"{indent}{_key(name)}: "
            if len(member) <= _SHORT:
                short = _short(member)
                if short:
                    lines.append(line + short)
                    continue
            _text(member, line, column + 2, lines)
        elif kind is dict and member:
            lines.append(f"{indent}{_key(name)}:")
            _mapping(member, column + 2, lines)
        elif kind is list and member:
            lines.append(f"{indent}{_key(name)}:")
            _sequence(member, column, lines)
        else:
            lines.append(f"{indent}{_key(name)}: {_plain(member)}")


def _sequence(value: list[Any], column: int, lines: list[str]) -> None:
    """Write a list whose dashes stand two columns further in than what holds it."""
    dash = f"{' ' * column}  - "
    for item in value:
        kind = type(item)
        if kind is str:
            _text(item, dash, column + 4, lines)
        elif (kind is dict or kind is list) and item:
            at = len(lines)
            (_mapping if kind is dict else _sequence)(item, column + 4, lines)
            lines[at] = dash + lines[at][column + 4 :]
        else:
            lines.append(dash + _plain(item))


def _plain(value: Any) -> str:
    """Return a number, a boolean, null or an empty collection."""
    return "{}" if value == {} else "[]" if value == [] else spelled(value, None)


def _text(text: str, before: str, column: int, lines: list[str]) -> None:
    """Write a text behind what stands before it; the lines of a block scalar stand at a column."""
    style = string_style(text, flow=False, key=False)
    if not style:
        lines.append(before + text)
    elif style == "|":
        indent = " " * column
        lines.append(before + ("|" if text.endswith("\n") else "|-"))
        lines += [indent + line if line else "" for line in text.removesuffix("\n").split("\n")]
    else:
        lines.append(before + _quoted(text))


def _quoted(text: str) -> str:
    return f'"{_ESCAPED.sub(_escape, text)}"'


def _escape(found: re.Match[str]) -> str:
    character = found[0]
    if character in _LETTERS:
        return f"\\{_LETTERS[character]}"
    return f"\\x{ord(character):02X}" if character <= "\xff" else f"\\u{ord(character):04X}"


@lru_cache(maxsize=8192)
def _key(name: str) -> str:
    if len(name) > _KEY or _BREAKS.search(name):
        raise _Rare
    return _quoted(name) if string_style(name, flow=False, key=True) else name


@lru_cache(maxsize=8192)
def _short(text: str) -> str:
    """Return a text on one line; nothing where it needs more or is empty."""
    style = string_style(text, flow=False, key=False)
    return "" if style == "|" else _quoted(text) if style else text
