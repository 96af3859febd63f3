"""`extpkg author`: a Package from an OpenAPI document, and a word on every operation of it."""

from __future__ import annotations

import os
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

import click

from extpkg.cli.author_run import run
from extpkg.cli.output import refuse_write, write_file
from extpkg.cli.paths import DIRECTORY, FILE
from extpkg.cli.render.escape import escaped, shown_path
from extpkg.cli.terminal import Halt
from extpkg.errors import DocumentInvalid

if TYPE_CHECKING:
    from extpkg.cli.render.authoring import Outcome
    from extpkg.cli.terminal import Terminal
    from extpkg.openapi.author import Options
    from extpkg.openapi.source import Source

FORMATS: Final = ("text", "json")
BEARER: Final = "oauth2_bearer"


def _pairs(_: click.Context, parameter: click.Parameter, values: tuple[str, ...]) -> dict[str, str]:
    found: dict[str, str] = {}
    for text in values:
        name, equals, value = text.partition("=")
        if not name or not equals:
            raise click.BadParameter(f"'{escaped(text)}' is not {parameter.metavar}")
        if name in found:
            raise click.BadParameter(f"'{escaped(name)}' is given twice")
        found[name] = value
    return found


def _types(context: click.Context, parameter: click.Parameter, values: tuple[str, ...]) -> dict[str, str]:
    found = _pairs(context, parameter, values)
    for kind in found.values():
        if kind != BEARER:
            raise click.BadParameter(f"'{escaped(kind)}' is no type; a scheme can be read as {BEARER}")
    return found


@click.command(
    "author",
    epilog="""\b
Examples:
  extpkg author notion.json notion --require-auth bearerAuth
  extpkg author gitea.json gitea --base-url https://gitea.example.com/api/v1 \\
      --auth-as AuthorizationHeaderToken=oauth2_bearer
  extpkg author api.yaml api --dry-run                     say what would become of it
  extpkg author api.yaml api --include tag:issues --exclude 'DELETE *'
  extpkg author api.yaml api --report report.json --format json --strict
  extpkg author api.yaml api --interactive                 be asked
  extpkg author api.yaml api --update                      the document has changed

\b
SEL: an operationId, the name of an action, tag:NAME or 'METHOD /path'; * ? and [...] stand for
characters.

\b
Exit codes: 0 a package was authored, whatever was left out; 1 nothing could be authored, or
something was left out and --strict is given; 2 usage, or a path that cannot be read.""",
)
@click.argument("source", metavar="SOURCE", type=FILE)
@click.argument("output", metavar="OUTPUT", type=DIRECTORY)
@click.option("--domain", metavar="D", help="The domain; by default made of the title.")
@click.option("--name", metavar="N", help="The name for people; by default the title.")
@click.option(
    "--package-version",
    "version",
    metavar="V",
    type=click.IntRange(1, 2**31 - 1),
    default=1,
    help="By default 1.",
)
@click.option("--base-url", metavar="URL", help="Where the API is, where the document does not say it.")
@click.option(
    "--server-var",
    "server_variables",
    metavar="NAME=VALUE",
    multiple=True,
    callback=_pairs,
    help="The value of a variable in the server's URL.",
)
@click.option("--auth", metavar="SCHEME", help="Prefer this security scheme where there is a choice.")
@click.option(
    "--auth-as",
    metavar="NAME=TYPE",
    multiple=True,
    callback=_types,
    help="Read a security scheme as another type: oauth2_bearer.",
)
@click.option(
    "--require-auth", metavar="SCHEME", help="Require this scheme where the document requires none."
)
@click.option("--no-source", is_flag=True, help="Keep no copy of the document in the package.")
@click.option("--include", metavar="SEL", multiple=True, help="Take only these operations.")
@click.option("--exclude", metavar="SEL", multiple=True, help="Leave these operations out.")
@click.option("--interactive", is_flag=True, help="Be asked for what has to be decided.")
@click.option("--strict", is_flag=True, help="Write nothing (1) when an operation is left out.")
@click.option("--report", metavar="FILE|-", type=FILE, default="-", help="Write the report there.")
@click.option(
    "--format", "form", type=click.Choice(FORMATS), default="text", help="How the report is written."
)
@click.option("--update", is_flag=True, help="Author an existing package anew and keep what was edited.")
@click.option("--dry-run", is_flag=True, help="Write nothing but the report.")
@click.pass_obj
def command(  # noqa: PLR0913 - one for each option that is not about the package itself
    terminal: Terminal,
    /,
    *,
    source: str,
    output: str,
    interactive: bool,
    strict: bool,
    report: str,
    form: str,
    update: bool,
    dry_run: bool,
    **wishes: Any,
) -> int:
    """Make a package in OUTPUT from the OpenAPI document SOURCE (2.0, 3.0 or 3.1, JSON or YAML).

    Every operation becomes an action, or is left out with the reason; one that cannot be taken stops
    no other. What is written passes extpkg validate as it stands, and is the same for the same
    document. OUTPUT must not exist, unless --update keeps what was edited there by hand.
    """
    from extpkg.openapi.author import Options

    options = Options(keep_source=not wishes.pop("no_source"), **wishes)
    check_output(output, report, update=update)
    document = read(source)
    if interactive:
        from extpkg.cli.author_questions import asked

        options = asked(terminal, document, options)
    outcome, files = made(terminal, document, options, output if update else None)
    complete = bool(files) and not (strict and outcome.report.left_out)
    if complete and not dry_run:
        put(output, files, replace_it=update)
        outcome = replace(outcome, written=output)
    show(terminal, outcome, report, form)
    return 0 if complete else 1


def check_output(output: str, report: str, *, update: bool) -> None:
    """End the command where OUTPUT is there and must not be, or must be, or the report has no place."""
    folder = os.path.dirname(report) or os.curdir  # noqa: PTH120 - as it was typed
    if report != "-" and (os.path.isdir(report) or not os.path.isdir(folder)):  # noqa: PTH112
        raise Halt(2, f"cannot write '{shown_path(report)}': not a file")
    exists = os.path.lexists(output)
    if not output.strip():
        raise click.UsageError("OUTPUT must name a directory")
    if exists and not update:
        raise Halt(1, f"'{shown_path(output)}' exists already; --update authors it anew; nothing was written")
    if update and not exists:
        raise Halt(2, f"'{shown_path(output)}' does not exist: there is nothing to update")


def read(path: str) -> Source:
    """Return the source at a path; `Halt` with every fault where it cannot be read (2) or is none (1)."""
    from extpkg.cli.render.mismatch import finding_line
    from extpkg.openapi.source import read_source

    try:
        return read_source(path)
    except DocumentInvalid as refused:
        faults = refused.faults
    lines = "".join(f"\n{finding_line('.', each)}" for each in faults[:_FAULTS])
    more = f"\n({len(faults) - _FAULTS} more)" if len(faults) > _FAULTS else ""
    code = 2 if all(each.code.startswith(_UNREADABLE) for each in faults) else 1
    raise Halt(code, f"'{shown_path(path)}' cannot be authored from:{lines}{more}")


_FAULTS: Final = 20
_UNREADABLE: Final = "EXT02"


def made(
    terminal: Terminal, source: Source, options: Options, existing: str | None
) -> tuple[Outcome, dict[str, bytes]]:
    """Return what authoring comes to, merged with the package at `existing`, and the files to write."""
    from extpkg.cli.render.authoring import Outcome

    if existing is None:
        authored = run(terminal, source, options)
        return Outcome(report=authored.report, written=None, version=options.version), authored.files
    from extpkg.cli.author_update import updated

    authored, merged, version = updated(terminal, source, options, existing)
    files = merged.files if merged is not None else {}
    return Outcome(report=authored.report, written=None, version=version, update=merged), files


def put(output: str, files: dict[str, bytes], *, replace_it: bool) -> None:
    """Write the package, whole or not at all; `Halt` (1) or `OutputLost` where that fails."""
    from extpkg.openapi.write import write_package

    try:
        write_package(output, files, replace=replace_it)
    except OSError as error:
        refuse_write(shown_path(output), error, 1)


def show(terminal: Terminal, outcome: Outcome, report: str, form: str) -> None:
    """Print the report, or write it to a file and print its last lines."""
    from extpkg.cli.render.authoring import closing_text, render_json, render_text

    text = render_json(outcome) if form == "json" else render_text(outcome)
    if report == "-":
        terminal.print(text)
        if form == "json":
            terminal.complain(closing_text(outcome))
        return
    write_file(report, text.encode())
    terminal.complain(closing_text(outcome))
