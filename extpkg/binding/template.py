"""The grammar of a path template (R-BIND-2)."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final, NamedTuple

from extpkg.diagnostic import quoted

if TYPE_CHECKING:
    from collections.abc import Iterator

SYNTAX: Final = "EXT0409"
DOT_SEGMENT: Final = "EXT0410"
ENCODING: Final = "EXT0411"
NAME: Final = "EXT0412"

_PIECE: Final = re.compile(
    r"(?P<literal>[A-Za-z0-9._~!$&'()*+,;=:@/-]+)|\{(?P<name>[^{}]*)\}|%(?P<octet>[0-9A-F]{2})"
)
_NAME: Final = re.compile(r"[A-Za-z0-9_.~-]+")
_UNRESERVED: Final = re.compile(r"[A-Za-z0-9._~-]")
_NEVER_ENCODED: Final = frozenset({0x2F, 0x5C, 0x7F, *range(0x20)})


class PathFault(NamedTuple):
    """One fault of a path template."""

    code: str
    message: str


def path_faults(path: str) -> Iterator[PathFault]:
    """Yield the faults of a path template, the first of each code; a text that is no path at all has one."""
    if not path.startswith("/"):
        yield PathFault(SYNTAX, f'path {quoted(path)} does not start with "/"')
        return
    seen: set[str] = set()
    for fault in (*_piece_faults(path), *_segment_faults(path)):
        if fault.code not in seen:
            seen.add(fault.code)
            yield fault


def placeholders(path: str) -> list[str]:
    """Return the names of the placeholders of a path template, in order, repeats included."""
    return [found["name"] for found in _PIECE.finditer(path) if found["name"] is not None]


def _piece_faults(path: str) -> Iterator[PathFault]:
    at = 0
    while at < len(path):
        piece = _PIECE.match(path, at)
        if piece is None and path[at] != "%":
            yield _stray_character(path, at)
            return
        if piece is None:
            yield PathFault(ENCODING, f'{quoted(path[at : at + 3])} is not "%" and two upper-case hex digits')
            at += 1
            continue
        at = piece.end()
        if piece["name"] is not None and not _NAME.fullmatch(piece["name"]):
            yield PathFault(
                NAME, f"placeholder name {quoted(piece['name'])} is not letters, digits and _ . ~ -"
            )
        elif piece["octet"] is not None:
            yield from _octet_faults(int(piece["octet"], 16), piece[0])


def _stray_character(path: str, at: int) -> PathFault:
    character = path[at]
    if character in "{}":
        return PathFault(SYNTAX, f'path has a "{character}" without its partner')
    if character in "?#":
        return PathFault(SYNTAX, f"path holds a {'query' if character == '?' else 'fragment'}")
    return PathFault(SYNTAX, f"path holds {quoted(character)}, which no URL path may hold as it is")


def _octet_faults(octet: int, text: str) -> Iterator[PathFault]:
    if _UNRESERVED.fullmatch(chr(octet)):
        yield PathFault(ENCODING, f'path writes "{chr(octet)}" as {text}, which needs no encoding')
    elif octet in _NEVER_ENCODED:
        yield PathFault(ENCODING, f"path holds {text}: an encoded slash, backslash or control is never sent")


def _segment_faults(path: str) -> Iterator[PathFault]:
    bare = re.sub(r"\{[^{}]*\}", "{}", path)
    segments = re.split("[?#]", bare)[0][1:].split("/")
    for index, segment in enumerate(segments):
        if segment in {".", ".."}:
            yield PathFault(DOT_SEGMENT, f"path has the segment {quoted(segment)}")
        elif not segment and index < len(segments) - 1:
            yield PathFault(DOT_SEGMENT, "path has an empty segment")
