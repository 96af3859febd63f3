"""Schemas of what goes into a path, query or header: scalars and arrays of scalars, never null (R-BIND-3)."""

from __future__ import annotations

from typing import Any, Final, NamedTuple

from extpkg.check.sources import ARRAY, BOOLEAN, NULL, NUMBER, OBJECT, STRING, Sources

_SCALARS: Final = frozenset({"string", "integer", "number", "boolean"})
_ASKED: Final = frozenset({"$ref", "allOf", "anyOf", "oneOf", "enum", "const"})
_LISTS: Final = ("anyOf", "oneOf")
_NAMES: Final = ((STRING, "string"), (NUMBER, "number"), (BOOLEAN, "boolean"), (ARRAY, "array"))
_ASSUMED: Final = ["string", "number", "boolean"]
_ROOT: Final = "#/$defs/"


class Misfit(Exception):
    """A schema that leaves nothing which a path, query or header could carry; `code` completes `param-…`."""

    def __init__(self, code: str, message: str) -> None:
        self.code = code
        self.message = message
        super().__init__(message)


class Fitted(NamedTuple):
    """A schema for a path, query or header, and why it is narrower than the document's, if it is."""

    schema: dict[str, Any]
    code: str = ""
    message: str = ""


def fitted_schema(schema: Any, definitions: dict[str, Any]) -> Fitted:
    """Return what is left of a schema without null, objects and arrays of anything but scalars.

    Raises `Misfit` where nothing is left.
    """
    if _is_plain(schema):
        return Fitted(schema)
    bare = _without_null(schema if isinstance(schema, dict) else {} if schema else None, definitions, ())
    if bare is None:
        raise Misfit("null-only", "it admits nothing but null")
    return _narrowed(bare, definitions)


def _is_plain(schema: Any) -> bool:
    if not isinstance(schema, dict) or not _ASKED.isdisjoint(schema):
        return False
    kind = schema.get("type")
    if kind == "array":
        items = schema.get("items")
        return "prefixItems" not in schema and isinstance(items, dict) and _is_scalar(items)
    return isinstance(kind, str) and kind in _SCALARS


def _is_scalar(schema: dict[str, Any]) -> bool:
    kind = schema.get("type")
    return isinstance(kind, str) and kind in _SCALARS and _ASKED.isdisjoint(schema)


def _narrowed(schema: dict[str, Any], definitions: dict[str, Any]) -> Fitted:
    types, known, items, items_known = _admitted(schema, definitions)
    code = message = ""
    if not known:
        schema = _typed(schema, _ASSUMED)
        return Fitted(
            schema, "param-type-assumed", "the document gives no type; taken as text, number or boolean"
        )
    if types & OBJECT:
        types &= ~OBJECT
        code, message = "param-narrowed", "what an object would say there is left out"
    if types & ARRAY and items_known and items & (OBJECT | ARRAY):
        if not items & (STRING | NUMBER | BOOLEAN):
            types &= ~ARRAY
        else:
            schema = _with_scalar_items(schema)
        code, message = "param-narrowed", "items that are objects or arrays are left out"
    if not types & ~NULL:
        nested = items_known and items & (OBJECT | ARRAY)
        raise Misfit(*_NESTED if nested else _OBJECT)
    if code:
        schema = _typed(
            _without_branches(schema, types, definitions), [n for bit, n in _NAMES if types & bit]
        )
    if types & ARRAY and not items_known:
        schema = _with_scalar_items(schema)
    return Fitted(schema, code, message)


_OBJECT: Final = ("object", "it is an object")
_NESTED: Final = ("array-complex", "it is an array of objects or arrays")


def _without_branches(schema: dict[str, Any], types: int, definitions: dict[str, Any]) -> dict[str, Any]:
    """Return a schema without the branches that admit none of the types which are left."""
    for keyword in _LISTS:
        branches = schema.get(keyword, ())
        left = [each for each in branches if _admitted(each, definitions)[0] & types]
        if len(left) < len(branches):
            schema = _with_choice(schema, keyword, left)
    return schema


def _admitted(schema: Any, definitions: dict[str, Any]) -> tuple[int, bool, int, bool]:
    root = {"type": "object", "properties": {"it": schema}, "$defs": definitions}
    sources = Sources(root, ())
    nodes = sources.declared(("it",))
    value, items = sources.admitted(nodes), sources.admitted_items(nodes)
    return value.types, value.known, items.types, items.known


def _typed(schema: dict[str, Any], names: list[str]) -> dict[str, Any]:
    """Return a schema that admits only the types named, beside all that it asks already."""
    own = schema.get("type")
    if own is not None:
        listed = own if isinstance(own, list) else [own]
        kept = [name for name in listed if name in names or (name == "integer" and "number" in names)]
        names = kept or names
    return {**schema, "type": names[0] if len(names) == 1 else names}


def _with_scalar_items(schema: dict[str, Any]) -> dict[str, Any]:
    items = schema.get("items")
    if items is None and "prefixItems" in schema:
        return schema
    bare = items if isinstance(items, dict) else {}
    return {**schema, "items": _typed(bare, _ASSUMED)}


def _without_null(schema: Any, definitions: dict[str, Any], seen: tuple[str, ...]) -> Any:
    """Return a schema in which nothing names null, None where nothing else is left of it."""
    if not isinstance(schema, dict):
        return schema or None
    kept = dict(schema)
    if not _own_without_null(kept):
        return None
    if not _reference_without_null(kept, definitions, seen):
        return None
    if "allOf" in kept:
        kept["allOf"] = [_without_null(each, definitions, seen) for each in kept["allOf"]]
        if None in kept["allOf"]:
            return None
    for keyword in _LISTS:
        if keyword in kept:
            left = [
                bare for each in kept[keyword] if (bare := _without_null(each, definitions, seen)) is not None
            ]
            if not left:
                return None
            kept = _with_choice(kept, keyword, left)
    return _items_without_null(kept, definitions, seen)


def _reference_without_null(
    schema: dict[str, Any], definitions: dict[str, Any], seen: tuple[str, ...]
) -> bool:
    """Write out what a schema refers to, where that names null; say whether anything is left."""
    reference = schema.get("$ref")
    target = definitions.get(str(reference).removeprefix(_ROOT))
    if target is None or reference in seen:
        return True
    bare = _without_null(target, definitions, (*seen, str(reference)))
    if bare is not None and bare != target:
        del schema["$ref"]
        schema["allOf"] = [*schema.get("allOf", ()), bare]
    return bare is not None


def _items_without_null(
    schema: dict[str, Any], definitions: dict[str, Any], seen: tuple[str, ...]
) -> dict[str, Any]:
    if "items" in schema:
        bare = _without_null(schema["items"], definitions, seen)
        schema["items"] = False if bare is None else bare
    if "prefixItems" in schema:
        parts = [_without_null(each, definitions, seen) for each in schema["prefixItems"]]
        schema["prefixItems"] = [False if each is None else each for each in parts]
    return schema


def _own_without_null(schema: dict[str, Any]) -> bool:
    """Take null out of a schema's own types and values; say whether anything is left."""
    kind = schema.get("type")
    if isinstance(kind, list):
        left = [name for name in kind if name != "null"]
        schema["type"] = left[0] if len(left) == 1 else left
        if not left:
            return False
    elif kind == "null":
        return False
    if "const" in schema and schema["const"] is None:
        return False
    if isinstance(schema.get("enum"), list):
        schema["enum"] = [value for value in schema["enum"] if value is not None]
        if not schema["enum"]:
            return False
    if "default" in schema and schema["default"] is None:
        del schema["default"]
    return True


def _with_choice(schema: dict[str, Any], keyword: str, left: list[Any]) -> dict[str, Any]:
    """Return a schema with these branches under a keyword; a single one is joined with the schema itself."""
    rest = {name: value for name, value in schema.items() if name != keyword}
    [only] = left if len(left) == 1 else [None]
    if isinstance(only, dict) and not (only.keys() & rest.keys() - {"description", "title"}):
        return {**only, **rest}
    return {**rest, keyword: left}
