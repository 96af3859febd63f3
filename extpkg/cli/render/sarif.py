"""SARIF 2.1.0, for code scanning: the rules that have results, places seen from the repository."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from extpkg.check.rules import rule
from extpkg.cli.render.escape import escaped
from extpkg.cli.render.json_report import dumped
from extpkg.cli.render.repository import uri_of
from extpkg.cli.render.rule import rule_markdown
from extpkg.version import __version__

if TYPE_CHECKING:
    from collections.abc import Sequence

    from extpkg.check.rules.rule import Rule
    from extpkg.diagnostic import Diagnostic, Position, Related, Report, Severity

SCHEMA: Final = "https://json.schemastore.org/sarif-2.1.0.json"
_ROOT: Final = "%SRCROOT%"


def render_sarif(reports: Sequence[Report]) -> str:
    """Return one SARIF run with the diagnostics of all packages."""
    found = [diagnostic for report in reports for diagnostic in report.diagnostics]
    codes = sorted({diagnostic.code for diagnostic in found})
    driver = {
        "name": "extpkg",
        "semanticVersion": __version__,
        "rules": [_rule(rule(code)) for code in codes],
    }
    run = {
        "tool": {"driver": driver},
        "columnKind": "unicodeCodePoints",
        "originalUriBaseIds": {_ROOT: {"description": {"text": "The root of the repository."}}},
        "results": [_result(diagnostic, codes.index(diagnostic.code)) for diagnostic in found],
    }
    return dumped({"$schema": SCHEMA, "version": "2.1.0", "runs": [run]})


def _rule(row: Rule) -> dict[str, Any]:
    return {
        "id": row.code,
        "name": row.name,
        "shortDescription": {"text": row.summary},
        "fullDescription": {"text": row.why},
        "defaultConfiguration": {"level": _level(row.severity)},
        "help": {"text": f"{_sentence(row.why)} {_sentence(row.fix)}", "markdown": rule_markdown(row)},
        "properties": {"section": row.section, "since": row.since},
    }


def _sentence(text: str) -> str:
    """Return a text of a rule with a capital and a full stop."""
    return f"{text[:1].upper()}{text[1:].rstrip('.')}."


def _result(diagnostic: Diagnostic, index: int) -> dict[str, Any]:
    text = escaped(diagnostic.message)
    result: dict[str, Any] = {
        "ruleId": diagnostic.code,
        "ruleIndex": index,
        "level": _level(diagnostic.severity),
        "message": {"text": f"{text}\nHelp: {escaped(diagnostic.help)}" if diagnostic.help else text},
        "locations": [_location(diagnostic)],
        "partialFingerprints": {"extpkg/v1": diagnostic.id},
    }
    if diagnostic.related:
        result["relatedLocations"] = [
            _related(diagnostic.root, related, number) for number, related in enumerate(diagnostic.related)
        ]
    return result


def _location(diagnostic: Diagnostic) -> dict[str, Any]:
    location = {"physicalLocation": _physical(diagnostic.root, diagnostic.path, diagnostic.position)}
    if diagnostic.pointer:
        location["logicalLocations"] = [{"fullyQualifiedName": escaped(diagnostic.pointer)}]
    return location


def _related(root: str, related: Related, number: int) -> dict[str, Any]:
    location: dict[str, Any] = {
        "id": number,
        "physicalLocation": _physical(root, related.path, related.position),
        "message": {"text": escaped(related.message)},
    }
    if related.pointer:
        location["logicalLocations"] = [{"fullyQualifiedName": escaped(related.pointer)}]
    return location


def _physical(root: str, path: str, position: Position | None) -> Any:
    uri, is_relative = uri_of(root, path)
    artifact = {"uri": uri, "uriBaseId": _ROOT} if is_relative else {"uri": uri}
    if position is None:
        return {"artifactLocation": artifact}
    region = {
        "startLine": position.line,
        "startColumn": position.column,
        "endLine": position.end_line,
        "endColumn": position.end_column,
    }
    return {"artifactLocation": artifact, "region": region}


def _level(severity: Severity) -> str:
    return severity.value
