"""What the four search Builtins share: their one action, the rules of its input, the one form of its result.

Seed 004 section 4, R-SRCH-1 to R-SRCH-5. Pure: what a provider answered comes in as a JSON value.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from ipaddress import AddressValueError, IPv6Address
from typing import TYPE_CHECKING, Any, Final

from extpkg.binding.input import invalid_input
from extpkg.canonical import canonical_json
from extpkg.definition.model import Action, Catalog, Definition, Safety
from extpkg.definition.normalize import normalize
from extpkg.errors import ExtensionError
from extpkg.extension import Probe
from extpkg.json_schema import Violation
from extpkg.limits import RESULT_BYTES

if TYPE_CHECKING:
    from collections.abc import Callable

    from extpkg.errors import ErrorCode

ACTION: Final = "search"
SERVES: Final = frozenset({ACTION})
PROBE: Final = Probe(action=ACTION, value={"query": "test", "limit": 1})

FAILS_WITH: Final[frozenset[ErrorCode]] = frozenset(
    {"validation", "provider_auth_unavailable", "rate_limited", "upstream_failure"}
)
"""The error codes that calls of a search engine end with."""

QUERY_CHARACTERS: Final = 512
LIMIT: Final = 10
DEFAULT_LIMIT: Final = 5
TITLE_CHARACTERS: Final = 512
SNIPPET_CHARACTERS: Final = 4096

_DIALECT: Final = "https://json-schema.org/draft/2020-12/schema"

_UNFIT: Final = r"\x00-\x20\x7f-\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000\\\ud800-\udfff"
"""Controls, white space, the backslash, halves of surrogate pairs; as ranges, which match fastest."""

_ADDRESS: Final = re.compile(
    rf"([Hh][Tt][Tt][Pp][Ss]?://(?:\[([0-9A-Fa-f:.]+)\]|[^{_UNFIT}/?#@:\[\]<>^|]+)"
    rf"(?::0*([0-9]{{0,5}}))?(?:[/?][^{_UNFIT}#]*)?)(?:\#[^{_UNFIT}]*)?"
)
_HALF: Final = re.compile("[\ud800-\udfff]")
_PORTS: Final = 65_535
_SURELY_FITS: Final = (RESULT_BYTES - LIMIT * 64) // 6
"""Characters of results that fit whatever they are: none has more than six bytes, no result more frame."""


def definition(*, domain: str, name: str, about: str, note: str = "") -> Definition:
    """Return the normalized Definition of one search engine: all are equal but for the texts given here.

    `about` describes the Extension; `note` is added to the description of the action.
    """
    made = Definition(
        domain=domain,
        version=1,
        name=name,
        description=about,
        base_url=None,
        profiles=(),
        actions=(
            Action(
                name=ACTION,
                auth=None,
                binding=None,
                catalog=Catalog(
                    summary=f"Search the web with {name}",
                    description=_description(note),
                    safety=Safety(classification="read", idempotent=True, destructive=False),
                    input_schema=input_schema(),
                    output_schema=output_schema(),
                    example={"query": "canonical JSON of RFC 8785", "limit": 5},
                ),
            ),
        ),
    )
    return normalize(made)


def _description(note: str) -> str:
    lines = [
        (
            "Return addresses, titles and snippets of web pages, the best first. "
            "An empty list means that nothing was found; an engine that fails is an error."
        ),
        "Results are hints where to read on, not evidence: read a page before you rely on it or cite it.",
        *([note] if note else []),
        "After rate_limited wait before the next call.",
    ]
    return "\n".join(lines)


def input_schema() -> dict[str, Any]:
    """Return the schema of the input (seed 004 section 4.1)."""
    return {
        "$schema": _DIALECT,
        "type": "object",
        "additionalProperties": False,
        "required": ["query"],
        "properties": {
            "query": {
                "description": "What to search for, in the engine's own syntax; outer spaces are dropped.",
                "type": "string",
                "minLength": 1,
                "maxLength": QUERY_CHARACTERS,
                "pattern": r"\S",
            },
            "limit": {
                "description": "How many results at most.",
                "type": "integer",
                "minimum": 1,
                "maximum": LIMIT,
                "default": DEFAULT_LIMIT,
            },
        },
    }


def output_schema() -> dict[str, Any]:
    """Return the schema of the result (seed 004 section 4.2)."""
    return {
        "$schema": _DIALECT,
        "type": "object",
        "additionalProperties": False,
        "required": ["results"],
        "properties": {
            "results": {
                "description": "In the engine's order, no address twice; may be shorter than limit.",
                "type": "array",
                "maxItems": LIMIT,
                "items": {
                    "type": "object",
                    "additionalProperties": False,
                    "required": ["url", "title", "snippet"],
                    "properties": {
                        "url": {
                            "description": "Absolute address of the page, without a fragment.",
                            "type": "string",
                            "format": "iri",
                            "pattern": r"^[Hh][Tt][Tt][Pp][Ss]?://[^ #]+$",
                        },
                        "title": {
                            "description": "Title of the page as the engine shows it; may be empty.",
                            "type": "string",
                            "maxLength": TITLE_CHARACTERS,
                        },
                        "snippet": {
                            "description": "The engine's own excerpt or summary; may be empty.",
                            "type": "string",
                            "maxLength": SNIPPET_CHARACTERS,
                        },
                    },
                },
            }
        },
    }


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """What is asked of an engine: the trimmed query and the effective limit."""

    query: str
    limit: int


def question(value: dict[str, Any], *, characters: int | None = None, words: int | None = None) -> Question:
    """Return what an input asks for; `characters` and `words` are an engine's own limits of the query.

    Raises `ExtensionError` (`validation`) for what the input schema cannot say (R-SRCH-1, R-SRCH-6).
    """
    query = value["query"].strip()
    message = None
    if not query:
        message = "must hold more than spaces"
    elif characters is not None and len(query) > characters:
        message = f"must be at most {characters} characters long: this engine takes no more"
    elif words is not None and len(query.split()) > words:
        message = f"must have at most {words} words: this engine takes no more"
    if message is not None:
        raise invalid_input((Violation(pointer="/query", keyword="", schema_pointer="", message=message),))
    return Question(query=query, limit=int(value.get("limit", DEFAULT_LIMIT)))


def failure(message: str, reason: str) -> ExtensionError:
    """Return the `upstream_failure` of that reason, for the caller to raise."""
    return ExtensionError("upstream_failure", message, {"reason": reason})


def unexpected() -> ExtensionError:
    """Return the failure of an answer that is JSON but not what the engine's interface describes."""
    return failure(
        "the search engine answered with something that is no list of results", "answer_unexpected"
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Members:
    """The names that an engine has for the three members of a result."""

    url: str
    title: str
    snippet: str


def results(
    entries: list[Any], members: Members, limit: int, *, plain: Callable[[str], str] | None = None
) -> dict[str, Any]:
    """Return the result that an engine's entries make (R-SRCH-2 to R-SRCH-4).

    Malformed entries and repeated addresses are dropped, then the list is capped at `limit` and made to fit
    the result's budget. `plain` turns the engine's markup into text. Raises `ExtensionError` where not even
    the first result fits.
    """
    found: dict[str, dict[str, str]] = {}
    characters = 0
    for entry in entries:
        url = address(entry.get(members.url)) if isinstance(entry, dict) else None
        if url is None or url in found:
            continue
        title = _text(entry.get(members.title), TITLE_CHARACTERS, plain)
        snippet = _text(entry.get(members.snippet), SNIPPET_CHARACTERS, plain)
        if title is None or snippet is None:
            continue
        found[url] = {"url": url, "title": title, "snippet": snippet}
        characters += len(url) + len(title) + len(snippet)
        if len(found) == limit:
            break
    rows = list(found.values())
    return {"results": rows if characters <= _SURELY_FITS else _fitting(rows)}


def address(value: Any) -> str | None:
    """Return an absolute http or https URL without its fragment, else as it was written; None for no such."""
    if not isinstance(value, str):
        return None
    found = _ADDRESS.fullmatch(value.strip(" "))
    if found is None:
        return None
    kept: str
    kept, ipv6, port = found.groups()
    if (port and int(port) > _PORTS) or (ipv6 and not is_ipv6(ipv6)):
        return None
    return kept


def is_ipv6(text: str) -> bool:
    """Say whether a text spells an IPv6 address, without brackets and zone."""
    try:
        IPv6Address(text)
    except AddressValueError:
        return False
    return "%" not in text


def _text(value: Any, most: int, plain: Callable[[str], str] | None) -> str | None:
    """Return a text that is trimmed, then cut by code points; None for what is no text."""
    if not isinstance(value, str):
        return "" if value is None else None
    if not value.isascii():
        value = _HALF.sub("\ufffd", value)
    if plain:
        value = plain(value)
    text: str = value.strip()
    return text if len(text) <= most else text[:most]


def _fitting(rows: list[dict[str, str]]) -> list[dict[str, str]]:
    """Return as many leading results as fit the result's budget (R-SRCH-4, R-RES-5)."""
    left = RESULT_BYTES - len('{"results":[]}') + 1
    for kept, row in enumerate(rows):
        left -= len(canonical_json(row)) + 1
        if left < 0 and kept:
            return rows[:kept]
        if left < 0:
            raise failure("the first result alone is larger than a result may be", "result_too_large")
    return rows
