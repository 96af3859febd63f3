"""Numbers as the decimals that RFC 8785 writes for them, and equality by value (R-SCH-8).

A key is hashable and equal for equal values alone: 1 and 1.0 share one, true and 1 do not. Keys of objects
and arrays are texts, whose hashes nobody can predict, so that no input can make a set of them slow.
"""

from __future__ import annotations

from decimal import Decimal
from json.encoder import encode_basestring
from math import isfinite
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Hashable

_EXACT: Final = 2**53
_TRUE: Final = (True,)
_FALSE: Final = (False,)
_COLLECTION: Final = ()
_CLOSING: Final = object()


def number(value: float) -> float:
    """Return a number with the decimal of `value`: an `int` where that is whole, else the `float` it was."""
    if type(value) is int:
        return value
    if -_EXACT < value < _EXACT:
        whole = int(value)
        return whole if whole == value else value
    return int(Decimal(repr(value))) if isfinite(value) else value


def is_less(one: float, other: float) -> bool:
    """Say whether `one` is smaller than `other` as decimals."""
    if type(one) is type(other) or (-_EXACT < one < _EXACT and -_EXACT < other < _EXACT):
        return one < other
    return number(one) < number(other)


def is_multiple(value: float, divisor: float) -> bool:
    """Say whether `value` is a whole multiple of `divisor` as decimals."""
    if type(value) is int and type(divisor) is int:
        return value % divisor == 0
    if not isfinite(value):
        return False
    digits, exponent = _scaled(value)
    unit, unit_exponent = _scaled(divisor)
    if exponent >= unit_exponent:
        return digits * pow(10, exponent - unit_exponent, unit) % unit == 0
    rest: int = digits % (unit * 10 ** (unit_exponent - exponent))
    return rest == 0


def _scaled(value: float) -> tuple[int, int]:
    """Return (digits, exponent) of a finite number's decimal."""
    if type(value) is int:
        return value, 0
    mantissa, _, exponent = repr(value).partition("e")
    whole, _, fraction = mantissa.partition(".")
    return int(whole + fraction), int(exponent or "0") - len(fraction)


def scalar_key(value: Any) -> Hashable:
    """Return the key of a string, number, boolean or null; for a collection one that no scalar has."""
    kind = type(value)
    if kind is str or kind is int or value is None:
        return value  # type: ignore[no-any-return]
    if kind is float:
        return number(value)
    if kind is bool:
        return _TRUE if value else _FALSE
    return _COLLECTION


def key(value: Any) -> tuple[Hashable, int]:
    """Return the key of any value and how many values were looked at for it, `value` included."""
    if type(value) is not dict and type(value) is not list:
        return scalar_key(value), 1
    parts: list[str] = []
    looked = 0
    pending: list[tuple[str, Any]] = [("", value)]
    while pending:
        text, here = pending.pop()
        parts.append(text)
        if here is _CLOSING:
            continue
        looked += 1
        if type(here) is dict:
            parts.append("{")
            pending.append(("}", _CLOSING))
            pending.extend(
                [(encode_basestring(name) + ":", here[name]) for name in sorted(here, reverse=True)]
            )
        elif type(here) is list:
            parts.append("[")
            pending.append(("]", _CLOSING))
            pending.extend([("", item) for item in reversed(here)])
        else:
            parts.append(_scalar_text(here))
    return ("".join(parts),), looked


def _scalar_text(value: Any) -> str:
    if type(value) is str:
        return encode_basestring(value) + ","
    if type(value) is bool or value is None:
        return f"{value},"
    exact = number(value)
    return f"{exact:x}," if type(exact) is int else f"{exact!r},"
