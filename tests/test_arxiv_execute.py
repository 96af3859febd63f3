"""The arXiv executor: one request, and what is made of the answer (R-ARX-1, R-ARX-5 to R-ARX-7)."""

from __future__ import annotations

from typing import Any
from urllib.parse import parse_qsl, urlsplit

import pytest
from feeds import Answering, crowd, entry, feed
from hypothesis import given
from hypothesis import strategies as st

import extpkg
from extpkg.json_schema import compile_schema
from extpkg.limits import RESULT_BYTES
from extpkg.providers import shipped_definition
from extpkg.providers.arxiv import ACTIONS
from extpkg.providers.arxiv import execute as executor
from extpkg.result import result_bytes

PAGE = compile_schema(
    next(each for each in shipped_definition("arxiv").actions if each.name == "search").catalog.output_schema
)


def search(value: Any, *entries: str, total: object = 100, status: int = 200) -> Any:
    return extpkg.invoke(
        "arxiv", "search", value, transport=Answering(feed(*entries, total=total), status)
    ).data


def test_the_executor_serves_what_is_declared() -> None:
    """A006, A008."""
    assert set(executor.ACTIONS) == ACTIONS


def test_one_get_with_the_engines_headers_alone() -> None:
    """A039, A040, A050."""
    transport = Answering(feed(entry()))
    for _ in range(2):
        extpkg.invoke("arxiv", "search", {"query": "a b"}, transport=transport)
    first, second = transport.requests
    assert first.method == "GET"
    assert str(first.url) == str(second.url)
    assert sorted(first.headers) == ["accept-encoding", "connection", "host", "user-agent"]
    assert str(first.url) == (
        "https://export.arxiv.org/api/query?max_results=10&search_query=a%20b&sortBy=relevance"
        "&sortOrder=descending&start=0"
    )


@given(
    st.text(st.characters(codec="utf-8"), min_size=1, max_size=60).filter(str.strip),
    st.integers(0, 29_980),
    st.integers(1, 20),
)
def test_a_query_arrives_as_it_is(query: str, offset: int, limit: int) -> None:
    """A010, A012 to A014, D015."""
    transport = Answering(feed(total=0))
    extpkg.invoke("arxiv", "search", {"query": query, "offset": offset, "limit": limit}, transport=transport)
    url = urlsplit(str(transport.requests[0].url))
    assert (url.scheme, url.netloc, url.path, url.fragment) == ("https", "export.arxiv.org", "/api/query", "")
    assert parse_qsl(url.query, strict_parsing=True) == [
        ("max_results", str(limit)),
        ("search_query", query.strip()),
        ("sortBy", "relevance"),
        ("sortOrder", "descending"),
        ("start", str(offset)),
    ]


def test_a_query_without_utf_8_form_is_refused() -> None:
    with pytest.raises(extpkg.ExtensionError, match="surrogate") as caught:
        search({"query": "\ud800"})
    assert caught.value.code == "validation"


@pytest.mark.parametrize(
    ("value", "pointers"),
    [
        ({"query": " "}, ["/query"]),
        ({"idList": ["x", "2103.01234", "y"]}, ["/idList/0", "/idList/2"]),
        ({"query": "x", "offset": 29_991}, ["/offset"]),
        ({"query": "x", "offset": 29_999, "limit": 2, "idList": ["z"]}, ["/idList/0", "/offset"]),
        ({"idList": ["z"] * 100}, [f"/idList/{index}" for index in range(20)]),
    ],
)
def test_what_the_schema_cannot_say(value: Any, pointers: list[str]) -> None:
    """A017, A018, D025: named by place, and nothing is sent."""
    transport = Answering(feed())
    with pytest.raises(extpkg.ExtensionError) as caught:
        extpkg.invoke("arxiv", "search", value, transport=transport)
    assert caught.value.code == "validation"
    assert caught.value.details is not None
    assert [row["pointer"] for row in caught.value.details["violations"]] == pointers
    assert transport.requests == []


def test_the_window_may_be_used_up() -> None:
    """A018."""
    assert (
        search({"query": "x", "offset": 29_990, "limit": 10}, entry(), total=99_999)["nextOffset"] == 29_991
    )


@given(
    st.lists(st.sampled_from(["paper", "malformed", "error"]), max_size=24),
    st.integers(0, 29_980),
    st.integers(1, 20),
    st.integers(0, 40_000),
)
def test_paging_loses_nothing(kinds: list[str], offset: int, limit: int, total: int) -> None:
    """A019 to A021."""
    made: dict[str, dict[str, Any]] = {
        "malformed": {"published": None},
        "error": {"id": "http://arxiv.org/api/errors#x"},
        "paper": {},
    }
    rows = [entry(f"2103.{place + 1:05}", **made[kind]) for place, kind in enumerate(kinds)]
    value = {"query": "x", "offset": offset, "limit": limit}
    only_errors = bool(kinds) and set(kinds) == {"error"}
    if only_errors or (not kinds and offset < total):
        with pytest.raises(extpkg.ExtensionError) as caught:
            search(value, *rows, total=total)
        assert caught.value.code == ("validation" if only_errors else "upstream_failure")
        return
    page = search(value, *rows, total=total)
    read = kinds[:limit]
    assert [paper["id"] for paper in page["papers"]] == [
        f"2103.{place + 1:05}" for place, kind in enumerate(read) if kind == "paper"
    ]
    assert page["returned"] == len(page["papers"])
    assert page["hasMore"] is (offset + len(read) < min(total, 30_000))
    assert page.get("nextOffset") == (offset + len(read) if page["hasMore"] else None)
    assert PAGE.violations(page) == ()


@pytest.mark.parametrize("total", [1, 3, 900])
def test_trailing_papers_are_dropped_whole(total: int) -> None:
    """R-ARX-7: the next page starts at the first dropped paper, whatever the total says."""
    rows = [entry(published=None), crowd("2103.00001", 600), crowd("2103.00002", 600), entry(updated=None)]
    page = search({"query": "x", "offset": 5}, *rows, crowd("2103.00003", 600), total=total)
    assert [paper["id"] for paper in page["papers"]] == ["2103.00001", "2103.00002"]
    assert (page["returned"], page["hasMore"], page["nextOffset"]) == (2, True, 9)
    assert len(result_bytes(page)) <= RESULT_BYTES
    assert PAGE.violations(page) == ()


@pytest.mark.parametrize(("before", "following"), [(0, 1), (3, 4)])
def test_three_thousand_authors_fit_no_page(before: int, following: int) -> None:
    rows = [entry(published=None)] * before
    with pytest.raises(extpkg.ExtensionError) as caught:
        search({"query": "x"}, *rows, crowd("2103.00001", 3000), entry())
    assert caught.value.code == "upstream_failure"
    assert caught.value.details == {"reason": "result_too_large", "nextOffset": following}


def test_after_three_thousand_authors_the_page_ends() -> None:
    page = search({"query": "x"}, entry(), crowd("2103.00001", 3000), entry("2103.00002"), total=3)
    assert (page["returned"], page["hasMore"], page["nextOffset"]) == (1, True, 1)


def test_a_result_fits_to_the_byte() -> None:
    """R-RES-2: 65,536 bytes pass."""
    value = {"query": "x"}
    free = RESULT_BYTES - len(result_bytes(search(value, entry(summary="a"), total=1))) + 1
    assert len(result_bytes(search(value, entry(summary="a" * free), total=1))) == RESULT_BYTES
    with pytest.raises(extpkg.ExtensionError, match="larger"):
        search(value, entry(summary="a" * (free + 1)), total=1)


def test_results_are_counted_in_bytes_and_escapes() -> None:
    """R-RES-2: strings as RFC 8785 writes them."""
    value = {"query": "x"}
    free = RESULT_BYTES - len(result_bytes(search(value, entry(summary="a"), total=1))) + 1
    for character, size in (("\u00e9", 2), ("\U0001d49c", 4), ("\\", 2), ('"', 2)):
        fitting = character * (free // size)
        assert search(value, entry(summary=fitting), total=1)["returned"] == 1
        with pytest.raises(extpkg.ExtensionError):
            search(value, entry(summary=fitting + character), total=1)


def test_get_never_takes_another_paper() -> None:
    """A025, D018."""
    body = feed(entry("2103.00002v1"), entry("2103.01234v1"), entry("2103.01234"), total=3)
    found = extpkg.invoke("arxiv", "get", {"id": "2103.01234"}, transport=Answering(body))
    assert found.data["id"] == "2103.01234"
    found = extpkg.invoke("arxiv", "get", {"id": "2103.01234v1"}, transport=Answering(body))
    assert found.data["id"] == "2103.01234v1"
    with pytest.raises(extpkg.ExtensionError, match="not_found"):
        extpkg.invoke("arxiv", "get", {"id": "2103.01234v2"}, transport=Answering(body))


def test_two_mib_of_atom_are_read_and_no_more() -> None:
    """A044."""
    body = feed(entry())
    whole = body.replace(b"</feed>", b" " * ((2 << 20) - len(body)) + b"</feed>")
    assert extpkg.invoke("arxiv", "get", {"id": "2103.01234"}, transport=Answering(whole)).data["title"] == ""
    with pytest.raises(extpkg.ExtensionError, match="body too large"):
        extpkg.invoke("arxiv", "get", {"id": "2103.01234"}, transport=Answering(whole + b" "))
