"""Schemas of a source as JSON Schema 2020-12 under R-SCH, one direction at a time."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final
from weakref import WeakKeyDictionary

from extpkg.openapi.note import Note, Unusable
from extpkg.openapi.schemas_cut import cut
from extpkg.openapi.schemas_graph import Graph, Linked, closure
from extpkg.openapi.schemas_translate import Direction

if TYPE_CHECKING:
    from collections.abc import Mapping

    from extpkg.openapi.node import Node
    from extpkg.openapi.source import Source

__all__ = ["OUTPUT_BYTES", "Converted", "Direction", "convert"]

OUTPUT_BYTES: Final = 16 << 10
"""Bytes of canonical JSON above which an output schema is cut."""

INPUT_BYTES: Final = 64 << 10
"""Bytes of canonical JSON above which an input schema is reported."""

_MOST_INPUT_BYTES: Final = 384 << 10
"""What an action file can hold of it, as YAML."""

_REFERENCE: Final = re.compile(r'"\$ref":"#/\$defs/([^"]+)"')
_encode: Final = json.JSONEncoder(ensure_ascii=False, check_circular=False, separators=(",", ":")).encode

_ROOM: Final = 120
"""Bytes for what the caller puts around: `$schema`, `$defs`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Converted:
    """A schema without `$schema`, the definitions that it refers to as `#/$defs/NAME`, and notes on the way.

    Neither the root nor a member of an `allOf` there is a bare `$ref`. Schemas of one action and direction
    join: equal names are equal definitions, but for outputs that were cut. Nothing in it may be changed, for
    parts are shared.
    """

    schema: Any
    definitions: dict[str, Any] = field(default_factory=dict)
    notes: tuple[Note, ...] = ()


class _Memory:
    """What was converted of one source so far."""

    __slots__ = ("done", "graphs")

    def __init__(self, source: Source) -> None:
        self.graphs: dict[Direction, Graph] = {
            "input": Graph(source, "input"),
            "output": Graph(source, "output"),
        }
        self.done: dict[tuple[str, Direction], Converted | Unusable] = {}


_MEMORY: Final[WeakKeyDictionary[Source, _Memory]] = WeakKeyDictionary()


def convert(source: Source, node: Node, direction: Direction) -> Converted:
    """Return the schema that stands at `node`, as what goes in or what comes out.

    What cannot be said is dropped with a note where the schema only takes more for it. Raises `Unusable`
    where it would mean something else: `schema-integer-domain`, `schema-unfit-text`, `schema-dynamic-ref`,
    `schema-cycle`, `schema-too-deep`, `schema-too-large`, and the codes of `Source.follow`.
    """
    memory = _MEMORY.get(source)
    if memory is None:
        memory = _MEMORY[source] = _Memory(source)
    target = _target(source, node)
    known = memory.done.get((target.pointer, direction))
    if known is None:
        try:
            known = _converted(memory.graphs[direction].at(target), direction)
        except Unusable as unusable:
            known = unusable
        memory.done[target.pointer, direction] = known
    if isinstance(known, Unusable):
        raise Unusable(known.code, known.message, known.node)
    return known


def _target(source: Source, node: Node) -> Node:
    """Return where a bare reference leads in one step, so that all who refer to a schema share it."""
    value = node.value
    if type(value) is dict and type(value.get("$ref")) is str and len(value) == 1:
        return source.resolve(value["$ref"], node)
    return node


def _converted(linked: Linked, direction: Direction) -> Converted:
    if linked.failure:
        raise linked.failure
    every = {each.name: each for each in closure(linked.definitions)}
    schema = _rooted(linked.value, {name: each.value for name, each in every.items()})
    text = _encode(schema)
    # What was written out at the root may be referred to no more.
    definitions = closure([every[name] for name in _REFERENCE.findall(text) if name in every])
    bodies = {each.name: each.value for each in definitions}
    size = len(text.encode()) + sum(each.size + len(each.name) for each in definitions)
    if direction == "input":
        notes = _notes([linked, *every.values()])
        if size > _MOST_INPUT_BYTES:
            raise Unusable("schema-too-large", f"the schema has {size:,} bytes", linked.place)
        if size > INPUT_BYTES:
            message = f"the input schema has {size:,} bytes, which every prompt carries"
            notes = (*notes, Note(pointer=linked.place.pointer, code="input-large", message=message))
        return Converted(schema=schema, definitions=bodies, notes=notes)
    if size <= OUTPUT_BYTES - _ROOM:
        return Converted(schema=schema, definitions=bodies, notes=_notes([linked, *every.values()]))
    schema, bodies = cut(schema, bodies, OUTPUT_BYTES - _ROOM)
    message = f"the output schema has {size:,} bytes; what is far from its root is left open"
    notes = _notes([linked, *(each for each in definitions if bodies.get(each.name))])
    note = Note(pointer=linked.place.pointer, code="output-cut", message=message)
    return Converted(schema=schema, definitions=bodies, notes=(*notes, note))


def _notes(many: list[Linked]) -> tuple[Note, ...]:
    """Return what was noted on schemas and on those written out in them, once each and in order."""
    places: dict[str, Linked] = {}
    waiting = list(many)
    while waiting:
        here = waiting.pop()
        if here.place.pointer not in places:
            places[here.place.pointer] = here
            waiting += here.parts
    return tuple(sorted({note for part in places.values() for note in part.translation.notes}))


def _rooted(schema: Any, bodies: Mapping[str, Any]) -> Any:
    """Return a schema with its root's reference written out, and those of its `allOf`.

    What is written out is no cycle: one that consumes nothing was refused.
    """
    while type(schema) is dict and "$ref" in schema:
        body = bodies[schema["$ref"].rpartition("/")[2]]
        beside = {keyword: value for keyword, value in schema.items() if keyword != "$ref"}
        schema = {**body, **beside} if type(body) is dict else body
    if type(schema) is dict and "allOf" in schema:
        schema = {**schema, "allOf": [_rooted(branch, bodies) for branch in schema["allOf"]]}
    return schema
