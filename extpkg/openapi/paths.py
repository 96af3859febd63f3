"""Paths of a source as path templates (R-BIND-2)."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final, NamedTuple

from extpkg.binding.template import path_faults, placeholders
from extpkg.diagnostic import quoted
from extpkg.openapi.note import Note, Unusable

if TYPE_CHECKING:
    from extpkg.openapi.inventory import Operation

_PARTS: Final = re.compile(r"(\{[^{}]*\})")
_ESCAPE: Final = re.compile(r"%[0-9A-Fa-f]{2}")
_LITERAL: Final = re.compile(r"[A-Za-z0-9._~!$&'()*+,;=:@/{}-]")
_UNRESERVED: Final = re.compile(r"[A-Za-z0-9._~-]")


class Template(NamedTuple):
    """A path template with its placeholders, and what there is to say about it."""

    path: str
    names: tuple[str, ...]
    notes: tuple[Note, ...]


def template(operation: Operation, prefix: str) -> Template:
    """Return the path template of an operation behind a prefix.

    Raises `Unusable`: `path-has-query`, `path-placeholder-repeated` or `path-invalid`.
    """
    path, mark, _ = operation.path.partition("#")
    notes: tuple[Note, ...] = ()
    if mark:
        message = "what follows # in the path is never sent and is left out"
        notes = (Note(pointer=operation.pointer, code="path-fragment-stripped", message=message),)
    if "?" in path:
        raise Unusable("path-has-query", "its path has a query, which a path cannot carry", operation.node)
    whole = _written(f"{prefix}{path}")
    fault = next(path_faults(whole), None)
    if fault is not None:
        raise Unusable("path-invalid", fault.message, operation.node)
    names = placeholders(whole)
    repeated = next((name for name in names if names.count(name) > 1), None)
    if repeated is not None:
        message = f"placeholder {quoted(repeated)} stands in the path more than once"
        raise Unusable("path-placeholder-repeated", message, operation.node)
    return Template(whole, tuple(names), notes)


def _written(path: str) -> str:
    """Return a path whose literals are written in the one way that R-BIND-2 has."""
    return "".join(part if _PARTS.fullmatch(part) else _literal(part) for part in _PARTS.split(path))


def _literal(text: str) -> str:
    pieces: list[str] = []
    at = 0
    while at < len(text):
        escape = _ESCAPE.match(text, at)
        if escape is not None:
            character = chr(int(escape[0][1:], 16))
            pieces.append(character if _UNRESERVED.fullmatch(character) else escape[0].upper())
            at = escape.end()
            continue
        character = text[at]
        written = character if _LITERAL.fullmatch(character) else _percent(character)
        pieces.append(written)
        at += 1
    return "".join(pieces)


def _percent(character: str) -> str:
    return "".join(f"%{octet:02X}" for octet in character.encode("utf-8", "replace"))
