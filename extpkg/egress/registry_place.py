"""Where an OCI repository is, and which origins its registry may lead to: `oci://HOST[:PORT]/REPOSITORY`."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from extpkg.egress.address import is_public, is_reachable
from extpkg.egress.reach import Origin

if TYPE_CHECKING:
    from collections.abc import Callable

_LABEL: Final = r"[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?"
_IPV4: Final = r"[0-9]{1,3}(?:\.[0-9]{1,3}){3}"
_HOST: Final = rf"(?P<host>{_LABEL}(?:\.{_LABEL})*|\[[0-9a-f:.]{{2,45}}\])(?::(?P<port>[1-9][0-9]{{0,4}}))?"
_PART: Final = r"[a-z0-9]+(?:(?:\.|_|__|-+)[a-z0-9]+)*"
_PLACE: Final = re.compile(rf"(?P<scheme>oci(?:\+http|\+private)?)://{_HOST}/(?P<name>{_PART}(?:/{_PART})*)")
_URL: Final = re.compile(rf"(?P<scheme>https?)://{_HOST}(?P<path>/[\x21\x22\x24-\x7e]*)?", re.ASCII)
_PATH: Final = re.compile(r"/[\x21\x22\x24-\x7e]*")
_NUMERIC: Final = re.compile(_IPV4)
_PORTS: Final = {"https": 443, "http": 80}
_LONGEST: Final = 255


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """One URL: its origin, and path and query as they go out."""

    origin: Origin
    path: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Repository:
    """One repository as it was given: its registry's origin, its name there, and what was allowed with it.

    `private` says that the host was given as one at a private, loopback or CGNAT address.
    """

    origin: Origin
    name: str
    private: bool

    def target(self, rest: str) -> Target:
        """Return the URL of a part of the repository."""
        return Target(origin=self.origin, path=f"/v2/{self.name}/{rest}")

    def permitted(self, origin: Origin) -> Callable[[str], bool] | None:
        """Return what judges the addresses of an origin that the registry leads to; None where it may not.

        Plain HTTP and private addresses are for the host that was given so, and for no other.
        """
        given = origin.host == self.origin.host
        if origin.scheme != "https" and not (given and self.origin.scheme == "http"):
            return None
        return is_reachable if given and self.private else is_public


def repository(text: str) -> Repository | None:
    """Return the repository that a location names, None for any other text.

    `oci+http` is plain HTTP; it, `oci+private` and a literal address may be private.
    """
    found = _PLACE.fullmatch(text)
    if found is None or len(found["name"]) > _LONGEST:
        return None
    origin = _origin("http" if found["scheme"] == "oci+http" else "https", found)
    if origin is None:
        return None
    literal = ":" in origin.host or _NUMERIC.fullmatch(origin.host) is not None
    return Repository(origin=origin, name=found["name"], private=found["scheme"] != "oci" or literal)


def target(text: str, base: Origin) -> Target | None:
    """Return where an absolute URL or an absolute path leads, None for any other text; no fragment is one."""
    if _PATH.fullmatch(text) and not text.startswith("//"):
        return Target(origin=base, path=text)
    found = _URL.fullmatch(text)
    origin = found and _origin(found["scheme"], found)
    return Target(origin=origin, path=found["path"] or "/") if found and origin else None


def netloc(origin: Origin) -> str:
    """Return host and port as a URL and the header `host` have them."""
    host = f"[{origin.host}]" if ":" in origin.host else origin.host
    return host if origin.port == _PORTS[origin.scheme] else f"{host}:{origin.port}"


def _origin(scheme: str, found: re.Match[str]) -> Origin | None:
    port = int(found["port"] or _PORTS[scheme])
    host = found["host"].strip("[]")
    return Origin(scheme=scheme, host=host, port=port) if port <= 65_535 else None
