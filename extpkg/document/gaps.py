"""What libyaml accepts although YAML 1.2 does not: looked for in the text itself (R-DOC-1)."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from extpkg.document.faults import Faults


def block_scalar(text: str, span: tuple[int, int], faults: Faults) -> tuple[int, int]:
    """Return the span of a block scalar without the blank lines and comments after it."""
    start, end = span
    return start, start + len(text[start:end].rstrip())


def check(text: str, faults: Faults) -> None:
    """Report comments that no white space precedes."""
