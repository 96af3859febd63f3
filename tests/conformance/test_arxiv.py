"""arXiv's corpora: identifiers, categories, edge cases of feeds, real feeds beside the `arxiv` package."""

from __future__ import annotations

import gzip
import re
from typing import TYPE_CHECKING, Any

import anyio
import httpx
import pytest
from corpus import corpus, corpus_folder
from feeds import Answering
from loopback import Script, VirtualTime, run, server_tls, serving

import extpkg
from extpkg.egress.replay import ReplayTransport
from extpkg.errors import ExtensionError
from extpkg.exchange import Exchange, Request, Response
from extpkg.providers.arxiv.identifier import LEGACY_ARCHIVES, parse_identifier

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

IDS: list[dict[str, Any]] = corpus("arxiv/id_cases.json")
TAXONOMY: dict[str, Any] = corpus("arxiv/taxonomy.json")
ATOM: dict[str, dict[str, Any]] = corpus("arxiv/atom_expected.json")
FOLDER: Path = corpus_folder() / "arxiv"
FEEDS = sorted((FOLDER / "feeds").glob("*.xml"))


@pytest.mark.parametrize("case", IDS, ids=lambda case: repr(case["input"])[:40])
def test_identifier(case: dict[str, Any]) -> None:
    """A011, A023, D016: a valid one is sent in normal form, any other sends nothing."""
    if isinstance(case["input"], str):
        found = parse_identifier(case["input"])
        assert (None if found is None else str(found)) == case["canonical"]
    transport = Answering(b"", 500)
    with pytest.raises(ExtensionError) as caught:
        extpkg.invoke("arxiv", "get", {"id": case["input"]}, transport=transport)
    assert caught.value.code == ("upstream_failure" if case["valid"] else "validation")
    sent = [request.url.params["id_list"] for request in transport.requests]
    assert sent == ([case["canonical"]] if case["valid"] else [])


def test_the_archives_are_those_that_issued_ids_before_april_2007() -> None:
    """The taxonomy's test archive never issued a paper's."""
    early = {row["id"] for row in TAXONOMY["archives"] if row["start"] < "2007-04-01"}
    assert early - {"test"} == LEGACY_ARCHIVES


@pytest.mark.parametrize("category", TAXONOMY["categories"], ids=lambda row: row["id"])
def test_every_category_of_an_archive_is_dropped_from_its_ids(category: dict[str, Any]) -> None:
    archive = category["archive"]
    expected = f"{archive}/0309136" if archive in LEGACY_ARCHIVES else None
    found = parse_identifier(f"{category['id']}/0309136")
    assert (None if found is None else str(found)) == expected


def answer(case: dict[str, Any]) -> Response:
    """Return the answer that a case describes."""
    http, made = case["http"], case.get("generate", {})
    headers = [("content-type", http["content_type"]), *http.get("headers", {}).items()]
    if case["file"]:
        body = (FOLDER / "atom" / case["file"]).read_bytes()
    elif "gzip_of_zero_bytes" in made:
        body = gzip.compress(bytes(made["gzip_of_zero_bytes"]), 1)
        headers.append(("content-encoding", "gzip"))
    else:
        body = (FOLDER / "atom" / made["base"]).read_bytes()
        comment = made["pad_with_comment_to_bytes"] - len(body) - len("<!---->")
        body = body.replace(b"</feed>", b"<!--" + b" " * comment + b"--></feed>")
        assert len(body) == made["pad_with_comment_to_bytes"]
    return Response(status=http["status"], headers=tuple(headers), body=body)


class Recording(httpx.AsyncBaseTransport):
    """A replay of one answer to whatever is asked first, through the network's limits and parser."""

    def __init__(self, response: Response) -> None:
        self.response = response

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        asked = Request(method=request.method, url=str(request.url))
        replay = ReplayTransport([Exchange(request=asked, response=self.response)])
        return await replay.handle_async_request(request)


@pytest.mark.parametrize("name", ATOM)
def test_atom(name: str) -> None:
    """A019 to A051 on edge cases."""
    case = ATOM[name]
    value = dict(case["request"])
    action = value.pop("action")
    try:
        data = extpkg.invoke("arxiv", action, value, transport=Recording(answer(case))).data
        found: dict[str, Any] = {"ok": True, "data": data}
    except ExtensionError as error:
        found = {"ok": False, "error": error.code}
    assert found == case["expected"]


def folded(authors: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [{**each, "name": " ".join(each["name"].split())} for each in authors]


RULINGS: dict[str, tuple[str, Callable[[Any], Any]]] = {
    "abstract": ("R-ARX-4: loses outer whitespace", str.strip),
    "authors": ("R-ARX-4: names are folded and stripped", folded),
}
"""The rulings that real feeds meet, each with what it makes of the peer's value."""

DIFFERENCES = {
    "arxivpy_id_astro-ph_0601001.xml": {"abstract"},
    "arxivpy_q_testing_s50_m10.xml": {"abstract"},
    "docs_typical_hep-ex_0307015.xml": {"abstract"},
    "dsh_wrapped.xml": {"abstract", "authors"},
}
"""Every field of every real feed that differs; all the rest is equal."""


def peers_paper(result: Any) -> dict[str, Any]:
    """Return a Result of the `arxiv` package in our shape, without any of the rulings' changes."""
    links = []
    for link in result.links:
        pairs = {"title": link.title, "rel": link.rel or None, "contentType": link.content_type}
        links.append({"href": link.href} | {key: text for key, text in pairs.items() if text is not None})
    paper = {
        "id": result.get_short_id(),
        "entryUrl": result.entry_id,
        "publishedAt": result.published.strftime("%Y-%m-%dT%H:%M:%SZ"),
        "updatedAt": result.updated.strftime("%Y-%m-%dT%H:%M:%SZ"),
        "title": result.title,
        "authors": [{"name": each.name, "affiliations": each.affiliation} for each in result.authors],
        "abstract": result.summary,
        "comment": result.comment,
        "journalRef": result.journal_ref,
        "doi": result.doi,
        "primaryCategory": result.primary_category,
        "categories": result.categories,
        "links": links,
        "pdfUrl": result.pdf_url,
        "sourceUrl": result.source_url(),
    }
    return {key: text for key, text in paper.items() if text is not None}


def served(body: bytes, value: dict[str, Any]) -> Any:
    """Return what search makes of a server on loopback, over TLS, that answers with `body`."""
    head = f"HTTP/1.1 200 OK\r\ncontent-type: application/atom+xml\r\ncontent-length: {len(body)}\r\n\r\n"
    script: Script = [{"read_request": True}, {"send": head + body.decode("latin-1")}, {"farewell": True}]

    async def main(time: VirtualTime) -> Any:
        async with serving(script, time, server_tls("export.arxiv.org")) as upstream:
            try:
                with anyio.fail_after(20):
                    result = await extpkg.ainvoke("arxiv", "search", value, transport=upstream.transport())
            except ExtensionError as error:
                return error
            return result.data

    return run(main)


@pytest.mark.parametrize("path", FEEDS, ids=lambda path: path.name)
def test_a_real_feed_is_read_as_the_arxiv_package_reads_it(path: Path) -> None:
    """Served over loopback; each difference is a ruling's."""
    peer = pytest.importorskip("arxiv._feed", reason="the arxiv package is not installed")
    body = path.read_bytes()
    theirs = [peers_paper(result) for result in peer.parse(body).results]
    total = re.search(rb"totalResults[^>]*>\s*([0-9]+)", body)
    assert total is not None
    if b"/api/errors" in body and b"<entry" in body:
        assert (served(body, {"query": "x"}).code, theirs) == ("validation", [])
        return
    page = served(body, {"query": "x", "limit": 20})
    assert page["totalResults"] == int(total[1])
    assert len(page["papers"]) == len(theirs)
    differing = set()
    for ours, peers in zip(page["papers"], theirs, strict=True):
        differing |= {key for key in ours.keys() | peers.keys() if ours.get(key) != peers.get(key)}
        ruled = {key: RULINGS[key][1](text) if key in RULINGS else text for key, text in peers.items()}
        assert ours == ruled
    assert differing == DIFFERENCES.get(path.name, set())
