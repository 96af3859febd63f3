"""Publishing as the command line does it, without the gate."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from extpkg.errors import PackageInvalid
from extpkg.library.publish import stored
from extpkg.library.snapshot import snapshot
from extpkg.package import read_package

if TYPE_CHECKING:
    import os

    from extpkg.library.entry import Entry
    from extpkg.library.store import Outcome, Store


@dataclass(frozen=True, slots=True, kw_only=True)
class Published:
    digest: str
    outcome: Outcome


def entry_of(path: str | os.PathLike[str]) -> Entry:
    """Return what is published of the package at a path; raises `PackageInvalid` for what is no valid one."""
    reading = read_package(path)
    entry = stored(reading, snapshot(path))
    if entry is None:
        raise PackageInvalid(reading.report)
    return entry


def publish(path: str | os.PathLike[str], store: Store) -> Published:
    """Publish the package at a path."""
    entry = entry_of(path)
    return Published(digest=entry.digest, outcome=store.add(entry))
