"""`extpkg digest`: the Definition digest, printed, checked, written, explained, compared (R-DIG)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import click

from extpkg.cli.find import find_package
from extpkg.cli.output import rewrite
from extpkg.cli.reading import defined, documents_of, read_all, refuse
from extpkg.cli.render.escape import shown_path
from extpkg.cli.render.projection import difference_line, explained
from extpkg.cli.terminal import Halt
from extpkg.definition import differences, origins, projection, set_digest

if TYPE_CHECKING:
    from collections.abc import Sequence

    from extpkg.cli.find import Target
    from extpkg.cli.terminal import Terminal
    from extpkg.definition import Definition
    from extpkg.package import Reading

ONE_PACKAGE: Final = ("--projection", "--explain", "--diff")


@click.command(
    "digest",
    epilog="""\b
Examples:
  extpkg digest .                           the digest, nothing else: $(extpkg digest .)
  extpkg digest packages                    sha256:...  path, a line for each package
  extpkg digest --check packages            is what meta.yaml says right? (for CI)
  extpkg digest --write packages/weather    write it into meta.yaml, changing only its line
  extpkg digest --explain .                 each value that is hashed, and where it is written
  extpkg digest --diff ../old .             what is different in . from ../old

\b
Exit codes: 0 done (--check: right; --diff: no difference); 1 refused (--check: wrong;
--diff: there are differences); 2 usage, or a path that cannot be read.""",
)
@click.argument("paths", metavar="PATH...", nargs=-1, required=True, type=click.Path())
@click.option("--check", is_flag=True, help="Refuse a package whose meta.yaml says another digest.")
@click.option("--write", is_flag=True, help="Write the digest into meta.yaml.")
@click.option("--projection", "bare", is_flag=True, help="Print the exact bytes that are hashed.")
@click.option("--explain", is_flag=True, help="List each hashed value with its file and line.")
@click.option("--diff", "other", metavar="OTHER", type=click.Path(), help="List what is different from OTHER.")
@click.pass_obj
def command(  # noqa: PLR0913 - one for each option
    terminal: Terminal,
    *,
    paths: tuple[str, ...],
    check: bool,
    write: bool,
    bare: bool,
    explain: bool,
    other: str | None,
) -> int:
    """Compute the Definition digest of packages.

    The digest depends on what a package means and not on its formatting, comments or file order.
    A package with an error that is not about its digest has none: it is refused, nothing is written.
    """
    if sum((check, write, bare, explain, other is not None)) > 1:
        raise click.UsageError("--check, --write, --projection, --explain and --diff exclude each other")
    if bare or explain or other is not None:
        if len(paths) > 1:
            raise click.UsageError(f"{', '.join(ONE_PACKAGE)} take one package")
        find_package(paths[0])
    read = read_all(terminal, paths)
    found = defined(terminal, read)
    if bare:
        terminal.write(projection(found[0][0]))
        return 0
    if explain:
        terminal.print(_explained(*read[0]))
        return 0
    if other is not None:
        return _diff(terminal, found[0][0], other)
    if check:
        wrong = [target.named(reading.report) for target, reading in read if not reading.report.ok]
        if wrong:
            refuse(terminal, wrong)
    if write:
        _write(read)
    terminal.print(_lines(read))
    return 0


def _lines(read: Sequence[tuple[Target, Reading]]) -> str:
    """Return the digest alone for one package, else a line for each."""
    if len(read) == 1:
        return f"{read[0][1].computed}\n"
    return "".join(f"{reading.computed}  {shown_path(target.root)}\n" for target, reading in read)


def _write(read: Sequence[tuple[Target, Reading]]) -> None:
    """Write the digests that are not written yet; a Builtin's installed package is never changed."""
    stale = [(target, reading) for target, reading in read if _written(reading) != reading.computed]
    for target, _ in stale:
        if target.root.startswith("@"):
            raise Halt(1, f"{shown_path(target.root)} is installed and is not changed; write to its source")
    for target, reading in stale:
        rewrite(target, "meta.yaml", lambda data, digest=reading.computed: set_digest(data, digest))


def _written(reading: Reading) -> object:
    return reading.meta.get("digest") if isinstance(reading.meta, dict) else None


def _explained(target: Target, reading: Reading) -> str:
    documents = documents_of(target, ["meta.yaml", *reading.actions])
    found = origins(reading.meta, list(reading.actions.values()))
    return explained(found, target.root, lambda file, pointer: documents[file].position(pointer).line)


def _diff(terminal: Terminal, definition: Definition, other: str) -> int:
    find_package(other)
    [(old, _)] = defined(terminal, read_all(terminal, [other]))
    found = differences(projection(old), projection(definition))
    lines = [difference_line(difference) for difference in found] or ["no semantic change"]
    terminal.print("".join(f"{line}\n" for line in lines))
    return 1 if found else 0
