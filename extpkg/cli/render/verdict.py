"""A verdict as a person reads it: a line for each package, and one for each part below it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from extpkg.cli.render.escape import escaped, shown_path
from extpkg.cli.render.table import table

if TYPE_CHECKING:
    from collections.abc import Sequence

    from extpkg.gate.verdict import Verdict

_SHOWN: Final = 20


def render_verdicts(verdicts: Sequence[Verdict]) -> str:
    """Return the verdicts and, where there are several, how many passed."""
    lines = [line for verdict in verdicts for line in _lines(verdict)]
    if len(verdicts) > 1:
        passed = sum(verdict.passed for verdict in verdicts)
        lines.append(f"{passed} of {len(verdicts)} packages pass.")
    return "".join(f"{line}\n" for line in lines)


def _lines(verdict: Verdict) -> list[str]:
    named = "" if verdict.domain is None else f" ({escaped(verdict.domain)}@{verdict.version})"
    what = "PASS" if verdict.passed else "REFUSED"
    head = f"{what} {shown_path(verdict.root)}{named}"
    rows = [[part.status.value, part.name, escaped(part.reason)] for part in verdict.parts]
    changes = [row for part in verdict.parts if part.name == "version" for row in part.rows]
    return [head, *table(rows, "  "), *map(_change, changes[:_SHOWN])]


def _change(row: dict[str, Any]) -> str:
    possible = " (possible)" if row["possible"] else ""
    return f"    {row['class']}{possible} {row['code']} {escaped(row['pointer'])}"
