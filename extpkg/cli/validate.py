"""`extpkg validate`: everything that is wrong with packages, in one run, in the format that is wanted."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Final

import click

from extpkg.cli.output import write_file
from extpkg.cli.paths import DIRECTORY, FILE
from extpkg.cli.reading import read_all
from extpkg.cli.render.escape import guarded, shown_path
from extpkg.cli.render.json_report import render_json
from extpkg.cli.render.junit import render_junit
from extpkg.cli.render.sarif import render_sarif
from extpkg.cli.render.text import PLAIN, Style, coloured, render_concise, render_text, summary
from extpkg.cli.render.workflow import render_workflow
from extpkg.cli.suppressions import silenced
from extpkg.cli.terminal import Halt

if TYPE_CHECKING:
    from collections.abc import Sequence

    from extpkg.cli.terminal import Terminal
    from extpkg.diagnostic import Report

_CHECKED: Final = frozenset({"meta.yaml", "actions", "source", "tests"})

FORMATS: Final = ("text", "concise", "json", "sarif", "github", "junit")


@click.command(
    "validate",
    epilog="""\b
Examples:
  extpkg validate packages/arxiv            one package
  extpkg validate packages                  every package in a folder
  extpkg validate @arxiv                    the package of an installed Builtin
  extpkg validate --strict .                warnings count as well
  extpkg validate --format sarif --output report.sarif packages

\b
Exit codes: 0 every package is valid; 1 findings; 2 usage, or a path that cannot be read.
Warnings can be suppressed in extpkg.toml (the nearest one from PATH up to the folder with .git).""",
)
@click.argument("paths", metavar="PATH...", nargs=-1, required=True, type=DIRECTORY)
@click.option(
    "--format",
    "form",
    type=click.Choice(FORMATS),
    default="text",
    help="How the report is written: text and concise for people, json, sarif, github, junit for machines.",
)
@click.option("--strict", is_flag=True, help="Let warnings refuse a package too.")
@click.option("--output", metavar="FILE", type=FILE, help="Write the report to FILE, all or nothing.")
@click.option("--config", metavar="FILE", type=FILE, help="Take suppressions from FILE, not extpkg.toml.")
@click.pass_obj
def command(  # noqa: PLR0913 - one for each option
    terminal: Terminal,
    *,
    paths: tuple[str, ...],
    form: str,
    strict: bool,
    output: str | None,
    config: str | None,
) -> int:
    """Find everything that is wrong with packages.

    Reads each package that PATH names, checks its files, schemas, bindings, safety, texts and
    digest, and reports all faults of all files with their lines and columns.
    """
    reports = judge_all(terminal, paths, config)
    if output is not None:
        _keep(output, reports)
    style = _style_of(terminal) if output is None else PLAIN
    text = rendered(reports, form, style=style, strict=strict)
    if output is not None:
        write_file(output, text.encode("utf-8"))
    elif form == "github":
        terminal.write(text.encode(terminal.encoding, "backslashreplace"))
    else:
        terminal.print(text)
    if form != "text" or output is not None:
        terminal.complain(f"{summary(reports)}\n")
    refused = any(report.diagnostics if strict else report.errors for report in reports)
    return 1 if refused else 0


def _keep(output: str, reports: Sequence[Report]) -> None:
    """End the command (2) where the report would take the place of a file that was checked."""
    at = os.path.realpath(output)
    for report in reports:
        checked = [f"{os.path.realpath(report.root)}{os.sep}{name}{os.sep}" for name in _CHECKED]
        if f"{at}{os.sep}".startswith(tuple(checked)):
            raise Halt(2, f"cannot write '{shown_path(output)}': it belongs to the package that is checked")


def _style_of(terminal: Terminal) -> Style:
    return coloured(terminal.encoding) if terminal.colour else Style(encoding=terminal.encoding)


def judge_all(terminal: Terminal, paths: Sequence[str], config: str | None) -> list[Report]:
    """Return the report of each package that `paths` name, without the warnings that are silenced.

    `config` is the file that says so; without it each package has the one above it, if there is one.
    """
    judged = [(target, target.named(reading.report)) for target, reading in read_all(terminal, paths)]
    return silenced(judged, config)


def rendered(reports: Sequence[Report], form: str, *, style: Style, strict: bool) -> str:
    """Return the reports in one of `FORMATS`."""
    if form == "concise":
        return guarded(render_concise(reports))
    if form == "json":
        return render_json(reports, strict=strict)
    if form == "sarif":
        return render_sarif(reports)
    if form == "github":
        return render_workflow(reports)
    if form == "junit":
        return render_junit(reports, strict=strict)
    return guarded(render_text(reports, style))
