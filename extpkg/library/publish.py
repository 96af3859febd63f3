"""Publishing: exactly the bytes that were judged, and everything that one library has into another."""

from __future__ import annotations

from typing import TYPE_CHECKING

from extpkg.definition.projection import projection
from extpkg.library.contents import check_contents
from extpkg.library.entry import Entry

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

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

    Every version is read as a package again before it is stored (P004). Raises `Conflict` where the target
    has another of its name.
    """
    lines = source.publications()
    yield from zip(lines, target.add_all(_checked(source, lines)), strict=True)


def _checked(source: Store, lines: Iterable[Publication]) -> Iterator[Entry]:
    for line in lines:
        entry = source.read(line)
        check_contents(entry)
        yield entry
