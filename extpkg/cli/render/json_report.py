"""The JSON report: `extpkg.report/1`, every key always there (its schema is `schemas/report.schema.json`)."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final

from extpkg.cli.render.escape import escaped, shown_path
from extpkg.version import __version__

if TYPE_CHECKING:
    from collections.abc import Sequence

    from extpkg.diagnostic import Diagnostic, Position, Related, Report

REPORT: Final = "extpkg.report/1"


def render_json(reports: Sequence[Report], *, strict: bool) -> str:
    """Return the report of a run as indented ASCII JSON; `strict` says whether warnings refuse a package."""
    errors = sum(len(report.errors) for report in reports)
    total = sum(len(report.diagnostics) for report in reports)
    valid = sum(is_valid(report, strict=strict) for report in reports)
    return dumped(
        {
            "schema": REPORT,
            "tool": {"name": "extpkg", "version": __version__},
            "packages": [_package(report, strict=strict) for report in reports],
            "diagnostics": [_diagnostic(d) for report in reports for d in report.diagnostics],
            "summary": {
                "packages": len(reports),
                "valid": valid,
                "invalid": len(reports) - valid,
                "errors": errors,
                "warnings": total - errors,
            },
        }
    )


def dumped(value: Any) -> str:
    r"""Return JSON in ASCII with a final newline, where no string holds a CI command (`##[`) as such."""
    return json.dumps(value, indent=2).replace("##", "#\\u0023") + "\n"


def is_valid(report: Report, *, strict: bool) -> bool:
    """Whether the package passes: no error, and under `strict` no warning."""
    return not (report.diagnostics if strict else report.errors)


def documentation(code: str) -> str:
    """Return where a rule is documented, relative to the root of the project."""
    return f"docs/rules/{code}.md"


def _package(report: Report, *, strict: bool) -> dict[str, Any]:
    return {
        "root": shown_path(report.root),
        "domain": report.domain,
        "version": report.version,
        "digest": report.digest,
        "status": "valid" if is_valid(report, strict=strict) else "invalid",
    }


def _diagnostic(diagnostic: Diagnostic) -> dict[str, Any]:
    return {
        "id": diagnostic.id,
        "rule": diagnostic.code,
        "name": diagnostic.name,
        "severity": diagnostic.severity.value,
        "message": escaped(diagnostic.message),
        "path": shown_path(diagnostic.root, diagnostic.path),
        "pointer": _plain(diagnostic.pointer),
        "range": _range(diagnostic.position),
        "related": [_related(diagnostic, related) for related in diagnostic.related],
        "help": escaped(diagnostic.help),
        "url": documentation(diagnostic.code),
    }


def _related(diagnostic: Diagnostic, related: Related) -> dict[str, Any]:
    return {
        "path": shown_path(diagnostic.root, related.path),
        "pointer": _plain(related.pointer),
        "range": _range(related.position),
        "message": escaped(related.message),
    }


def _range(position: Position | None) -> dict[str, Any] | None:
    if position is None:
        return None
    return {
        "start": {"line": position.line, "column": position.column},
        "end": {"line": position.end_line, "column": position.end_column},
    }


def _plain(text: str) -> str:
    """Return text that machines compare: as it is, without what no JSON reader takes (lone surrogates)."""
    return text.encode("utf-8", "backslashreplace").decode("utf-8")
