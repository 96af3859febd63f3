"""Whether an input may be used at all: JSON within the bounds of R-DOC-1 that its schema accepts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from extpkg.canonical import canonical_json
from extpkg.diagnostic import quoted
from extpkg.errors import DocumentInvalid, ExtensionError
from extpkg.json_schema import Violation
from extpkg.limits import DOCUMENT_BYTES, DOCUMENT_DEPTH, DOCUMENT_VALUES

if TYPE_CHECKING:
    from collections.abc import Sequence

    from extpkg.json_schema import Schema

_LONG: Final = 200
"""Characters of a pointer beyond which a sentence shows its start alone."""

VIOLATIONS: Final = 20
"""Reasons that a refusal of an input names at most."""


def invalid_input(violations: Sequence[Violation]) -> ExtensionError:
    """Return the refusal of an input, for the caller to raise: `validation`, with pointers and messages.

    Half of a surrogate pair, which no JSON reader takes, is escaped wherever it stands in a pointer.
    """
    rows = [{"pointer": _fit(each.pointer), "message": each.message} for each in violations[:VIOLATIONS]]
    first = f"{_shown(rows[0]['pointer'])} {rows[0]['message']}"
    more = f" (and {len(violations) - 1} more)" if len(violations) > 1 else ""
    return ExtensionError("validation", f"{first}{more}", {"violations": rows})


def _fit(pointer: str) -> str:
    return pointer.encode("utf-8", "backslashreplace").decode()


def _shown(pointer: str) -> str:
    """Return how a sentence names a place: on one line, whatever members are called."""
    if len(pointer) > _LONG or not pointer.isprintable():
        return quoted(pointer)
    return pointer or "the input"


def check_input(schema: Schema, value: Any) -> None:
    """Raise `ExtensionError` (`validation`) for an input that is no JSON, too large, or refused by `schema`.

    The bounds are those of a document (R-DOC-8), held by its RFC 8785 bytes: a value made in code gets past
    none that a text does not. Nothing that a value holds makes it raise anything else (R-SCH-5).
    """
    if violations := input_violations(schema, value):
        raise invalid_input(violations)


def input_violations(schema: Schema, value: Any) -> tuple[Violation, ...]:
    """Return up to `VIOLATIONS` reasons why `check_input` refuses a value, in the order of the value."""
    if excess := _excess(value):
        return (_whole(excess),)
    try:
        size = len(canonical_json(value))
    except DocumentInvalid as refused:
        faults = refused.faults
    else:
        if size > DOCUMENT_BYTES:
            return (_whole(f"must have at most {DOCUMENT_BYTES:,} bytes"),)
        return schema.violations(value, VIOLATIONS)
    return tuple(
        Violation(
            pointer=fault.place.pointer,
            keyword="",
            schema_pointer="",
            message=f"must be JSON: {fault.message}",
        )
        for fault in faults[:VIOLATIONS]
    )


def _whole(message: str) -> Violation:
    return Violation(pointer="", keyword="", schema_pointer="", message=message)


def _excess(value: Any) -> str:
    """Say which bound of R-DOC-1 the shape of a value exceeds, or return an empty string.

    One level of nesting at a time: a value that contains itself, or one part many times, ends at a bound too.
    """
    level = [value]
    count = depth = 0
    while level:
        count += len(level)
        if count > DOCUMENT_VALUES:
            return f"must have at most {DOCUMENT_VALUES:,} values"
        inner: list[Any] = []
        collections = 0
        for each in level:
            if type(each) is dict:
                inner += each.values()
            elif type(each) is list:
                inner += each
            else:
                continue
            collections = 1
        depth += collections
        if depth > DOCUMENT_DEPTH:
            return f"must have at most {DOCUMENT_DEPTH} nested collections"
        level = inner
    return ""
