"""A verdict as a signed record: an in-toto Statement in a DSSE envelope, signed with an ed25519 key.

The subject is the Definition digest, so that whoever has a package, or only its digest, can ask whether the
gate let it pass. The door to securesystemslib.
"""

from __future__ import annotations

import enum
import json
from typing import TYPE_CHECKING, Any, Final

from extpkg.canonical import canonical_json
from extpkg.document.strict_json import parse_json
from extpkg.errors import DocumentInvalid, ExtpkgError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from securesystemslib.dsse import Envelope
    from securesystemslib.signer import Key

PAYLOAD_TYPE: Final = "application/vnd.in-toto+json"
STATEMENT_TYPE: Final = "https://in-toto.io/Statement/v1"
PREDICATE_TYPE: Final = "urn:extpkg:verdict:1"


class KeyInvalid(ExtpkgError):
    """A file that holds no ed25519 key of the kind that is asked for."""


class Finding(enum.Enum):
    """What an attestation is worth; only `GOOD` is."""

    ABSENT = "absent"
    MALFORMED = "malformed"
    UNKNOWN_KEY = "unknown-key"
    BAD_SIGNATURE = "bad-signature"
    WRONG_SUBJECT = "wrong-subject"
    GOOD = "good"


def attest(document: dict[str, Any], private_key: bytes) -> bytes:
    """Return a signed envelope about the packages of a verdict that passed, the same bytes each time.

    `document` is that of `verdict_document`; `private_key` is PEM (PKCS #8). Raises `KeyInvalid`.
    """
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
    from cryptography.hazmat.primitives.serialization import load_pem_private_key
    from securesystemslib.dsse import Envelope
    from securesystemslib.signer import CryptoSigner

    try:
        key = load_pem_private_key(private_key, password=None)
    except (ValueError, TypeError):
        raise KeyInvalid("the file holds no private key in PEM without a password") from None
    if not isinstance(key, Ed25519PrivateKey):
        raise KeyInvalid("the key is not an ed25519 key")
    envelope = Envelope(canonical_json(_statement(document)), PAYLOAD_TYPE, {})
    envelope.sign(CryptoSigner(key))
    return canonical_json(envelope.to_dict()) + b"\n"


def verify(data: bytes, digest: str, public_keys: Sequence[bytes]) -> Finding:
    """Return what an attestation says of a Definition digest; `public_keys` are PEM, and one is enough.

    Raises `KeyInvalid` for a file that is no public ed25519 key.
    """
    from securesystemslib.exceptions import VerificationError

    keys = [_public(each) for each in public_keys]
    envelope = _envelope(data)
    if envelope is None:
        return Finding.MALFORMED
    known = [key for key in keys if key.keyid in envelope.signatures]
    if not known:
        return Finding.UNKNOWN_KEY
    try:
        envelope.verify(known, 1)
    except VerificationError:
        return Finding.BAD_SIGNATURE
    subjects = _subjects(envelope.payload)
    if subjects is None:
        return Finding.MALFORMED
    return Finding.GOOD if digest.removeprefix("sha256:") in subjects else Finding.WRONG_SUBJECT


def _statement(document: dict[str, Any]) -> dict[str, Any]:
    return {
        "_type": STATEMENT_TYPE,
        "subject": [
            {
                "name": f"{package['domain']}@{package['version']}",
                "digest": {"sha256": package["digest"].removeprefix("sha256:")},
            }
            for package in document["packages"]
        ],
        "predicateType": PREDICATE_TYPE,
        "predicate": document,
    }


def _public(pem: bytes) -> Key:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
    from cryptography.hazmat.primitives.serialization import load_pem_public_key
    from securesystemslib.signer import SSlibKey

    try:
        key = load_pem_public_key(pem)
    except (ValueError, TypeError):
        raise KeyInvalid("the file holds no public key in PEM") from None
    if not isinstance(key, Ed25519PublicKey):
        raise KeyInvalid("the key is not an ed25519 key")
    public: Key = SSlibKey.from_crypto(key)
    return public


def _envelope(data: bytes) -> Envelope | None:
    """Return a DSSE envelope of our payload type, None for anything else."""
    from securesystemslib.dsse import Envelope
    from securesystemslib.exceptions import Error

    try:
        value: Any = parse_json(data)
        envelope = Envelope.from_dict(value)
    except (DocumentInvalid, Error, KeyError, TypeError, ValueError, AttributeError):
        return None
    return envelope if envelope.payload_type == PAYLOAD_TYPE else None


def _subjects(payload: bytes) -> set[str] | None:
    """Return the digests that a statement of ours says passed, None where it is none."""
    try:
        statement: Any = json.loads(payload)
        kinds = statement["_type"], statement["predicateType"]
        passed = statement["predicate"]["passed"]
        subjects = {subject["digest"]["sha256"] for subject in statement["subject"]}
    except (KeyError, TypeError, ValueError, RecursionError):
        return None
    return subjects if kinds == (STATEMENT_TYPE, PREDICATE_TYPE) and passed is True else None
