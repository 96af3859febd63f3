"""Keys to sign with, made anew for each test."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cryptography.hazmat.primitives import serialization as form
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

if TYPE_CHECKING:
    from pathlib import Path


def pair(folder: Path) -> tuple[Path, Path]:
    """Make a private and a public key in PEM, the private one for its owner alone."""
    made = Ed25519PrivateKey.generate()
    private, public = folder / "key.pem", folder / "key.pub"
    private.touch(0o600)
    private.write_bytes(made.private_bytes(form.Encoding.PEM, form.PrivateFormat.PKCS8, form.NoEncryption()))
    public.write_bytes(
        made.public_key().public_bytes(form.Encoding.PEM, form.PublicFormat.SubjectPublicKeyInfo)
    )
    return private, public
