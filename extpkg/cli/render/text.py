"""The default format: every diagnostic with its source, for people; and the concise one, a line for each."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import groupby
from typing import TYPE_CHECKING, Final

from extpkg.cli.render.escape import escaped, shown_path
from extpkg.cli.render.snippet import Mark, draw
from extpkg.diagnostic import Severity

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from extpkg.diagnostic import Diagnostic, Excerpt, Position, Related, Report

SHOWN: Final = 1_000
"""Diagnostics that are printed for people; a line says how many more there are."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Style:
    """The escape sequences of a terminal (empty strings where there is none), and what it can write."""

    encoding: str = "utf-8"
    error: str = ""
    warning: str = ""
    frame: str = ""
    strong: str = ""
    off: str = ""


PLAIN: Final = Style()


def coloured(encoding: str = "utf-8") -> Style:
    """Return the style of a terminal that takes colours."""
    return Style(
        encoding=encoding,
        error="\x1b[1;31m",
        warning="\x1b[1;33m",
        frame="\x1b[1;34m",
        strong="\x1b[1m",
        off="\x1b[0m",
    )


def render_text(reports: Sequence[Report], style: Style = PLAIN) -> str:
    """Return all diagnostics with their source, and the summary."""
    found = [diagnostic for report in reports for diagnostic in report.diagnostics]
    blocks = ["\n".join(_block(diagnostic, style)) for diagnostic in found[:SHOWN]]
    lines = ["\n\n".join(blocks)] if blocks else []
    lines += _rest(len(found), reports)
    return "\n".join([*lines, summary(reports)]) + "\n"


def render_concise(reports: Sequence[Report]) -> str:
    """Return one line for each diagnostic: `file:line:column: severity code [name] message`."""
    found = [diagnostic for report in reports for diagnostic in report.diagnostics]
    lines = [
        f"{_where(d.root, d.path, d.position)}: {d.severity.value} {d.code} [{d.name}] {escaped(d.message)}"
        for d in found[:SHOWN]
    ]
    return "".join(f"{line}\n" for line in [*lines, *_rest(len(found), reports)])


def summary(reports: Sequence[Report]) -> str:
    """Return the closing line: what was found in how many packages."""
    errors, warnings = counts(reports)
    if errors == warnings == 0:
        return "The package is valid." if len(reports) == 1 else f"All {len(reports)} packages are valid."
    first = next(d.code for report in reports for d in (report.errors or report.diagnostics))
    return (
        f"Found {_number(errors, 'error')}, {_number(warnings, 'warning')} "
        f"in {_number(len(reports), 'package')}. Explain a code: extpkg explain {first}"
    )


def counts(reports: Sequence[Report]) -> tuple[int, int]:
    """Return how many errors and how many warnings there are."""
    errors = sum(len(report.errors) for report in reports)
    return errors, sum(len(report.diagnostics) for report in reports) - errors


def _number(count: int, noun: str) -> str:
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


def _rest(count: int, reports: Sequence[Report]) -> list[str]:
    """Say what is not shown: what the reports have beyond the cap, and what they left out themselves."""
    cut = sum(report.cut for report in reports)
    lines = [f"({count - SHOWN} more not shown; --format json has them)"] if count > SHOWN else []
    return [*lines, f"({cut} more left out: too many in one file)"] if cut else lines


def _where(root: str, path: str, position: Position | None) -> str:
    place = shown_path(root, path)
    return f"{place}:{position.line}:{position.column}" if position else place


def _block(diagnostic: Diagnostic, style: Style) -> Iterator[str]:
    """Yield the lines of one diagnostic: header, place, marked source, pointer, help."""
    here, elsewhere, notes = _sort_related(diagnostic)
    shown = [related.excerpt for related in (*here, *elsewhere) if related.excerpt]
    shown += [diagnostic.excerpt] if diagnostic.excerpt else []
    width = max((len(str(excerpt.line)) for excerpt in shown), default=1)
    tint = style.error if diagnostic.severity is Severity.ERROR else style.warning
    title = f"{tint}{diagnostic.severity.value}[{diagnostic.code}]{style.off}"
    yield f"{title}: {style.strong}{escaped(diagnostic.message)}{style.off}"
    arrow = f"{' ' * width}{style.frame}-->{style.off}"
    yield f"{arrow} {_where(diagnostic.root, diagnostic.path, diagnostic.position)}"
    yield from _source(_marked(diagnostic, here), width, tint, style)
    for related in elsewhere:
        yield f"{arrow} {_where(diagnostic.root, related.path, related.position)}"
        yield from _source(_marked_alone(related), width, tint, style)
    edge = f"{' ' * (width + 1)}{style.frame}={style.off}"
    for related in notes:
        place = _where(diagnostic.root, related.path, related.position)
        yield f"{edge} note: {place}: {escaped(related.message)}"
    if diagnostic.pointer:
        yield f"{edge} at: {escaped(diagnostic.pointer)}"
    if diagnostic.help:
        yield f"{edge} help: {escaped(diagnostic.help)}"


def _sort_related(diagnostic: Diagnostic) -> tuple[list[Related], list[Related], list[Related]]:
    """Return what is shown in the same snippet, in a snippet of its own, and as a note."""
    here: list[Related] = []
    elsewhere: list[Related] = []
    notes: list[Related] = []
    for related in diagnostic.related:
        if related.position is None or related.excerpt is None:
            notes.append(related)
        elif related.path == diagnostic.path and diagnostic.excerpt is not None:
            here.append(related)
        else:
            elsewhere.append(related)
    return here, elsewhere, notes


def _marked(diagnostic: Diagnostic, here: list[Related]) -> list[tuple[Excerpt, Mark]]:
    marked = [pair for related in here for pair in _marked_alone(related)]
    if diagnostic.excerpt is not None and diagnostic.position is not None:
        mark = _mark(diagnostic.excerpt, diagnostic.position, "^", diagnostic.label)
        marked.insert(0, (diagnostic.excerpt, mark))
    return sorted(marked, key=lambda pair: pair[0].line)


def _marked_alone(related: Related) -> list[tuple[Excerpt, Mark]]:
    if related.excerpt is None or related.position is None:
        return []
    return [(related.excerpt, _mark(related.excerpt, related.position, "-", related.message))]


def _mark(excerpt: Excerpt, position: Position, sign: str, label: str) -> Mark:
    """Return the mark of a span on its first line: a span of several lines is marked to the line's end."""
    end = position.end_column if position.end_line == position.line else len(excerpt.text) + 1
    return Mark(column=position.column, end_column=end, sign=sign, label=escaped(label))


def _source(marked: list[tuple[Excerpt, Mark]], width: int, tint: str, style: Style) -> Iterator[str]:
    """Yield an empty frame line, then each source line once with all of its marks under it."""
    if not marked:
        return
    empty = f"{' ' * (width + 1)}{style.frame}|{style.off}"
    yield empty
    for line, group in groupby(marked, key=lambda pair: pair[0].line):
        pairs = list(group)
        marks = tuple(mark for _, mark in pairs)
        text, *drawn = draw(pairs[0][0].text, marks, style.encoding)
        number = f"{style.frame}{line:>{width}} |{style.off}"
        yield f"{number} {text}".rstrip()
        for mark, below in zip(marks, drawn, strict=True):
            colour = tint if mark.sign == "^" else style.frame
            yield f"{empty} {colour}{below}{style.off}"
