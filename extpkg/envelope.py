"""Signed bytes: a DSSE envelope with an ed25519 key. The door to securesystemslib."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from extpkg.canonical import canonical_json
from extpkg.document.strict_json import parse_json
from extpkg.errors import DocumentInvalid, ExtpkgError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
    from securesystemslib.dsse import Envelope
    from securesystemslib.signer import Key


class KeyInvalid(ExtpkgError):
    """A file that holds no ed25519 key of the kind that is asked for."""


class NotSigned(ExtpkgError):
    """Bytes that are no envelope signed with a known key; the text says why.

    It is `malformed`, `unknown-key` or `bad-signature`.
    """


def sealed(payload: bytes, payload_type: str, private_key: bytes) -> bytes:
    """Return the signed envelope of a payload, the same bytes each time; raises `KeyInvalid`.

    `private_key` is PEM (PKCS #8) without a password.
    """
    from securesystemslib.dsse import Envelope
    from securesystemslib.signer import CryptoSigner

    envelope = Envelope(payload, payload_type, {})
    envelope.sign(CryptoSigner(_private(private_key)))
    return canonical_json(envelope.to_dict()) + b"\n"


def opened(data: bytes, payload_type: str, public_keys: Sequence[bytes]) -> bytes:
    """Return what an envelope holds, if one of the keys signed it; raises `NotSigned` and `KeyInvalid`.

    `public_keys` are PEM.
    """
    from securesystemslib.exceptions import VerificationError

    keys = [_public(each) for each in public_keys]
    envelope = _envelope(data, payload_type)
    if envelope is None:
        raise NotSigned("malformed")
    known = [key for key in keys if key.keyid in envelope.signatures]
    if not known:
        raise NotSigned("unknown-key")
    try:
        envelope.verify(known, 1)
    except VerificationError:
        raise NotSigned("bad-signature") from None
    payload: bytes = envelope.payload
    return payload


def public_half(private_key: bytes) -> bytes:
    """Return the public key of a private one, both PEM; raises `KeyInvalid`."""
    from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

    return _private(private_key).public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)


def _private(pem: bytes) -> Ed25519PrivateKey:
    from cryptography.exceptions import UnsupportedAlgorithm
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
    from cryptography.hazmat.primitives.serialization import load_pem_private_key

    try:
        key = load_pem_private_key(pem, password=None)
    except (ValueError, TypeError, UnsupportedAlgorithm):
        raise KeyInvalid("the file holds no private key in PEM without a password") from None
    if not isinstance(key, Ed25519PrivateKey):
        raise KeyInvalid("the key is not an ed25519 key")
    return key


def _public(pem: bytes) -> Key:
    from cryptography.exceptions import UnsupportedAlgorithm
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
    from cryptography.hazmat.primitives.serialization import load_pem_public_key
    from securesystemslib.signer import SSlibKey

    try:
        key = load_pem_public_key(pem)
    except (ValueError, TypeError, UnsupportedAlgorithm):
        raise KeyInvalid("the file holds no public key in PEM") from None
    if not isinstance(key, Ed25519PublicKey):
        raise KeyInvalid("the key is not an ed25519 key")
    public: Key = SSlibKey.from_crypto(key)
    return public


def _envelope(data: bytes, payload_type: str) -> Envelope | None:
    """Return a DSSE envelope of that payload type, None for anything else."""
    from securesystemslib.dsse import Envelope
    from securesystemslib.exceptions import Error

    try:
        value: Any = parse_json(data)
        envelope = Envelope.from_dict(value)
    except (DocumentInvalid, Error, KeyError, TypeError, ValueError, AttributeError):
        return None
    return envelope if envelope.payload_type == payload_type else None
