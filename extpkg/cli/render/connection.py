"""Connections as they are shown: configuration, and of a credential whether it is configured."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from extpkg.cli.render.escape import escaped
from extpkg.cli.render.table import table

if TYPE_CHECKING:
    from collections.abc import Sequence

    from extpkg.connections import Entry
    from extpkg.extension import ConnectionForm

NONE = "No connection is set. Make one with: extpkg connection set NAME\n"


def summary(entry: Entry, form: ConnectionForm | None) -> dict[str, Any]:
    """Return a connection as JSON: all that reading one may show (seed 004 section 5)."""
    fields = [*(field.name for field in form.credentials)] if form else []
    fields += [name for name in entry.configured if name not in fields]
    return {
        "extension": entry.name,
        "active": entry.problem is None and form is not None,
        "config": dict(entry.config),
        "credentials": {name: {"configured": name in entry.configured} for name in fields},
        "problem": None if entry.problem is None else entry.problem.envelope()["error"],
    }


def shown_list(rows: Sequence[dict[str, Any]]) -> str:
    """Return connections as a table, what is wrong with one under it."""
    if not rows:
        return NONE
    heads = ["name", "state", "configuration", "credentials"]
    cells = [[row["extension"], _state(row), _config(row), _credentials(row)] for row in rows]
    lines = table([heads, *cells])
    problems = [f"{row['extension']}: {escaped(row['problem']['message'])}" for row in rows if row["problem"]]
    return "".join(f"{line}\n" for line in [*lines, *problems])


def shown_one(row: dict[str, Any]) -> str:
    """Return one connection, a line for each member."""
    cells = [["state", _state(row)]]
    cells += [[name, escaped(str(value))] for name, value in row["config"].items()]
    cells += [[name, _configured(field)] for name, field in row["credentials"].items()]
    lines = [row["extension"], *table(cells, "  ")]
    if row["problem"]:
        lines.append(escaped(row["problem"]["message"]))
    return "".join(f"{line}\n" for line in lines)


def _state(row: dict[str, Any]) -> str:
    return "active" if row["active"] else "not usable"


def _config(row: dict[str, Any]) -> str:
    return ", ".join(f"{name}={escaped(str(value))}" for name, value in row["config"].items()) or "-"


def _credentials(row: dict[str, Any]) -> str:
    return ", ".join(f"{name} {_configured(field)}" for name, field in row["credentials"].items()) or "-"


def _configured(field: dict[str, bool]) -> str:
    return "configured" if field["configured"] else "not configured"
