"""Plans of actions made by hand, for the tests of binding and of answers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from actions import action

from extpkg import compile_action
from extpkg.definition.build import build

if TYPE_CHECKING:
    from extpkg import ActionPlan, Definition

SAFETY = {"class": "mutation", "idempotent": False, "destructive": False}


def definition(*actions: dict[str, Any], **meta: Any) -> Definition:
    """Return the Definition of action values, whatever is wrong with them."""
    whole = {"domain": "made", "version": 1, "name": "Made", "description": "d"}
    whole |= {"endpoint": {"base_url": "https://api.example.com/v1"}} | meta
    for each in actions:
        each["catalog"] = {"summary": "s", "description": "d", "safety": SAFETY} | each["catalog"]
    return build(whole, actions)


def plan(input_schema: Any, *parameters: dict[str, Any], profile: Any = None, **binding: Any) -> ActionPlan:
    """Return the plan of an action as `actions.action` makes it; `profile` is that of its credential."""
    value = action(input_schema, *parameters, **binding)
    if profile is None:
        return compile_action(definition(value), "act")
    value["auth"] = {"profile": profile["id"]}
    return compile_action(definition(value, auth={"profiles": [profile]}), "act")
