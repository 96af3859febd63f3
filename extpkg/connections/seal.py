"""The one door to cryptography: AES-256-GCM under a master key, bound to the place that a secret belongs to.

What is authenticated beside the secret is the RFC 8785 form of its `Place`. A sealed text that is moved to
another field, connection, Builtin or configuration, or under another key's name, does not open.
"""

from __future__ import annotations

import hmac
import secrets
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from extpkg.canonical import canonical_json
from extpkg.secret import Secret

if TYPE_CHECKING:
    from collections.abc import Mapping

KEY_BYTES: Final = 32
NONCE_BYTES: Final = 12
TAG_BYTES: Final = 16

_NAMING: Final = b"extpkg.master-key/1"
_HALVES: Final = "surrogatepass"
"""Any text can be sealed: an error of the encoder would hold it."""


class SealBroken(Exception):
    """A sealed text does not open under this key at this place: one of the three was changed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MasterKey:
    """256 bits that seal and open; `identifier` names the key and tells nothing of it."""

    data: bytes = field(repr=False)

    def __post_init__(self) -> None:
        if len(self.data) != KEY_BYTES:
            raise ValueError(f"a master key has {KEY_BYTES} bytes")

    @property
    def identifier(self) -> str:
        """The first 64 bits of HMAC-SHA-256 under the key over a fixed text, in hexadecimal."""
        return hmac.digest(self.data, _NAMING, "sha256")[:8].hex()


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """What a secret belongs to; all of it is authenticated with the secret."""

    format: str
    extension: str
    connection: str
    field: str
    config: Mapping[str, Any]

    def associated(self, key: str) -> bytes:
        """Return the associated data under the key of that identifier."""
        members = {
            "config": dict(self.config),
            "connection": self.connection,
            "extension": self.extension,
            "field": self.field,
            "format": self.format,
            "key": key,
        }
        return canonical_json(members)


@dataclass(frozen=True, slots=True, kw_only=True)
class Sealed:
    """A secret as it lies on disk: a random nonce of 96 bits, and the ciphertext with its tag of 128."""

    nonce: bytes
    text: bytes


def new_key() -> MasterKey:
    """Return a random master key."""
    return MasterKey(data=secrets.token_bytes(KEY_BYTES))


def seal(secret: Secret, place: Place, key: MasterKey) -> Sealed:
    """Seal a secret into its place under a nonce that was never used."""
    from cryptography.hazmat.primitives.ciphers.aead import AESGCM

    nonce = secrets.token_bytes(NONCE_BYTES)
    plain = secret.reveal().encode(errors=_HALVES)
    text = AESGCM(key.data).encrypt(nonce, plain, place.associated(key.identifier))
    return Sealed(nonce=nonce, text=text)


def unseal(sealed: Sealed, place: Place, key: MasterKey) -> Secret:
    """Open a secret at its place; raises `SealBroken`, to which nothing is chained."""
    from cryptography.exceptions import InvalidTag
    from cryptography.hazmat.primitives.ciphers.aead import AESGCM

    try:
        plain = AESGCM(key.data).decrypt(sealed.nonce, sealed.text, place.associated(key.identifier))
        return Secret(plain.decode(errors=_HALVES))
    except (InvalidTag, ValueError):
        pass
    raise SealBroken
