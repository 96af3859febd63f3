"""A Definition for people: the package at a glance, and one action with its input, output and binding."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final

from extpkg.cli.render.escape import escaped
from extpkg.cli.render.properties import property_rows, type_of
from extpkg.cli.render.table import table

if TYPE_CHECKING:
    from collections.abc import Iterator

    from extpkg.definition.model import Action, Binding, Definition, Parameter, Profile

_CLASSES: Final = ("read", "mutation", "destructive")


def package_text(definition: Definition, digest: str) -> str:
    """Return the package at a glance: what it is, where it calls, its actions by safety."""
    facts = [
        ["domain", definition.domain],
        ["version", str(definition.version)],
        ["digest", digest],
        ["endpoint", definition.base_url or "none (the package of a Builtin)"],
        *(["auth", _profile(profile)] for profile in definition.profiles or (None,)),
    ]
    lines = [escaped(definition.name), f"  {escaped(definition.description)}", "", *table(facts, "  ")]
    width = max(len(action.name) for action in definition.actions)
    for name in _CLASSES:
        chosen = [action for action in definition.actions if action.catalog.safety.classification == name]
        if chosen:
            lines += ["", f"{name.capitalize()} actions"]
            lines += [f"  {action.name:<{width}}  {escaped(action.catalog.summary)}" for action in chosen]
    return _joined(lines)


def action_text(definition: Definition, action: Action) -> str:
    """Return one action: what an Agent reads of it, its input, output and example, and how it is bound."""
    catalog = action.catalog
    lines = [f"{definition.domain} {action.name}", f"  {escaped(catalog.summary)}", ""]
    lines += [f"  {escaped(line)}".rstrip() for line in catalog.description.splitlines()]
    lines += ["", *table([["safety", _safety(action)], ["auth", _auth(action)]], "  ")]
    lines += ["", "Input", *_properties(catalog.input_schema)]
    lines += ["", "Output", *_properties(catalog.output_schema)]
    if catalog.example is not None:
        lines += ["", "Example", *_json(catalog.example)]
    lines += ["", "Binding", *(f"  {line}" for line in _binding_lines(definition, action.binding))]
    return _joined(lines)


def _joined(lines: list[str]) -> str:
    return "".join(f"{line.rstrip()}\n" for line in lines)


def _profile(profile: Profile | None) -> str:
    if profile is None:
        return "none"
    place = f" in {profile.location} {escaped(profile.name)}" if profile.name else ""
    return f"{profile.id}: {profile.type}{place}"


def _safety(action: Action) -> str:
    safety = action.catalog.safety
    return f"{safety.classification}, {'idempotent' if safety.idempotent else 'not idempotent'}"


def _auth(action: Action) -> str:
    if action.auth is None:
        return "none"
    scopes = ", ".join(escaped(scope) for scope in action.auth.required_scopes)
    return f"{action.auth.profile} with {scopes}" if scopes else action.auth.profile


def _properties(schema: Any) -> list[str]:
    """Return a table of what a schema says about members, after a line for the value as a whole."""
    rows = list(property_rows(schema))
    if not rows:
        return [f"  {type_of(schema)}"]
    return [
        f"  {type_of(schema)} of",
        *table([["name", "type", "required", "limits", "description"], *rows], "    "),
    ]


def _json(value: Any) -> list[str]:
    return [f"  {escaped(line)}" for line in json.dumps(value, indent=2, ensure_ascii=False).split("\n")]


def _binding_lines(definition: Definition, binding: Binding | None) -> Iterator[str]:
    """Yield how the action becomes a request, a line for each part."""
    if binding is None:
        yield "none: a Builtin executes the action"
        return
    yield f"{binding.method} {definition.base_url}{binding.path}"
    rows = [["(fixed)", "header", name, f"= {escaped(value)}"] for name, value in binding.static_headers]
    rows += [[_source(p.source), p.location, escaped(p.name), _style(p)] for p in binding.parameters]
    mappings = binding.body.mappings if binding.body else ()
    rows += [[_source(m.source), "body", escaped(m.target) or "(whole)", ""] for m in mappings]
    yield from table(rows) if rows else []
    if binding.body is not None:
        yield f"body {binding.body.content_type}"
    response = binding.response
    statuses = ", ".join(map(str, response.success_statuses))
    kinds = ", ".join(response.content_types) or "nothing is read"
    yield f"answer {statuses}: {kinds}, at most {response.max_bytes} bytes of result ({response.mode})"


def _source(pointer: str) -> str:
    return f"{escaped(pointer) or '(whole input)'} ->"


def _style(parameter: Parameter) -> str:
    return f"{parameter.style}, exploded" if parameter.explode else parameter.style
