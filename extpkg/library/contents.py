"""What a published version holds, judged by its files: a library is believed as far as its hashes reach.

The hashes tell that nothing was changed since a line was written. Whoever writes a whole library anew makes
hashes that fit; what cannot be made is a Definition digest that fits other files.
"""

from __future__ import annotations

from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from extpkg.definition.build import rebuild
from extpkg.library.entry import IntegrityError
from extpkg.library.snapshot import Snapshot, laid_down
from extpkg.package import read_package

if TYPE_CHECKING:
    from extpkg.definition.model import Definition
    from extpkg.library.entry import Entry


def check_contents(entry: Entry) -> None:
    """Raise `IntegrityError` unless the files are a package whose Definition is the one of the entry.

    Errors about the right to a domain do not count: they are of the day on which it was published.
    """
    folders = {str(folder) for path in entry.files for folder in PurePosixPath(path).parents} - {"."}
    taken = Snapshot(files=dict(entry.files), directories=tuple(sorted(folders)), ignored=())
    with laid_down(taken) as directory:
        reading = read_package(directory)
    definition = reading.definition
    name = f"{entry.domain}@{entry.version}"
    if definition is None or reading.computed != entry.digest:
        raise IntegrityError(f"the files of {name} are not those of its Definition")
    if (definition.domain, definition.version) != (entry.domain, entry.version):
        raise IntegrityError(f"what is published as {name} is {definition.domain}@{definition.version}")


def definition_of(entry: Entry) -> Definition:
    """Return the normalized Definition of an entry by its projection; raises `IntegrityError`."""
    try:
        definition = rebuild(entry.projection)
    except (AttributeError, KeyError, RecursionError, TypeError, ValueError):
        raise IntegrityError(f"the Definition of {entry.domain}@{entry.version} is none") from None
    if (definition.domain, definition.version) != (entry.domain, entry.version):
        raise IntegrityError(f"the Definition of {entry.domain}@{entry.version} is that of another version")
    return definition
