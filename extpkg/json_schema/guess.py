"""Which known word a misspelt one may have been meant for; bounded, as comparing words is slow."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterable

_LENGTH: Final = 64
_WORDS: Final = 100


def guess(word: str, known: Iterable[str], cutoff: float = 0.7) -> str | None:
    """Return the known word that is closest to `word`; None where none is close, or where `word` is long.

    Case does not count; of `known` the first hundred words are compared.
    """
    if len(word) > _LENGTH:
        return None
    from difflib import get_close_matches

    folded = {other.lower(): other for other in islice(known, _WORDS) if len(other) <= _LENGTH}
    close = get_close_matches(word.lower(), folded, n=1, cutoff=cutoff)
    return folded[close[0]] if close else None
