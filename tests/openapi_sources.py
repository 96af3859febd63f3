"""Sources for the tests of authoring, written to a directory and read."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from extpkg.openapi.schemas import Converted, Direction, convert
from extpkg.openapi.source import Source, read_source

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from extpkg.openapi.node import Node


def written(folder: Path, files: Mapping[str, str | bytes], entry: str = "openapi.yaml") -> Path:
    """Write files below a folder, and return the path of the entry."""
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return folder / entry


def read(folder: Path, text: str | bytes) -> Source:
    """Return the source that one text is."""
    return read_source(written(folder, {"openapi.yaml": text}))


def with_schemas(folder: Path, schemas: dict[str, Any], version: str = "3.0.3") -> Source:
    """Return a source whose components are these schemas."""
    if version == "2.0":
        document: dict[str, Any] = {"swagger": version, "paths": {}, "definitions": schemas}
    else:
        document = {"openapi": version, "paths": {}, "components": {"schemas": schemas}}
    document["info"] = {"title": "t", "version": "1"}
    return read(folder, json.dumps(document, ensure_ascii=False))


def at(source: Source, *tokens: str) -> Node:
    """Return the node that the members lead to."""
    node = source.root
    for token in tokens:
        below = node.get(token)
        assert below is not None, token
        node = below
    return node


def schema(folder: Path, value: Any, direction: Direction = "input", version: str = "3.0.3") -> Converted:
    """Return what one schema becomes."""
    source = with_schemas(folder, {"It": value}, version)
    tokens = ("definitions", "It") if version == "2.0" else ("components", "schemas", "It")
    return convert(source, at(source, *tokens), direction)
