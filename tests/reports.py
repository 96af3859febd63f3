"""Reports made by hand, for the tests of the renderers."""

from __future__ import annotations

from typing import Any

from extpkg.diagnostic import Diagnostic, Excerpt, Position, Related, Report, Severity


def at(line: int, column: int, end_column: int, end_line: int | None = None) -> Position:
    return Position(line=line, column=column, end_line=end_line or line, end_column=end_column)


def diagnostic(**changes: Any) -> Diagnostic:
    """Return the diagnostic of the design's example, with some fields changed."""
    fields: dict[str, Any] = {
        "code": "EXT0421",
        "name": "optional-path-source",
        "severity": Severity.ERROR,
        "root": ".",
        "path": "actions/get-issue.yaml",
        "pointer": "/binding/parameters/2/from",
        "line": 19,
        "column": 14,
        "end_line": 19,
        "end_column": 21,
        "message": "path placeholder {number} is bound to an optional input field",
        "help": 'add "number" to required (changes the agent schema: needs a version bump)',
        "label": "a path source must be required at every level",
        "related": (
            Related(
                path="actions/get-issue.yaml",
                pointer="/catalog/input_schema/required",
                position=at(8, 15, 28),
                message='"number" is missing here',
                excerpt=Excerpt(line=8, text="    required: [owner, repo]"),
            ),
        ),
        "excerpt": Excerpt(line=19, text="    - {from: /number, in: path, name: number}"),
        "id": "0123456789abcdef-1",
    }
    return Diagnostic(**(fields | changes))


def bare(**changes: Any) -> Diagnostic:
    """Return a diagnostic without any text around it."""
    nothing = {"line": 0, "column": 0, "end_line": 0, "end_column": 0, "excerpt": None, "related": ()}
    return diagnostic(**(nothing | {"pointer": "", "help": "", "label": ""} | changes))


def report(*diagnostics: Diagnostic, **changes: Any) -> Report:
    """Return the report of a package with these diagnostics."""
    fields: dict[str, Any] = {
        "root": ".",
        "domain": "github",
        "version": 1,
        "digest": f"sha256:{'0' * 64}",
        "diagnostics": diagnostics,
    }
    return Report(**(fields | changes))
