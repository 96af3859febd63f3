"""A library that somebody else wrote: every hash fits, and nothing of it is believed further (P004, P113)."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest
from console import extpkg
from releases import release

from extpkg.canonical import canonical_json
from extpkg.library.entry import GENESIS, Publication, digest_of

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

COLUMNS = ("sequence", "domain", "version", "definition", "manifest", "previous", "link")


class Forged:
    """A library of `a@1`, `a@2` and `b@1` whose file is open to somebody who knows all about it."""

    def __init__(self, path: Path) -> None:
        self.path = path / "library.db"
        assert extpkg("library", "init", "--library", self.path).code == 0
        for domain, version in (("a", 1), ("a", 2), ("b", 1)):
            root = release(
                path / f"{domain}{version}", domain=domain, version=version, marker=f"{domain}{version}"
            )
            assert extpkg("library", "publish", root, "--library", self.path).code == 0
        self.sql = sqlite3.connect(self.path, isolation_level=None)
        triggers = "SELECT name, sql FROM sqlite_schema WHERE type = 'trigger'"
        self._triggers = self.sql.execute(triggers).fetchall()
        for name, _ in self._triggers:
            self.sql.execute(f"DROP TRIGGER {name}")

    def line(self, sequence: int) -> Publication:
        row = self.sql.execute(f"SELECT {', '.join(COLUMNS)} FROM publication WHERE sequence = ?", [sequence])  # noqa: S608
        return Publication(**dict(zip(COLUMNS, row.fetchone(), strict=True)))

    def blob(self, digest: str) -> bytes:
        data: bytes = self.sql.execute("SELECT data FROM blob WHERE digest = ?", [digest]).fetchone()[0]
        return data

    def keep(self, data: bytes) -> str:
        self.sql.execute("INSERT OR IGNORE INTO blob VALUES (?, ?)", [digest_of(data), data])
        return digest_of(data)

    def manifest(self, sequence: int, change: Callable[[dict[str, Any]], object]) -> None:
        """Write another manifest for a line."""
        value = json.loads(self.blob(self.line(sequence).manifest))
        change(value)
        self.set(sequence, manifest=self.keep(canonical_json(value)))

    def set(self, sequence: int, **values: object) -> None:
        for name, value in values.items():
            self.sql.execute(f"UPDATE publication SET {name} = ? WHERE sequence = ?", [value, sequence])  # noqa: S608

    def done(self) -> None:
        """Make every link anew, drop the blobs that nothing names, put the triggers back."""
        previous = GENESIS
        meant: set[str] = set()
        for sequence in range(1, 4):
            line = replace(self.line(sequence), previous=previous)
            previous = line.computed_link()
            self.set(sequence, previous=line.previous, link=previous)
            files = json.loads(self.blob(line.manifest))["files"]
            meant |= {line.definition, line.manifest, *(digest for _, digest, _ in files)}
        for (digest,) in self.sql.execute("SELECT digest FROM blob").fetchall():
            if digest not in meant:
                self.sql.execute("DELETE FROM blob WHERE digest = ?", [digest])
        for _, statement in self._triggers:
            self.sql.execute(statement)
        self.sql.close()


@pytest.fixture
def forged(tmp_path: Path) -> Forged:
    return Forged(tmp_path)


def test_only_forging_it_back_leaves_it_whole(forged: Forged) -> None:
    forged.done()
    assert extpkg("library", "verify", "--library", forged.path).err == "3 versions, all whole\n"


def _files_of(sequence: int) -> Callable[[Forged], None]:
    def forge(forged: Forged) -> None:
        files = json.loads(forged.blob(forged.line(sequence).manifest))["files"]
        forged.manifest(2, lambda value: value.update(files=files))

    return forge


def _path(path: str) -> Callable[[Forged], None]:
    def forge(forged: Forged) -> None:
        def add(value: dict[str, Any]) -> None:
            value["files"] = sorted([*value["files"], [path, *value["files"][0][1:]]])

        forged.manifest(2, add)

    return forge


def _manifest(change: Callable[[dict[str, Any]], object]) -> Callable[[Forged], None]:
    return lambda forged: forged.manifest(2, change)


def _wrong_sizes(value: dict[str, Any]) -> None:
    value["files"] = [[path, digest, size + 1] for path, digest, size in value["files"]]


def _another_definition(forged: Forged) -> None:
    other = forged.line(3).definition
    forged.set(3, definition="sha256:" + "1" * 64)
    forged.manifest(2, lambda value: value.update(definition=other))
    forged.set(2, definition=other)
    forged.keep(b"x")
    forged.manifest(3, lambda value: value.update(definition=digest_of(b"x")))
    forged.set(3, definition=digest_of(b"x"))


def _another_package(forged: Forged) -> None:
    _files_of(3)(forged)
    _another_definition(forged)


NOT_THE_FILES = "the files of a@2 are not those of its Definition"
NO_MANIFEST = "the manifest of a@2 is not that of a package"


@pytest.mark.parametrize(
    ("forge", "said"),
    [
        (_files_of(3), NOT_THE_FILES),
        (_files_of(1), NOT_THE_FILES),
        (_manifest(lambda value: value["files"].pop()), NOT_THE_FILES),
        (_manifest(lambda value: value["files"].reverse()), NO_MANIFEST),
        (_manifest(lambda value: value["files"].append(value["files"][-1])), NO_MANIFEST),
        (_manifest(lambda value: value.update(more=1)), NO_MANIFEST),
        (_manifest(lambda value: value.update(contract="extpkg.manifest/2")), NO_MANIFEST),
        (_manifest(_wrong_sizes), "the manifest of a@2 says another size of 'actions/ping.yaml'"),
        (_another_definition, NOT_THE_FILES),
        (_another_package, "what is published as a@2 is b@1"),
        *(
            (_path(path), NO_MANIFEST)
            for path in (
                *("../x", "/x", "a/../x", "a//x", "a/./x", "..", ".", "", "a\\x", "c:x", "a\x00"),
                *(".git/config", ".bashrc", "meta.yaml/x", "x" * 256),
            )
        ),
        (_path("stranger"), NOT_THE_FILES),
        (_path("CON"), NOT_THE_FILES),
    ],
)
def test_what_does_not_belong_together_is_named_and_given_to_nobody(
    forged: Forged, tmp_path: Path, forge: Callable[[Forged], None], said: str
) -> None:
    forge(forged)
    forged.done()
    ran = extpkg("library", "verify", "--library", forged.path)
    assert ran.code == 1
    assert said in ran.out.splitlines()
    target = tmp_path / "copies" / "copy"
    target.parent.mkdir()
    other = tmp_path / "other.db"
    assert extpkg("library", "init", "--library", other).code == 0
    for arguments in (("get", "a@2", target), ("mirror", other), ("verify", "a@2")):
        ran = extpkg("library", *arguments, "--library", forged.path)
        assert (ran.code, said in ran.err) == (1, True), arguments
    assert list(target.parent.iterdir()) == []
    assert "a@2" not in extpkg("library", "log", "--library", other).out


@pytest.mark.parametrize("projection", [b"x", b"[]", b"{}", b'{"actions": 7}', b"[" * 100_000])
def test_a_definition_that_is_none_is_no_former_version(
    forged: Forged, tmp_path: Path, projection: bytes
) -> None:
    digest = forged.keep(projection)
    forged.manifest(2, lambda value: value.update(definition=digest))
    forged.set(2, definition=digest)
    forged.done()
    root = release(tmp_path / "next", version=3, marker="B")
    ran = extpkg("gate", root, "--against", "library", "--library", forged.path)
    assert (ran.code, ran.out, ran.err) == (1, "", "Error: the Definition of a@2 is none\n")
    assert extpkg("library", "publish", root, "--library", forged.path).code == 1
    assert extpkg("diff", "library:a@2", root, "--library", forged.path).code == 1


def test_a_definition_of_another_version_is_no_former_version(forged: Forged, tmp_path: Path) -> None:
    _another_package(forged)
    forged.done()
    root = release(tmp_path / "next", version=3, marker="B")
    ran = extpkg("gate", root, "--against", "library", "--library", forged.path)
    assert (ran.code, ran.err) == (1, "Error: the Definition of a@2 is that of another version\n")


@pytest.mark.parametrize(
    ("statements", "said"),
    [
        (["ALTER TABLE blob RENAME TO kept", "CREATE VIEW blob AS SELECT * FROM kept"], "tables"),
        (["DROP TABLE publication"], "tables"),
        (["ALTER TABLE publication RENAME COLUMN link TO chain"], "tables"),
        (["UPDATE blob SET data = zeroblob(70000000) WHERE rowid = 1"], "damaged"),
        (
            ["UPDATE publication SET domain = 'a' || char(10) || '::error::' WHERE sequence = 3"],
            "no publication",
        ),
        (["UPDATE publication SET domain = CAST(x'61ff' AS TEXT) WHERE sequence = 3"], "damaged"),
        (["UPDATE publication SET link = 'x' WHERE sequence = 3"], "no publication"),
    ],
)
def test_a_file_that_no_library_wrote(forged: Forged, statements: list[str], said: str) -> None:
    for statement in statements:
        forged.sql.execute(statement)
    forged.sql.close()
    ran = extpkg("library", "verify", "--library", forged.path)
    assert ran.code == 1
    assert said in ran.out + ran.err
    for name in ("list", "log"):
        ran = extpkg("library", name, "--library", forged.path)
        assert ran.code in {0, 1}
        assert "::error" not in ran.out


def test_nothing_is_added_where_strange_triggers_wait(forged: Forged, tmp_path: Path) -> None:
    forged.done()
    with closing(sqlite3.connect(forged.path)) as connection:
        connection.execute("CREATE TRIGGER more AFTER INSERT ON blob BEGIN SELECT 1; END")
    root = release(tmp_path / "next", version=3, marker="B")
    ran = extpkg("library", "publish", root, "--library", forged.path)
    assert ran.code == 1
    assert "the file has TRIGGER more, which no library has like that" in ran.err
    assert extpkg("library", "verify", "--library", forged.path).code == 1
