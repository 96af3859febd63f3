"""What the gate says: a status for each part of it, and one for the package (schemas/verdict.schema.json)."""

from __future__ import annotations

import enum
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from extpkg.canonical import canonical_json
from extpkg.check.rules import RULES
from extpkg.version import __version__

if TYPE_CHECKING:
    from collections.abc import Sequence

    from extpkg.diagnostic import Finding, Report
    from extpkg.gate.policy import Policy

CONTRACT: Final = "extpkg.verdict/1"


class Status(enum.Enum):
    """What became of one part; only `refused` refuses the package."""

    PASSED = "passed"
    REFUSED = "refused"
    SKIPPED = "skipped"
    REPORTED = "reported"


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """One question that the gate asks, its answer, and why in one line.

    `rows` are for programs, `findings` for reports: what this part alone found.
    """

    name: str
    status: Status
    reason: str
    rows: tuple[dict[str, Any], ...] = ()
    findings: tuple[Finding, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """The verdict on one package; `digest` is the computed one, None where there is none.

    `previous` is the published version that it was compared with, as `DOMAIN@VERSION`, None without one.
    `report` has every diagnostic behind the verdict.
    """

    root: str
    domain: str | None
    version: int | None
    digest: str | None
    previous: str | None
    parts: tuple[Part, ...]
    report: Report

    @property
    def passed(self) -> bool:
        """Whether the package may be published."""
        return all(part.status is not Status.REFUSED for part in self.parts)

    @property
    def reason(self) -> str:
        """Why the package is refused, in one line: the first part that refuses it; "" where none does."""
        return next((part.reason for part in self.parts if part.status is Status.REFUSED), "")


def verdict_document(verdicts: Sequence[Verdict], policy: Policy) -> dict[str, Any]:
    """Return the one document that a gate's run ends in, as a JSON value."""
    return {
        "contract": CONTRACT,
        "tool": {"name": "extpkg", "version": __version__},
        "ruleset": ruleset(),
        "policy": policy.document(),
        "passed": all(verdict.passed for verdict in verdicts),
        "packages": [_package(verdict) for verdict in verdicts],
    }


def ruleset() -> str:
    """Return the digest of the rules that this version judges by: their codes, names and severities."""
    from extpkg.library.entry import digest_of

    return digest_of(canonical_json([[row.code, row.name, row.severity.value] for row in RULES]))


def _package(verdict: Verdict) -> dict[str, Any]:
    return {
        "root": verdict.root,
        "domain": verdict.domain,
        "version": verdict.version,
        "digest": verdict.digest,
        "previous": verdict.previous,
        "passed": verdict.passed,
        "reason": verdict.reason,
        "parts": [
            {
                "name": part.name,
                "status": part.status.value,
                "reason": part.reason,
                "rows": list(part.rows),
            }
            for part in verdict.parts
        ],
    }
