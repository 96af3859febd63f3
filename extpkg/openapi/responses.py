"""What counts as success, how it is read, and what an Agent gets: the answers of an operation (R-BIND-8)."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final

from extpkg.canonical import canonical_text
from extpkg.definition.model import Response
from extpkg.limits import RESULT_BYTES
from extpkg.openapi.media import JSON, is_of, preferred_json, response_reason, sorted_kinds
from extpkg.openapi.note import Note, Unusable
from extpkg.openapi.schemas import convert
from extpkg.openapi.texts import cleaned

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from extpkg.openapi.inventory import Operation
    from extpkg.openapi.media import Kinds
    from extpkg.openapi.node import Node
    from extpkg.openapi.source import Source

_STATUS: Final = re.compile(r"2[0-9]{2}")
_RANGE: Final = re.compile(r"2XX", re.IGNORECASE)
_RANGE_STATUSES: Final = (200, 201, 202, 204)
_NULL_STATUSES: Final = frozenset({204, 205})
_TEXT: Final = {"type": "string"}
_NOTHING: Final = {"type": "null"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Answers:
    """The response policy of an action, the schema of its data, and what there is to say.

    `accept` is what is to be asked for where the provider could answer in other types too.
    """

    response: Response
    schema: Any
    definitions: dict[str, Any]
    accept: str | None
    notes: tuple[Note, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Answer:
    """One success: its statuses, the types that are read, and their schema; none where there is no body."""

    statuses: tuple[int, ...]
    node: Node
    types: tuple[str, ...] = ()
    mixed: bool = False
    schema: Any = None
    definitions: dict[str, Any]
    refused: tuple[str, ...] = ()


def read_responses(source: Source, operation: Operation) -> Answers:
    """Return the answers of an operation that mean success. Raises `Unusable` with `response-…`."""
    notes: list[Note] = []
    answers = [
        _answer(source, operation, statuses, node, notes)
        for statuses, node in _successes(source, operation, notes)
    ]
    readable = [each for each in answers if not each.refused]
    unreadable = [each for each in answers if each.refused]
    if unreadable and not any(each.types for each in readable):
        names = unreadable[0].refused
        message = f"its answer is {', '.join(names)}, and an action reads JSON or text"
        raise Unusable(response_reason(names), message, unreadable[0].node)
    for each in unreadable:
        statuses = ", ".join(map(str, each.statuses))
        message = (
            f"status {statuses} answers {', '.join(each.refused)}, which is not read; it is no success here"
        )
        notes.append(Note(pointer=each.node.pointer, code="response-status-dropped", message=message))
    return _joined(readable, notes)


def _successes(source: Source, operation: Operation, notes: list[Note]) -> list[tuple[tuple[int, ...], Node]]:
    """Return the successes by status: the explicit ones, else those of `2XX`, else `default`."""
    responses = operation.node.get("responses")
    listed = dict(source.follow(responses).items()) if responses is not None else {}
    explicit = [(int(status), node) for status, node in listed.items() if _STATUS.fullmatch(status)]
    if explicit:
        return [((status,), node) for status, node in sorted(explicit, key=lambda each: each[0])]
    ranged = next((node for status, node in listed.items() if _RANGE.fullmatch(status)), None)
    if ranged is not None:
        message = "the document says 2XX; 200, 201, 202 and 204 are taken as success"
        notes.append(Note(pointer=ranged.pointer, code="response-range-assumed", message=message))
        return [(_RANGE_STATUSES, ranged)]
    place = responses or operation.node
    if "default" in listed and not any(status[:1] == "3" for status in listed):
        message = "the document names no success status; 200 is assumed"
        notes.append(
            Note(pointer=listed["default"].pointer, code="response-default-assumed", message=message)
        )
        return [((200,), listed["default"])]
    if any(status[:1] == "3" for status in listed):
        raise Unusable("response-redirect-only", "it answers with a redirect, which is never followed", place)
    raise Unusable("response-no-success", "the document names no answer that means success", place)


def _answer(
    source: Source, operation: Operation, statuses: tuple[int, ...], node: Node, notes: list[Note]
) -> _Answer:
    node = source.follow(node)
    bare = _Answer(statuses=statuses, node=node, definitions={})
    if set(statuses) <= _NULL_STATUSES:
        return bare
    schemas = _schemas_2(source, operation, node) if source.version == "2.0" else _schemas_3(node)
    if not schemas:
        return bare
    if any(each is not None and _is_file(each) for each in schemas.values()):
        return replace(bare, refused=("a file",))
    kinds = sorted_kinds(schemas)
    if kinds.ranged:
        message = "the document does not say which media type it answers; application/json is read"
        notes.append(Note(pointer=node.pointer, code="response-type-assumed", message=message))
    if kinds.json:
        return _json_answer(source, bare, schemas, kinds, notes)
    if kinds.text:
        return replace(bare, types=kinds.text, schema=_TEXT, mixed=bool(kinds.others))
    return replace(bare, refused=kinds.others)


def _json_answer(
    source: Source, bare: _Answer, schemas: dict[str, Node | None], kinds: Kinds, notes: list[Note]
) -> _Answer:
    variants: list[Any] = []
    definitions: dict[str, Any] = {}
    first = preferred_json(kinds.json)
    for wanted in (first, *(name for name in kinds.json if name != first)):
        schema = next(schemas[name] for name in sorted(schemas) if is_of(name, wanted))
        if schema is None:
            variants.append(True)
            continue
        converted = convert(source, schema, "output")
        notes.extend(converted.notes)
        definitions |= converted.definitions
        variants.append(converted.schema)
    return replace(
        bare,
        types=kinds.json,
        mixed=bool(kinds.text or kinds.others),
        schema=_either(variants),
        definitions=definitions,
    )


def _schemas_3(node: Node) -> dict[str, Node | None]:
    content = node.get("content")
    return {name: media.get("schema") for name, media in content.items()} if content is not None else {}


def _schemas_2(source: Source, operation: Operation, node: Node) -> dict[str, Node | None]:
    schema = node.get("schema")
    if schema is None:
        return {}
    produces = operation.node.get("produces") or source.root.get("produces")
    names = [each.value for each in produces.elements() if isinstance(each.value, str)] if produces else []
    return dict.fromkeys(names or ["*/*"], schema)


def _is_file(schema: Node) -> bool:
    kind = schema.get("type")
    return kind is not None and kind.value == "file"


def _joined(answers: Sequence[_Answer], notes: list[Note]) -> Answers:
    statuses = tuple(sorted({status for each in answers for status in each.statuses}))
    types = tuple(sorted({name for each in answers for name in each.types}))
    with_body = [each for each in answers if each.types]
    empty = any(not each.types for each in answers) or not _NULL_STATUSES.isdisjoint(statuses)
    if not with_body:
        response = Response(mode="empty", success_statuses=statuses, content_types=(), max_bytes=RESULT_BYTES)
        return Answers(
            response=response,
            schema=_described(_NOTHING, answers),
            definitions={},
            accept=None,
            notes=tuple(notes),
        )
    unsaid = [each for each in answers if not each.types and not set(each.statuses) <= _NULL_STATUSES]
    for each in unsaid:
        message = f"status {each.statuses[0]} has no body in the document; an answer of another type fails"
        notes.append(Note(pointer=each.node.pointer, code="response-body-unsaid", message=message))
    definitions: dict[str, Any] = {}
    for each in with_body:
        definitions |= each.definitions
    schema = _described(_either([each.schema for each in with_body]), with_body)
    response = Response(
        mode="passthrough", success_statuses=statuses, content_types=types, max_bytes=RESULT_BYTES
    )
    return Answers(
        response=response,
        schema=_or_null(schema) if empty else schema,
        definitions=definitions,
        accept=", ".join(_first_json(types)) if any(each.mixed for each in with_body) else None,
        notes=tuple(notes),
    )


def _first_json(types: Iterable[str]) -> list[str]:
    listed = list(types)
    return [JSON, *(name for name in listed if name != JSON)] if JSON in listed else listed


def _described(schema: Any, answers: Sequence[_Answer]) -> Any:
    """Return a schema that says as much as the answer does, where it says nothing itself."""
    if not isinstance(schema, dict) or "description" in schema or len(answers) != 1:
        return schema
    said = answers[0].node.get("description")
    text = cleaned(said.value) if said is not None and isinstance(said.value, str) else ""
    return {**schema, "description": text} if len(text.split()) > _TELLING else schema


_TELLING: Final = 2
"""Words of a description above which it says more than `OK` or `Not found`."""


def _either(schemas: Sequence[Any]) -> Any:
    """Return a schema that accepts what any of these do; each once, in the order of the answers."""
    distinct = list({_text_of(each): each for each in schemas}.values())
    if len(distinct) == 1:
        return distinct[0]
    if any(each is True or each == {} for each in distinct):
        return {}
    return {"anyOf": distinct}


def _text_of(schema: Any) -> str:
    return canonical_text(schema)


def _or_null(schema: Any) -> Any:
    """Return a schema that accepts null as well."""
    if schema is True or schema == {}:
        return schema
    if isinstance(schema, dict):
        kind = schema.get("type")
        bound = {"enum", "const", "allOf", "anyOf", "oneOf", "not", "if", "$ref"} & schema.keys()
        if kind is not None and not bound:
            listed = kind if isinstance(kind, list) else [kind]
            return schema if "null" in listed else {**schema, "type": [*listed, "null"]}
        if schema.keys() == {"anyOf"}:
            return {"anyOf": [*schema["anyOf"], _NOTHING]}
    return {"anyOf": [schema, _NOTHING]}
