"""What changed between two versions of a package: for people, and as JSON and SARIF for tools."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from extpkg.check.report import arrange
from extpkg.check.rules import rule
from extpkg.cli.render import sarif
from extpkg.cli.render.escape import escaped, shown_path
from extpkg.cli.render.json_report import documentation, dumped
from extpkg.cli.render.projection import COMPARED, shortened
from extpkg.diagnostic import Diagnostic, Position, Report, Severity
from extpkg.diff.change import Impact, Shows
from extpkg.diff.differences import Kind
from extpkg.version import __version__

if TYPE_CHECKING:
    from collections.abc import Iterator

    from extpkg.cli.versions import Version
    from extpkg.diff.change import Change, Witness

REPORT: Final = "extpkg.diff/1"

_TITLES: Final = {
    Impact.BREAKING: "Breaking",
    Impact.COMPATIBLE: "Compatible",
    Impact.TEXT: "Text",
}
_WORDS: Final = {
    Shows.INPUT: "input",
    Shows.REQUEST: "input",
    Shows.DATA: "result",
    Shows.ANSWER: "answer",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Compared:
    """Two versions, what differs, and the version that the new one must say."""

    old: Version
    new: Version
    changes: tuple[Change, ...]
    bump: int

    @property
    def is_due(self) -> bool:
        """Whether the meaning changed."""
        return self.bump != self.old.definition.version

    def side(self, change: Change) -> tuple[str, Version]:
        """Return the version in whose files a change is shown: the new one, the old one for what is gone."""
        return ("old", self.old) if change.kind is Kind.REMOVED else ("new", self.new)

    def count(self, impact: Impact) -> int:
        """Return how many changes are of a class."""
        return sum(change.impact is impact for change in self.changes)


def render_text(compared: Compared, *, witness: bool) -> str:
    """Return the changes grouped by what they mean, and a line that says which version is due."""
    lines: list[str] = []
    for impact, title in _TITLES.items():
        chosen = [change for change in compared.changes if change.impact is impact]
        if chosen:
            lines += [
                title,
                *(line for change in chosen for line in _row(compared, change, witness=witness)),
                "",
            ]
    return "".join(f"{line}\n" for line in [*lines, _summary(compared)])


def _row(compared: Compared, change: Change, *, witness: bool) -> Iterator[str]:
    doubt = " (possible: nothing was found that shows it)" if change.possible else ""
    action = f" {escaped(change.action)}:" if change.action else ""
    yield f"  {place_of(compared, change)}: {change.code} {rule(change.code).name}{doubt}"
    yield f"   {action} {escaped(change.pointer)} {_values(change)}"
    if witness and change.witness is not None:
        yield from _shown(change.witness)


def place_of(compared: Compared, change: Change) -> str:
    """Return the file, line and column of a change, as they are printed."""
    _, version = compared.side(change)
    file, position = version.find(change.pointer, change.kind)
    return f"{shown_path(version.root, file)}:{position.line}:{position.column}"


def _values(change: Change) -> str:
    if change.kind is Kind.CHANGED:
        return f"changed: {shortened(change.old, COMPARED)} -> {shortened(change.new, COMPARED)}"
    value = change.new if change.kind is Kind.ADDED else change.old
    return f"{change.kind.value}: {shortened(value, COMPARED)}"


def _shown(witness: Witness) -> Iterator[str]:
    """Yield a witness, whole: it is there to be tried."""
    yield f"      {_WORDS[witness.shows]:<6} {_compact(witness.value)}"
    yield f"      OLD    {_outcome(witness.old)}"
    yield f"      NEW    {_outcome(witness.new)}"


def _outcome(value: Any) -> str:
    if "request" in value:
        request = value["request"]
        headers = "".join(f" {name}: {text}" for name, text in request["headers"])
        body = "" if request["body"] is None else f" {request['body']}"
        return escaped(f"{request['method']} {request['url']}{headers}{body}")
    if "error" in value:
        return escaped(f"{value['error']['code']}: {value['error']['message']}")
    if "data" in value:
        return f"gives {_compact(value['data'])}"
    return "accepted" if value["accepted"] else "refused"


def _compact(value: Any) -> str:
    return escaped(json.dumps(value, ensure_ascii=False, separators=(",", ":")))


def _summary(compared: Compared) -> str:
    old, new = compared.old.definition, compared.new.definition
    head = f"{old.domain} {old.version} -> {new.domain if new.domain != old.domain else ''} {new.version}"
    head = " ".join(head.split())
    if not compared.is_due:
        return f"{head}: no semantic change, no bump is due."
    counts = ", ".join(f"{compared.count(impact)} {impact.value}" for impact in Impact)
    said = "as it says" if new.version == compared.bump else f"and it says {new.version}"
    return f"{head}: {counts}. A bump is due: version {compared.bump}, {said}."


def render_json(compared: Compared, *, witness: bool) -> str:
    """Return the comparison as indented ASCII JSON, every key always there."""
    return dumped(
        {
            "schema": REPORT,
            "tool": {"name": "extpkg", "version": __version__},
            "old": _version(compared.old),
            "new": _version(compared.new),
            "changes": [_change(compared, change, witness=witness) for change in compared.changes],
            "summary": {
                **{impact.value: compared.count(impact) for impact in Impact},
                "possible": sum(change.possible for change in compared.changes),
                "bump": {"due": compared.is_due, "version": compared.bump},
            },
        }
    )


def _version(version: Version) -> dict[str, Any]:
    return {
        "root": shown_path(version.root),
        "domain": version.definition.domain,
        "version": version.definition.version,
        "digest": version.digest,
    }


def _change(compared: Compared, change: Change, *, witness: bool) -> dict[str, Any]:
    side, version = compared.side(change)
    file, position = version.find(change.pointer, change.kind)
    return {
        "rule": change.code,
        "name": rule(change.code).name,
        "class": change.impact.value,
        "possible": change.possible,
        "kind": change.kind.value,
        "action": change.action,
        "pointer": _plain(change.pointer),
        "side": side,
        "path": shown_path(version.root, file),
        "range": _range(position),
        "old": None if change.kind is Kind.ADDED else shortened(change.old, COMPARED),
        "new": None if change.kind is Kind.REMOVED else shortened(change.new, COMPARED),
        "witness": _witness(change.witness) if witness and change.witness else None,
        "url": documentation(change.code),
    }


def _witness(witness: Witness) -> dict[str, Any]:
    return {
        "shows": witness.shows.value,
        "action": witness.action,
        "value": witness.value,
        "old": witness.old,
        "new": witness.new,
    }


def _range(position: Position) -> dict[str, Any]:
    return {
        "start": {"line": position.line, "column": position.column},
        "end": {"line": position.end_line, "column": position.end_column},
    }


def _plain(text: str) -> str:
    return text.encode("utf-8", "backslashreplace").decode("utf-8")


def render_sarif(compared: Compared) -> str:
    """Return one SARIF run: breaking changes are errors, possible ones warnings, all others notes."""
    ordered, cut = arrange(_diagnostic(compared, change) for change in compared.changes)
    version = compared.new.definition
    report = Report(
        root=compared.new.path,
        domain=version.domain,
        version=version.version,
        digest=compared.new.digest,
        diagnostics=ordered,
        cut=cut,
    )
    return sarif.render_sarif([report])


def _diagnostic(compared: Compared, change: Change) -> Diagnostic:
    _, version = compared.side(change)
    row = rule(change.code)
    file, at = version.find(change.pointer, change.kind)
    action = f"{change.action}: " if change.action else ""
    doubt = ", possibly breaking" if change.possible else ""
    return Diagnostic(
        code=change.code,
        name=row.name,
        severity=Severity.WARNING if change.possible else row.severity,
        root=version.path,
        path=file,
        pointer=change.pointer,
        line=at.line,
        column=at.column,
        end_line=at.end_line,
        end_column=at.end_column,
        message=f"{action}{row.name}{doubt}: {_values(change)}",
        help=row.fix if change.impact is Impact.BREAKING else "",
        label="",
        related=(),
        excerpt=None,
        id="",
    )
