"""Directives: reported, and hidden from the parser, so that none changes how a text is read (R-DOC-1)."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from extpkg.diagnostic import Finding, quoted

if TYPE_CHECKING:
    from extpkg.document.faults import Faults

_BEFORE_CONTENT: Final = re.compile(r"(?:[ \t]*+(?:#[^\r\n]*+)?+(?:\r\n|\n|\r))*+")
_DIRECTIVE: Final = re.compile(r"%[^\r\n]*")


def without_directives(text: str, faults: Faults) -> str:
    """Report each directive before the document, and return the text with a comment in its place."""
    offset = 0
    while True:
        before = _BEFORE_CONTENT.match(text, offset)
        found = _DIRECTIVE.match(text, before.end() if before else offset)
        if not found:
            return text
        message = f"the directive {quoted(found[0].rstrip())} is not allowed"
        faults.add(Finding(code="EXT0109", place=faults.place(found.span()), message=message))
        offset = found.start()
        text = f"{text[:offset]}#{text[offset + 1 :]}"
