"""What differs between two projections, matched by name where the projection has names."""

from __future__ import annotations

import enum
import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from extpkg.canonical import canonical_json
from extpkg.pointer import escape

if TYPE_CHECKING:
    from collections.abc import Iterator


class Kind(enum.Enum):
    """What happened to the value at a pointer."""

    ADDED = "added"
    REMOVED = "removed"
    CHANGED = "changed"


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference:
    """One value that differs; `pointer` leads to it in the new projection (in the old one if removed).

    `action` is the name of the action that it belongs to, or None; `old` and `new` are None on the side that
    has no such value. `place` leads to it in the old projection: to where it is missing if it was added,
    which in an array is behind the end (`-`).
    """

    pointer: str
    kind: Kind
    action: str | None
    old: Any
    new: Any
    place: str = field(default="", compare=False)


_PLAIN: Final = frozenset({str, int, bool, type(None)})
"""What is equal exactly where Python says so, among values of one such type."""

_MATCHED: Final[dict[tuple[str, ...], tuple[str, ...]]] = {
    ("actions",): ("name",),
    ("auth", "profiles"): ("id",),
    ("actions", "*", "binding", "parameters"): ("in", "name"),
    ("actions", "*", "binding", "body", "mappings"): ("to",),
}


def differences(old: bytes | dict[str, Any], new: bytes | dict[str, Any]) -> tuple[Difference, ...]:
    """Return what differs between two projections (their bytes or their JSON values), members by name.

    Actions are matched by name, profiles by id, parameters by `in` and `name`, mappings by `to`; other arrays
    of scalars by their members, unless only their order differs; the rest by index. Nothing is returned if
    and only if the bytes are equal.
    """
    return tuple(_values(_Pair(old=_json(old), new=_json(new))))


def _json(projected: bytes | dict[str, Any]) -> Any:
    return json.loads(projected) if isinstance(projected, bytes) else projected


@dataclass(frozen=True, slots=True, kw_only=True)
class _Pair:
    """Two values at the same place: `way` is its shape, with `*` for an index."""

    old: Any
    new: Any
    old_pointer: str = ""
    new_pointer: str = ""
    way: tuple[str, ...] = ()
    action: str | None = None

    def found(self, kind: Kind) -> Difference:
        pointer = self.old_pointer if kind is Kind.REMOVED else self.new_pointer
        return Difference(
            pointer=pointer,
            kind=kind,
            action=self.action,
            old=self.old,
            new=self.new,
            place=self.old_pointer,
        )


def _values(pair: _Pair) -> Iterator[Difference]:
    old, new = pair.old, pair.new
    if type(old) is dict and type(new) is dict:
        yield from _objects(pair)
    elif type(old) is list and type(new) is list:
        yield from _arrays(pair)
    elif _differ(old, new):
        yield pair.found(Kind.CHANGED)


def _differ(old: Any, new: Any) -> bool:
    if type(old) is type(new) and type(old) in _PLAIN:
        return bool(old != new)
    return canonical_json(old) != canonical_json(new)


_DATA: Final = {("*",), ("const",)}
"""Where a list stands that is no list of a schema's own, but a value: its order is its meaning (R-SCH-6)."""


def _objects(pair: _Pair) -> Iterator[Difference]:
    for name in sorted(pair.old.keys() | pair.new.keys()):
        yield from _member(
            pair, name, (name if name in pair.old else None, name if name in pair.new else None)
        )


def _arrays(pair: _Pair) -> Iterator[Difference]:
    old, new = pair.old, pair.new
    keys = _MATCHED.get(pair.way)
    if keys:
        yield from _by_identity(
            pair, [[item[key] for key in keys] for item in old], [[item[key] for key in keys] for item in new]
        )
    elif pair.way[-1:] in _DATA:
        if canonical_json(old) != canonical_json(new):
            yield pair.found(Kind.CHANGED)
    elif all(map(_is_scalar, old)) and all(map(_is_scalar, new)):
        found = list(_by_identity(pair, old, new))
        repeats = len(_indexes(old)) < len(old) or len(_indexes(new)) < len(new)
        if (repeats or not found) and canonical_json(old) != canonical_json(new):
            found = [pair.found(Kind.CHANGED)]  # repeats and order are meaning that members do not show
        yield from found
    else:
        for index in range(max(len(old), len(new))):
            yield from _member(
                pair, "*", (index if index < len(old) else None, index if index < len(new) else None)
            )


def _is_scalar(value: Any) -> bool:
    return not isinstance(value, dict | list)


def _by_identity(pair: _Pair, old: list[Any], new: list[Any]) -> Iterator[Difference]:
    """Match members by what identifies them; the first of equal ones stands for all."""
    olds = _indexes(old)
    news = _indexes(new)
    for identity in [*olds, *(identity for identity in news if identity not in olds)]:
        yield from _member(pair, "*", (olds.get(identity), news.get(identity)))


def _indexes(identities: list[Any]) -> dict[bytes, int]:
    found: dict[bytes, int] = {}
    for index, identity in enumerate(identities):
        found.setdefault(canonical_json(identity), index)
    return found


def _member(pair: _Pair, step: str, keys: tuple[Any, Any]) -> Iterator[Difference]:
    """Compare what stands under a key or index of either side, None being the lack of it."""
    in_old, in_new = keys
    old = pair.old[in_old] if in_old is not None else None
    new = pair.new[in_new] if in_new is not None else None
    way = (*pair.way, step)
    member = _Pair(
        old=old,
        new=new,
        old_pointer=_under(pair.old_pointer, _old_key(pair.old, keys)),
        new_pointer=_under(pair.new_pointer, in_new),
        way=way,
        action=_name(old or new or {}) if way == ("actions", "*") else pair.action,
    )
    if in_old is None:
        yield member.found(Kind.ADDED)
    elif in_new is None:
        yield member.found(Kind.REMOVED)
    elif way != ("actions", "*") or json.dumps(old) != json.dumps(new):  # most actions are written alike
        yield from _values(member)


def _old_key(holder: Any, keys: tuple[Any, Any]) -> Any:
    """Return the key in the old value; where a member is missing there, the key that it would have."""
    in_old, in_new = keys
    if in_old is None:
        return "-" if type(holder) is list else in_new
    return in_old


def _name(action: dict[str, Any]) -> str:
    name: str = action["name"]
    return name


def _under(pointer: str, key: str | int | None) -> str:
    return f"{pointer}/{escape(str(key))}"
