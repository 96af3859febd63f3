"""What commands need of the front door: packages read, judged, named as they were asked for."""

from __future__ import annotations

from typing import TYPE_CHECKING

from extpkg.cli.find import find_packages
from extpkg.cli.progress import Progress
from extpkg.cli.render.text import Style, coloured, render_text
from extpkg.cli.terminal import Halt
from extpkg.package import read_package

if TYPE_CHECKING:
    from collections.abc import Sequence

    from extpkg.cli.find import Target
    from extpkg.cli.terminal import Terminal
    from extpkg.definition import Definition
    from extpkg.diagnostic import Report
    from extpkg.package import Reading


def style_of(terminal: Terminal) -> Style:
    """Return how diagnostics look on a terminal."""
    return coloured(terminal.encoding) if terminal.colour else Style(encoding=terminal.encoding)


def judge_all(terminal: Terminal, paths: Sequence[str], config: str | None) -> list[Report]:
    """Return the report of each package that `paths` name, suppressions applied."""
    return [target.named(reading.report) for target, reading in read_all(terminal, paths)]


def read_all(terminal: Terminal, paths: Sequence[str]) -> list[tuple[Target, Reading]]:
    """Read and judge each package that `paths` name, with a progress line where that takes long."""
    targets = find_packages(paths)
    read = []
    with Progress(terminal) as progress:
        for number, target in enumerate(targets, start=1):
            progress.note(f"Checking {number} of {len(targets)}: {target.root}")
            read.append((target, read_package(target.directory)))
    return read


def defined(terminal: Terminal, read: Sequence[tuple[Target, Reading]]) -> list[tuple[Definition, str]]:
    """Return the Definition and digest of each package.

    Where one has an error that is not about its digest or the registry, all such reports are printed to
    standard error, and the command ends (1).
    """
    found = [
        (reading.definition, reading.computed)
        for _, reading in read
        if reading.definition is not None and reading.computed is not None
    ]
    if len(found) != len(read):
        refuse(terminal, [target.named(r.report) for target, r in read if r.definition is None])
    return found


def refuse(terminal: Terminal, reports: Sequence[Report]) -> None:
    """Print reports to standard error and end the command (1)."""
    terminal.complain(render_text(reports, Style(encoding=terminal.encoding)))
    raise Halt(1, "")
