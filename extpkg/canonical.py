"""RFC 8785 canonical JSON: one value, one sequence of bytes (R-DIG-1, R-DIG-5).

`rfc8785` is the reference and writes every number that is not a whole number in the safe range; structure,
strings and whole numbers are written here in one pass, several times faster and byte-equal by law.
"""

from __future__ import annotations

import re
from functools import lru_cache
from json.encoder import encode_basestring
from math import isfinite
from typing import TYPE_CHECKING, Any, Final

from extpkg.diagnostic import Finding, Part, Place
from extpkg.errors import DocumentInvalid
from extpkg.limits import DOCUMENT_DEPTH, SAFE_INTEGER
from extpkg.pointer import join

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

DEPTH: Final = 2 * DOCUMENT_DEPTH
"""Nested collections of one value: twice a document's, so that documents may stand inside an envelope."""

_SURROGATE: Final = re.compile("[\ud800-\udfff]")
_CONSTANTS: Final = {None: "null", True: "true", False: "false"}


def canonical_json(value: Any) -> bytes:
    """Return the RFC 8785 bytes of a JSON value (`dict`, `list`, `str`, `int`, `float`, `bool`, `None`).

    Raises `DocumentInvalid` with every fault, each named by its pointer: a number that is not finite
    (EXT0116), a whole number outside ±(2^53-1) (EXT0118), a lone surrogate (EXT0119), more than `DEPTH`
    nested collections (EXT0104), a key that is no string (EXT0115), a value that is not JSON (EXT0303).
    """
    try:
        return canonical_text(value).encode()
    except (_NotJsonError, UnicodeEncodeError):
        raise DocumentInvalid(tuple(_faults(value))) from None


def number_text(number: float) -> str:
    """Return the RFC 8785 text of a number; raises `DocumentInvalid` as `canonical_json` does."""
    return canonical_json(number).decode()


class _NotJsonError(Exception):
    """The writer met what it cannot write; the value is then searched for all its faults."""


def canonical_text(value: Any) -> str:
    """Return the text whose UTF-8 form `canonical_json` is; for values that are known to be JSON."""
    return _text(value, DEPTH)


def _text(value: Any, room: int) -> str:
    kind = type(value)
    if kind is str:
        return encode_basestring(value)
    if kind is dict:
        return _object_text(value, room)
    if kind is list:
        return _array_text(value, room)
    if kind is int:
        if not -SAFE_INTEGER <= value <= SAFE_INTEGER:
            raise _NotJsonError
        return str(value)
    if kind is float:
        return _float_text(value)
    if value is None or kind is bool:
        return _CONSTANTS[value]
    raise _NotJsonError


def _object_text(value: dict[str, Any], room: int) -> str:
    if not room:
        raise _NotJsonError
    quote = encode_basestring
    members = []
    for name in _ordered(value):
        item = value[name]
        if type(item) is str:
            members.append(f"{quote(name)}:{quote(item)}")
        else:
            members.append(f"{quote(name)}:{_text(item, room - 1)}")
    return "{" + ",".join(members) + "}"


def _array_text(value: list[Any], room: int) -> str:
    if not room:
        raise _NotJsonError
    return "[" + ",".join([_text(item, room - 1) for item in value]) + "]"


def _ordered(value: dict[str, Any]) -> list[str]:
    """Sort member names by UTF-16 code units, which is code point order wherever no name leaves ASCII."""
    try:
        names = sorted(value)
        if not "".join(names).isascii():
            names.sort(key=_utf16)
    except TypeError:
        raise _NotJsonError from None
    return names


def _utf16(name: str) -> bytes:
    return name.encode("utf-16-be")


@lru_cache(maxsize=4096)
def _float_text(number: float) -> str:
    if not isfinite(number):
        raise _NotJsonError
    if -SAFE_INTEGER <= number <= SAFE_INTEGER and number.is_integer():
        return str(int(number))
    import rfc8785

    return rfc8785.dumps(number).decode()


def _faults(value: Any) -> Iterator[Finding]:
    """Yield every fault of a value, depth first; the stack is explicit, for the depth has no bound yet."""
    stack: list[tuple[Any, tuple[str, ...]]] = [(value, ())]
    while stack:
        item, tokens = stack.pop()
        if type(item) in (dict, list):
            if len(tokens) >= DEPTH:
                yield _fault("EXT0104", tokens, f"more than {DEPTH} nested collections")
                return  # a value that contains itself has no last fault
            if type(item) is dict:
                yield from _key_faults(item, tokens)
            stack.extend(reversed([(member, (*tokens, token)) for token, member in _members(item)]))
        else:
            yield from _scalar_faults(item, tokens)


def _members(item: dict[Any, Any] | list[Any]) -> Iterable[tuple[str, Any]]:
    if type(item) is dict:
        return [(key, member) for key, member in item.items() if type(key) is str]
    return [(str(index), member) for index, member in enumerate(item)]


def _key_faults(item: dict[Any, Any], tokens: tuple[str, ...]) -> Iterator[Finding]:
    for key in item:
        if type(key) is not str:
            yield _fault("EXT0115", tokens, f"a key is of type {type(key).__name__}, not a string")
        elif _SURROGATE.search(key):
            yield _fault("EXT0119", (*tokens, key), "the key holds a lone surrogate", Part.KEY)


def _scalar_faults(item: Any, tokens: tuple[str, ...]) -> Iterator[Finding]:
    kind = type(item)
    if kind is str:
        if _SURROGATE.search(item):
            yield _fault("EXT0119", tokens, "the string holds a lone surrogate")
    elif kind is float:
        if not isfinite(item):
            yield _fault("EXT0116", tokens, f"{item} is no JSON number")
    elif kind is int:
        if not -SAFE_INTEGER <= item <= SAFE_INTEGER:
            yield _fault("EXT0118", tokens, "the whole number is outside ±(2^53-1)")
    elif item is not None and kind is not bool:
        yield _fault("EXT0303", tokens, f"a value of type {kind.__name__} is not JSON")


def _fault(code: str, tokens: tuple[str, ...], message: str, part: Part = Part.VALUE) -> Finding:
    return Finding(code=code, place=Place(path="", pointer=join(tokens), part=part), message=message)
