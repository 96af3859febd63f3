"""Joins findings with rules and positions: the one place where a pointer becomes a line and a column."""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from extpkg.diagnostic import Diagnostic, Excerpt, Finding, Part, Place, Position, Related
from extpkg.limits import FINDINGS_PER_FILE

if TYPE_CHECKING:
    from collections.abc import Iterable

    from extpkg.document.document import Document

_LINE_BREAK = re.compile(r"\r\n|\r|\n")


@dataclass(slots=True, kw_only=True)
class Source:
    """One file of a package while it is checked: its bytes, and its document once it could be read."""

    path: str
    data: bytes = b""
    document: Document | None = None
    _lines: list[str] | None = None

    def position(self, place: Place) -> Position | None:
        """Return the span of `place`, or None where no document knows it."""
        if place.position is not None or self.document is None:
            return place.position
        if place.character is not None:
            return self.document.character_position(place.pointer, place.character, part=place.part)
        if place.part is Part.KEY and place.pointer:
            return self.document.key_position(place.pointer)
        return self.document.position(place.pointer)

    def excerpt(self, position: Position | None) -> Excerpt | None:
        """Return the first source line of a span, or None where there is no text."""
        if position is None or position.line == 0:
            return None
        if self._lines is None:
            text = self.data.decode("utf-8", "replace").removeprefix("\ufeff")
            self._lines = _LINE_BREAK.split(text)
        if position.line > len(self._lines):
            return None
        return Excerpt(line=position.line, text=self._lines[position.line - 1])


def diagnose(root: str, findings: Iterable[Finding], sources: dict[str, Source]) -> list[Diagnostic]:
    """Return the diagnostics of `findings`, each with its rule's name and severity and its span.

    `sources` maps paths to the files that positions are asked of; a path that is not there has no text.
    """
    return [_diagnose(root, finding, sources) for finding in findings]


def arrange(diagnostics: Iterable[Diagnostic]) -> tuple[tuple[Diagnostic, ...], int]:
    """Return the diagnostics in their final order, with fingerprints, and how many a cap has cut.

    Sorted by path, line, column, code, pointer, message; exact repeats are dropped; at most
    `FINDINGS_PER_FILE` for one file.
    """
    ordered = sorted(set(diagnostics), key=lambda d: (d.path, d.line, d.column, d.code, d.pointer, d.message))
    per_file: Counter[str] = Counter()
    seen: Counter[str] = Counter()
    kept: list[Diagnostic] = []
    for diagnostic in ordered:
        per_file[diagnostic.path] += 1
        if per_file[diagnostic.path] > FINDINGS_PER_FILE:
            continue
        print_ = _fingerprint(diagnostic)
        seen[print_] += 1
        kept.append(replace(diagnostic, id=f"{print_}-{seen[print_]}"))
    return tuple(kept), len(ordered) - len(kept)


def _diagnose(root: str, finding: Finding, sources: dict[str, Source]) -> Diagnostic:
    from extpkg.check.rules import rule  # a package without findings never needs the catalogue

    row = rule(finding.code)
    place = finding.place
    source = sources.get(place.path)
    position = source.position(place) if source else place.position
    at = position or Position(line=0, column=0, end_line=0, end_column=0)
    return Diagnostic(
        code=row.code,
        name=row.name,
        severity=row.severity,
        root=root,
        path=place.path,
        pointer=place.pointer,
        line=at.line,
        column=at.column,
        end_line=at.end_line,
        end_column=at.end_column,
        message=finding.message,
        help=finding.help or row.fix,
        label=place.label,
        related=tuple(_related(other, sources) for other in finding.related),
        excerpt=source.excerpt(position) if source else None,
        id="",
    )


def _related(place: Place, sources: dict[str, Source]) -> Related:
    source = sources.get(place.path)
    position = source.position(place) if source else place.position
    return Related(
        path=place.path,
        pointer=place.pointer,
        position=position,
        message=place.label,
        excerpt=source.excerpt(position) if source else None,
    )


def _fingerprint(diagnostic: Diagnostic) -> str:
    text = f"{diagnostic.code}\x00{diagnostic.path}\x00{diagnostic.pointer}\x00{diagnostic.message}"
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:16]
