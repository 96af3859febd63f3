"""Which rule speaks of a change, by where it stands in the projection; what of a request it shows in."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from extpkg.diff.change import Impact
from extpkg.diff.differences import Kind

if TYPE_CHECKING:
    from collections.abc import Callable

    from extpkg.diff.differences import Difference
    from extpkg.exchange import Request

    Part = Callable[[Request], Any]

INPUT_NARROWED: Final = "EXT0612"
INPUT_WIDENED: Final = "EXT0613"
OUTPUT_WIDENED: Final = "EXT0614"
OUTPUT_NARROWED: Final = "EXT0615"
ACTION_REMOVED: Final = "EXT0610"
ACTION_ADDED: Final = "EXT0611"
RESPONSE_NARROWED: Final = "EXT0616"
RESPONSE_WIDENED: Final = "EXT0617"
TEXT: Final = "EXT0630"
VERSION: Final = "EXT0629"


@dataclass(frozen=True, slots=True, kw_only=True)
class Area:
    """The changes of one place: their code, what they mean, and the part of a request that they show in."""

    code: str
    impact: Impact = Impact.BREAKING
    part: Part | None = None


def _headers(request: Request) -> Any:
    return [pair for pair in request.headers if pair[0] != "content-type"]


def _body(request: Request) -> Any:
    return request.body, [pair for pair in request.headers if pair[0] == "content-type"]


_TEXT: Final = Area(code=TEXT, impact=Impact.TEXT)
_BINDING: Final = "actions/*/binding"
_AREAS: Final[dict[str, Area]] = {
    "version": Area(code=VERSION, impact=Impact.TEXT),
    "domain": Area(code="EXT0628"),
    "name": _TEXT,
    "description": _TEXT,
    "endpoint": Area(code="EXT0621", part=lambda request: request.url),
    "auth": Area(code="EXT0620"),
    "actions/*/auth": Area(code="EXT0620"),
    "actions/*/catalog/summary": _TEXT,
    "actions/*/catalog/description": _TEXT,
    "actions/*/catalog/example": _TEXT,
    "actions/*/catalog/safety": Area(code="EXT0619"),
    f"{_BINDING}/method": Area(code="EXT0622", part=lambda request: request.method),
    f"{_BINDING}/path": Area(code="EXT0623", part=lambda request: request.url),
    f"{_BINDING}/static_headers": Area(code="EXT0624", part=_headers),
    f"{_BINDING}/parameters": Area(code="EXT0625", part=lambda request: (request.url, _headers(request))),
    f"{_BINDING}/body": Area(code="EXT0626", part=_body),
    f"{_BINDING}/response/mode": Area(code="EXT0618"),
    _BINDING: Area(code="EXT0627"),
}
_LIMITS: Final = ("success_statuses", "content_types", "max_bytes")


def area_of(tokens: tuple[str, ...], difference: Difference) -> Area:
    """Return the area of a change that is not one of a schema; `tokens` lead to it in either projection."""
    way = tuple("*" if index == 1 and tokens[0] == "actions" else each for index, each in enumerate(tokens))
    if len(way) == 2 and way[0] == "actions":
        removed = difference.kind is Kind.REMOVED
        return _narrowing(ACTION_REMOVED, ACTION_ADDED, narrows=removed)
    if way[2:4] == ("binding", "response") and way[4:5] and way[4] in _LIMITS:
        return _narrowing(RESPONSE_NARROWED, RESPONSE_WIDENED, narrows=_is_less(difference))
    for length in (5, 4, 3, 1):
        found = _AREAS.get("/".join(way[:length]))
        if found is not None:
            return found
    raise KeyError(tokens)  # the projection has no such place (R-DIG-2)


def _narrowing(narrowed: str, widened: str, *, narrows: bool) -> Area:
    if narrows:
        return Area(code=narrowed)
    return Area(code=widened, impact=Impact.COMPATIBLE)


def _is_less(difference: Difference) -> bool:
    if difference.kind is Kind.CHANGED:
        return bool(difference.new < difference.old)
    return difference.kind is Kind.REMOVED
