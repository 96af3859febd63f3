"""Judging one package: is it valid, is its digest right, is the version due, do its cases pass.

Nothing here writes anything. What publishes judges by this same function, on the bytes that it then stores.
"""

from __future__ import annotations

import re
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final

from extpkg.check.publication import PUBLICATION_CODES
from extpkg.check.report import Source, diagnose
from extpkg.definition.format import format_document
from extpkg.definition.order import Kind
from extpkg.diagnostic import Finding, Place, Severity
from extpkg.diff.areas import VERSION
from extpkg.diff.compare import bump_due, compare
from extpkg.document.files import META
from extpkg.document.strict_yaml import parse_document
from extpkg.errors import DocumentInvalid, ExtensionError, ExtpkgError
from extpkg.fixture.coverage import measure
from extpkg.fixture.find import cases_root, find_cases
from extpkg.fixture.run import run_cases
from extpkg.gate.verdict import Part, Status, Verdict
from extpkg.invocation import find_served
from extpkg.package import Package

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from extpkg.definition.model import Definition
    from extpkg.diagnostic import Diagnostic, Report
    from extpkg.diff.change import Change
    from extpkg.gate.policy import Policy
    from extpkg.package import Reading

_DIGEST_CODES: Final = frozenset({"EXT0601", "EXT0602", "EXT0603"})
_NAME_CODES: Final = PUBLICATION_CODES - _DIGEST_CODES | {"EXT0310"}
_ACTION: Final = re.compile(r"actions/[^/]+\.yaml")
_ROWS: Final = 50


@dataclass(frozen=True, slots=True, kw_only=True)
class Published:
    """The last published version that a package is compared with."""

    name: str
    definition: Definition
    digest: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """A package that is to be judged.

    `directory` holds the bytes that are judged, `place` is where the author has them; `report` is what is
    wrong, without suppressed warnings. `against` says what `published` was looked for in, "" for nothing;
    `published` is None where this is the first publication.
    """

    directory: Path
    place: str
    files: dict[str, bytes]
    reading: Reading
    report: Report
    against: str = ""
    published: Published | None = None


def judge(candidate: Candidate, policy: Policy) -> Verdict:
    """Return the verdict on one package; raises nothing for whatever is wrong with it."""
    report = candidate.report
    parts = (*judge_contract(candidate), _fixtures(candidate, policy), _format(candidate, policy))
    return Verdict(
        root=report.root,
        domain=report.domain,
        version=report.version,
        digest=candidate.reading.computed,
        previous=candidate.published.name if candidate.published else None,
        parts=parts,
        report=_whole_report(candidate, [finding for part in parts for finding in part.findings]),
    )


def judge_contract(candidate: Candidate) -> tuple[Part, ...]:
    """Return what is said of the Definition alone: validity, digest, names, and the version that is due."""
    report = candidate.report
    return _validity(report), _digest(candidate), _names(report), _version(candidate)


def _whole_report(candidate: Candidate, findings: list[Finding]) -> Report:
    """Return the report with what the gate found beside it."""
    if not findings:
        return candidate.report
    source = Source(path=META, data=candidate.files.get(META, b""))
    with suppress(DocumentInvalid):
        source.document = parse_document(source.data, META)
    found = diagnose(candidate.report.root, findings, {META: source})
    return replace(candidate.report, diagnostics=(*candidate.report.diagnostics, *found))


def _validity(report: Report) -> Part:
    found = report.diagnostics
    if not found:
        return Part(name="validate", status=Status.PASSED, reason="nothing is wrong")
    errors = sum(each.severity is Severity.ERROR for each in found)
    counted = f"{_count(errors, 'error')}, {_count(len(found) - errors, 'warning')}"
    first = next((each for each in found if each.severity is Severity.ERROR), found[0])
    return Part(
        name="validate",
        status=Status.REFUSED,
        reason=f"{counted}: {_where(first)}{first.code} {first.message}",
        rows=_diagnostics(found),
    )


def _digest(candidate: Candidate) -> Part:
    found = [each for each in candidate.report.diagnostics if each.code in _DIGEST_CODES]
    if found:
        return _refused("digest", found)
    if candidate.reading.computed is None:
        return Part(name="digest", status=Status.SKIPPED, reason="an invalid package has no digest")
    return Part(name="digest", status=Status.PASSED, reason="the digest is that of the package")


def _names(report: Report) -> Part:
    found = [each for each in report.diagnostics if each.code in _NAME_CODES]
    if found:
        return _refused("names", found)
    return Part(name="names", status=Status.PASSED, reason="the domain is free to use")


def _refused(name: str, found: list[Diagnostic]) -> Part:
    reason = f"{found[0].code} {found[0].message}"
    return Part(name=name, status=Status.REFUSED, reason=reason, rows=_diagnostics(found))


def _version(candidate: Candidate) -> Part:
    definition, published = candidate.reading.definition, candidate.published
    if not candidate.against:
        reason = "it was compared with nothing: --against says with what"
        return Part(name="version", status=Status.SKIPPED, reason=reason)
    if definition is None:
        return Part(name="version", status=Status.SKIPPED, reason="an invalid package is not compared")
    if published is None:
        reason = f"nothing of {definition.domain} is published in {candidate.against} yet"
        return Part(name="version", status=Status.PASSED, reason=reason)
    due = bump_due(published.definition, definition)
    changes = compare(published.definition, definition)
    reason = version_fault(published.definition, definition, due)
    said = summary(changes)
    return Part(
        name="version",
        status=Status.REFUSED if reason else Status.PASSED,
        reason=reason or (f"version {due} is due: {said}" if changes else "nothing changed"),
        rows=tuple(_change(each) for each in changes[:_ROWS]),
        findings=(_finding("EXT1301", META, reason, "/version"),) if reason else (),
    )


def version_fault(old: Definition, new: Definition, due: int) -> str:
    """Return why the version of `new` is not the one that is due, "" where it is."""
    if new.domain != old.domain:
        return f"the published domain is {old.domain}, and this is {new.domain}"
    if new.version == due:
        return ""
    if due == old.version:
        return f"nothing but the version changed: it must stay {old.version}, and it says {new.version}"
    if new.version == old.version:
        return f"the Definition changed and the version did not: it must say {due}"
    if new.version < old.version:
        return f"version {old.version} is published already: it must say {due}, and it says {new.version}"
    return f"the version must rise by one, to {due}, and it says {new.version}"


def summary(changes: Iterable[Change]) -> str:
    """Return how many changes there are of each class, the version's own apart, in one line."""
    counts: dict[str, int] = {}
    for change in changes:
        if change.code == VERSION:
            continue
        counts[change.impact.value] = counts.get(change.impact.value, 0) + 1
    return ", ".join(
        f"{counts[name]} {name}" for name in ("breaking", "compatible", "text") if name in counts
    )


def _fixtures(candidate: Candidate, policy: Policy) -> Part:
    definition, digest = candidate.reading.definition, candidate.reading.computed
    if definition is None or digest is None or not candidate.report.ok:
        return Part(name="fixtures", status=Status.SKIPPED, reason="an invalid package is not run")
    try:
        served = find_served(Package(root=candidate.report.root, definition=definition, digest=digest))
    except ExtensionError as error:
        return Part(name="fixtures", status=Status.REFUSED, reason=error.message)
    root = cases_root(candidate.directory, definition.domain) or cases_root(
        candidate.place, definition.domain
    )
    folders, strangers = find_cases(root, [each.name for each in definition.actions]) if root else ((), ())
    results = run_cases(folders, served)
    failed = [str(each.folder) for each in results if not each.passed]
    percent = measure(definition, served.fails_with, results).percent
    row = {"cases": len(results), "failed": failed, "coverage": percent}
    if strangers:
        reason = strangers[0].message
    elif failed:
        reason = f"{len(failed)} of {_count(len(results), 'case')} failed: {failed[0]}"
    elif percent < policy.coverage:
        reason = f"the cases cover {percent:.1f} percent, and {policy.coverage:g} are asked for"
    else:
        reason = f"{_count(len(results), 'case')} passed, coverage {percent:.1f} percent"
        return Part(name="fixtures", status=Status.PASSED, reason=reason, rows=(row,))
    finding = _finding("EXT1302", "tests", reason)
    return Part(name="fixtures", status=Status.REFUSED, reason=reason, rows=(row,), findings=(finding,))


def _format(candidate: Candidate, policy: Policy) -> Part:
    if not candidate.files:
        return Part(name="fmt", status=Status.SKIPPED, reason="the files could not be copied")
    changed = [path for path in _yaml(candidate.files) if not _is_formatted(path, candidate.files[path])]
    if not changed:
        return Part(name="fmt", status=Status.PASSED, reason="every file is in the one form")
    status = Status.REFUSED if policy.require_fmt else Status.REPORTED
    reason = f"fmt would change {_count(len(changed), 'file')}: {changed[0]}"
    message = "the file is not in the form that fmt writes"
    refusing = changed if policy.require_fmt else []
    return Part(
        name="fmt",
        status=status,
        reason=reason,
        rows=tuple({"path": path} for path in changed),
        findings=tuple(_finding("EXT1303", path, message) for path in refusing),
    )


def _finding(code: str, path: str, message: str, pointer: str = "") -> Finding:
    return Finding(code=code, place=Place(path=path, pointer=pointer), message=message)


def _yaml(files: dict[str, bytes]) -> list[str]:
    return [path for path in files if path == META or _ACTION.fullmatch(path)]


def _is_formatted(path: str, data: bytes) -> bool:
    """Whether `fmt` leaves a file alone; one that it refuses is another part's matter."""
    try:
        return format_document(data, Kind.META if path == META else Kind.ACTION) == data
    except ExtpkgError:
        return True


def _diagnostics(found: Iterable[Diagnostic]) -> tuple[dict[str, Any], ...]:
    rows = [
        {
            "code": each.code,
            "severity": each.severity.value,
            "path": each.path,
            "line": each.line,
            "column": each.column,
            "message": each.message,
        }
        for each in found
    ]
    return tuple(rows[:_ROWS])


def _change(change: Change) -> dict[str, Any]:
    return {
        "pointer": change.pointer,
        "code": change.code,
        "class": change.impact.value,
        "possible": change.possible,
    }


def _where(diagnostic: Diagnostic) -> str:
    if not diagnostic.path:
        return ""
    return f"{diagnostic.path}:{diagnostic.line}: " if diagnostic.line else f"{diagnostic.path}: "


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"
