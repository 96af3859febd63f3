"""Connections on disk: what they hold, what opens, who may read them, and what a second process does."""

from __future__ import annotations

import base64
import json
import os
import shutil
import socket
import stat
import subprocess
import sys
import threading
from pathlib import Path
from traceback import TracebackException
from typing import TYPE_CHECKING, Any

import pytest
from crash import FORM, NEW, OLD, save, state
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from hypothesis import given
from hypothesis import strategies as st

import extpkg
from extpkg.catalog import visible
from extpkg.connections import (
    Change,
    Store,
    active,
    counts,
    load_connection,
    open_store,
    standard_store,
)
from extpkg.connections.files import PrivateDirectory
from extpkg.connections.keys import Keys, parse_keys
from extpkg.connections.record import RecordInvalid, decode, encode
from extpkg.connections.seal import MasterKey, SealBroken, seal, unseal
from extpkg.errors import ExtensionError
from extpkg.extension import ConnectionForm
from extpkg.json_schema import Violation, check_schema
from extpkg.providers import builtin_registry
from extpkg.secret import Secret

if TYPE_CHECKING:
    from collections.abc import Callable

KEY = "00" * 31 + "01"
OTHER = "00" * 31 + "02"

needs_permissions = pytest.mark.skipif(os.name == "nt", reason="no permissions to judge")


@pytest.fixture
def store(tmp_path: Path) -> Store:
    """A store with one connection, `one`."""
    found = open_store(tmp_path / "config", KEY)
    save(found, "one", OLD)
    return found


def file(store: Store, name: str = "one") -> Path:
    return Path(store.directory.path, f"{name}.json")


def members(store: Store, name: str = "one") -> Any:
    return json.loads(file(store, name).read_bytes())


def write(store: Store, changed: Any, name: str = "one") -> None:
    path = file(store, name)
    path.write_text(json.dumps(changed))
    path.chmod(0o600)


def refused(store: Store, name: str = "one") -> ExtensionError:
    with pytest.raises(ExtensionError) as caught:
        store.load(name)
    error = caught.value
    assert error.__cause__ is None
    shown = "".join(TracebackException.from_exception(error, capture_locals=True).format())
    assert "canary" not in shown + repr(error)
    return error


def reason(store: Store, name: str = "one") -> str:
    error = refused(store, name)
    assert error.code == "provider_auth_unavailable"
    assert error.details
    return str(error.details["reason"])


# -- what is on disk


def test_a_file_is_what_the_page_says(store: Store) -> None:
    """S061 and docs/connections.md, by a second implementation: the standard library and AES-GCM itself."""
    import hashlib
    import hmac

    found = members(store)
    key = bytes.fromhex(KEY)
    assert found["key"] == hmac.new(key, b"extpkg.master-key/1", hashlib.sha256).hexdigest()[:16]
    for name in ("id", "key"):
        associated = (
            '{"config":{"region":"old"},"connection":"default","extension":"one",'
            f'"field":"{name}","format":"extpkg.connection/1","key":"{found["key"]}"}}'
        )
        row = found["credentials"][name]
        nonce, sealed = base64.b64decode(row["nonce"]), base64.b64decode(row["sealed"])
        assert len(nonce) == 12
        assert AESGCM(key).decrypt(nonce, sealed, associated.encode()).decode() == OLD[name]
    del found["credentials"]
    assert found == {
        "format": "extpkg.connection/1",
        "extension": "one",
        "connection": "default",
        "config": {"region": "old"},
        "key": found["key"],
    }


@needs_permissions
def test_only_the_owner_can_read_what_is_written(tmp_path: Path) -> None:
    """Whatever the mask of the process is."""
    mask = os.umask(0)
    try:
        save(open_store(tmp_path / "a" / "b"), "one", OLD)
    finally:
        os.umask(mask)
    modes = {
        path.relative_to(tmp_path).as_posix(): stat.S_IMODE(path.stat().st_mode)
        for path in tmp_path.rglob("*")
    }
    assert {name: mode for name, mode in modes.items() if name != "a"} == {
        "a/b": 0o700,
        "a/b/master.key": 0o600,
        "a/b/connections": 0o700,
        "a/b/connections/.lock": 0o600,
        "a/b/connections/one.json": 0o600,
    }


def test_no_nonce_is_used_twice(store: Store) -> None:
    seen = set()
    for _ in range(20):
        save(store, "one", OLD)
        seen |= {row["nonce"] for row in members(store)["credentials"].values()}
    assert len(seen) == 40


def test_a_connection_without_credentials_needs_no_key(tmp_path: Path) -> None:
    form = ConnectionForm(config_schema=FORM.config_schema)
    store = open_store(tmp_path)
    store.save("one", form, Change(config={"region": "x"}))
    assert not (tmp_path / "master.key").exists()
    assert members(store)["key"] is None
    assert state(store, "one") == {"region": "x"}
    assert store.list()[0].problem is None


# -- what opens


@given(
    key=st.binary(min_size=32, max_size=32),
    text=st.text(min_size=1) | st.just("\ud800"),
    at=st.integers(min_value=0),
    bit=st.integers(0, 7),
)
def test_a_changed_seal_does_not_open(key: bytes, text: str, at: int, bit: int) -> None:
    """Law: what was sealed opens to itself, and with any one bit changed not at all."""
    from extpkg.connections.record import Record
    from extpkg.connections.seal import Sealed

    record = Record(extension="one")
    place, master = record.place("key"), MasterKey(data=key)
    sealed = seal(Secret(text), place, master)
    assert unseal(sealed, place, master).reveal() == text
    whole = bytearray(sealed.nonce + sealed.text)
    whole[at % len(whole)] ^= 1 << bit
    changed = Sealed(nonce=bytes(whole[:12]), text=bytes(whole[12:]))
    with pytest.raises(SealBroken) as caught:
        unseal(changed, place, master)
    assert caught.value.__context__ is None


CHANGES: dict[str, Callable[[Any], Any]] = {
    "fields swapped": lambda m: {
        **m,
        "credentials": {"id": m["credentials"]["key"], "key": m["credentials"]["id"]},
    },
    "configuration changed": lambda m: {**m, "config": {"region": "elsewhere"}},
    "configuration added": lambda m: {**m, "config": {**m["config"], "more": 1}},
    "a seal changed": lambda m: {
        **m,
        "credentials": {**m["credentials"], "id": {**m["credentials"]["id"], "nonce": "A" * 16}},
    },
}


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
def test_what_was_moved_or_changed_does_not_open(store: Store, change: Callable[[Any], Any]) -> None:
    write(store, change(members(store)))
    assert reason(store) == "connection_tampered"
    assert "extpkg connection remove one" in refused(store).message


def test_a_copied_or_renamed_file_does_not_open(store: Store) -> None:
    """S061: the identity of a connection is its Builtin's name: neither as another one nor beside itself."""
    shutil.copy(file(store), file(store, "two"))
    assert reason(store, "two") == "connection_tampered"
    assert refused(store, "one").code == "conflict"
    file(store, "one").unlink()
    assert reason(store, "two") == "connection_tampered"
    write(store, {**members(store, "two"), "extension": "two"}, "two")
    assert reason(store, "two") == "connection_tampered"


def test_a_file_of_another_store_does_not_open(store: Store, tmp_path: Path) -> None:
    other = open_store(tmp_path / "other")
    save(other, "one", NEW)
    shutil.copy(file(other), file(store))
    assert reason(store) == "master_key_unknown"


def test_another_key_is_told_apart_from_a_changed_file(store: Store, tmp_path: Path) -> None:
    with_other = open_store(tmp_path / "config", OTHER)
    assert reason(with_other) == "master_key_unknown"
    assert members(store)["key"] in refused(with_other).message
    assert reason(open_store(tmp_path / "config")) == "master_key_missing"
    assert state(open_store(tmp_path / "config", f"{OTHER} {KEY}"), "one") == OLD
    write(store, {**members(store), "key": parse_keys(OTHER).first.identifier})
    assert reason(with_other) == "connection_tampered"


MALFORMED: dict[str, Callable[[Any], Any]] = {
    "no object": lambda _: [],
    "another format": lambda m: {**m, "format": "extpkg.connection/2"},
    "another member": lambda m: {**m, "more": 1},
    "a member less": lambda m: {name: m[name] for name in m if name != "key"},
    "no key": lambda m: {**m, "key": None},
    "a key for nothing": lambda m: {**m, "credentials": {}},
    "no base64": lambda m: {**m, "credentials": {"id": {"nonce": "A", "sealed": "AAAA"}}},
    "a short nonce": lambda m: {**m, "credentials": {"id": {"nonce": "AAAA", "sealed": "A" * 32}}},
    "a seal of nothing": lambda m: {
        **m,
        "credentials": {"id": {"nonce": "A" * 16, "sealed": f"{'A' * 22}=="}},
    },
}


@pytest.mark.parametrize("change", MALFORMED.values(), ids=MALFORMED)
def test_what_extpkg_does_not_write_is_refused(store: Store, change: Callable[[Any], Any]) -> None:
    write(store, change(members(store)))
    assert reason(store) == "connection_malformed"


@pytest.mark.parametrize("data", [b"", b"{", b"\xff", b'{"a":1,"a":2}', b"null", b"[" * 100])
def test_what_is_no_json_is_refused(store: Store, data: bytes) -> None:
    file(store).write_bytes(data)
    assert reason(store) == "connection_malformed"
    with pytest.raises(RecordInvalid) as caught:
        decode(data)
    assert caught.value.__context__ is None


def test_a_record_is_read_as_it_was_written(store: Store) -> None:
    data = file(store).read_bytes()
    assert encode(decode(data)) == data


def test_a_huge_file_is_not_read(store: Store) -> None:
    file(store).write_bytes(b" " * ((1 << 20) + 1))
    assert reason(store) == "connection_malformed"
    assert "connection remove one" in refused(store).message


# -- who may read it


@needs_permissions
@pytest.mark.parametrize("mode", [0o640, 0o604, 0o602, 0o610, 0o660, 0o666])
@pytest.mark.parametrize("name", ["connections/one.json", "master.key"])
def test_a_file_that_is_open_to_others_is_refused(tmp_path: Path, mode: int, name: str) -> None:
    store = open_store(tmp_path)
    save(store, "one", OLD)
    path = tmp_path / name
    path.chmod(mode)
    assert reason(store) == "connection_unsafe"
    assert f"chmod 600 {path}" in refused(store).message
    with pytest.raises(ExtensionError, match="chmod 600"):
        save(store, "one", {"region": "x", "id": "canary"})
    path.chmod(0o400)
    assert state(store, "one") == OLD


@needs_permissions
def test_a_directory_that_is_open_to_others_is_refused(store: Store, tmp_path: Path) -> None:
    folder = tmp_path / "config/connections"
    for mode in (0o750, 0o705, 0o722):
        folder.chmod(mode)
        assert reason(store) == "connection_unsafe"
        assert f"chmod 700 {folder}" in refused(store).message
        with pytest.raises(ExtensionError, match="chmod 700"):
            save(store, "one", NEW)
        with pytest.raises(ExtensionError, match="chmod 700"):
            store.list()


@needs_permissions
def test_the_directory_of_the_key_may_be_read_but_not_written_by_others(tmp_path: Path) -> None:
    store = open_store(tmp_path)
    save(store, "one", OLD)
    tmp_path.chmod(0o755)
    assert state(store, "one") == OLD
    tmp_path.chmod(0o775)
    assert reason(store) == "connection_unsafe"
    assert "chmod go-w" in refused(store).message
    tmp_path.chmod(0o700)


@needs_permissions
def test_the_directory_above_is_judged_where_no_key_is_read_from_it(store: Store, tmp_path: Path) -> None:
    """Who can write there can put other connections in the place of these."""
    (tmp_path / "config").chmod(0o707)
    assert reason(store) == "connection_unsafe"
    assert f"chmod go-w {tmp_path / 'config'}" in refused(store).message
    for act in (store.list, lambda: save(store, "two", NEW), lambda: store.remove("one"), store.rotate):
        with pytest.raises(ExtensionError, match="chmod go-w"):
            act()
    assert file(store).exists()
    assert not file(store, "two").exists()


@pytest.mark.parametrize("kind", ["link", "dangling", "fifo", "directory", "socket"])
def test_only_a_regular_file_is_read(store: Store, kind: str, tmp_path: Path) -> None:
    path = file(store)
    moved = tmp_path / "moved.json"
    path.rename(moved)
    if kind == "link":
        path.symlink_to(moved)
    elif kind == "dangling":
        path.symlink_to(tmp_path / "nowhere")
    elif kind == "fifo":
        os.mkfifo(path, 0o600)
    elif kind == "directory":
        path.mkdir(0o700)
    else:
        here = os.open(path.parent, os.O_RDONLY)
        with socket.socket(socket.AF_UNIX) as server:
            server.bind(f"/proc/self/fd/{here}/{path.name}")
        os.close(here)
    assert reason(store) == "connection_unsafe"
    with pytest.raises(ExtensionError):
        save(store, "one", NEW)
    assert moved.exists()
    if kind != "directory":
        assert store.remove("one")
        assert moved.exists()


def test_a_file_of_another_user_is_refused(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    if os.geteuid() != 0:
        monkeypatch.setattr(os, "geteuid", lambda: 4242)
        assert "belongs to another user; run: chown 4242" in refused(store).message
        return
    os.chown(file(store), 4242, -1)
    assert reason(store) == "connection_unsafe"
    assert "belongs to another user; run: chown 0" in refused(store).message


def test_what_cannot_be_read_is_refused(tmp_path: Path) -> None:
    (tmp_path / "config").mkdir()
    (tmp_path / "config/connections").write_text("")
    store = open_store(tmp_path / "config")
    assert reason(store) == "connection_unreadable"
    with pytest.raises(ExtensionError, match="cannot be read: not a directory"):
        store.list()


def test_without_descriptors_the_same_files_are_refused(
    store: Store, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Where a platform does not open relative to a directory."""
    monkeypatch.setattr("extpkg.connections.files.ANCHORED", False)
    assert state(store, "one") == OLD
    assert [entry.name for entry in store.list()] == ["one"]
    file(store).rename(tmp_path / "moved")
    file(store).symlink_to(tmp_path / "moved")
    assert reason(store) == "connection_unsafe"


# -- set, show, remove


def test_what_a_change_does_not_name_stays(store: Store) -> None:
    """S058: an omitted credential keeps the stored one, an omitted member of the configuration too."""
    store.save("one", FORM, Change(credentials={"key": Secret("canary-2")}))
    assert state(store, "one") == {**OLD, "key": "canary-2"}
    store.save("one", FORM, Change(config={"region": "new"}))
    assert state(store, "one") == {**OLD, "key": "canary-2", "region": "new"}
    store.save("one", FORM, Change(config={"region": None}))
    assert state(store, "one") == {"id": OLD["id"], "key": "canary-2"}


def test_a_change_that_names_every_credential_needs_no_old_key(store: Store, tmp_path: Path) -> None:
    with_other = open_store(tmp_path / "config", OTHER)
    with pytest.raises(ExtensionError, match="bring it back"):
        save(with_other, "one", {"region": "new", "key": NEW["key"]})
    save(with_other, "one", NEW)
    assert state(with_other, "one") == NEW
    assert reason(store) == "master_key_unknown"


def test_a_change_that_the_form_refuses_changes_nothing(store: Store) -> None:
    before = file(store).read_bytes()
    for change in (
        Change(config={"region": 1}),
        Change(config={"other": "x"}),
        Change(config={"region": "\ud800"}),
        Change(credentials={"other": Secret("canary")}),
    ):
        with pytest.raises(ExtensionError) as caught:
            store.save("one", FORM, change)
        assert caught.value.code == "validation"
    assert file(store).read_bytes() == before


def test_a_connection_is_never_too_large_to_be_read_again(store: Store) -> None:
    with pytest.raises(ExtensionError, match="more than 1,048,576 bytes"):
        store.save("one", FORM, Change(credentials={"id": Secret("x" * (1 << 20))}))
    assert state(store, "one") == OLD


def test_a_refusal_points_into_the_connection(tmp_path: Path) -> None:
    """S054, S055: the closed schema, the fields, and the judge of the form."""

    def judge(config: Any) -> tuple[Violation, ...]:
        return (Violation(pointer="/region", keyword="", schema_pointer="", message=f"is {len(config)}"),)

    def rows(form: ConnectionForm, change: Change) -> list[dict[str, str]]:
        with pytest.raises(ExtensionError) as caught:
            open_store(tmp_path, KEY).save("one", form, change)
        assert caught.value.details
        found: list[dict[str, str]] = caught.value.details["violations"]
        return found

    assert rows(FORM, Change(config={"region": 1}, credentials={"x": Secret("y"), "key": Secret("z")})) == [
        {"pointer": "/config/region", "message": "must be a string, not 1"},
        {"pointer": "/credentials/x", "message": "is no field of the connection; its fields are: id, key"},
        {"pointer": "/credentials/id", "message": "is missing: Id"},
    ]
    judged = ConnectionForm(config_schema=FORM.config_schema, judge=judge)
    assert rows(judged, Change(config={"region": "x"}, credentials={"x": Secret("y")})) == [
        {"pointer": "/config/region", "message": "is 1"},
        {"pointer": "/credentials/x", "message": "is no field of the connection; its fields are: none"},
    ]


def test_a_field_that_the_form_has_no_more_is_dropped(store: Store) -> None:
    form = ConnectionForm(config_schema=FORM.config_schema, credentials=FORM.credentials[1:])
    store.save("one", form, Change())
    assert state(store, "one") == {"region": "old", "key": OLD["key"]}


@pytest.mark.parametrize("domain", ["brave", "searxng", "serper", "tavily"])
def test_the_form_of_every_builtin_is_closed(domain: str) -> None:
    """S055, S056, S057: nothing but what the form names is accepted."""
    form = builtin_registry().newest[domain].extension.form
    assert form is not None
    assert list(check_schema(form.config_schema)) == []
    assert form.config_schema["type"] == "object"
    assert form.config_schema["additionalProperties"] is False


def test_reading_shows_no_credential(store: Store) -> None:
    """S060, S062."""
    (entry,) = store.list()
    assert (entry.name, dict(entry.config), entry.configured) == ("one", {"region": "old"}, ("id", "key"))
    assert entry.problem is None
    assert "canary" not in repr(entry) + repr(store) + repr(store.load("one"))
    assert KEY not in repr(store)


def test_what_is_wrong_with_a_connection_is_shown(store: Store, tmp_path: Path) -> None:
    save(store, "two", NEW)
    write(store, [], "two")
    (file(store).parent / "Other name.json").write_text("{}")
    one, two = open_store(tmp_path / "config", OTHER).list()
    assert one.configured == ("id", "key")
    assert one.problem
    assert one.problem.details == {"reason": "master_key_unknown"}
    assert two.problem
    assert two.problem.details == {"reason": "connection_malformed"}
    assert store.entry("three") is None


def test_what_is_removed_is_gone(store: Store) -> None:
    assert store.remove("one")
    assert not store.remove("one")
    assert store.load("one") is None


@pytest.mark.parametrize("name", ["", ".", "..", "../one", "One", "one.json", "one/two", "\0", ".lock"])
def test_a_name_is_that_of_a_builtin(store: Store, name: str) -> None:
    assert store.load(name) is None
    assert not store.remove(name)
    assert file(store).exists()


# -- how many are active


def test_none_or_one_is_active(store: Store) -> None:
    """S047, S048."""
    assert len(active("one", store)) == 1
    assert active("two", store) == ()
    assert load_connection("one", store).config == {"region": "old"}
    with pytest.raises(ExtensionError, match="extpkg connection set two") as caught:
        load_connection("two", store)
    assert caught.value.code == "provider_auth_unavailable"


@pytest.mark.parametrize("name", ["one copy.json", "two.json", "ONE.json", ".one.json"])
def test_several_fail_closed(store: Store, name: str) -> None:
    """S049: a second file that claims to be the connection, whatever is it called."""
    shutil.copy(file(store), file(store).with_name(name))
    error = refused(store)
    assert error.code == "conflict"
    assert error.details == {"reason": "several_connections"}
    assert name in error.message
    with pytest.raises(ExtensionError):
        active("one", store)


def test_a_file_that_says_nothing_of_the_connection_does_not_matter(store: Store) -> None:
    save(store, "two", NEW)
    for name, text in (("a.json", "garbage"), ("b.txt", "{}"), ("c.json", "{}")):
        path = file(store).with_name(name)
        path.write_text(text)
        path.chmod(0o600)
    file(store).with_name("d.json").symlink_to(file(store))
    assert state(store, "one") == OLD


def test_the_catalog_shows_what_has_one_connection(tmp_path: Path) -> None:
    """S048, S049: hidden without one, with several, and with one that cannot be used."""
    registry = builtin_registry()
    store = open_store(tmp_path, KEY)
    for name in ("brave", "serper", "tavily"):
        form = registry.newest[name].extension.form
        assert form
        store.save(name, form, Change(credentials={"apiKey": Secret("canary")}))
    shutil.copy(file(store, "serper"), file(store, "serper 2"))
    write(store, [], "tavily")
    forms = {name: builtin.extension.form for name, builtin in registry.newest.items()}
    found = counts(forms, store)
    assert found == {"arxiv": 0, "brave": 1, "searxng": 0, "serper": 2, "tavily": 0}
    assert [entry.domain for entry in visible(registry, found)] == ["arxiv", "brave"]


def test_the_catalog_hides_what_the_executor_would_refuse(tmp_path: Path) -> None:
    """S048: no credential where one is asked for, and an address that no connection may lead to."""
    registry = builtin_registry()
    store = open_store(tmp_path, KEY)
    form = registry.newest["searxng"].extension.form
    assert form
    store.save("searxng", form, Change(config={"baseUrl": "http://10.0.0.5"}))
    forms = {name: builtin.extension.form for name, builtin in registry.newest.items()}
    assert counts(forms, store)["searxng"] == 1
    stored = members(store, "searxng")
    write(store, {**stored, "config": {"baseUrl": "http://169.254.169.254"}}, "searxng")
    write(store, {**stored, "extension": "brave", "config": {}}, "brave")
    assert counts(forms, store) == dict.fromkeys(registry.newest, 0)
    assert [entry.domain for entry in visible(registry, counts(forms, store))] == ["arxiv"]


def test_what_the_form_refuses_is_shown(store: Store) -> None:
    write(store, {**members(store), "credentials": {}, "key": None})
    (entry,) = store.list({"one": FORM})
    assert entry.problem
    assert entry.problem.code == "provider_auth_unavailable"
    assert entry.problem.details == {"reason": "connection_invalid"}
    assert "/credentials/id is missing" in entry.problem.message
    assert store.list()[0].problem is None


def test_a_draft_that_a_killed_process_left_is_swept_up(tmp_path: Path) -> None:
    store = open_store(tmp_path)
    save(store, "one", OLD)
    kept = [tmp_path / "connections/.mine.tmp", tmp_path / "connections/notes.txt"]
    left = [tmp_path / f".{'a' * 16}.tmp", tmp_path / f"connections/.{'0' * 16}.tmp"]
    for path in [*kept, *left]:
        path.write_text("")
    assert store.remove("one")
    assert all(path.exists() for path in kept)
    assert not any(path.exists() for path in left)


# -- keys are rotated


def test_a_rotation_seals_everything_under_a_new_key(tmp_path: Path) -> None:
    store = open_store(tmp_path)
    for name in ("one", "two"):
        save(store, name, OLD)
    store.save("three", ConnectionForm(config_schema=FORM.config_schema), Change(config={"region": "x"}))
    key = (tmp_path / "master.key").read_bytes()
    plain = file(store, "three").read_bytes()
    done = store.rotate()
    assert (done.sealed, done.left) == (("one", "two"), ())
    assert {members(store, name)["key"] for name in ("one", "two")} == {done.key}
    assert file(store, "three").read_bytes() == plain
    assert (tmp_path / "master.key").read_bytes() != key
    assert state(store, "one") == state(store, "two") == OLD
    (tmp_path / "master.key").write_bytes(key)
    assert reason(store) == "master_key_unknown"


def test_the_old_key_stays_while_anything_needs_it(tmp_path: Path) -> None:
    store = open_store(tmp_path)
    for name in ("one", "two"):
        save(store, name, OLD)
    file(store, "two").chmod(0o644)
    done = store.rotate()
    assert done.sealed == ("one",)
    assert [entry.name for entry in done.left] == ["two"]
    assert len(parse_keys((tmp_path / "master.key").read_text()).older) == 1
    file(store, "two").chmod(0o600)
    assert state(store, "two") == OLD
    again = store.rotate()
    assert (again.key, again.sealed, again.left) == (done.key, ("two",), ())
    assert parse_keys((tmp_path / "master.key").read_text()).older == ()


def test_the_keys_of_the_environment_are_their_owners(tmp_path: Path) -> None:
    save(open_store(tmp_path, KEY), "one", OLD)
    with pytest.raises(ExtensionError, match="put a new key before the old one"):
        open_store(tmp_path, KEY).rotate()
    done = open_store(tmp_path, f"{OTHER} {KEY}").rotate()
    assert done.sealed == ("one",)
    assert state(open_store(tmp_path, OTHER), "one") == OLD
    assert open_store(tmp_path, f"{OTHER} {KEY}").rotate().sealed == ()
    assert not (tmp_path / "master.key").exists()


def test_without_a_key_there_is_nothing_to_rotate(tmp_path: Path) -> None:
    with pytest.raises(ExtensionError, match="nothing to rotate"):
        open_store(tmp_path).rotate()


def test_a_lost_key_is_not_hidden_by_a_new_one(tmp_path: Path) -> None:
    store = open_store(tmp_path)
    for name in ("one", "two"):
        save(store, name, OLD)
    write(store, [], "three")
    (tmp_path / "master.key").unlink()
    assert reason(store) == "master_key_missing"
    with pytest.raises(ExtensionError, match="the master key of three, two is not there"):
        save(store, "one", NEW)
    store.remove("two")
    store.remove("three")
    save(store, "one", NEW)
    assert state(store, "one") == NEW


def test_a_reader_that_a_rotation_overtakes_reads_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = open_store(tmp_path)
    save(store, "one", OLD)
    real, rotations = PrivateDirectory.read, iter([True, True])

    def overtaken(self: PrivateDirectory, name: str, most: int) -> bytes | None:
        found = real(self, name, most)
        if name == "one.json" and next(rotations, False):
            monkeypatch.setattr(PrivateDirectory, "read", real)
            open_store(tmp_path).rotate()
            monkeypatch.setattr(PrivateDirectory, "read", overtaken)
        return found

    monkeypatch.setattr(PrivateDirectory, "read", overtaken)
    assert state(store, "one") == OLD
    assert next(rotations, None) is None


# -- several processes

RACE = """
import sys
sys.path.insert(0, sys.argv[3])
from crash import save, OLD
from extpkg.connections import open_store
store = open_store(sys.argv[1])
sys.stdin.read()
save(store, sys.argv[2], OLD)
"""


def test_two_processes_that_need_the_first_key_make_one(tmp_path: Path) -> None:
    """Eight at once, in a directory that is not there yet."""
    from corpus import ROOT

    names = [f"c{number}" for number in range(8)]
    folder = tmp_path / "a" / "config"
    running = [
        subprocess.Popen(
            [sys.executable, "-c", RACE, str(folder), name, str(ROOT / "tests")], stdin=subprocess.PIPE
        )
        for name in names
    ]
    for process in running:
        assert process.stdin
        process.stdin.close()
    assert [process.wait() for process in running] == [0] * 8
    store = open_store(folder)
    assert [state(store, name) for name in names] == [OLD] * 8
    assert len({members(store, name)["key"] for name in names}) == 1
    assert not any(path.suffix == ".tmp" for path in tmp_path.rglob("*"))


def test_changes_at_once_lose_nothing(tmp_path: Path) -> None:
    """One sets one field, one the other, one rotates: the last of each is what is there."""
    save(open_store(tmp_path), "one", OLD)
    failures: list[BaseException] = []

    def changing(act: Callable[[Store, int], object]) -> threading.Thread:
        def work() -> None:
            try:
                for number in range(15):
                    act(open_store(tmp_path), number)
            except BaseException as error:  # noqa: BLE001 - told by the test
                failures.append(error)

        return threading.Thread(target=work)

    def set_field(name: str) -> Callable[[Store, int], object]:
        return lambda store, number: store.save(
            "one", FORM, Change(credentials={name: Secret(f"{name}-{number}")})
        )

    def read(store: Store, _: int) -> None:
        assert isinstance(state(store, "one"), dict)

    threads = [changing(act) for act in (set_field("id"), set_field("key"), lambda s, _: s.rotate(), read)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []
    assert state(open_store(tmp_path), "one") == {"region": "old", "id": "id-14", "key": "key-14"}


def test_a_change_waits_for_another_one_only_so_long(store: Store) -> None:
    with (
        store.directory.locked(),
        pytest.raises(ExtensionError, match="another process") as caught,
        store.directory.locked(wait=0.05),
    ):
        pass
    assert caught.value.code == "conflict"
    with store.directory.locked(wait=0):
        pass


def test_a_key_file_is_never_replaced_by_a_first_key(tmp_path: Path) -> None:
    """Even where no lock keeps two processes apart."""
    store = open_store(tmp_path)
    save(store, "one", OLD)
    kept = store.keys.create(Keys(first=MasterKey(data=bytes(32))))
    assert kept.first.data != bytes(32)
    assert state(store, "one") == OLD


def test_a_file_system_without_links_keeps_the_first_key(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def no_links(*_: object) -> None:
        raise PermissionError

    monkeypatch.setattr(os, "link", no_links)
    store = open_store(tmp_path)
    save(store, "one", OLD)
    assert state(store, "one") == OLD
    assert not any(path.suffix == ".tmp" for path in tmp_path.rglob("*"))


# -- where it is


def test_the_store_of_a_user(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import platformdirs

    chosen = standard_store({"EXTPKG_CONFIG_DIR": str(tmp_path), "EXTPKG_MASTER_KEY": KEY})
    assert chosen.directory.path == str(tmp_path / "connections")
    assert not chosen.keys.is_writable
    monkeypatch.setattr(platformdirs, "user_config_path", lambda *_, **__: tmp_path / "platform")
    assert standard_store({}).directory.path == str(tmp_path / "platform" / "connections")
    assert standard_store({"EXTPKG_CONFIG_DIR": ""}).keys.is_writable


def test_an_invocation_in_python_takes_a_stored_connection(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("EXTPKG_CONFIG_DIR", str(tmp_path))
    form = builtin_registry().newest["brave"].extension.form
    assert form
    standard_store().save("brave", form, Change(credentials={"apiKey": Secret("canary")}))
    found = extpkg.load_connection("brave")
    secret = found.secret("apiKey")
    assert secret
    assert secret.reveal() == "canary"
