"""A schema as a table: a row for each place, what there is to say of it in columns."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from extpkg.pointer import join
from extpkg.review.markup import (
    NOTHING,
    VALUES,
    Html,
    badge,
    bounded,
    breakable,
    codes,
    details,
    element,
    joined,
    lines,
    number,
    table,
    text,
)
from extpkg.review.schemas import SchemaRows

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from extpkg.review.limits import Limit
    from extpkg.review.schemas import Row

    Sent = Mapping[str, Sequence[str]]

SIZE: Final = 256 << 10
"""Characters of one table."""

LIMITS: Final = 16 << 10
"""Characters of the limits of one place."""

_OPEN: Final = 40
"""Rows of an output that are shown at once."""

_INDENTS: Final = 6
_SPACE: Final = Html(" ")
_STOPS: Final = Html(" · ")


def schema_table(name: str, noun: str, schema: Any, sent: Sent) -> Html:
    """Return a schema of an action as a table, behind a line that says what the value is as a whole.

    `sent` says where bound places go, by the pointer of their source.
    """
    found = SchemaRows(schema)
    whole, *rows = found.rows
    needed = sum(1 for row in rows if row.required and row.depth == 1)
    named = sum(1 for row in rows if row.required is not None and row.depth == 1)
    counts = f": {number(named, 'member')}, {needed:,} required" if named else f": {whole.kind}"
    title = joined((element("b", text(noun)), text(counts)))
    columns = _columns(rows, sent)
    shown = bounded((_row(row, sent, columns) for row in rows), SIZE)
    shape = "schema bound" if "sent" in columns else "schema"
    body = table(text(f"{noun} of {name}"), columns, shown, shape) if shown else NOTHING
    is_cut = found.is_cut or len(shown) < len(rows)
    rest = element("p", text("There is more, which is not shown."), class_="cut") if is_cut else NOTHING
    return details(
        title, _whole(whole, sent.get("", ())), body, rest, is_open=noun == "Input" or len(rows) <= _OPEN
    )


def _whole(row: Row, sent: Sequence[str]) -> Html:
    """Return what a schema says of the value as a whole, nothing where that is nothing."""
    said = [text(row.kind), *bounded(map(_limit, row.limits), LIMITS)]
    said += [text(f"sent as {each}") for each in sent[:VALUES]]
    description = [element("p", lines(row.description), class_="prose")] if row.description else []
    return joined((element("p", joined(said, _STOPS), class_="quiet"), *description))


def _columns(rows: Sequence[Row], sent: Sent) -> dict[str, str]:
    """Return the columns that have something in them, by their class."""
    there = {
        "name": ("Name", True),
        "type": ("Type", True),
        "required": ("Required", any(row.required is not None for row in rows)),
        "limits": ("Limits", any(row.limits for row in rows)),
        "sent": ("Sent as", any(_places(row, sent) for row in rows)),
        "said": ("Description", any(row.description for row in rows)),
    }
    return {kind: title for kind, (title, is_there) in there.items() if is_there}


def _row(row: Row, sent: Sent, columns: Iterable[str]) -> Html:
    required = {None: NOTHING, False: text("optional"), True: element("b", text("required"))}[row.required]
    cells = {
        "type": text(row.kind),
        "required": required,
        "limits": _limits(row.limits),
        "sent": codes(_places(row, sent)),
        "said": lines(row.description),
    }
    return element(
        "tr",
        element("th", _name(row), scope="row", class_=f"in{min(row.depth, _INDENTS)}"),
        *(element("td", cells[kind], class_=kind) for kind in columns if kind != "name"),
    )


def _name(row: Row) -> Html:
    above = element("span", breakable(row.above), class_="above") if row.above else NOTHING
    label = joined((_SPACE, element("span", text(row.label), class_="label"))) if row.label else NOTHING
    old = joined((_SPACE, badge("possible", "deprecated"))) if row.is_deprecated else NOTHING
    return joined((element("code", above, breakable(row.name)), label, old))


def _places(row: Row, sent: Sent) -> Sequence[str]:
    return () if row.tokens is None else sent.get(join(row.tokens), ())


def _limits(limits: Sequence[Limit]) -> Html:
    if not limits:
        return NOTHING
    rows = bounded((element("li", _limit(limit)) for limit in limits), LIMITS)
    if len(rows) < len(limits):
        rows.append(element("li", text("and more"), class_="cut"))
    return element("ul", *rows)


def _limit(limit: Limit) -> Html:
    values = codes(limit.values, limit.more)
    return joined((text(limit.words), _SPACE if values else NOTHING, values))
