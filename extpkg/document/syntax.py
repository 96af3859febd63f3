"""libyaml's errors in our own words, at the place that helps most: its text stops here."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from extpkg.diagnostic import Finding

if TYPE_CHECKING:
    from extpkg.document.faults import Faults


def syntax_finding(error: Any, faults: Faults, pointer: str) -> Finding:
    """Return the finding for an error of the parser, which stands in the collection at `pointer`."""
    mark = getattr(error, "problem_mark", None)
    offset = mark.index if mark else 0
    return Finding(
        code="EXT0106", place=faults.place((offset, offset + 1), pointer), message="the text is not YAML"
    )
