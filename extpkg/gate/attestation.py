"""A verdict as a signed record: an in-toto Statement in a DSSE envelope, signed with an ed25519 key.

The subject is the Definition digest, so that whoever has a package, or only its digest, can ask whether the
gate let it pass.
"""

from __future__ import annotations

import enum
from typing import TYPE_CHECKING, Any, Final

from extpkg.canonical import canonical_json
from extpkg.document.strict_json import parse_json
from extpkg.envelope import KeyInvalid, NotSigned, opened, sealed
from extpkg.errors import DocumentInvalid, ExtpkgError
from extpkg.gate.verdict import CONTRACT
from extpkg.limits import DOCUMENT_BYTES

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["Finding", "KeyInvalid", "TooLarge", "attest", "verify"]

PAYLOAD_TYPE: Final = "application/vnd.in-toto+json"
STATEMENT_TYPE: Final = "https://in-toto.io/Statement/v1"
PREDICATE_TYPE: Final = "urn:extpkg:verdict:1"


class Finding(enum.Enum):
    """What an attestation is worth; only `GOOD` is."""

    ABSENT = "absent"
    MALFORMED = "malformed"
    UNKNOWN_KEY = "unknown-key"
    BAD_SIGNATURE = "bad-signature"
    WRONG_SUBJECT = "wrong-subject"
    GOOD = "good"


class TooLarge(ExtpkgError):
    """A verdict on more packages than one attestation holds."""


def attest(document: dict[str, Any], private_key: bytes) -> bytes:
    """Return a signed envelope about the packages of a verdict that passed, the same bytes each time.

    `document` is that of `verdict_document`; `private_key` is PEM (PKCS #8). Raises `KeyInvalid`, and
    `TooLarge` for what `verify` would not read.
    """
    envelope = sealed(canonical_json(_statement(document)), PAYLOAD_TYPE, private_key)
    if len(envelope) > DOCUMENT_BYTES:
        raise TooLarge(
            f"the attestation has more than {DOCUMENT_BYTES:,} bytes: let it be about fewer packages"
        )
    return envelope


def verify(data: bytes, digest: str, public_keys: Sequence[bytes]) -> Finding:
    """Return what an attestation says of a Definition digest; `public_keys` are PEM, and one is enough.

    Raises `KeyInvalid` for a file that is no public ed25519 key.
    """
    try:
        subjects = _subjects(opened(data, PAYLOAD_TYPE, public_keys))
    except NotSigned as found:
        return Finding(str(found))
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


def _subjects(payload: bytes) -> set[str] | None:
    """Return the digests that a statement of ours says passed, None where it is none."""
    try:
        statement: Any = parse_json(payload)
        kinds = statement["_type"], statement["predicateType"], statement["predicate"]["contract"]
        passed = statement["predicate"]["passed"]
        subjects = {subject["digest"]["sha256"] for subject in statement["subject"]}
    except (DocumentInvalid, KeyError, TypeError):
        return None
    return subjects if kinds == (STATEMENT_TYPE, PREDICATE_TYPE, CONTRACT) and passed is True else None
