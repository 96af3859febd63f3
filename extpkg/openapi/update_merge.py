"""Merging three values: what one side alone has changed is taken, what both have changed is a conflict."""

from __future__ import annotations

import enum
from dataclasses import dataclass
from typing import Any, Final

from extpkg.canonical import canonical_json
from extpkg.pointer import escape


class Absent(enum.Enum):
    """What stands where a value has no such member."""

    ABSENT = "absent"


ABSENT: Final = Absent.ABSENT

_KEYS: Final = {
    "/auth/profiles": ("id",),
    "/binding/parameters": ("in", "name"),
    "/binding/body/mappings": ("to",),
}
"""Lists whose items have names: the members that name them."""

_SETS: Final = frozenset({"required", "required_scopes", "success_statuses", "content_types"})
"""Lists whose order means nothing (R-DIG-3)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Conflict:
    """A value that both the author and the source have changed; the author's stands.

    `base` is what authoring gave before, `theirs` what it gives now; each may be `ABSENT`.
    """

    file: str
    pointer: str
    base: Any
    ours: Any
    theirs: Any


class Merge:
    """One merging of one file; `conflicts` fills as it goes."""

    __slots__ = ("_file", "conflicts")

    def __init__(self, file: str) -> None:
        self._file = file
        self.conflicts: list[Conflict] = []

    def merged(self, base: Any, ours: Any, theirs: Any, at: str = "") -> Any:
        """Return what three values come to; `ABSENT` where the member is gone."""
        if _same(ours, theirs) or _same(theirs, base):
            return ours
        if _same(ours, base):
            return theirs
        if type(ours) is dict and type(theirs) is dict:
            return self._members(base if type(base) is dict else {}, ours, theirs, at)
        if type(ours) is list and type(theirs) is list:
            before = base if type(base) is list else []
            if at in _KEYS:
                return self._items(before, ours, theirs, at)
            if at.rpartition("/")[2] in _SETS:
                return _joined(before, ours, theirs)
        self.conflicts.append(Conflict(file=self._file, pointer=at, base=base, ours=ours, theirs=theirs))
        return ours

    def _members(self, base: dict[str, Any], ours: dict[str, Any], theirs: dict[str, Any], at: str) -> Any:
        found: dict[str, Any] = {}
        for name in dict.fromkeys([*ours, *theirs]):
            member = self.merged(
                base.get(name, ABSENT),
                ours.get(name, ABSENT),
                theirs.get(name, ABSENT),
                f"{at}/{escape(name)}",
            )
            if member is not ABSENT:
                found[name] = member
        return found

    def _items(self, base: list[Any], ours: list[Any], theirs: list[Any], at: str) -> Any:
        before, here, there = (
            {_key(item, _KEYS[at]): item for item in side} for side in (base, ours, theirs)
        )
        return list(self._members(before, here, there, at).values())


def _key(item: Any, names: tuple[str, ...]) -> str:
    """Return what names an item; an item without a name is its own."""
    if type(item) is dict and all(type(item.get(name)) is str for name in names):
        return " ".join(item[name] for name in names)
    return canonical_json(item).decode()


def _joined(base: list[Any], ours: list[Any], theirs: list[Any]) -> list[Any]:
    """Return a set with what either side has added and without what either has removed."""
    before, here, there = ({canonical_json(item): item for item in side} for side in (base, ours, theirs))
    kept = {key: item for key, item in here.items() if key in there or key not in before}
    added = {key: item for key, item in there.items() if key not in here and key not in before}
    return [*kept.values(), *added.values()]


def _same(one: Any, other: Any) -> bool:
    if one is ABSENT or other is ABSENT:
        return one is other
    return canonical_json(one) == canonical_json(other)
