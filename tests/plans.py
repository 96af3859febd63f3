"""Plans of actions made by hand, for the tests of binding and of answers."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from actions import action
from console import extpkg

from extpkg import compile_action
from extpkg.definition.build import build

if TYPE_CHECKING:
    from pathlib import Path

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


def package(folder: Path, *actions: dict[str, Any], profile: Any = None) -> Path:
    """Write a package of action values, with its digest, and return its folder."""
    (folder / "actions").mkdir(parents=True)
    meta: dict[str, Any] = {
        "schema_version": 1,
        "digest": "sha256:" + "0" * 64,
        "domain": "made",
        "version": 1,
        "name": "Made",
        "description": "Made for a test.",
        "endpoint": {"base_url": "https://api.example.com/v1"},
        "actions": [{"name": each["name"], "file": f"actions/{each['name']}.yaml"} for each in actions],
    }
    if profile is not None:
        meta["auth"] = {"profiles": [profile]}
    for each in actions:
        each["catalog"] = {"summary": "s", "description": "d", "safety": SAFETY} | each["catalog"]
        each["catalog"]["output_schema"] = {"$schema": "https://json-schema.org/draft/2020-12/schema"}
        if profile is not None:
            each["auth"] = {"profile": profile["id"]}
        (folder / f"actions/{each['name']}.yaml").write_text(json.dumps(each, indent=1), encoding="utf-8")
    (folder / "meta.yaml").write_text(json.dumps(meta, indent=1), encoding="utf-8")
    ran = extpkg("digest", "--write", folder)
    assert ran.code == 0, ran.err
    return folder
