"""`extpkg show`: a package as the author of an Agent sees it, and its normalized Definition for tools."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from extpkg.cli.find import find_package
from extpkg.cli.paths import DIRECTORY
from extpkg.cli.reading import defined, read_all
from extpkg.cli.render.definition import action_text, package_text
from extpkg.cli.render.escape import escaped
from extpkg.cli.render.json_report import dumped
from extpkg.cli.terminal import Halt
from extpkg.definition.normalize import normalize
from extpkg.definition.projection import project

if TYPE_CHECKING:
    from typing import Any

    from extpkg.cli.terminal import Terminal
    from extpkg.definition.model import Action, Definition


@click.command(
    "show",
    epilog="""\b
Examples:
  extpkg show @arxiv                        what the package is, and its actions by safety
  extpkg show @arxiv search                 one action: input, output, example, binding
  extpkg show @arxiv search --input-schema  what an Agent's input must be
  extpkg show --json packages/weather       the normalized Definition""",
)
@click.argument("path", type=DIRECTORY)
@click.argument("action", required=False)
@click.option(
    "--json", "as_json", is_flag=True, help="Print the normalized Definition, or the ACTION's part of it."
)
@click.option("--input-schema", is_flag=True, help="Print the JSON Schema of the ACTION's input.")
@click.option("--output-schema", is_flag=True, help="Print the JSON Schema of the ACTION's output.")
@click.pass_obj
def command(  # noqa: PLR0913 - one for each option
    terminal: Terminal,
    *,
    path: str,
    action: str | None,
    as_json: bool,
    input_schema: bool,
    output_schema: bool,
) -> int:
    """Show a package, or one ACTION of it, as an Agent's author sees it.

    The package may have a wrong digest; with any other error it is refused.
    """
    if sum((as_json, input_schema, output_schema)) > 1:
        raise click.UsageError("--json, --input-schema and --output-schema exclude each other")
    if action is None and (input_schema or output_schema):
        raise click.UsageError("--input-schema and --output-schema need an ACTION")
    find_package(path)
    [(definition, digest)] = defined(terminal, list(read_all(terminal, [path])))
    definition = normalize(definition)
    if action is None:
        text = dumped(project(definition)) if as_json else package_text(definition, digest)
        terminal.print(text)
        return 0
    chosen = _action(definition, action)
    if as_json or input_schema or output_schema:
        catalog = chosen.catalog
        value = catalog.input_schema if input_schema else catalog.output_schema
        terminal.print(dumped(_projected(definition, action) if as_json else value))
        return 0
    terminal.print(action_text(definition, chosen))
    return 0


def _action(definition: Definition, name: str) -> Action:
    for action in definition.actions:
        if action.name == name:
            return action
    known = ", ".join(action.name for action in definition.actions)
    raise Halt(1, f"there is no action '{escaped(name)}'; there are {known}")


def _projected(definition: Definition, name: str) -> Any:
    return next(action for action in project(definition)["actions"] if action["name"] == name)
