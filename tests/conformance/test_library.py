"""The publication rows of the registry corpus, on the library in SQLite (P025, P109, P112).

Where the corpus speaks of files of an entry, a library has rows: `corrupt` changes those.
"""

from __future__ import annotations

import json
import os
import shutil
import sqlite3
import subprocess
import sys
from contextlib import closing
from typing import TYPE_CHECKING, Any

import pytest
from corpus import ROOT, corpus
from releases import reformatted, release

from extpkg.errors import ExtpkgError
from extpkg.library.entry import IntegrityError
from extpkg.library.local import LocalStore
from extpkg.library.publish import publish
from extpkg.library.snapshot import snapshot
from extpkg.library.store import Conflict

if TYPE_CHECKING:
    from pathlib import Path

CASES = [case for case in corpus("conformance/registry.json") if "bootstrap" not in case["id"]]
SCRIPT = ROOT / "tests" / "publishers.py"
WRONG = {
    "wrong": lambda digest: digest[:-1] + ("0" if digest[-1] != "0" else "1"),
    "upper": lambda digest: "sha256:" + digest.removeprefix("sha256:").upper(),
    "sha512": lambda digest: digest.replace("sha256", "sha512"),
}


@pytest.fixture(scope="session")
def shim(tmp_path_factory: pytest.TempPathFactory) -> str:
    compiler = shutil.which("cc")
    if compiler is None or not sys.platform.startswith("linux"):
        pytest.skip("faults at system calls need Linux and a C compiler")
    library = tmp_path_factory.mktemp("shim") / "faults.so"
    source = ROOT / "tests" / "native" / "faults.c"
    subprocess.run([compiler, "-shared", "-fPIC", "-o", library, source, "-ldl"], check=True)
    return str(library)


class Bench:
    """One library, and the packages that are published into it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.path = folder / "library" / "library.db"
        self.made: dict[str, Path] = {}
        self.store = LocalStore(self.path)
        self.store.create()

    def package(self, step: dict[str, Any]) -> Path:
        root = self.folder / f"package-{sum(1 for _ in self.folder.iterdir())}"
        payload = step["payload"]
        release(root, domain=step["domain"], version=step["version"], marker=payload.split("-")[0])
        if payload.endswith("-reformatted"):
            reformatted(root)
        if step["digest"] != "computed":
            meta = json.loads((root / "meta.yaml").read_bytes())
            (root / "meta.yaml").write_text(
                json.dumps(meta | {"digest": WRONG[step["digest"]](meta["digest"])})
            )
        self.made[f"{payload} {step['domain']} {step['version']}"] = root
        return root

    def publish(self, step: dict[str, Any]) -> str:
        try:
            published = publish(self.package(step), self.store, lambda _: True)
        except Conflict:
            return "conflict"
        except IntegrityError:
            return "integrity_error"
        except ExtpkgError:
            return "validation"
        assert published.outcome is not None
        return published.outcome.value

    def get(self, step: dict[str, Any]) -> None:
        line = self.store.find(step["domain"], step["version"])
        assert line is not None
        if step["expect"] == "integrity_error":
            with pytest.raises(IntegrityError):
                self.store.read(line)
            assert list(self.store.verify())
            return
        wanted = self.made[f"{step['expect']} {step['domain']} {step['version']}"]
        assert self.store.read(line).files == snapshot(wanted).files

    def listed(self) -> list[list[Any]]:
        return [[line.domain, line.version] for line in self.store.publications()]

    def corrupt(self, step: dict[str, Any]) -> None:
        self.store.close()
        with closing(sqlite3.connect(self.path, isolation_level=None)) as db:
            triggers = db.execute("SELECT name FROM sqlite_schema WHERE type = 'trigger'").fetchall()
            for (name,) in triggers:
                db.execute(f"DROP TRIGGER {name}")
            for statement in DAMAGE[step["how"]]:
                assert db.execute(statement).rowcount > 0

    def script(self, mode: str, *arguments: object, preload: str = "") -> Any:
        environment = os.environ | ({"LD_PRELOAD": preload} if preload else {})
        ran = subprocess.run(
            [sys.executable, SCRIPT, mode, *map(str, arguments)],
            env=environment,
            capture_output=True,
            check=True,
            timeout=300,
        )
        return json.loads(ran.stdout)

    def no_leftovers(self) -> None:
        left = {path.name for path in self.path.parent.iterdir()}
        assert left <= {"library.db", "library.db-wal", "library.db-shm"}
        assert list(self.store.verify()) == []


MANIFEST = "instr(data, 'extpkg.manifest/1')"
ACTION = 'instr(data, \'"binding":{"method"\') AND instr(data, \'"contract"\') = 0'
DAMAGE = {
    "remove_action": [f"DELETE FROM blob WHERE {ACTION}"],  # noqa: S608 - constants
    "add_action": [
        f"""UPDATE blob SET data = CAST(replace(data, '"files":[', '"files":[["actions/x.yaml","sha256:'
            || hex(zeroblob(32)) || '",1],') AS BLOB) WHERE {MANIFEST}"""  # noqa: S608
    ],
    "flip": [f"UPDATE blob SET data = CAST(replace(data, 'GET', 'PUT') AS BLOB) WHERE {ACTION}"],  # noqa: S608
    "symlink": [
        f"UPDATE publication SET manifest = (SELECT digest FROM blob WHERE {ACTION})"  # noqa: S608
    ],
    "swap": [
        "UPDATE publication SET version = 9 WHERE version = 1",
        "UPDATE publication SET version = 1 WHERE version = 2",
        "UPDATE publication SET version = 2 WHERE version = 9",
    ],
}


@pytest.mark.parametrize("case", CASES, ids=[case["id"] for case in CASES])
def test_case(case: dict[str, Any], tmp_path: Path, request: pytest.FixtureRequest) -> None:
    bench = Bench(tmp_path)
    for step in case["steps"]:
        STEPS[step["op"]](bench, step, request)
    bench.store.close()


def _publish(bench: Bench, step: dict[str, Any], _: pytest.FixtureRequest) -> None:
    assert bench.publish(step) in step["expect"].split("_or_")


def _parallel(bench: Bench, step: dict[str, Any], _: pytest.FixtureRequest) -> None:
    [only] = step["steps"]
    counts = bench.script("race", bench.path, *[bench.package(only)] * step["n"])
    assert counts == {"stored": 1, "unchanged": step["n"] - 1}


def _parallel_distinct(bench: Bench, step: dict[str, Any], _: pytest.FixtureRequest) -> None:
    packages = [
        bench.package(
            {"payload": f"P{number}", "digest": "computed", "domain": "a", "version": step["version"]}
        )
        for number in range(step["n"])
    ]
    counts = bench.script("race", bench.path, *packages)
    assert counts == {"stored": step["expect"]["stored"], "Conflict": step["expect"]["conflict"]}
    [line] = bench.store.publications()
    assert bench.store.read(line).files in [snapshot(package).files for package in packages]


def _watch(bench: Bench, step: dict[str, Any], _: pytest.FixtureRequest) -> None:
    count = step.get("count", 1)
    packages = [
        bench.package({"payload": "A", "digest": "computed", "domain": "a", "version": version})
        for version in range(1, count + 1)
    ]
    seen = bench.script("watch", bench.path, *packages)
    assert seen[-1] == [["a", version] for version in range(1, count + 1)]
    for listing in seen:
        assert listing == seen[-1][: len(listing)]


def _hit(bench: Bench, call: str, action: str, preload: str) -> list[dict[str, Any]]:
    package = bench.package({"payload": "A", "digest": "computed", "domain": "a", "version": 1})
    rows: list[dict[str, Any]] = bench.script("hit", package, call, action, preload=preload)
    for row in rows:
        assert row["faults"] == []
        assert row["after"] == [["a", 1]]
        assert row["listed"] in ([], [["a", 1]])
        assert row["retried"] == ("unchanged" if row["listed"] else "stored")
        assert set(row["files"]) <= {"library.db", "library.db-wal", "library.db-shm"}
    return rows


def _fault_each(bench: Bench, step: dict[str, Any], request: pytest.FixtureRequest) -> None:
    preload = request.getfixturevalue("shim")
    hit = {call: _hit(bench, call, step["errno"], preload) for call in step["calls"]}
    assert hit["open"]
    assert hit["write"]
    assert hit["fsync"]
    for rows in hit.values():
        for row in rows:  # what was refused is not there; what was stored in spite of it, is
            assert row["outcome"] in {"Unavailable", "stored"}
            assert row["listed"] == ([["a", 1]] if row["outcome"] == "stored" else [])


def _short(bench: Bench, _: dict[str, Any], request: pytest.FixtureRequest) -> None:
    rows = _hit(bench, "write", "SHORT", request.getfixturevalue("shim"))
    assert {row["outcome"] for row in rows} == {"stored"}
    _publish(
        bench,
        {"payload": "A", "digest": "computed", "domain": "a", "version": 1, "expect": "stored"},
        request,
    )


def _kill_each(bench: Bench, _: dict[str, Any], request: pytest.FixtureRequest) -> None:
    rows = _hit(bench, "any", "KILL", request.getfixturevalue("shim"))
    assert {row["outcome"] for row in rows} == {"killed"}
    assert {bool(row["listed"]) for row in rows} == {False, True}


def _signal_each(bench: Bench, _: dict[str, Any], request: pytest.FixtureRequest) -> None:
    rows = _hit(bench, "any", "INTERRUPT", request.getfixturevalue("shim"))
    assert {row["outcome"] for row in rows} <= {"KeyboardInterrupt", "stored"}
    assert "KeyboardInterrupt" in {row["outcome"] for row in rows}


def _locked(bench: Bench, _: dict[str, Any], __: pytest.FixtureRequest) -> None:
    package = bench.package({"payload": "L", "digest": "computed", "domain": "locked", "version": 1})
    assert bench.script("locked", bench.path, package) == "stored"


def _plant(bench: Bench, _: dict[str, Any], __: pytest.FixtureRequest) -> None:
    (bench.path.parent / "library.db-journal-0").write_bytes(b"left")


def _read_only(bench: Bench, _: dict[str, Any], request: pytest.FixtureRequest) -> None:
    bench.store.close()
    patch: pytest.MonkeyPatch = request.getfixturevalue("monkeypatch")
    patch.setattr(os, "access", lambda *_: False)


def _list(bench: Bench, step: dict[str, Any], _: pytest.FixtureRequest) -> None:
    assert bench.listed() == step["expect"]


STEPS = {
    "publish": _publish,
    "get": lambda bench, step, _: bench.get(step),
    "list": _list,
    "corrupt": lambda bench, step, _: bench.corrupt(step),
    "no_leftovers": lambda bench, _, __: bench.no_leftovers(),
    "no_leftovers_after_retry": lambda bench, _, __: bench.no_leftovers(),
    "parallel": _parallel,
    "parallel_distinct": _parallel_distinct,
    "read_while_publish": _watch,
    "list_while_publish": _watch,
    "fault_each_syscall": _fault_each,
    "fault_short_write": _short,
    "kill_each_syscall": _kill_each,
    "signal_each_step": _signal_each,
    "kill_while_locked": _locked,
    "plant_temp": _plant,
    "remount_ro": _read_only,
}
