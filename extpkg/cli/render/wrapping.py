"""Foreign text in lines of one width, escaped."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from extpkg.cli.render.escape import escaped
from extpkg.cli.render.snippet import width_of

if TYPE_CHECKING:
    from collections.abc import Iterator

WIDTH: Final = 80
"""Columns that lines are wrapped to: the same wherever they are shown."""

_SPACE: Final = re.compile(r"[ \t\r\n]+")


def wrapped(text: str, first: str, indent: str) -> Iterator[str]:
    """Yield foreign text in lines of `WIDTH` columns, the first behind `first`; longer words stay whole."""
    line, columns = first, len(first)
    is_empty = True
    for word in folded(text).split(" "):
        shown = escaped(word)
        width = sum(map(width_of, shown))
        if not is_empty and columns + 1 + width > WIDTH:
            yield line
            line, columns, is_empty = indent, len(indent), True
        line += shown if is_empty else f" {shown}"
        columns += width + (0 if is_empty else 1)
        is_empty = False
    yield line


def folded(text: str) -> str:
    """Return a text on one line, its runs of white space as single spaces."""
    return _SPACE.sub(" ", text).strip(" ")
