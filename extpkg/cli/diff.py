"""`extpkg diff`: what changed between two versions of a package, what that means, and what shows it."""

from __future__ import annotations

from contextlib import ExitStack
from typing import TYPE_CHECKING, Final

import click

from extpkg.cli.paths import DIRECTORY
from extpkg.cli.versions import resolve

if TYPE_CHECKING:
    from collections.abc import Sequence

    from extpkg.cli.terminal import Terminal
    from extpkg.diff.change import Change

FORMATS: Final = ("text", "json", "sarif")


@click.command(
    "diff",
    epilog="""\b
Examples:
  extpkg diff ../weather-1 weather          two directories
  extpkg diff git:v1 .                      this directory as it was at the tag v1
  extpkg diff git:v1:packages/weather git:v2:packages/weather
  extpkg diff --witness git:main .          with an input that shows each breaking change
  extpkg diff --fail-on breaking git:main . refuse what may break a caller (for CI)

\b
OLD and NEW: a directory, @NAME, git:REV[:PATH], library:DOMAIN@VERSION or a digest. PATH starts
at the root of the repository; without it, it is that of the other one.

\b
Exit codes: 0 done; 1 refused (--fail-on), or no valid package; 2 usage, or what cannot be read.""",
)
@click.argument("old", metavar="OLD", type=DIRECTORY)
@click.argument("new", metavar="NEW", type=DIRECTORY)
@click.option(
    "--format",
    "form",
    type=click.Choice(FORMATS),
    default="text",
    help="How it is written: text for people, json and sarif for machines.",
)
@click.option(
    "--fail-on",
    type=click.Choice(["breaking", "any"]),
    help="Refuse (1) a breaking change, or any but that of the version.",
)
@click.option("--witness", is_flag=True, help="Print what shows each breaking change.")
@click.option("--library", metavar="URL", help="The library that versions are looked up in.")
@click.pass_obj
def command(  # noqa: PLR0913 - one for each option
    terminal: Terminal,
    *,
    old: str,
    new: str,
    form: str,
    fail_on: str | None,
    witness: bool,
    library: str | None,
) -> int:
    """Compare two versions of a package.

    Each value that differs is breaking, compatible or text for whoever calls the package. A breaking
    change has a witness, checked by running both versions, or is only possible. Whether a bump of the
    version is due does not depend on that: any change of meaning needs one.
    """
    from extpkg.cli.render.changes import Compared, render_json, render_sarif, render_text
    from extpkg.diff.compare import bump_due, compare

    with ExitStack() as stack:
        first = resolve(old, library, new, terminal, stack)
        second = resolve(new, library, old, terminal, stack)
        rows = compare(first.definition, second.definition)
        bump = bump_due(first.definition, second.definition)
        compared = Compared(old=first, new=second, changes=rows, bump=bump)
        if form == "json":
            text = render_json(compared, witness=witness)
        elif form == "sarif":
            text = render_sarif(compared)
        else:
            text = render_text(compared, witness=witness)
    terminal.print(text)
    return 1 if _is_refused(rows, fail_on) else 0


def _is_refused(rows: Sequence[Change], fail_on: str | None) -> bool:
    from extpkg.diff.areas import VERSION
    from extpkg.diff.change import Impact

    if fail_on == "any":
        return any(row.code != VERSION for row in rows)
    return fail_on == "breaking" and any(row.impact is Impact.BREAKING for row in rows)
