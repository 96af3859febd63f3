"""SearXNG: one GET at the instance that its owner configured (seed 004 section 6, R-SRCH).

The only Builtin whose origin is configuration, and the only one that may lie in a private network (R-SRCH-8).
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from extpkg.binding.parameters import request_url
from extpkg.egress.address import is_reachable
from extpkg.egress.reach import Origin
from extpkg.exchange import Request
from extpkg.extension import ConnectionForm, Extension
from extpkg.json_schema import Violation
from extpkg.providers.search.call import ask, connection_of, content, query_text
from extpkg.providers.search.contract import (
    FAILS_WITH,
    PROBE,
    SERVES,
    Members,
    Question,
    definition,
    failure,
    is_ipv6,
    question,
    results,
    unexpected,
)

if TYPE_CHECKING:
    from extpkg.exchange import Response
    from extpkg.extension import Call

PATH: Final = "/search"
HEADERS: Final = (("accept", "*/*"), ("accept-language", "en"))
"""What an instance's limiter wants of a client, beside gzip; see docs/search.md."""

MEMBERS: Final = Members(url="url", title="title", snippet="content")

REVISION: Final = "1"
"""Raised whenever the executor answers differently."""

DEFINITION: Final = definition(
    domain="searxng",
    name="SearXNG",
    about="Search the web with a SearXNG instance, which asks many search engines.",
)

_PORTS: Final = {"http": 80, "https": 443}
_VISIBLE: Final = re.compile(r"[!-~]*")
_AUTHORITY: Final = re.compile(r"(?:\[([0-9a-f:.]+)\]|([^:\[\]]+))(?::(.*))?")
_PORT: Final = re.compile(r"[1-9][0-9]{0,4}")
_LABEL: Final = re.compile(r"[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?")
_NUMBER: Final = re.compile(r"[0-9]+|0x[0-9a-f]*")
_OCTET: Final = re.compile(r"25[0-5]|2[0-4][0-9]|1[0-9]{2}|[1-9]?[0-9]")
_SEGMENT: Final = re.compile(r"[A-Za-z0-9._~-]+")
_LANGUAGE: Final = "^[A-Za-z]{2,8}(?:[-_][A-Za-z0-9]{1,8}){0,3}$"


@dataclass(frozen=True, slots=True, kw_only=True)
class BaseUrl:
    """Where an instance is: its origin, and the path above `/search`, empty or `/…` without a final `/`.

    `parse_base_url` is the only way to get one.
    """

    origin: Origin
    path: str

    def __str__(self) -> str:
        scheme, host, port = self.origin.scheme, self.origin.host, self.origin.port
        shown = f"[{host}]" if ":" in host else host
        return f"{scheme}://{shown}{'' if port == _PORTS[scheme] else f':{port}'}{self.path}"


def parse_base_url(text: str) -> BaseUrl:
    """Return the base URL that a text is: host in lower case, without a port that is the scheme's own.

    Raises ValueError with what it must be (R-SRCH-8), without a word of the text: it may hold a password.
    """
    if not _VISIBLE.fullmatch(text):
        raise ValueError("must be visible ASCII; a name in other letters is written with xn--")
    scheme, separator, rest = text.partition("://")
    scheme = scheme.lower()
    if scheme not in _PORTS or not separator:
        raise ValueError("must start with http:// or https://")
    for mark, name in (("#", "fragment"), ("?", "query")):
        if mark in rest:
            raise ValueError(f"must have no {name}")
    authority, slash, path = rest.partition("/")
    if "@" in authority:
        raise ValueError("must have no user name and no password")
    host, port = _host_and_port(authority.lower(), _PORTS[scheme])
    return BaseUrl(origin=Origin(scheme=scheme, host=host, port=port), path=_path(slash + path))


def _host_and_port(authority: str, default: int) -> tuple[str, int]:
    found = _AUTHORITY.fullmatch(authority)
    if found is None:
        raise ValueError("must have a host, and after it nothing but a port")
    ipv6, name, port = found.groups()
    if port is not None and not (_PORT.fullmatch(port) and int(port) <= 65_535):
        raise ValueError("must have a port from 1 to 65535 without leading zeros, or none")
    if not (is_ipv6(ipv6) if ipv6 else _is_host(name)):
        raise ValueError("must have a host that is a name, an IPv4 address or an IPv6 address in brackets")
    literal = ipv6 or (name if _is_ipv4(name) else None)
    if literal and not is_reachable(literal):
        raise ValueError("must not lead to an address that is denied to every connection")
    return ipv6 or name, default if port is None else int(port)


def _is_host(name: str) -> bool:
    """Say whether a host is a name or a dotted IPv4 address; other numbers are addresses to some."""
    labels = name.split(".")
    if _NUMBER.fullmatch(labels[-1]):
        return _is_ipv4(name)
    return len(name) <= 253 and all(map(_LABEL.fullmatch, labels))


def _is_ipv4(name: str) -> bool:
    labels = name.split(".")
    return len(labels) == 4 and all(map(_OCTET.fullmatch, labels))


def _path(path: str) -> str:
    path = path.removesuffix("/")
    segments = path.split("/")[1:]
    if any(segment in {".", ".."} or not _SEGMENT.fullmatch(segment) for segment in segments):
        raise ValueError("must have a path of letters, digits and . _ ~ - between single slashes, or none")
    return path


def judge(config: Any) -> tuple[Violation, ...]:
    """Return what is wrong with a configuration that the form's schema accepts."""
    try:
        parse_base_url(config["baseUrl"])
    except ValueError as refused:
        message = str(refused)
        return (Violation(pointer="/baseUrl", keyword="", schema_pointer="", message=message),)
    return ()


FORM: Final = ConnectionForm(
    config_schema={
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "type": "object",
        "additionalProperties": False,
        "required": ["baseUrl"],
        "properties": {
            "baseUrl": {
                "description": "Where the instance is, without /search; http, https, private addresses too.",
                "type": "string",
                "minLength": 1,
                "maxLength": 2048,
                "examples": ["http://10.0.0.5:8080", "https://search.example/searxng"],
            },
            "language": {
                "description": "Language of the results, such as en or pt-BR; the instance's own without it.",
                "type": "string",
                "pattern": _LANGUAGE,
                "examples": ["en", "pt-BR"],
            },
        },
    },
    hints={
        "forbidden": "Instances refuse JSON until search.formats in their settings.yml lists json.",
        "redirected": "Configure the address that the instance redirects to; redirects are not followed.",
        "answer_malformed": "What answers there is no SearXNG: look for a login page or another service.",
        "engines_unresponsive": "The instance works, but every engine that it asked failed or blocked it.",
    },
    judge=judge,
)
"""What a connection holds; the hints are for errors whose cause in an instance is known."""


def extension() -> Extension:
    """Return the Extension that searches with SearXNG."""
    return Extension(
        definition=DEFINITION,
        serves=SERVES,
        execute=search,
        revision=REVISION,
        fails_with=FAILS_WITH,
        form=FORM,
        probe=PROBE,
    )


async def search(call: Call) -> dict[str, Any]:
    """Answer one call; raises `ExtensionError` as R-SRCH says, and lets `EgressFailure` pass."""
    asked = question(call.value)
    config = connection_of(call, FORM).config
    base = parse_base_url(config["baseUrl"])
    return read(
        await ask(_request(asked, base, config.get("language")), call, reach=base.origin), asked.limit
    )


def read(response: Response, limit: int) -> dict[str, Any]:
    """Return the result that an answer makes; raises `ExtensionError` (R-SRCH-2 to R-SRCH-5, R-SRCH-7)."""
    if response.status == 403:
        raise failure("the SearXNG instance refuses to answer with JSON", "forbidden")
    return results(_entries(content(response)), MEMBERS, limit)


def _request(asked: Question, base: BaseUrl, language: str | None) -> Request:
    pairs = [("q", asked.query), ("format", "json")]
    if language is not None:
        pairs.append(("language", language))
    return Request(method="GET", url=request_url(str(base), PATH, query_text(*pairs)), headers=HEADERS)


def _entries(answer: Any) -> list[Any]:
    """Return the entries; none of them while engines failed is no empty result (R-SRCH-5)."""
    entries = answer.get("results") if isinstance(answer, dict) else None
    if not isinstance(entries, list):
        raise unexpected()
    if not entries and answer.get("unresponsive_engines"):
        raise failure("none of the instance's engines answered", "engines_unresponsive")
    return entries
