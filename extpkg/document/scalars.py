"""What a plain scalar means: the YAML 1.2 core schema and nothing else (R-DOC-2 to R-DOC-4)."""

from __future__ import annotations

import math
import re
from functools import lru_cache
from typing import Final

from extpkg import limits

Scalar = str | int | float | bool | None

PLAIN: Final = ">"
"""A plain scalar that does not sort before this, and is none of `WORDS`, is the text that it looks like."""

_BOOLEAN_IN_1_1: Final = tuple(
    form for word in ("yes", "no", "on", "off") for form in (word, word.capitalize(), word.upper())
)

NOT_FINITE: Final = "EXT0116"
OVERFLOW: Final = "EXT0117"
UNSAFE_INTEGER: Final = "EXT0118"
AMBIGUOUS: Final = "EXT0124"

_WORDS: Final[dict[str, bool | None]] = {
    **dict.fromkeys(("", "~", "null", "Null", "NULL"), None),
    **dict.fromkeys(("true", "True", "TRUE"), True),
    **dict.fromkeys(("false", "False", "FALSE"), False),
}
WORDS: Final = frozenset((*_WORDS, *_BOOLEAN_IN_1_1))
"""Plain scalars from `PLAIN` on that `resolve` does more with than return them."""

_INTEGER: Final = re.compile(r"[-+]?[0-9]+")
_OCTAL: Final = re.compile(r"0o[0-7]+")
_HEXADECIMAL: Final = re.compile(r"0x[0-9a-fA-F]+")
_FLOAT: Final = re.compile(r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?")
_NOT_FINITE: Final = re.compile(r"[-+]?\.(inf|Inf|INF)|\.(nan|NaN|NAN)")

_AMBIGUOUS: Final = re.compile(
    rf"{'|'.join(_BOOLEAN_IN_1_1)}|=|<<"
    r"|[-+]?0[0-9]+"
    r"|0o[0-7]+"
    r"|[-+]?0b[01_]+"
    r"|[-+]0x[0-9a-fA-F_]+"
    r"|0x[0-9a-fA-F]*_[0-9a-fA-F_]*"
    r"|(?=[^_]*_)[-+]?([0-9][0-9_]*(\.[0-9_]*)?|\.[0-9][0-9_]*)([eE][-+]?[0-9]+)?"
    r"|[-+]\.[0-9]+([eE][-+]?[0-9]+)?"
    r"|[-+]?[0-9]+[eE][-+]?[0-9]+"
    r"|[-+]?([0-9]+\.[0-9]*|\.[0-9]+)[eE][0-9]+"
    r"|[-+]?[0-9][0-9_]*(:[0-5]?[0-9])+(\.[0-9_]*)?"
    r"|[0-9]{4}-[0-9]{2}-[0-9]{2}"
    r"|[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}([Tt]|[ \t]+)[0-9]{1,2}:[0-9]{2}:[0-9]{2}(\.[0-9]*)?"
    r"([ \t]*(Z|[-+][0-9]{1,2}(:[0-9]{2})?))?"
)
_SAFE_DIGITS: Final = len(str(limits.SAFE_INTEGER))
_RADIX: Final = {"0o": 8, "0x": 16}
_MEMORABLE: Final = 32


def resolve(text: str) -> tuple[Scalar, str]:
    """Return the core-schema value of a plain scalar, and the code of what is wrong with it (or "").

    A string is returned as the very object that was given. The codes are those of numbers that are
    refused (their value is 0 then) and of ambiguous scalars (R-DOC-4), which are read all the same.
    """
    return _remembered(text) if len(text) <= _MEMORABLE else _resolve(text)


def _resolve(text: str) -> tuple[Scalar, str]:
    if text in _WORDS:
        return _WORDS[text], ""
    code = AMBIGUOUS if _AMBIGUOUS.fullmatch(text) else ""
    if _INTEGER.fullmatch(text):
        return _whole(text, 10, code)
    if _OCTAL.fullmatch(text) or _HEXADECIMAL.fullmatch(text):
        return _whole(text[2:], _RADIX[text[:2]], code)
    if _FLOAT.fullmatch(text):
        number = float(text)
        return (number, code) if math.isfinite(number) else (0, OVERFLOW)
    if _NOT_FINITE.fullmatch(text):
        return 0, NOT_FINITE
    return text, code


_remembered = lru_cache(maxsize=2048)(_resolve)


def _whole(digits: str, radix: int, code: str) -> tuple[int, str]:
    # Cut to significant digits first: int() is quadratic, and refuses more than 4,300 digits.
    significant = digits.lstrip("-+").lstrip("0") or "0"
    if len(significant) > _SAFE_DIGITS + (0 if radix == 10 else 2):
        return 0, UNSAFE_INTEGER
    number = int(significant, radix)
    if number > limits.SAFE_INTEGER:
        return 0, UNSAFE_INTEGER
    return (-number if digits.startswith("-") else number), code


def unambiguous(text: str) -> str:
    """Return what to write instead of an ambiguous scalar, as the end of "write ..."."""
    value, _ = _resolve(text)
    quoted = f'"{text}"'
    if isinstance(value, str):
        return f"{quoted} if text is meant{_other_meaning(text)}"
    return f"{_shared_form(value)} if the number is meant, {quoted} if text is"


def _other_meaning(text: str) -> str:
    lower = text.lower()
    if lower in {"yes", "on"}:
        return ", true if a boolean is"
    if lower in {"no", "off"}:
        return ", false if a boolean is"
    number, code = _resolve(text.replace("_", ""))
    if isinstance(number, str) or number is None or code not in {"", AMBIGUOUS}:
        return ""
    return f", {_shared_form(number)} if a number is"


def _shared_form(value: Scalar) -> str:
    written = repr(value)
    mantissa, mark, exponent = written.partition("e")
    if not mark:
        return written
    point = "" if "." in mantissa else ".0"
    return f"{mantissa}{point}e{exponent}"
