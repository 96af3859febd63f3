"""How a value is written into a path, a query and a header (R-REQ-2 to R-REQ-5).

Every function here is pure and total: what cannot be written raises `DocumentInvalid` with one finding
(EXT0428) whose message says why; the caller knows which field the value came from.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

from extpkg.canonical import number_text
from extpkg.diagnostic import Finding, Place
from extpkg.errors import DocumentInvalid

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

PLACEHOLDER: Final = re.compile(r"\{([A-Za-z0-9_.~-]+)\}")
"""A placeholder of a sound path template; its name is the group."""

_UNRESERVED: Final = re.compile(r"[A-Za-z0-9._~-]*")
_HEADER_VALUE: Final = re.compile(r"(?:[!-~](?:[ -~]*[!-~])?)?")
_ENCODED: Final = tuple(
    chr(byte) if _UNRESERVED.fullmatch(chr(byte)) else f"%{byte:02X}" for byte in range(256)
)


def unbindable(message: str) -> DocumentInvalid:
    """Return the refusal of a value that a request cannot carry, for the caller to raise."""
    return DocumentInvalid((Finding(code="EXT0428", place=Place(path=""), message=message),))


def scalar_text(value: Any) -> str:
    """Return a scalar as it stands outside a body, numbers as RFC 8785 writes them (R-REQ-5)."""
    if isinstance(value, str):
        return value
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float):
        return number_text(value)
    if value is None:
        raise unbindable("null is written only into a body")
    kind = "array" if isinstance(value, list) else "object"
    raise unbindable(f"an {kind} stands where only a scalar can be written")


def percent_encode(text: str) -> str:
    """Return `text` as UTF-8 with every byte outside RFC 3986 *unreserved* as upper-case `%XX` (R-REQ-2)."""
    if _UNRESERVED.fullmatch(text):
        return text
    try:
        return "".join([_ENCODED[byte] for byte in text.encode()])
    except UnicodeEncodeError:
        raise unbindable("the text holds a lone surrogate, which has no UTF-8 form") from None


def encode_value(value: Any) -> str:
    """Return a scalar or an array percent-encoded, items alone and joined by a literal `,` (R-REQ-2)."""
    if isinstance(value, list):
        return ",".join([percent_encode(scalar_text(item)) for item in value])
    return percent_encode(scalar_text(value))


def fill_path(template: str, values: Mapping[str, Any]) -> str:
    """Return a sound path template (R-BIND-2) with each placeholder replaced by its value (R-REQ-2).

    `values` has a value for every placeholder. Raises `DocumentInvalid` where a value cannot be written, or a
    segment with a placeholder comes out empty, `.` or `..`.
    """
    return "/".join([fill_segment(segment, values) for segment in template.split("/")])


def fill_segment(segment: str, values: Mapping[str, Any]) -> str:
    """Return one segment of a path template filled, as `fill_path` does."""
    if "{" not in segment:
        return segment
    return checked_segment(segment, PLACEHOLDER.sub(lambda found: encode_value(values[found[1]]), segment))


def checked_segment(segment: str, filled: str) -> str:
    """Return a filled segment; `DocumentInvalid` where it comes out empty, `.` or `..` (R-REQ-2)."""
    if filled in {"", ".", ".."}:
        outcome = f"comes out as {filled!r}" if filled else "comes out empty"
        raise unbindable(f"the path segment {segment} {outcome}")
    return filled


def query_pairs(name: str, value: Any, *, explode: bool) -> list[str]:
    """Return the encoded `name=value` pairs of one `form` parameter, none for an empty array (R-REQ-3)."""
    return encoded_pairs(percent_encode(name), value, explode=explode)


def encoded_pairs(encoded: str, value: Any, *, explode: bool) -> list[str]:
    """Return the pairs of a parameter whose name is encoded already, as `query_pairs` does."""
    if isinstance(value, list) and explode:
        return [f"{encoded}={percent_encode(scalar_text(item))}" for item in value]
    if isinstance(value, list) and not value:
        return []
    return [f"{encoded}={encode_value(value)}"]


def query_text(parameters: Iterable[tuple[str, Any, bool]]) -> str:
    """Return the query of (name, value, explode) triples, without `?`; no pairs make `""` (R-REQ-3).

    Pairs stand in order of encoded name, then of position.
    """
    ordered = sorted(parameters, key=lambda parameter: percent_encode(parameter[0]))
    pairs = [query_pairs(name, value, explode=explode) for name, value, explode in ordered]
    return "&".join([pair for each in pairs for pair in each])


def header_value(value: Any) -> str | None:
    """Return the text of a `simple` header value, None for an empty array: the header is left out (R-REQ-4).

    Raises `DocumentInvalid` for what is neither empty nor visible ASCII with inner spaces, and for a comma
    inside an item of an array.
    """
    if isinstance(value, list):
        return _joined([scalar_text(item) for item in value]) if value else None
    return _header_text(scalar_text(value))


def request_url(base_url: str, path: str, query: str) -> str:
    """Return the URL of a request: the path is appended to the base less one trailing `/`, never resolved."""
    return f"{base_url.removesuffix('/')}{path}?{query}" if query else f"{base_url.removesuffix('/')}{path}"


def _joined(items: Sequence[str]) -> str:
    if any("," in item for item in items):
        raise unbindable("an item of an array in a header holds a comma")
    return _header_text(",".join(items))


def _header_text(text: str) -> str:
    if not _HEADER_VALUE.fullmatch(text):
        raise unbindable("a header value is visible ASCII with inner spaces, nothing else")
    return text
