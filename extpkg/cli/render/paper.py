"""arXiv's papers as a person reads them: title, authors, dates, categories, ids, the wrapped abstract."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

from extpkg.cli.render.escape import escaped
from extpkg.cli.render.wrapping import folded, wrapped

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

_AUTHORS: Final = 20
"""Authors that are named; collaborations have thousands."""

_PARAGRAPH: Final = re.compile(r"\r?\n(?=[ \t\r\n])")


def render_page(data: Any) -> str:
    """Return what an action of arXiv returned: a page of papers, or one paper."""
    if "papers" not in data:
        return _joined(_paper(data))
    first = data["offset"] + 1
    blocks = [_paper(paper, f"{number}. ") for number, paper in enumerate(data["papers"], start=first)]
    lines = [line for block in blocks for line in (*block, "")]
    return _joined([*lines, _closing(data)])


def _joined(lines: Iterable[str]) -> str:
    return "".join(f"{line}\n" for line in lines)


def _closing(data: dict[str, Any]) -> str:
    papers = f"{data['returned']} of {data['totalResults']:,} papers"
    if not data["papers"]:
        papers = f"No papers here; there are {data['totalResults']:,} in all"
    return f"{papers}; the next page is at offset {data['nextOffset']}." if data["hasMore"] else f"{papers}."


def _paper(paper: dict[str, Any], number: str = "") -> Iterator[str]:
    yield from wrapped(paper["title"] or "(without a title)", number, " " * len(number))
    yield from wrapped(_authors(paper["authors"]), "  ", "  ")
    yield from wrapped(" | ".join(_facts(paper)), "  ", "  ")
    for name, label in (("comment", "Comment"), ("journalRef", "Published in")):
        if name in paper:
            yield from wrapped(f"{label}: {paper[name]}", "  ", "    ")
    yield f"  {_whole(paper['entryUrl'])}"
    for paragraph in _PARAGRAPH.split(paper["abstract"]):
        if folded(paragraph):
            yield ""
            yield from wrapped(paragraph, "  ", "  ")


def _authors(authors: list[dict[str, Any]]) -> str:
    named = [_author(author) for author in authors[:_AUTHORS]]
    rest = len(authors) - _AUTHORS
    return ", ".join(named) + (f" and {rest:,} more" if rest > 0 else "") or "(without authors)"


def _author(author: dict[str, Any]) -> str:
    where = "; ".join(author["affiliations"])
    return f"{author['name']} ({where})" if where else str(author["name"])


def _facts(paper: dict[str, Any]) -> Iterator[str]:
    published, updated = paper["publishedAt"][:10], paper["updatedAt"][:10]
    yield published if published == updated else f"{published} (updated {updated})"
    primary = paper["primaryCategory"]
    others = [each for each in paper["categories"] if each != primary]
    yield f"{primary} ({', '.join(others)})" if others else primary
    yield f"arXiv:{paper['id']}"
    if "doi" in paper:
        yield f"doi:{paper['doi']}"


def _whole(text: str) -> str:
    return escaped(folded(text))
