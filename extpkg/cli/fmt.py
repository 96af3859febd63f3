"""`extpkg fmt`: the files of packages in the one deterministic form."""

from __future__ import annotations

from dataclasses import dataclass, replace
from difflib import unified_diff
from typing import TYPE_CHECKING

import click

from extpkg.cli.find import find_packages
from extpkg.cli.output import replace_inside
from extpkg.cli.paths import DIRECTORY
from extpkg.cli.reading import faulty, read_files, refuse
from extpkg.cli.render.escape import escaped, shown_path
from extpkg.cli.terminal import Halt
from extpkg.definition.format import format_document
from extpkg.definition.order import Kind
from extpkg.diagnostic import Finding
from extpkg.document.files import META
from extpkg.errors import DocumentInvalid, ExtpkgError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from extpkg.cli.find import Target
    from extpkg.cli.terminal import Terminal
    from extpkg.diagnostic import Report


@dataclass(frozen=True, slots=True, kw_only=True)
class Rewrite:
    """A file and the bytes that it has and should have."""

    target: Target
    path: str
    old: bytes
    new: bytes

    @property
    def shown(self) -> str:
        """The path as people see it."""
        return shown_path(self.target.root, self.path)


@click.command(
    "fmt",
    epilog="""\b
Examples:
  extpkg fmt packages                       rewrite what is not in the form
  extpkg fmt --check packages               list what would change (for CI)
  extpkg fmt --diff packages/weather        show what would change

\b
Exit codes: 0 done (--check, --diff: nothing would change); 1 refused (--check, --diff: something
would change); 2 usage, or a path that cannot be read.""",
)
@click.argument("paths", metavar="PATH...", nargs=-1, required=True, type=DIRECTORY)
@click.option("--check", is_flag=True, help="List the files that would change, and change none.")
@click.option("--diff", is_flag=True, help="Show what would change as a unified diff, and change nothing.")
@click.pass_obj
def command(terminal: Terminal, *, paths: tuple[str, ...], check: bool, diff: bool) -> int:
    """Rewrite meta.yaml and the action files of packages in the deterministic form.

    Comments are kept and the digest never changes. A package may have other faults, but where one
    file cannot be read strictly, no file is changed.
    """
    if check and diff:
        raise click.UsageError("--check and --diff exclude each other")
    targets = find_packages(paths)
    rewrites = _rewrites(terminal, targets)
    changed = [rewrite for rewrite in rewrites if rewrite.old != rewrite.new]
    if diff:
        terminal.print("".join(f"{line}\n" for rewrite in changed for line in _diff(rewrite)))
    elif check:
        terminal.print("".join(f"would change {rewrite.shown}\n" for rewrite in changed))
    else:
        _apply(changed)
        terminal.print("".join(f"changed {rewrite.shown}\n" for rewrite in changed))
    terminal.complain(f"{_summary(len(changed), len(rewrites), dry=check or diff)}\n")
    return 1 if changed and (check or diff) else 0


def _rewrites(terminal: Terminal, targets: Sequence[Target]) -> list[Rewrite]:
    """Return what every file should be; where one is refused, all such are told and the command ends (1)."""
    rewrites: list[Rewrite] = []
    refused: list[Report] = []
    problems: list[str] = []
    for target in targets:
        for path, data in read_files(target):
            if isinstance(data, Finding):
                refused.append(faulty(target, path, b"", [data]))
                continue
            try:
                new = format_document(data, Kind.META if path == META else Kind.ACTION)
            except DocumentInvalid as error:
                refused.append(faulty(target, path, data, _in_file(error, path)))
            except ExtpkgError as error:
                problems.append(f"Error: {shown_path(target.root, path)}: {escaped(str(error))}\n")
            else:
                rewrites.append(Rewrite(target=target, path=path, old=data, new=new))
    terminal.complain("".join(problems))
    if refused:
        refuse(terminal, refused)
    if problems:
        raise Halt(1, "")
    return rewrites


def _in_file(error: DocumentInvalid, path: str) -> list[Finding]:
    return [replace(fault, place=replace(fault.place, path=path)) for fault in error.faults]


def _apply(changed: Sequence[Rewrite]) -> None:
    for rewrite in changed:
        replace_inside(rewrite.target, rewrite.path, rewrite.new)


def _diff(rewrite: Rewrite) -> Iterator[str]:
    old = rewrite.old.decode("utf-8").splitlines()
    new = rewrite.new.decode("utf-8").splitlines()
    for line in unified_diff(old, new, rewrite.shown, rewrite.shown, lineterm=""):
        yield line[:1] + escaped(line[1:])
    if old == new:
        yield f"{rewrite.shown}: only line ends"


def _summary(changed: int, total: int, *, dry: bool) -> str:
    verb = "would change" if dry else "changed"
    files = "file" if total == 1 else "files"
    return f"{changed} of {total} {files} {verb}."
