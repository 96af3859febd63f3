"""The signature of a log: who may extend it, and whom a reader believes.

What is signed is the head, the number of publications and the link of the last one: the chain holds the rest.
"""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from extpkg.canonical import canonical_json
from extpkg.envelope import KeyInvalid, NotSigned, opened, public_half, sealed
from extpkg.library.entry import GENESIS, IntegrityError
from extpkg.library.private_file import read_file, read_private
from extpkg.library.store import Unavailable

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from extpkg.library.entry import Publication

KEY_VARIABLE: Final = "EXTPKG_LIBRARY_KEY"
"""The environment variable that names the private key's file: who publishes signs."""

PUBLIC_VARIABLE: Final = "EXTPKG_LIBRARY_PUBLIC_KEY"
"""The environment variable that names files of public keys, joined as in PATH: one must have signed."""

HEAD_CONTRACT: Final = "extpkg.head/1"
HEAD_TYPE: Final = "application/vnd.extpkg.head.v1+json"

_KEY_BYTES: Final = 64 << 10


@dataclass(frozen=True, slots=True, kw_only=True)
class Signing:
    """A key to sign with, and the keys that are believed; all PEM. A signer believes its own key too."""

    private: bytes | None = field(default=None, repr=False)
    public: tuple[bytes, ...] = ()

    def sign(self, lines: Sequence[Publication], *, before: bool) -> bytes | None:
        """Return the envelope of a log's head, None without a key; `before` says that it was signed so far.

        Raises `Unavailable` where only a key to check with is given, or the log was signed: what is unsigned
        then would be refused.
        """
        if self.private is not None:
            return sealed(_head(lines), HEAD_TYPE, self.private)
        if self.public or before:
            raise Unavailable(f"the log is to be signed, and {KEY_VARIABLE} names no key to do it with")
        return None

    def judge(self, lines: Sequence[Publication], envelope: bytes | None) -> str:
        """Return what is to be said of a log's signature, "" where a key that is believed made it.

        Raises `IntegrityError` where keys are given and none of them signed this head.
        """
        if not self.public:
            said = "is not signed" if envelope is None else "is signed"
            return f"the log {said}; {PUBLIC_VARIABLE} names no key to check that with"
        if envelope is None:
            raise IntegrityError("the log is not signed")
        try:
            head = opened(envelope, HEAD_TYPE, self.public)
        except NotSigned as found:
            raise IntegrityError(f"the log's signature is not good: {found}") from None
        except KeyInvalid as refused:
            raise Unavailable(f"{PUBLIC_VARIABLE}: {refused}") from None
        if head != _head(lines):
            raise IntegrityError("the log's signature is that of another log")
        return ""


def signing(environment: Mapping[str, str]) -> Signing:
    """Return the keys that an environment names; raises `Unavailable` for a file that holds no such key."""
    private, named = environment.get(KEY_VARIABLE), environment.get(PUBLIC_VARIABLE, "")
    public = [
        read_file(path, f"the file that {PUBLIC_VARIABLE} names", _KEY_BYTES)
        for path in named.split(os.pathsep)
        if path
    ]
    if not private:
        return Signing(public=tuple(public))
    key = read_private(private, f"the file that {KEY_VARIABLE} names", _KEY_BYTES)
    try:
        return Signing(private=key, public=(*public, public_half(key)))
    except KeyInvalid as refused:
        raise Unavailable(f"{KEY_VARIABLE}: {refused}") from None


def _head(lines: Sequence[Publication]) -> bytes:
    link = lines[-1].link if lines else GENESIS
    return canonical_json({"contract": HEAD_CONTRACT, "sequence": len(lines), "link": link})
