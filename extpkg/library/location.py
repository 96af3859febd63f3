"""Where a library is: the text that names one becomes a store."""

from __future__ import annotations

import os
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Final

from extpkg.library.local import LocalStore
from extpkg.library.store import Unavailable

if TYPE_CHECKING:
    from collections.abc import Mapping

    from extpkg.library.store import Store

VARIABLE: Final = "EXTPKG_LIBRARY"
"""The environment variable that names the library where nothing else does."""

_SCHEMES: Final = ("oci://", "oci+http://", "oci+private://")


def location(named: str | None, environment: Mapping[str, str]) -> str:
    """Return the location of the library that is meant: as named, by the environment, or the user's own."""
    if named is not None:
        return named
    if environment.get(VARIABLE):
        return environment[VARIABLE]
    from platformdirs import user_data_dir

    return str(Path(user_data_dir("extpkg", appauthor=False)) / "library.db")


def open_store(text: str, environment: Mapping[str, str]) -> Store:
    """Return the library at a location; nothing is opened yet. Raises `Unavailable` for what names none.

    The environment says where a registry's logins and the keys of its log are.
    """
    if text.startswith(_SCHEMES):
        return _in_registry(text, environment)
    if not text or "\x00" in text or "://" in text:
        raise Unavailable("a library is a file, or oci://HOST/REPOSITORY")
    return LocalStore(os.path.expanduser(text))  # noqa: PTH111 - the text may be no UTF-8


def _in_registry(text: str, environment: Mapping[str, str]) -> Store:
    from extpkg.egress.registry_client import RegistryClient
    from extpkg.egress.registry_place import netloc, repository
    from extpkg.library.docker_login import docker_login
    from extpkg.library.oci import OciStore
    from extpkg.library.signing import signing

    place = repository(text)
    if place is None:
        raise Unavailable(
            "a library in a registry is oci://HOST[:PORT]/REPOSITORY, in lower case, without tag and login"
        )
    login = partial(docker_login, netloc(place.origin), environment)
    return OciStore(RegistryClient(place, login=login), signing(environment))
