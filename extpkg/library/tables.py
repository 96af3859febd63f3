"""The tables of a library in a SQLite file, and whether a file has them as they were made."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from extpkg.library.entry import IntegrityError
from extpkg.library.store import Fault

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterator

_REFUSE: Final = "BEGIN SELECT RAISE(ABORT, 'a library is never rewritten'); END"
TABLES: Final = (
    "CREATE TABLE blob (digest TEXT PRIMARY KEY NOT NULL, data BLOB NOT NULL) STRICT",
    """CREATE TABLE publication (
         sequence INTEGER PRIMARY KEY NOT NULL,
         domain TEXT NOT NULL,
         version INTEGER NOT NULL,
         definition TEXT NOT NULL UNIQUE,
         manifest TEXT NOT NULL,
         previous TEXT NOT NULL UNIQUE,
         link TEXT NOT NULL UNIQUE,
         UNIQUE (domain, version)
       ) STRICT""",
    *(
        f"CREATE TRIGGER {table}_no_{event.lower()} BEFORE {event} ON {table} {_REFUSE}"
        for table in ("blob", "publication")
        for event in ("UPDATE", "DELETE")
    ),
    # REPLACE deletes without asking the triggers above where recursive_triggers is off, as it is elsewhere.
    f"""CREATE TRIGGER blob_no_second BEFORE INSERT ON blob
         WHEN EXISTS (SELECT 1 FROM blob WHERE digest = NEW.digest) {_REFUSE}""",  # noqa: S608 - constants
    f"""CREATE TRIGGER publication_no_second BEFORE INSERT ON publication
         WHEN EXISTS (SELECT 1 FROM publication WHERE sequence = NEW.sequence OR definition = NEW.definition
           OR domain = NEW.domain AND version = NEW.version) {_REFUSE}""",  # noqa: S608 - constants
)


def schema_faults(connection: sqlite3.Connection) -> Iterator[Fault]:
    """Yield each table or trigger that is missing, changed, or none of a library."""
    wanted = {" ".join(statement.split()) for statement in TABLES}
    rows = connection.execute("SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL")
    found = {" ".join(sql.split()) for (sql,) in rows}
    for missing in sorted(wanted - found):
        yield Fault(name="", message=f"the file lacks {_called(missing)}, or has another")
    for strange in sorted(found - wanted):
        yield Fault(name="", message=f"the file has {_called(strange)}, which no library has like that")


def expect_tables(connection: sqlite3.Connection) -> None:
    """Raise `IntegrityError` where what is read or written first is no table of a library."""
    rows = connection.execute("SELECT sql FROM sqlite_schema WHERE name IN ('blob', 'publication')")
    if {" ".join(sql.split()) for (sql,) in rows} != {" ".join(sql.split()) for sql in TABLES[:2]}:
        raise IntegrityError("the tables of the library are not as they were made")


def expect_triggers(connection: sqlite3.Connection) -> None:
    """Raise `IntegrityError` where other triggers than those of a library would see what is added."""
    for fault in schema_faults(connection):
        raise IntegrityError(fault.message)


def _called(statement: str) -> str:
    return " ".join(statement.split()[1:3])
