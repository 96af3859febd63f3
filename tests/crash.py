"""Kills a change of the connections at each of its steps: run as a process, it prints what each kill left.

python tests/crash.py DIRECTORY first|set|remove|rotate|resume

A step is a call that makes, writes, moves or removes something, or that waits for the disk. The process is
killed (SIGKILL) before the step, or in the middle of the write that the step waits for. Each time the
directory is what it was before; each time another process then looks at it, and changes it once more.
"""

from __future__ import annotations

import fcntl
import itertools
import json
import os
import shutil
import signal
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

from extpkg.connections import Change, Store, open_store
from extpkg.errors import ExtensionError
from extpkg.extension import ConnectionForm, CredentialField
from extpkg.secret import Secret

if TYPE_CHECKING:
    from collections.abc import Callable

FORM = ConnectionForm(
    config_schema={
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "type": "object",
        "additionalProperties": False,
        "properties": {"region": {"type": "string"}},
    },
    credentials=(CredentialField(name="id", label="Id"), CredentialField(name="key", label="Key")),
)
NAMES = ("one", "three", "two")
OLD = {"region": "old", "id": "canary-id-old", "key": "canary-key-old"}
NEW = {"region": "new", "id": "canary-id-new", "key": "canary-key-new"}

STEPS = ("open", "mkdir", "replace", "rename", "link", "unlink", "fsync")


def save(store: Store, name: str, state: dict[str, str]) -> None:
    secrets = {field: Secret(text) for field, text in state.items() if field != "region"}
    store.save(name, FORM, Change(config={"region": state["region"]}, credentials=secrets))


def state(store: Store, name: str) -> dict[str, str] | str | None:
    """Return what a connection holds, in plain text; why it does not open; None where there is none."""
    try:
        found = store.load(name)
    except ExtensionError as error:
        return str(error)
    if found is None:
        return None
    return {**found.config, **{name: secret_text(found.secret(name)) for name in found.credentials}}


def secret_text(secret: Secret | None) -> str:
    assert secret is not None
    return secret.reveal()


def half_done(directory: Path) -> None:
    """Leave a rotation as a kill behind its first file leaves it: killed again until it is there."""
    for at in itertools.count():
        keys = open_store(directory).keys.read()
        if (
            keys
            and json.loads((directory / "connections/one.json").read_bytes())["key"] == keys.first.identifier
        ):
            assert not keys.older or len(keys.older) == 1
            if keys.older:
                return
        killed(at, "before", directory, "rotate")


def first(store: Store) -> None:
    save(store, "one", NEW)


def change(store: Store) -> None:
    """Change one credential and the configuration; the other credential is kept, and sealed anew."""
    save(store, "one", {name: NEW[name] for name in ("region", "key")})


def remove(store: Store) -> None:
    store.remove("one")


def rotate(store: Store) -> None:
    store.rotate()


ACTS: dict[str, Callable[[Store], None]] = {
    "first": first,
    "set": change,
    "remove": remove,
    "rotate": rotate,
    "resume": rotate,
}


def prepare(directory: Path, act: str) -> None:
    if act != "first":
        for name in NAMES:
            save(open_store(directory), name, OLD)
    if act == "resume":
        half_done(directory)


def killed(at: int, kind: str, directory: Path, act: str) -> int:
    """Run the act in a child that is killed at a step; return the status that the child ended with."""
    child = os.fork()
    if child == 0:
        armed(at, kind)
        ACTS[act](open_store(directory))
        os._exit(0)
    return os.waitpid(child, 0)[1]


def armed(at: int, kind: str) -> None:
    """Replace the steps in this process by ones that count themselves; the one of that number kills."""
    left = at

    def step(real: Callable[..., Any]) -> Callable[..., Any]:
        def counted(*arguments: Any, **options: Any) -> Any:
            nonlocal left
            if left == 0:
                if kind == "torn" and real is fsync and is_file(arguments[0]):
                    os.ftruncate(arguments[0], os.fstat(arguments[0]).st_size // 2)
                die()
            left -= 1
            return real(*arguments, **options)

        return counted

    fsync = os.fsync
    for name in STEPS:
        setattr(os, name, step(getattr(os, name)))
    fcntl.flock = step(fcntl.flock)


def is_file(descriptor: int) -> bool:
    return os.path.isfile(f"/proc/self/fd/{descriptor}")  # noqa: PTH113


def die() -> NoReturn:
    os.kill(os.getpid(), signal.SIGKILL)
    raise AssertionError


def seen(directory: Path) -> dict[str, Any]:
    """Return what another process finds, and what it leaves after a change of its own."""
    store = open_store(directory)
    states = {name: state(store, name) for name in NAMES}
    files = [path for path in directory.rglob("*") if path.is_file()]
    keys = store.keys.read()
    plain = any(b"canary" in path.read_bytes() for path in files)
    modes = sorted({f"{path.stat().st_mode & 0o777:o}" for path in files})
    drafts = sum(path.suffix == ".tmp" for path in files)
    done = store.rotate() if keys else None
    after = open_store(directory)
    both = after.keys.read()
    return {
        "states": states,
        "plain": plain,
        "modes": modes,
        "drafts": drafts,
        "keys": [] if keys is None else [key.identifier for key in (keys.first, *keys.older)],
        "keys_after": [] if both is None else [key.identifier for key in (both.first, *both.older)],
        "left": None if done is None else [entry.name for entry in done.left],
        "states_after": {name: state(after, name) for name in NAMES},
        "drafts_after": sum(path.suffix == ".tmp" for path in directory.rglob("*")) if done else 0,
    }


def main(root: Path, act: str) -> None:
    start = root / "start"
    start.mkdir()
    prepare(start, act)
    rows = []
    for kind in ("before", "torn"):
        at = 0
        while True:
            work = root / f"{kind}-{at}"
            shutil.copytree(start, work)
            status = killed(at, kind, work, act)
            if status == 0:
                break
            assert os.WTERMSIG(status) == signal.SIGKILL, status
            rows.append({"at": at, "kind": kind, **seen(work)})
            at += 1
        rows.append({"at": None, "kind": kind, **seen(work)})
    sys.stdout.write(json.dumps(rows))


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2])
