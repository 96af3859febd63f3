r"""Texts that a pattern finds something in: shortest ones, longer ones, other branches.

What is read is the pattern as it is rewritten for the matcher: characters, `\x{...}`, classes, groups,
alternatives, counts, and the assertions `\A \z \b \B`. A text is only returned where it matches.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from itertools import product
from typing import TYPE_CHECKING, Final

from extpkg.json_schema.pattern_syntax import PatternRefused
from extpkg.json_schema.patterns import compile_pattern

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_TOKEN: Final = re.compile(
    r"\\x\{(?P<code>[0-9A-F]+)\}|(?P<assertion>\\[AzbB])|(?P<class>\[[^\]]*\])"
    r"|(?P<open>\(\?:)|(?P<close>\))|(?P<bar>\|)"
    r"|(?P<count>[*+?]|\{\d+(?:,\d*)?\})|(?P<character>[A-Za-z0-9])"
)
_SPAN: Final = re.compile(r"(\\x\{[0-9A-F]+\}|[A-Za-z0-9])(?:-(\\x\{[0-9A-F]+\}|[A-Za-z0-9]))?")
_PREFERRED: Final = "aA0-_ ./"
_BRANCHES: Final = (0, 1, 2, 3)
_LONGEST: Final = 100_000
_DEEPEST: Final = 60
_KEPT: Final = 32


@dataclass(frozen=True, slots=True, kw_only=True)
class _Node:
    """One of some characters (`text`), or alternatives of sequences, repeated `least` to `most` times."""

    text: str = ""
    branches: tuple[tuple[_Node, ...], ...] = ()
    least: int = 1
    most: int | None = 1


@lru_cache(_KEPT)
def matching(source: str, lengths: tuple[int, ...] = (0, 1)) -> tuple[str, ...]:
    """Return texts that a pattern finds something in, about as long as each of `lengths`; none if unsure."""
    try:
        pattern = compile_pattern(source)
        tree = _read(pattern.translation.text)
    except (PatternRefused, _Unread):
        return ()
    found: dict[str, None] = {}
    for choice, length in product(_BRANCHES, lengths):
        text = "".join(_written(tree, length, choice))
        if len(text) <= _LONGEST and pattern.found_in(text):
            found.setdefault(text)
    return tuple(found)


class _Unread(Exception):
    """The pattern holds something that no text is made for."""


def _read(text: str) -> tuple[_Node, ...]:
    """Return the alternatives of a rewritten pattern as one node."""
    groups: list[tuple[list[tuple[_Node, ...]], list[_Node]]] = [([], [])]
    at = 0
    while at < len(text):
        found = _TOKEN.match(text, at)
        if found is None or len(groups) > _DEEPEST:
            raise _Unread
        at = found.end()
        branches, sequence = groups[-1]
        if found["open"]:
            groups.append(([], []))
        elif found["close"]:
            groups.pop()
            groups[-1][1].append(_Node(branches=(*branches, tuple(sequence))))
        elif found["bar"]:
            branches.append(tuple(sequence))
            sequence.clear()
        elif found["count"]:
            sequence.append(_counted(sequence.pop(), found["count"]))
        elif not found["assertion"]:
            sequence.append(_Node(text=_character(found)))
    branches, sequence = groups[0]
    return (_Node(branches=(*branches, tuple(sequence))),)


def _counted(node: _Node, count: str) -> _Node:
    least, most = {"*": (0, None), "+": (1, None), "?": (0, 1)}.get(count, (-1, -1))
    if least == -1:
        low, comma, high = count[1:-1].partition(",")
        least = int(low)
        most = int(high) if high else None if comma else least
    if node.least != 1 or node.most != 1:
        node = _Node(branches=((node,),))
    return _Node(text=node.text, branches=node.branches, least=least, most=most)


def _character(found: re.Match[str]) -> str:
    """Return the character that is meant; of a class a few, a plain one first."""
    if found["code"]:
        return chr(int(found["code"], 16))
    if found["character"]:
        return found["character"]
    if found["class"].startswith("[^"):
        raise _Unread
    spans = [(_code(low), _code(high or low)) for low, high in _SPAN.findall(found["class"])]
    preferred = [each for each in _PREFERRED if any(low <= ord(each) <= high for low, high in spans)]
    return "".join([*preferred[:1], chr(spans[-1][1]), chr(spans[0][0]), *preferred[1:]])


def _code(text: str) -> int:
    return int(text[3:-1], 16) if text.startswith("\\x") else ord(text)


def _written(nodes: Sequence[_Node], length: int, choice: int) -> Iterator[str]:
    """Yield the pieces of a text; what may be repeated is repeated about `length` times, at one level."""
    for node in nodes:
        most = length if node.most is None else min(node.most, length)
        times = max(node.least, most)
        if node.text:
            yield node.text[min(choice, len(node.text) - 1)] * times
            continue
        branch = node.branches[min(choice, len(node.branches) - 1)]
        inner = length if times <= 1 else 1
        piece = "".join(_written(branch, inner, choice))
        if len(piece) * times > _LONGEST:
            piece = "".join(_written(branch, 0, choice))
            times = node.least
        yield piece * times
