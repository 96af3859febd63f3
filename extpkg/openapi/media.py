"""Media types of a source: which of them an action can send or read, and what the others are called."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable

JSON: Final = "application/json"
MERGE_PATCH: Final = "application/merge-patch+json"

_NAME: Final = r"[a-z0-9][a-z0-9!#$&^_.+-]*"
_JSON: Final = re.compile(rf"application/(?:json|{_NAME}\+json)")
_TEXT: Final = re.compile(rf"text/(?!event-stream\Z){_NAME}")
_RANGES: Final = frozenset({"*/*", "application/*", "application/*+json"})
_STREAMS: Final = frozenset(
    {"text/event-stream", "application/stream+json", "application/x-ndjson", "application/ndjson"}
    | {"application/jsonl", "application/x-jsonlines", "application/json-seq", "application/json-lines"}
)
_XML: Final = re.compile(r"(?:application|text)/(?:xml|.+\+xml)")


class Kinds(NamedTuple):
    """The media types of one body, sorted into what an action can read; a range counts as JSON."""

    json: tuple[str, ...]
    text: tuple[str, ...]
    others: tuple[str, ...]
    ranged: bool


def essence(text: str) -> str:
    """Return a media type in lower case, without parameters."""
    return text.partition(";")[0].strip().lower()


def sorted_kinds(names: Iterable[str]) -> Kinds:
    """Return the media types by what they are, each once, in code-point order."""
    found = sorted({essence(name) for name in names})
    streams = {name for name in found if name in _STREAMS}
    json = [name for name in found if _JSON.fullmatch(name) and name not in streams]
    ranged = not json and not _RANGES.isdisjoint(found)
    return Kinds(
        json=(JSON,) if ranged else tuple(json),
        text=tuple(name for name in found if _TEXT.fullmatch(name)),
        others=tuple(
            n for n in found if n in streams or not (_JSON.fullmatch(n) or _TEXT.fullmatch(n) or n in _RANGES)
        ),
        ranged=ranged,
    )


def preferred_json(names: Iterable[str]) -> str:
    """Return the JSON type to take: `application/json`, else merge patch, else the first by code points."""
    listed = sorted(names)
    return next((name for name in (JSON, MERGE_PATCH) if name in listed), listed[0])


def is_of(name: str, wanted: str) -> bool:
    """Say whether a media type as it is written is the one wanted; a range is where nothing else could be."""
    found = essence(name)
    return found == wanted or (wanted == JSON and found in _RANGES)


def body_reason(names: Iterable[str]) -> str:
    """Return the reason code for a body that comes in none but these types."""
    found = sorted(map(essence, names))
    for code, matching in (
        ("body-form-urlencoded", "application/x-www-form-urlencoded"),
        ("body-multipart", "multipart/"),
        ("body-octet-stream", "application/octet-stream"),
        ("body-text", "text/"),
    ):
        if any(name.startswith(matching) and not _XML.fullmatch(name) for name in found):
            return code
    return "body-xml" if any(map(_XML.fullmatch, found)) else "body-other"


def response_reason(names: Iterable[str]) -> str:
    """Return the reason code for an answer that comes in none but these types."""
    found = sorted(map(essence, names))
    if any(name in _STREAMS for name in found):
        return "response-streaming"
    return "response-xml" if any(map(_XML.fullmatch, found)) else "response-binary"
