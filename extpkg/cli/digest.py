"""`extpkg digest`: the Definition digest, printed, checked, written, explained, compared (R-DIG)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import click

from extpkg.cli.find import find_package
from extpkg.cli.output import replace_inside
from extpkg.cli.paths import DIRECTORY
from extpkg.cli.reading import defined, documents_of, read_all, read_file, refuse
from extpkg.cli.render.escape import shown_path
from extpkg.document.files import META
from extpkg.document.strict_yaml import parse_document

if TYPE_CHECKING:
    from collections.abc import Sequence

    from extpkg.cli.find import Target
    from extpkg.cli.terminal import Terminal
    from extpkg.definition.model import Definition
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
@click.argument("paths", metavar="PATH...", nargs=-1, required=True, type=DIRECTORY)
@click.option("--check", is_flag=True, help="Refuse a package whose meta.yaml says another digest.")
@click.option("--write", is_flag=True, help="Write the digest into meta.yaml.")
@click.option("--projection", "bare", is_flag=True, help="Print the exact bytes that are hashed.")
@click.option("--explain", is_flag=True, help="List each hashed value with its file and line.")
@click.option("--diff", "other", metavar="OTHER", type=DIRECTORY, help="List what is different from OTHER.")
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
    read = list(read_all(terminal, paths))
    found = defined(terminal, read)
    if bare:
        from extpkg.definition.projection import projection

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
    from extpkg.definition.files import set_digest

    for target, reading in read:
        if reading.computed is not None and _written(reading) != reading.computed:
            data = read_file(target, META)
            changed = set_digest(data, parse_document(data, META), reading.computed)
            replace_inside(target, META, changed)


def _written(reading: Reading) -> object:
    return reading.meta.get("digest") if isinstance(reading.meta, dict) else None


def _explained(target: Target, reading: Reading) -> str:
    from extpkg.cli.render.projection import explained
    from extpkg.definition.origins import origins

    documents = documents_of(target, [META, *reading.actions])
    found = origins(reading.meta, list(reading.actions.values()))
    return explained(found, target.root, lambda file, pointer: documents[file].position(pointer).line)


def _diff(terminal: Terminal, definition: Definition, other: str) -> int:
    from extpkg.cli.render.projection import difference_line
    from extpkg.definition.projection import projection
    from extpkg.diff.differences import differences

    find_package(other)
    [(old, _)] = defined(terminal, list(read_all(terminal, [other])))
    found = differences(projection(old), projection(definition))
    lines = [difference_line(difference) for difference in found] or ["no semantic change"]
    terminal.print("".join(f"{line}\n" for line in lines))
    return 1 if found else 0
