"""arXiv identifiers: the spellings that people use, and the one form that is sent and compared (R-ARX-2)."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

LEGACY_ARCHIVES: Final = frozenset(
    (  # noqa: SIM905 - a list has one line for each
        "acc-phys adap-org alg-geom ao-sci astro-ph atom-ph bayes-an chao-dyn chem-ph cmp-lg comp-gas "
        "cond-mat cs dg-ga funct-an gr-qc hep-ex hep-lat hep-ph hep-th math math-ph mtrl-th nlin nucl-ex "
        "nucl-th patt-sol physics plasm-ph q-alg q-bio quant-ph solv-int supr-con"
    ).split()
)
"""The archives that issued identifiers before April 2007."""

_PREFIX: Final = re.compile(r"arxiv: ?", re.IGNORECASE | re.ASCII)
_URL: Final = re.compile(
    r"(?:https?://)?(?:www\.|export\.)?arxiv\.org/(?:abs|pdf|html|src|e-print)/"
    r"(?P<name>[^?#]*?)/?(?:[?#]\S*)?",
    re.IGNORECASE | re.ASCII,
)
# A version has at most 18 digits: more never name a paper, and the URL that carries them has an end.
_MODERN: Final = re.compile(
    r"""(
        (?: 07(?:0[4-9]|1[0-2]) | (?:0[89]|1[0-4])(?:0[1-9]|1[0-2]) ) \. (?!0000)[0-9]{4}
        | (?:1[5-9]|[2-9][0-9])(?:0[1-9]|1[0-2]) \. (?!00000)[0-9]{5}
    )
    (?:[vV]([1-9][0-9]{0,17}))?""",
    re.VERBOSE,
)
_LEGACY: Final = re.compile(
    r"""([A-Za-z-]+) (?:\.[A-Za-z]+(?:-[A-Za-z]+)*)? /
    (
        (?: 91(?:0[7-9]|1[0-2]) | (?:9[2-9]|0[0-6])(?:0[1-9]|1[0-2]) | 070[1-3] ) (?!000)[0-9]{3}
    )
    (?:[vV]([1-9][0-9]{0,17}))?""",
    re.VERBOSE,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Identifier:
    """An identifier in normal form; `parse_identifier` is the way to get one.

    `paper` is `YYMM.NNNN`, `YYMM.NNNNN` or `archive/YYMMNNN`. `version` is None where the latest is meant.
    """

    paper: str
    version: int | None

    def __str__(self) -> str:
        return self.paper if self.version is None else f"{self.paper}v{self.version}"

    def covers(self, other: Identifier) -> bool:
        """Say whether `other` is this paper, in this very version where one is given (R-ARX-6)."""
        return self.paper == other.paper and self.version in {None, other.version}


def parse_identifier(text: str) -> Identifier | None:
    """Return the identifier that `text` spells, None where it spells none.

    Outer whitespace, `arXiv:`, an arxiv.org address and a final `.pdf` are taken off, in that order.
    """
    text = text.strip()
    if found := _PREFIX.match(text):
        text = text[found.end() :]
    if found := _URL.fullmatch(text):
        text = found["name"].replace("%2F", "/").replace("%2f", "/")
    return parse_name(text.removesuffix(".pdf"))


def parse_name(text: str) -> Identifier | None:
    """Return the identifier of a bare name: the letter case is mended and a subject class dropped.

    Modern names have four digits from April 2007 to December 2014 and five since; legacy ones end with March
    2007. Months are 01 to 12, numbers and versions count from 1.
    """
    if found := _MODERN.fullmatch(text):
        paper, version = found.groups()
    elif found := _LEGACY.fullmatch(text):
        archive, number, version = found.groups()
        archive = archive.lower()
        if archive not in LEGACY_ARCHIVES:
            return None
        paper = f"{archive}/{number}"
    else:
        return None
    return Identifier(paper=paper, version=int(version) if version else None)
