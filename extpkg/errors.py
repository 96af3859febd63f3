"""The only exceptions that the toolkit lets out (STYLE: plain classes, foreign ones stop at one border)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from extpkg.diagnostic import Diagnostic, Finding, Report

ErrorCode = Literal[
    "validation",
    "permission_denied",
    "not_found",
    "conflict",
    "agent_extension_catalog_stale",
    "provider_auth_unavailable",
    "rate_limited",
    "upstream_failure",
    "internal",
    "canceled",
    "deadline_exceeded",
]
"""Why an invocation gave no result (R-ERR-1). The last two are the caller's own doing."""


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
        first = "; ".join(f"{_at(d)}{d.code} {d.message}" for d in errors[:3])
        super().__init__(f"{len(errors)} error{'' if len(errors) == 1 else 's'}: {first}")


class ExtensionError(ExtpkgError):
    """An invocation that gave no result.

    `message` is one line for the Agent, `details` a JSON object for programs, None where there is nothing to
    add. Neither holds anything that the upstream said (R-RES-4), and no foreign exception is chained to it.
    """

    def __init__(self, code: ErrorCode, message: str, details: dict[str, Any] | None = None) -> None:
        self.code = code
        self.message = message
        self.details = details
        super().__init__(f"{code}: {message}")

    def envelope(self) -> dict[str, Any]:
        """Return `{"error": {"code", "message", "details"?}}` (R-ERR-2)."""
        error: dict[str, Any] = {"code": self.code, "message": self.message}
        if self.details is not None:
            error["details"] = self.details
        return {"error": error}


def _at(diagnostic: Diagnostic) -> str:
    """Return where a diagnostic stands, as far as it says it: `file:line:column: `, `file: ` or nothing."""
    if not diagnostic.path:
        return ""
    where = f":{diagnostic.line}:{diagnostic.column}" if diagnostic.line else ""
    return f"{diagnostic.path}{where}: "


def _line(fault: Finding) -> str:
    where = fault.place.position
    at = f"{where.line}:{where.column}: " if where else ""
    return (
        f"{fault.place.path}:{at}{fault.code} {fault.message}"
        if fault.place.path
        else f"{at}{fault.code} {fault.message}"
    )
