"""The source as the Package keeps it: one document, the same bytes however it was written."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from extpkg.openapi.source import Source


def bundle(source: Source) -> bytes:
    """Return the bytes of `source/openapi.yaml`."""
    return (
        json.dumps(source.root.value, sort_keys=True, ensure_ascii=False, indent=1, check_circular=False)
        + "\n"
    ).encode()
