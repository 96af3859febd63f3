"""The SQLite library: what it keeps, what it refuses, and what it notices (P025, P109, P111, P112)."""

from __future__ import annotations

import os
import sqlite3
from contextlib import closing
from typing import TYPE_CHECKING

import pytest
from publishing import publish
from releases import reformatted, release

from extpkg.errors import DocumentInvalid, PackageInvalid
from extpkg.library.entry import GENESIS, IntegrityError, digest_of
from extpkg.library.local import LocalStore
from extpkg.library.snapshot import laid_down, snapshot
from extpkg.library.store import Conflict, Outcome, Unavailable

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@pytest.fixture
def store(tmp_path: Path) -> Iterator[LocalStore]:
    with closing(LocalStore(tmp_path / "library" / "library.db")) as made:
        assert made.create()
        yield made


def _changed(store_path: Path, *statements: str) -> list[str]:
    """Change a library behind its back, as somebody who drops the triggers first can; return those."""
    with closing(sqlite3.connect(store_path, isolation_level=None)) as connection:
        triggers = "SELECT name, sql FROM sqlite_schema WHERE type = 'trigger'"
        dropped = connection.execute(triggers).fetchall()
        for name, _ in dropped:
            connection.execute(f"DROP TRIGGER {name}")
        for statement in statements:
            connection.execute(statement)
    return [sql for _, sql in dropped]


def test_publishing_stores_the_bytes_that_were_read(store: LocalStore, tmp_path: Path) -> None:
    root = release(tmp_path / "a")
    published = publish(root, store)
    assert published.outcome is Outcome.STORED
    line = store.find("a", 1)
    assert line is not None
    assert line == store.find_digest(published.digest)
    entry = store.read(line)
    assert entry.files == {
        "actions/ping.yaml": (root / "actions/ping.yaml").read_bytes(),
        "meta.yaml": (root / "meta.yaml").read_bytes(),
    }
    assert digest_of(entry.projection) == published.digest == line.definition
    assert list(store.verify()) == []


def test_same_digest_is_unchanged_and_the_first_bytes_stay(store: LocalStore, tmp_path: Path) -> None:
    publish(release(tmp_path / "a"), store)
    first = store.publications()
    again = publish(reformatted(release(tmp_path / "b")), store)
    assert again.outcome is Outcome.UNCHANGED
    assert store.publications() == first
    assert store.read(first[0]).files == snapshot(tmp_path / "a").files


def test_another_definition_under_a_taken_version_is_a_conflict_that_names_both(
    store: LocalStore, tmp_path: Path
) -> None:
    """P112."""
    one = publish(release(tmp_path / "a"), store)
    with pytest.raises(Conflict) as refused:
        publish(release(tmp_path / "b", marker="B"), store)
    assert one.digest in str(refused.value)
    assert str(refused.value).count("sha256:") == 2
    assert [line.name for line in store.publications()] == ["a@1"]


def test_an_invalid_package_is_not_published(store: LocalStore, tmp_path: Path) -> None:
    """P004, P035."""
    with pytest.raises(PackageInvalid):
        publish(release(tmp_path / "bad", domain="A"), store)
    assert store.publications() == ()


def test_a_link_in_a_package_is_refused(store: LocalStore, tmp_path: Path) -> None:
    root = release(tmp_path / "a")
    (root / "README.md").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(DocumentInvalid):
        publish(root, store)


def test_dotted_entries_of_the_root_are_no_part_of_a_package(tmp_path: Path) -> None:
    root = release(tmp_path / "a")
    (root / ".git").mkdir()
    (root / ".env").write_bytes(b"SECRET=1")
    assert sorted(snapshot(root).files) == ["actions/ping.yaml", "meta.yaml"]


def test_laying_down_gives_the_same_files(tmp_path: Path) -> None:
    original = release(tmp_path / "a")
    (original / ".DS_Store").write_bytes(b"left behind")
    (original / "tests").mkdir()
    taken = snapshot(original)
    with laid_down(taken) as root:
        assert snapshot(root) == taken
        assert (root / ".DS_Store").read_bytes() == b""
    assert not root.exists()


def test_the_log_is_a_chain_from_the_first_publication(store: LocalStore, tmp_path: Path) -> None:
    for version in (1, 2, 3):
        publish(release(tmp_path / str(version), version=version), store)
    lines = store.publications()
    assert [line.previous for line in lines] == [GENESIS, lines[0].link, lines[1].link]
    assert [line.sequence for line in lines] == [1, 2, 3]


@pytest.mark.parametrize(
    "statement",
    [
        "DELETE FROM blob",
        "DELETE FROM publication",
        "UPDATE blob SET data = x'00'",
        "UPDATE publication SET version = 7",
        "INSERT OR REPLACE INTO blob SELECT digest, x'00' FROM blob",
        (
            "REPLACE INTO publication SELECT sequence, 'b', version, definition, manifest, previous, link"
            " FROM publication"
        ),
        (
            "INSERT OR REPLACE INTO publication SELECT 9, domain, version, definition || 'x', manifest,"
            " 'p', 'l' FROM publication"
        ),
    ],
)
@pytest.mark.parametrize("recursive", ["ON", "OFF"])
def test_no_program_rewrites_a_row(store: LocalStore, tmp_path: Path, statement: str, recursive: str) -> None:
    publish(release(tmp_path / "a"), store)
    path = tmp_path / "library/library.db"
    with closing(sqlite3.connect(path)) as connection:
        connection.execute(f"PRAGMA recursive_triggers = {recursive}")
        with pytest.raises(sqlite3.IntegrityError, match="never rewritten"):
            connection.execute(statement)
    assert list(store.verify()) == []


@pytest.mark.parametrize(
    ("statement", "named"),
    [
        (
            "UPDATE blob SET data = x'00' WHERE instr(data, 'ping.yaml') = 0 AND instr(data, 'contract') = 0",
            "damaged",
        ),
        ("DELETE FROM blob WHERE instr(data, 'extpkg.manifest')", "missing"),
        ("DELETE FROM publication WHERE version = 1", "missing or in another place"),
        ("DELETE FROM publication WHERE version = 2", "belongs to no published version"),
        (
            "UPDATE publication SET definition = 'sha256:' || hex(zeroblob(32)) WHERE version = 1",
            "was changed",
        ),
        ("UPDATE publication SET sequence = 9 WHERE version = 1", "in another place"),
        ("INSERT INTO blob VALUES ('sha256:00', x'00')", "belongs to no published version"),
    ],
)
def test_verify_names_what_was_done(store: LocalStore, tmp_path: Path, statement: str, named: str) -> None:
    for version in (1, 2):
        publish(release(tmp_path / str(version), version=version), store)
    store.close()
    _changed(tmp_path / "library/library.db", statement)
    faults = [fault.message for fault in store.verify()]
    assert any(named in message for message in faults), faults
    assert any("TRIGGER" in message for message in faults)


def test_reordered_log_is_named(store: LocalStore, tmp_path: Path) -> None:
    for version in (1, 2):
        publish(release(tmp_path / str(version), version=version), store)
    store.close()
    swap = "UPDATE publication SET sequence = {} WHERE sequence = {}"
    _changed(tmp_path / "library/library.db", swap.format(9, 1), swap.format(1, 2), swap.format(2, 9))
    with pytest.raises(IntegrityError, match="another place"):
        store.publications()


def test_swapped_blobs_are_named(store: LocalStore, tmp_path: Path) -> None:
    for version in (1, 2):
        publish(release(tmp_path / str(version), version=version), store)
    store.close()
    known = store.find("a", 1)
    store.close()
    _changed(
        tmp_path / "library/library.db",
        "UPDATE publication SET version = 9 WHERE version = 1",
        "UPDATE publication SET version = 1 WHERE version = 2",
        "UPDATE publication SET version = 2 WHERE version = 9",
    )
    assert known is not None
    with pytest.raises(IntegrityError, match="does not belong"):
        store.find("a", 1)
    with pytest.raises(IntegrityError, match="lacks TRIGGER"):
        publish(release(tmp_path / "again", version=1), store)
    assert store.read(known).version == 1


def test_a_damaged_blob_is_not_published_over(store: LocalStore, tmp_path: Path) -> None:
    publish(release(tmp_path / "a"), store)
    store.close()
    kept = _changed(tmp_path / "library/library.db", "UPDATE blob SET data = x'00'")
    with pytest.raises(IntegrityError, match="lacks TRIGGER"):
        publish(release(tmp_path / "b", version=2), store)
    _changed(tmp_path / "library/library.db", *kept)
    with pytest.raises(IntegrityError, match="damaged"):
        publish(release(tmp_path / "c", version=2), store)


def test_read_only_storage_is_read(
    store: LocalStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    publish(release(tmp_path / "a"), store)
    folder = tmp_path / "library"
    store.close()
    monkeypatch.setattr(os, "access", lambda *_: False)
    reader = LocalStore(folder / "library.db")
    assert [line.name for line in reader.publications()] == ["a@1"]
    reader.close()


def test_what_a_dead_process_left_is_closed_by_init(
    store: LocalStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What the message advises helps, also where nothing is new to be published."""
    path = tmp_path / "library" / "library.db"
    with closing(sqlite3.connect(path)) as alive:
        alive.execute("SELECT count(*) FROM blob").fetchall()
        publish(release(tmp_path / "a"), store)
        left = {each.name: each.read_bytes() for each in path.parent.iterdir()}
    for name, data in left.items():
        path.with_name(name).write_bytes(data)
    with monkeypatch.context() as readonly, closing(LocalStore(path)) as reader:
        readonly.setattr(os, "access", lambda *_: False)
        with pytest.raises(Unavailable, match="extpkg library init"):
            reader.publications()
    assert store.create() is False
    monkeypatch.setattr(os, "access", lambda *_: False)
    with closing(LocalStore(path)) as reader:
        assert [line.name for line in reader.publications()] == ["a@1"]


def test_what_is_no_library_is_refused(tmp_path: Path) -> None:
    with pytest.raises(Unavailable, match="library init"):
        LocalStore(tmp_path / "none.db").publications()
    (tmp_path / "text.db").write_bytes(b"not a database, but long enough to be looked at" * 20)
    with pytest.raises(IntegrityError, match="no SQLite file"):
        LocalStore(tmp_path / "text.db").publications()
    with closing(sqlite3.connect(tmp_path / "other.db")) as connection:
        connection.execute("PRAGMA application_id = 7")
        connection.execute("CREATE TABLE t (x)")
    with pytest.raises(Unavailable, match="another program"):
        LocalStore(tmp_path / "other.db").create()
    with closing(sqlite3.connect(tmp_path / "plain.db")) as connection:
        connection.execute("CREATE TABLE t (x)")
    with pytest.raises(Unavailable, match="another program"):
        LocalStore(tmp_path / "plain.db").create()


def test_a_later_layout_is_not_guessed_at(store: LocalStore, tmp_path: Path) -> None:
    store.close()
    with closing(sqlite3.connect(tmp_path / "library/library.db")) as connection:
        connection.execute("PRAGMA user_version = 2")
    with pytest.raises(Unavailable, match="layout 2"):
        store.publications()


def test_creating_twice_changes_nothing(store: LocalStore) -> None:
    assert store.create() is False
