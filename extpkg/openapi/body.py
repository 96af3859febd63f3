"""The body of an operation as inputs: a plain object is spread, anything else is one input (R-BIND-1, 7)."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from extpkg.openapi.examples import said_examples
from extpkg.openapi.media import JSON, body_reason, essence, is_of, preferred_json, sorted_kinds
from extpkg.openapi.node import Node
from extpkg.openapi.note import Note, Unusable
from extpkg.openapi.schemas import Converted, convert
from extpkg.openapi.texts import cleaned
from extpkg.pointer import join

if TYPE_CHECKING:
    from collections.abc import Iterator

    from extpkg.openapi.inventory import Operation
    from extpkg.openapi.parameters import Parameters
    from extpkg.openapi.source import Source

BODY: Final = "body"
"""The input that is a whole body."""

_METHODS: Final = frozenset({"POST", "PUT", "PATCH", "DELETE"})
_SPREADABLE: Final = frozenset(
    {"type", "properties", "required", "allOf", "additionalProperties", "unevaluatedProperties", "$ref"}
    | {
        "title",
        "description",
        "deprecated",
        "examples",
        "default",
        "$comment",
        "readOnly",
        "writeOnly",
        "format",
    }
)
_NO_TARGET: Final = re.compile(r"0|[1-9][0-9]*|-")
_PREFIX: Final = "#/$defs/"
_DEPTH: Final = 32


@dataclass(frozen=True, slots=True, kw_only=True)
class Field:
    """One input of a body and the pointer to where it goes; `examples` are values that the document gives."""

    name: str
    target: str
    schema: Any
    required: bool
    examples: tuple[Any, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class BodyInputs:
    """A body's media type and its inputs; `whole` are examples of it, `spread` says how it is taken."""

    content_type: str
    fields: tuple[Field, ...]
    definitions: dict[str, Any]
    spread: bool
    whole: tuple[Any, ...] = ()
    notes: tuple[Note, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class _Said:
    """A body as the document says it: a schema with its examples, under one media type."""

    content_type: str
    schema: Converted
    required: bool
    node: Node
    examples: tuple[Any, ...] = ()
    notes: list[Note] = field(default_factory=list)


def read_body(source: Source, operation: Operation, parameters: Parameters) -> BodyInputs | None:
    """Return the inputs of an operation's body, None where it has none or an empty one is left out.

    Raises `Unusable` with `body-…` for a body that no action can send.
    """
    if source.version == "2.0":
        said = _said_2(source, operation, parameters)
    else:
        said = _said_3(source, operation, parameters)
    if said is None:
        return None
    if operation.method not in _METHODS:
        if said.required:
            raise Unusable("body-on-get", f"a {operation.method} with a body cannot be sent", said.node)
        message = f"the optional body of a {operation.method} is left out"
        parameters.notes.append(Note(pointer=said.node.pointer, code="body-on-get", message=message))
        return None
    return _inputs(said)


def _said_3(source: Source, operation: Operation, parameters: Parameters) -> _Said | None:
    body = operation.node.get("requestBody")
    if body is None:
        return None
    body = source.follow(body)
    content = body.get("content")
    media = list(content.items()) if content is not None else []
    required = body.get("required")
    is_required = required is not None and required.value is True
    kinds = sorted_kinds(name for name, _ in media)
    if not media:
        return None
    if not kinds.json:
        if not is_required and all(_is_empty(source, node) for _, node in media):
            return None
        raise Unusable(body_reason(name for name, _ in media), _unsendable(name for name, _ in media), body)
    chosen = preferred_json(kinds.json)
    media_type = next(node for name, node in sorted(media, key=lambda each: each[0]) if is_of(name, chosen))
    notes = _assumed(kinds.ranged, body)
    schema = media_type.get("schema") or Node({}, media_type.file, media_type.pointer)
    said = _Said(
        content_type=chosen,
        schema=_described(convert(source, schema, "input"), body),
        required=is_required,
        node=body,
        examples=said_examples(source, media_type, schema),
        notes=notes,
    )
    parameters.notes.extend(said.schema.notes)
    return said


def _said_2(source: Source, operation: Operation, parameters: Parameters) -> _Said | None:
    consumes = operation.node.get("consumes") or source.root.get("consumes")
    names = [each.value for each in consumes.elements() if isinstance(each.value, str)] if consumes else []
    kinds = sorted_kinds(names)
    if parameters.form:
        return _form(source, operation, parameters, preferred_json(kinds.json) if kinds.json else "")
    node = parameters.body
    if node is None:
        return None
    if names and not kinds.json:
        raise Unusable(body_reason(names), _unsendable(names), node)
    notes = _assumed(kinds.ranged or not names, node)
    schema = node.get("schema") or Node({}, node.file, node.pointer)
    said = _Said(
        content_type=preferred_json(kinds.json) if kinds.json else JSON,
        schema=_described(convert(source, schema, "input"), node),
        required=_is_required(node),
        node=node,
        examples=said_examples(source, node, schema),
        notes=notes,
    )
    parameters.notes.extend(said.schema.notes)
    return said


def _form(source: Source, operation: Operation, parameters: Parameters, content_type: str) -> _Said:
    """Return the fields of a form as an object, where the operation takes that as JSON too."""
    has_file = any(_text(node, "type") == "file" for node in parameters.form)
    if has_file or not content_type:
        consumes = operation.node.get("consumes") or source.root.get("consumes")
        names = (
            [each.value for each in consumes.elements() if isinstance(each.value, str)] if consumes else []
        )
        code = "body-multipart" if has_file else body_reason(names or ["application/x-www-form-urlencoded"])
        raise Unusable(code, _unsendable(names or ["a form"]), parameters.form[0])
    properties: dict[str, Any] = {}
    definitions: dict[str, Any] = {}
    required = []
    for node in parameters.form:
        converted = convert(source, _form_schema(node), "input")
        parameters.notes.extend(converted.notes)
        name = _text(node, "name")
        properties[name] = _described(converted, node).schema
        definitions |= converted.definitions
        if _is_required(node):
            required.append(name)
    schema = {"type": "object", "properties": properties, "required": required}
    return _Said(
        content_type=content_type,
        schema=Converted(schema=schema, definitions=definitions),
        required=True,
        node=parameters.form[0],
    )


def _form_schema(node: Node) -> Node:
    dropped = {"name", "in", "required", "description", "collectionFormat", "allowEmptyValue"}
    return Node(
        {key: value for key, value in node.value.items() if key not in dropped}, node.file, node.pointer
    )


def _inputs(said: _Said) -> BodyInputs:
    plain = _plain(said.schema.schema, said.schema.definitions, 0)
    if plain is None:
        whole = Field(
            name=BODY, target="", schema=said.schema.schema, required=said.required, examples=said.examples
        )
        return BodyInputs(
            content_type=said.content_type,
            fields=(whole,),
            definitions=said.schema.definitions,
            spread=False,
            notes=tuple(said.notes),
        )
    properties, required = plain
    if required and not said.required:
        message = (
            "the body is optional, but what it must hold is required here: leave it out and nothing is sent"
        )
        said.notes.append(Note(pointer=said.node.pointer, code="body-required", message=message))
    fields = tuple(
        Field(name=name, target=join((name,)), schema=schema, required=name in required)
        for name, schema in properties.items()
    )
    return BodyInputs(
        content_type=said.content_type,
        fields=fields,
        definitions=said.schema.definitions,
        spread=True,
        whole=tuple(each for each in said.examples if isinstance(each, dict)),
        notes=tuple(said.notes),
    )


def _plain(schema: Any, definitions: dict[str, Any], depth: int) -> tuple[dict[str, Any], set[str]] | None:
    """Return the properties of a plain object and the required ones, None where it is anything else.

    An object is plain that asks for nothing but its members, of which each can be a place of a body; one
    that takes any others is not, nor is one without any.
    """
    parts = _parts(schema, definitions, depth)
    if parts is None:
        return None
    properties: dict[str, Any] = {}
    required: set[str] = set()
    for part in parts:
        for name, member in part.get("properties", {}).items():
            other = properties.get(name)
            both = member if other is None or other == member else {"allOf": [other, member]}
            properties[name] = both
        required.update(part.get("required", ()))
    is_closed = any(part.get("additionalProperties") is False for part in parts)
    if len(parts) > 1 and is_closed:
        return None
    if not properties or any(map(_NO_TARGET.fullmatch, properties)) or "" in properties:
        return None
    if not required.issubset(properties) or any(member is False for member in properties.values()):
        return None
    return properties, required


def _parts(schema: Any, definitions: dict[str, Any], depth: int) -> list[dict[str, Any]] | None:
    """Return the schemas that an object's members stand in: itself, what it refers to, its `allOf`."""
    if not isinstance(schema, dict) or depth > _DEPTH or not _SPREADABLE.issuperset(_asking(schema)):
        return None
    if schema.get("type", "object") != "object":
        return None
    if any(
        schema.get(name, False) is not False for name in ("additionalProperties", "unevaluatedProperties")
    ):
        return None
    if depth == 0 and not ({"type", "properties", "allOf", "$ref"} & schema.keys()):
        return None
    below: list[Any] = list(schema.get("allOf", ()))
    reference = schema.get("$ref")
    if isinstance(reference, str):
        below.insert(0, definitions.get(reference.removeprefix(_PREFIX)))
    found = [schema]
    for each in below:
        inner = _parts(each, definitions, depth + 1)
        if inner is None:
            return None
        found += inner
    return found


def _asking(schema: dict[str, Any]) -> Iterator[str]:
    return (keyword for keyword in schema if not keyword.startswith("x-"))


def _is_empty(source: Source, media_type: Node) -> bool:
    """Say whether a body could hold nothing: an object without members, or no schema at all."""
    schema = media_type.get("schema")
    if schema is None:
        return True
    value = source.follow(schema).value
    empty = isinstance(value, dict) and not value.get("properties")
    return (
        empty and not ({"allOf", "anyOf", "oneOf", "items"} & value.keys()) and value.get("type") != "string"
    )


def _described(converted: Converted, node: Node) -> Converted:
    text = cleaned(_text(node, "description"))
    schema = converted.schema
    if not text or not isinstance(schema, dict) or "description" in schema:
        return converted
    return Converted(
        schema={**schema, "description": text}, definitions=converted.definitions, notes=converted.notes
    )


def _assumed(ranged: bool, node: Node) -> list[Note]:  # noqa: FBT001 - a fact, not a switch
    if not ranged:
        return []
    message = "the document does not say which media type it takes; application/json is sent"
    return [Note(pointer=node.pointer, code="body-type-assumed", message=message)]


def _unsendable(names: Iterator[str] | list[str]) -> str:
    listed = ", ".join(sorted(map(essence, names)))
    return f"its body is {listed}, and an action sends JSON"


def _is_required(node: Node) -> bool:
    found = node.get("required")
    return found is not None and found.value is True


def _text(node: Node, name: str) -> str:
    found = node.get(name)
    return found.value if found is not None and isinstance(found.value, str) else ""
