"""The text of a file that nobody has laid out yet: what `format.laid_out` writes, in one pass.

What is rare goes the long way: a key of many characters, or of more than one line.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

from extpkg.definition.encode import spelled, string_style
from extpkg.definition.format import laid_out
from extpkg.definition.layout import Layout
from extpkg.definition.order import is_apart
from extpkg.pointer import escape

if TYPE_CHECKING:
    from collections.abc import Iterator

    from extpkg.definition.order import Kind

_ESCAPED: Final = re.compile('["\\\\\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff\ufeff\ufffe\uffff]')
_LETTERS: Final = dict(zip('\0\a\b\t\n\v\f\r\x1b"\\\x85\u2028\u2029', '0abtnvfre"\\NLP', strict=True))
_BREAKS: Final = re.compile("[\n\x85\u2028\u2029]")
_KEY: Final = 1_000
_SHALLOW: Final = 2


class _Rare(Exception):
    """Something that is left to the emitter."""


def fresh_text(value: Any, kind: Kind) -> str:
    """Return what `laid_out` makes of a value with an empty layout."""
    if isinstance(value, dict) and value:
        try:
            return "\n".join(_mapping(value, 0, "", 0, kind)) + "\n"
        except _Rare:
            pass
    return laid_out(value, Layout(), kind)


def _mapping(value: dict[str, Any], column: int, pointer: str, depth: int, kind: Kind) -> Iterator[str]:
    indent = " " * column
    first = True
    for name, member in value.items():
        below = f"{pointer}/{escape(name)}" if depth <= _SHALLOW else ""
        if below and not first and is_apart(below, kind):
            yield ""
        first = False
        key = _scalar(name, column, key=True)[0]
        if type(member) is dict and member:
            yield f"{indent}{key}:"
            yield from _mapping(member, column + 2, below, depth + 1, kind)
        elif type(member) is list and member:
            yield f"{indent}{key}:"
            yield from _sequence(member, column, kind)
        else:
            head, *rest = _scalar(member, column + 2)
            yield f"{indent}{key}: {head}"
            yield from rest


def _sequence(value: list[Any], column: int, kind: Kind) -> Iterator[str]:
    """Yield the lines of a list whose dashes stand two columns further in than what holds it."""
    dash = f"{' ' * column}  -"
    inner = column + 4
    for item in value:
        if type(item) is dict and item:
            lines = _mapping(item, inner, "", _SHALLOW + 1, kind)
        elif type(item) is list and item:
            lines = _sequence(item, inner, kind)
        else:
            head, *rest = _scalar(item, inner)
            yield f"{dash} {head}"
            yield from rest
            continue
        yield dash + next(lines)[column + 3 :]
        yield from lines


def _scalar(value: Any, column: int, *, key: bool = False) -> list[str]:
    """Return the lines of a scalar or an empty collection; those of a block scalar stand at a column."""
    if type(value) is not str:
        return ["{}" if value == {} else "[]" if value == [] else spelled(value, None)]
    if key and (len(value) > _KEY or _BREAKS.search(value)):
        raise _Rare
    style = string_style(value, flow=False, key=key)
    if not style:
        return [value]
    if style == "|":
        return _block(value, " " * column)
    return [f'"{_ESCAPED.sub(_escape, value)}"']


def _escape(found: re.Match[str]) -> str:
    character = found[0]
    if character in _LETTERS:
        return f"\\{_LETTERS[character]}"
    return f"\\x{ord(character):02X}" if character <= "\xff" else f"\\u{ord(character):04X}"


def _block(text: str, indent: str) -> list[str]:
    lines = text.removesuffix("\n").split("\n")
    return ["|" if text.endswith("\n") else "|-", *(f"{indent}{line}" if line else "" for line in lines)]
