"""Tavily Search: one POST with a bearer token (seed 004 section 6, R-SRCH)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from extpkg.canonical import canonical_json
from extpkg.egress.credential import Credential
from extpkg.exchange import Request
from extpkg.extension import Extension
from extpkg.providers.search.call import JSON_HEADERS, KEY_FORM, api_key, ask, content, judge_key
from extpkg.providers.search.contract import (
    FAILS_WITH,
    PROBE,
    SERVES,
    Members,
    Question,
    definition,
    question,
    results,
    unexpected,
)

if TYPE_CHECKING:
    from extpkg.exchange import Response
    from extpkg.extension import Call

URL: Final = "https://api.tavily.com/search"
MEMBERS: Final = Members(url="url", title="title", snippet="content")

REVISION: Final = "1"
"""Raised whenever the executor answers differently."""

DEFINITION: Final = definition(
    domain="tavily",
    name="Tavily Search",
    about="Search the web with Tavily, a search engine made for agents.",
    note="A query has at most 400 characters.",
)


def extension() -> Extension:
    """Return the Extension that searches with Tavily."""
    return Extension(
        definition=DEFINITION,
        serves=SERVES,
        execute=search,
        revision=REVISION,
        fails_with=FAILS_WITH,
        form=KEY_FORM,
        probe=PROBE,
    )


async def search(call: Call) -> dict[str, Any]:
    """Answer one call; raises `ExtensionError` as R-SRCH says, and lets `EgressFailure` pass."""
    asked = question(call.value, characters=400)
    credential = Credential.bearer(api_key(call))
    return read(await ask(_request(asked), call, credential=credential), asked.limit)


def read(response: Response, limit: int) -> dict[str, Any]:
    """Return the result that an answer makes; raises `ExtensionError` (R-SRCH-2 to R-SRCH-5, R-SRCH-7)."""
    judge_key(response)
    return results(_entries(content(response)), MEMBERS, limit)


def _request(asked: Question) -> Request:
    body = canonical_json({"query": asked.query, "max_results": asked.limit})
    return Request(method="POST", url=URL, headers=JSON_HEADERS, body=body)


def _entries(answer: Any) -> list[Any]:
    entries = answer.get("results") if isinstance(answer, dict) else None
    if not isinstance(entries, list):
        raise unexpected()
    return entries
