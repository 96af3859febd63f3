"""HTML as a type of its own: text becomes HTML by one door, which escapes it, and only HTML goes into HTML.

What an author wrote is shown and never acted on: no tag, no attribute, no link is made of it. What cannot be
seen, or turns the text around it, stands there as its escape.
"""

from __future__ import annotations

import html
import re
from typing import TYPE_CHECKING, Final, NewType

from extpkg.unprintable import UNPRINTABLE, escape_character

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

Html = NewType("Html", str)
"""Text that is HTML: made by the functions here, and of constants of the program."""

NOTHING: Final = Html("")

TEXT: Final = 2_000
"""Characters of one text that are shown; a word says how many more there are."""

VALUES: Final = 40
"""Values in a row that are shown."""

VALUE: Final = 200
"""Characters of one of them that are shown."""

_MARKS: Final = "\u0300-\u036f\u0483-\u0489\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\ufe20-\ufe2f"
"""Marks that stand above and below a letter: any number of them, over whatever is there."""

_UNSHOWN: Final = re.compile(f"[{UNPRINTABLE}]+|(?<=[{_MARKS}]{{3}})[{_MARKS}]+")
_UNSHOWN_IN_LINES: Final = re.compile(f"(?:(?![\n\t])[{UNPRINTABLE}])+|(?<=[{_MARKS}]{{3}})[{_MARKS}]+")
_VOID: Final = frozenset({"meta"})


def text(value: str, most: int = TEXT) -> Html:
    """Return text on one line: line breaks and tabs are escapes too."""
    return _shown(value, _UNSHOWN, most)


def words(value: str) -> Html:
    """Return a text of the program, in which backquotes mean code."""
    parts = enumerate(value.split("`"))
    return joined(code(part) if index % 2 else text(part) for index, part in parts)


def breakable(value: str) -> Html:
    """Return text that may be broken behind the joints of a name."""
    return joined((text(part) for part in re.split(r"(?<=[._/\]-])", value)), Html("<wbr>"))


def lines(value: str, most: int = TEXT) -> Html:
    """Return text that keeps its line breaks and tabs, for an element that shows them."""
    return _shown(value.replace("\r\n", "\n"), _UNSHOWN_IN_LINES, most)


def plain(value: str) -> Html:
    """Return text for a place that takes no element: a title, an attribute."""
    return Html(html.escape(_UNSHOWN.sub(_escapes, value[:TEXT])))


def _shown(value: str, unshown: re.Pattern[str], most: int) -> Html:
    made: list[str] = []
    end = 0
    kept = value[:most]
    for match in unshown.finditer(kept):
        made.append(html.escape(kept[end : match.start()], quote=False))
        made.append(f'<span class="escape">{html.escape(_escapes(match), quote=False)}</span>')
        end = match.end()
    made.append(html.escape(kept[end:], quote=False))
    if len(value) > most:
        made.append(f'<span class="cut">… {len(value) - most:,} more characters</span>')
    return Html("".join(made))


def _escapes(match: re.Match[str]) -> str:
    return "".join(map(escape_character, match[0]))


def element(tag: str, *content: Html, **attributes: str) -> Html:
    """Return an element; `class_` is `class`, `aria_label` is `aria-label`, an empty value is left out."""
    written = "".join(
        f' {name.rstrip("_").replace("_", "-")}="{plain(value)}"'
        for name, value in attributes.items()
        if value
    )
    if tag in _VOID:
        return Html(f"<{tag}{written}>")
    return Html(f"<{tag}{written}>{''.join(content)}</{tag}>")


def joined(parts: Iterable[Html], between: Html = NOTHING) -> Html:
    """Return HTML one behind the other."""
    return Html(between.join(parts))


def code(value: str, most: int = TEXT) -> Html:
    """Return text as code, on one line."""
    return element("code", text(value, most))


def codes(values: Sequence[str], more: int = 0) -> Html:
    """Return values as code in a row, a bounded number of them; `more` are left out already."""
    shown = [code(value, VALUE) for value in values[:VALUES]]
    left = len(values) - len(shown) + more
    return joined([*shown, *([text(f"and {left:,} more")] if left else [])], Html(", "))


def badge(kind: str, words: str) -> Html:
    """Return a word in a box, coloured by its kind (a class of the style sheet)."""
    return element("span", text(words), class_=f"badge {kind}")


def details(summary: Html, *content: Html, is_open: bool, class_: str = "") -> Html:
    """Return a part that opens and closes; in print it is always open."""
    state = " open" if is_open else ""
    inside = "".join((element("summary", summary), *content))
    named = f' class="{plain(class_)}"' if class_ else ""
    return Html(f"<details{named}{state}>{inside}</details>")


def link(anchor: str, *content: Html) -> Html:
    """Return a link to a place of the page itself: there are no others."""
    return element("a", *content, href=f"#{anchor}")


def table(caption: Html, columns: Mapping[str, str], rows: Iterable[Html], class_: str = "") -> Html:
    """Return a table with its caption and a row of column heads, each with its class."""
    heads = joined(element("th", text(name), scope="col", class_=kind) for kind, name in columns.items())
    head = element("thead", element("tr", heads))
    body = element("tbody", joined(rows))
    return element("table", element("caption", caption), head, body, class_=class_)


def facts(pairs: Iterable[tuple[str, Html]]) -> Html:
    """Return a list of names and what is said of each."""
    rows = (element("div", element("dt", text(name)), element("dd", value)) for name, value in pairs)
    return element("dl", joined(rows), class_="facts")


def number(count: int, noun: str) -> str:
    """Return a count with its noun."""
    return f"{count:,} {noun}" if count == 1 else f"{count:,} {noun}s"


def bounded(parts: Iterable[Html], most: int) -> list[Html]:
    """Return the first parts, up to the one with which they have `most` characters or more."""
    kept: list[Html] = []
    size = 0
    for part in parts:
        kept.append(part)
        size += len(part)
        if size >= most:
            break
    return kept
