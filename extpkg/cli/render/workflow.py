"""Annotations of GitHub Actions: one workflow command for each diagnostic."""

from __future__ import annotations

from typing import TYPE_CHECKING

from extpkg.cli.render.escape import escaped, unlocalized
from extpkg.cli.render.repository import repository_path

if TYPE_CHECKING:
    from collections.abc import Sequence

    from extpkg.diagnostic import Diagnostic, Report


def render_workflow(reports: Sequence[Report]) -> str:
    """Return `::error` and `::warning` commands, every value encoded so that it stays one value."""
    return "".join(f"{_command(d)}\n" for report in reports for d in report.diagnostics)


def _command(diagnostic: Diagnostic) -> str:
    path, _ = repository_path(diagnostic.root, diagnostic.path)
    properties = {"title": f"{diagnostic.code} {diagnostic.name}", "file": escaped(unlocalized(path))}
    position = diagnostic.position
    if position is not None:
        properties |= {"line": str(position.line), "endLine": str(position.end_line)}
        if position.line == position.end_line:
            properties |= {"col": str(position.column), "endColumn": str(position.end_column)}
    text = escaped(diagnostic.message)
    if diagnostic.help:
        text += f"\nhelp: {escaped(diagnostic.help)}"
    listed = ",".join(f"{name}={_property(value)}" for name, value in properties.items())
    return f"::{diagnostic.severity.value} {listed}::{_data(text)}"


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
