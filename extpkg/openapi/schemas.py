"""Schemas of a source as JSON Schema 2020-12 under R-SCH, one direction at a time."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from extpkg.openapi.node import Node
    from extpkg.openapi.note import Note
    from extpkg.openapi.source import Source

Direction = Literal["input", "output"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Converted:
    """A schema without `$schema`, the definitions that it refers to as `#/$defs/NAME`, and notes on the way.

    The root is never a bare `$ref`. Schemas of one action and one direction join: equal names are equal
    definitions. Nothing in it may be changed: parts are shared.
    """

    schema: Any
    definitions: dict[str, Any] = field(default_factory=dict)
    notes: tuple[Note, ...] = ()


def convert(source: Source, node: Node, direction: Direction) -> Converted:
    """Return the schema that stands at `node`. Raises `Unusable` where none can be made that means the same."""
    found = source.follow(node)
    return Converted(schema=found.value if direction else found.value)
