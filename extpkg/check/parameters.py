"""One parameter at a time: where it goes, how it is written, and what its source may be (R-BIND-1 to 4)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from extpkg.binding.soundness import STYLES
from extpkg.check.binding_rows import is_location, malformed
from extpkg.check.sources import ARRAY, OBJECT, STEPS
from extpkg.diagnostic import Part, quoted
from extpkg.pointer import join

if TYPE_CHECKING:
    from collections.abc import Iterator

    from extpkg.check.binding_rows import Row, Rows, Tokens
    from extpkg.check.schema_graph import Node
    from extpkg.check.sources import Sources
    from extpkg.diagnostic import Finding, Place

_NESTED: Final = ARRAY | OBJECT


def check_parameter(rows: Rows, row: Row) -> Iterator[Finding]:
    """Yield what is wrong with where one parameter goes and how it is written there."""
    location = row.fields.get("in")
    if is_location(location):
        yield from _check_style(rows, row, str(location))
    else:
        at = rows.place(f"{row.pointer}/in", "no such location")
        yield rows.fault("EXT0431", at, f"a parameter cannot go into {quoted(location)}")


def check_parameter_source(rows: Rows, row: Row, sources: Sources) -> Iterator[Finding]:
    """Yield what is wrong with the source of one parameter (R-BIND-1 to 3)."""
    yield from check_source(rows, row, sources)
    nodes = sources.declared(row.source) if row.source is not None else ()
    if nodes:
        yield from _check_types(rows, row, sources, nodes)
        if row.fields.get("in") == "path":
            yield from _check_required(rows, row, sources)


def check_source(rows: Rows, row: Row, sources: Sources) -> Iterator[Finding]:
    """Yield a malformed `from`, or one that the input schema does not declare (R-BIND-1)."""
    fault = malformed(rows, row, "from")
    if fault is not None:
        yield fault
    elif row.source is not None and not sources.declared(row.source):
        at = rows.place(f"{row.pointer}/from", "not declared")
        if sources.exhausted:
            message = f"the input schema is too entangled to find {quoted(row.text('from'))} in {STEPS} steps"
            yield rows.fault("EXT0402", at, message, "declare the field directly under properties")
        else:
            yield _undeclared(rows, row, sources, at)


def _undeclared(rows: Rows, row: Row, sources: Sources, at: Place) -> Finding:
    """Return the finding at `from`, with the names that stand where the pointer leaves the schema."""
    tokens = row.source or ()
    depth = next(end for end in range(1, len(tokens) + 1) if not sources.declared(tokens[:end]))
    parent = tokens[: depth - 1]
    close = sources.close_member(parent, tokens[depth - 1])
    meant = (*parent, close) if close else parent if tokens[depth - 1 :] == ("",) else ()
    fix = f"did you mean {quoted(join(meant))}?" if meant else ""
    holder = sources.declared(parent)[0]
    related = rows.place(holder.pointer, f"{quoted(tokens[depth - 1])} is not among its properties", Part.KEY)
    return rows.fault(
        "EXT0402", at, f"the input schema declares no location {quoted(row.text('from'))}", fix, related
    )


def _check_style(rows: Rows, row: Row, location: str) -> Iterator[Finding]:
    """Yield a style or explode that the location does not have (R-BIND-4)."""
    wanted = STYLES[location]
    style = row.fields.get("style")
    if "style" not in row.fields and location != "path":
        at = rows.place(row.pointer, "style is missing")
        message = f"{location} parameter {quoted(row.text('name'))} has no style"
        yield rows.fault("EXT0416", at, message, f"add style: {wanted}")
    elif "style" in row.fields and style != wanted:
        at = rows.place(f"{row.pointer}/style", f"only {wanted} here")
        yield rows.fault(
            "EXT0416",
            at,
            f"a {location} parameter cannot have style {quoted(style)}",
            f"write style: {wanted}",
        )
        return
    if wanted == "simple" and row.fields.get("explode") is True:
        at = rows.place(f"{row.pointer}/explode", "only false here")
        yield rows.fault("EXT0417", at, f"a {location} parameter has style simple, which cannot explode")


def _check_types(rows: Rows, row: Row, sources: Sources, nodes: tuple[Node, ...]) -> Iterator[Finding]:
    """Yield a source whose type is not known, is no scalar or array of scalars, or may be null (R-BIND-3)."""
    value, items = sources.admitted(nodes), sources.admitted_items(nodes)
    null = value.null or (items.null if value.types & ARRAY else None)
    if value.known and not value.types & _NESTED and null is None:
        return
    at = rows.place(f"{row.pointer}/from")
    here = rows.place(nodes[0].pointer, "declared here", Part.KEY)
    source = quoted(row.text("from"))
    if not value.known:
        yield rows.fault("EXT0415", at, f"the type of {source} is not known", "", here)
    elif value.types & OBJECT:
        yield rows.fault(
            "EXT0413", at, f"{source} may be an object, which has no place in a {_place(row)}", "", here
        )
    elif value.types & ARRAY and not items.known:
        yield rows.fault(
            "EXT0415", at, f"the type of the items of {source} is not known", "give items a type", here
        )
    elif value.types & ARRAY and items.types & _NESTED:
        kind = "objects" if items.types & OBJECT else "arrays"
        yield rows.fault("EXT0413", at, f"{source} may be an array of {kind}", "", here)
    if null is not None:
        keyword = next(word for word in ("enum", "const", "type") if word in null.schema)
        there = rows.place(f"{null.pointer}/{keyword}", "null is admitted here")
        yield rows.fault(
            "EXT0414", at, f"{source} may be null, which a {_place(row)} cannot carry", "", there
        )


def _place(row: Row) -> str:
    return {"path": "path", "query": "query", "header": "header"}.get(row.text("in"), "parameter")


def _check_required(rows: Rows, row: Row, sources: Sources) -> Iterator[Finding]:
    """Yield a path source that may be absent: it must be required at every level (R-BIND-2)."""
    tokens = row.source or ()
    for depth, token in enumerate(tokens):
        parent = tokens[:depth]
        if token not in sources.required(parent).names:
            yield _optional(rows, row, sources, tokens[: depth + 1])
            return
        if (
            depth
            and sources.admitted(sources.declared(parent)).types != OBJECT
            and _bound_whole(rows, parent)
        ):
            yield _no_object(rows, row, sources, parent)
            return


def _optional(rows: Rows, row: Row, sources: Sources, tokens: Tokens) -> Finding:
    parent = tokens[:-1]
    holder = sources.required(parent).holder
    name = quoted(tokens[-1])
    if holder is None:
        there = rows.place(sources.declared(parent)[0].pointer, f"no required list with {name}", Part.KEY)
    else:
        there = rows.place(f"{holder.pointer}/required", f"{name} is missing here")
    where = f" of {quoted(join(parent))}" if parent else ""
    return rows.fault(
        "EXT0421",
        rows.place(f"{row.pointer}/from", "a path source must be required at every level"),
        f"path placeholder {{{row.text('name')}}} is bound to an optional input field",
        f"add {name} to required{where} (changes the agent schema: needs a version bump)",
        there,
    )


def _no_object(rows: Rows, row: Row, sources: Sources, parent: Tokens) -> Finding:
    there = rows.place(sources.declared(parent)[0].pointer, "may be something else than an object", Part.KEY)
    return rows.fault(
        "EXT0421",
        rows.place(f"{row.pointer}/from", "a path source must be required at every level"),
        f"path placeholder {{{row.text('name')}}} is bound below a field that may be no object",
        f"give {quoted(join(parent))} type: object",
        there,
    )


def _bound_whole(rows: Rows, tokens: Tokens) -> bool:
    """Say whether a location is at or under a source: if not, R-BIND-9 asks that it be an object."""
    return any(tokens[:end] in rows.sources for end in range(len(tokens) + 1))
