# ruff: noqa: PTH112, PTH113, PTH118, PTH119, PTH120, PTH123, PTH208 - pathlib costs more to import than all else here
"""What ships beside the code: JSON Schemas, the Builtins' packages, and the closed lists that checks read.

In a checkout `schemas/` and `packages/` stand beside `extpkg/`; in an installed wheel they are
`extpkg/_data/schemas` and `extpkg/_data/packages`. Nothing is opened before it is asked for, and each
file is read once.
"""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from functools import cache
from typing import Any, Final

_HERE: Final = os.path.dirname(os.path.realpath(__file__))

SCHEMA_NAMES: Final = ("meta", "action", "report", "fixture", "diff", "verdict")
"""The names that `schema` and `schema_text` know."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RegisteredBuiltin:
    """A domain of the trusted registry, as the checks may know it (R-PKG-5).

    `connection_policy` is `required` or `none`. `definition_digest` is the pinned digest of the one
    Definition that may use the domain; `runtime_digest` is the digest of R-REG-2.
    """

    domain: str
    version: int
    connection_policy: str
    definition_digest: str
    runtime_digest: str


@cache
def _shipped(folder: str) -> str:
    """Return the folder of that name: inside the wheel, else beside the package in a checkout."""
    installed = os.path.join(_HERE, "_data", folder)
    return installed if os.path.isdir(installed) else os.path.join(os.path.dirname(_HERE), folder)


@cache
def schema_text(name: str) -> str:
    """Return the text of a shipped JSON Schema, as it stands in its file; KeyError for an unknown name."""
    if name not in SCHEMA_NAMES:
        raise KeyError(name)
    return _text(_shipped("schemas"), f"{name}.schema.json")


@cache
def schema(name: str) -> dict[str, Any]:
    """Return a shipped JSON Schema as a value, shared and not to be changed; KeyError for an unknown name."""
    value: dict[str, Any] = json.loads(schema_text(name))
    return value


def builtin_package_path(name: str) -> str:
    """Return the directory of the shipped package of that domain (`@NAME`); KeyError if there is none."""
    path = os.path.join(_shipped("packages"), name)
    if name in {"", ".", ".."} or os.path.basename(name) != name or not _is_package(path):
        raise KeyError(name)
    return path


def builtin_package_names() -> tuple[str, ...]:
    """Return the names that `builtin_package_path` knows, sorted."""
    folder = _shipped("packages")
    return tuple(sorted(name for name in os.listdir(folder) if _is_package(os.path.join(folder, name))))


@cache
def registered_builtins() -> dict[str, RegisteredBuiltin]:
    """Return the registered Builtins by domain, shared and not to be changed (R-PKG-5)."""
    rows = _data("builtins")["builtins"]
    return {row["domain"]: RegisteredBuiltin(**row) for row in rows}


@cache
def reserved_domains() -> frozenset[str]:
    """Return the domains that no package may use (R-META-2)."""
    return frozenset(_data("reserved")["domains"])


@cache
def reserved_host_suffixes() -> tuple[str, ...]:
    """Return the name suffixes that no endpoint may lie under, longest first (R-META-5)."""
    return tuple(sorted(_data("reserved")["host_suffixes"], key=lambda suffix: (-len(suffix), suffix)))


def is_reserved_header(name: str) -> bool:
    """Say whether only the engine may write the header of that name, in any letter case (R-BIND-6)."""
    names, prefixes = _reserved_headers()
    lowered = name.lower()
    return lowered in names or lowered.startswith(prefixes)


@cache
def _reserved_headers() -> tuple[frozenset[str], tuple[str, ...]]:
    headers = _data("reserved")["headers"]
    return frozenset(headers["names"]), tuple(headers["prefixes"])


def denied_blocks() -> tuple[str, ...]:
    """Return the blocks that no invocation may dial: IANA's special-purpose ones and a few more (R-RES-3)."""
    table = _data("addresses")
    return tuple(row["prefix"] for key in ("ipv4", "ipv6", "additional") for row in table[key])


@cache
def review_style() -> str:
    """Return the style sheet of the page that `extpkg review` writes."""
    return _text(os.path.join(_HERE, "data"), "review.css")


@cache
def _data(name: str) -> dict[str, Any]:
    value: dict[str, Any] = json.loads(_text(os.path.join(_HERE, "data"), f"{name}.json"))
    return value


def _is_package(path: str) -> bool:
    return os.path.isfile(os.path.join(path, "meta.yaml"))


def _text(folder: str, name: str) -> str:
    with open(os.path.join(folder, name), encoding="utf-8") as file:
        return file.read()
