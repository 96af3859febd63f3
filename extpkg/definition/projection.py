"""The projection of a Definition, its bytes and its digest (R-DIG-1, R-DIG-2; `docs/digest.md`)."""

from __future__ import annotations

from hashlib import sha256
from typing import TYPE_CHECKING, Any, Final

from extpkg.canonical import canonical_json
from extpkg.definition.normalize import normalize

if TYPE_CHECKING:
    from collections.abc import Iterator

    from extpkg.definition.model import Action, Binding, Catalog, Definition, Profile

CONTRACT: Final = "extpkg.definition/1"
"""The name of these rules; a change to any of them needs another one (R-DIG-1)."""


def projection(definition: Definition) -> bytes:
    """Return the RFC 8785 bytes of the projection; equal Definitions, normalized or not, give equal bytes."""
    return b"".join(_parts(normalize(definition)))


def digest(projected: bytes) -> str:
    """Return `sha256:` and 64 lower-case hex digits for a projection's bytes."""
    return "sha256:" + sha256(projected).hexdigest()


def digest_of_normal(normal: Definition) -> str:
    """Return the digest of a Definition that `normalize` has returned; its bytes are never held whole."""
    hashed = sha256()
    for part in _parts(normal):
        hashed.update(part)
    return "sha256:" + hashed.hexdigest()


def project(definition: Definition) -> dict[str, Any]:
    """Return the projection as a JSON value: every member present, sets in their order (R-DIG-2)."""
    normal = normalize(definition)
    return _frame(normal) | {"actions": [_action(action) for action in normal.actions]}


def _parts(normal: Definition) -> Iterator[bytes]:
    """Yield the bytes of the projection, one action at a time: `actions` is its first member by name."""
    opening = b'{"actions":['
    frame = canonical_json(_frame(normal))
    for action in normal.actions:
        yield opening + canonical_json(_action(action))
        opening = b","
    yield (b"" if normal.actions else opening) + b"]," + frame.removeprefix(b"{")


def _frame(normal: Definition) -> dict[str, Any]:
    """Return the members of the projection but its actions."""
    return {
        "contract": CONTRACT,
        "domain": normal.domain,
        "version": normal.version,
        "name": normal.name,
        "description": normal.description,
        "endpoint": {"base_url": normal.base_url} if normal.base_url is not None else None,
        "auth": {"profiles": [_profile(profile) for profile in normal.profiles]},
    }


def _profile(profile: Profile) -> dict[str, Any]:
    value = {"id": profile.id, "type": profile.type}
    if profile.location is not None and profile.name is not None:
        value |= {"in": profile.location, "name": profile.name}
    return value


def _action(action: Action) -> dict[str, Any]:
    auth = action.auth
    return {
        "name": action.name,
        "auth": {"profile": auth.profile, "required_scopes": list(auth.required_scopes)} if auth else None,
        "catalog": _catalog(action.catalog),
        "binding": _binding(action.binding) if action.binding else None,
    }


def _catalog(catalog: Catalog) -> dict[str, Any]:
    safety = catalog.safety
    return {
        "summary": catalog.summary,
        "description": catalog.description,
        "safety": {
            "class": safety.classification,
            "idempotent": safety.idempotent,
            "destructive": safety.destructive,
        },
        "input_schema": catalog.input_schema,
        "output_schema": catalog.output_schema,
        "example": catalog.example,
    }


def _binding(binding: Binding) -> dict[str, Any]:
    body = binding.body
    response = binding.response
    return {
        "method": binding.method,
        "path": binding.path,
        "static_headers": dict(binding.static_headers),
        "parameters": [
            {"from": p.source, "in": p.location, "name": p.name, "style": p.style, "explode": p.explode}
            for p in binding.parameters
        ],
        "body": {
            "content_type": body.content_type,
            "mappings": [{"from": mapping.source, "to": mapping.target} for mapping in body.mappings],
        }
        if body
        else None,
        "response": {
            "mode": response.mode,
            "success_statuses": list(response.success_statuses),
            "content_types": list(response.content_types),
            "max_bytes": response.max_bytes,
        },
    }
