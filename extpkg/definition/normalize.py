"""The one form of a Definition: sets sorted, header names lower-cased, schemas walked (R-DIG-3, R-SCH-6)."""

from __future__ import annotations

from dataclasses import replace
from operator import attrgetter
from typing import TYPE_CHECKING, Any, Final

from extpkg.canonical import canonical_json
from extpkg.definition.model import Action, Auth, Binding, Body, Response
from extpkg.json_schema.keywords import HOLDS, SETS, Holds

if TYPE_CHECKING:
    from extpkg.definition.model import Definition, Parameter, Profile

_WALKED: Final = SETS.union(keyword for keyword, holds in HOLDS.items() if holds is not Holds.DATA)
_RARE: Final = _WALKED - {"type"}
_PARAMETER_ORDER: Final = attrgetter("location", "name")


def normalize(definition: Definition) -> Definition:
    """Return the Definition in its one form; a second time changes nothing.

    Array order outside the sets of R-DIG-3 is meaning and stays; so do `const`, the members of `enum`,
    `default`, `examples` and every `x-*` (R-SCH-6).
    """
    base_url = definition.base_url
    return replace(
        definition,
        base_url=base_url.removesuffix("/") if base_url else base_url,
        profiles=tuple(sorted(map(_profile, definition.profiles), key=attrgetter("id"))),
        actions=tuple(sorted(map(_action, definition.actions), key=attrgetter("name"))),
    )


def _profile(profile: Profile) -> Profile:
    if profile.location == "header" and profile.name is not None:
        return replace(profile, name=profile.name.lower())
    return profile


def _action(action: Action) -> Action:
    auth = action.auth
    catalog = action.catalog
    return Action(
        name=action.name,
        auth=Auth(profile=auth.profile, required_scopes=tuple(sorted(auth.required_scopes)))
        if auth
        else None,
        catalog=replace(
            catalog,
            input_schema=normalize_schema(catalog.input_schema),
            output_schema=normalize_schema(catalog.output_schema),
        ),
        binding=_binding(action.binding) if action.binding else None,
    )


def _binding(binding: Binding) -> Binding:
    response = binding.response
    return Binding(
        method=binding.method,
        path=binding.path,
        static_headers=tuple(sorted([(name.lower(), value) for name, value in binding.static_headers])),
        parameters=tuple(sorted(map(_parameter, binding.parameters), key=_PARAMETER_ORDER)),
        body=_body(binding.body) if binding.body else None,
        response=Response(
            mode=response.mode,
            success_statuses=tuple(sorted(response.success_statuses)),
            content_types=tuple(sorted(response.content_types)),
            max_bytes=response.max_bytes,
        ),
    )


def _body(body: Body) -> Body:
    return Body(
        content_type=body.content_type, mappings=tuple(sorted(body.mappings, key=attrgetter("target")))
    )


def _parameter(parameter: Parameter) -> Parameter:
    if parameter.location == "header":
        return replace(parameter, name=parameter.name.lower())
    return parameter


def normalize_schema(schema: Any) -> Any:
    """Return a schema with its sets sorted wherever a schema stands; the argument is untouched.

    Schemas that have nothing to sort are shared with the argument, not copied.
    """
    box = [schema]
    pending: list[tuple[Any, Any]] = [(box, 0)] if _has_work(schema) else []
    while pending:
        holder, key = pending.pop()
        current = holder[key] = dict(holder[key])
        for keyword in _WALKED.intersection(current):
            if keyword in SETS:
                current[keyword] = _set(keyword, current[keyword])
            else:
                pending.extend(_places(current, keyword))
    return box[0]


def _has_work(schema: Any) -> bool:
    """Say whether anything in a schema may change: most schemas have a `type` and no other such keyword."""
    return type(schema) is dict and (not _RARE.isdisjoint(schema) or type(schema.get("type")) is list)


def member_order(keyword: str, members: list[Any]) -> list[int]:
    """Return the indexes of a set keyword's members in their order; equal ones of `enum` once."""
    if keyword != "enum":
        return sorted(range(len(members)), key=members.__getitem__)
    texts: dict[bytes, int] = {}
    for index, member in enumerate(members):
        texts.setdefault(canonical_json(member), index)
    return [texts[text] for text in sorted(texts)]


def _set(keyword: str, value: Any) -> Any:
    if type(value) is dict:
        return {name: _set(keyword, members) for name, members in value.items()}
    if type(value) is not list:
        return value
    members = [value[index] for index in member_order(keyword, value)]
    return members[0] if keyword == "type" and len(members) == 1 else members


def _places(current: dict[str, Any], keyword: str) -> list[tuple[Any, Any]]:
    """Return where schemas with work stand under a keyword, in a copy of what the keyword nests them in."""
    value = current[keyword]
    holds = HOLDS[keyword]
    if holds is Holds.SINGLE:
        return [(current, keyword)] if _has_work(value) else []
    if holds is Holds.MAP and type(value) is dict:
        current[keyword] = named = dict(value)
        return [(named, name) for name, member in value.items() if _has_work(member)]
    if holds is Holds.LIST and type(value) is list:
        current[keyword] = listed = list(value)
        return [(listed, index) for index, member in enumerate(value) if _has_work(member)]
    return []
