"""Strategies for schemas and the values they judge: few names and small numbers, so that they meet often."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

NAMES = st.sampled_from(["a", "b", "ab"])
SCALARS = st.sampled_from([None, True, False, 0, 1, 1.0, 2, 0.5, -1, 1e22, "", "a", "ab", "b1"])
TYPES = ("string", "number", "integer", "boolean", "object", "array", "null")
SIZES = st.integers(0, 3)
BOUNDS = st.sampled_from([-1, 0, 1, 1.0, 1.5, 2, 1e22])

VALUES: st.SearchStrategy[Any] = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(NAMES, inner, max_size=3),
    max_leaves=8,
)

NAME_LISTS = st.lists(NAMES, max_size=2, unique=True)
ASSERTIONS: dict[str, st.SearchStrategy[Any]] = {
    "type": st.sampled_from(TYPES) | st.lists(st.sampled_from(TYPES), min_size=1, max_size=3, unique=True),
    "enum": st.lists(VALUES, min_size=1, max_size=3),
    "const": VALUES,
    "minimum": BOUNDS,
    "maximum": BOUNDS,
    "exclusiveMinimum": BOUNDS,
    "exclusiveMaximum": BOUNDS,
    "multipleOf": st.sampled_from([1, 2, 0.5]),
    "minLength": SIZES,
    "maxLength": SIZES,
    "pattern": st.sampled_from(["^a", "b$", "^[a-c]+$", "1"]),
    "minItems": SIZES,
    "maxItems": SIZES,
    "uniqueItems": st.booleans(),
    "minProperties": SIZES,
    "maxProperties": SIZES,
    "required": NAME_LISTS,
    "dependentRequired": st.dictionaries(NAMES, NAME_LISTS, max_size=2),
    "$ref": st.sampled_from(["#/$defs/x", "#/$defs/y", "#", "#y"]),
}
SINGLE = [
    *(
        "items",
        "contains",
        "additionalProperties",
        "propertyNames",
        "unevaluatedItems",
        "unevaluatedProperties",
    ),
    *("not", "if", "then", "else"),
]


def _objects(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[dict[str, Any]]:
    applicators: dict[str, st.SearchStrategy[Any]] = {
        **dict.fromkeys(SINGLE, inner),
        **{
            keyword: st.lists(inner, min_size=1, max_size=3)
            for keyword in ("allOf", "anyOf", "oneOf", "prefixItems")
        },
        **{
            keyword: st.dictionaries(NAMES, inner, max_size=2)
            for keyword in ("properties", "dependentSchemas")
        },
        "patternProperties": st.dictionaries(st.sampled_from(["^a", "b$"]), inner, max_size=2),
        "minContains": SIZES,
        "maxContains": SIZES,
    }
    return _some({**ASSERTIONS, **applicators})


def _some(keywords: dict[str, st.SearchStrategy[Any]]) -> st.SearchStrategy[dict[str, Any]]:
    chosen = st.lists(st.sampled_from(sorted(keywords)), min_size=1, max_size=4, unique=True)
    return chosen.flatmap(lambda names: st.fixed_dictionaries({name: keywords[name] for name in names}))


SUBSCHEMAS: st.SearchStrategy[Any] = st.recursive(st.booleans() | _some(ASSERTIONS), _objects, max_leaves=6)


@st.composite
def schemas(draw: st.DrawFn) -> dict[str, Any]:
    """Return a schema document with two definitions, one of them anchored; it may hold a cycle."""
    root = dict(draw(_objects(SUBSCHEMAS)))
    anchored = draw(_some(ASSERTIONS))
    root["$defs"] = {"x": draw(SUBSCHEMAS), "y": {**anchored, "$anchor": "y"}}
    return root
