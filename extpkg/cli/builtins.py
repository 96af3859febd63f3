"""`extpkg builtins`: the trusted registry as it stands in this installation."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from extpkg.cli.render.json_report import dumped
from extpkg.cli.render.table import table
from extpkg.providers import builtin_registry

if TYPE_CHECKING:
    from extpkg.cli.terminal import Terminal
    from extpkg.registry import Builtin


@click.command(
    "builtins",
    epilog="""\b
Examples:
  extpkg builtins                           a line for each Builtin
  extpkg builtins --json                    the same for tools
  extpkg show @arxiv                        what is in the package of one""",
)
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.pass_obj
def command(terminal: Terminal, *, as_json: bool) -> int:
    """List the Builtins: domain, version, connection policy, definition digest, runtime digest."""
    rows = [_row(builtin) for builtin in builtin_registry().builtins]
    if as_json:
        terminal.print(dumped(rows))
        return 0
    heads = ["domain", "version", "policy", "definition digest", "runtime digest"]
    terminal.print(
        "".join(f"{line}\n" for line in table([heads, *(list(map(str, r.values())) for r in rows)]))
    )
    return 0


def _row(builtin: Builtin) -> dict[str, str | int]:
    domain, version = builtin.key
    return {
        "domain": domain,
        "version": version,
        "policy": builtin.policy.value,
        "definition_digest": builtin.definition_digest,
        "runtime_digest": builtin.runtime_digest,
    }
