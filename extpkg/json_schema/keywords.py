"""The keywords that R-SCH-3 knows, in one table: what each holds, and the schema walk of R-SCH-6."""

from __future__ import annotations

import enum
from typing import TYPE_CHECKING, Any, Final

from extpkg.pointer import escape

if TYPE_CHECKING:
    from collections.abc import Iterator

DIALECT: Final = "https://json-schema.org/draft/2020-12/schema"
"""The only dialect, as `$schema` writes it."""


class Holds(enum.Enum):
    """What stands under a keyword: schemas (named, listed, one) or data, which is never walked."""

    MAP = "map"
    LIST = "list"
    SINGLE = "single"
    DATA = "data"


class Role(enum.Enum):
    """What a keyword does in an evaluation: judge in place, apply subschemas, annotate, or name things."""

    ASSERTION = "assertion"
    APPLICATOR = "applicator"
    ANNOTATION = "annotation"
    IDENTITY = "identity"


MAPS: Final = ("properties", "patternProperties", "$defs", "dependentSchemas")
LISTS: Final = ("allOf", "anyOf", "oneOf", "prefixItems")
SINGLES: Final = (
    "items",
    "contains",
    "additionalProperties",
    "propertyNames",
    "unevaluatedItems",
    "unevaluatedProperties",
    "not",
    "if",
    "then",
    "else",
    "contentSchema",
)
_ASSERTIONS: Final = (
    *("type", "enum", "const", "required", "dependentRequired"),
    *("multipleOf", "maximum", "exclusiveMaximum", "minimum", "exclusiveMinimum"),
    *("maxLength", "minLength", "pattern", "maxItems", "minItems", "uniqueItems"),
    *("maxContains", "minContains", "maxProperties", "minProperties"),
)
_ANNOTATIONS: Final = (
    *("title", "description", "deprecated", "readOnly", "writeOnly", "default", "examples"),
    *("format", "contentEncoding", "contentMediaType"),
)
_IDENTITIES: Final = ("$schema", "$anchor", "$comment")

HOLDS: Final[dict[str, Holds]] = {
    **dict.fromkeys(MAPS, Holds.MAP),
    **dict.fromkeys(LISTS, Holds.LIST),
    **dict.fromkeys(SINGLES, Holds.SINGLE),
    **dict.fromkeys((*_ASSERTIONS, *_ANNOTATIONS, *_IDENTITIES, "$ref"), Holds.DATA),
}
"""Every known keyword, and what stands under it."""

ROLES: Final[dict[str, Role]] = {
    **dict.fromkeys((*MAPS, *LISTS, *SINGLES, "$ref"), Role.APPLICATOR),
    **dict.fromkeys(_ASSERTIONS, Role.ASSERTION),
    **dict.fromkeys((*_ANNOTATIONS, "contentSchema"), Role.ANNOTATION),
    **dict.fromkeys((*_IDENTITIES, "$defs"), Role.IDENTITY),
}
"""Every known keyword, and what it does in an evaluation."""

SETS: Final = frozenset({"required", "dependentRequired", "type", "enum"})
"""The keywords whose arrays are sets: their order means nothing (R-DIG-3)."""

IN_PLACE: Final = ("$ref", "allOf", "anyOf", "oneOf", "not", "if", "then", "else", "dependentSchemas")
"""The applicators that judge the same place of the instance and consume nothing of it."""

HOLDING: Final = frozenset((*MAPS, *LISTS, *SINGLES))
"""The keywords that hold schemas."""


def subschemas(schema: Any) -> Iterator[tuple[str, Any]]:
    """Yield (pointer suffix, subschema) for each schema directly inside `schema`, in the order of the text.

    This is one step of the schema walk of R-SCH-6. What has not the shape of its keyword is passed over.
    """
    if type(schema) is not dict or HOLDING.isdisjoint(schema):
        return
    for keyword, value in schema.items():
        holds = HOLDS.get(keyword, Holds.DATA)
        if holds is Holds.DATA:
            continue
        if holds is Holds.SINGLE:
            yield "/" + keyword, value
        elif holds is Holds.MAP and type(value) is dict:
            for name, member in value.items():
                yield f"/{keyword}/{escape(name)}", member
        elif holds is Holds.LIST and type(value) is list:
            for index, member in enumerate(value):
                yield f"/{keyword}/{index}", member
