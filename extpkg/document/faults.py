"""Collecting every fault of one text, each with its place (R-DOC-6)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from extpkg.diagnostic import Finding, Part, Place, Position
from extpkg.errors import DocumentInvalid

if TYPE_CHECKING:
    from extpkg.document.lines import Lines


FAULTS: Final = 1_000
"""Findings after which reading a text ends: more help nobody, and a hostile text has a million."""


class Faults:
    """The findings about one text so far; `raise_any` refuses the text if there are some."""

    __slots__ = ("found", "lines", "name")

    def __init__(self, name: str, lines: Lines) -> None:
        self.name = name
        self.lines = lines
        self.found: list[Finding] = []

    def add(self, finding: Finding) -> None:
        """Keep one finding; raise `DocumentInvalid` with all of them at the thousandth."""
        self.found.append(finding)
        if len(self.found) >= FAULTS:
            self.raise_any()

    def place(
        self, span: tuple[int, int], pointer: str = "", part: Part = Part.VALUE, label: str = ""
    ) -> Place:
        """Return the place of a span of offsets."""
        position = self.lines.position(*span)
        return Place(path=self.name, pointer=pointer, part=part, position=position, label=label)

    def raise_any(self) -> None:
        """Raise `DocumentInvalid` with all findings in the order of the text, if there are any."""
        if self.found:
            raise self.refusal()

    def refusal(self) -> DocumentInvalid:
        """Return the exception that carries all findings in the order of the text."""
        return DocumentInvalid(tuple(sorted(self.found, key=_order)))


def _order(finding: Finding) -> tuple[Position, str]:
    position = finding.place.position
    assert position is not None  # noqa: S101 - every finding of a reader has one
    return position, finding.code


def refusal(name: str, code: str, message: str) -> DocumentInvalid:
    """Return the refusal of a whole text, which stands at its first character."""
    position = Position(line=1, column=1, end_line=1, end_column=1)
    return DocumentInvalid((Finding(code=code, place=Place(path=name, position=position), message=message),))
