"""Publishing: exactly the bytes that were judged, and everything that one library has into another."""

from __future__ import annotations

from typing import TYPE_CHECKING

from extpkg.definition.projection import projection
from extpkg.library.entry import Entry

if TYPE_CHECKING:
    from collections.abc import Iterator

    from extpkg.library.entry import Publication
    from extpkg.library.snapshot import Snapshot
    from extpkg.library.store import Outcome, Store
    from extpkg.package import Reading


def stored(reading: Reading, taken: Snapshot) -> Entry | None:
    """Return what is published of a package: the files of `taken`, of which `reading` is the reading.

    None where the package is not valid: a library takes nothing else (P113).
    """
    definition, digest = reading.definition, reading.computed
    if definition is None or digest is None or not reading.report.ok:
        return None
    return Entry(
        domain=definition.domain,
        version=definition.version,
        digest=digest,
        projection=projection(definition),
        files=taken.files,
    )


def mirrored(source: Store, target: Store) -> Iterator[tuple[Publication, Outcome]]:
    """Publish every version of `source` into `target`, in the order of its log; yield what became of each.

    Every version is verified before it is stored. Raises `Conflict` where the target has another of its name.
    """
    lines = source.publications()
    yield from zip(lines, target.add_all(map(source.read, lines)), strict=True)
