"""A library in one SQLite file: content-addressed blobs and a log that can only grow.

Every write is one transaction in write-ahead mode, synced in full: a version is there whole or not at all,
whenever the process dies. Rows are neither updated nor deleted: triggers refuse it to whoever opens the file
with any other program, and the hashes tell where a trigger was dropped first.
"""

from __future__ import annotations

import os
import re
import sqlite3
from contextlib import closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import quote

from extpkg.library.contents import check_contents
from extpkg.library.entry import (
    GENESIS,
    Entry,
    IntegrityError,
    Publication,
    checked_entry,
    digest_of,
    is_digest,
    listed_files,
    publication,
)
from extpkg.library.snapshot import TOTAL_BYTES
from extpkg.library.store import Fault, Outcome, Unavailable, chain_faults, same_version
from extpkg.library.tables import TABLES, expect_tables, expect_triggers, schema_faults

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

APPLICATION: Final = 0x65787470
"""`extp`, where SQLite files say whose they are."""

LAYOUT: Final = 1
"""The number of the tables' layout, where SQLite files say their own version."""

_ABSENT: Final = "there is no library here: extpkg library init makes one"
_NO_ATTESTATIONS: Final = "a library in a file keeps no attestations, one in a registry does"
_FULL: Final = "the storage is full"
_BUSY_SECONDS: Final = 60.0
_DOMAIN: Final = re.compile(r"[a-z0-9-]{1,128}")
_DATA: Final = f"""SELECT CASE WHEN typeof(data) = 'blob' AND length(data) <= {TOTAL_BYTES} THEN data END
                   FROM blob WHERE digest = ?"""  # noqa: S608 - a constant
_COLUMNS: Final = "sequence, domain, version, definition, manifest, previous, link"


class LocalStore:
    """The library in the SQLite file at `path`; it belongs to one thread of one process, and `close` ends it.

    Reading takes no write lock and works on read-only storage. Many processes may publish at once.
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self._path = Path(path).resolve()
        self._reader: sqlite3.Connection | None = None

    def close(self) -> None:
        """Close what reading holds open."""
        if self._reader is not None:
            self._reader.close()
            self._reader = None

    def create(self) -> bool:
        """Make the file and its tables where they are not; return whether that was done."""
        with _translated():
            self._path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        with self._writing("rwc") as connection:
            if _is_ours(connection):
                return False
            connection.execute("BEGIN EXCLUSIVE")
            if not _is_ours(connection):
                for statement in TABLES:
                    connection.execute(statement)
                connection.execute(f"PRAGMA application_id = {APPLICATION}")
                connection.execute(f"PRAGMA user_version = {LAYOUT}")
            connection.execute("COMMIT")
        return True

    def publications(self) -> Sequence[Publication]:
        """Return the log; raises `IntegrityError` where the chain is broken."""
        with self._reading() as connection:
            lines = _log(connection)
        for fault in chain_faults(lines):
            raise IntegrityError(fault.message)
        return lines

    def find(self, domain: str, version: int) -> Publication | None:
        """Return the line that published a version."""
        with self._reading() as connection:
            return _find(connection, domain, version)

    def find_digest(self, digest: str) -> Publication | None:
        """Return the line that published a Definition."""
        with self._reading() as connection:
            return _one(connection, "definition = ?", digest)

    def read(self, line: Publication) -> Entry:
        """Return a published version, every byte of it hashed again."""
        with self._reading() as connection:
            return _read(connection, line)

    def add(self, entry: Entry) -> Outcome:
        """Publish a version in one transaction."""
        with self._writing("rw") as connection:
            _expect_ours(connection)
            connection.execute("BEGIN IMMEDIATE")
            expect_triggers(connection)
            known = _find(connection, entry.domain, entry.version)
            if known is not None:
                connection.execute("ROLLBACK")
                return same_version(known, entry)
            line = publication(entry, _last(connection))
            for data in (entry.projection, entry.manifest(), *entry.files.values()):
                _keep(connection, data)
            connection.execute(
                f"INSERT INTO publication ({_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?)",  # noqa: S608 - a constant
                tuple(getattr(line, name) for name in _COLUMNS.split(", ")),
            )
            connection.execute("COMMIT")
        return Outcome.STORED

    def add_all(self, entries: Iterable[Entry]) -> Iterator[Outcome]:
        """Publish versions, each in one transaction."""
        return map(self.add, entries)

    def attest(self, line: Publication, envelope: bytes) -> None:  # noqa: ARG002 - the protocol's signature
        """Raise `Unavailable`: a file keeps versions alone."""
        raise Unavailable(_NO_ATTESTATIONS)

    def attestations(self, line: Publication) -> Sequence[bytes]:  # noqa: ARG002
        """Raise `Unavailable`: a file keeps versions alone."""
        raise Unavailable(_NO_ATTESTATIONS)

    def notes(self) -> Sequence[str]:
        """Return nothing: what a file holds is right or wrong."""
        return ()

    def verify(self) -> Iterator[Fault]:
        """Hash everything again and walk the log."""
        with self._reading() as connection:
            yield from _structure_faults(connection)
            lines = _log(connection)
            yield from chain_faults(lines)
            yield from _blob_faults(connection)
            meant: set[str] = set()
            for line in lines:
                try:
                    entry = _read(connection, line)
                except IntegrityError as error:
                    yield Fault(name=line.name, message=str(error))
                    meant |= _named(connection, line)
                else:
                    yield from _content_faults(entry)
                    meant |= {line.definition, line.manifest, *map(digest_of, entry.files.values())}
            for (digest,) in connection.execute("SELECT digest FROM blob ORDER BY digest"):
                if digest not in meant:
                    yield Fault(name="", message=f"the blob {digest} belongs to no published version")

    @contextmanager
    def _reading(self) -> Iterator[sqlite3.Connection]:
        with _translated():
            if self._reader is None:
                self._reader = self._library()
            self._reader.execute("BEGIN")  # one snapshot for all that is read
            try:
                yield self._reader
            finally:
                self._reader.execute("ROLLBACK")

    def _library(self) -> sqlite3.Connection:
        """Return a connection that reads, once it was seen to be to a library; else nothing stays open."""
        connection = self._connected("ro")
        try:
            _expect_ours(connection)
            expect_tables(connection)
        except BaseException:
            connection.close()
            raise
        return connection

    @contextmanager
    def _writing(self, mode: str) -> Iterator[sqlite3.Connection]:
        self.close()  # whoever closes last folds the write-ahead log into the file
        with _translated(), closing(self._connected(mode)) as connection:
            connection.execute("PRAGMA journal_mode = WAL")
            yield connection

    def _connected(self, mode: str) -> sqlite3.Connection:
        if self._path.exists() and not self._path.is_file():
            raise Unavailable("a library is a regular file")
        if mode != "rwc" and not self._path.exists():
            raise Unavailable(_ABSENT)
        name = f"file:{quote(os.fsencode(self._path))}?mode={mode}{self._fixed(mode)}"
        connection = sqlite3.connect(name, uri=True, timeout=_BUSY_SECONDS, isolation_level=None)
        try:
            for pragma in ("trusted_schema = OFF", "recursive_triggers = ON", "synchronous = FULL"):
                connection.execute(f"PRAGMA {pragma}")
        except sqlite3.Error:  # it is no database, say: nothing is left open
            connection.close()
            raise
        return connection

    def _fixed(self, mode: str) -> str:
        """Return what opens a file on read-only storage: SQLite could not make its shared memory there."""
        writable = os.access(self._path.parent, os.W_OK) and os.access(self._path, os.W_OK)
        if mode != "ro" or writable:
            return ""
        log = self._path.with_name(f"{self._path.name}-wal")
        if log.exists() and log.stat().st_size:
            raise Unavailable(
                "the library was not closed, and its storage is read-only: extpkg library init closes it"
            )
        return "&immutable=1"


def _is_ours(connection: sqlite3.Connection) -> bool:
    application = connection.execute("PRAGMA application_id").fetchone()[0]
    layout = connection.execute("PRAGMA user_version").fetchone()[0]
    tables = connection.execute("SELECT count(*) FROM sqlite_schema").fetchone()[0]
    if not application and not layout and not tables:
        return False
    if application != APPLICATION:
        raise Unavailable("the file is the database of another program")
    if layout != LAYOUT:
        raise Unavailable(f"the library has layout {layout}, and this version reads {LAYOUT}")
    return True


def _expect_ours(connection: sqlite3.Connection) -> None:
    if not _is_ours(connection):
        raise Unavailable(_ABSENT)


def _one(connection: sqlite3.Connection, where: str, *values: Any) -> Publication | None:
    """Return the line that is meant, once it is the one that its neighbours in the chain know."""
    row = connection.execute(f"SELECT {_COLUMNS} FROM publication WHERE {where}", values).fetchone()  # noqa: S608 - constants of this module
    if row is None:
        return None
    line = _line(row)
    beside = connection.execute(
        """SELECT (SELECT link FROM publication WHERE sequence = ?),
                  (SELECT previous FROM publication WHERE sequence = ?)""",
        (line.sequence - 1, line.sequence + 1),
    ).fetchone()
    before = GENESIS if line.sequence == 1 else beside[0]
    if line.link != line.computed_link() or before != line.previous or beside[1] not in {None, line.link}:
        raise IntegrityError(f"the log's line of {line.name} does not belong where it is")
    return line


def _line(row: Sequence[Any]) -> Publication:
    """Return a line; whoever writes the file anew may have put any text into it."""
    line = Publication(**dict(zip(_COLUMNS.split(", "), row, strict=True)))
    digests = (line.definition, line.manifest, line.previous, line.link)
    if not _DOMAIN.fullmatch(line.domain) or not all(map(is_digest, digests)):
        raise IntegrityError("the log has a line that no publication writes")
    return line


def _find(connection: sqlite3.Connection, domain: str, version: int) -> Publication | None:
    return _one(connection, "domain = ? AND version = ?", domain, version)


def _last(connection: sqlite3.Connection) -> Publication | None:
    return _one(connection, "sequence = (SELECT max(sequence) FROM publication)")


def _log(connection: sqlite3.Connection) -> tuple[Publication, ...]:
    query = f"SELECT {_COLUMNS} FROM publication ORDER BY sequence"  # noqa: S608 - constants of this module
    return tuple(map(_line, connection.execute(query)))


def _keep(connection: sqlite3.Connection, data: bytes) -> None:
    """Store a blob; one that is there already is the same bytes, or the library is not sound."""
    digest = digest_of(data)
    known = connection.execute(_DATA, (digest,)).fetchone()
    if known is None:
        connection.execute("INSERT INTO blob (digest, data) VALUES (?, ?)", (digest, data))
    elif known[0] != data:
        raise IntegrityError(f"the blob {digest} is damaged")


def _blob(connection: sqlite3.Connection, digest: str, what: str) -> bytes:
    row = connection.execute(_DATA, (digest,)).fetchone()
    if row is None:
        raise IntegrityError(f"{what} is missing")
    data = row[0]
    if not isinstance(data, bytes) or digest_of(data) != digest:
        raise IntegrityError(f"{what} is damaged")
    return data


def _read(connection: sqlite3.Connection, line: Publication) -> Entry:
    manifest = _blob(connection, line.manifest, f"the manifest of {line.name}")
    listed = listed_files(line, manifest)
    files = {
        each.path: _blob(connection, each.digest, f"the file {each.path!r} of {line.name}") for each in listed
    }
    projection = _blob(connection, line.definition, f"the Definition of {line.name}")
    return checked_entry(line, projection, files, listed)


def _content_faults(entry: Entry) -> Iterator[Fault]:
    try:
        check_contents(entry)
    except IntegrityError as error:
        yield Fault(name=f"{entry.domain}@{entry.version}", message=str(error))


def _blob_faults(connection: sqlite3.Connection) -> Iterator[Fault]:
    for (digest,) in connection.execute("SELECT digest FROM blob ORDER BY digest").fetchall():
        try:
            _blob(connection, digest, f"the blob {digest}")
        except IntegrityError as error:
            yield Fault(name="", message=str(error))


def _structure_faults(connection: sqlite3.Connection) -> Iterator[Fault]:
    for (message,) in connection.execute("PRAGMA integrity_check(20)"):
        if message != "ok":
            yield Fault(name="", message=f"the file is damaged: {message}")
    yield from schema_faults(connection)


def _named(connection: sqlite3.Connection, line: Publication) -> set[str]:
    """Return the blobs that a damaged version still names, so that they are not called strangers."""
    named = {line.definition, line.manifest}
    try:
        return named | {
            each.digest for each in listed_files(line, _blob(connection, line.manifest, "the manifest"))
        }
    except IntegrityError:
        return named


@contextmanager
def _translated() -> Iterator[None]:
    """Turn what the system and SQLite raise into this room's words; their texts may hold a path."""
    try:
        yield
    except UnicodeDecodeError:
        raise IntegrityError("the library's file is damaged: a text of it is none") from None
    except sqlite3.DatabaseError as error:
        name = getattr(error, "sqlite_errorname", "") or "SQLITE_ERROR"
        reason = _SQLITE.get(name.split("_")[1], f"SQLite says {name}")
        if name.startswith(("SQLITE_CORRUPT", "SQLITE_NOTADB", "SQLITE_ERROR", "SQLITE_CONSTRAINT")):
            raise IntegrityError(f"the library's file is damaged: {reason}") from None
        raise Unavailable(reason, full=reason == _FULL) from None
    except OSError as error:
        raise Unavailable((error.strerror or type(error).__name__).lower()) from None


_SQLITE: Final = {
    "BUSY": "another process has held the library for too long",
    "LOCKED": "another process has held the library for too long",
    "FULL": _FULL,
    "IOERR": "the storage failed",
    "READONLY": "the library cannot be written",
    "CANTOPEN": "the library cannot be opened",
    "NOTADB": "it is no SQLite file",
    "CORRUPT": "its pages do not fit together",
    "ERROR": "its tables or texts are not as they were made",
    "CONSTRAINT": "its rows do not fit together",
    "PERM": "the library cannot be opened",
    "AUTH": "the library cannot be opened",
    "NOMEM": "there is not enough memory",
}
