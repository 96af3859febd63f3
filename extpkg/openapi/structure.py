"""Which object of the specification stands where, in one table: where a `$ref` is a reference, and to what.

Nothing under `x-*`, `example`, `examples`, `default`, `enum` or `const` is in it: what stands there is data.
"""

from __future__ import annotations

import enum
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from extpkg.json_schema.keywords import LISTS, MAPS, SINGLES

if TYPE_CHECKING:
    from collections.abc import Iterator


class Kind(enum.Enum):
    """The objects of OpenAPI 2.0 to 3.1 that references lead to or stand in."""

    DOCUMENT = "document"
    COMPONENTS = "components"
    PATHS = "paths"
    COMPONENT_MAP = "component map"
    PATH_ITEM = "path item"
    OPERATION = "operation"
    PARAMETER = "parameter"
    BODY = "request body"
    RESPONSES = "responses"
    RESPONSE = "response"
    HEADER = "header"
    MEDIA = "media type"
    ENCODING = "encoding"
    CALLBACK = "callback"
    LINK = "link"
    SECURITY = "security scheme"
    SCHEMA = "schema"


class Form(enum.Enum):
    """How the objects stand under a name: one, a map of them, a list of them, or one or a list."""

    ONE = "one"
    MAP = "map"
    LIST = "list"
    EITHER = "one or a list"


class Child(NamedTuple):
    """A part of an object: the tokens that lead to it from there, its value, and what it is."""

    tokens: tuple[str, ...]
    value: Any
    kind: Kind


METHODS: Final = ("get", "put", "post", "delete", "options", "head", "patch", "trace")
"""The members of a path item that are operations."""

SECTIONS: Final = {
    Kind.SCHEMA: "schemas",
    Kind.RESPONSE: "responses",
    Kind.PARAMETER: "parameters",
    Kind.BODY: "requestBodies",
    Kind.HEADER: "headers",
    Kind.SECURITY: "securitySchemes",
    Kind.LINK: "links",
    Kind.CALLBACK: "callbacks",
}
"""The members of `components`, by what they hold."""

SECTIONS_2: Final = {
    Kind.SCHEMA: "definitions",
    Kind.PARAMETER: "parameters",
    Kind.RESPONSE: "responses",
}
"""The members of a 2.0 document that hold what others refer to."""

NOT_REFERENCES: Final = frozenset({Kind.COMPONENTS, Kind.PATHS, Kind.COMPONENT_MAP, Kind.OPERATION})
"""Where the specification has no reference, but documents do; followed with a note."""

_Rows = dict[str, tuple[Form, Kind]]

_HEADER: Final[_Rows] = {"schema": (Form.ONE, Kind.SCHEMA), "content": (Form.MAP, Kind.MEDIA)}
_SCHEMA: Final[_Rows] = {
    **dict.fromkeys((*MAPS, "definitions"), (Form.MAP, Kind.SCHEMA)),
    **dict.fromkeys(LISTS, (Form.LIST, Kind.SCHEMA)),
    **dict.fromkeys((*SINGLES, "additionalItems"), (Form.ONE, Kind.SCHEMA)),
    "items": (Form.EITHER, Kind.SCHEMA),
}
_TABLE: Final[dict[Kind, _Rows]] = {
    Kind.DOCUMENT: {
        "paths": (Form.ONE, Kind.PATHS),
        "webhooks": (Form.MAP, Kind.PATH_ITEM),
        "securityDefinitions": (Form.MAP, Kind.SECURITY),
    },
    Kind.PATH_ITEM: {
        **dict.fromkeys(METHODS, (Form.ONE, Kind.OPERATION)),
        "parameters": (Form.LIST, Kind.PARAMETER),
    },
    Kind.OPERATION: {
        "parameters": (Form.LIST, Kind.PARAMETER),
        "requestBody": (Form.ONE, Kind.BODY),
        "responses": (Form.ONE, Kind.RESPONSES),
        "callbacks": (Form.MAP, Kind.CALLBACK),
    },
    Kind.PARAMETER: _HEADER,
    Kind.HEADER: _HEADER,
    Kind.BODY: {"content": (Form.MAP, Kind.MEDIA)},
    Kind.RESPONSE: {
        **_HEADER,
        "headers": (Form.MAP, Kind.HEADER),
        "links": (Form.MAP, Kind.LINK),
    },
    Kind.MEDIA: {"schema": (Form.ONE, Kind.SCHEMA), "encoding": (Form.MAP, Kind.ENCODING)},
    Kind.ENCODING: {"headers": (Form.MAP, Kind.HEADER)},
    Kind.SCHEMA: _SCHEMA,
}
_MAPS: Final = {
    Kind.PATHS: Kind.PATH_ITEM,
    Kind.RESPONSES: Kind.RESPONSE,
    Kind.CALLBACK: Kind.PATH_ITEM,
}
_SECTION_KINDS: Final = {name: kind for kind, name in SECTIONS.items()} | {"pathItems": Kind.PATH_ITEM}
_SECTION_KINDS_2: Final = {name: kind for kind, name in SECTIONS_2.items()}


def children(value: Any, kind: Kind) -> Iterator[Child]:
    """Yield the parts of an object that the specification gives a kind, in the order of the text.

    The members of `components` are maps, whose members `section_kinds` names; they are not yielded.
    """
    if type(value) is not dict:
        return
    if kind in _MAPS:
        below = _MAPS[kind]
        for name, member in value.items():
            if not name.startswith("x-"):
                yield Child((name,), member, below)
        return
    rows = _TABLE.get(kind)
    if rows:
        for name in value:
            row = rows.get(name)
            if row:
                yield from _placed(name, value[name], *row)


def section_kinds(value: Any) -> dict[str, Kind]:
    """Return what each component map holds: the members of `components`, or of a 2.0 document."""
    return _SECTION_KINDS_2 if type(value) is dict and "swagger" in value else _SECTION_KINDS


def _placed(name: str, value: Any, form: Form, kind: Kind) -> Iterator[Child]:
    if form is Form.ONE:
        yield Child((name,), value, kind)
    elif form is Form.MAP and type(value) is dict:
        for key, member in value.items():
            yield Child((name, key), member, kind)
    elif type(value) is list:
        for index, member in enumerate(value):
            yield Child((name, str(index)), member, kind)
    elif form is Form.EITHER:
        yield Child((name,), value, kind)
