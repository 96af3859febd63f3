"""`extpkg bind`: the request that an action makes of an input, shown and not sent (R-REQ, R-ERR-3)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from extpkg.cli.failure import failed
from extpkg.cli.input import read_input
from extpkg.cli.paths import DIRECTORY
from extpkg.errors import ExtensionError

if TYPE_CHECKING:
    from extpkg.cli.render.request import Bound
    from extpkg.cli.terminal import Terminal


@click.command(
    "bind",
    epilog="""\b
Examples:
  extpkg bind github create-issue '{"owner":"octo","repo":"demo","title":"Hello"}'
  extpkg bind github list-issues @input.json --json
  extpkg bind github create-issue - --http < input.json
  extpkg bind github create-issue @input.json --curl

\b
Exit codes: 0 success; 65 validation, or an invalid package; 66 not_found, unknown target or
action; 70 internal; 2 usage; 74 output lost; 130 interrupted.""",
)
@click.argument("target", metavar="PATH", type=DIRECTORY)
@click.argument("action")
@click.argument("given", metavar="[JSON | - | @FILE]", required=False)
@click.option(
    "--json", "form", flag_value="json", help="Print the canonical form and the audit hash as JSON."
)
@click.option("--http", "form", flag_value="http", help="Print the bytes as they go over the connection.")
@click.option("--curl", "form", flag_value="curl", help="Print a command that sends the same with curl.")
@click.pass_obj
def command(terminal: Terminal, *, target: str, action: str, given: str | None, form: str | None) -> int:
    """Show the request that an action makes of an input.

    Nothing is sent. PATH is a package whose actions have bindings. The input is JSON as an argument,
    from standard input (-) or from a file (@FILE); without one it is {}. A credential is never asked
    for: its place is shown as <credential PROFILE>. A failure prints the envelope that invoke prints.
    """
    try:
        bound = _bound(target, action, given)
    except ExtensionError as error:
        refusal = error
    else:
        _show(terminal, bound, form)
        return 0
    raise failed(terminal, refusal)


def _bound(target: str, action: str, given: str | None) -> Bound:
    from extpkg.binding.request import compile_action
    from extpkg.cli.render.request import Bound
    from extpkg.package import open_package

    value = read_input(given)
    plan = compile_action(open_package(_directory(target)).definition, action)
    return Bound(plan, value)


def _directory(target: str) -> str:
    """Return the directory that is meant: a Builtin goes by its name, with or without `@`, as in `invoke`."""
    from extpkg.resources import builtin_package_path, registered_builtins

    name = target.removeprefix("@")
    return builtin_package_path(name) if name in registered_builtins() else target


def _show(terminal: Terminal, bound: Bound, form: str | None) -> None:
    from extpkg.cli.render.request import request_curl, request_http, request_json, request_text

    if form == "http":
        terminal.write(request_http(bound))
    elif form == "curl":
        terminal.write(request_curl(bound))
    else:
        terminal.print(request_json(bound) if form == "json" else request_text(bound))
