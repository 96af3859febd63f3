"""What is wrong with the package, with the place and the line of each fault."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from extpkg.diagnostic import Severity
from extpkg.review.markup import NOTHING, Html, badge, bounded, code, details, element, joined, number, text

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from extpkg.diagnostic import Diagnostic, Report

SIZE: Final = 1 << 20
"""Characters of all findings."""

SHOWN: Final = 300
"""Findings that are shown."""

FEW: Final = 5
"""Findings of one rule that are shown at once."""

_EXCERPT: Final = 200


def summary(report: Report | None) -> str:
    """Return in a few words what was found."""
    if report is None:
        return "judged when it was published"
    errors = len(report.errors)
    warnings = sum(each.severity is Severity.WARNING for each in report.diagnostics)
    return f"{number(errors, 'error')}, {number(warnings, 'warning')}"


def findings_section(report: Report | None) -> Html:
    """Return the section: errors first, then by rule, the first few of each at once."""
    if report is None:
        return element("p", text("This version was judged when it was published."))
    if not report.diagnostics:
        return element("p", text("Nothing is wrong, and nothing is dubious."))
    order = list(Severity)
    sorts: dict[tuple[Severity, str], list[Diagnostic]] = {}
    for each in sorted(report.diagnostics, key=lambda each: order.index(each.severity))[:SHOWN]:
        sorts.setdefault((each.severity, each.code), []).append(each)
    cards = bounded((_card(each) for group in sorts.values() for each in group), SIZE)
    left = len(report.diagnostics) - len(cards) + report.cut
    rest = element("p", text(f"{number(left, 'more finding')} not shown."), class_="cut") if left else NOTHING
    return joined((*_folded(cards, [len(group) for group in sorts.values()]), rest))


def _folded(cards: Sequence[Html], sizes: Sequence[int]) -> Iterator[Html]:
    """Yield cards, those of a rule beyond the first few behind a word."""
    start = 0
    for size in sizes:
        group = cards[start : start + size]
        start += size
        yield from group[:FEW]
        if len(group) > FEW:
            more = number(len(group) - FEW, "more finding")
            yield details(text(f"{more} of the same rule"), *group[FEW:], is_open=False)


def _card(found: Diagnostic) -> Html:
    position = found.position
    at = f":{position.line}:{position.column}" if position else ""
    severity = found.severity.value
    title = (badge(severity, severity), text(" "), text(found.message))
    place = [code(f"{found.path}{at}")]
    place += [text(" at "), code(found.pointer)] if found.pointer else []
    place += [text(f" · {found.code} {found.name}")]
    parts = [
        element("p", *title, class_="title"),
        element("p", *place, class_="place"),
    ]
    if found.excerpt is not None:
        parts.append(element("pre", element("code", text(found.excerpt.text.strip(), _EXCERPT))))
    if found.help:
        parts.append(element("p", text(f"To mend it: {found.help}."), class_="quiet"))
    return element("article", *parts, class_=f"change {severity}")
