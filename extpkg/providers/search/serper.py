"""Serper: one POST that answers with Google's organic results (seed 004 section 6, R-SRCH)."""

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

URL: Final = "https://google.serper.dev/search"
KEY_HEADER: Final = "x-api-key"
MEMBERS: Final = Members(url="link", title="title", snippet="snippet")

REVISION: Final = "1"
"""Raised whenever the executor answers differently."""

DEFINITION: Final = definition(
    domain="serper",
    name="Serper Search",
    about="Search the web with Serper, which returns Google's organic results.",
)


def extension() -> Extension:
    """Return the Extension that searches with Serper."""
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
    asked = question(call.value)
    credential = Credential.header(KEY_HEADER, api_key(call))
    return read(await ask(_request(asked), call, credential=credential), asked.limit)


def read(response: Response, limit: int) -> dict[str, Any]:
    """Return the result that an answer makes; raises `ExtensionError` (R-SRCH-2 to R-SRCH-5, R-SRCH-7)."""
    judge_key(response)
    return results(sorted(_entries(content(response)), key=_rank), MEMBERS, limit)


def _request(asked: Question) -> Request:
    body = canonical_json({"q": asked.query, "num": asked.limit})
    return Request(method="POST", url=URL, headers=JSON_HEADERS, body=body)


def _entries(answer: Any) -> list[Any]:
    """Return the entries; Serper leaves `organic` out where Google found nothing (R-SRCH-5)."""
    if not isinstance(answer, dict):
        raise unexpected()
    if "organic" not in answer and isinstance(answer.get("searchParameters"), dict):
        return []
    entries = answer.get("organic")
    if not isinstance(entries, list):
        raise unexpected()
    return entries


def _rank(entry: Any) -> tuple[bool, float]:
    """Rank entries by their whole position; the rest come after them, in the order that they have."""
    position = entry.get("position") if isinstance(entry, dict) else None
    if type(position) is int or (type(position) is float and position.is_integer()):
        return False, position
    return True, 0
