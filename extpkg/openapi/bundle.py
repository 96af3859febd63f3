"""The source as the Package keeps it: one document, the same bytes however it was written."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from extpkg.definition.fresh import fresh_text
from extpkg.definition.order import Kind, sorted_data
from extpkg.document.faults import refusal
from extpkg.limits import SOURCE_BYTES

if TYPE_CHECKING:
    from extpkg.openapi.source import Source

_FIRST: Final = (
    "swagger",
    "openapi",
    "info",
    "servers",
    "host",
    "basePath",
    "schemes",
    "security",
    "tags",
    "paths",
)


def bundle(source: Source) -> bytes:
    """Return the bytes of `source/openapi.yaml`: everything that the source says, members sorted by name.

    Sources whose values are equal give equal bytes: JSON or YAML, one file or a tree, in whatever order.
    Raises `DocumentInvalid` (EXT0103) where aliases and repeated files come to more than a source may have.
    """
    root = source.root.value
    if _weight(root) > SOURCE_BYTES:
        raise refusal(
            source.name, "EXT0103", f"as one document the source has more than {SOURCE_BYTES:,} bytes"
        )
    order = [name for name in _FIRST if name in root]
    order += sorted(root.keys() - set(order))
    # No member of a source has a place where a package's file has a blank line.
    return fresh_text({name: sorted_data(root[name]) for name in order}, Kind.ACTION).encode()


def _weight(root: Any) -> int:
    """Return about how many characters a value has when written out; what is shared is looked at once."""
    known: dict[int, int] = {}
    waiting = [root]
    while waiting:
        here = waiting[-1]
        below = list(here.values()) if type(here) is dict else here
        missing = [each for each in below if type(each) in {dict, list} and id(each) not in known]
        if missing:
            waiting += missing
            continue
        waiting.pop()
        own = sum(map(len, here)) if type(here) is dict else 0
        known[id(here)] = own + sum(
            known[id(each)] if type(each) in {dict, list} else len(each) if type(each) is str else 4
            for each in below
        )
    return known[id(root)]
