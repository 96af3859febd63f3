"""What a local reference leads to, in the one document that a source is after reading."""

from __future__ import annotations

from typing import Any

from extpkg.errors import DocumentInvalid
from extpkg.json_schema.reference import decode_fragment
from extpkg.pointer import Pointer


def pointed(root: Any, fragment: str) -> tuple[str, Any] | None:
    """Return the pointer that a URI fragment writes, and the value there; None where there is none."""
    text = decode_fragment(fragment)
    if text is None:
        return None
    try:
        pointer = Pointer(text)
        return text, pointer.resolve(root)
    except DocumentInvalid:
        return None
