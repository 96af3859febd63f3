"""What authoring made of an OpenAPI document: for people, and as JSON for tools."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from itertools import groupby
from typing import TYPE_CHECKING, Any, Final

from extpkg.canonical import canonical_text
from extpkg.cli.render.escape import escaped, shown_path
from extpkg.cli.render.json_report import dumped
from extpkg.openapi.update_merge import ABSENT
from extpkg.version import __version__

if TYPE_CHECKING:
    from collections.abc import Iterator

    from extpkg.openapi.note import Note
    from extpkg.openapi.report import AuthoringReport, Reason, Row
    from extpkg.openapi.update import Merged
    from extpkg.openapi.update_merge import Conflict

REPORT: Final = "extpkg.authoring/1"
_SHOWN: Final = 60
_IN_SCHEMAS: Final = ("schema-", "nullable-")
"""Warnings whose message does not say which of many places it means."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What a run came to: the report, where the Package was written, if anywhere, and what an update did."""

    report: AuthoringReport
    written: str | None
    version: int
    update: Merged | None = None


def render_text(outcome: Outcome) -> str:
    """Return the report: a line for each operation, what there is to say about it, and closing lines."""
    report = outcome.report
    count = _count(len(report.rows), "operation")
    lines = [f"{escaped(report.source)}: OpenAPI {escaped(report.openapi)}, {count}"]
    lines += [f"warning[{note.code}]: {escaped(note.message)}" for note in report.notes]
    for row in report.rows:
        lines += _row_lines(row)
    lines += [f"error[{fault.code}]: {escaped(fault.message)}{_at(fault)}" for fault in report.faults]
    lines += _update_lines(outcome.update)
    return "".join(f"{line}\n" for line in [*lines, *_closing(outcome)])


def closing_text(outcome: Outcome) -> str:
    """Return the closing lines of the report alone."""
    faults = [f"error[{fault.code}]: {escaped(fault.message)}" for fault in outcome.report.faults]
    return "".join(f"{line}\n" for line in [*faults, *_closing(outcome)])


def _row_lines(row: Row) -> Iterator[str]:
    place = escaped(row.place)
    if row.taken:
        auth = f", {row.profile}" if row.profile else ""
        yield f"taken     {place} -> {row.action} ({row.safety}{auth})"
    elif row.reasons:
        yield f"left out  {place}"
        yield from (f"  {each.code}: {escaped(each.message)}{_at(each)}" for each in row.reasons)
    elif row.asked:
        yield f"not taken {place}"
    else:
        yield f"not asked {place}"
    yield from _note_lines(row.notes)


def _note_lines(notes: tuple[Note, ...]) -> Iterator[str]:
    """Yield a line for each kind of note: the first of them, and how many more there are."""
    for code, group in groupby(sorted(notes, key=lambda note: note.code), key=lambda note: note.code):
        first, *rest = group
        more = f" (and {len(rest)} more)" if rest else ""
        place = f" (at {escaped(first.pointer)})" if code.startswith(_IN_SCHEMAS) and first.pointer else ""
        yield f"  warning[{code}]: {escaped(first.message)}{place}{more}"


def _at(reason: Reason) -> str:
    return f" (at {escaped(reason.pointer)})" if reason.pointer else ""


def _update_lines(update: Merged | None) -> Iterator[str]:
    if update is None:
        return
    for word, names in (("new", update.added), ("gone", update.removed), ("kept out", update.kept_out)):
        yield from (f"{word:9} {name}" for name in names)
    for conflict in update.conflicts:
        yield f"conflict  {escaped(conflict.file)} {_parted(conflict)}"


def _parted(conflict: Conflict) -> str:
    if conflict.pointer:
        yours, theirs = _brief(conflict.ours), _brief(conflict.theirs)
        return f"{escaped(conflict.pointer)}: yours stays, {yours}; the source now says {theirs}"
    if conflict.theirs is ABSENT:
        return "stays as you edited it; the source no longer makes it"
    if conflict.ours is ABSENT:
        return "stays removed; the source has changed it"
    return "stays yours; the source makes another action of this name"


def _brief(value: Any) -> str:
    if value is ABSENT:
        return "nothing"
    text = escaped(canonical_text(value))
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}\u2026"


def _closing(outcome: Outcome) -> Iterator[str]:
    report = outcome.report
    left = Counter(reason.code for row in report.left_out for reason in row.reasons[:1])
    if left:
        most = ", ".join(
            f"{code} {count}" for code, count in sorted(left.items(), key=lambda each: (-each[1], each[0]))
        )
        yield f"Left out: {most}."
    asked = sum(row.asked for row in report.rows)
    taken = f"{len(report.taken)} of {_count(asked, 'operation')} taken, {_count(report.warnings, 'warning')}"
    if outcome.update is not None:
        due = (
            "raise version: what the package means has changed"
            if outcome.update.changed
            else "version may stay"
        )
        kept_out = len(outcome.update.kept_out)
        stay = f"; {kept_out:,} of them kept out as before" if kept_out else ""
        yield f"{taken}{stay}; {_count(len(outcome.update.conflicts), 'conflict')}; {due}."
    elif report.digest is not None:
        yield f"{taken}; domain {report.domain}, {report.base_url}."
    else:
        yield f"{taken}; no package."
    if outcome.written is None:
        yield "Nothing was written."
    else:
        shown = shown_path(outcome.written)
        yield f"Wrote {shown}. Next: review it, then extpkg validate {shown}"


def _count(number: int, noun: str) -> str:
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


def render_json(outcome: Outcome) -> str:
    """Return the report as `extpkg.authoring/1`, every key always there."""
    report = outcome.report
    return dumped(
        {
            "schema": REPORT,
            "tool": {"name": "extpkg", "version": __version__},
            "source": {
                "file": report.source,
                "openapi_version": report.openapi,
                "document_version": report.document,
                "sha256": report.sha256,
            },
            "package": {
                "directory": outcome.written,
                "domain": report.domain,
                "version": outcome.version,
                "base_url": report.base_url,
                "digest": report.digest if outcome.update is None else None,
            },
            "operations": [_row(row) for row in report.rows],
            "faults": [_reason(fault) for fault in report.faults],
            "warnings": [_note(note) for note in report.notes],
            "update": _update(outcome.update),
            "summary": {
                "operations": len(report.rows),
                "taken": len(report.taken),
                "left_out": len(report.left_out),
                "warnings": report.warnings,
            },
        }
    )


def _row(row: Row) -> dict[str, Any]:
    return {
        "operation": row.place,
        "operation_id": row.operation_id,
        "pointer": row.pointer,
        "status": "taken"
        if row.taken
        else "left_out"
        if row.reasons
        else "not_taken"
        if row.asked
        else "not_asked",
        "action": row.action,
        "safety": row.safety,
        "profile": row.profile,
        "reasons": [_reason(each) for each in row.reasons],
        "warnings": [_note(each) for each in row.notes],
    }


def _reason(reason: Reason) -> dict[str, str]:
    return {"code": reason.code, "message": reason.message, "file": reason.file, "pointer": reason.pointer}


def _note(note: Note) -> dict[str, str]:
    return {"code": note.code, "message": note.message, "pointer": note.pointer}


def _update(update: Merged | None) -> dict[str, Any] | None:
    if update is None:
        return None
    return {
        "version_bump_needed": update.changed,
        "added": list(update.added),
        "removed": list(update.removed),
        "kept_out": list(update.kept_out),
        "conflicts": [
            {
                "file": each.file,
                "pointer": each.pointer,
                **{side: _side(getattr(each, side)) for side in ("base", "ours", "theirs")},
            }
            for each in update.conflicts
        ],
    }


def _side(value: Any) -> dict[str, Any]:
    return {"present": False} if value is ABSENT else {"present": True, "value": value}
