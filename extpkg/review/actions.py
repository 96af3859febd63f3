"""One action for a reader: what it is for, what it takes, gives and sends, and what it needs for that."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from extpkg.pointer import join
from extpkg.review.blocks import block, figure, sent_lines, value_lines
from extpkg.review.markup import (
    NOTHING,
    Html,
    badge,
    breakable,
    code,
    details,
    element,
    facts,
    joined,
    lines,
    link,
    number,
    table,
    text,
)
from extpkg.review.schemas import SchemaRows

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from extpkg.definition.model import Action, Binding, Definition
    from extpkg.diff.change import Impact
    from extpkg.review.limits import Limit
    from extpkg.review.schemas import Row
    from extpkg.review.subject import Example

_OPEN: Final = 40
"""Rows of an output that are shown at once."""

_DESCRIPTION: Final = 5_000
_INDENTS: Final = 6
_COLUMNS: Final = {
    "name": "Name",
    "type": "Type",
    "required": "Required",
    "limits": "Limits",
    "sent": "Sent as",
    "said": "Description",
}
_SPACE: Final = Html(" ")
_STOPS: Final = Html(" · ")


def action_part(
    definition: Definition, action: Action, example: Example | None, worst: Impact | None
) -> Html:
    """Return the part of a page about one action; `worst` is the heaviest class of its changes."""
    catalog = action.catalog
    title = element("h3", link(f"action-{action.name}", text(action.name)))
    parts = (
        element("header", title, _badges(action, worst)),
        element("p", text(catalog.summary), class_="lead"),
        element("p", lines(catalog.description, _DESCRIPTION), class_="prose")
        if catalog.description.strip() != catalog.summary.strip()
        else NOTHING,
        _facts(definition, action),
        _schema(action.name, "Input", catalog.input_schema, _sent_as(action.binding)),
        _schema(action.name, "Output", catalog.output_schema, None),
        _example(action, example),
    )
    return element("article", *parts, class_="action", id=f"action-{action.name}")


def _badges(action: Action, worst: Impact | None) -> Html:
    safety = action.catalog.safety
    found = [badge(safety.classification, safety.classification)]
    if safety.classification != "read":
        words = "idempotent" if safety.idempotent else "not idempotent"
        found.append(badge("plain" if safety.idempotent else "possible", words))
    if worst is not None:
        found.append(badge(worst.value, f"{worst.value} change"))
    return element("p", joined(found, _SPACE), class_="badges")


def _facts(definition: Definition, action: Action) -> Html:
    binding = action.binding
    rows = []
    if binding is not None:
        url = f"{definition.base_url}{binding.path}"
        rows.append(("Request", joined((element("b", text(binding.method)), _SPACE, code(url)))))
        fixed = [code(f"{name}: {value}") for name, value in binding.static_headers]
        rows += [("Fixed headers", joined(fixed, _STOPS))] if fixed else []
        rows += [("Body", code(binding.body.content_type))] if binding.body else []
        rows.append(("Answer", _answer(binding)))
    rows.append(("Credential", _credential(action)))
    return facts(rows)


def _answer(binding: Binding) -> Html:
    response = binding.response
    statuses = ", ".join(map(str, response.success_statuses))
    if response.mode == "empty":
        return joined((code(statuses), text("; its body is not read, the result is null")))
    kinds = joined(map(code, response.content_types), Html(", "))
    return joined(
        (code(statuses), text(" with "), kinds, text(f"; a result of at most {response.max_bytes:,} bytes"))
    )


def _credential(action: Action) -> Html:
    if action.auth is None:
        return text("none")
    scopes = [code(scope) for scope in action.auth.required_scopes]
    words = text(" with the scopes " if len(scopes) > 1 else " with the scope ") if scopes else NOTHING
    profile = link(f"profile-{action.auth.profile}", code(action.auth.profile))
    return joined((profile, words, joined(scopes, Html(", "))))


def _sent_as(binding: Binding | None) -> Mapping[str, Sequence[str]] | None:
    """Return where each bound place of the input goes, by its pointer; None for a Builtin's."""
    if binding is None:
        return None
    found: dict[str, list[str]] = {}
    for parameter in binding.parameters:
        found.setdefault(parameter.source, []).append(f"{parameter.location} {parameter.name}")
    for mapping in binding.body.mappings if binding.body else ():
        found.setdefault(mapping.source, []).append(f"body {mapping.target or '(the whole)'}")
    return found


def _schema(name: str, noun: str, schema: Any, sent: Mapping[str, Sequence[str]] | None) -> Html:
    """Return a schema as a table of its places, behind a line that says what the value is as a whole."""
    found = SchemaRows(schema)
    whole, *rows = found.rows
    needed = sum(1 for row in rows if row.required and row.depth == 1)
    named = sum(1 for row in rows if row.required is not None and row.depth == 1)
    counts = f": {number(named, 'member')}, {needed:,} required" if named else f": {whole.kind}"
    title = joined((element("b", text(noun)), text(counts)))
    head = _whole(whole, (sent or {}).get("", ()))
    made = [_cells(row, sent) for row in rows]
    columns = {kind: title for kind, title in _COLUMNS.items() if any(kind in cells for cells in made)}
    shape = "schema bound" if "sent" in columns else "schema"
    caption = text(f"{noun} of {name}")
    body = table(caption, columns, (_row(cells, columns) for cells in made), shape) if made else NOTHING
    rest = element("p", text("There is more, which is not shown."), class_="cut") if found.is_cut else NOTHING
    return details(title, head, body, rest, is_open=noun == "Input" or len(rows) <= _OPEN)


def _whole(row: Row, sent: Sequence[str]) -> Html:
    """Return what a schema says of the value as a whole, nothing where that is nothing."""
    said = [text(row.kind), *map(_limit, row.limits), *(text(f"sent as {each}") for each in sent)]
    description = [element("p", lines(row.description), class_="prose")] if row.description else []
    return joined((element("p", joined(said, _STOPS), class_="quiet"), *description))


def _cells(row: Row, sent: Mapping[str, Sequence[str]] | None) -> dict[str, Html]:
    """Return what there is to say of a place, by column."""
    above = element("span", breakable(row.above), class_="above") if row.above else NOTHING
    label = joined((_SPACE, element("span", text(row.label), class_="label"))) if row.label else NOTHING
    old = joined((_SPACE, badge("possible", "deprecated"))) if row.is_deprecated else NOTHING
    required = {None: NOTHING, False: text("optional"), True: element("b", text("required"))}[row.required]
    places = (sent or {}).get(join(row.tokens), ()) if row.tokens is not None else ()
    name = joined((element("code", above, breakable(row.name)), label, old))
    cells = {
        "name": element("th", name, scope="row", class_=f"in{min(row.depth, _INDENTS)}"),
        "type": text(row.kind),
        "required": required,
        "limits": _limits(row.limits),
        "sent": joined(map(code, places), Html("<br>")),
        "said": lines(row.description),
    }
    return {kind: cell for kind, cell in cells.items() if cell}


def _row(cells: Mapping[str, Html], columns: Iterable[str]) -> Html:
    rest = (element("td", cells.get(kind, NOTHING), class_=kind) for kind in columns if kind != "name")
    return element("tr", cells["name"], *rest)


def _limits(limits: Sequence[Limit]) -> Html:
    if not limits:
        return NOTHING
    return element("ul", joined(element("li", _limit(limit)) for limit in limits))


def _limit(limit: Limit) -> Html:
    more = [text(f"and {limit.more:,} more")] if limit.more else []
    values = joined([*map(code, limit.values), *more], Html(", "))
    return joined((text(limit.words), _SPACE if values else NOTHING, values))


def _example(action: Action, example: Example | None) -> Html:
    if example is None:
        words = "No input was found that the schema accepts and the request can carry."
        return element("p", text(words), class_="cut")
    title = element("b", text("Example"))
    made_up = (
        text(": made up from the input schema, the package gives none") if example.is_made_up else NOTHING
    )
    shown = [figure("Input", block(value_lines(example.value)))]
    foot = NOTHING
    if example.sent is not None:
        shown.append(figure("Request", block(sent_lines(example.sent))))
        foot = element("p", text("Audit hash "), code(example.sent.audit_hash), class_="quiet")
    elif action.binding is None:
        foot = element("p", text("A Builtin makes its requests in code."), class_="quiet")
    return details(joined((title, made_up)), element("div", *shown, class_="pair"), foot, is_open=True)
