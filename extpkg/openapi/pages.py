"""Whether a list can be asked for in parts: a result has 64 KiB (R-RES-2)."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Iterable

_SEPARATORS: Final = re.compile(r"[-_.\[\]\s]+")
_NAMES: Final = frozenset(
    [
        "page",
        "pages",
        "pagenumber",
        "pageno",
        "pagenum",
        "pagesize",
        "perpage",
        "pagelimit",
        "pagetoken",
        "pagecursor",
        "pageoffset",
        "pageafter",
        "pagebefore",
        "limit",
        "maxresults",
        "maxitems",
        "maxrecords",
        "max",
        "count",
        "size",
        "pagecount",
        "first",
        "last",
        "top",
        "skip",
        "offset",
        "start",
        "startat",
        "startingafter",
        "endingbefore",
        "startkey",
        "startcursor",
        "startindex",
        "after",
        "before",
        "cursor",
        "nextcursor",
        "nexttoken",
        "continue",
        "continuation",
        "continuationtoken",
        "marker",
        "since",
        "sinceid",
        "maxid",
        "rows",
        "take",
        "items",
        "itemsperpage",
        "resultsperpage",
        "batchsize",
        "numresults",
        "number",
        "n",
        "from",
        "to",
        "results",
    ]
)
_PREFIX: Final = "#/$defs/"


def is_unpaged(names: Iterable[str], output: dict[str, Any]) -> bool:
    """Say whether an output is a list, or an object around one, and no parameter is known to bound it."""
    if any(_SEPARATORS.sub("", name).lower() in _NAMES for name in names):
        return False
    return _is_list(output, output.get("$defs", {}))


def _is_list(schema: dict[str, Any], definitions: dict[str, Any]) -> bool:
    schema = _followed(schema, definitions)
    if _is_array(schema):
        return True
    properties = schema.get("properties")
    if not isinstance(properties, dict):
        return False
    arrays = [name for name, each in properties.items() if _is_array(_followed(each, definitions))]
    # One list among a few members is an envelope; lists among many members are details of one thing.
    return len(arrays) == 1 and len(properties) <= _ENVELOPE


_ENVELOPE: Final = 6


def _is_array(schema: dict[str, Any]) -> bool:
    kind = schema.get("type")
    return kind == "array" or (isinstance(kind, list) and "array" in kind)


def _followed(schema: Any, definitions: dict[str, Any]) -> dict[str, Any]:
    for _ in range(8):
        if not isinstance(schema, dict):
            return {}
        reference = schema.get("$ref")
        if not isinstance(reference, str):
            return schema
        schema = definitions.get(reference.removeprefix(_PREFIX))
    return {}
