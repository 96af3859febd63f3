"""Attestations against a second implementation, written from the specifications of DSSE and in-toto."""

from __future__ import annotations

import hashlib
import json
from base64 import b64decode, b64encode, urlsafe_b64encode
from typing import TYPE_CHECKING, Any

import pytest
from console import extpkg
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from cryptography.hazmat.primitives.asymmetric.rsa import generate_private_key
from cryptography.hazmat.primitives.serialization import (
    BestAvailableEncryption,
    Encoding,
    NoEncryption,
    PrivateFormat,
    PublicFormat,
    load_pem_private_key,
)
from keys import pair
from releases import release

from extpkg.gate.attestation import TooLarge, attest

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

IN_TOTO = "application/vnd.in-toto+json"


def pae(payload_type: str, payload: bytes) -> bytes:
    """DSSE 1.0: `DSSEv1 SP LEN(type) SP type SP LEN(body) SP body`."""
    kind = payload_type.encode()
    return b"DSSEv1 %d %s %d %s" % (len(kind), kind, len(payload), payload)


class Case:
    """Two packages with one attestation of both, and everything to make others like it."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.private, self.public = pair(path)
        self.roots = [
            release(path / name, domain=name, version=version) for name, version in (("a", 1), ("b", 4))
        ]
        self.file = path / "both.att"
        ran = extpkg("gate", *self.roots, "--attest", self.file, "--key", self.private)
        assert ran.code == 0
        self.envelope: dict[str, Any] = json.loads(self.file.read_bytes())
        self.payload = b64decode(self.envelope["payload"], validate=True)
        self.statement: dict[str, Any] = json.loads(self.payload)
        self.signature: dict[str, str] = self.envelope["signatures"][0]

    def sign(self, payload: bytes, payload_type: str = IN_TOTO) -> bytes:
        key = load_pem_private_key(self.private.read_bytes(), None)
        assert isinstance(key, Ed25519PrivateKey)
        return key.sign(pae(payload_type, payload))

    def write(self, body: bytes, payload_type: str = IN_TOTO, **members: Any) -> None:
        """Write a soundly signed envelope, with other members where they are given."""
        signature = {**self.signature, "sig": b64encode(self.sign(body, payload_type)).decode()}
        encoded = b64encode(body).decode()
        envelope = {"payload": encoded, "payloadType": payload_type, "signatures": [signature], **members}
        self.file.write_text(json.dumps(envelope))

    def word(self, root: object = None, *keys: Path) -> str:
        options = [option for key in keys or [self.public] for option in ("--key", key)]
        ran = extpkg("verify", self.file, root or self.roots[0], *options)
        assert ran.code == (0 if ran.out == "good\n" else 1)
        return ran.out.strip()


@pytest.fixture
def case(tmp_path: Path) -> Case:
    return Case(tmp_path)


def test_what_is_signed_is_what_the_specifications_say(case: Case) -> None:
    assert case.envelope["payloadType"] == IN_TOTO
    raw = b64decode("".join(case.public.read_text().splitlines()[1:-1]))[-32:]  # the end of a SPKI
    signature = b64decode(case.signature["sig"], validate=True)
    Ed25519PublicKey.from_public_bytes(raw).verify(signature, pae(IN_TOTO, case.payload))
    key = {"keytype": "ed25519", "keyval": {"public": raw.hex()}, "scheme": "ed25519"}
    named = json.dumps(key, sort_keys=True, separators=(",", ":")).encode()
    assert case.signature["keyid"] == hashlib.sha256(named).hexdigest()
    assert case.statement["_type"] == "https://in-toto.io/Statement/v1"
    subjects = {each["name"]: f"sha256:{each['digest']['sha256']}" for each in case.statement["subject"]}
    told = {
        f"{root.name}@{json.loads((root / 'meta.yaml').read_bytes())['version']}": json.loads(
            (root / "meta.yaml").read_bytes()
        )["digest"]
        for root in case.roots
    }
    assert subjects == told
    assert [case.word(root) for root in case.roots] == ["good", "good"]


@pytest.mark.parametrize(
    "signatures",
    [
        lambda sound: [{"sig": sound["sig"]}],
        lambda sound: [{**sound, "keyid": ""}],
        lambda sound: [{**sound, "keyid": "a name of somebody else's"}],
        lambda sound: [{**sound, "sig": "AAAA"}, sound],
        lambda sound: [{"keyid": "x", "sig": "AAAA"}, {**sound, "more": 1}],
        lambda sound: [{**sound, "sig": urlsafe_b64encode(b64decode(sound["sig"])).decode()}],
    ],
)
def test_the_name_of_a_key_is_a_hint(case: Case, signatures: Callable[[dict[str, str]], list[Any]]) -> None:
    case.write(case.payload, signatures=signatures(case.signature), more=1)
    assert case.word() == "good"


def test_what_was_changed_is_told_apart_from_what_others_signed(case: Case, tmp_path: Path) -> None:
    (tmp_path / "other").mkdir()
    other = pair(tmp_path / "other")[1]
    changed = b64encode(case.payload.replace(b"a@1", b"a@2")).decode()
    case.write(case.payload, payload=changed)
    assert case.word() == "bad-signature"
    assert case.word(None, other) == "unknown-key"
    case.write(case.payload, payload=changed, signatures=[{"sig": case.signature["sig"]}])
    assert case.word() == "unknown-key"
    case.write(case.payload)
    assert case.word(None, other, case.public) == "good"


def _statement(**members: Any) -> Callable[[Case], None]:
    return lambda case: case.write(json.dumps({**case.statement, **members}).encode())


def _predicate(**members: Any) -> Callable[[Case], None]:
    return lambda case: _statement(predicate={**case.statement["predicate"], **members})(case)


@pytest.mark.parametrize(
    "make",
    [
        lambda case: case.write(case.payload, "application/json"),
        lambda case: case.write(case.payload, signatures=[]),
        lambda case: case.write(case.payload, signatures=[{"keyid": "x"}]),
        lambda case: case.write(case.payload, signatures=[{"keyid": 1, "sig": "AAAA"}]),
        lambda case: case.write(case.payload, signatures=[{"sig": "!!!!"}]),
        lambda case: case.write(case.payload, signatures={}),
        lambda case: case.write(case.payload, payload="!!!!"),
        lambda case: case.write(b"no JSON"),
        lambda case: case.write(b'{"subject":[],' + case.payload[1:]),
        _statement(_type="https://in-toto.io/Statement/v0.1"),
        _statement(predicateType="https://slsa.dev/provenance/v1"),
        _statement(subject="text"),
        _statement(subject=[{"digest": {"sha256": ["x"]}}]),
        _predicate(passed=False),
        _predicate(passed=1),
        _predicate(contract="extpkg.verdict/2"),
    ],
)
def test_sound_signatures_on_something_else(case: Case, make: Callable[[Case], None]) -> None:
    make(case)
    assert case.word() == "malformed"


def test_a_link_that_leads_nowhere_is_no_attestation(case: Case, tmp_path: Path) -> None:
    case.file = tmp_path / "link.att"
    case.file.symlink_to(tmp_path / "nothing")
    assert case.word() == "absent"


@pytest.mark.parametrize("kind", ["rsa", "password", "text"])
def test_keys_of_another_kind(case: Case, tmp_path: Path, kind: str) -> None:
    key, public = tmp_path / "other.pem", tmp_path / "other.pub"
    if kind == "text":
        key.write_bytes(b"not a key")
        public.write_bytes(b"not a key")
    else:
        made = generate_private_key(65537, 2048) if kind == "rsa" else Ed25519PrivateKey.generate()
        locked = BestAvailableEncryption(b"x") if kind == "password" else NoEncryption()
        key.write_bytes(made.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, locked))
        public.write_bytes(made.public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo))
    key.chmod(0o600)
    ran = extpkg("gate", case.roots[0], "--attest", tmp_path / "new.att", "--key", key)
    assert (ran.code, (tmp_path / "new.att").exists()) == (2, False)
    if kind != "password":
        assert extpkg("verify", case.file, case.roots[0], "--key", public).code == 2


def test_an_attestation_takes_no_other_files_place(case: Case, tmp_path: Path) -> None:
    before = case.private.read_bytes()
    link = tmp_path / "link.pem"
    link.symlink_to(case.private)
    for record in (case.private, link):
        ran = extpkg("gate", case.roots[0], "--attest", record, "--key", case.private)
        assert (ran.code, case.private.read_bytes()) == (2, before)
    options = ("--attest", tmp_path / "new", "--output", tmp_path / "new", "--key", case.private)
    assert extpkg("gate", case.roots[0], *options).code == 2
    assert not (tmp_path / "new").exists()


def test_what_could_not_be_read_again_is_not_written(
    case: Case, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("extpkg.gate.attestation.DOCUMENT_BYTES", 100)
    with pytest.raises(TooLarge):
        attest(case.statement["predicate"], case.private.read_bytes())
    ran = extpkg("gate", case.roots[0], "--attest", tmp_path / "new", "--key", case.private)
    assert (ran.code, (tmp_path / "new").exists()) == (2, False)
    assert "let it be about fewer packages" in ran.err
