"""Where bound values go: header names and values, body targets, and no target twice (R-BIND-5, R-BIND-6)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from extpkg import resources
from extpkg.binding.soundness import ARRAY_TOKEN, HEADER_NAME, STATIC_VALUE
from extpkg.check.binding_rows import malformed
from extpkg.diagnostic import Part, Place, quoted
from extpkg.document.files import META
from extpkg.pointer import escape, join

if TYPE_CHECKING:
    from collections.abc import Iterator

    from extpkg.check.binding_rows import Row, Rows, Tokens
    from extpkg.diagnostic import Finding


def check_static_headers(rows: Rows) -> Iterator[Finding]:
    """Yield header names and values that may not be written (R-BIND-6)."""
    for name, value in rows.static_headers.items():
        pointer = f"/binding/static_headers/{escape(name)}"
        yield from _name_faults(rows, name, rows.place(pointer, part=Part.KEY))
        if isinstance(value, str) and not STATIC_VALUE.fullmatch(value):
            message = f"header value {quoted(value)} is not visible ASCII with inner spaces"
            yield rows.fault("EXT0424", rows.place(pointer), message)


def check_header_parameter(rows: Rows, row: Row) -> Iterator[Finding]:
    """Yield a header parameter's name that may not be written (R-BIND-6)."""
    if row.fields.get("in") == "header" and isinstance(row.fields.get("name"), str):
        yield from _name_faults(rows, row.text("name"), rows.place(f"{row.pointer}/name"))


def check_shared_targets(rows: Rows) -> Iterator[Finding]:
    """Yield query and header names that more than one of credential, static headers and parameters write."""
    taken = _credential(rows)
    for name in rows.static_headers:
        at = rows.place(f"/binding/static_headers/{escape(name)}", "written again", Part.KEY)
        yield from _claim(rows, taken, ("header", name.lower()), at)
    for row in rows.parameters:
        location, name = row.fields.get("in"), row.text("name")
        if location == "query":
            at = rows.place(f"{row.pointer}/name", "written again")
            yield from _claim(rows, taken, ("query", name), at)
        elif location == "header":
            at = rows.place(f"{row.pointer}/name", "written again")
            yield from _claim(rows, taken, ("header", name.lower()), at)


def check_body_targets(rows: Rows) -> Iterator[Finding]:
    """Yield body targets that are malformed, not of objects, or in each other's way (R-BIND-1, R-BIND-5)."""
    for row in rows.mappings:
        fault = malformed(rows, row, "to")
        if fault is not None:
            yield fault
        numeric = next((token for token in row.target or () if ARRAY_TOKEN.fullmatch(token)), None)
        if numeric is not None:
            at = rows.place(f"{row.pointer}/to", "a body is built of objects")
            yield rows.fault(
                "EXT0420", at, f"body target {quoted(row.text('to'))} has the token {quoted(numeric)}"
            )
    whole = [row for row in rows.mappings if row.target == ()]
    if whole and len(rows.mappings) > 1:
        others = [row for row in rows.mappings if row is not whole[0]]
        at = rows.place(f"{whole[0].pointer}/to", "the whole body")
        related = rows.place(f"{others[0].pointer}/to", "another mapping")
        yield rows.fault("EXT0403", at, "the whole body is bound beside another mapping", "", related)
    yield from _overlaps(rows)


def _name_faults(rows: Rows, name: str, at: Place) -> Iterator[Finding]:
    if not HEADER_NAME.fullmatch(name):
        yield rows.fault("EXT0422", at, f"{quoted(name)} is no header name")
    elif resources.is_reserved_header(name):
        yield rows.fault("EXT0423", at, f"header {quoted(name)} is reserved for the engine")


def _credential(rows: Rows) -> dict[tuple[str, str], Place]:
    """Return the target that the action's own credential writes, if it is an api key."""
    profile = rows.profile or {}
    location, name = profile.get("in"), profile.get("name")
    if profile.get("type") != "api_key" or not isinstance(name, str):
        return {}
    place = Place(path=META, pointer=f"{rows.profile_pointer}/name", label="the credential is written here")
    if location == "query":
        return {("query", name): place}
    return {("header", name.lower()): place} if location == "header" else {}


def _claim(
    rows: Rows, taken: dict[tuple[str, str], Place], target: tuple[str, str], at: Place
) -> Iterator[Finding]:
    """Record who writes a target; reserved names and names that are none are reported as such, once."""
    location, name = target
    if location == "header" and (not HEADER_NAME.fullmatch(name) or resources.is_reserved_header(name)):
        return
    if target not in taken:
        taken[target] = Place(path=at.path, pointer=at.pointer, part=at.part, label="written first here")
        return
    what = "query parameter" if location == "query" else "header"
    yield rows.fault("EXT0418", at, f"{what} {quoted(name)} is written more than once", "", taken[target])


def _overlaps(rows: Rows) -> Iterator[Finding]:
    """Yield each target that equals an earlier one, or that one of the two is a prefix of.

    The targets are kept as a tree of tokens; a place of it knows the row that ends there (`None` as key).
    """
    tree: dict[str | None, Any] = {}
    for row in rows.mappings:
        if row.target:
            other = _insert(tree, row, row.target)
            if other is not None:
                yield _overlap(rows, row, other)


def _insert(tree: dict[str | None, Any], row: Row, target: Tokens) -> Row | None:
    """Put a row into the tree; return the row that it meets, which then stays the only one there."""
    place = tree
    for token in target:
        if None in place:
            break
        place = place.setdefault(token, {})
    if not place:
        place[None] = row
        return None
    while None not in place:
        place = next(iter(place.values()))
    met: Row = place[None]
    return met


def _overlap(rows: Rows, row: Row, other: Row) -> Finding:
    target, earlier = row.target or (), other.target or ()
    there = rows.place(f"{other.pointer}/to", "written first here")
    if target == earlier:
        at = rows.place(f"{row.pointer}/to", "written again")
        return rows.fault(
            "EXT0418", at, f"body target {quoted(join(target))} is written more than once", "", there
        )
    inner, outer = (target, earlier) if len(target) > len(earlier) else (earlier, target)
    at = rows.place(f"{row.pointer}/to", "overlaps")
    return rows.fault(
        "EXT0419", at, f"body target {quoted(join(inner))} lies inside {quoted(join(outer))}", "", there
    )
