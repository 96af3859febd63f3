"""Authoring from the command line: with a progress line, and wishes that cannot be met told as usage."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import click

from extpkg.cli.progress import Progress

if TYPE_CHECKING:
    from collections.abc import Sequence

    from extpkg.cli.terminal import Terminal
    from extpkg.openapi.author import Authored, Options
    from extpkg.openapi.report import Reason
    from extpkg.openapi.source import Source

_USAGE: Final = frozenset({"auth-option", "base-url-refused", "server-variable"})
"""Faults of what was asked for, not of the document."""


def run(terminal: Terminal, source: Source, options: Options) -> Authored:
    """Return what a source makes, with a progress line; a wish that it cannot meet is a usage error (2)."""
    from extpkg.openapi.author import SelectorIdle, author

    with Progress(terminal) as progress:
        try:
            authored = author(
                source,
                options,
                on_operation=lambda done, of: progress.note(f"Authoring {done} of {of} operations"),
            )
        except SelectorIdle as idle:
            raise click.UsageError(f"no operation is meant by {idle}") from None
    _refuse_wishes(authored.report.faults, options)
    return authored


def _refuse_wishes(faults: Sequence[Reason], options: Options) -> None:
    for fault in faults:
        if fault.code in _USAGE or (fault.code == "domain" and options.domain is not None):
            raise click.UsageError(fault.message)
