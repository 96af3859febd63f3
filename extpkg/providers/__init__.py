"""The Builtins that this toolkit ships: one explicit tuple, nothing is found by scanning (R-REG-1)."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from extpkg.package import load_package
from extpkg.providers import arxiv
from extpkg.providers.search import brave, searxng, serper, tavily
from extpkg.registry import register
from extpkg.resources import builtin_package_path

if TYPE_CHECKING:
    from collections.abc import Callable

    from extpkg.definition.model import Definition
    from extpkg.extension import Extension
    from extpkg.registry import Registry


def shipped_definition(domain: str) -> Definition:
    """Return the Definition of the shipped package of that name; raises `PackageInvalid`."""
    return load_package(builtin_package_path(domain)).definition


def builtins(definition: Callable[[str], Definition] = shipped_definition) -> tuple[Extension, ...]:
    """Return every Builtin of this toolkit, in the order in which they are registered.

    `definition` returns the Definition of a domain whose package is its only source; by default the shipped
    one. The search engines' Definitions are made in code, and tests prove their packages equal.
    """
    return (
        arxiv.extension(definition("arxiv")),
        brave.extension(),
        searxng.extension(),
        serper.extension(),
        tavily.extension(),
    )


@cache
def builtin_registry() -> Registry:
    """Return the registry of every Builtin; raises `RegistryInvalid` where one is inconsistent."""
    return register(builtins())
