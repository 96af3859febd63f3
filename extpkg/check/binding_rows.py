"""A binding as its checks see it: each row with its pointers read, whatever else is wrong with it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

from extpkg.diagnostic import Finding, Part, Place
from extpkg.errors import DocumentInvalid
from extpkg.pointer import Pointer

INPUT: Final = ("catalog", "input_schema")
"""Where the input schema stands in an action file."""

LOCATIONS: Final = ("path", "query", "header")
"""Where a parameter may go."""

Tokens = tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One parameter or body mapping: where it stands, its fields, and its pointers (None where malformed)."""

    pointer: str
    fields: dict[str, Any]
    source: Tokens | None
    target: Tokens | None = None

    def text(self, field: str) -> str:
        """Return a text field, empty where it is absent or no text."""
        value = self.fields.get(field)
        return value if isinstance(value, str) else ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Rows:
    """The binding of one action: its file, rows, static headers, well-formed sources, and its profile."""

    file: str
    path: str
    parameters: tuple[Row, ...]
    mappings: tuple[Row, ...]
    static_headers: dict[str, Any]
    sources: frozenset[Tokens]
    profile: dict[str, Any] | None
    profile_pointer: str

    def place(self, pointer: str, label: str = "", part: Part = Part.VALUE) -> Place:
        """Return a place of the action file."""
        return Place(path=self.file, pointer=pointer, label=label, part=part)

    def fault(self, code: str, at: Place, message: str, fix: str = "", *related: Place) -> Finding:
        """Return a finding; `fix` overrides the rule's general one."""
        return Finding(code=code, place=at, message=message, help=fix, related=related)


def is_location(value: Any) -> bool:
    """Say whether a parameter's `in` is one of `LOCATIONS`."""
    return isinstance(value, str) and value in LOCATIONS


def read_rows(action: dict[str, Any], meta: Any, file: str) -> Rows:
    """Return the rows of an action's `binding`, leaving out whatever has not the shape of one."""
    binding = _mapping(action.get("binding"))
    profile, pointer = _profile(action, meta)
    path = binding.get("path")
    parameters = _rows("/binding/parameters", binding.get("parameters"))
    mappings = _rows("/binding/body/mappings", _mapping(binding.get("body")).get("mappings"))
    return Rows(
        file=file,
        path=path if isinstance(path, str) else "",
        parameters=parameters,
        mappings=mappings,
        sources=frozenset(row.source for row in (*parameters, *mappings) if row.source is not None),
        static_headers={
            name: value
            for name, value in _mapping(binding.get("static_headers")).items()
            if isinstance(name, str)
        },
        profile=profile,
        profile_pointer=pointer,
    )


def malformed(rows: Rows, row: Row, field: str) -> Finding | None:
    """Return what is wrong with a pointer field, None where it is well-formed or no text (R-BIND-1)."""
    value = row.fields.get(field)
    if not isinstance(value, str) or (row.source if field == "from" else row.target) is not None:
        return None
    try:
        Pointer(value)
    except DocumentInvalid as error:
        fault = error.faults[0]
        at = rows.place(f"{row.pointer}/{field}", "not a JSON Pointer")
        return rows.fault(fault.code, at, fault.message, fault.help)
    return None


def _rows(pointer: str, listed: Any) -> tuple[Row, ...]:
    return tuple(
        Row(
            pointer=f"{pointer}/{index}",
            fields=fields,
            source=_tokens(fields.get("from")),
            target=_tokens(fields.get("to")),
        )
        for index, fields in enumerate(_list(listed))
        if isinstance(fields, dict)
    )


def _tokens(text: Any) -> Tokens | None:
    if not isinstance(text, str):
        return None
    try:
        return Pointer(text).tokens
    except DocumentInvalid:
        return None


def _profile(action: dict[str, Any], meta: Any) -> tuple[dict[str, Any] | None, str]:
    """Return the profile that the action's `auth` names, and its pointer in `meta.yaml`."""
    wanted = _mapping(action.get("auth")).get("profile")
    for index, profile in enumerate(_list(_mapping(_mapping(meta).get("auth")).get("profiles"))):
        if isinstance(profile, dict) and isinstance(wanted, str) and profile.get("id") == wanted:
            return profile, f"/auth/profiles/{index}"
    return None, ""


def _mapping(value: Any) -> dict[Any, Any]:
    return value if isinstance(value, dict) else {}


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []
