"""Brave Search: one GET of its web search, whose texts are HTML (seed 004 section 6, R-SRCH)."""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING, Any, Final

from extpkg.binding.parameters import request_url
from extpkg.document.strict_json import parse_answer
from extpkg.egress.credential import Credential
from extpkg.errors import DocumentInvalid
from extpkg.exchange import Request
from extpkg.extension import Extension
from extpkg.providers.search.call import (
    KEY_FORM,
    api_key,
    ask,
    content,
    judge_key,
    key_refused,
    query_text,
)
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
    from collections.abc import Callable

    from extpkg.exchange import Response
    from extpkg.extension import Call

ORIGIN: Final = "https://api.search.brave.com"
PATH: Final = "/res/v1/web/search"
HEADERS: Final = (("accept", "application/json"),)
KEY_HEADER: Final = "x-subscription-token"
MEMBERS: Final = Members(url="url", title="title", snippet="description")

REVISION: Final = "1"
"""Raised whenever the executor answers differently."""

DEFINITION: Final = definition(
    domain="brave",
    name="Brave Search",
    about="Search the web with Brave Search, an index of its own.",
    note="A query has at most 400 characters and 50 words.",
)

_KEY_CODES: Final = {422: "SUBSCRIPTION_TOKEN_INVALID", 404: "SUBSCRIPTION_NOT_FOUND"}
"""Statuses that speak of the API key, each with the code that the body then has (R-SRCH-7)."""

_TAG: Final = re.compile(r"</?[A-Za-z][^>]*>")
_MANY_DIGITS: Final = re.compile(r"&#[Xx]?[0-9A-Fa-f]{8}")
_ZEROS: Final = re.compile(r"&#(?:([Xx])0+(?=[0-9A-Fa-f])|0+(?=[0-9]))")
_BEYOND: Final = re.compile(r"&#(?:[0-9]{8,}|[Xx][0-9A-Fa-f]{8,});?")


def extension() -> Extension:
    """Return the Extension that searches with Brave."""
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
    asked = question(call.value, characters=400, words=50)
    credential = Credential.header(KEY_HEADER, api_key(call))
    return read(await ask(_request(asked), call, credential=credential), asked.limit)


def read(response: Response, limit: int) -> dict[str, Any]:
    """Return the result that an answer makes; raises `ExtensionError` (R-SRCH-2 to R-SRCH-5, R-SRCH-7)."""
    judge_key(response)
    code = _KEY_CODES.get(response.status)
    if code is not None and code in _codes(response.body):
        raise key_refused()
    return results(_entries(content(response)), MEMBERS, limit, plain=plain_text)


def _request(asked: Question) -> Request:
    query = query_text(("q", asked.query), ("count", asked.limit), ("text_decorations", "false"))
    return Request(method="GET", url=request_url(ORIGIN, PATH, query), headers=HEADERS)


def _codes(body: bytes) -> list[Any]:
    """Return the error codes of a body: of `error`, as it is live, and of `errors`, as it is documented."""
    try:
        answer = parse_answer(body)
    except DocumentInvalid:
        return []
    if not isinstance(answer, dict):
        return []
    several = answer.get("errors")
    errors = [answer.get("error"), *(several if isinstance(several, list) else ())]
    return [error.get("code") for error in errors if isinstance(error, dict)]


def _entries(answer: Any) -> list[Any]:
    """Return the entries; Brave leaves `web` out where it found nothing (R-SRCH-5)."""
    if not isinstance(answer, dict):
        raise unexpected()
    web = answer.get("web")
    if web is None and answer.get("type") == "search":
        return []
    entries = web.get("results") if isinstance(web, dict) else None
    if not isinstance(entries, list):
        raise unexpected()
    return entries


def plain_text(text: str) -> str:
    """Return HTML as text: tags removed, then character references decoded once (R-SRCH-3)."""
    if "<" in text:
        # Behind the last ">" no tag ends: looking for its end from every "<" there would be quadratic.
        end = text.rfind(">") + 1
        text = _TAG.sub("", text[:end]) + text[end:]
    if "&" not in text:
        return text
    if "&#" in text and _MANY_DIGITS.search(text):
        # The library converts every digit, and refuses to where there are thousands.
        text = _BEYOND.sub("\ufffd", _ZEROS.sub(r"&#\1", text))
    return _unescape()(text)


@cache
def _unescape() -> Callable[[str], str]:
    # Two thousand names, imported by the first answer that has one.
    from html import unescape

    return unescape
