"""Extension Packages: strict reading, validation with positions, canonical digests, deterministic formatting.

The public API. Importing this module opens nothing and imports no network library; each name is loaded on
first use, so that a program pays only for what it calls. `invoke` and `ainvoke` alone send anything.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from extpkg.version import __version__

if TYPE_CHECKING:
    from extpkg.binding.request import ActionPlan, compile_action
    from extpkg.canonical import canonical_json
    from extpkg.connection import Connection
    from extpkg.connections import load_connection
    from extpkg.definition.model import Definition
    from extpkg.definition.projection import projection
    from extpkg.diagnostic import Diagnostic, Finding, Position, Report, Severity
    from extpkg.document.document import Document
    from extpkg.document.strict_json import parse_json
    from extpkg.document.strict_yaml import parse_document
    from extpkg.errors import DocumentInvalid, ExtensionError, ExtpkgError, PackageInvalid
    from extpkg.exchange import Request
    from extpkg.invocation import ainvoke, invoke
    from extpkg.package import Package, check_package, load_package
    from extpkg.pointer import Pointer
    from extpkg.result import Result
    from extpkg.secret import Secret

__all__ = [
    "ActionPlan",
    "Connection",
    "Definition",
    "Diagnostic",
    "Document",
    "DocumentInvalid",
    "ExtensionError",
    "ExtpkgError",
    "Finding",
    "Package",
    "PackageInvalid",
    "Pointer",
    "Position",
    "Report",
    "Request",
    "Result",
    "Secret",
    "Severity",
    "__version__",
    "ainvoke",
    "canonical_json",
    "check_package",
    "compile_action",
    "invoke",
    "load_connection",
    "load_package",
    "parse_document",
    "parse_json",
    "projection",
]

_HOMES = {
    "ActionPlan": "binding.request",
    "Connection": "connection",
    "Definition": "definition.model",
    "Diagnostic": "diagnostic",
    "Document": "document.document",
    "DocumentInvalid": "errors",
    "ExtensionError": "errors",
    "ExtpkgError": "errors",
    "Finding": "diagnostic",
    "Package": "package",
    "PackageInvalid": "errors",
    "Pointer": "pointer",
    "Position": "diagnostic",
    "Report": "diagnostic",
    "Request": "exchange",
    "Result": "result",
    "Secret": "secret",
    "Severity": "diagnostic",
    "ainvoke": "invocation",
    "canonical_json": "canonical",
    "check_package": "package",
    "compile_action": "binding.request",
    "invoke": "invocation",
    "load_connection": "connections",
    "load_package": "package",
    "parse_document": "document.strict_yaml",
    "parse_json": "document.strict_json",
    "projection": "definition.projection",
}


def __getattr__(name: str) -> Any:
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(importlib.import_module(f"{__name__}.{home}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
