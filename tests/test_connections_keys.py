"""Master keys: the text that they are given as, and the places that may hold them, in their order."""

from __future__ import annotations

import base64
import hashlib
import hmac
import sys
from types import ModuleType
from typing import TYPE_CHECKING, Any

import pytest
from crash import OLD, save, state
from hypothesis import given
from hypothesis import strategies as st

from extpkg.connections import open_store, standard_store
from extpkg.connections.keyring import Keyring
from extpkg.connections.keys import Keys, keys_text, parse_keys
from extpkg.connections.seal import MasterKey, new_key
from extpkg.errors import ExtensionError

if TYPE_CHECKING:
    from pathlib import Path

ONE, TWO = bytes(range(32)), bytes(range(1, 33))
PADDED = "+/" * 21 + "8="
"""Base64 with the two characters in which its alphabets part."""

KEYS = st.binary(min_size=32, max_size=32)


@given(st.lists(KEYS, min_size=1, max_size=4))
def test_keys_are_read_as_they_are_written(data: list[bytes]) -> None:
    first, *older = [MasterKey(data=each) for each in data]
    keys = Keys(first=first, older=tuple(older))
    assert parse_keys(keys_text(keys)) == keys


@given(KEYS)
def test_every_form_of_a_key_is_the_same_key(data: bytes) -> None:
    plain, safe = base64.b64encode(data).decode(), base64.urlsafe_b64encode(data).decode()
    forms = [data.hex(), data.hex().upper(), plain, plain.rstrip("="), safe, safe.rstrip("="), f" {plain}\n"]
    assert {parse_keys(form).first.data for form in forms} == {data}


@given(KEYS)
def test_the_name_of_a_key_is_what_the_page_says(data: bytes) -> None:
    named = hmac.new(data, b"extpkg.master-key/1", hashlib.sha256).hexdigest()
    assert MasterKey(data=data).identifier == named[:16]


@pytest.mark.parametrize(
    "text",
    [
        "",
        " \n",
        "canary",
        "0" * 63,
        "0" * 65,
        "0" * 62 + "0g",
        base64.b64encode(ONE[:31]).decode(),
        base64.b64encode(ONE + b"x").decode(),
        PADDED + "=",
        PADDED.replace("8=", "9="),
        "é" * 43,
        "\u0660" * 64,
        "\x00" * 43,
        f"{ONE.hex()},{TWO.hex()}",
        " ".join([ONE.hex()] * 5),
        f"{ONE.hex()} canary",
    ],
)
def test_anything_else_is_refused_without_a_word_of_it(text: str, tmp_path: Path) -> None:
    with pytest.raises(ExtensionError) as caught:
        save(open_store(tmp_path, text), "one", OLD)
    error = caught.value
    assert error.code == "provider_auth_unavailable"
    assert error.details == {"reason": "master_key_invalid"}
    assert error.message.startswith("EXTPKG_MASTER_KEY must ")
    assert error.__context__ is None
    assert "canary" not in str(error)


def test_both_alphabets_of_base64_are_read() -> None:
    assert parse_keys(PADDED) == parse_keys(PADDED.replace("+", "-").replace("/", "_"))


def test_a_key_has_256_bits() -> None:
    assert len({new_key().data for _ in range(20)}) == 20
    with pytest.raises(ValueError, match="32 bytes"):
        MasterKey(data=ONE[:16])


def test_a_key_shows_nothing_of_itself() -> None:
    key = MasterKey(data=ONE)
    assert repr(key) == "MasterKey()"
    assert ONE.hex() not in repr(open_store("/nowhere", ONE.hex()))


@pytest.mark.parametrize("text", ["", "canary", "\xff", ONE.hex() + " " * 4096])
def test_a_key_file_that_holds_no_key_is_refused(tmp_path: Path, text: str) -> None:
    store = open_store(tmp_path)
    save(store, "one", OLD)
    (tmp_path / "master.key").write_bytes(text.encode("latin-1"))
    found = state(store, "one")
    assert isinstance(found, str)
    assert "master.key must " in found
    assert "canary" not in found
    (entry,) = store.list()
    assert entry.problem
    assert entry.problem.details == {"reason": "master_key_invalid"}


# -- the system's keyring


class Locked(Exception):
    """What a keyring raises that is locked."""


class Backend:
    """A keyring that holds its entries in memory."""

    def __init__(self) -> None:
        self.entries: dict[tuple[str, str], str] = {}
        self.locked = False

    def get_password(self, service: str, account: str) -> str | None:
        self._judge()
        return self.entries.get((service, account))

    def set_password(self, service: str, account: str, text: str) -> None:
        self._judge()
        self.entries[service, account] = text

    def _judge(self) -> None:
        if self.locked:
            raise Locked("canary")


class Null(Backend):
    """What stands for a keyring where there is none."""


@pytest.fixture
def backend(monkeypatch: pytest.MonkeyPatch) -> Backend:
    """Install a package `keyring` whose store is in memory."""
    found = Backend()
    modules: dict[str, Any] = {
        "keyring": {"get_keyring": lambda: found},
        "keyring.backends": {},
        "keyring.backends.fail": {"Keyring": Null},
        "keyring.backends.null": {"Keyring": Null},
        "keyring.errors": {"KeyringError": Locked},
    }
    for name, members in modules.items():
        module = ModuleType(name)
        vars(module).update(members)
        monkeypatch.setitem(sys.modules, name, module)
        parent, _, child = name.rpartition(".")
        if parent:
            setattr(sys.modules[parent], child, module)
    return found


def test_a_new_key_goes_to_the_keyring_where_there_is_one(tmp_path: Path, backend: Backend) -> None:
    store = standard_store({"EXTPKG_CONFIG_DIR": str(tmp_path)})
    save(store, "one", OLD)
    assert not (tmp_path / "master.key").exists()
    assert list(backend.entries) == [("extpkg", str(tmp_path))]
    assert state(store, "one") == OLD
    before = dict(backend.entries)
    done = store.rotate()
    assert done.sealed == ("one",)
    assert backend.entries != before
    assert state(standard_store({"EXTPKG_CONFIG_DIR": str(tmp_path)}), "one") == OLD


def test_a_locked_keyring_fails_closed(tmp_path: Path, backend: Backend) -> None:
    """No other key is made, and what was sealed stays as it is."""
    store = standard_store({"EXTPKG_CONFIG_DIR": str(tmp_path)})
    save(store, "one", OLD)
    backend.locked = True
    for act in (lambda: store.load("one"), lambda: save(store, "two", OLD), store.rotate):
        with pytest.raises(ExtensionError, match="unlock it") as caught:
            act()
        assert caught.value.details == {"reason": "keyring_unavailable"}
        assert caught.value.__context__ is None
    assert not (tmp_path / "master.key").exists()
    keyring = Keyring(account="a", backend=backend, refusals=(Locked,))
    with pytest.raises(ExtensionError, match="unlock it"):
        keyring.write("x")


def test_a_key_file_comes_before_the_keyring(tmp_path: Path, backend: Backend) -> None:
    save(open_store(tmp_path), "one", OLD)
    store = standard_store({"EXTPKG_CONFIG_DIR": str(tmp_path)})
    backend.entries["extpkg", str(tmp_path)] = ONE.hex()
    assert state(store, "one") == OLD
    store.rotate()
    assert state(store, "one") == OLD
    assert backend.entries["extpkg", str(tmp_path)] == ONE.hex()


def test_the_environment_comes_before_everything(tmp_path: Path, backend: Backend) -> None:
    save(open_store(tmp_path), "other", OLD)
    environment = {"EXTPKG_CONFIG_DIR": str(tmp_path), "EXTPKG_MASTER_KEY": ONE.hex()}
    save(standard_store(environment), "one", OLD)
    assert state(open_store(tmp_path, ONE.hex()), "one") == OLD
    assert backend.entries == {}


def test_where_nothing_is_behind_the_keyring_the_key_is_a_file(
    tmp_path: Path, backend: Backend, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys.modules["keyring"], "get_keyring", Null)
    assert Keyring.of_system("x") is None
    save(standard_store({"EXTPKG_CONFIG_DIR": str(tmp_path)}), "one", OLD)
    assert (tmp_path / "master.key").exists()
    assert backend.entries == {}


def test_without_the_package_there_is_no_keyring(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "keyring", None)
    assert Keyring.of_system("x") is None
