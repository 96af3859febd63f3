"""arXiv: a connectionless Builtin with two read actions (R-ARX)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from extpkg.extension import ConnectionPolicy, Extension

if TYPE_CHECKING:
    from extpkg.definition.model import Definition
    from extpkg.errors import ErrorCode
    from extpkg.extension import Call

ACTIONS: Final = frozenset({"get", "search"})
"""What the executor serves; the registry compares it with the Definition."""

FAILS_WITH: Final[frozenset[ErrorCode]] = frozenset(
    {"validation", "not_found", "rate_limited", "upstream_failure"}
)
"""The error codes that calls of arXiv end with."""

REVISION: Final = "1"
"""Raised whenever the executor answers differently."""


def extension(definition: Definition) -> Extension:
    """Return the Extension that serves `definition`."""
    return Extension(
        definition=definition,
        serves=ACTIONS,
        execute=_execute,
        revision=REVISION,
        fails_with=FAILS_WITH,
        connection_policy=ConnectionPolicy.NONE.value,
    )


async def _execute(call: Call) -> Any:
    # Imported by the first call: a registry is read by many programs that send nothing.
    from extpkg.providers.arxiv.execute import execute

    return await execute(call)
