"""Which operations a person asks for: selectors by operationId, action name, tag, or method and path."""

from __future__ import annotations

from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Container, Iterable, Sequence

_TAG: Final = "tag:"
_GLOB: Final = frozenset("*?[")


@dataclass(frozen=True, slots=True, kw_only=True)
class Selectable:
    """What selectors are compared with; `action` is empty where an operation has no name."""

    id: str
    action: str
    place: str
    tags: tuple[str, ...]


def matches(selector: str, candidate: Selectable) -> bool:
    """Say whether a selector means an operation; `*`, `?` and `[…]` stand for characters, `/` included.

    `tag:NAME` is compared with the tags, every other selector with operationId, action and `METHOD /path`.
    """
    if selector.startswith(_TAG):
        return any(_alike(selector.removeprefix(_TAG), tag) for tag in candidate.tags)
    method, space, path = selector.partition(" ")
    whole = f"{method.upper()}{space}{path.strip()}" if space else selector
    return any(_alike(whole, each) for each in (candidate.id, candidate.action, candidate.place) if each)


def select(
    candidates: Sequence[Selectable],
    include: Iterable[str],
    exclude: Iterable[str],
    present: Container[str] = (),
) -> tuple[list[bool], list[str]]:
    """Return for each candidate whether it is asked for, and the selectors that mean none of them.

    Without `include` all are asked for; with it those whose id, action or place is `present` are too.
    `exclude` takes away from what is left.
    """
    wanted = tuple(include)
    chosen = [
        not wanted or any(mark in present for mark in (each.id, each.action, each.place) if mark)
        for each in candidates
    ]
    idle: list[str] = []
    for selectors, value in ((wanted, True), (tuple(exclude), False)):
        for selector in selectors:
            found = [index for index, each in enumerate(candidates) if matches(selector, each)]
            if not found:
                idle.append(selector)
            for index in found:
                chosen[index] = value
    return chosen, idle


def _alike(selector: str, text: str) -> bool:
    return selector == text or (not _GLOB.isdisjoint(selector) and fnmatchcase(text, selector))
