"""Suppression of warnings by a file outside the package: what `extpkg.toml` may say, and what it then does.

```toml
[[suppress]]
rule = "EXT0717"                    # a warning's code or name
path = "packages/*/actions/*.yaml"  # from the file's folder, or any tail of the path: "actions/get-*.yaml"
pointer = "/catalog"                # optional: this place and all below it
reason = "…"
expires = 2027-01-31                # optional: the last day on which it counts (UTC)
```
"""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass
from datetime import date, datetime
from typing import TYPE_CHECKING, Any

from extpkg.check.rules import rule_named
from extpkg.diagnostic import Diagnostic, Finding, Place, Position, Severity, quoted

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

_FIELDS = {"rule": str, "path": str, "pointer": str, "reason": str, "expires": date}
_REQUIRED = ("rule", "path", "reason")
_HEADER = re.compile(r"^[ \t]*\[\[[ \t]*suppress[ \t]*\]\]", re.MULTILINE)
_TOML_PLACE = re.compile(r"\(at line (\d+), column (\d+)\)")


@dataclass(frozen=True, slots=True, kw_only=True)
class Suppression:
    """One entry of the file: which warnings it silences, why, until when, and where it stands."""

    code: str
    path: re.Pattern[str]
    pointer: str
    reason: str
    expires: date | None
    place: Place

    def covers(self, diagnostic: Diagnostic, path: str) -> bool:
        """Whether it silences `diagnostic`, whose file is `path` seen from the configuration's folder."""
        return (
            diagnostic.severity is Severity.WARNING
            and diagnostic.code == self.code
            and self.path.search(path) is not None
            and (diagnostic.pointer + "/").startswith(self.pointer.rstrip("/") + "/")
        )


def read_suppressions(data: bytes, name: str) -> tuple[tuple[Suppression, ...], tuple[Finding, ...]]:
    """Return the entries of a configuration file and the findings (EXT1112) on what is wrong with it."""
    try:
        text = data.decode("utf-8")
        table = tomllib.loads(text)
    except UnicodeDecodeError:
        return (), (_fault(name, _at(1, 1), "the file is not UTF-8"),)
    except (tomllib.TOMLDecodeError, RecursionError, ValueError) as error:
        found = _TOML_PLACE.search(str(error))
        where = _at(int(found[1]), int(found[2])) if found else _at(1, 1)
        return (), (_fault(name, where, "the file is not TOML"),)
    places = [_at(text.count("\n", 0, match.start()) + 1, 1) for match in _HEADER.finditer(text)]
    entries: list[Suppression] = []
    findings = [
        _fault(name, _at(1, 1), f"unknown table {quoted(key)}; known are [[suppress]] and [gate]")
        for key in sorted(table)
        if key not in {"suppress", "gate"}
    ]
    rows = table.get("suppress", [])
    if not isinstance(rows, list):
        return (), (*findings, _fault(name, _at(1, 1), "suppress is no list of tables"))
    for index, row in enumerate(rows):
        where = places[index] if index < len(places) else _at(1, 1)
        problem = _problem(row)
        if problem:
            findings.append(_fault(name, where, problem))
        else:
            entries.append(_entry(row, Place(path=name, position=where)))
    return tuple(entries), tuple(findings)


def expired(entries: Iterable[Suppression], today: date) -> Iterator[Finding]:
    """Yield a finding (EXT1111) for each entry whose last day is past."""
    for entry in entries:
        if entry.expires is not None and entry.expires < today:
            yield Finding(
                code="EXT1111",
                place=entry.place,
                message=f"the suppression of {entry.code} expired on {entry.expires.isoformat()}",
            )


def unused(entries: Iterable[Suppression], used: set[Suppression]) -> Iterator[Finding]:
    """Yield a finding (EXT1110) for each entry that has silenced nothing."""
    for entry in entries:
        if entry not in used:
            yield Finding(
                code="EXT1110",
                place=entry.place,
                message=f"the suppression of {entry.code} silences nothing in this run",
            )


def _problem(row: Any) -> str:
    if not isinstance(row, dict):
        return "an entry is no table"
    return _member_problem(row) or _rule_problem(row["rule"])


def _member_problem(row: dict[str, Any]) -> str:
    for key, value in row.items():
        if key not in _FIELDS:
            return f"unknown key {quoted(key)}; known are {', '.join(_FIELDS)}"
        if not isinstance(value, _FIELDS[key]) or isinstance(value, datetime):
            return f"{key} must be a {'date' if key == 'expires' else 'string'}"
    missing = [key for key in _REQUIRED if not str(row.get(key, "")).strip()]
    return f"{missing[0]} is missing or empty" if missing else ""


def _rule_problem(text: str) -> str:
    found = rule_named(text)
    if found is None:
        return f"there is no rule {quoted(text)}"
    if found.severity is Severity.ERROR:
        return f"{found.code} is an error, and errors cannot be suppressed"
    return ""


def _entry(row: dict[str, Any], place: Place) -> Suppression:
    found = rule_named(row["rule"])
    code = found.code if found else ""
    return Suppression(
        code=code,
        path=_glob(row["path"]),
        pointer=row.get("pointer", ""),
        reason=row["reason"],
        expires=row.get("expires"),
        place=place,
    )


def _glob(pattern: str) -> re.Pattern[str]:
    """`*` and `?` stay inside one segment, `**` spans them; without a leading `/` any tail may match."""
    start = r"\A" if pattern.startswith("/") else r"(?:\A|/)"
    tokens = re.findall(r"\*\*/?|\*|\?|[^*?]+", pattern.removeprefix("/"))
    spelled = {"**/": r"(?:[^/]+/)*", "**": r".*", "*": r"[^/]*", "?": r"[^/]"}
    return re.compile(start + "".join(spelled.get(t, re.escape(t)) for t in tokens) + r"\Z", re.DOTALL)


def _fault(name: str, where: Position, message: str) -> Finding:
    return Finding(code="EXT1112", place=Place(path=name, position=where), message=message)


def _at(line: int, column: int) -> Position:
    return Position(line=line, column=column, end_line=line, end_column=column)
