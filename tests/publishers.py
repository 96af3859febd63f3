"""Processes that publish into a library at once, or are hit while they do: run as a script by tests.

Every mode prints JSON. Children are forked after everything is imported, so that hundreds of them are cheap.
"""

from __future__ import annotations

import ctypes
import errno
import json
import os
import signal
import sys
import tempfile
from collections import Counter
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from publishing import publish

from extpkg.egress.registry_client import RegistryClient
from extpkg.egress.registry_place import repository
from extpkg.errors import ExtpkgError
from extpkg.library.local import LocalStore
from extpkg.library.location import open_store
from extpkg.library.oci import OciStore
from extpkg.library.signing import Signing

if TYPE_CHECKING:
    from collections.abc import Callable

    from extpkg.library.store import Store

ACTIONS = {"KILL": -1, "INTERRUPT": -2, "SHORT": -3}
KILLED = "killed"


def opened(library: str, settle: float | None = None) -> Store:
    """Return a library; `settle` is how long a publisher into a registry waits for others at least."""
    place = repository(library)
    if settle is None or place is None:
        return open_store(library, {})
    return OciStore(RegistryClient(place, login=lambda: None), Signing(), settle=settle)


def attempt(library: str, package: str, settle: float | None = None) -> str:
    """Publish once; return the outcome, or the name of what refused it."""
    with closing(opened(library, settle)) as store:
        try:
            return publish(package, store).outcome.value
        except (ExtpkgError, KeyboardInterrupt) as refused:
            return type(refused).__name__


def forked(work: Callable[[], str]) -> tuple[int, int]:
    """Start `work` in a child; return its process and where its answer can be read."""
    reads, writes = os.pipe()
    child = os.fork()
    if child:
        os.close(writes)
        return child, reads
    signal.signal(signal.SIGINT, signal.default_int_handler)
    os.write(writes, work().encode())
    os._exit(0)


def answered(child: tuple[int, int]) -> str:
    """Wait for a child; return what it said."""
    process, reads = child
    said = b""
    while piece := os.read(reads, 4096):
        said += piece
    os.close(reads)
    _, status = os.waitpid(process, 0)
    return said.decode() if os.WIFEXITED(status) and said else KILLED


def race(library: str, *packages: str) -> dict[str, int]:
    """Publish every package in a process of its own, all let go together; count the outcomes."""
    start, go = os.pipe()

    def waits(package: str) -> str:
        os.read(start, 1)
        return attempt(library, package)

    children = [forked(partial(waits, package)) for package in packages]
    os.write(go, b"!" * len(children))
    return dict(Counter(map(answered, children)))


def watch(library: str, *packages: str) -> list[Any]:
    """Publish the packages one after the other, and say every listing that a reader saw meanwhile."""

    def publishes() -> str:
        return ",".join(attempt(library, package, 0.02) for package in packages)

    writer = forked(publishes)
    seen: list[Any] = []
    with closing(opened(library)) as store:
        ended = False
        while not ended:
            ended = os.waitid(os.P_PID, writer[0], os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None
            whole = [[line.domain, line.version] for line in store.publications() if store.read(line).files]
            if not seen or seen[-1] != whole:
                seen.append(whole)
    answered(writer)
    return seen


def hit(package: str, call: str, action: str) -> list[dict[str, Any]]:
    """Publish into new libraries, hit at the first such call, the second and so on; say what came of it."""
    shim = ctypes.CDLL(None)
    code = ACTIONS[action] if action in ACTIONS else getattr(errno, action)
    rows = []
    for number in range(1, 500):
        with tempfile.TemporaryDirectory() as folder:
            library = f"{folder}/library.db"
            with closing(LocalStore(library)) as store:
                store.create()

            def struck(library: str = library, folder: str = folder, number: int = number) -> str:
                shim.extpkg_arm(folder.encode(), call.encode(), ctypes.c_long(number), code)
                outcome = attempt(library, package)
                return f"{outcome} {shim.extpkg_disarm()}"

            said = answered(forked(struck))
            outcome, _, made = said.partition(" ")
            rows.append({"outcome": outcome, **state(library), "retried": attempt(library, package)})
            rows[-1] |= {
                "after": state(library)["listed"],
                "files": sorted(file.name for file in Path(folder).iterdir()),
            }
            if made and int(made) < number:
                return rows[:-1]
    raise RuntimeError("there is no end of calls")


def state(library: str) -> dict[str, Any]:
    """Return what a library lists and what is wrong with it."""
    with closing(LocalStore(library)) as store:
        lines = store.publications()
        return {
            "listed": [[line.domain, line.version] for line in lines],
            "faults": [fault.message for fault in store.verify()],
        }


def locked(library: str, package: str) -> str:
    """Die while the library is locked for writing; then publish."""

    def dies() -> str:
        import sqlite3

        connection = sqlite3.connect(library, isolation_level=None)
        connection.execute("BEGIN IMMEDIATE")
        connection.execute("INSERT INTO blob VALUES ('sha256:00', x'00')")
        os.kill(os.getpid(), signal.SIGKILL)
        return ""

    assert answered(forked(dies)) == KILLED
    return attempt(library, package)


MODES = {"race": race, "watch": watch, "hit": hit, "locked": locked}

if __name__ == "__main__":
    mode, *arguments = sys.argv[1:]
    Path("/dev/stdout").write_text(json.dumps(MODES[mode](*arguments)))  # type: ignore[operator]
