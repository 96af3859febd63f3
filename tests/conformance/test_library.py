"""The publication rows of the registry corpus, on both kinds of library (P025, P109, P112).

Where the corpus speaks of files of an entry, SQLite has rows and a registry blobs: `corrupt` changes those.
"""

from __future__ import annotations

import itertools
import json
import os
import shutil
import sqlite3
import subprocess
import sys
import tempfile
from contextlib import closing
from functools import partial
from typing import TYPE_CHECKING, Any

import pytest
from corpus import ROOT, corpus
from publishing import publish
from registries import Registry, Reply, rewritten_log, serving
from releases import reformatted, release

from extpkg.canonical import canonical_json
from extpkg.egress.converse import Network
from extpkg.egress.dial import connect
from extpkg.egress.registry_client import RegistryClient
from extpkg.egress.registry_place import repository
from extpkg.errors import ExtpkgError
from extpkg.library.entry import IntegrityError
from extpkg.library.local import LocalStore
from extpkg.library.oci import OciStore
from extpkg.library.signing import Signing
from extpkg.library.snapshot import snapshot
from extpkg.library.store import Conflict, Unavailable

if TYPE_CHECKING:
    import socket
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from extpkg.library.entry import Publication
    from extpkg.library.store import Store

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
    """One library, and the packages that are published into it; `Local` and `InRegistry` say where it is."""

    def __init__(self, folder: Path, place: Local | InRegistry) -> None:
        self.folder = folder
        self.place = place
        self.made: dict[str, Path] = {}
        self.store = place.opened()
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
        return outcome_of(self.package(step), self.store)

    def get(self, step: dict[str, Any]) -> None:
        if step["expect"] == "integrity_error":
            with pytest.raises(IntegrityError):
                self.store.read(self.found(step))
            assert list(self.store.verify())
            return
        wanted = self.made[f"{step['expect']} {step['domain']} {step['version']}"]
        assert self.store.read(self.found(step)).files == snapshot(wanted).files

    def found(self, step: dict[str, Any]) -> Publication:
        line = self.store.find(step["domain"], step["version"])
        assert line is not None
        return line

    def listed(self) -> list[list[Any]]:
        return [[line.domain, line.version] for line in self.store.publications()]

    def corrupt(self, step: dict[str, Any]) -> None:
        self.store.close()
        self.place.corrupt(step["how"])
        self.store = self.place.opened()

    def no_leftovers(self) -> None:
        assert list(self.store.verify()) == []
        self.place.no_leftovers(self.listed())


def outcome_of(package: Path, store: Store) -> str:
    try:
        return publish(package, store).outcome.value
    except Conflict:
        return "conflict"
    except IntegrityError:
        return "integrity_error"
    except Unavailable:
        return "unavailable"
    except ExtpkgError:
        return "validation"


def script(mode: str, *arguments: object, preload: str = "") -> Any:
    with tempfile.TemporaryDirectory() as scratch:  # who is killed leaves behind what it was judging
        environment = os.environ | {"TMPDIR": scratch} | ({"LD_PRELOAD": preload} if preload else {})
        ran = subprocess.run(
            [sys.executable, SCRIPT, mode, *map(str, arguments)],
            env=environment,
            capture_output=True,
            check=True,
            timeout=300,
        )
    return json.loads(ran.stdout)


class Local:
    """A library in SQLite; what the corpus does to files is done to rows."""

    def __init__(self, folder: Path, _: Registry) -> None:
        self.path = folder / "library" / "library.db"
        self.location = str(self.path)

    def opened(self) -> Store:
        return LocalStore(self.path)

    def corrupt(self, how: str) -> None:
        with closing(sqlite3.connect(self.path, isolation_level=None)) as db:
            triggers = db.execute("SELECT name FROM sqlite_schema WHERE type = 'trigger'").fetchall()
            for (name,) in triggers:
                db.execute(f"DROP TRIGGER {name}")
            for statement in DAMAGE[how]:
                assert db.execute(statement).rowcount > 0

    def no_leftovers(self, _: list[list[Any]]) -> None:
        left = {path.name for path in self.path.parent.iterdir()}
        assert left <= {"library.db", "library.db-wal", "library.db-shm"}

    def left_behind(self) -> None:
        (self.path.parent / "library.db-journal-0").write_bytes(b"left")

    def read_only(self, patch: pytest.MonkeyPatch) -> None:
        patch.setattr(os, "access", lambda *_: False)

    def locked(self, package: Path) -> str:
        return str(script("locked", self.path, package))

    def hit(self, package: Path, call: str, action: str, shim: Callable[[], str]) -> list[dict[str, Any]]:
        rows: list[dict[str, Any]] = script("hit", package, call, action, preload=shim())
        for row in rows:
            assert set(row["files"]) <= {"library.db", "library.db-wal", "library.db-shm"}
        return rows


class InRegistry:
    """A library in a registry; what the corpus does to files is done to blobs, what to calls to requests."""

    def __init__(self, _: Path, registry: Registry) -> None:
        self.registry = registry
        self.location = registry.location

    def opened(self, registry: Registry | None = None, network: Network | None = None) -> Store:
        place = repository((registry or self.registry).location)
        assert place is not None
        client = RegistryClient(place, login=lambda: None, network=network)
        return OciStore(client, Signing(), settle=0.01)

    def corrupt(self, how: str) -> None:
        in_blobs = {"remove_action": self._remove, "flip": self._flip}
        in_log = {"add_action": self._add, "symlink": self._lead_astray, "swap": self._swap}
        if how in in_blobs:
            [action] = [
                digest
                for digest, data in self.registry.blobs.items()
                if b'"binding":{"method"' in data and b'"contract"' not in data
            ]
            in_blobs[how](action)
        else:
            rewritten_log(self.registry, in_log[how])

    def _remove(self, digest: str) -> None:
        del self.registry.blobs[digest]

    def _flip(self, digest: str) -> None:
        self.registry.blobs[digest] = self.registry.blobs[digest].replace(b"GET", b"PUT")

    def _add(self, rows: list[dict[str, Any]]) -> None:
        kind, data = self.registry.manifests[rows[0]["image"]]
        value = json.loads(data)
        title = {"org.opencontainers.image.title": "actions/x.yaml"}
        value["layers"].insert(0, value["layers"][0] | {"annotations": title})
        rows[0]["image"] = self.registry.put("changed", canonical_json(value), kind)

    def _lead_astray(self, rows: list[dict[str, Any]]) -> None:
        rows[0]["manifest"] = rows[0]["definition"]

    def _swap(self, rows: list[dict[str, Any]]) -> None:
        rows[0]["version"], rows[1]["version"] = rows[1]["version"], rows[0]["version"]

    def no_leftovers(self, listed: list[list[Any]]) -> None:
        wanted = {"extpkg-log", *(f"{domain}.{version}" for domain, version in listed)}
        assert set(self.registry.tags) == wanted
        assert self.registry.complaints == []

    def left_behind(self) -> None:
        self.registry.uploads.add("left")
        self.registry.blobs["sha256:" + "0" * 64] = b"left"

    def read_only(self, _: pytest.MonkeyPatch) -> None:
        self.registry.before = lambda asked: None if asked.method == "GET" else Reply(405)

    def locked(self, package: Path) -> str:
        """Nothing is ever locked: what a publisher that died leaves is an upload that never ends."""
        self.left_behind()
        return outcome_of(package, self.opened())

    def hit(self, package: Path, call: str, action: str, _: Callable[[], str]) -> list[dict[str, Any]]:
        """Publish into new registries, hit at the first request, the second and so on."""
        if call not in {"any", "write"}:
            return []
        rows: list[dict[str, Any]] = []
        for number in range(1, 100):
            with serving(Registry()) as registry:
                self.opened(registry).create()
                requests = itertools.count(1)
                network = Network()
                if action in STATUS:
                    registry.before = lambda _, requests=requests, number=number: (  # type: ignore[misc]
                        STATUS[action] if next(requests) == number else None
                    )
                else:
                    network = Network(dialer=partial(_dying, requests, number))
                try:
                    outcome = outcome_of(package, self.opened(registry, network))
                except (Died, BaseExceptionGroup):
                    outcome = "killed"
                registry.before = lambda _: None
                if next(requests) <= number:
                    return rows
                rows.append({"outcome": STRUCK.get(outcome, outcome), **self._state(registry)})
                rows[-1]["retried"] = outcome_of(package, self.opened(registry))
                rows[-1]["after"] = self._state(registry)["listed"]
                assert registry.complaints == []
        raise AssertionError("there is no end of requests")

    def _state(self, registry: Registry) -> dict[str, Any]:
        store = self.opened(registry)
        listed = [[line.domain, line.version] for line in store.publications()]
        return {"listed": listed, "faults": [fault.message for fault in store.verify()]}


class Died(BaseException):
    """A process that ends between two requests."""


async def _dying(requests: Iterator[int], number: int, address: str, port: int) -> socket.socket:
    if next(requests) == number:
        raise Died
    return await connect(address, port)


STATUS = {
    "ENOSPC": Reply(507),
    "EDQUOT": Reply(413),
    "EACCES": Reply(403),
    "EMFILE": Reply(503),
    "EROFS": Reply(405),
    "SHORT": Reply(0, cut=True),
}
"""What a registry says, or does, whose storage fails so."""

STRUCK = {"unavailable": "Unavailable"}

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


@pytest.mark.parametrize("place", [Local, InRegistry])
@pytest.mark.parametrize("case", CASES, ids=[case["id"] for case in CASES])
def test_case(
    case: dict[str, Any], place: type[Local | InRegistry], tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    with serving(Registry()) as registry:
        bench = Bench(tmp_path, place(tmp_path, registry))
        for step in case["steps"]:
            STEPS[step["op"]](bench, step, request)
        bench.store.close()
        assert registry.complaints == []


def _publish(bench: Bench, step: dict[str, Any], _: pytest.FixtureRequest) -> None:
    assert bench.publish(step) in step["expect"].split("_or_")


def _parallel(bench: Bench, step: dict[str, Any], _: pytest.FixtureRequest) -> None:
    [only] = step["steps"]
    counts = script("race", bench.place.location, *[bench.package(only)] * step["n"])
    assert counts == {"stored": 1, "unchanged": step["n"] - 1}


def _parallel_distinct(bench: Bench, step: dict[str, Any], _: pytest.FixtureRequest) -> None:
    packages = [
        bench.package(
            {"payload": f"P{number}", "digest": "computed", "domain": "a", "version": step["version"]}
        )
        for number in range(step["n"])
    ]
    counts = script("race", bench.place.location, *packages)
    assert counts == {"stored": step["expect"]["stored"], "Conflict": step["expect"]["conflict"]}
    [line] = bench.store.publications()
    assert bench.store.read(line).files in [snapshot(package).files for package in packages]


def _watch(bench: Bench, step: dict[str, Any], _: pytest.FixtureRequest) -> None:
    count = step.get("count", 1)
    packages = [
        bench.package({"payload": "A", "digest": "computed", "domain": "a", "version": version})
        for version in range(1, count + 1)
    ]
    seen = script("watch", bench.place.location, *packages)
    assert seen[-1] == [["a", version] for version in range(1, count + 1)]
    for listing in seen:
        assert listing == seen[-1][: len(listing)]


def _hit(bench: Bench, call: str, action: str, request: pytest.FixtureRequest) -> list[dict[str, Any]]:
    package = bench.package({"payload": "A", "digest": "computed", "domain": "a", "version": 1})
    rows = bench.place.hit(package, call, action, lambda: str(request.getfixturevalue("shim")))
    for row in rows:
        assert row["faults"] == []
        assert row["after"] == [["a", 1]]
        assert row["listed"] in ([], [["a", 1]])
        assert row["retried"] == ("unchanged" if row["listed"] else "stored")
    return rows


def _fault_each(bench: Bench, step: dict[str, Any], request: pytest.FixtureRequest) -> None:
    hit = {call: _hit(bench, call, step["errno"], request) for call in step["calls"]}
    assert hit["write"]
    if isinstance(bench.place, Local):
        assert hit["open"]
        assert hit["fsync"]
    for rows in hit.values():
        for row in rows:  # what was refused is not there; what was stored in spite of it, is
            assert row["outcome"] in {"Unavailable", "stored"}
            unsure = isinstance(bench.place, InRegistry) and row["outcome"] == "Unavailable"
            assert unsure or row["listed"] == ([["a", 1]] if row["outcome"] == "stored" else [])


def _short(bench: Bench, _: dict[str, Any], request: pytest.FixtureRequest) -> None:
    rows = _hit(bench, "write", "SHORT", request)
    assert {row["outcome"] for row in rows} <= {"stored", "Unavailable"}
    _publish(
        bench,
        {"payload": "A", "digest": "computed", "domain": "a", "version": 1, "expect": "stored"},
        request,
    )


def _kill_each(bench: Bench, _: dict[str, Any], request: pytest.FixtureRequest) -> None:
    rows = _hit(bench, "any", "KILL", request)
    assert {row["outcome"] for row in rows} == {"killed"}
    assert {bool(row["listed"]) for row in rows} == {False, True}


def _signal_each(bench: Bench, _: dict[str, Any], request: pytest.FixtureRequest) -> None:
    rows = _hit(bench, "any", "INTERRUPT", request)
    stopped = "KeyboardInterrupt" if isinstance(bench.place, Local) else "killed"
    assert {row["outcome"] for row in rows} <= {stopped, "stored"}
    assert stopped in {row["outcome"] for row in rows}


def _locked(bench: Bench, _: dict[str, Any], __: pytest.FixtureRequest) -> None:
    package = bench.package({"payload": "L", "digest": "computed", "domain": "locked", "version": 1})
    assert bench.place.locked(package) == "stored"


def _plant(bench: Bench, _: dict[str, Any], __: pytest.FixtureRequest) -> None:
    bench.place.left_behind()


def _read_only(bench: Bench, _: dict[str, Any], request: pytest.FixtureRequest) -> None:
    bench.store.close()
    bench.place.read_only(request.getfixturevalue("monkeypatch"))


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
