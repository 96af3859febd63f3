"""arXiv: a connectionless Builtin with two read actions (R-ARX)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from extpkg.extension import ConnectionPolicy, Extension

if TYPE_CHECKING:
    from extpkg.definition.model import Definition

ACTIONS: Final = frozenset({"get", "search"})
"""What the executor serves; the registry compares it with the Definition."""

REVISION: Final = "1"
"""Raised whenever the executor answers differently."""


def extension(definition: Definition) -> Extension:
    """Return the Extension that serves `definition`."""
    return Extension(
        definition=definition,
        serves=ACTIONS,
        revision=REVISION,
        connection_policy=ConnectionPolicy.NONE.value,
    )
