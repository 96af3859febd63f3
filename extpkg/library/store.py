"""What every library can do, and how one is named: a file, or a repository of an OCI registry."""

from __future__ import annotations

import enum
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from extpkg.errors import ExtpkgError
from extpkg.library.entry import GENESIS

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from extpkg.library.entry import Entry, Publication


class Outcome(enum.Enum):
    """What publishing did."""

    STORED = "stored"
    UNCHANGED = "unchanged"


class Conflict(ExtpkgError):
    """The version is published with another Definition, which stays; the text names both digests."""


class NotPublished(ExtpkgError):
    """The library holds no such version."""


class Unavailable(ExtpkgError):
    """The library cannot be opened, read or written; nothing that was published is changed.

    `full` says that what was to be written found no room.
    """

    def __init__(self, message: str, *, full: bool = False) -> None:
        self.full = full
        super().__init__(message)


@dataclass(frozen=True, slots=True, kw_only=True)
class Fault:
    """One thing that is wrong with a library: the version that it concerns, "" for the whole, and what."""

    name: str
    message: str


class Store(Protocol):
    """A library. Every method raises `Unavailable`, and what it reads is hashed before it is returned."""

    def publications(self) -> Sequence[Publication]:
        """Return the log, in the order of publication; raises `IntegrityError` where the chain is broken."""

    def create(self) -> bool:
        """Make the library where there is none; return whether that was done."""

    def close(self) -> None:
        """Close what is held open."""

    def find(self, domain: str, version: int) -> Publication | None:
        """Return the line that published a version, None where none did."""

    def find_digest(self, digest: str) -> Publication | None:
        """Return the line that published the Definition of that digest, None where none did."""

    def read(self, line: Publication) -> Entry:
        """Return a published version, verified; raises `IntegrityError`."""

    def add(self, entry: Entry) -> Outcome:
        """Publish a version, wholly or not at all; raises `Conflict` and `IntegrityError`."""

    def add_all(self, entries: Iterable[Entry]) -> Iterator[Outcome]:
        """Publish versions in their order, each as `add` does, and yield what became of each.

        What was yielded is stored, and of the rest nothing may be.
        """

    def verify(self) -> Iterator[Fault]:
        """Hash everything again and walk the log; yield everything that is wrong."""

    def attest(self, line: Publication, envelope: bytes) -> None:
        """Keep a signed envelope about a published version; the same one again changes nothing."""

    def attestations(self, line: Publication) -> Sequence[bytes]:
        """Return the envelopes about a published version, whole; nobody has opened them yet."""

    def notes(self) -> Sequence[str]:
        """Return what was met since the store was opened that is not wrong, and that people should know."""


def chain_faults(lines: Sequence[Publication]) -> Iterator[Fault]:
    """Yield where a log is no chain: a line that is missing, changed, or in another place."""
    previous = GENESIS
    for number, line in enumerate(lines, start=1):
        if line.sequence != number or line.previous != previous:
            message = f"the log is broken before {line.name}: a line is missing or in another place"
            yield Fault(name=line.name, message=message)
        if line.link != line.computed_link():
            yield Fault(name=line.name, message=f"the log's line of {line.name} was changed")
        previous = line.link


def same_version(line: Publication, entry: Entry) -> Outcome:
    """Return what publishing `entry` does where its version is published; raises `Conflict`."""
    if line.definition == entry.digest:
        return Outcome.UNCHANGED
    raise Conflict(f"{line.name} is published as {line.definition}, and this is {entry.digest}")
