"""JSON Pointer, strictly as RFC 6901 writes it (R-BIND-1): no sign, no leading zero, no percent-decoding."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any, Final, Self

from extpkg.diagnostic import Finding, Place, quoted
from extpkg.errors import DocumentInvalid

_BAD_ESCAPE: Final = re.compile(r"~(?![01])")
_INDEX: Final = re.compile(r"0|[1-9][0-9]*")


def escape(token: str) -> str:
    """Return one reference token as it is written between two slashes."""
    if "~" in token or "/" in token:
        return token.replace("~", "~0").replace("/", "~1")
    return token


def join(tokens: tuple[str, ...]) -> str:
    """Return the text of the pointer that goes through `tokens`."""
    return "".join(["/" + escape(token) for token in tokens])


@dataclass(frozen=True, slots=True)
class Pointer:
    """A pointer whose text is well-formed; constructing one from any other text raises `DocumentInvalid`.

    `text` is the pointer as written, `tokens` are its unescaped reference tokens; the root has none.
    """

    text: str
    tokens: tuple[str, ...] = field(init=False, compare=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "tokens", _tokens(self.text))

    def __str__(self) -> str:
        return self.text

    @classmethod
    def of(cls, *tokens: str) -> Self:
        """Return the pointer that goes through `tokens`, each escaped as needed."""
        return cls(join(tokens))

    def resolve(self, value: Any) -> Any:
        """Return the value at this place of `value`; raise `DocumentInvalid` (EXT0430) if there is none."""
        here = value
        for depth, token in enumerate(self.tokens):
            found, here = _step(here, token)
            if not found:
                raise _missing(self.tokens[: depth + 1], here)
        return here


def _tokens(text: str) -> tuple[str, ...]:
    if not text:
        return ()
    if not text.startswith("/"):
        raise _malformed(text, 'does not start with "/"')
    if "~" not in text:
        return tuple(text[1:].split("/"))
    if _BAD_ESCAPE.search(text):
        raise _malformed(text, 'has a "~" that is neither "~0" nor "~1"')
    return tuple([token.replace("~1", "/").replace("~0", "~") for token in text[1:].split("/")])


def _step(value: Any, token: str) -> tuple[bool, Any]:
    """Return (True, the child) or (False, the value that has no such child)."""
    if isinstance(value, dict):
        return (True, value[token]) if token in value else (False, value)
    if isinstance(value, list) and len(token) < 20 and _INDEX.fullmatch(token) and int(token) < len(value):
        return True, value[int(token)]
    return False, value


def _malformed(text: str, reason: str) -> DocumentInvalid:
    finding = Finding(
        code="EXT0401",
        place=Place(path=""),
        message=f"pointer {quoted(text)} {reason}",
        help='write "" for the whole value or "/" before each token, "~" as "~0" and "/" as "~1" inside one',
    )
    return DocumentInvalid((finding,))


def _missing(tokens: tuple[str, ...], parent: Any) -> DocumentInvalid:
    kind = (
        "the object" if isinstance(parent, dict) else "the array" if isinstance(parent, list) else "a scalar"
    )
    finding = Finding(
        code="EXT0430",
        place=Place(path="", pointer=join(tokens[:-1])),
        message=f"{kind} at {quoted(join(tokens[:-1]))} has no place {quoted(tokens[-1])}",
    )
    return DocumentInvalid((finding,))
