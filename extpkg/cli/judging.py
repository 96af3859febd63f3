"""What publishing and asking have in common: packages copied, read, and their former versions."""

from __future__ import annotations

import errno
import os
from contextlib import ExitStack, closing, contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from extpkg.check.report import diagnose
from extpkg.cli.find import find_packages
from extpkg.cli.render.escape import escaped, shown_path
from extpkg.cli.shared_work import shared
from extpkg.cli.suppressions import CONFIG, config_of, read_config, silenced
from extpkg.cli.terminal import Halt, OutputLost
from extpkg.definition.projection import digest_of_normal
from extpkg.diff.git_tree import Repository, checked_out
from extpkg.document.files import META
from extpkg.errors import DocumentInvalid, ExtpkgError
from extpkg.gate.judge import Candidate, Published
from extpkg.gate.policy import Policy, PolicyInvalid, is_against, read_policy
from extpkg.library.contents import definition_of
from extpkg.library.location import location, open_store
from extpkg.library.snapshot import Snapshot, laid_down, snapshot
from extpkg.library.store import Unavailable
from extpkg.package import read_package

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from extpkg.cli.find import Target
    from extpkg.definition.model import Definition
    from extpkg.diagnostic import Finding, Report
    from extpkg.library.store import Store
    from extpkg.package import Reading

    Former = Callable[[Target, Definition], Published | None]


def policy_for(paths: Sequence[str], config: str | None) -> Policy:
    """Return the policy of the configuration that is named, else of the one above the first package."""
    file = config or config_of(find_packages(paths)[0])
    if file is None:
        return Policy()
    try:
        return read_policy(read_config(file))
    except PolicyInvalid as refused:
        raise Halt(2, f"{CONFIG}: {refused}") from refused


@contextmanager
def candidates(
    paths: Sequence[str], config: str | None, against: str, former: Former
) -> Iterator[list[tuple[Candidate, Snapshot | None]]]:
    """Give every package that `paths` name as a candidate, with the copy that is judged.

    A package that cannot be copied whole is given as it is, with what is wrong with it, and no copy.
    """
    with ExitStack() as stack:
        read = [_read(stack, target) for target in find_packages(paths)]
        reports = silenced([(target, target.named(reading.report)) for target, _, reading, _ in read], config)
        yield [
            (
                Candidate(
                    directory=directory,
                    place=target.place,
                    files={} if taken is None else taken.files,
                    reading=reading,
                    report=report,
                    against=against,
                    published=former(target, reading.definition) if against and reading.definition else None,
                ),
                taken,
            )
            for (target, directory, reading, taken), report in zip(read, reports, strict=True)
        ]


def _read(stack: ExitStack, target: Target) -> tuple[Target, Path, Reading, Snapshot | None]:
    try:
        taken = snapshot(target.directory)
    except DocumentInvalid as refused:
        reading = read_package(target.directory, each=shared)
        if reading.report.ok:
            reading = replace(reading, report=_with(reading.report, refused.faults))
        return target, Path(target.directory), reading, None
    with _open_or_over(""):
        directory = stack.enter_context(laid_down(taken))
    return target, directory, read_package(directory, each=shared), taken


def _with(report: Report, faults: Sequence[Finding]) -> Report:
    """Return a report with what keeps a package that is valid from being copied."""
    found = diagnose(report.root, faults, {})
    return replace(report, diagnostics=(*report.diagnostics, *found))


def asked_for(against: str | None, policy: Policy) -> str:
    """Return what is compared with: what the option says, else the policy; `Halt` (2) for no such thing."""
    wanted = policy.against if against is None else against
    if wanted and not is_against(wanted):
        raise Halt(2, "--against is library, or git: and a revision")
    return wanted


def former_of(against: str, library: str | None) -> Former:
    """Return what finds the published version of a package, where `against` says."""
    if against == "library":
        return partial(_in_library_named, library)
    return partial(in_git, against.removeprefix("git:"))


def in_git(revision: str, target: Target, _: Definition) -> Published | None:
    """Return a package as it was at a revision, None where no package was there.

    `Halt` (2) where there is no such revision, (1) where what was there is no valid package.
    """
    repository = Repository(directory=target.place)
    shown = f"git:{escaped(revision)}"
    try:
        repository.tree(revision, "")
        path = repository.prefix() or ""
    except ExtpkgError as refused:
        raise Halt(2, f"--against {shown}: {escaped(str(refused))}") from refused
    try:
        tree = repository.tree(revision, path)
    except ExtpkgError:
        return None
    with checked_out(repository, tree) as directory:
        if not Path(directory, META).is_file():
            return None
        reading = read_package(directory)
    if reading.definition is None or reading.computed is None:
        raise Halt(1, f"{shown_path(target.root)} was no valid package at {shown}: nothing can be compared")
    name = f"{reading.definition.domain}@{reading.definition.version}"
    return Published(name=name, definition=reading.definition, digest=reading.computed)


@contextmanager
def opened_library(named: str | None) -> Iterator[Store]:
    """Give the library that is meant, and close it; `Halt` (2) or `OutputLost` (full) where it fails."""
    with _open_or_over("library: "), closing(open_store(location(named, os.environ), os.environ)) as store:
        yield store


@contextmanager
def _open_or_over(what: str) -> Iterator[None]:
    """End the command where something is not to be had: a full disk as lost output, all else as usage (2)."""
    try:
        yield
    except Unavailable as error:
        message = f"{what}{escaped(str(error))}"
        if error.full:
            raise OutputLost(OSError(errno.ENOSPC, message)) from error
        raise Halt(2, message) from error


def _in_library_named(named: str | None, _: Target, definition: Definition) -> Published | None:
    with opened_library(named) as store:
        return in_library(store, definition)


def in_library(store: Store, definition: Definition) -> Published | None:
    """Return the published version that a package follows: the highest, None where there is none.

    What is published already, with this very digest, follows itself: it is not due again.
    """
    line = store.find(definition.domain, definition.version)
    if line is None or line.definition != digest_of_normal(definition):
        lines = [each for each in store.publications() if each.domain == definition.domain]
        line = max(lines, key=lambda each: each.version, default=None)
    if line is None:
        return None
    return Published(name=line.name, definition=definition_of(store.read(line)), digest=line.definition)
