"""A JSON Schema as rows of a table: name, type, required, limits, description."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final

from extpkg.cli.render.escape import escaped
from extpkg.errors import DocumentInvalid
from extpkg.pointer import Pointer

if TYPE_CHECKING:
    from collections.abc import Iterator

DEPTH: Final = 5
"""Levels of members that are listed; a schema may refer to itself."""

_ROWS: Final = 200
_DESCRIPTION: Final = 100
_LIMITS: Final = (
    ("minimum", ">= {}"),
    ("exclusiveMinimum", "> {}"),
    ("maximum", "<= {}"),
    ("exclusiveMaximum", "< {}"),
    ("multipleOf", "multiple of {}"),
    ("minLength", "at least {} characters"),
    ("maxLength", "at most {} characters"),
    ("pattern", "matches {}"),
    ("format", "format {}"),
    ("minItems", "at least {} items"),
    ("maxItems", "at most {} items"),
    ("uniqueItems", "unique"),
    ("minProperties", "at least {} members"),
    ("maxProperties", "at most {} members"),
    ("const", "is {}"),
    ("enum", "one of {}"),
    ("default", "default {}"),
)


def property_rows(schema: Any) -> Iterator[list[str]]:
    """Yield a row for each member that a schema declares, members of members after it (`a.b`, `a[].b`)."""
    for number, row in enumerate(_rows(schema, schema, "", DEPTH)):
        if number == _ROWS:
            yield ["...", "", "", "", ""]
            return
        yield row


def type_of(schema: Any) -> str:
    """Return what kind of value a schema wants, in a word or two."""
    if not isinstance(schema, dict):
        return "nothing" if schema is False else "anything"
    kind = schema.get("type")
    if kind == "array" and isinstance(schema.get("items"), dict):
        return f"array of {type_of(schema['items'])}"
    if isinstance(kind, list):
        return " or ".join(map(str, kind))
    if kind is not None:
        return str(kind)
    for keyword in ("anyOf", "oneOf", "allOf"):
        if isinstance(schema.get(keyword), list):
            return f"{keyword} {len(schema[keyword])}"
    return escaped(str(schema.get("$ref", "anything")))


def _rows(root: Any, schema: Any, prefix: str, depth: int) -> Iterator[list[str]]:
    if not isinstance(schema, dict) or depth == 0:
        return
    schema = _resolved(root, schema)
    properties = schema.get("properties", {})
    required = schema.get("required", [])
    for name, member in properties.items():
        inner = _resolved(root, member) if isinstance(member, dict) else member
        path = f"{prefix}{escaped(name)}"
        yield [path, type_of(inner), "yes" if name in required else "", _limits(inner), _description(inner)]
        yield from _rows(root, inner, f"{path}.", depth - 1)
        if isinstance(inner, dict):
            yield from _rows(root, inner.get("items"), f"{path}[].", depth - 1)
    if prefix == "":
        yield from _rows(root, schema.get("items"), "[].", depth - 1)


def _resolved(root: Any, schema: dict[str, Any]) -> dict[str, Any]:
    """Return what a local reference points to, its own keywords kept; other references stay."""
    reference = schema.get("$ref")
    if not isinstance(reference, str) or not reference.startswith("#/"):
        return schema
    try:
        target = Pointer(reference[1:]).resolve(root)
    except DocumentInvalid:
        return schema
    kept = {key: value for key, value in schema.items() if key != "$ref"}
    return target | kept if isinstance(target, dict) else schema


def _limits(schema: Any) -> str:
    if not isinstance(schema, dict):
        return ""
    found = []
    for keyword, words in _LIMITS:
        value = schema.get(keyword)
        if value is None or value is False:
            continue
        if keyword == "enum" and isinstance(value, list):
            shown = ", ".join(map(_word, value))
        else:
            shown = _word(value)
        found.append(words.format(shown))
    return "; ".join(found)


def _word(value: Any) -> str:
    return escaped(value if isinstance(value, str) else json.dumps(value, ensure_ascii=False))


def _description(schema: Any) -> str:
    text = schema.get("description", "") if isinstance(schema, dict) else ""
    line = escaped(" ".join(str(text).split()))
    return line if len(line) <= _DESCRIPTION else f"{line[: _DESCRIPTION - 3]}..."
