"""`extpkg schema`: the JSON Schemas that the validator enforces, for editors and other tools."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from extpkg.resources import SCHEMA_NAMES, schema_text

if TYPE_CHECKING:
    from extpkg.cli.terminal import Terminal


@click.command(
    "schema",
    epilog="""\b
Examples:
  extpkg schema meta > .schemas/meta.schema.json      for an editor
  extpkg schema report                                what --format json prints""",
)
@click.argument("name", metavar="|".join(SCHEMA_NAMES), type=click.Choice(SCHEMA_NAMES))
@click.pass_obj
def command(terminal: Terminal, *, name: str) -> int:
    """Print a JSON Schema (2020-12), exactly as it is shipped.

    meta is for meta.yaml, action for actions/*.yaml, report for the JSON report, fixture for test cases,
    diff for the comparison of two versions, verdict for what the gate says.
    """
    terminal.write(schema_text(name).encode("utf-8"))
    return 0
