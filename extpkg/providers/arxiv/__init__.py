"""arXiv: a connectionless Builtin with two read actions (R-ARX)."""

from __future__ import annotations

from typing import Final

from extpkg.extension import ConnectionPolicy, Extension
from extpkg.package import load_package
from extpkg.resources import builtin_package_path

ACTIONS: Final = frozenset({"get", "search"})
"""What the executor serves; the registry compares it with the Definition."""

REVISION: Final = "1"
"""Raised whenever the executor answers differently."""


def extension() -> Extension:
    """Return the Extension, its Definition read from `packages/arxiv`; raises `PackageInvalid`."""
    return Extension(
        definition=load_package(builtin_package_path("arxiv")).definition,
        serves=ACTIONS,
        revision=REVISION,
        connection_policy=ConnectionPolicy.NONE.value,
    )
