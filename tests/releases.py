"""Packages as a history of releases has them: small, valid, and told apart by one text."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from extpkg.canonical import canonical_json
from extpkg.definition.build import build
from extpkg.definition.projection import digest, projection

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

_SCHEMA = "https://json-schema.org/draft/2020-12/schema"


def action(marker: str) -> dict[str, Any]:
    """Return an action that takes nothing and whose summary is `marker`."""
    return {
        "name": "ping",
        "auth": None,
        "catalog": {
            "summary": marker,
            "description": marker,
            "safety": {"class": "read", "idempotent": True, "destructive": False},
            "input_schema": {"$schema": _SCHEMA, "type": "object", "additionalProperties": False},
            "output_schema": {"$schema": _SCHEMA, "type": "object"},
            "example": {},
        },
        "binding": {
            "method": "GET",
            "path": "/ping",
            "response": {
                "mode": "passthrough",
                "success_statuses": [200],
                "content_types": ["application/json"],
            },
        },
    }


def meta(domain: object, version: object) -> dict[str, Any]:
    """Return a `meta.yaml` without a digest."""
    return {
        "schema_version": 1,
        "domain": domain,
        "version": version,
        "name": "Ping",
        "description": "Answers.",
        "endpoint": {"base_url": "https://api.ping.example"},
        "actions": [{"name": "ping", "file": "actions/ping.yaml"}],
    }


def release(root: Path, *, domain: object = "a", version: object = 1, marker: str = "A") -> Path:
    """Write one release at `root`, with its digest, as JSON, which YAML reads; return `root`."""
    about = meta(domain, version)
    if isinstance(version, int) and isinstance(domain, str):
        about["digest"] = digest(projection(build(about, [action(marker)])))
    else:
        about["digest"] = "sha256:" + "0" * 64
    (root / "actions").mkdir(parents=True)
    (root / "meta.yaml").write_bytes(canonical_json(about))
    (root / "actions" / "ping.yaml").write_bytes(canonical_json(action(marker)))
    return root


def rewritten(root: Path, change: Callable[[dict[str, Any]], object]) -> Path:
    """Change the action of the release at `root`, and write the digest that it then has."""
    about = json.loads((root / "meta.yaml").read_bytes())
    value = json.loads((root / "actions" / "ping.yaml").read_bytes())
    change(value)
    about["digest"] = digest(projection(build(about, [value])))
    (root / "meta.yaml").write_bytes(canonical_json(about))
    (root / "actions" / "ping.yaml").write_bytes(canonical_json(value))
    return root


def reformatted(root: Path) -> Path:
    """Say the same in other bytes: a comment is put into every file of the release at `root`."""
    for file in (root / "meta.yaml", root / "actions" / "ping.yaml"):
        file.write_bytes(b"# the same\n" + file.read_bytes())
    return root
