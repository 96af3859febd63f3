"""The one door to RE2: patterns that match in time linear in the text (R-SCH-5)."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Final

from extpkg.json_schema.pattern_syntax import TOO_LARGE, PatternRefused, Translation, translate

if TYPE_CHECKING:
    from collections.abc import Callable

_SURE: Final = 20_000
"""The weight up to which RE2 is known to compile a pattern within its memory."""

_MEMORY: Final = ((1_000, 8 << 20), (_SURE, 64 << 20))
_MOST_MEMORY: Final = 256 << 20

_WORK: Final = 256
"""Weight times characters that one evaluation pays for."""


class Pattern:
    """A compiled pattern: it is compiled by the first search, and means what ECMA-262 with `u` says."""

    __slots__ = ("_search", "translation", "weight")

    def __init__(self, translation: Translation) -> None:
        self.translation = translation
        self.weight = translation.weight
        self._search: Callable[[bytes], object] | None = None

    def found_in(self, text: str) -> bool:
        """Say whether the pattern matches anywhere in `text`; a lone surrogate is read as U+FFFD."""
        search = self._search or self._compiled()
        try:
            data = text.encode()
        except UnicodeEncodeError:
            data = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace").encode()
        return search(data) is not None

    def surcharge(self, text: str) -> int:
        """Return how many evaluations more than one a search of `text` counts as: none but in long texts."""
        return self.weight * len(text) // _WORK

    def compile(self) -> None:
        """Compile now; raise `PatternRefused` where RE2 cannot within its memory."""
        self._compiled()

    def _compiled(self) -> Callable[[bytes], object]:
        import re2  # 14 ms, for schemas that have patterns

        options = re2.Options()
        options.log_errors = False
        options.never_capture = True
        options.max_mem = next((memory for limit, memory in _MEMORY if self.weight <= limit), _MOST_MEMORY)
        try:
            search: Callable[[bytes], object] = re2.compile(self.translation.text, options).search
        except re2.error:
            raise PatternRefused(TOO_LARGE, 0, "is too large for the matcher") from None
        self._search = search
        return search


@lru_cache(maxsize=4096)
def compile_pattern(source: str) -> Pattern:
    """Return the pattern that `source` writes; raise `PatternRefused` where R-SCH-5 does not allow it."""
    pattern = Pattern(translate(source))
    if pattern.translation.weight > _SURE:
        pattern.compile()
    return pattern
