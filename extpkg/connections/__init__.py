"""Connections of Builtins on disk: judged by the Builtin's form, credentials sealed, one file each.

`docs/connections.md` is the contract: files, formats, keys, and what a crash leaves.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Final

from extpkg.connections.files import OTHERS_WRITE, PrivateDirectory
from extpkg.connections.keyring import Keyring
from extpkg.connections.keys import VARIABLE, KeySource
from extpkg.connections.store import Change, Entry, Rotation, Store
from extpkg.errors import ExtensionError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from extpkg.connection import Connection
    from extpkg.extension import ConnectionForm

__all__ = [
    "Change",
    "Entry",
    "Rotation",
    "Store",
    "active",
    "counts",
    "load_connection",
    "open_store",
    "standard_store",
]

DIRECTORY: Final = "EXTPKG_CONFIG_DIR"
"""Names the directory of configuration where it is not the platform's own."""

FOLDER: Final = "connections"


def open_store(
    directory: str | os.PathLike[str], key: str | None = None, *, keyring: Keyring | None = None
) -> Store:
    """Return the store of `directory/connections`; nothing is read or made before it is used.

    `key` is the text of master keys (as `EXTPKG_MASTER_KEY` has it); without it the key is the one in
    `directory/master.key`, else the one in `keyring`, made on first use.
    """
    root = Path(directory).absolute()
    keys = PrivateDirectory(path=str(root), closed=OTHERS_WRITE)
    source = KeySource(directory=keys, text=key, keyring=keyring)
    return Store(directory=PrivateDirectory(path=str(root / FOLDER), within=keys), keys=source)


def standard_store(environment: Mapping[str, str] = os.environ) -> Store:
    """Return the store of this user: `EXTPKG_CONFIG_DIR`, else the platform's directory of configuration."""
    chosen = environment.get(DIRECTORY)
    if not chosen:
        from platformdirs import user_config_path

        chosen = str(user_config_path("extpkg", appauthor=False, roaming=False))
    text = environment.get(VARIABLE)
    keyring = Keyring.of_system(str(Path(chosen).absolute())) if text is None else None
    return open_store(chosen, text, keyring=keyring)


def active(domain: str, store: Store | None = None) -> tuple[Connection, ...]:
    """Return the active connections of a Builtin, as an invocation counts them: one or none (R-REG-4).

    Raises `ExtensionError`: `conflict` where several files claim to be it, `provider_auth_unavailable` where
    it is there and cannot be used. `store` is the user's own by default.
    """
    found = (standard_store() if store is None else store).load(domain)
    return () if found is None else (found,)


def counts(forms: Mapping[str, ConnectionForm | None], store: Store | None = None) -> dict[str, int]:
    """Return how many active connections each Builtin has, as `catalog.visible` takes it (R-REG-4).

    `forms` has the form of each, None where it has none. What cannot be used, or is not what the form asks
    for, is none; a connection that several files claim to be is more than one.
    """
    kept = standard_store() if store is None else store
    return {domain: _count(kept.entry(domain, form)) for domain, form in forms.items()}


def _count(entry: Entry | None) -> int:
    if entry is None:
        return 0
    if entry.problem is None:
        return 1
    return 2 if entry.problem.code == "conflict" else 0


def load_connection(name: str, store: Store | None = None) -> Connection:
    """Return the stored connection of a Builtin; raises `ExtensionError` as `active` does, also for none."""
    for connection in active(name, store):
        return connection
    message = f"there is no connection {name}; make it with: extpkg connection set {name}"
    raise ExtensionError("provider_auth_unavailable", message, {"reason": "connection_missing"})
