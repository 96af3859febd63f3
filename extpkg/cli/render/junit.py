"""JUnit XML, for test reports: a suite for each package, a failed case for each error."""

from __future__ import annotations

from typing import TYPE_CHECKING

from extpkg.cli.render.escape import escaped, shown_path
from extpkg.diagnostic import Severity

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from extpkg.diagnostic import Diagnostic, Report


def render_junit(reports: Sequence[Report], *, strict: bool) -> str:
    """Return the report as ASCII XML without times; a warning fails only under `strict`."""
    suites = [line for report in reports for line in _suite(report, strict=strict)]
    failures = sum(_failed(report, strict=strict) for report in reports)
    tests = sum(max(len(report.diagnostics), 1) for report in reports)
    return document(suites, tests=tests, failures=failures)


def document(suites: Sequence[str], *, tests: int, failures: int) -> str:
    """Return a whole report as ASCII XML; `suites` are its lines."""
    head = f'<testsuites name="extpkg" tests="{tests}" failures="{failures}" errors="0">'
    text = "\n".join(['<?xml version="1.0" encoding="UTF-8"?>', head, *suites, "</testsuites>"]) + "\n"
    return text.encode("ascii", "xmlcharrefreplace").decode("ascii")


def _failed(report: Report, *, strict: bool) -> int:
    return len(report.diagnostics if strict else report.errors)


def _suite(report: Report, *, strict: bool) -> Iterator[str]:
    name = xml_text(shown_path(report.root))
    tests = max(len(report.diagnostics), 1)
    failures = _failed(report, strict=strict)
    yield f'  <testsuite name="{name}" tests="{tests}" failures="{failures}" errors="0" skipped="0">'
    if not report.diagnostics:
        yield f'    <testcase classname="{name}" name="package"/>'
    for diagnostic in report.diagnostics:
        yield from _case(diagnostic, failed=strict or diagnostic.severity is Severity.ERROR)
    yield "  </testsuite>"


def _case(diagnostic: Diagnostic, *, failed: bool) -> Iterator[str]:
    place = shown_path(diagnostic.root, diagnostic.path)
    if diagnostic.line:
        place += f":{diagnostic.line}:{diagnostic.column}"
    message = xml_text(escaped(diagnostic.message))
    title = xml_text(f"{diagnostic.code} {diagnostic.name} at {place}")
    yield f'    <testcase classname="{xml_text(shown_path(diagnostic.root))}" name="{title}">'
    details = [f"{place}: {escaped(diagnostic.message)}"]
    details += [f"at: {escaped(diagnostic.pointer)}"] if diagnostic.pointer else []
    details += [f"help: {escaped(diagnostic.help)}"] if diagnostic.help else []
    body = xml_text("\n".join(details))
    if failed:
        kind = f"{diagnostic.severity.value} {diagnostic.code}"
        yield f'      <failure type="{kind}" message="{message}">{body}</failure>'
    else:
        yield f"      <system-out>{body}</system-out>"
    yield "    </testcase>"


def xml_text(text: str) -> str:
    """Escape what XML reads as its own, and `##`, which some logs read as theirs."""
    for character, entity in (
        ("&", "&amp;"),
        ("<", "&lt;"),
        (">", "&gt;"),
        ('"', "&quot;"),
        ("##", "#&#35;"),
    ):
        text = text.replace(character, entity)
    return text
