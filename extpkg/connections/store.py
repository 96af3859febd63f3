"""The connections of one user: one file each, changed by one process at a time, read by any number.

    set      lock, read, judge, seal, replace the file
    rotate   lock, put a new key before the old one, seal every file anew, drop the old key
    load     read the file and the keys, open

Each step puts one file in the place of another, whole; between any two of them every file opens with a key
that is kept. A reader takes no lock: where a rotation overtakes it, it reads again.
"""

from __future__ import annotations

import re
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final

from extpkg.connection import Connection
from extpkg.connections.fault import SEVERAL, unusable
from extpkg.connections.form import judge_connection
from extpkg.connections.keys import VARIABLE, Keys
from extpkg.connections.record import CONNECTION, Record, RecordInvalid, decode, encode
from extpkg.connections.seal import MasterKey, SealBroken, new_key, seal, unseal
from extpkg.errors import ExtensionError
from extpkg.limits import DOCUMENT_BYTES

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from extpkg.connections.files import PrivateDirectory
    from extpkg.connections.keys import KeySource
    from extpkg.extension import ConnectionForm
    from extpkg.secret import Secret

SUFFIX: Final = ".json"

_NAME: Final = re.compile(r"[a-z][a-z0-9]*(?:-[a-z0-9]+)*")
_TRIES: Final = 10
"""Times that a reader looks for the key of a file: each miss means that a rotation ended meanwhile."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """A connection as it may be shown: `configured` are the fields that have a credential.

    `problem` says why it cannot be used, None where it can; its configuration is then what could be read.
    """

    name: str
    config: Mapping[str, Any] = field(default_factory=dict)
    configured: tuple[str, ...] = ()
    problem: ExtensionError | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """What `set` changes: a `config` member that is None is taken out; a field that is not named stays."""

    config: Mapping[str, Any] = field(default_factory=dict)
    credentials: Mapping[str, Secret] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Rotation:
    """What a rotation did: the connections that it sealed anew, and those that it could not, with why.

    The old keys are kept while `left` is not empty, and where they are the environment's.
    """

    key: str
    sealed: tuple[str, ...]
    left: tuple[Entry, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Store:
    """The connections in a directory under the master key of a source; made by `open_store`.

    What is there and cannot be used is `ExtensionError` with a `Reason`; writing raises `OSError` too.
    """

    directory: PrivateDirectory
    keys: KeySource

    def load(self, name: str) -> Connection | None:
        """Return the connection of a Builtin, None where there is none.

        `conflict` where a second file claims to be that connection: neither is trusted.
        """
        self._judge_rivals(name)
        record, key = self._snapshot(name)
        return None if record is None else Connection(config=record.config, credentials=_open(record, key))

    def entry(self, name: str, form: ConnectionForm | None = None) -> Entry | None:
        """Return what may be shown of a connection, None where there is none.

        What the Builtin's form refuses is a problem too: the executor will refuse it.
        """
        try:
            record = self._record(name)
        except ExtensionError as error:
            return Entry(name=name, problem=error)
        if record is None:
            return None
        problem = None
        try:
            self.load(name)
            _judge_stored(record, form)
        except ExtensionError as error:
            problem = error
        return Entry(
            name=name, config=record.config, configured=tuple(sorted(record.credentials)), problem=problem
        )

    def list(self, forms: Mapping[str, ConnectionForm] = MappingProxyType({})) -> tuple[Entry, ...]:
        """Return every connection that is there, by name; `forms` are those of the Builtins."""
        return tuple(entry for name in self._names() if (entry := self.entry(name, forms.get(name))))

    def save(self, name: str, form: ConnectionForm, change: Change) -> None:
        """Make or change the connection of a Builtin; `validation` where its form refuses the outcome.

        A credential that the change does not name is kept, which needs its master key; where the change
        names every one that is stored, that key may be lost.
        """
        with self._changing():
            record, key = self._snapshot(name, replaced=change.credentials.keys())
            config = {**({} if record is None else record.config), **change.config}
            config = {member: value for member, value in config.items() if value is not None}
            secrets = {**_kept(record, form, change, key), **change.credentials}
            judge_connection(form, config, secrets.keys())
            sealing = self._sealing(name) if secrets else None
            self._write(Record(extension=name, config=config), secrets, sealing)

    def remove(self, name: str) -> bool:
        """Remove the connection of that name, whatever is there; say whether there was one."""
        if not _NAME.fullmatch(name):
            return False
        with self._changing():
            return self.directory.remove(f"{name}{SUFFIX}")

    def rotate(self) -> Rotation:
        """Seal every connection anew under a new master key, or end a rotation that was broken off.

        A new key is made where the source is writable and holds one key alone; two mean that a rotation was
        broken off. `conflict` where there is nothing to rotate to.
        """
        with self._changing():
            keys = self._rotating()
            outcomes = {name: self._reseal(name, keys) for name in self._names()}
            left = tuple(
                Entry(name=name, problem=found)
                for name, found in outcomes.items()
                if isinstance(found, ExtensionError)
            )
            if not left and keys.older and self.keys.is_writable:
                self.keys.replace(Keys(first=keys.first))
            sealed = tuple(name for name, found in outcomes.items() if found is True)
            return Rotation(key=keys.first.identifier, sealed=sealed, left=left)

    @contextmanager
    def _changing(self) -> Iterator[None]:
        """Hold the lock; nothing of a change that was broken off is left."""
        with self.directory.locked():
            if self.keys.is_writable:
                self.keys.directory.sweep()
            yield

    def _rotating(self) -> Keys:
        """Return the keys of a rotation, the new one first; it is kept before anything is sealed with it."""
        keys = self.keys.read()
        if keys is None:
            raise ExtensionError("conflict", "there is no master key yet, and so nothing to rotate")
        if keys.older:
            return keys
        if not self.keys.is_writable:
            message = f"put a new key before the old one in {VARIABLE}, with a space between them"
            raise ExtensionError("conflict", message)
        keys = Keys(first=new_key(), older=(keys.first,))
        self.keys.replace(keys)
        return keys

    def _reseal(self, name: str, keys: Keys) -> bool | ExtensionError:
        """Seal one connection anew; say whether it had to be, or why it cannot be."""
        try:
            record = self._record(name)
            if record is None or record.key in {None, keys.first.identifier}:
                return False
            secrets = _open(record, self._key_of(record, keys))
        except ExtensionError as problem:
            return problem
        self._write(record, secrets, keys.first)
        return True

    def _write(self, record: Record, secrets: Mapping[str, Secret], key: MasterKey | None) -> None:
        """Write a record whose credentials are these, sealed with the key."""
        sealed = {
            each: seal(secrets[each], record.place(each), key) for each in sorted(secrets) if key is not None
        }
        written = replace(record, key=None if key is None else key.identifier, credentials=sealed)
        data = encode(written)
        if len(data) > DOCUMENT_BYTES:
            raise ExtensionError("validation", f"the connection has more than {DOCUMENT_BYTES:,} bytes")
        self.directory.write(f"{record.extension}{SUFFIX}", data)

    def _sealing(self, name: str) -> MasterKey:
        """Return the key that seals; make one where there is none, unless that would hide a lost one."""
        keys = self.keys.read()
        if keys is not None:
            return keys.first
        lost = [other for other in self._names() if other != name and self._is_sealed(other)]
        if lost:
            message = (
                f"the master key of {', '.join(lost)} is not there; bring it back, or remove them and set "
                f"them again"
            )
            raise unusable("master_key_missing", message)
        return self.keys.create(Keys(first=new_key())).first

    def _is_sealed(self, name: str) -> bool:
        try:
            record = self._record(name)
        except ExtensionError:
            return True
        return record is not None and record.key is not None

    def _snapshot(self, name: str, replaced: Iterable[str] = ()) -> tuple[Record | None, MasterKey | None]:
        """Return a record and the key that opens it, None where nothing but `replaced` needs one."""
        tries = _TRIES
        while True:
            tries -= 1
            record = self._record(name)
            if record is None or not record.credentials.keys() - set(replaced):
                return record, None
            try:
                return record, self._key_of(record, self.keys.read())
            except ExtensionError:
                if not tries:
                    raise

    def _key_of(self, record: Record, keys: Keys | None) -> MasterKey:
        name = record.extension
        if keys is None:
            message = (
                f"the master key that {name} is sealed with is not there; bring it back, or set {name} again"
            )
            raise unusable("master_key_missing", message)
        key = keys.find(record.key or "")
        if key is None:
            message = (
                f"{name} is sealed with the master key {record.key}, which is not the one at hand; "
                f"bring it back, or set {name} again with every credential"
            )
            raise unusable("master_key_unknown", message)
        return key

    def _record(self, name: str) -> Record | None:
        """Return the record of a name, None where there is none; one of another name is refused."""
        data = self.directory.read(f"{name}{SUFFIX}", DOCUMENT_BYTES) if _NAME.fullmatch(name) else None
        if data is None:
            return None
        again = f"run: extpkg connection remove {name}, then set it again"
        try:
            record = decode(data)
        except RecordInvalid:
            record = None
        if record is None:
            raise unusable("connection_malformed", f"the file of {name} is not what extpkg writes; {again}")
        if (record.extension, record.connection) != (name, CONNECTION):
            raise unusable("connection_tampered", f"the file of {name} is another connection's; {again}")
        return record

    def _judge_rivals(self, name: str) -> None:
        """Refuse a connection that another file claims to be (S049): a copy, or what somebody put there."""
        own = f"{name}{SUFFIX}"
        for other in self.directory.names():
            if other != own and other.endswith(SUFFIX) and self._claimed(other) == name:
                message = f"{self.directory.shown(other)} claims to be the connection {name} too; remove it"
                raise ExtensionError("conflict", message, {"reason": SEVERAL})

    def _claimed(self, file: str) -> str | None:
        """Return the name of the connection that a file claims to be, None where it cannot be told."""
        try:
            data = self.directory.read(file, DOCUMENT_BYTES)
            return None if data is None else decode(data).extension
        except (ExtensionError, RecordInvalid):
            return None

    def _names(self) -> tuple[str, ...]:
        files = [name for name in self.directory.names() if name.endswith(SUFFIX)]
        return tuple(name for file in files if _NAME.fullmatch(name := file.removesuffix(SUFFIX)))


def _judge_stored(record: Record, form: ConnectionForm | None) -> None:
    """Raise `ExtensionError` where the form refuses what a file holds: it was written by hand, or before."""
    if form is None:
        return
    try:
        judge_connection(form, record.config, record.credentials.keys())
    except ExtensionError as refused:
        reason = refused.message
    else:
        return
    message = (
        f"the file of {record.extension} does not suit the Extension: {reason}; "
        f"run: extpkg connection remove {record.extension}, then set it again"
    )
    raise unusable("connection_invalid", message)


def _kept(
    record: Record | None, form: ConnectionForm, change: Change, key: MasterKey | None
) -> dict[str, Secret]:
    """Return the stored credentials that a change does not name, opened."""
    if record is None:
        return {}
    kept = {each.name for each in form.credentials} - change.credentials.keys()
    sealed = {name: record.credentials[name] for name in kept & record.credentials.keys()}
    return _open(replace(record, credentials=sealed), key)


def _open(record: Record, key: MasterKey | None) -> dict[str, Secret]:
    """Return the credentials of a record; raises `ExtensionError` where one does not open."""
    try:
        return {
            name: unseal(sealed, record.place(name), key)
            for name, sealed in record.credentials.items()
            if key is not None
        }
    except SealBroken:
        pass
    message = (
        f"the file of {record.extension} was changed by something other than extpkg and does not open; "
        f"run: extpkg connection remove {record.extension}, then set it again"
    )
    raise unusable("connection_tampered", message)
