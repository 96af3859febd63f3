"""Actions made by hand, for the tests of bindings."""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING, Any

from corpus import ROOT

from extpkg import parse_document
from extpkg.check.bindings import check_bindings

if TYPE_CHECKING:
    from extpkg.diagnostic import Finding

BASE = ROOT / "golden" / "valid" / "github"
FILE = "actions/act.yaml"


def meta() -> Any:
    """Return the value of the base package's `meta.yaml`."""
    return parse_document((BASE / "meta.yaml").read_bytes()).value


def schema(properties: dict[str, Any], *required: str, **more: Any) -> dict[str, Any]:
    """Return a closed input schema."""
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "type": "object",
        "additionalProperties": False,
        "required": list(required),
        "properties": properties,
        **more,
    }


def query(source: str, name: str = "", **more: Any) -> dict[str, Any]:
    """Return a query parameter."""
    return {"from": source, "in": "query", "name": name or source.strip("/"), "style": "form", **more}


def header(source: str, name: str, **more: Any) -> dict[str, Any]:
    """Return a header parameter."""
    return {"from": source, "in": "header", "name": name, "style": "simple", **more}


def path(source: str, name: str = "") -> dict[str, Any]:
    """Return a path parameter."""
    return {"from": source, "in": "path", "name": name or source.strip("/")}


def body(*mappings: tuple[str, str]) -> dict[str, Any]:
    """Return a JSON body."""
    rows = [{"from": source, "to": target} for source, target in mappings]
    return {"content_type": "application/json", "mappings": rows}


def action(
    input_schema: Any, *parameters: dict[str, Any], example: Any = None, **binding: Any
) -> dict[str, Any]:
    """Return an action that posts; `binding` overrides what is bound."""
    catalog = {"input_schema": input_schema, "output_schema": True}
    if example is not None:
        catalog["example"] = example
    response = {"mode": "passthrough", "success_statuses": [200], "content_types": ["application/json"]}
    bound = {"method": "POST", "path": "/", "parameters": list(parameters), "response": response, **binding}
    return copy.deepcopy({"name": "act", "catalog": catalog, "binding": bound})


def faults(value: dict[str, Any], profiles: Any = None, profile: str = "") -> list[Finding]:
    """Return what the binding checks find in an action."""
    if profile:
        value = {**value, "auth": {"profile": profile}}
    return list(check_bindings(value, {"auth": {"profiles": profiles or []}}, FILE))


def codes(value: dict[str, Any], **more: Any) -> list[str]:
    """Return the last two digits of each finding's code, in the order of the checks."""
    return [finding.code[-2:] for finding in faults(value, **more)]
