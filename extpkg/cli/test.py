"""`extpkg test`: every recorded case of a package replayed, and what the cases leave untried (R-FIX)."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from extpkg.cli.credential import read_credentials, reads_standard_input
from extpkg.cli.find import find_package
from extpkg.cli.input import read_input
from extpkg.cli.invoke import CLASSES, active_connections, network
from extpkg.cli.paths import DIRECTORY
from extpkg.cli.reading import read_all, refuse
from extpkg.cli.render.cases import PackageCases, render_json, render_junit, render_text
from extpkg.cli.render.escape import escaped, guarded, shown_path
from extpkg.cli.terminal import Halt, is_lost
from extpkg.errors import ExtensionError
from extpkg.package import Package

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from extpkg.cli.find import Target
    from extpkg.cli.terminal import Terminal
    from extpkg.egress.send import Transport
    from extpkg.external import Allowed, Leave
    from extpkg.invocation import Served
    from extpkg.package import Reading

FORMATS: Final = ("text", "json", "junit")
NO_CASE: Final = (
    "there is no case; a package has them in tests/<action>/<case>/, or --cases names their folder"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Recording:
    """What is to be recorded: a case by its path `<action>/<case>`, and the argument that gives the input.

    `credentials` say where secrets are, `allow` which class of actions beside `read` may be sent.
    """

    path: str
    given: str | None = None
    cases: str | None = None
    force: bool = False
    credentials: tuple[str, ...] = ()
    allow: Allowed | None = None


def _percent(_: click.Context, __: click.Parameter, value: float | None) -> float | None:
    if value is not None and not 0 <= value <= 100:
        raise click.BadParameter("it must be a number from 0 to 100")
    return value


@click.command(
    "test",
    epilog="""\b
Examples:
  extpkg test packages/arxiv                every case, without a socket
  extpkg test packages/arxiv --coverage --fail-under 100
  extpkg test @arxiv --cases golden/invoke/arxiv --format junit
  extpkg test packages/arxiv --record get/one-paper --input '{"id":"1605.08386v1"}'
  extpkg test ./github --record get-issue/open --input @issue.json --credential default=env:TOKEN

\b
Exit codes: 0 every case passes; 1 a case fails, there is none, or the coverage is under N;
2 usage, or a path that cannot be read.""",
)
@click.argument("paths", metavar="PATH...", nargs=-1, required=True, type=DIRECTORY)
@click.option("--cases", metavar="DIR", type=DIRECTORY, help="Take <action>/<case>/ from DIR.")
@click.option("--format", "form", type=click.Choice(FORMATS), help="How it is reported: text, json or junit.")
@click.option("--coverage", is_flag=True, help="Say what no case tries.")
@click.option(
    "--fail-under", metavar="N", type=float, callback=_percent, help="Fail under N percent of coverage."
)
@click.option("--record", metavar="ACTION/CASE", help="Call for real, and write the case.")
@click.option("--input", "given", metavar="JSON", help="The input to record: JSON, - or @FILE.")
@click.option("--force", is_flag=True, help="Record over a case that is there.")
@click.option(
    "--credential",
    "credentials",
    metavar="PROFILE=env:NAME|file:PATH|-",
    multiple=True,
    help="Read there what the call to record is sent with; no case holds it.",
)
@click.option("--allow", type=click.Choice(CLASSES), help="Record an action of this class.")
@click.pass_obj
def command(  # noqa: PLR0913 - one for each option
    terminal: Terminal,
    *,
    paths: tuple[str, ...],
    cases: str | None,
    form: str | None,
    coverage: bool,
    fail_under: float | None,
    record: str | None,
    given: str | None,
    force: bool,
    credentials: tuple[str, ...],
    allow: Allowed | None,
) -> int:
    """Replay the recorded cases of packages, and compare requests and results.

    No socket is opened, except by --record: it makes one real call, takes the secrets out of it and
    writes the case. A replay needs no credential. Cases are in tests/<action>/<case>/ of the package, else in
    golden/invoke/<domain>/<action>/<case>/ of the nearest folder above that has it.
    """
    if fail_under is not None and not coverage:
        raise click.UsageError("--fail-under needs --coverage")
    if record is None and (given is not None or force or credentials or allow):
        raise click.UsageError("--input, --force, --credential and --allow need --record")
    if cases is not None and len(paths) > 1:
        raise click.UsageError("--cases takes one package")
    if record is not None:
        if len(paths) > 1 or coverage or form is not None:
            raise click.UsageError("--record takes one package, and neither --coverage nor --format")
        wish = Recording(
            path=record, given=given, cases=cases, force=force, credentials=credentials, allow=allow
        )
        return record_case(terminal, paths[0], wish)
    wanted = None if not coverage else fail_under or 0.0
    tested = [_tested(target, reading, cases, wanted) for target, reading in _sound(terminal, paths)]
    if form == "json":
        terminal.print(render_json(tested))
    elif form == "junit":
        terminal.print(render_junit(tested))
    else:
        terminal.print(guarded(render_text(tested)))
    return 0 if all(each.passed for each in tested) else 1


def record_case(
    terminal: Terminal, path: str, wish: Recording, *, live: Callable[[], Transport] = network
) -> int:
    """Record one case from a call over the transport of `live`; `Halt` (1) where that is refused."""
    if wish.given == "-" and reads_standard_input(wish.credentials):
        raise click.UsageError("standard input gives the input or a credential, not both")
    find_package(path)
    [(target, reading)] = _sound(terminal, [path])
    from extpkg.egress.record import RecordingTransport
    from extpkg.fixture.find import CaseFolder
    from extpkg.fixture.record import Live, record, write_case

    try:
        served = _served(reading)
        value, leave = _handed_over(served, wish)
    except ExtensionError as error:
        raise Halt(1, f"{shown_path(target.root)}: {escaped(error.message)}") from error
    action, name = _names(wish.path, served)
    folder = CaseFolder(action=action, name=name, path=_root(target, served, wish.cases) / action / name)
    shown = shown_path(os.fspath(folder.path))
    if os.path.lexists(folder.path) and not (wish.force and _is_folder(folder.path)):
        raise Halt(1, f"'{shown}' exists already; --force records over it")

    def heard(host: str) -> None:
        terminal.complain(f"Contacting {escaped(host)}\n")

    transport = RecordingTransport(live(), heard)
    call = Live(transport=transport, connections=active_connections(served), leave=leave)
    recorded = record(served, action, value, call)
    try:
        write_case(folder, recorded, served)
    except OSError as error:
        if is_lost(error):
            raise
        raise Halt(
            1, f"cannot write '{shown}': {(error.strerror or type(error).__name__).lower()}"
        ) from error
    outcome = recorded.outcome
    what = f"error {outcome.code}" if isinstance(outcome, ExtensionError) else "a result"
    count = len(recorded.exchanges)
    terminal.print(
        f"Recorded {folder}: {count} exchange{'' if count == 1 else 's'}, {what}. Look at {shown}\n"
    )
    return 0


def _handed_over(served: Served, wish: Recording) -> tuple[Any, Leave]:
    """Return the input of the call to record, and what goes with it; raises `ExtensionError`."""
    from extpkg.external import Leave

    value = read_input(wish.given)
    secrets = read_credentials(wish.credentials, [each.id for each in served.definition.profiles])
    return value, Leave(credentials=secrets, allow=wish.allow)


def _sound(terminal: Terminal, paths: Sequence[str]) -> list[tuple[Target, Reading]]:
    """Return the packages that `paths` name; where one is invalid its report is printed, and `Halt` (1)."""
    read = list(read_all(terminal, paths))
    wrong = [target.named(reading.report) for target, reading in read if not reading.report.ok]
    if wrong:
        refuse(terminal, wrong)
    return read


def _served(reading: Reading) -> Served:
    """Return what serves a package; raises `ExtensionError` where nothing does."""
    from extpkg.invocation import find_served

    definition, digest = reading.definition, reading.computed
    if definition is None or digest is None:
        raise ExtensionError("validation", "the package is not valid")
    return find_served(Package(root=reading.report.root, definition=definition, digest=digest))


def _tested(target: Target, reading: Reading, cases: str | None, wanted: float | None) -> PackageCases:
    """Run the cases of one package; `wanted` is the coverage that it must have, None not to measure it."""
    from extpkg.fixture.coverage import measure
    from extpkg.fixture.find import cases_root, find_cases
    from extpkg.fixture.run import run_cases

    try:
        served = _served(reading)
    except ExtensionError as error:
        return PackageCases(root=target.root, problems=(escaped(error.message),))
    definition = served.definition
    root = cases_root(target.directory, definition.domain) if cases is None else Path(cases)
    if root is None:
        return PackageCases(root=target.root, problems=(NO_CASE,))
    folders, strangers = find_cases(root, [action.name for action in definition.actions])
    results = run_cases(folders, served)
    covered = None if wanted is None else measure(definition, served.fails_with, results)
    return PackageCases(
        root=target.root,
        results=results,
        strangers=strangers,
        problems=() if results else (NO_CASE,),
        coverage=covered,
        wanted=wanted or 0.0,
    )


def _names(path: str, served: Served) -> tuple[str, str]:
    from extpkg.fixture.record import NAME

    action, _, name = path.partition("/")
    actions = sorted(each.name for each in served.definition.actions)
    if action not in actions:
        known = ", ".join(actions)
        raise click.UsageError(f"there is no action '{action}'; there are {known}")
    if not NAME.fullmatch(name):
        raise click.UsageError(f"'{name}' is no name of a case: lower-case words joined by hyphens")
    return action, name


def _root(target: Target, served: Served, cases: str | None) -> Path:
    """Return the folder to record into: the one that is replayed, `tests/` of the package where none is."""
    from extpkg.fixture.find import cases_root

    if cases is not None:
        return Path(cases)
    if target.root.startswith("@"):
        raise Halt(1, f"{shown_path(target.root)} is installed and is not changed; --cases names a folder")
    return cases_root(target.directory, served.definition.domain) or Path(target.directory, "tests")


def _is_folder(path: Path) -> bool:
    return path.is_dir() and not path.is_symlink()
