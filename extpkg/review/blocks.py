"""Requests and values as blocks of lines; two of them side by side, with what differs marked."""

from __future__ import annotations

import json
import re
from difflib import SequenceMatcher
from typing import TYPE_CHECKING, Any, Final

from extpkg.review.markup import NOTHING, Html, bounded, element, joined, number, text

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from extpkg.review.subject import Sent

LINES: Final = 120
"""Lines of one block that are shown."""

SIZE: Final = 64 << 10
"""Characters of one block as HTML."""

LINE: Final = 1_200
"""Characters of one line that are shown."""

_TOKEN: Final = re.compile(r'"(?:[^"\\]|\\.)*"|[\[\]{},:]|[^\s\[\]{},:"]+')
_BREAK: Final = Html("\n")


def request_lines(method: str, url: str, headers: Sequence[Sequence[str]], body: str | None) -> list[str]:
    """Return a request as lines: what is asked for, the headers, and the body, indented where it is JSON."""
    head = [f"{method} {url}", *(f"{name}: {value}" for name, value in headers)]
    return head if body is None else [*head, "", *indented(body)]


def sent_lines(sent: Sent) -> list[str]:
    """Return a request as lines."""
    return request_lines(sent.method, sent.url, sent.headers, sent.body)


def value_lines(value: Any) -> list[str]:
    """Return a JSON value as lines."""
    return json.dumps(value, ensure_ascii=False, indent=2).split("\n")


def outcome_lines(outcome: Any) -> list[str]:
    """Return what a version makes of a witness as lines."""
    if "request" in outcome:
        request = outcome["request"]
        return request_lines(request["method"], request["url"], request["headers"], request["body"])
    if "error" in outcome:
        return [f"{outcome['error']['code']}: {outcome['error']['message']}"]
    if "data" in outcome:
        return value_lines(outcome["data"])
    return ["accepted" if outcome["accepted"] else "refused"]


def indented(body: str) -> list[str]:
    """Return JSON on lines of its own, every token as it was written."""
    made = [""]
    depth = 0
    before = ""
    for word in _TOKEN.findall(body):
        opens, closes = before in {"[", "{"}, word in {"]", "}"}
        depth -= closes
        if (opens and not closes) or (closes and not opens) or before == ",":
            made.append("  " * depth)
        made[-1] += f"{word} " if word == ":" else word
        depth += word in {"[", "{"}
        before = word
    return made


def block(shown: Sequence[str]) -> Html:
    """Return lines as they are, a bounded number of them."""
    return _framed([text(line, LINE) for line in shown[:LINES]], len(shown))


def figure(caption: str, content: Html) -> Html:
    """Return a block under its name."""
    return element("figure", element("figcaption", text(caption)), content)


def pair(old: Sequence[str], new: Sequence[str], *, is_marked: bool = True) -> Html:
    """Return two blocks side by side, what only one of them has marked if that is wanted."""
    if is_marked:
        left, right = _marked(old[:LINES], new[:LINES])
    else:
        left, right = ([text(line, LINE) for line in side[:LINES]] for side in (old, new))
    sides = (("Old", left, len(old)), ("New", right, len(new)))
    figures = (figure(name, _framed(made, whole)) for name, made, whole in sides)
    return element("div", joined(figures), class_="pair")


def _framed(made: Sequence[Html], whole: int) -> Html:
    made = bounded(made, SIZE)
    left = whole - len(made)
    more = element("p", text(f"… {number(left, 'more line')}"), class_="cut") if left else NOTHING
    return joined((element("pre", element("code", joined(made, _BREAK))), more))


def _marked(old: Sequence[str], new: Sequence[str]) -> tuple[list[Html], list[Html]]:
    left: list[Html] = []
    right: list[Html] = []
    for tag, a, b, c, d in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if tag == "equal":
            left += [text(line, LINE) for line in old[a:b]]
            right += [text(line, LINE) for line in new[c:d]]
            continue
        for index in range(max(b - a, d - c)):
            one = old[a + index] if a + index < b else None
            other = new[c + index] if c + index < d else None
            left += _line("del", one, other)
            right += _line("ins", other, one)
    return left, right


def _line(tag: str, line: str | None, other: str | None) -> Iterator[Html]:
    """Yield a line with the part marked that the other one has not."""
    if line is None:
        return
    if len(line) > LINE:
        yield element(tag, text(line, LINE))
        return
    start, end = _shared(line, other or "")
    middle = line[start : len(line) - end]
    marked = element(tag, text(middle)) if middle else NOTHING
    yield joined((text(line[:start]), marked, text(line[len(line) - end :])))


def _shared(line: str, other: str) -> tuple[int, int]:
    """Return how many characters two lines begin and end with in common, no word cut in two."""
    start = _common(line, other)
    most = min(len(line), len(other)) - start
    return start, min(_common(line[::-1], other[::-1]), most)


def _common(line: str, other: str) -> int:
    count = next((i for i, (a, b) in enumerate(zip(line, other, strict=False)) if a != b), None)
    if count is None:
        count = min(len(line), len(other))
    while (
        count and line[count - 1].isalnum() and (line[count : count + 1] + other[count : count + 1]).isalnum()
    ):
        count -= 1
    return count
