"""06xx and 11xx: the digest, registered domains, and suppression of warnings (R-META-7, R-PKG-5).

The samples of EXT1110 to EXT1112 are whole texts of an `extpkg.toml` beside the package.
"""

from __future__ import annotations

from typing import Final

from extpkg.check.rules.rule import Rule, Sample
from extpkg.diagnostic import Severity

_USED: Final = '[[suppress]]\nrule = "EXT0214"\npath = ".DS_Store"\nreason = "made by the file server"\n'
_LEFTOVER: Final = (("write", ".DS_Store", ""),)

RULES: tuple[Rule, ...] = (
    Rule(
        code="EXT0601",
        name="digest-missing",
        severity=Severity.ERROR,
        since="0.1",
        section="R-META-7",
        summary="a package without a digest",
        why=(
            "The digest identifies the one immutable Definition that was reviewed; without it nothing is "
            "pinned."
        ),
        fix="run extpkg digest --write",
        sample=Sample(good="digest: sha256:", bad="# digest: sha256:", file="meta.yaml", line=1, column=1),
    ),
    Rule(
        code="EXT0602",
        name="digest-malformed",
        severity=Severity.ERROR,
        since="0.1",
        section="R-META-7",
        summary="a digest that is not `sha256:` and 64 lower-case hexadecimal digits",
        why="Digests are compared as text, so there is one spelling.",
        fix="run extpkg digest --write",
        sample=Sample(good="digest: sha256:", bad="digest: sha512:", file="meta.yaml", line=2, column=9),
    ),
    Rule(
        code="EXT0603",
        name="digest-mismatch",
        severity=Severity.ERROR,
        since="0.1",
        section="R-META-7",
        summary="a digest that is not the package's own",
        why="The package means something else than what its digest was written for.",
        fix="raise version if the meaning changed on purpose, then run extpkg digest --write",
        sample=Sample(
            good="domain: github\nversion: 1\n",
            bad="domain: github\nversion: 2\n",
            file="meta.yaml",
            line=2,
            column=9,
        ),
    ),
    Rule(
        code="EXT1101",
        name="registered-domain",
        severity=Severity.ERROR,
        since="0.1",
        section="R-PKG-5",
        summary="a package that uses the domain of a registered Builtin and is not it",
        why="A Builtin's domain is trusted; a package that takes it would be run, or believed, in its place.",
        fix="choose another domain",
        sample=Sample(
            good="name: arXiv", bad="name: arXiv mirror", file="meta.yaml", line=4, column=9, base="arxiv"
        ),
    ),
    Rule(
        code="EXT1110",
        name="unused-suppression",
        severity=Severity.ERROR,
        since="0.1",
        section="Suppression",
        summary="a suppression that silences nothing",
        why="A suppression that is left over would silence the next fault at its place unseen.",
        fix="remove the entry, or correct its rule, path or pointer",
        sample=Sample(
            good=_USED,
            bad=f'{_USED}\n[[suppress]]\nrule = "EXT0717"\npath = "actions/*"\nreason = "no example yet"\n',
            file="extpkg.toml",
            line=6,
            column=1,
            tree=_LEFTOVER,
        ),
    ),
    Rule(
        code="EXT1111",
        name="expired-suppression",
        severity=Severity.ERROR,
        since="0.1",
        section="Suppression",
        summary="a suppression whose last day is past",
        why="An expiry date is a promise to look again.",
        fix="mend the warning and remove the entry, or decide on a new date",
        sample=Sample(
            good=f"{_USED}expires = 9999-12-31\n",
            bad=f"{_USED}expires = 2020-01-31\n",
            file="extpkg.toml",
            line=1,
            column=1,
            tree=_LEFTOVER,
        ),
    ),
    Rule(
        code="EXT1112",
        name="suppression-config",
        severity=Severity.ERROR,
        since="0.1",
        section="Suppression",
        summary="a configuration file that says something unreadable or not allowed",
        why="A misread suppression would silence too much or nothing; errors cannot be suppressed at all.",
        fix="write [[suppress]] tables with rule, path, reason and optional pointer and expires",
        sample=Sample(
            good=_USED,
            bad=f'{_USED}\n[[suppress]]\nrule = "EXT0204"\npath = "actions/*"\nreason = "an error"\n',
            file="extpkg.toml",
            line=6,
            column=1,
            tree=_LEFTOVER,
        ),
    ),
)
