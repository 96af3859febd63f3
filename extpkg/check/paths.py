"""The grammar of a path template, and the placeholders that parameters must bind (R-BIND-2)."""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING, Final, NamedTuple

from extpkg.check.binding_rows import is_location
from extpkg.diagnostic import quoted

if TYPE_CHECKING:
    from collections.abc import Iterator

    from extpkg.check.binding_rows import Row, Rows
    from extpkg.diagnostic import Finding

SYNTAX: Final = "EXT0409"
DOT_SEGMENT: Final = "EXT0410"
ENCODING: Final = "EXT0411"
NAME: Final = "EXT0412"

_DOUBTFUL: Final = frozenset({SYNTAX, NAME})

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


def misplaced(rows: Rows) -> dict[str, Row]:
    """Return the parameters whose `in` alone is wrong, by the unbound placeholder that they are meant for.

    Such a parameter is named like the placeholder and written like a path parameter, without a style.
    """
    if any(fault.code in _DOUBTFUL for fault in path_faults(rows.path)):
        return {}
    bound = {row.text("name") for row in rows.parameters if row.fields.get("in") == "path"}
    unbound = set(placeholders(rows.path)) - bound
    found: dict[str, Row] = {}
    for row in rows.parameters:
        name = row.text("name")
        if name in unbound and is_location(row.fields.get("in")) and "style" not in row.fields:
            found.setdefault(name, row)
    return found


def check_path(rows: Rows) -> Iterator[Finding]:
    """Yield the faults of `binding.path`, and of placeholders and path parameters that do not fit each other.

    Where braces or names are in doubt, what binds what is in doubt too and not judged.
    """
    at = rows.place("/binding/path")
    faults = tuple(path_faults(rows.path))
    for fault in faults:
        yield rows.fault(fault.code, at, fault.message)
    if any(fault.code in _DOUBTFUL for fault in faults):
        return
    names = placeholders(rows.path)
    for name, count in Counter(names).items():
        if count > 1:
            yield rows.fault("EXT0404", at, f"placeholder {{{name}}} occurs {count} times in the path")
    yield from _bindings_of(rows, names)


def _bindings_of(rows: Rows, names: list[str]) -> Iterator[Finding]:
    """Yield unbound placeholders, parameters without one, and second bindings of one.

    An unbound placeholder beside a parameter whose name is not in the path is one slip of the pen, so it is
    reported once, at the path. A parameter whose `in` is no location at all is reported there, and counts as
    the one that was meant.
    """
    wanted = dict.fromkeys(names)
    bound = {row.text("name") for row in rows.parameters if not is_location(row.fields.get("in"))}
    first: dict[str, Row] = {}
    strays: list[Row] = []
    for row in rows.parameters:
        name = row.text("name")
        if row.fields.get("in") != "path":
            continue
        if name not in wanted:
            strays.append(row)
        elif name in first:
            yield _bound_twice(rows, row, first[name])
        first.setdefault(name, row)
    bound.update(first)
    elsewhere = misplaced(rows)
    for name in wanted:
        if name in elsewhere:
            yield _misplaced(rows, name, elsewhere[name])
        elif name not in bound:
            stray = strays.pop(0) if strays else None
            yield _unbound(rows, name, stray)
    for row in strays:
        at = rows.place(f"{row.pointer}/name", "not in the path")
        message = f"path parameter {quoted(row.text('name'))} has no placeholder in the path"
        yield rows.fault("EXT0406", at, message, "", rows.place("/binding/path", "this path"))


def _unbound(rows: Rows, name: str, stray: Row | None) -> Finding:
    at = rows.place("/binding/path", f"{{{name}}} is bound nowhere")
    message = f"placeholder {{{name}}} is bound by no path parameter"
    if stray is None:
        return rows.fault("EXT0405", at, message, f'add a parameter with in: path and name: "{name}"')
    fix = f"rename the parameter {quoted(stray.text('name'))} or the placeholder so that they agree"
    return rows.fault("EXT0405", at, message, fix, rows.place(f"{stray.pointer}/name", "not in the path"))


def _misplaced(rows: Rows, name: str, row: Row) -> Finding:
    at = rows.place(f"{row.pointer}/in", f"{{{name}}} stands in the path")
    location = row.text("in")
    message = f"placeholder {{{name}}} is bound by no path parameter, but a {location} parameter has its name"
    there = rows.place("/binding/path", "the placeholder")
    return rows.fault("EXT0405", at, message, "write in: path", there)


def _bound_twice(rows: Rows, row: Row, first: Row) -> Finding:
    at = rows.place(f"{row.pointer}/name", "bound again")
    message = f"placeholder {{{row.text('name')}}} is bound by more than one path parameter"
    return rows.fault("EXT0407", at, message, "", rows.place(f"{first.pointer}/name", "bound first here"))


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
