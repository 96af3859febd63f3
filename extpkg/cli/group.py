"""The tree of commands: each is imported when it is called, so that the others cost nothing."""

from __future__ import annotations

import importlib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import click
from click.exceptions import NoArgsIsHelpError

from extpkg.cli.render.escape import escaped
from extpkg.cli.terminal import Halt
from extpkg.version import __version__

if TYPE_CHECKING:
    from extpkg.cli.terminal import Terminal


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """A command that exists: its section in the help, the module that has it, and its line there."""

    name: str
    section: str
    module: str
    summary: str


COMMANDS: Final = (
    Entry(
        name="validate",
        section="Check a package",
        module="validate",
        summary="Find everything that is wrong.",
    ),
    Entry(
        name="digest",
        section="Check a package",
        module="digest",
        summary="Compute, check or write the digest.",
    ),
    Entry(
        name="diff",
        section="Check a package",
        module="diff",
        summary="Compare two versions: what may break a caller, and why.",
    ),
    Entry(
        name="gate",
        section="Publish a package",
        module="gate",
        summary="Decide whether it may be published, and say why not.",
    ),
    Entry(
        name="review",
        section="Publish a package",
        module="review",
        summary="Write it as one page that a person reviews.",
    ),
    Entry(
        name="library",
        section="Publish a package",
        module="library",
        summary="Keep published versions, immutable.",
    ),
    Entry(
        name="verify",
        section="Publish a package",
        module="verify",
        summary="Check the gate's signature on a package.",
    ),
    Entry(
        name="test", section="Call a package", module="test", summary="Replay its recorded cases: no network."
    ),
    Entry(
        name="bind", section="Call a package", module="bind", summary="Show the request it makes: no network."
    ),
    Entry(name="invoke", section="Call a package", module="invoke", summary="Call one action, for real."),
    Entry(
        name="connection",
        section="Call a package",
        module="connection",
        summary="Set up what a Builtin needs to be called.",
    ),
    Entry(
        name="show", section="Read a package", module="show", summary="Show it as an Agent's author sees it."
    ),
    Entry(
        name="new", section="Write a package", module="new", summary="Start a package that validates at once."
    ),
    Entry(
        name="author",
        section="Write a package",
        module="author",
        summary="Make it from an OpenAPI document.",
    ),
    Entry(name="fmt", section="Write a package", module="fmt", summary="Rewrite its files in the one form."),
    Entry(name="explain", section="Look up", module="explain", summary="Explain a code of a finding."),
    Entry(
        name="builtins", section="Look up", module="builtins", summary="List the Builtins and their digests."
    ),
    Entry(
        name="schema",
        section="Look up",
        module="schema",
        summary="Print a JSON Schema for editors and tools.",
    ),
)
"""Every command, in the order of the help."""

_LENGTH: Final = 64
"""Characters of an unknown command that are compared with the known ones."""


class CommandTree(click.Group):
    """A group whose commands are rows of `COMMANDS`, imported one at a time."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - click's signature
        """Return the names in the order of the help."""
        return [entry.name for entry in COMMANDS]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        """Return the command of that name, importing its module, or None."""
        for entry in COMMANDS:
            if entry.name == cmd_name:
                found = getattr(importlib.import_module(f"extpkg.cli.{entry.module}"), "command")  # noqa: B009
                return found if isinstance(found, click.Command) else None
        return None

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Return the command that the first argument names; a name that is close to one is asked about."""
        from difflib import get_close_matches

        name = args[0]
        names = self.list_commands(ctx)
        close = [] if name in names else get_close_matches(name[:_LENGTH].lower(), names, n=1, cutoff=0.7)
        if close and not ctx.resilient_parsing:
            raise click.UsageError(f"No such command {name!r} (did you mean '{close[0]}'?).", ctx)
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002
        """Write the commands by section, without importing any."""
        for section in dict.fromkeys(entry.section for entry in COMMANDS):
            with formatter.section(section):
                formatter.write_dl([(e.name, e.summary) for e in COMMANDS if e.section == section])

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[Any]:
        """Return the commands that begin so, without importing any."""
        from click.shell_completion import CompletionItem

        found = [CompletionItem(e.name, help=e.summary) for e in COMMANDS if e.name.startswith(incomplete)]
        return found or click.Command.shell_complete(self, ctx, incomplete)


@click.group(
    cls=CommandTree,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog="""\b
Examples:
  extpkg new weather                    start a package in the folder weather
  extpkg validate weather               find everything that is wrong with it
  extpkg digest --write weather         write its digest after a change
  extpkg explain EXT0421                what a code means and how to fix it
  extpkg test packages/arxiv            replay the recorded calls of a package
  extpkg invoke arxiv get '{"id":"1605.08386"}'

\b
Exit codes: 0 clean or done; 1 findings, failed or refused; 2 usage, or a path that cannot be
read; 70 internal error; 74 output lost (full disk, closed pipe); 130 interrupted. Those of a
failed call are in extpkg invoke --help.""",
)
@click.version_option(__version__, "--version", prog_name="extpkg", message="%(prog)s %(version)s")
@click.option("--debug", is_flag=True, expose_value=False, help="Show the traceback of an error.")
def extpkg() -> None:
    """Read, validate, digest and format Extension Packages.

    A PATH is a package (a folder with meta.yaml), a folder that contains packages, or @NAME: the
    package of an installed Builtin, @arxiv for one.
    """


def invoke(arguments: list[str], terminal: Terminal) -> int:
    """Run the command that `arguments` name and return its exit code; a wrong usage is a `Halt`."""
    try:
        result = extpkg.main(arguments, "extpkg", standalone_mode=False, obj=terminal)
    except click.Abort:
        raise KeyboardInterrupt from None
    except click.ClickException as error:
        raise Halt(2, _explained(error)) from error
    except SystemExit as end:  # shell completion ends so
        return end.code if isinstance(end.code, int) else 0
    return result if isinstance(result, int) else 0


def _explained(error: click.ClickException) -> str:
    """Return what was wrong with the arguments, on one line, and where the usage is told."""
    context = getattr(error, "ctx", None)
    if isinstance(error, NoArgsIsHelpError):
        return f"a command is missing\n\n{error.ctx.get_help()}"
    message = escaped(" ".join(error.format_message().split())).rstrip(".")
    path = context.command_path if isinstance(context, click.Context) else "extpkg"
    return f"{message}. Try '{path} --help'."
