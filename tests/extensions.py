"""Small Extensions for tests of the registry and of what stands on it."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from extpkg.definition.model import Action, Catalog, Definition, Safety
from extpkg.extension import Call, Extension

SCHEMA = {"$schema": "https://json-schema.org/draft/2020-12/schema", "type": "object"}


def action(name: str = "look", **changes: Any) -> Action:
    """Return a read action without auth and binding."""
    catalog = Catalog(
        summary=f"{name} it up",
        description="Looks something up.",
        safety=Safety(classification="read", idempotent=True, destructive=False),
        input_schema={**SCHEMA, "additionalProperties": False},
        output_schema=SCHEMA,
    )
    return replace(Action(name=name, auth=None, catalog=catalog, binding=None), **changes)


def definition(domain: str = "almanac", **changes: Any) -> Definition:
    """Return a Builtin's Definition with one action."""
    made = Definition(
        domain=domain,
        version=1,
        name="Almanac",
        description="Tides and moons.",
        base_url=None,
        profiles=(),
        actions=(action(),),
    )
    return replace(made, **changes)


async def answer(call: Call) -> Any:
    """Answer any call with its own input."""
    return call.value


def extension(domain: str = "almanac", **changes: Any) -> Extension:
    """Return an Extension that the registry takes; `changes` go to the Extension."""
    made = Extension(definition=definition(domain), serves=frozenset({"look"}), execute=answer, revision="1")
    return replace(made, **changes)
