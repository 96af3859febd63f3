"""The example of an action: what the document gives where that is valid, else a small value (R-ACT-4)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from extpkg.binding.parameters import fill_segment, header_value
from extpkg.canonical import canonical_json
from extpkg.check.characters import is_fit
from extpkg.diff.sites import Root
from extpkg.errors import DocumentInvalid
from extpkg.openapi.note import Unusable
from extpkg.openapi.smallest import NONE, smallest

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from extpkg.openapi.node import Node
    from extpkg.openapi.source import Source

_LISTED: Final = 4
_DEPTH: Final = 4
_BYTES: Final = 2_048
_DATA: Final = "\n\r\t"


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """One input that an example may have: `wire` is its name in the body, `location` where it goes."""

    name: str
    wire: str
    location: str
    required: bool
    examples: tuple[Any, ...]


def said_examples(source: Source, node: Node, schema: Node) -> tuple[Any, ...]:
    """Return values that the document gives for what `node` describes, best first; they may be invalid."""
    found = [*_said(source, node)]
    composed = _composed(source, schema, 0)
    return tuple(found[:_LISTED]) + (() if composed is NONE else (composed,))


def _composed(source: Source, node: Node, depth: int) -> Any:
    """Return what a schema gives as an example, made of those of its required members; or `NONE`."""
    try:
        node = source.follow(node)
    except Unusable:
        return NONE
    said = next(_said(source, node, ("default",)), NONE)
    if said is not NONE or depth > _DEPTH:
        return said
    found: dict[str, Any] = {}
    parts = node.get("allOf")
    for part in parts.elements() if parts is not None else ():
        value = _composed(source, part, depth + 1)
        found |= value if isinstance(value, dict) else {}
    properties, required = node.get("properties"), node.get("required")
    names = [each.value for each in required.elements()] if required is not None else []
    for name in names if properties is not None else ():
        member = properties.get(name) if properties is not None and isinstance(name, str) else None
        value = _composed(source, member, depth + 1) if member is not None else NONE
        found |= {} if value is NONE else {name: value}
    if found:
        return found
    items = node.get("items")
    value = _composed(source, items, depth + 1) if items is not None else NONE
    return value if value is NONE else [value]


def _said(source: Source, node: Node, more: tuple[str, ...] = ()) -> Iterator[Any]:
    """Yield `example`, the members of `examples` by name, and further fields."""
    for name in ("example", "x-example"):
        said = node.get(name)
        if said is not None:
            yield said.value
    examples = node.get("examples")
    if examples is not None:
        yield from (each.value for each in examples.elements())
        for _, each in sorted(examples.items(), key=lambda item: item[0]):
            try:
                value = source.follow(each).get("value")
            except Unusable:
                continue
            if value is not None:
                yield value.value
    for name in more:
        said = node.get(name)
        if said is not None:
            yield said.value


def example_of(schema: dict[str, Any], wanted: Sequence[Wanted], bodies: Iterable[Any]) -> Any:
    """Return an input that a schema accepts and that can be sent; `NONE` where none is found.

    It has what is required, and what an example of the whole body says beside that.
    """
    root = Root(schema)
    bodies = [body for body in bodies if isinstance(body, dict) and _is_showable(body)]
    for body in [*bodies, {}]:
        value = _filled(root, wanted, body, said=True)
        if value is not NONE and root.accepts(schema, value):
            return value
    value = _filled(root, wanted, {}, said=False)
    if value is not NONE and root.accepts(schema, value):
        return value
    return smallest(root, schema)


def _filled(root: Root, wanted: Sequence[Wanted], body: dict[str, Any], *, said: bool) -> Any:
    value: dict[str, Any] = {}
    for each in wanted:
        schema = root.schema["properties"][each.name]
        given = [body[each.wire]] if each.location == "body" and each.wire in body else []
        offered = [*given, *(each.examples if said and (each.required or each.location == "body") else ())]
        found = next((one for one in offered if _is_usable(root, schema, each.location, one)), NONE)
        if found is NONE and each.required:
            found = _made(root, schema, each.location)
            if found is NONE:
                return NONE
        if found is not NONE:
            value[each.name] = found
    return value


def _made(root: Root, schema: Any, location: str) -> Any:
    least = 0 if location == "body" else 1
    made = smallest(root, schema, least=least)
    return made if made is not NONE and _is_sendable(location, made) else NONE


def _is_usable(root: Root, schema: Any, location: str, value: Any) -> bool:
    return (
        _is_showable(value)
        and bool(root.accepts(schema, value))
        and _is_sendable(location, value)
        and not (location != "body" and value == [])
    )


def _is_showable(value: Any) -> bool:
    """Say whether a value may stand in a catalog: JSON that is not long, without unfit characters."""
    try:
        if len(canonical_json(value)) > _BYTES:
            return False
    except DocumentInvalid:
        return False
    return all(is_fit(text, _DATA) for text in _texts(value))


def _texts(value: Any) -> Iterator[str]:
    pending = [value]
    while pending:
        here = pending.pop()
        if isinstance(here, str):
            yield here
        elif isinstance(here, dict):
            yield from here
            pending.extend(here.values())
        elif isinstance(here, list):
            pending.extend(here)


def _is_sendable(location: str, value: Any) -> bool:
    """Say whether a value can be written where it goes (R-REQ-2, 4)."""
    try:
        if location == "path":
            fill_segment("{it}", {"it": value})
        elif location == "header":
            header_value(value)
    except DocumentInvalid:
        return False
    return True
