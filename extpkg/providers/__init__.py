"""The Builtins that this toolkit ships: one explicit tuple, nothing is found by scanning (R-REG-1)."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from extpkg.providers import arxiv
from extpkg.registry import register

if TYPE_CHECKING:
    from extpkg.extension import Extension
    from extpkg.registry import Registry


def builtins() -> tuple[Extension, ...]:
    """Return every Builtin of this toolkit, in the order in which they are registered."""
    return (arxiv.extension(),)


@cache
def builtin_registry() -> Registry:
    """Return the registry of every Builtin; raises `RegistryInvalid` where one is inconsistent."""
    return register(builtins())
