"""The schemas of a source that refer to each other, one direction at a time: each is translated once.

A schema that is part of a cycle, or large, stays a definition that others refer to; every other one comes to
stand where it is referred to. Which it is depends on the schema alone, so that all actions agree, and what is
repeated is small. Nothing here recurses along references: they may be as long as the document.
"""

from __future__ import annotations

import json
import re
from hashlib import sha256
from typing import TYPE_CHECKING, Any, Final

from extpkg.openapi.note import Unusable
from extpkg.openapi.schemas_translate import Translation
from extpkg.pointer import Pointer

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from extpkg.openapi.node import Node
    from extpkg.openapi.schemas_translate import Direction
    from extpkg.openapi.source import Source

INLINE_BYTES: Final = 1024
"""Bytes of canonical JSON up to which a schema is written out wherever it is referred to."""

_INLINE_DEPTH: Final = 12
_MOST_DEPTH: Final = 54
"""Collections in a schema: an action file has 64, and some are around the schema."""

_PLAIN: Final = re.compile(r"[A-Za-z0-9._-]+")
_UNFIT: Final = re.compile(r"[^A-Za-z0-9._-]+")
_encode: Final = json.JSONEncoder(ensure_ascii=False, check_circular=False, separators=(",", ":")).encode


class Linked:
    """A translated schema whose references lead somewhere.

    `name` is set where it stays a definition. `parts` are the schemas written out in it, as far as
    something was noted on them or on their parts; `definitions` are those that it refers to, and `size` is
    its length as JSON.
    """

    __slots__ = ("cyclic", "definitions", "depth", "failure", "name", "parts", "place", "size", "translation")

    def __init__(self, place: Node, translation: Translation) -> None:
        self.place = place
        self.translation = translation
        self.failure: Unusable | None = translation.failure
        self.name = ""
        self.cyclic = False
        self.parts: list[Linked] = []
        self.definitions: list[Linked] = []
        self.size = 0
        self.depth = 0

    @property
    def value(self) -> Any:
        """The schema, references filled in."""
        return self.translation.value


class Graph:
    """The schemas of one source and direction that were asked for so far, by pointer."""

    __slots__ = ("_direction", "_linked", "_source")

    def __init__(self, source: Source, direction: Direction) -> None:
        self._source = source
        self._direction: Direction = direction
        self._linked: dict[str, Linked] = {}

    def at(self, node: Node) -> Linked:
        """Return the schema at a place, linked with everything that it refers to."""
        if node.pointer not in self._linked:
            self._link_from(node)
        return self._linked[node.pointer]

    def _link_from(self, node: Node) -> None:
        """Translate what a place leads to and link it, what is referred to first (Tarjan's components)."""
        opened: dict[str, Linked] = {}
        low: dict[str, int] = {}
        order: dict[str, int] = {}
        stack: list[str] = []
        work = [self._open(node, opened, order, low, stack)]
        while work:
            here, targets = work[-1]
            for target in targets:
                pointer = target.pointer
                if pointer in self._linked:
                    continue
                if pointer not in opened:
                    work.append(self._open(target, opened, order, low, stack))
                    break
                if pointer in low and pointer in opened:
                    low[here] = min(low[here], order[pointer])
            else:
                work.pop()
                if work:
                    parent = work[-1][0]
                    low[parent] = min(low[parent], low[here])
                if low[here] == order[here]:
                    self._close(here, stack, opened)

    def _open(
        self,
        node: Node,
        opened: dict[str, Linked],
        order: dict[str, int],
        low: dict[str, int],
        stack: list[str],
    ) -> tuple[str, Iterator[Node]]:
        pointer = node.pointer
        opened[pointer] = Linked(node, Translation(self._source, node, self._direction))
        order[pointer] = low[pointer] = len(order)
        stack.append(pointer)
        slots = opened[pointer].translation.slots
        return pointer, iter([self._source.resolve("#" + slot.target, node) for slot in slots])

    def _close(self, first: str, stack: list[str], opened: dict[str, Linked]) -> None:
        members = [opened[stack.pop()]]
        while members[-1].place.pointer != first:
            members.append(opened[stack.pop()])
        pointers = {linked.place.pointer for linked in members}
        cyclic = len(members) > 1 or any(
            slot.target in pointers for linked in members for slot in linked.translation.slots
        )
        for linked in members:
            self._linked[linked.place.pointer] = linked
            linked.cyclic = cyclic
            if cyclic:
                linked.name = _name(linked.place.pointer)
        failure = next((linked.failure for linked in members if linked.failure), None)
        if cyclic and failure is None and _consumes_nothing(members, pointers):
            failure = Unusable(
                "schema-cycle", "the schema refers to itself and nothing else", members[0].place
            )
        for linked in members:
            linked.failure = linked.failure or failure
            self._fill(linked)

    def _fill(self, linked: Linked) -> None:
        for slot in linked.translation.slots:
            target = self._linked[slot.target]
            linked.failure = linked.failure or target.failure
            if target.name:
                slot.fill["$ref"] = f"#/$defs/{target.name}"
                linked.definitions.append(target)
                continue
            slot.fill.update({**_as_object(target.value), **slot.fill})
            if target.parts or target.translation.notes:
                linked.parts.append(target)
            linked.definitions += target.definitions
        linked.parts = list(_once(linked.parts))
        linked.definitions = list(_once(linked.definitions))
        if linked.failure:
            return
        linked.size = len(_encode(linked.value).encode())
        linked.depth = _depth(linked.value) if linked.size > 2 * _INLINE_DEPTH else 1
        if linked.depth > _MOST_DEPTH:
            linked.failure = Unusable(
                "schema-too-deep", "the schema nests deeper than a file may", linked.place
            )
        if not linked.name and (linked.size > INLINE_BYTES or linked.depth > _INLINE_DEPTH):
            linked.name = _name(linked.place.pointer)


def closure(definitions: Iterable[Linked]) -> list[Linked]:
    """Return definitions and those that they refer to, directly or through others, by name."""
    found: dict[str, Linked] = {}
    waiting = list(definitions)
    while waiting:
        here = waiting.pop()
        if here.name not in found:
            found[here.name] = here
            waiting += here.definitions
    return [found[name] for name in sorted(found)]


def _once(many: Iterable[Linked]) -> Iterable[Linked]:
    return {id(linked): linked for linked in many}.values()


def _as_object(schema: Any) -> dict[str, Any]:
    if type(schema) is dict:
        return schema
    return {} if schema else {"not": {}}


def _name(pointer: str) -> str:
    """Return a name for a schema: the last word of its place where that is one, and else that and a hash."""
    tokens = Pointer(pointer).tokens
    last = tokens[-1] if tokens else "root"
    if _PLAIN.fullmatch(last) and tokens[:-1] in {("components", "schemas"), ("definitions",)}:
        return last
    return f"{_UNFIT.sub('_', last)}-{sha256(pointer.encode()).hexdigest()[:8]}"


def _consumes_nothing(members: list[Linked], pointers: set[str]) -> bool:
    """Whether one can come back to a schema without going into the value that it judges."""
    waiting = {
        linked.place.pointer: {
            slot.target for slot in linked.translation.slots if slot.in_place and slot.target in pointers
        }
        for linked in members
    }
    while True:
        free = [pointer for pointer, targets in waiting.items() if targets.isdisjoint(waiting)]
        if not free:
            return bool(waiting)
        for pointer in free:
            del waiting[pointer]


def _depth(value: Any) -> int:
    level, depth = [value], 0
    while level:
        level = [each for each in level if type(each) is dict or type(each) is list]
        level = [member for each in level for member in (each.values() if type(each) is dict else each)]
        depth += 1
    return depth
