"""Signed bytes: a DSSE envelope with an ed25519 key. The door to securesystemslib."""

from __future__ import annotations

from base64 import b64decode
from typing import TYPE_CHECKING, Any

from extpkg.canonical import canonical_json
from extpkg.document.strict_json import parse_json
from extpkg.errors import DocumentInvalid, ExtpkgError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
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

    `public_keys` are PEM. The name of a key beside a signature is a hint, which DSSE leaves optional: every
    key is tried on every signature.
    """
    from securesystemslib.dsse import Envelope

    keys = [_public(each) for each in public_keys]
    found = _envelope(data, payload_type)
    if found is None:
        raise NotSigned("malformed")
    payload, signatures = found
    signed: bytes = Envelope(payload, payload_type, {}).pae()
    for key in keys:
        if any(_is_good(key, signature, signed) for _, signature in signatures):
            return payload
    known = {key.keyid for key in keys}
    raise NotSigned("bad-signature" if any(name in known for name, _ in signatures) else "unknown-key")


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


def _is_good(key: Key, signature: bytes, signed: bytes) -> bool:
    from securesystemslib.exceptions import UnverifiedSignatureError
    from securesystemslib.signer import Signature

    try:
        key.verify_signature(Signature(key.keyid, signature.hex()), signed)
    except UnverifiedSignatureError:
        return False
    return True


def _envelope(data: bytes, payload_type: str) -> tuple[bytes, list[tuple[str, bytes]]] | None:
    """Return the payload of a DSSE envelope of that type and its signatures, None for anything else."""
    try:
        value: Any = parse_json(data)
        payload = _decoded(value["payload"])
        signatures = [(each.get("keyid", ""), _decoded(each["sig"])) for each in value["signatures"]]
        named = value["payloadType"] == payload_type and all(isinstance(name, str) for name, _ in signatures)
    except (DocumentInvalid, KeyError, TypeError, ValueError, AttributeError):
        return None
    return (payload, signatures) if named and signatures else None


def _decoded(text: str) -> bytes:
    """Return what base64 stands for, in either of the two alphabets that DSSE allows."""
    return b64decode(text.replace("-", "+").replace("_", "/"), validate=True)
