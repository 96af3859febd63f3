"""The input of an action: parameters and body fields under names that no two share, as one closed object."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from extpkg.definition.model import Body, Mapping, Parameter
from extpkg.diagnostic import quoted
from extpkg.json_schema.keywords import DIALECT, HOLDS, Holds
from extpkg.openapi.examples import Wanted
from extpkg.openapi.note import Unusable
from extpkg.pointer import join

if TYPE_CHECKING:
    from collections.abc import Sequence

    from extpkg.openapi.body import BodyInputs, Field
    from extpkg.openapi.node import Node
    from extpkg.openapi.parameters import Bound

_STYLES: Final = {"path": "simple", "query": "form", "header": "simple"}
_PREFIX: Final = "#/$defs/"


@dataclass(frozen=True, slots=True, kw_only=True)
class Inputs:
    """The input schema of an action, what binds its fields, and what an example needs of each."""

    schema: dict[str, Any]
    parameters: tuple[Parameter, ...]
    body: Body | None
    wanted: tuple[Wanted, ...]


def combine(bound: Sequence[Bound], body: BodyInputs | None, place: Node) -> Inputs:
    """Return the input of an action. Raises `Unusable` (`input-name-collision`) where two share a name.

    A name that stands in several places is kept by the path; others get `_query`, `_header` or `_body`.
    """
    fields = [(each.name, each.location) for each in bound]
    fields += [(each.name, "body") for each in body.fields] if body else []
    times = Counter(name for name, _ in fields)
    names = [name if times[name] == 1 or at == "path" else f"{name}_{at}" for name, at in fields]
    twice = next((name for name, count in Counter(names).items() if count > 1), None)
    if twice is not None:
        raise Unusable("input-name-collision", f"two inputs would both be called {quoted(twice)}", place)
    count = len(bound)
    mappings = tuple(
        Mapping(source=join((name,)), target=each.target)
        for name, each in zip(names[count:], body.fields if body else (), strict=True)
    )
    return Inputs(
        schema=_schema(names, bound, body),
        parameters=tuple(_parameter(name, each) for name, each in zip(names[:count], bound, strict=True)),
        body=Body(content_type=body.content_type, mappings=mappings) if body else None,
        wanted=tuple(_wanted(names, bound, body)),
    )


def _parameter(name: str, bound: Bound) -> Parameter:
    explode = bound.explode if bound.location == "query" else False
    style = _STYLES[bound.location]
    return Parameter(
        source=join((name,)), location=bound.location, name=bound.name, style=style, explode=explode
    )


def _schema(names: Sequence[str], bound: Sequence[Bound], body: BodyInputs | None) -> dict[str, Any]:
    fields: list[Bound | Field] = [*bound, *(body.fields if body else ())]
    properties = {name: each.schema for name, each in zip(names, fields, strict=True)}
    required = sorted(name for name, each in zip(names, fields, strict=True) if each.required)
    definitions: dict[str, Any] = dict(body.definitions) if body else {}
    for each in bound:
        definitions |= each.definitions
    used = reachable(list(properties.values()), definitions)
    return {
        "$schema": DIALECT,
        "type": "object",
        "additionalProperties": False,
        **({"required": required} if required else {}),
        **({"properties": properties} if properties else {}),
        **({"$defs": used} if used else {}),
    }


def reachable(schemas: Sequence[Any], definitions: dict[str, Any]) -> dict[str, Any]:
    """Return the definitions that schemas refer to, directly or through others, by name."""
    found: dict[str, Any] = {}
    pending = list(schemas) if definitions else []
    while pending:
        here = pending.pop()
        if not isinstance(here, dict):
            continue
        for keyword, value in here.items():
            holds = HOLDS.get(keyword, Holds.DATA)
            if keyword == "$ref":
                name = value.removeprefix(_PREFIX)
                if name not in found and name in definitions:
                    found[name] = definitions[name]
                    pending.append(definitions[name])
            elif holds is Holds.SINGLE:
                pending.append(value)
            elif holds is Holds.MAP:
                pending.extend(value.values())
            elif holds is Holds.LIST:
                pending.extend(value)
    return {name: found[name] for name in sorted(found)}


def _wanted(names: Sequence[str], bound: Sequence[Bound], body: BodyInputs | None) -> list[Wanted]:
    wanted = [
        Wanted(
            name=name, wire=each.name, location=each.location, required=each.required, examples=each.examples
        )
        for name, each in zip(names, bound, strict=False)
    ]
    fields = body.fields if body else ()
    wanted += [
        Wanted(name=name, wire=each.name, location="body", required=each.required, examples=each.examples)
        for name, each in zip(names[len(bound) :], fields, strict=True)
    ]
    return wanted
