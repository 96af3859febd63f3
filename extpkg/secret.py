"""A text that nothing shows: the one type in which a credential travels."""

from __future__ import annotations

from typing import NoReturn, final

_SHOWN = "Secret(***)"


@final
class Secret:
    """A credential's text; `str`, `repr`, `format`, pickle and JSON show nothing of it.

    `reveal` alone gives the text, and egress alone calls it, for the bytes that go out. Two are never equal
    unless they are the same object, so that no comparison answers a guess. ValueError for an empty text.
    """

    __slots__ = ("_text",)

    def __init__(self, text: str) -> None:
        if not text:
            raise ValueError("a secret is not empty")
        self._text = text

    def reveal(self) -> str:
        """Return the text itself."""
        return self._text

    def __repr__(self) -> str:
        return _SHOWN

    def __str__(self) -> str:
        return _SHOWN

    def __format__(self, _: str) -> str:
        return _SHOWN

    def __reduce__(self) -> NoReturn:
        raise TypeError("a secret is not pickled")

    def __copy__(self) -> Secret:
        return self

    def __deepcopy__(self, _: object) -> Secret:
        return self
