"""What parts a replay from its case, as lines for people: nothing in them moves a terminal or a log."""

from __future__ import annotations

from typing import TYPE_CHECKING

from extpkg.cli.render.escape import escaped, shown_path
from extpkg.fixture.difference import request_difference

if TYPE_CHECKING:
    from extpkg.diagnostic import Finding
    from extpkg.egress.replay import Difference
    from extpkg.fixture.run import Mismatch


def finding_line(root: str, finding: Finding) -> str:
    """Return a fault of a case's file on one line, as `file:line:column: code message`."""
    where = finding.place.position
    at = f":{where.line}:{where.column}" if where else ""
    return f"{shown_path(root, finding.place.path)}{at}: {finding.code} {escaped(finding.message)}"


def mismatch_text(mismatch: Mismatch, indent: str = "  ") -> str:
    """Return what is not as a case says: its title, and the difference below it."""
    lines = [escaped(mismatch.title), *(f"  {line}" for line in escaped_lines(mismatch.text))]
    return "".join(f"{indent}{line}".rstrip() + "\n" for line in lines)


def replay_text(difference: Difference) -> str:
    """Return where a replay parts from its case."""
    number = difference.index + 1
    if difference.made is None:
        title = f"request {number} of the case was not made"
    elif difference.recorded is None:
        title = f"request {number} is one more than the case has"
    else:
        title = f"request {number} is not the recorded one"
    lines = [title, *(f"  {line}" for line in escaped_lines(request_difference(difference)))]
    return "".join(f"{line}\n" for line in lines)


def escaped_lines(text: str) -> list[str]:
    """Return the lines of a text, each made fit to print."""
    return [escaped(line) for line in text.split("\n")] if text else []
