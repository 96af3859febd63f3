"""What is wrong with a value, said so that whoever wrote it knows what to change."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Violation:
    """A place of a value that its schema refuses.

    `pointer` is the place in the value, `keyword` what refuses it, `schema_pointer` where that keyword stands.
    """

    pointer: str
    keyword: str
    schema_pointer: str
    message: str


def explain(part, value, limit):
    return (Violation(pointer="", keyword="", schema_pointer="", message="is refused"),)


def too_costly(reason: str) -> Violation:
    """Return the violation of a value that costs more than R-SCH-5 allows."""
    return Violation(pointer="", keyword="", schema_pointer="", message=reason)
