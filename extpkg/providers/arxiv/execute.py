"""The arXiv executor: one input becomes one GET, one answer becomes one page or one paper (R-ARX)."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any, Final

from extpkg.binding.input import invalid_input
from extpkg.binding.parameters import query_text, request_url
from extpkg.diagnostic import quoted
from extpkg.egress.clock import Budget
from extpkg.egress.send import send
from extpkg.errors import ExtensionError
from extpkg.exchange import Request
from extpkg.json_schema import Violation
from extpkg.limits import RESULT_BYTES
from extpkg.providers.arxiv.atom import FeedInvalid, parse_feed
from extpkg.providers.arxiv.identifier import parse_identifier
from extpkg.result import result_bytes

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from extpkg.egress.send import Transport
    from extpkg.exchange import Response
    from extpkg.extension import Call
    from extpkg.providers.arxiv.atom import Entry, Feed
    from extpkg.providers.arxiv.identifier import Identifier

ENDPOINT: Final = "https://export.arxiv.org"
PATH: Final = "/api/query"

WINDOW: Final = 30_000
"""The results that arXiv serves of any search."""

_BUDGET: Final = Budget(raw=2 << 20)
_THROTTLED: Final = frozenset({b"rate exceeded", b"rate exceeded."})


async def execute(call: Call) -> Any:
    """Answer one call; raises `ExtensionError` as R-ARX says, and lets `EgressFailure` pass."""
    return await ACTIONS[call.action](call.value, call.transport)


async def search(value: dict[str, Any], transport: Transport) -> dict[str, Any]:
    """Return one page (R-ARX-1, R-ARX-5, R-ARX-7)."""
    offset, limit = int(value.get("offset", 0)), int(value.get("limit", 10))
    query = value.get("query", "").strip()
    ids = [parse_identifier(text) for text in value.get("idList", ())]
    if violations := tuple(_violations(value, query, ids)):
        raise invalid_input(violations)
    parameters: dict[str, Any] = {
        "start": offset,
        "max_results": limit,
        "sortBy": value.get("sortBy", "relevance"),
        "sortOrder": value.get("sortOrder", "descending"),
    }
    if query:
        parameters["search_query"] = query
    if ids:
        parameters["id_list"] = list(dict.fromkeys(map(str, ids)))
    feed = _feed(await send(_request(parameters), transport=transport, budget=_BUDGET), limit)
    if feed.only_errors:
        raise ExtensionError("validation", "arXiv refuses the query or an identifier in it")
    if not feed.entries and offset < feed.total:
        raise _failure("arXiv counts results but returns none of them", "entries_missing")
    return _fitted(feed, offset)


async def get(value: dict[str, Any], transport: Transport) -> dict[str, Any]:
    """Return one Paper (R-ARX-6)."""
    wanted = parse_identifier(value["id"])
    if wanted is None:
        raise invalid_input((_no_identifier("/id", value["id"]),))
    parameters = {"id_list": [str(wanted)], "max_results": 1}
    feed = _feed(await send(_request(parameters), transport=transport, budget=_BUDGET), None)
    if not feed.entries and feed.total:
        raise _failure("arXiv counts the paper but does not return it", "entries_missing")
    found = [each for each in feed.entries if each.identifier and wanted.covers(each.identifier)]
    if not found:
        raise ExtensionError("not_found", f"arXiv has no paper {wanted}")
    paper = max(found, key=_version).paper
    if paper is None:
        raise _failure("arXiv returns the paper in a form that cannot be read", "entry_malformed")
    return paper


def _version(entry: Entry) -> int:
    """Rank entries of one paper: an entry without a version is the latest."""
    known = entry.identifier and entry.identifier.version
    return known or sys.maxsize


ACTIONS: Final = {"get": get, "search": search}


def _violations(value: dict[str, Any], query: str, ids: Sequence[Identifier | None]) -> Iterable[Violation]:
    """Yield what the input schema cannot say."""
    if not query and not ids:
        message = "must hold more than spaces where there is no idList"
        yield Violation(pointer="/query", keyword="", schema_pointer="", message=message)
    for index, identifier in enumerate(ids):
        if identifier is None:
            yield _no_identifier(f"/idList/{index}", value["idList"][index])
    if value.get("offset", 0) + value.get("limit", 10) > WINDOW:
        message = f"must be at most {WINDOW} together with limit: arXiv serves no more of any search"
        yield Violation(pointer="/offset", keyword="", schema_pointer="", message=message)


def _no_identifier(pointer: str, text: str) -> Violation:
    message = f"must be an arXiv identifier such as 1605.08386v1 or hep-th/9901001, not {quoted(text)}"
    return Violation(pointer=pointer, keyword="", schema_pointer="", message=message)


def _request(parameters: dict[str, Any]) -> Request:
    query = query_text([(name, value, False) for name, value in parameters.items()])
    return Request(method="GET", url=request_url(ENDPOINT, PATH, query))


def _feed(response: Response, most: int | None) -> Feed:
    """Return what arXiv answered; raises `ExtensionError` where that is no feed (R-ARX-3)."""
    if response.status == 400:
        raise ExtensionError("validation", "arXiv refuses the query or an identifier in it")
    if response.status == 429 or (response.status == 200 and response.body.strip().lower() in _THROTTLED):
        raise ExtensionError("rate_limited", "arXiv asks to slow down; wait before the next call")
    if response.status != 200:
        raise _failure(f"arXiv answered with status {response.status}", "status")
    try:
        return parse_feed(response.body, most)
    except FeedInvalid:
        pass
    raise _failure("arXiv answered with something that is no feed", "feed_malformed")


def _failure(message: str, reason: str, **details: int) -> ExtensionError:
    return ExtensionError("upstream_failure", message, {"reason": reason, **details})


def _fitted(feed: Feed, offset: int) -> dict[str, Any]:
    """Return the page with as many leading papers as fit the result's budget (R-ARX-7)."""
    placed = [(place, entry.paper) for place, entry in enumerate(feed.entries) if entry.paper is not None]
    after = offset + len(feed.entries)
    page = _page(feed.total, offset, placed, after if after < min(feed.total, WINDOW) else None)
    if _fits(page):
        return page
    for kept in range(len(placed) - 1, 0, -1):
        dropped, _ = placed[kept]
        page = _page(feed.total, offset, placed[:kept], offset + dropped)
        if _fits(page):
            return page
    first, _ = placed[0]
    message = "the first paper alone is larger than a result may be"
    raise _failure(message, "result_too_large", nextOffset=offset + first + 1)


def _page(
    total: int, offset: int, placed: Sequence[tuple[int, dict[str, Any]]], following: int | None
) -> dict[str, Any]:
    page = {
        "papers": [paper for _, paper in placed],
        "totalResults": total,
        "offset": offset,
        "returned": len(placed),
        "hasMore": following is not None,
    }
    return page if following is None else {**page, "nextOffset": following}


def _fits(page: dict[str, Any]) -> bool:
    return len(result_bytes(page)) <= RESULT_BYTES
