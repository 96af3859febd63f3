"""`extpkg explain`: what a code means, why it matters and how to fix it."""

from __future__ import annotations

from difflib import get_close_matches
from typing import TYPE_CHECKING, Final

import click

from extpkg.check.rules import RULES, rule_named
from extpkg.cli.render.escape import escaped
from extpkg.cli.render.json_report import dumped
from extpkg.cli.render.rule import rule_text, rule_value

if TYPE_CHECKING:
    from extpkg.check.rules import Rule
    from extpkg.cli.terminal import Terminal


_LENGTH: Final = 64
"""Characters of an unknown code that are compared with the known ones."""


def _complete(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[str]:  # noqa: ARG001
    """Return the codes that begin so, for the shell."""
    return [row.code for row in RULES if row.code.startswith(incomplete.upper())]


@click.command(
    "explain",
    epilog="""\b
Examples:
  extpkg explain EXT0421                    by code
  extpkg explain optional-path-source       by name
  extpkg explain --all                      the catalogue, a line for each rule
  extpkg explain --all --json               the catalogue for tools""",
)
@click.argument("code", required=False, shell_complete=_complete)
@click.option("--all", "every", is_flag=True, help="List every rule.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.pass_obj
def command(terminal: Terminal, *, code: str | None, every: bool, as_json: bool) -> int:
    """Explain the CODE of a finding: what it finds, why, how to fix it, bad and good.

    CODE is a code (EXT0421, any case) or the name of a rule.
    """
    if (code is None) is not every:
        raise click.UsageError(
            "give a CODE or --all, not both" if every else "a CODE is missing; --all lists them"
        )
    if code is None:
        terminal.print(dumped([rule_value(row) for row in RULES]) if as_json else _list())
        return 0
    row = rule_named(code)
    if row is None:
        hint = f"there is no rule '{escaped(code)}'{_meant(code)}; extpkg explain --all lists them"
        raise click.BadParameter(hint)
    terminal.print(dumped(rule_value(row)) if as_json else rule_text(row))
    return 0


def _meant(code: str) -> str:
    """Return a question for the rule that was probably meant, or nothing."""
    names = [name for row in RULES for name in (row.code.lower(), row.name)]
    close = get_close_matches(code[:_LENGTH].lower(), names, n=1, cutoff=0.8)
    found = rule_named(close[0]) if close else None
    return f" (did you mean {found.code} {found.name}?)" if found else ""


def _list() -> str:
    width = max((len(row.name) for row in RULES), default=0)
    return "".join(f"{_line(row, width)}\n" for row in RULES)


def _line(row: Rule, width: int) -> str:
    return f"{row.code}  {row.severity.value:<7}  {row.name:<{width}}  {row.section}"
