"""What the author of a value that has become a comment is told."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from extpkg.diagnostic import Part, quoted

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from extpkg.diagnostic import Finding
    from extpkg.document.document import Document

_COMMENT: Final = re.compile(r"[ \t]*[:-]?[ \t]+(#[^\s#][^\r\n]*)")


def explained(findings: Iterable[Finding], document: Document) -> Iterator[Finding]:
    """Yield the findings about `document`, those on an empty value that a comment follows with a better help.

    A `#` after a space starts a comment, so that `$ref: #/$defs/x` has no value. A comment that a space
    follows is taken for one.
    """
    for finding in findings:
        value = finding.place.part is Part.VALUE and _commented_out(document, finding.place.pointer)
        yield replace(finding, help=f"put the value in quotes: {quoted(value)}") if value else finding


def _commented_out(document: Document, pointer: str) -> str:
    """Return the comment that stands in the place of an empty value, or an empty string."""
    at = document.position(pointer)
    if (at.line, at.column) != (at.end_line, at.end_column):
        return ""
    found = _COMMENT.match(document.line_text(at.line), at.column - 1)
    return found[1].rstrip() if found else ""
