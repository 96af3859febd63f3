# ruff: noqa: PTH100, PTH109, PTH116, PTH117, PTH118, PTH119, PTH120, PTH123
"""Which warnings a file outside the packages silences: where it is, which day it is, what it then does."""

from __future__ import annotations

import os
import stat
from dataclasses import replace
from datetime import UTC, date, datetime
from typing import TYPE_CHECKING, Final

from extpkg.check.report import Source, arrange, diagnose
from extpkg.check.suppression import expired, read_suppressions, unused
from extpkg.cli.render.escape import shown_path
from extpkg.cli.terminal import Halt
from extpkg.limits import DOCUMENT_BYTES

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from extpkg.check.suppression import Suppression
    from extpkg.cli.find import Target
    from extpkg.diagnostic import Diagnostic, Report

CONFIG: Final = "extpkg.toml"


def config_of(target: Target) -> str | None:
    """Return the configuration that counts for a package: the nearest `extpkg.toml` above it, or None.

    The directory that holds `.git` is the last that is looked at; a Builtin's installed package has none.
    """
    if target.root.startswith("@"):
        return None
    try:
        inside = os.path.abspath(target.place)
        here = None if os.path.isabs(target.root) else os.getcwd()
    except OSError:  # the current directory is gone
        return None
    while not os.path.lexists(os.path.join(inside, ".git")):
        above = os.path.dirname(inside)
        if above == inside:
            return None
        config = os.path.join(above, CONFIG)
        if os.path.lexists(config):
            return os.path.relpath(config, here) if here else config
        inside = above
    return None


def silenced(judged: Sequence[tuple[Target, Report]], config: str | None) -> list[Report]:
    """Return the reports without the warnings that are silenced.

    `config` is the file that says which; without it each package has the one above it, if there is one.
    """
    reports = [report for _, report in judged]
    configs = [config or config_of(target) for target, _ in judged]
    for file in dict.fromkeys(name for name in configs if name):
        governed = [index for index, name in enumerate(configs) if name == file]
        kept = apply(file, [judged[index] for index in governed], day_of(os.environ))
        for index, report in zip(governed, kept, strict=True):
            reports[index] = report
    return reports


def apply(config: str, judged: Sequence[tuple[Target, Report]], today: date) -> list[Report]:
    """Return the reports without the warnings that `config` silences.

    What is wrong with the configuration (entries that are malformed, expired, or silence nothing in this run)
    is reported with the first package.
    """
    data = read_config(config)
    name = os.path.basename(config)
    entries, faults = read_suppressions(data, name)
    late = tuple(expired(entries, today))
    late_places = {finding.place for finding in late}
    active = [entry for entry in entries if entry.place not in late_places]
    used: set[Suppression] = set()
    folder = os.path.dirname(os.path.abspath(config))
    reports = [_without(report, target, folder, (active, used)) for target, report in judged]
    findings = [*faults, *late, *unused(active, used)]
    source = {name: Source(path=name, data=data)}
    found, cut = arrange(diagnose(os.path.dirname(config) or ".", findings, source))
    first = reports[0]
    reports[0] = replace(first, diagnostics=first.diagnostics + found, cut=first.cut + cut)
    return reports


def day_of(environment: Mapping[str, str]) -> date:
    """Return today's date in UTC, or that of `SOURCE_DATE_EPOCH` where it is set."""
    epoch = environment.get("SOURCE_DATE_EPOCH", "")
    try:
        return (datetime.fromtimestamp(int(epoch), UTC) if epoch else datetime.now(UTC)).date()
    except (ValueError, OverflowError, OSError):
        raise Halt(2, "SOURCE_DATE_EPOCH is no number of seconds") from None


def _without(
    report: Report, target: Target, folder: str, state: tuple[list[Suppression], set[Suppression]]
) -> Report:
    """Return the report without what is silenced; what did it is added to the entries that were used."""
    active, used = state
    place = os.path.relpath(os.path.abspath(target.place), folder)
    kept: list[Diagnostic] = []
    for diagnostic in report.diagnostics:
        path = os.path.normpath(os.path.join(place, diagnostic.path)).replace(os.sep, "/")
        covering = [entry for entry in active if entry.covers(diagnostic, path)]
        used.update(covering)
        if not covering:
            kept.append(diagnostic)
    return replace(report, diagnostics=tuple(kept))


def read_config(config: str) -> bytes:
    """Return the bytes of a configuration; `Halt` (2) where it cannot be read."""
    try:
        if not stat.S_ISREG(os.stat(config).st_mode):
            raise Halt(2, f"'{shown_path(config)}': not a file")
        with open(config, "rb") as file:
            data = file.read(DOCUMENT_BYTES + 1)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or "not a path"
        raise Halt(2, f"'{shown_path(config)}': {reason.lower()}") from error
    if len(data) > DOCUMENT_BYTES:
        raise Halt(2, f"'{shown_path(config)}': larger than {DOCUMENT_BYTES} bytes")
    return data
