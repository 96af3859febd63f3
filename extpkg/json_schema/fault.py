"""What the static rules of a schema yield."""

from __future__ import annotations

from dataclasses import dataclass

from extpkg.diagnostic import Part


@dataclass(frozen=True, slots=True, kw_only=True)
class SchemaFault:
    """One fault of a schema: the rule's code, where it is, what is wrong there and what would mend it.

    `pointer` begins with the pointer that the schema was checked under.
    """

    code: str
    pointer: str
    message: str
    part: Part = Part.VALUE
    help: str = ""
