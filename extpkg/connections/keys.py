"""Master keys as text, and the three places that hold them: the environment, a file, the system's keyring.

The text is one to four keys with white space between them. The first seals; all of them open. A key is 64
hexadecimal digits, or the base64 of 32 bytes (RFC 4648, either alphabet, with or without padding).
"""

from __future__ import annotations

import base64
import binascii
import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from extpkg.connections.fault import unusable
from extpkg.connections.seal import KEY_BYTES, MasterKey

if TYPE_CHECKING:
    from extpkg.connections.files import PrivateDirectory
    from extpkg.connections.keyring import Keyring

VARIABLE: Final = "EXTPKG_MASTER_KEY"
FILE: Final = "master.key"

MOST_KEYS: Final = 4
KEY_FILE_BYTES: Final = 4096

_HEX: Final = re.compile(r"[0-9A-Fa-f]{64}")
_BASE64: Final = re.compile(r"[A-Za-z0-9_-]{43}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Keys:
    """Master keys in their order: `first` seals, each of them opens."""

    first: MasterKey
    older: tuple[MasterKey, ...] = ()

    def find(self, identifier: str) -> MasterKey | None:
        """Return the key of that identifier, or None."""
        return next((key for key in (self.first, *self.older) if key.identifier == identifier), None)


def parse_keys(text: str) -> Keys:
    """Return the keys that a text holds; ValueError, which tells nothing of the text."""
    words = text.split()
    if not 1 <= len(words) <= MOST_KEYS:
        raise ValueError(f"must hold 1 to {MOST_KEYS} keys")
    first, *older = [MasterKey(data=_key(word)) for word in words]
    return Keys(first=first, older=tuple(older))


def keys_text(keys: Keys) -> str:
    """Return the text of keys: base64, one in a line."""
    return "".join(f"{base64.b64encode(key.data).decode()}\n" for key in (keys.first, *keys.older))


def _key(word: str) -> bytes:
    if _HEX.fullmatch(word):
        return bytes.fromhex(word)
    plain = word.removesuffix("=").replace("+", "-").replace("/", "_")
    if _BASE64.fullmatch(plain):
        data = base64.urlsafe_b64decode(f"{plain}=")
        if len(data) == KEY_BYTES and base64.urlsafe_b64encode(data).decode() == f"{plain}=":
            return data
    raise ValueError("must be 64 hexadecimal digits or the base64 of 32 bytes")


@dataclass(frozen=True, slots=True, kw_only=True)
class KeySource:
    """Where the master key is: the first of these that has one, in this order.

    `text`, the value of `EXTPKG_MASTER_KEY`, which is never written; the file `master.key` in `directory`;
    the `keyring` of the system. A new key goes to the keyring where there is one, else to the file.
    """

    directory: PrivateDirectory
    text: str | None = field(default=None, repr=False)
    keyring: Keyring | None = None

    @property
    def is_writable(self) -> bool:
        """Whether keys can be written: those of the environment are their owner's own."""
        return self.text is None

    def read(self) -> Keys | None:
        """Return the keys, or None where no place has one; raises `ExtensionError`."""
        if self.text is not None:
            return _parsed(self.text, VARIABLE)
        data = self.directory.read(FILE, KEY_FILE_BYTES)
        if data is not None:
            kept = data.decode("latin-1") if len(data) <= KEY_FILE_BYTES else ""
            return _parsed(kept, self.directory.shown(FILE))
        text = None if self.keyring is None else self.keyring.read()
        return None if text is None else _parsed(text, "the key in the system's keyring")

    def create(self, keys: Keys) -> Keys:
        """Keep the first key that there is; return it, or the one that another process was first to keep."""
        if self.keyring is not None:
            self.keyring.write(keys_text(keys))
        else:
            self.directory.create(FILE, keys_text(keys).encode())
        found = self.read()
        return keys if found is None else found

    def replace(self, keys: Keys) -> None:
        """Put other keys where the keys are; raises `OSError` or `ExtensionError`."""
        if self.keyring is not None and self.directory.read(FILE, KEY_FILE_BYTES) is None:
            self.keyring.write(keys_text(keys))
        else:
            self.directory.write(FILE, keys_text(keys).encode())


def _parsed(text: str, where: str) -> Keys:
    try:
        return parse_keys(text)
    except (ValueError, binascii.Error) as refused:
        reason = str(refused)
    raise unusable("master_key_invalid", f"{where} {reason}")
