"""`$ref`: local only, to a schema of the same document; nothing here could fetch anything (R-SCH-3)."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from extpkg.errors import DocumentInvalid
from extpkg.json_schema.keywords import HOLDS, Holds, subschemas
from extpkg.pointer import Pointer

if TYPE_CHECKING:
    from collections.abc import Mapping

_BAD_PERCENT: Final = re.compile("%(?![0-9A-Fa-f]{2})")
_INDEX: Final = re.compile("0|[1-9][0-9]{0,8}")


class Target(NamedTuple):
    """Where a reference leads: the pointer of a schema in its document, and the schema itself."""

    pointer: str
    schema: Any


def resolve_reference(
    root: Any, reference: str, known_anchors: Mapping[str, Target] | None = None
) -> Target | None:
    """Return what a `$ref` of `root` refers to; None where that is not a schema of `root`.

    The fragment is percent-decoded first, as a URI's is. Who resolves many hands in `anchors(root)`.
    """
    if not reference.startswith("#"):
        return None
    fragment = decode_fragment(reference[1:])
    if fragment is None:
        return None
    if not fragment.startswith("/"):
        if not fragment:
            return Target("", root)
        return (anchors(root) if known_anchors is None else known_anchors).get(fragment)
    try:
        tokens = Pointer(fragment).tokens
    except DocumentInvalid:
        return None
    found, schema = locate(root, tokens)
    return Target(fragment, schema) if found else None


def decode_fragment(fragment: str) -> str | None:
    """Return a URI fragment percent-decoded; None where an escape is broken or is no UTF-8."""
    if "%" not in fragment:
        return fragment
    if _BAD_PERCENT.search(fragment):
        return None
    parts = re.split("((?:%[0-9A-Fa-f]{2})+)", fragment)
    try:
        return "".join(
            bytes.fromhex(part.replace("%", "")).decode() if part.startswith("%") else part for part in parts
        )
    except UnicodeDecodeError:
        return None


def locate(root: Any, tokens: tuple[str, ...]) -> tuple[bool, Any]:
    """Return (True, the schema at `tokens`), or (False, None) where the walk of R-SCH-6 finds no schema."""
    schema = root
    rest = list(reversed(tokens))
    while rest:
        keyword = rest.pop()
        holds = HOLDS.get(keyword, Holds.DATA)
        if type(schema) is not dict or keyword not in schema or holds is Holds.DATA:
            return False, None
        schema = schema[keyword]
        if holds is Holds.SINGLE:
            continue
        token = rest.pop() if rest else None
        if token is None:
            return False, None
        if holds is Holds.MAP and type(schema) is dict and token in schema:
            schema = schema[token]
        elif (
            holds is Holds.LIST
            and type(schema) is list
            and _INDEX.fullmatch(token)
            and int(token) < len(schema)
        ):
            schema = schema[int(token)]
        else:
            return False, None
    return type(schema) in {dict, bool}, schema


def anchors(root: Any) -> dict[str, Target]:
    """Return the schemas of `root` that carry an `$anchor`, by its name; the first of a name counts."""
    found: dict[str, Target] = {}
    pending = [("", root)]
    while pending:
        pointer, schema = pending.pop()
        name = schema.get("$anchor") if type(schema) is dict else None
        if type(name) is str:
            found.setdefault(name, Target(pointer, schema))
        pending.extend(reversed([(pointer + suffix, child) for suffix, child in subschemas(schema)]))
    return found
