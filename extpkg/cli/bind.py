"""`extpkg bind`: the request that an action makes of an input, shown and not sent (R-REQ, R-ERR-3)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import click

from extpkg.cli.failure import failed
from extpkg.cli.input import read_input
from extpkg.cli.paths import DIRECTORY
from extpkg.errors import ExtensionError

if TYPE_CHECKING:
    from extpkg.cli.render.request import Bound
    from extpkg.cli.terminal import Terminal


FORMS: Final = ("--json", "--http", "--curl")
"""The options that say how a request is shown; without one it is text for people."""


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
@click.option("--json", "as_json", is_flag=True, help="Print the canonical form and the audit hash as JSON.")
@click.option("--http", "as_http", is_flag=True, help="Print the bytes as they go over the connection.")
@click.option("--curl", "as_curl", is_flag=True, help="Print a command that sends the same with curl.")
@click.pass_obj
def command(  # noqa: PLR0913 - one for each option
    terminal: Terminal,
    *,
    target: str,
    action: str,
    given: str | None,
    as_json: bool,
    as_http: bool,
    as_curl: bool,
) -> int:
    """Show the request that an action makes of an input.

    Nothing is sent. PATH is a package whose actions have bindings. The input is JSON as an argument,
    from standard input (-) or from a file (@FILE); without one it is {}. A credential is never asked
    for: its place is shown as <credential PROFILE>. A failure prints the envelope that invoke prints.
    """
    chosen = [form for form, wanted in zip(FORMS, (as_json, as_http, as_curl), strict=True) if wanted]
    if len(chosen) > 1:
        raise click.UsageError(f"{' and '.join(chosen)} exclude each other")
    try:
        bound = _bound(target, action, given)
    except ExtensionError as error:
        refusal = error
    else:
        _show(terminal, bound, chosen[0] if chosen else "")
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


def _show(terminal: Terminal, bound: Bound, form: str) -> None:
    from extpkg.cli.render.request import request_curl, request_http, request_json, request_text

    if form == "--http":
        terminal.write(request_http(bound))
    elif form == "--curl":
        terminal.write(request_curl(bound))
    else:
        terminal.print(request_json(bound) if form == "--json" else request_text(bound))
