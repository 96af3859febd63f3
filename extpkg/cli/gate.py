"""`extpkg gate`: one verdict on whether packages may be published."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Final

import click

from extpkg.cli.judging import asked_for, candidates, former_of, policy_for
from extpkg.cli.output import write_file
from extpkg.cli.paths import DIRECTORY, FILE
from extpkg.cli.render.escape import guarded, shown_path
from extpkg.cli.render.json_report import dumped
from extpkg.cli.render.verdict import render_verdicts
from extpkg.cli.terminal import Halt
from extpkg.gate.judge import judge
from extpkg.gate.verdict import verdict_document

if TYPE_CHECKING:
    from collections.abc import Sequence

    from extpkg.cli.terminal import Terminal
    from extpkg.gate.policy import Policy
    from extpkg.gate.verdict import Verdict

FORMATS: Final = ("text", "json", "sarif", "github")


@click.command(
    "gate",
    epilog="""\b
Examples:
  extpkg gate packages/weather                            valid, and its cases pass
  extpkg gate packages --against git:origin/main          as it was on the main branch
  extpkg gate packages/weather --against library          the last published version
  extpkg gate packages --format json --output verdict.json
  extpkg gate packages/weather --attest weather.att --key key.pem

\b
Policy is the table [gate] of extpkg.toml, the nearest one above the first package:
  coverage = 100        percent that the cases must cover
  require-fmt = true    refuse what fmt would change
  against = "library"   or "git:REV", where --against says nothing

\b
Exit codes: 0 every package may be published; 1 refused; 2 usage, or a path that cannot be read.
A key is made by: openssl genpkey -algorithm ed25519 -out key.pem && chmod 600 key.pem""",
)
@click.argument("paths", metavar="PATH...", nargs=-1, required=True, type=DIRECTORY)
@click.option("--against", metavar="git:REV|library", help="Compare with what is published there.")
@click.option("--library", metavar="URL", help="The library that --against library means.")
@click.option("--config", metavar="FILE", type=FILE, help="Take policy and suppressions from FILE.")
@click.option(
    "--format", "form", type=click.Choice(FORMATS), default="text", help="How the verdict is written."
)
@click.option("--output", metavar="FILE", type=FILE, help="Write the verdict to FILE, all or nothing.")
@click.option("--attest", metavar="FILE", type=FILE, help="Sign a verdict that passed, and write it to FILE.")
@click.option("--key", metavar="FILE", type=FILE, help="The private ed25519 key (PEM) to sign with.")
@click.pass_obj
def command(  # noqa: PLR0913 - one for each option
    terminal: Terminal,
    *,
    paths: tuple[str, ...],
    against: str | None,
    library: str | None,
    config: str | None,
    form: str,
    output: str | None,
    attest: str | None,
    key: str | None,
) -> int:
    """Decide whether packages may be published, and say why not.

    A package passes that validates without a warning, has its digest, may use its name, has the
    version that is due after the published one, and whose cases pass. Nothing is written but the
    files that are named, and nothing is sent.
    """
    if (attest is None) != (key is None):
        raise click.UsageError("--attest and --key go together")
    if attest is not None and any(_is_same(attest, other) for other in (key, output)):
        raise click.UsageError("--attest writes a file of its own")
    policy = policy_for(paths, config)
    wanted = asked_for(against, policy)
    if library is not None and wanted != "library":
        raise click.UsageError("--library goes with --against library")
    with candidates(paths, config, wanted, former_of(wanted, library)) as found:
        verdicts = [judge(candidate, policy) for candidate, _ in found]
    text = rendered(verdicts, policy, form)
    if output is not None:
        write_file(output, text.encode())
        terminal.complain(guarded(render_verdicts(verdicts)))
    elif form == "github":
        terminal.write(text.encode(terminal.encoding, "backslashreplace"))
    else:
        terminal.print(text)
    passed = all(verdict.passed for verdict in verdicts)
    if attest is not None and key is not None and passed:
        _attest(attest, key, verdicts, policy)
    elif attest is not None:
        terminal.complain(f"Nothing was written to {shown_path(attest)}: a refusal is not signed\n")
    return 0 if passed else 1


def rendered(verdicts: Sequence[Verdict], policy: Policy, form: str) -> str:
    """Return verdicts in one of `FORMATS`."""
    if form == "json":
        return dumped(verdict_document(verdicts, policy))
    if form == "sarif":
        from extpkg.cli.render.sarif import render_sarif

        return render_sarif([verdict.report for verdict in verdicts])
    if form == "github":
        from extpkg.cli.render.workflow import render_workflow

        return render_workflow([verdict.report for verdict in verdicts])
    return guarded(render_verdicts(verdicts))


def _is_same(path: str, other: str | None) -> bool:
    """Say whether two paths lead to one file, that one is there or not."""
    return other is not None and os.path.realpath(path) == os.path.realpath(other)


def _attest(path: str, key: str, verdicts: Sequence[Verdict], policy: Policy) -> None:
    from extpkg.cli.credential import private_file
    from extpkg.gate.attestation import KeyInvalid, TooLarge, attest

    try:
        envelope = attest(verdict_document(verdicts, policy), private_file(key, "the key"))
    except KeyInvalid as refused:
        raise Halt(2, f"'{shown_path(key)}': {refused}") from refused
    except TooLarge as refused:
        raise Halt(2, str(refused)) from refused
    write_file(path, envelope)
