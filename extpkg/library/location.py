"""Where a library is: the text that names one becomes a store."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Final

from extpkg.library.local import LocalStore
from extpkg.library.store import Unavailable

if TYPE_CHECKING:
    from collections.abc import Mapping

VARIABLE: Final = "EXTPKG_LIBRARY"
"""The environment variable that names the library where nothing else does."""

_SCHEMES: Final = ("oci://", "oci+http://")


def location(named: str | None, environment: Mapping[str, str]) -> str:
    """Return the location of the library that is meant: as named, by the environment, or the user's own."""
    if named is not None:
        return named
    if environment.get(VARIABLE):
        return environment[VARIABLE]
    from platformdirs import user_data_dir

    return str(Path(user_data_dir("extpkg", appauthor=False)) / "library.db")


def open_store(text: str) -> LocalStore:
    """Return the library at a location; nothing is opened yet. Raises `Unavailable` for what names none."""
    if text.startswith(_SCHEMES):
        raise Unavailable("a library in an OCI registry cannot be opened yet")
    if not text or "\x00" in text or "://" in text:
        raise Unavailable("a library is a file, or oci://HOST/REPOSITORY")
    return LocalStore(os.path.expanduser(text))  # noqa: PTH111 - the text may be no UTF-8
