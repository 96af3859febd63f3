"""The user and password for a registry, from the configuration file that docker and its kin write.

A program that the file names as a keeper of credentials is never run.
"""

from __future__ import annotations

import binascii
import json
import os
import re
from base64 import b64decode
from typing import TYPE_CHECKING, Any, Final

from extpkg.library.private_file import read_file
from extpkg.library.store import Unavailable
from extpkg.secret import Secret

if TYPE_CHECKING:
    from collections.abc import Mapping

_WHAT: Final = "the docker configuration"
_BYTES: Final = 1 << 20
_INSTEAD: Final = "put the login into auths, in a directory that DOCKER_CONFIG names"
_SHOWN: Final = re.compile(r"[A-Za-z0-9._-]{1,64}")


def docker_login(host: str, environment: Mapping[str, str]) -> Secret | None:
    """Return `user:password` for a host (and port, if any), None where the file has none or is not there.

    The file is `config.json` in `DOCKER_CONFIG`, else in `~/.docker`. Raises `Unavailable`, by name for what
    is not supported: `credHelpers` of that host, `credsStore`, identity and registry tokens.
    """
    folder = environment.get("DOCKER_CONFIG") or os.path.join(  # noqa: PTH118 - the text may be no UTF-8
        environment.get("HOME") or os.path.expanduser("~"),  # noqa: PTH111
        ".docker",
    )
    path = os.path.join(folder, "config.json")  # noqa: PTH118
    if not os.path.lexists(path):
        return None
    config = _member(_parsed(read_file(path, _WHAT, _BYTES)), "")
    helper = _member(config, "credHelpers").get(host)
    if helper is not None:
        raise Unavailable(f"{_WHAT} keeps the login for {host} in credHelpers{_named(helper)}: {_INSTEAD}")
    found = _entry(_member(config, "auths"), host)
    if found:
        return _login(found)
    if config.get("credsStore"):
        raise Unavailable(f"{_WHAT} keeps logins in credsStore{_named(config['credsStore'])}: {_INSTEAD}")
    return None


def _parsed(data: bytes) -> Any:
    try:
        return json.loads(data)
    except (ValueError, RecursionError):
        pass
    raise Unavailable(f"{_WHAT} is no JSON")


def _member(value: Any, name: str) -> dict[str, Any]:
    """Return an object's member that is an object, or the object itself for no name; empty where absent."""
    found = value.get(name) if name else value
    if found is None and name:
        return {}
    if not isinstance(found, dict):
        raise Unavailable(f"{_WHAT} is not as docker writes it{f': {name}' if name else ''}")
    return found


def _entry(auths: dict[str, Any], host: str) -> dict[str, Any]:
    """Return the entry for a host, which is written as host, or as a URL."""
    for name in auths:
        if name.removeprefix("https://").removeprefix("http://").split("/")[0] == host:
            return _member(auths, name)
    return {}


def _login(entry: dict[str, Any]) -> Secret | None:
    for unsupported in ("identitytoken", "registrytoken"):
        if entry.get(unsupported):
            raise Unavailable(f"{_WHAT} has {unsupported}, which is not supported: {_INSTEAD}")
    user, password = entry.get("username"), entry.get("password")
    if isinstance(user, str) and isinstance(password, str) and user:
        return Secret(f"{user}:{password}")
    try:
        text = b64decode(entry.get("auth") or "", validate=True).decode().rstrip("\x00")
    except (binascii.Error, TypeError, ValueError):
        text = ""
    if text.partition(":")[0] and ":" in text:
        return Secret(text)
    if "auth" in entry:
        raise Unavailable(f"{_WHAT} has a login that is no user and password")
    return None


def _named(helper: Any) -> str:
    return f" ({helper})" if isinstance(helper, str) and _SHOWN.fullmatch(helper) else ""
