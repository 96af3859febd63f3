"""How the cases of packages went: for people, and as JSON and JUnit for tools."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from extpkg.cli.render.escape import escaped, shown_path
from extpkg.cli.render.json_report import dumped
from extpkg.cli.render.junit import document, xml_text
from extpkg.cli.render.mismatch import escaped_lines, finding_line, mismatch_text
from extpkg.version import __version__

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from extpkg.diagnostic import Finding
    from extpkg.fixture.coverage import Coverage
    from extpkg.fixture.run import CaseResult

REPORT: Final = "extpkg.test/1"


@dataclass(frozen=True, slots=True, kw_only=True)
class PackageCases:
    """How the cases of one package went.

    `problems` concern the package as a whole, one line each; `strangers` are entries beside the
    cases that are none. `coverage` is None where it was not asked for, `wanted` what it must be.
    """

    root: str
    results: tuple[CaseResult, ...] = ()
    strangers: tuple[Finding, ...] = ()
    problems: tuple[str, ...] = ()
    coverage: Coverage | None = None
    wanted: float = 0.0

    @property
    def failed(self) -> int:
        """How many cases fail."""
        return sum(not result.passed for result in self.results)

    @property
    def is_covered(self) -> bool:
        """Whether the coverage is what it must be."""
        return self.coverage is None or self.coverage.percent >= self.wanted

    @property
    def passed(self) -> bool:
        """Whether there is nothing to mend."""
        return not (self.failed or self.problems or self.strangers) and self.is_covered


def render_text(packages: Sequence[PackageCases]) -> str:
    """Return what failed with its differences, what is not tried, and a closing line for each package."""
    return "".join(line for package in packages for line in _text(package))


def _text(package: PackageCases) -> Iterator[str]:
    for result in package.results:
        if not result.passed:
            yield f"FAIL {escaped(str(result.folder))}\n"
            yield from (f"  {line}\n" for line in _fault_lines(result))
            yield from (mismatch_text(mismatch) for mismatch in result.mismatches)
    yield from (f"FAIL {finding_line('.', each)}\n" for each in package.strangers)
    root = shown_path(package.root)
    yield from (f"FAIL {root}: {problem}\n" for problem in package.problems)
    yield from _coverage_lines(package)
    if package.results:
        count = len(package.results)
        yield f"{root}: {count - package.failed} of {_number(count, 'case')} passed.\n"


def _coverage_lines(package: PackageCases) -> Iterator[str]:
    coverage = package.coverage
    if coverage is None:
        return
    for point in coverage.untried:
        yield f"untried {escaped(str(point))}\n"
    tried = len(coverage.points) - len(coverage.untried)
    yield f"{shown_path(package.root)}: {_percent(coverage)} % covered, {tried} of {len(coverage.points)}.\n"
    if not package.is_covered:
        yield f"FAIL {shown_path(package.root)}: {_too_little(package)}\n"


def _too_little(package: PackageCases) -> str:
    percent = _percent(package.coverage) if package.coverage else ""
    return f"the coverage is {percent} %, under the {package.wanted:g} % that are wanted"


def _percent(coverage: Coverage) -> str:
    """Return the percentage with one decimal, rounded down: 100 means all."""
    return f"{int(coverage.percent * 10) / 10:g}"


def _number(count: int, noun: str) -> str:
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


def _stranger_lines(package: PackageCases) -> list[str]:
    return [finding_line(".", each) for each in package.strangers]


def _fault_lines(result: CaseResult) -> list[str]:
    return [finding_line(str(result.folder), fault) for fault in result.faults]


def render_json(packages: Sequence[PackageCases]) -> str:
    """Return the report as indented ASCII JSON, every key always there."""
    cases = sum(len(package.results) for package in packages)
    failed = sum(package.failed for package in packages)
    return dumped(
        {
            "schema": REPORT,
            "tool": {"name": "extpkg", "version": __version__},
            "packages": [_package(package) for package in packages],
            "summary": {
                "packages": len(packages),
                "cases": cases,
                "passed": cases - failed,
                "failed": failed,
                "status": _status(passed=all(package.passed for package in packages)),
            },
        }
    )


def _package(package: PackageCases) -> dict[str, Any]:
    coverage = package.coverage
    return {
        "root": shown_path(package.root),
        "status": _status(passed=package.passed),
        "problems": [*package.problems, *_stranger_lines(package)],
        "cases": [_case(result) for result in package.results],
        "coverage": None
        if coverage is None
        else {
            "percent": round(coverage.percent, 2),
            "wanted": package.wanted,
            "points": len(coverage.points),
            "untried": [{"action": point.action, "what": escaped(point.what)} for point in coverage.untried],
        },
    }


def _case(result: CaseResult) -> dict[str, Any]:
    return {
        "action": result.folder.action,
        "case": escaped(result.folder.name),
        "status": _status(passed=result.passed),
        "faults": _fault_lines(result),
        "mismatches": [
            {"title": escaped(mismatch.title), "difference": escaped_lines(mismatch.text)}
            for mismatch in result.mismatches
        ],
    }


def _status(*, passed: bool) -> str:
    return "passed" if passed else "failed"


def render_junit(packages: Sequence[PackageCases]) -> str:
    """Return the report as ASCII XML without times: a suite for each package, a case for each case."""
    rows = [(package, list(_rows(package))) for package in packages]
    tests = sum(len(found) for _, found in rows)
    failures = sum(failure is not None for _, found in rows for _, failure in found)
    suites = [line for package, found in rows for line in _suite(package, found)]
    return document(suites, tests=tests, failures=failures)


def _rows(package: PackageCases) -> Iterator[tuple[str, str | None]]:
    """Yield the name of each test and the text of its failure, None where it passes."""
    for result in package.results:
        lines = [*_fault_lines(result), *(mismatch_text(each, "").rstrip() for each in result.mismatches)]
        yield escaped(str(result.folder)), "\n".join(lines) if lines else None
    for each in package.strangers:
        yield escaped(each.place.path), finding_line(".", each)
    for problem in package.problems:
        yield "package", problem
    if package.coverage is not None:
        yield "coverage", None if package.is_covered else _too_little(package)


def _suite(package: PackageCases, rows: Sequence[tuple[str, str | None]]) -> Iterator[str]:
    root = xml_text(shown_path(package.root))
    failures = sum(failure is not None for _, failure in rows)
    yield f'  <testsuite name="{root}" tests="{len(rows)}" failures="{failures}" errors="0" skipped="0">'
    for name, failure in rows:
        start = f'    <testcase classname="{root}" name="{xml_text(name)}"'
        if failure is None:
            yield f"{start}/>"
            continue
        first = xml_text(failure.partition("\n")[0])
        yield f"{start}>"
        yield f'      <failure type="failed" message="{first}">{xml_text(failure)}</failure>'
        yield "    </testcase>"
    yield "  </testsuite>"
