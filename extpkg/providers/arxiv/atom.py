"""arXiv's Atom feeds, read strictly: what is no feed is no result, what is no paper is no entry.

R-ARX-3, R-ARX-4. The one door to lxml; nothing that the parser says leaves it: its messages quote the text.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any, Final, cast

from lxml import etree

from extpkg.limits import SAFE_INTEGER
from extpkg.providers.arxiv.identifier import parse_name

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lxml.etree import _Element

    from extpkg.providers.arxiv.identifier import Identifier

_ATOM: Final = "{http://www.w3.org/2005/Atom}"
_ARXIV: Final = "{http://arxiv.org/schemas/atom}"
_TOTAL: Final = "{http://a9.com/-/spec/opensearch/1.1/}totalResults"

_FEED: Final = f"{_ATOM}feed"
_ENTRY: Final = f"{_ATOM}entry"
_ID: Final = f"{_ATOM}id"
_TITLE: Final = f"{_ATOM}title"
_SUMMARY: Final = f"{_ATOM}summary"
_PUBLISHED: Final = f"{_ATOM}published"
_UPDATED: Final = f"{_ATOM}updated"
_AUTHOR: Final = f"{_ATOM}author"
_NAME: Final = f"{_ATOM}name"
_LINK: Final = f"{_ATOM}link"
_CATEGORY: Final = f"{_ATOM}category"
_PRIMARY: Final = f"{_ARXIV}primary_category"
_AFFILIATION: Final = f"{_ARXIV}affiliation"
_OPTIONAL: Final = (
    ("comment", f"{_ARXIV}comment"),
    ("journalRef", f"{_ARXIV}journal_ref"),
    ("doi", f"{_ARXIV}doi"),
)

_LABEL: Final = re.compile(rb"""(?:\xef\xbb\xbf)?<\?xml\s[^>]*?\sencoding\s*=\s*["']([^"']*)""")
_WHOLE: Final = re.compile(r"[0-9]{1,400}")
_HTTP: Final = re.compile(r"https?://", re.IGNORECASE | re.ASCII)
_ABSTRACT_PAGE: Final = re.compile(r"https?://(?:www\.|export\.)?arxiv\.org/abs/(.*)", re.DOTALL)
_TIMESTAMP: Final = re.compile(
    r"([0-9]{4}-[0-9]{2}-[0-9]{2}[Tt](?:[01][0-9]|2[0-3]):[0-9]{2}:[0-9]{2})(?:\.([0-9]+))?"
    r"(?:[Zz]|([-+](?:[01][0-9]|2[0-3]):[0-5][0-9]))?"
)


class FeedInvalid(Exception):
    """Bytes that are no feed of arXiv's; it says nothing of them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One entry: the paper it names, None where it names none; its Paper, None where that is malformed."""

    identifier: Identifier | None
    paper: dict[str, Any] | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Feed:
    """One answer: how many results arXiv counts, whether it holds errors alone, and its entries in order."""

    total: int
    only_errors: bool
    entries: tuple[Entry, ...]


def parse_feed(body: bytes, most: int | None = None) -> Feed:
    """Return the feed with its first `most` entries, None for all; raises `FeedInvalid`, nothing else.

    Refused are XML that is not well-formed, a DOCTYPE, another root, a `totalResults` that is missing or no
    whole number in the safe range (R-ARX-3).
    """
    root = _root(body)
    if root is None:
        raise FeedInvalid
    entries = [child for child in root if child.tag == _ENTRY]
    return Feed(
        total=_total(root.find(_TOTAL)),
        only_errors=bool(entries) and all(map(_is_error, entries)),
        entries=tuple([_entry(entry) for entry in entries[:most]]),
    )


def _root(body: bytes) -> _Element | None:
    """Return the root of a well-formed Atom feed without a DOCTYPE, else None.

    It is read as UTF-8 (R-RES-4), and refused where it says that it is anything else.
    """
    label = _LABEL.match(body)
    if label and label[1].lower() != b"utf-8":
        return None
    parser = etree.XMLParser(
        encoding="utf-8",
        recover=False,
        resolve_entities=False,
        load_dtd=False,
        dtd_validation=False,
        attribute_defaults=False,
        no_network=True,
        huge_tree=False,
        remove_comments=True,
        remove_pis=True,
    )
    try:
        root = etree.fromstring(body, parser)
    except etree.XMLSyntaxError:
        return None
    return root if root.tag == _FEED and root.getroottree().docinfo.internalDTD is None else None


def _total(element: _Element | None) -> int:
    text = _text(element).strip()
    if not _WHOLE.fullmatch(text) or int(text) > SAFE_INTEGER:
        raise FeedInvalid
    return int(text)


def _is_error(entry: _Element) -> bool:
    return "/api/errors" in _text(entry.find(_ID))


def _entry(element: _Element) -> Entry:
    # One pass over the children: each look at an element costs more than the logic around it.
    first: dict[str, _Element] = {}
    authors: list[dict[str, Any]] = []
    categories: list[str] = []
    links: list[dict[str, str]] = []
    for child in element:
        tag = child.tag
        if tag == _AUTHOR:
            if author := _author(child):
                authors.append(author)
        elif tag == _LINK:
            if link := _link(child):
                links.append(link)
        elif tag == _CATEGORY:
            if (term := child.get("term")) is not None:
                categories.append(term)
        elif tag not in first:
            first[tag] = child
    url = _text(first.get(_ID)).strip()
    found = _ABSTRACT_PAGE.fullmatch(url)
    identifier = parse_name(found[1]) if found else None
    published_text, updated_text = _text(first.get(_PUBLISHED)), _text(first.get(_UPDATED))
    published = timestamp(published_text.strip())
    # Most papers have one version, hence one time.
    updated = published if updated_text == published_text else timestamp(updated_text.strip())
    if identifier is None or published is None or updated is None:
        return Entry(identifier=identifier, paper=None)
    paper = {
        "id": str(identifier),
        "entryUrl": url,
        "publishedAt": published,
        "updatedAt": updated,
        "authors": authors,
        "categories": categories,
        "links": links,
    }
    _add_texts(paper, first)
    _add_addresses(paper, links)
    return Entry(identifier=identifier, paper=paper)


def _author(element: _Element) -> dict[str, Any] | None:
    """Return the author, None where the name is empty; of several names the first counts."""
    name: str | None = None
    affiliations = []
    for child in element:
        tag = child.tag
        if tag == _NAME:
            if name is None:
                name = _folded(_text(child))
        elif tag == _AFFILIATION and (text := _folded(_text(child))):
            affiliations.append(text)
    return {"name": name, "affiliations": affiliations} if name else None


def _link(element: _Element) -> dict[str, str] | None:
    """Return the link, None where it does not lead to http or https."""
    read = element.get
    href = read("href", "").strip()
    if not _HTTP.match(href):
        return None
    link = {"href": href}
    if (title := read("title")) and not title.isspace():
        link["title"] = title
    if (rel := read("rel")) and not rel.isspace():
        link["rel"] = rel
    if (kind := read("type")) and not kind.isspace():
        link["contentType"] = kind
    return link


def _add_texts(paper: dict[str, Any], first: dict[str, _Element]) -> None:
    """Add the fields that are one text each; the optional ones only where they say something."""
    primary = first.get(_PRIMARY)
    paper["title"] = _folded(_text(first.get(_TITLE)))
    paper["abstract"] = _text(first.get(_SUMMARY)).strip()
    paper["primaryCategory"] = "" if primary is None else primary.get("term") or ""
    for name, tag in _OPTIONAL:
        if tag in first and (text := _text(first[tag]).strip()):
            paper[name] = text


def _add_addresses(paper: dict[str, Any], links: list[dict[str, str]]) -> None:
    """Add `pdfUrl`, the first link that is called "pdf", and `sourceUrl` where one can be derived."""
    for link in links:
        if link.get("title") == "pdf":
            pdf = paper["pdfUrl"] = link["href"]
            if "/pdf/" in pdf:
                paper["sourceUrl"] = pdf.replace("/pdf/", "/src/")
            return


def _text(element: _Element | None) -> str:
    """Return the string value of an element, `""` of none; comments and instructions are gone by now."""
    if element is None:
        return ""
    if len(element):
        return "".join(cast("Iterator[str]", element.itertext()))
    return element.text or ""


def _folded(text: str) -> str:
    return " ".join(text.split())


def timestamp(text: str) -> str | None:
    """Return an RFC 3339 date-time in UTC, None for anything else (R-ARX-4).

    No offset means UTC. Leap seconds and years outside 1000-9999, before or after the shift, are refused. The
    fraction is cut to six digits and loses its trailing zeros.
    """
    found = _TIMESTAMP.fullmatch(text)
    if found is None or text < "1000":
        return None
    written, fraction, offset = found.groups()
    written = written.upper()
    try:
        moment = datetime.fromisoformat(written)
        if offset:
            moment -= _shift(offset)
            written = moment.isoformat()
    except (ValueError, OverflowError):
        return None
    if moment.year < 1000:
        return None
    fraction = fraction[:6].rstrip("0") if fraction else ""
    return f"{written}.{fraction}Z" if fraction else f"{written}Z"


def _shift(offset: str) -> timedelta:
    shift = timedelta(hours=int(offset[1:3]), minutes=int(offset[4:]))
    return shift if offset[0] == "+" else -shift
