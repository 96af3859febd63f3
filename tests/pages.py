"""A page read again by a parser that shares nothing with what wrote it: its elements, text, ids and links."""

from __future__ import annotations

from dataclasses import dataclass, field
from html.parser import HTMLParser
from itertools import pairwise

VOID = {"meta", "br", "wbr"}


@dataclass(slots=True, kw_only=True)
class Element:
    tag: str
    attributes: dict[str, str]
    parts: list[Element | str] = field(default_factory=list)

    @property
    def text(self) -> str:
        return "".join(part if isinstance(part, str) else part.text for part in self.parts)

    def every(self, tag: str = "", class_: str = "") -> list[Element]:
        """Return the elements inside, in order, of a tag and with a class where these are named."""
        found: list[Element] = []
        for part in self.parts:
            if isinstance(part, Element):
                classes = part.attributes.get("class", "").split()
                if (not tag or part.tag == tag) and (not class_ or class_ in classes):
                    found.append(part)
                found += part.every(tag, class_)
        return found

    def one(self, tag: str = "", class_: str = "") -> Element:
        (found,) = self.every(tag, class_)
        return found


class _Reader(HTMLParser):
    """Elements must be closed in the order in which they were opened, and nothing else may stand there."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.root = Element(tag="", attributes={})
        self.open = [self.root]

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        names = [name for name, _ in attrs]
        assert len(set(names)) == len(names), tag
        made = Element(tag=tag, attributes={name: value or "" for name, value in attrs})
        self.open[-1].parts.append(made)
        if tag not in VOID:
            self.open.append(made)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop().tag == tag

    def handle_data(self, data: str) -> None:
        self.open[-1].parts.append(data)

    def handle_comment(self, data: str) -> None:
        raise AssertionError(data)

    handle_pi = unknown_decl = handle_comment


def read(page: bytes | str) -> Element:
    """Return a page, or a part of one, as a tree; whatever is not balanced is an AssertionError."""
    reader = _Reader()
    reader.feed(page if isinstance(page, str) else page.decode("utf-8"))
    reader.close()
    assert reader.open == [reader.root]
    return reader.root


TAGS = {
    *("a", "b", "br", "code", "del", "h1", "h2", "h3", "h4", "ins", "p", "pre", "span", "wbr"),
    *(
        "article",
        "body",
        "details",
        "div",
        "figcaption",
        "figure",
        "footer",
        "head",
        "header",
        "html",
        "main",
    ),
    *("meta", "nav", "section", "style", "summary", "title"),
    *("caption", "dd", "dl", "dt", "li", "table", "tbody", "td", "th", "thead", "tr", "ul"),
}
ATTRIBUTES = {
    *("aria-label", "aria-labelledby", "class", "href", "id", "lang", "open", "scope", "tabindex"),
    *("charset", "content", "http-equiv", "name"),
}


def check(root: Element) -> None:
    """Hold a whole page to what is true of every one: what it is made of, where its links lead."""
    every = root.every()
    assert {each.tag for each in every} <= TAGS
    assert {name for each in every for name in each.attributes} <= ATTRIBUTES
    ids = [each.attributes["id"] for each in every if "id" in each.attributes]
    assert len(set(ids)) == len(ids)
    pointed = [each.attributes["href"] for each in root.every("a")]
    assert all(target.startswith("#") for target in pointed)
    assert {target[1:] for target in pointed} <= set(ids)
    assert {
        each.attributes["aria-labelledby"] for each in every if "aria-labelledby" in each.attributes
    } <= set(ids)
    levels = [int(each.tag[1]) for each in every if each.tag in {"h1", "h2", "h3", "h4"}]
    assert levels[0] == levels.count(1) == 1
    assert all(after - before <= 1 for before, after in pairwise(levels))
    for table in root.every("table"):
        assert table.every("caption")
        assert all(head.attributes["scope"] == "col" for head in table.one("thead").every("th"))
        assert all(head.attributes["scope"] == "row" for head in table.one("tbody").every("th"))
        width = len(table.one("thead").every("th"))
        assert all(len(row.every("th") + row.every("td")) == width for row in table.one("tbody").every("tr"))
