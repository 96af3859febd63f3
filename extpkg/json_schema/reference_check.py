"""The rules of `$ref` and `$anchor` in one schema document (R-SCH-3)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from extpkg.diagnostic import quoted
from extpkg.json_schema.fault import SchemaFault
from extpkg.json_schema.guess import guess
from extpkg.json_schema.keywords import IN_PLACE
from extpkg.pointer import escape

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from extpkg.json_schema.reference import Target

REMOTE: Final = "EXT0507"
UNRESOLVED: Final = "EXT0508"
CYCLE: Final = "EXT0509"

Placed = tuple[dict[str, Any], str]
"""A schema object and its pointer."""


def leads_nowhere(root: Any, placed: Placed, anchors: Mapping[str, Target] | None) -> SchemaFault:
    """Return what is wrong with a `$ref` that leads to no schema; without `anchors` no other is proposed."""
    schema, pointer = placed
    reference = schema["$ref"]
    where = f"{pointer}/$ref"
    if not reference.startswith("#"):
        return SchemaFault(
            code=REMOTE,
            pointer=where,
            message=f"{quoted(reference)} leads out of this schema; nothing is ever fetched",
            help='copy the schema under "$defs" and refer to it as "#/$defs/NAME"',
        )
    names = [] if anchors is None else [f"#/$defs/{escape(name)}" for name in _definitions(root)]
    close = guess(reference, [*names, *[f"#{name}" for name in anchors or ()]])
    return SchemaFault(
        code=UNRESOLVED,
        pointer=where,
        message=f"{quoted(reference)} leads to no schema of this document",
        help=f"did you mean {quoted(close)}?" if close else 'declare the schema under "$defs"',
    )


def _definitions(root: Any) -> Iterable[str]:
    definitions = root.get("$defs") if type(root) is dict else None
    return definitions if type(definitions) is dict else ()


def check_cycles(references: list[Placed], targets: dict[int, Any]) -> Iterator[SchemaFault]:
    """Yield one fault for each way round on which no part of the value is consumed.

    `targets` holds, by the identity of a schema object, what its `$ref` leads to.
    """
    pointers = {id(schema): pointer for schema, pointer in references}
    done: set[int] = set()
    reported: set[str] = set()
    for start, _ in references:
        for way in _ways_round(start, targets, done):
            closing = next(node for node in reversed(way) if node in targets)
            if pointers[closing] not in reported:
                reported.add(pointers[closing])
                yield _cycle(pointers[closing])


def _ways_round(start: dict[str, Any], targets: dict[int, Any], done: set[int]) -> Iterator[list[int]]:
    """Yield the identities on each cycle that is met on a walk from `start`, without recursion."""
    path: list[tuple[int, Iterator[Any]]] = []
    on_path: dict[int, int] = {}
    following: Any = start
    while True:
        if type(following) is dict and id(following) not in done:
            if id(following) in on_path:
                yield [node for node, _ in path[on_path[id(following)] :]]
            else:
                on_path[id(following)] = len(path)
                path.append((id(following), _in_place(following, targets)))
        while path:
            following = next(path[-1][1], None)
            if following is not None:
                break
            node, _ = path.pop()
            del on_path[node]
            done.add(node)
        else:
            return


def _in_place(schema: dict[str, Any], targets: dict[int, Any]) -> Iterator[Any]:
    for keyword in IN_PLACE:
        value = schema.get(keyword)
        if keyword == "$ref":
            if id(schema) in targets:
                yield targets[id(schema)]
        elif type(value) is list:
            yield from value
        elif keyword == "dependentSchemas" and type(value) is dict:
            yield from value.values()
        elif type(value) is dict:
            yield value


def _cycle(pointer: str) -> SchemaFault:
    return SchemaFault(
        code=CYCLE,
        pointer=f"{pointer}/$ref",
        message="this reference leads back to itself without consuming any of the value",
        help='put the recursion under "properties", "items" or another keyword that goes into the value',
    )
