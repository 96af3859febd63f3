"""What commands need of the front door: packages read, judged, named as they were asked for."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from extpkg.check.report import Source, arrange, diagnose
from extpkg.cli.find import find_packages
from extpkg.cli.progress import Progress
from extpkg.cli.render.escape import escaped, shown_path
from extpkg.cli.shared_work import shared
from extpkg.cli.terminal import Halt
from extpkg.diagnostic import Finding, Report
from extpkg.document.files import META, EntryKind, read_tree
from extpkg.document.strict_yaml import parse_document
from extpkg.package import read_package

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from extpkg.cli.find import Target
    from extpkg.cli.terminal import Terminal
    from extpkg.definition.model import Definition
    from extpkg.document.document import Document
    from extpkg.package import Reading


def read_all(terminal: Terminal, paths: Sequence[str]) -> Iterator[tuple[Target, Reading]]:
    """Yield each package that `paths` name, read and judged; a progress line tells where that takes long."""
    targets = find_packages(paths)
    with Progress(terminal) as progress:
        for number, target in enumerate(targets, start=1):
            head = f"Checking {number} of {len(targets)}: {target.root}"
            heard = partial(_heard, progress, head)
            yield target, read_package(target.directory, on_file=heard, each=shared)


def _heard(progress: Progress, head: str, file: str) -> None:
    progress.note(f"{head} {file}")


def defined(terminal: Terminal, read: Sequence[tuple[Target, Reading]]) -> list[tuple[Definition, str]]:
    """Return the Definition and digest of each package.

    Where one has an error that is not about its digest or the registry, all such reports are printed to
    standard error, and the command ends (1).
    """
    found = [
        (reading.definition, reading.computed)
        for _, reading in read
        if reading.definition is not None and reading.computed is not None
    ]
    if len(found) != len(read):
        refuse(terminal, [target.named(r.report) for target, r in read if r.definition is None])
    return found


def refuse(terminal: Terminal, reports: Sequence[Report]) -> None:
    """Print reports to standard error and end the command (1)."""
    from extpkg.cli.render.text import Style, render_text

    terminal.complain(render_text(reports, Style(encoding=terminal.encoding)))
    raise Halt(1, "")


def read_files(target: Target) -> Iterator[tuple[str, bytes | Finding]]:
    """Yield `meta.yaml` and every action file with its bytes, or with what keeps it from being read."""
    with read_tree(target.directory) as tree:
        files = {entry.path for entry in tree.entries if entry.kind is EntryKind.FILE}
        actions = sorted(path for path in files if path.startswith("actions/") and path.endswith(".yaml"))
        for path in [META, *actions]:
            yield path, tree.read(path)


def read_file(target: Target, path: str) -> bytes:
    """Return the bytes of one file of a package that was read before; `Halt` (1) where it is gone."""
    with read_tree(target.directory) as tree:
        data = tree.read(path)
    if isinstance(data, Finding):
        raise Halt(1, f"{shown_path(target.root, path)}: {escaped(data.message)}")
    return data


def documents_of(target: Target, paths: Sequence[str]) -> dict[str, Document]:
    """Return files of a package that was read before as documents, by path."""
    return {path: parse_document(read_file(target, path), path) for path in paths}


def faulty(target: Target, path: str, data: bytes, faults: Sequence[Finding]) -> Report:
    """Return the report on a file that cannot be read, named as the package was asked for."""
    source = Source(path=path, data=data)
    diagnostics, cut = arrange(diagnose(target.root, faults, {path: source}))
    return Report(root=target.root, domain=None, version=None, digest=None, diagnostics=diagnostics, cut=cut)
