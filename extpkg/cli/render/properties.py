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
_LIMIT_WIDTH: Final = 60
_DESCRIPTION_WIDTH: Final = 100
_LIMITS: Final = (
    ("minimum", ">= {}"),
    ("exclusiveMinimum", "> {}"),
    ("maximum", "<= {}"),
    ("exclusiveMaximum", "< {}"),
    ("multipleOf", "multiple of {}"),
    ("minLength", "at least {} character"),
    ("maxLength", "at most {} character"),
    ("pattern", "matches {}"),
    ("format", "format {}"),
    ("minItems", "at least {} item"),
    ("maxItems", "at most {} item"),
    ("uniqueItems", "unique"),
    ("minProperties", "at least {} member"),
    ("maxProperties", "at most {} member"),
    ("const", "is {}"),
    ("enum", "one of {}"),
    ("default", "default {}"),
)

_COUNTED: Final = ("character", "item", "member")


def property_rows(schema: Any) -> Iterator[list[str]]:
    """Yield a row for each member that a schema declares, members of members after it (`a.b`, `a[].b`)."""
    for number, row in enumerate(_rows(schema, schema, "", DEPTH)):
        if number == _ROWS:
            yield ["...", "", "", "", ""]
            return
        yield row


def type_of(schema: Any, root: Any = None) -> str:
    """Return what kind of value a schema wants, in a word or two; its references point into `root`."""
    if not isinstance(schema, dict):
        return "nothing" if schema is False else "anything"
    schema = _resolved(root, schema)
    kind = schema.get("type")
    if kind == "array" and isinstance(schema.get("items"), dict):
        items = _resolved(root, schema["items"])
        return f"array of {items.get('type', 'anything')}"
    if isinstance(kind, list):
        return " or ".join(map(str, kind))
    if kind is not None:
        return str(kind)
    members = [schema["const"]] if "const" in schema else schema.get("enum", [])
    if members:
        return " or ".join(sorted({_kind(member) for member in members}))
    choices = [keyword for keyword in ("anyOf", "oneOf", "allOf") if keyword in schema]
    return f"{choices[0]} of {len(schema[choices[0]])}" if choices else "anything"


def _kind(value: Any) -> str:
    """Return the JSON type of a value."""
    if value is None or isinstance(value, bool):
        return "null" if value is None else "boolean"
    if isinstance(value, str):
        return "string"
    if isinstance(value, (int, float)):
        return "number"
    return "array" if isinstance(value, list) else "object"


def _rows(root: Any, schema: Any, prefix: str, depth: int) -> Iterator[list[str]]:
    if not isinstance(schema, dict) or depth == 0:
        return
    schema = _resolved(root, schema)
    required = schema.get("required", [])
    for name, member in schema.get("properties", {}).items():
        inner = _resolved(root, member) if isinstance(member, dict) else {}
        path = f"{prefix}{escaped(name)}"
        needed = "yes" if name in required else ""
        yield [path, type_of(member, root), needed, _cut(_limits(inner), _LIMIT_WIDTH), _description(inner)]
        yield from _rows(root, inner, f"{path}.", depth - 1)
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


def _limits(schema: dict[str, Any]) -> str:
    found = []
    for keyword, words in _LIMITS:
        value = schema.get(keyword)
        if value is None or value is False:
            continue
        members = value if keyword == "enum" and isinstance(value, list) else [value]
        text = words.format(", ".join(map(_word, members)))
        found.append(f"{text}s" if words.endswith(_COUNTED) and value != 1 else text)
    return "; ".join(found)


def _word(value: Any) -> str:
    return escaped(value if isinstance(value, str) else json.dumps(value, ensure_ascii=False))


def _description(schema: dict[str, Any]) -> str:
    return _cut(escaped(" ".join(str(schema.get("description", "")).split())), _DESCRIPTION_WIDTH)


def _cut(text: str, width: int) -> str:
    return text if len(text) <= width else f"{text[: width - 3]}..."
