"""From the values of `meta.yaml` and the action files to a Definition; defaults are written out (R-DIG-4)."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from extpkg.definition.model import (
    Action,
    Auth,
    Binding,
    Body,
    Catalog,
    Definition,
    Mapping,
    Parameter,
    Profile,
    Response,
    Safety,
)
from extpkg.limits import RESULT_BYTES, SAFE_INTEGER

if TYPE_CHECKING:
    from collections.abc import Sequence


def build(meta: dict[str, Any], actions: Sequence[dict[str, Any]]) -> Definition:
    """Return the Definition of structurally valid values; `actions` are in any order.

    Absent and null `auth` and `body` are the same (R-DIG-4). What does not run (`source`, `digest`,
    `auth.default`, `source_operation_id`, the file list) is left behind (R-DIG-2).
    """
    endpoint = meta.get("endpoint")
    auth = meta.get("auth") or {}
    return Definition(
        domain=meta["domain"],
        version=meta["version"],
        name=meta["name"],
        description=meta["description"],
        base_url=endpoint["base_url"] if endpoint else None,
        profiles=tuple(_profile(profile) for profile in auth.get("profiles", ())),
        actions=tuple(_action(action) for action in actions),
    )


def rebuild(projection: bytes) -> Definition:
    """Return the normalized Definition whose projection these bytes are; they are trusted to be one.

    Whoever has them by their digest needs no file of the package (R-DIG-2): nothing is left out that runs.
    """
    value = json.loads(projection, parse_int=_whole)
    return build(value, value["actions"])


def _whole(digits: str) -> int | float:
    """Return a number that RFC 8785 wrote without a fraction: beyond the safe range it was a double."""
    value = int(digits)
    return value if abs(value) <= SAFE_INTEGER else float(digits)


def default_explode(style: str) -> bool:
    """Return what an absent `explode` means (R-BIND-4)."""
    return style == "form"


def _profile(value: dict[str, Any]) -> Profile:
    return Profile(id=value["id"], type=value["type"], location=value.get("in"), name=value.get("name"))


def _action(value: dict[str, Any]) -> Action:
    auth = value.get("auth")
    catalog = value["catalog"]
    safety = catalog["safety"]
    binding = value.get("binding")
    return Action(
        name=value["name"],
        auth=Auth(profile=auth["profile"], required_scopes=tuple(auth.get("required_scopes", ())))
        if auth
        else None,
        catalog=Catalog(
            summary=catalog["summary"],
            description=catalog["description"],
            safety=Safety(
                classification=safety["class"],
                idempotent=safety["idempotent"],
                destructive=safety["destructive"],
            ),
            input_schema=catalog["input_schema"],
            output_schema=catalog["output_schema"],
            example=catalog.get("example"),
        ),
        binding=_binding(binding) if binding else None,
    )


def _binding(value: dict[str, Any]) -> Binding:
    body = value.get("body")
    return Binding(
        method=value["method"],
        path=value["path"],
        static_headers=tuple(value.get("static_headers", {}).items()),
        parameters=tuple(_parameter(parameter) for parameter in value.get("parameters", ())),
        body=Body(
            content_type=body["content_type"],
            mappings=tuple(Mapping(source=m["from"], target=m["to"]) for m in body["mappings"]),
        )
        if body
        else None,
        response=_response(value["response"]),
    )


def _parameter(value: dict[str, Any]) -> Parameter:
    style = value.get("style", "simple")
    return Parameter(
        source=value["from"],
        location=value["in"],
        name=value["name"],
        style=style,
        explode=value.get("explode", default_explode(style)),
    )


def _response(value: dict[str, Any]) -> Response:
    return Response(
        mode=value["mode"],
        success_statuses=tuple(value["success_statuses"]),
        content_types=tuple(value.get("content_types", ())),
        max_bytes=value.get("max_bytes", RESULT_BYTES),
    )
