"""The static rules of a schema (R-SCH-1 to 3, 5 to 7)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from extpkg.diagnostic import Part

if TYPE_CHECKING:
    from collections.abc import Iterator


@dataclass(frozen=True, slots=True, kw_only=True)
class SchemaFault:
    """One fault of a schema: the rule's code, where it is, what is wrong there and what would mend it."""

    code: str
    pointer: str
    part: Part = Part.VALUE
    message: str
    help: str = ""


def check_schema(schema: Any, pointer: str = "") -> Iterator[SchemaFault]:
    """Yield what is wrong with `schema`, which stands at `pointer` of its file; evaluates no example."""
    yield from ()


def check_input_root(schema: Any, pointer: str = "") -> Iterator[SchemaFault]:
    """Yield what an `input_schema` lacks at its root: `type: object`, and closed (R-SCH-2)."""
    yield from ()
