"""`extpkg verify`: what an attestation of the gate says of a package."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from extpkg.cli.paths import DIRECTORY, FILE
from extpkg.cli.reading import defined, read_all
from extpkg.cli.render.escape import shown_path
from extpkg.cli.suppressions import read_config
from extpkg.cli.terminal import Halt
from extpkg.gate.attestation import Finding, KeyInvalid, verify
from extpkg.library.entry import is_digest

if TYPE_CHECKING:
    from collections.abc import Sequence

    from extpkg.cli.terminal import Terminal

_SAID = {
    Finding.ABSENT: "there is no attestation",
    Finding.MALFORMED: "it is no attestation of a passed verdict",
    Finding.UNKNOWN_KEY: "none of the keys has signed it",
    Finding.BAD_SIGNATURE: "its signature is not that of the key: it was changed",
    Finding.WRONG_SUBJECT: "it is about another Definition",
    Finding.GOOD: "signed, and about this Definition",
}


@click.command(
    "verify",
    epilog="""\b
Examples:
  extpkg verify weather.att packages/weather --key gate.pub
  extpkg verify weather.att sha256:9b397f06… --key old.pub --key new.pub

\b
Prints one of: good, absent, malformed, unknown-key, bad-signature, wrong-subject.
Exit codes: 0 good; 1 anything else; 2 usage, or a path that cannot be read.
A public key is made by: openssl pkey -in key.pem -pubout -out gate.pub""",
)
@click.argument("attestation", type=FILE)
@click.argument("what", metavar="PATH|DIGEST", type=DIRECTORY)
@click.option("--key", "keys", metavar="FILE", type=FILE, multiple=True, required=True, help="A public key.")
@click.pass_obj
def command(terminal: Terminal, *, attestation: str, what: str, keys: Sequence[str]) -> int:
    """Say whether the gate's signature on a package is good.

    PATH is a package, whose digest is computed; DIGEST is one. One of the keys must have signed.
    """
    digest = what if is_digest(what) else defined(terminal, list(read_all(terminal, [what])))[0][1]
    public = [read_config(key) for key in keys]
    if not Path(attestation).exists():
        found = Finding.ABSENT
    else:
        try:
            found = verify(read_config(attestation), digest, public)
        except KeyInvalid as refused:
            raise Halt(2, f"--key: {refused}") from refused
    terminal.print(f"{found.value}\n")
    terminal.complain(f"{shown_path(attestation)}: {_SAID[found]}\n")
    return 0 if found is Finding.GOOD else 1
