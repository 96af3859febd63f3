"""One action for a reader: what it is for, what it takes, gives and sends, and what it needs for that."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from extpkg.review.blocks import block, figure, sent_lines, value_lines
from extpkg.review.markup import (
    NOTHING,
    Html,
    badge,
    code,
    codes,
    details,
    element,
    facts,
    joined,
    lines,
    link,
    text,
)
from extpkg.review.tables import schema_table

if TYPE_CHECKING:
    from extpkg.definition.model import Action, Binding, Definition
    from extpkg.diff.change import Impact
    from extpkg.review.subject import Example

_DESCRIPTION: Final = 5_000
_SPACE: Final = Html(" ")


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
        schema_table(action.name, "Input", catalog.input_schema, _sent_as(action.binding)),
        schema_table(action.name, "Output", catalog.output_schema, {}),
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
        fixed = [f"{name}: {value}" for name, value in binding.static_headers]
        rows += [("Fixed headers", codes(fixed))] if fixed else []
        rows += [("Body", code(binding.body.content_type))] if binding.body else []
        rows.append(("Answer", _answer(binding)))
    rows.append(("Credential", _credential(action)))
    return facts(rows)


def _answer(binding: Binding) -> Html:
    response = binding.response
    statuses = codes([str(status) for status in response.success_statuses])
    if response.mode == "empty":
        return joined((statuses, text("; its body is not read, the result is null")))
    kinds = codes(response.content_types)
    return joined(
        (statuses, text(" with "), kinds, text(f"; a result of at most {response.max_bytes:,} bytes"))
    )


def _credential(action: Action) -> Html:
    if action.auth is None:
        return text("none")
    scopes = action.auth.required_scopes
    words = text(" with the scopes " if len(scopes) > 1 else " with the scope ") if scopes else NOTHING
    profile = link(f"profile-{action.auth.profile}", code(action.auth.profile))
    return joined((profile, words, codes(scopes)))


def _sent_as(binding: Binding | None) -> dict[str, list[str]]:
    """Return where each bound place of the input goes, by its pointer; nothing for a Builtin's."""
    if binding is None:
        return {}
    found: dict[str, list[str]] = {}
    for parameter in binding.parameters:
        found.setdefault(parameter.source, []).append(f"{parameter.location} {parameter.name}")
    for mapping in binding.body.mappings if binding.body else ():
        found.setdefault(mapping.source, []).append(f"body {mapping.target or '(the whole)'}")
    return found


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
