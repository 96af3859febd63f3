"""The only exceptions that the toolkit lets out (STYLE: plain classes, foreign ones stop at one border)."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from extpkg.diagnostic import Finding, Report


class ExtpkgError(Exception):
    """Every refusal of this toolkit; its text is for people and carries no secret and no traceback."""


class DocumentInvalid(ExtpkgError):
    """Bytes, a value or a pointer that is refused.

    `faults` are all the findings, in the order of the text; each has a code and, for a text, a position.
    """

    def __init__(self, faults: tuple[Finding, ...]) -> None:
        self.faults = faults
        super().__init__("; ".join(_line(fault) for fault in faults[:5]))


class PackageInvalid(ExtpkgError):
    """A package that does not validate; `report` says everything that is wrong with it."""

    def __init__(self, report: Report) -> None:
        self.report = report
        errors = report.errors
        first = "; ".join(f"{d.path}:{d.line}:{d.column}: {d.code} {d.message}" for d in errors[:3])
        super().__init__(f"{len(errors)} errors: {first}")


def _line(fault: Finding) -> str:
    where = fault.place.position
    at = f"{where.line}:{where.column}: " if where else ""
    return f"{fault.place.path}:{at}{fault.code} {fault.message}" if fault.place.path else f"{at}{fault.code} {fault.message}"
