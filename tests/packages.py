"""Packages on disk as the values of their files, with no more than reading between."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from extpkg.document.strict_yaml import parse_document

if TYPE_CHECKING:
    from pathlib import Path


def values(package: Path) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    meta = parse_document((package / "meta.yaml").read_bytes()).value
    return meta, [parse_document((package / entry["file"]).read_bytes()).value for entry in meta["actions"]]
