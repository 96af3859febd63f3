"""The quick way to the value of a JSON text that is beyond doubt: the interpreter's own scanner, held strict.

It answers only where the strict reader would answer the same; that reader says what is wrong (R-DOC-8).
"""

from __future__ import annotations

from json.decoder import JSONDecoder
from math import isinf
from typing import Any, Final, NoReturn

from extpkg import limits


class UnscannableError(Exception):
    """A text that is wrong, or that only the strict reader can judge; it says nothing of it."""


def scan(text: str, most: int = limits.DOCUMENT_VALUES) -> Any:
    """Return the value of a provider's JSON (R-DOC-8) of at most `most` values; halves of pairs as they came.

    Raises `UnscannableError` for every text that the strict reader refuses, and for some that it does not.
    """
    # A value has a character of its own, and is the first of its collection or follows a comma; what nests
    # is opened: cheap bounds, which spare most answers the walk.
    opened = text.count("[") + text.count("{")
    if len(text) > most and text.count(",") + opened >= most:
        raise UnscannableError
    try:
        value = _DECODER.decode(text)
    except (ValueError, RecursionError):
        raise UnscannableError from None
    if opened > limits.DOCUMENT_DEPTH and _is_too_deep(value):
        raise UnscannableError
    return value


_COLLECTIONS: Final = frozenset({dict, list})
_DIGITS: Final = limits.ANSWER_DIGITS


def _is_too_deep(value: Any) -> bool:
    """Say whether collections nest deeper than a document's may."""
    level = [value] if type(value) in _COLLECTIONS else []
    for _ in range(limits.DOCUMENT_DEPTH):
        if not level:
            return False
        level = [
            child
            for node in level
            for child in (node.values() if type(node) is dict else node)
            if type(child) in _COLLECTIONS
        ]
    return bool(level)


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    members = dict(pairs)
    if len(members) != len(pairs):
        raise ValueError
    return members


def _whole(written: str) -> int:
    if len(written) > _DIGITS and len(written.removeprefix("-")) > _DIGITS:
        raise ValueError
    return int(written)


def _real(written: str) -> float:
    number = float(written)
    if isinf(number):
        raise ValueError
    return number


def _constant(_: str) -> NoReturn:
    raise ValueError


_DECODER: Final = JSONDecoder(
    object_pairs_hook=_object, parse_int=_whole, parse_float=_real, parse_constant=_constant
)
