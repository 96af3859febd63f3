"""The faults of a path template, and the placeholders that parameters must bind (R-BIND-2)."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Final

from extpkg.binding.template import NAME, SYNTAX, path_faults, placeholders
from extpkg.check.binding_rows import is_location
from extpkg.diagnostic import quoted

if TYPE_CHECKING:
    from collections.abc import Iterator

    from extpkg.check.binding_rows import Row, Rows
    from extpkg.diagnostic import Finding

_DOUBTFUL: Final = frozenset({SYNTAX, NAME})


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
