"""Publishing: look the version up, judge what is new, store exactly the bytes that were judged."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import TYPE_CHECKING

from extpkg.definition.projection import projection
from extpkg.errors import PackageInvalid
from extpkg.library.entry import Entry
from extpkg.library.snapshot import laid_down, snapshot
from extpkg.library.store import Outcome, same_version
from extpkg.package import read_package

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from extpkg.library.store import Store

    Judge = Callable[[Path], bool]


@dataclass(frozen=True, slots=True, kw_only=True)
class Published:
    """What became of a publication; `outcome` None is a version that was refused, with nothing stored."""

    domain: str
    version: int
    digest: str
    outcome: Outcome | None


def publish(path: str | os.PathLike[str], store: Store, judge: Judge) -> Published:
    """Publish the package at `path`: its files are read once, and what is judged is what is stored.

    A version that is there already is not judged: with the same digest it is `unchanged`. `judge` gets a
    directory with the bytes that were read, and says whether they may be published. Raises `PackageInvalid`
    and `DocumentInvalid` for what is no valid package, `Conflict`, `IntegrityError` and `Unavailable`.
    """
    taken = snapshot(path)
    with laid_down(taken) as root:
        entry = _entry(os.fspath(path), root, taken.files)
        known = store.find(entry.domain, entry.version)
        if known is not None:
            outcome: Outcome | None = same_version(known, entry)
        else:
            outcome = store.add(entry) if judge(root) else None
    return Published(domain=entry.domain, version=entry.version, digest=entry.digest, outcome=outcome)


def _entry(named: str, root: Path, files: dict[str, bytes]) -> Entry:
    reading = read_package(root)
    if reading.definition is None or reading.computed is None or not reading.report.ok:
        raise PackageInvalid(reading.report.named(named))
    return Entry(
        domain=reading.definition.domain,
        version=reading.definition.version,
        digest=reading.computed,
        projection=projection(reading.definition),
        files=files,
    )
