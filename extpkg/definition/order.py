"""The order of the fields of `meta.yaml` and action files, and where a blank line sets a group apart."""

from __future__ import annotations

import enum
from typing import Any, Final

from extpkg.json_schema.keywords import HOLDS, Holds


class Kind(enum.Enum):
    """Which of the two files of a Package a text is."""

    META = "meta"
    ACTION = "action"


_META: Final = {
    "": "schema_version digest domain version name description source endpoint auth actions",
    "/source": "type path url openapi_version document_version sha256",
    "/endpoint": "base_url",
    "/auth": "default profiles",
    "/auth/profiles/*": "id type in name",
    "/actions/*": "name file",
}
_ACTION: Final = {
    "": "name source_operation_id auth catalog binding",
    "/auth": "profile required_scopes",
    "/catalog": "summary description safety input_schema output_schema example",
    "/catalog/safety": "class idempotent destructive",
    "/binding": "method path static_headers parameters body response",
    "/binding/parameters/*": "from in name style explode",
    "/binding/body": "content_type mappings",
    "/binding/body/mappings/*": "from to",
    "/binding/response": "mode success_statuses content_types max_bytes",
}
_FIELDS: Final = {
    kind: {pointer: tuple(names.split()) for pointer, names in fields.items()}
    for kind, fields in ((Kind.META, _META), (Kind.ACTION, _ACTION))
}
_APART: Final = {
    Kind.META: frozenset({"/domain", "/source", "/endpoint", "/auth", "/actions"}),
    Kind.ACTION: frozenset(
        {"/catalog", "/binding", "/catalog/input_schema", "/catalog/output_schema", "/catalog/example"}
        | {"/binding/static_headers", "/binding/parameters", "/binding/body", "/binding/response"}
    ),
}
_KEYWORDS: Final = (
    *(
        "$schema",
        "$anchor",
        "$ref",
        "$comment",
        "title",
        "description",
        "deprecated",
        "readOnly",
        "writeOnly",
    ),
    *(
        "type",
        "enum",
        "const",
        "format",
        "additionalProperties",
        "unevaluatedProperties",
        "required",
        "properties",
    ),
)
_FREE: Final = ("/catalog/input_schema/", "/catalog/output_schema/", "/catalog/example/")


def arranged(value: Any, kind: Kind) -> Any:
    """Return a file's value with its known fields in order, unknown ones behind; schemas and data stay."""
    return _arranged(value, "", _FIELDS[kind])


def _arranged(value: Any, shape: str, fields: dict[str, tuple[str, ...]]) -> Any:
    if isinstance(value, list):
        return [_arranged(item, f"{shape}/*", fields) for item in value]
    if not isinstance(value, dict) or not any(known.startswith(shape) for known in fields):
        return value
    known = [name for name in fields.get(shape, ()) if name in value]
    return {
        name: _arranged(value[name], f"{shape}/{name}", fields)
        for name in [*known, *(n for n in value if n not in known)]
    }


def sorted_schema(schema: Any) -> Any:
    """Return a schema with its members in one order: some keywords first, the others by name."""
    if not isinstance(schema, dict):
        return schema
    first = [keyword for keyword in _KEYWORDS if keyword in schema]
    names = [*first, *sorted(schema.keys() - first)]
    return {name: _sorted_member(schema[name], HOLDS.get(name, Holds.DATA)) for name in names}


def _sorted_member(value: Any, holds: Holds) -> Any:
    if holds is Holds.SINGLE:
        return sorted_schema(value)
    if holds is Holds.MAP and isinstance(value, dict):
        return {name: sorted_schema(value[name]) for name in sorted(value)}
    if holds is Holds.LIST and isinstance(value, list):
        return [sorted_schema(item) for item in value]
    return sorted_data(value)


def sorted_data(value: Any) -> Any:
    """Return data with the members of every object sorted by name."""
    if isinstance(value, dict):
        return {name: sorted_data(value[name]) for name in sorted(value)}
    return [sorted_data(item) for item in value] if isinstance(value, list) else value


def is_apart(pointer: str, kind: Kind) -> bool:
    """Say whether a blank line always stands before the field at a pointer (unless it is the first)."""
    return pointer in _APART[kind]


def is_free(pointer: str, kind: Kind) -> bool:
    """Say whether the author's blank lines stay: inside schemas and examples."""
    return kind is Kind.ACTION and pointer.startswith(_FREE)
