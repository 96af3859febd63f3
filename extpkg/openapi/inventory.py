"""Every operation of a source, in the order of its text."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from extpkg.openapi.note import Unusable
from extpkg.openapi.structure import METHODS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from extpkg.openapi.node import Node
    from extpkg.openapi.source import Source

BINDABLE: Final = ("GET", "POST", "PUT", "PATCH", "DELETE")
"""The methods of actions (seed 001 section 4.4)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Operation:
    """One method of one path: `node` is its object, `items` the path items that it stands in.

    A path item that refers to another comes first and the one referred to behind it. `path` is the key as it
    is written, `pointer` the place under that key; `id` is the `operationId`. `fault` says why there is no
    object to read.
    """

    method: str
    path: str
    pointer: str
    node: Node
    items: tuple[Node, ...]
    id: str | None = None
    tags: tuple[str, ...] = ()
    fault: Unusable | None = None

    @property
    def place(self) -> str:
        """`METHOD /path`, as reports and selectors write it."""
        return f"{self.method} {self.path}"

    def field(self, name: str) -> Iterator[Node]:
        """Yield a field of the path items, the nearest first."""
        for item in self.items:
            found = item.get(name)
            if found is not None:
                yield found


def operations(source: Source) -> list[Operation]:
    """Return the operations of a source in the order of its text; a broken one has its `fault`."""
    paths = source.root.get("paths")
    if paths is None:
        return []
    try:
        paths = source.follow(paths)
    except Unusable:
        return []
    return [
        operation
        for path, item in paths.items()
        if not path.startswith("x-")
        for operation in _of_item(source, path, item)
    ]


def _of_item(source: Source, path: str, item: Node) -> Iterator[Operation]:
    items: tuple[Node, ...] = (item,)
    lost: Unusable | None = None
    if "$ref" in (item.value if isinstance(item.value, dict) else {}):
        try:
            items = (item, source.follow(item))
        except Unusable as unusable:
            lost = unusable
    seen = [name for each in items for name, _ in each.items() if name in METHODS]
    if lost is not None and not seen:
        yield Operation(method="?", path=path, pointer=item.pointer, node=item, items=items, fault=lost)
    for method in dict.fromkeys(seen):
        node = next(found for each in items if (found := each.get(method)) is not None)
        yield _operation(source, method.upper(), path, node, items)


def _operation(source: Source, method: str, path: str, node: Node, items: tuple[Node, ...]) -> Operation:
    fault: Unusable | None = None
    pointer = node.pointer
    try:
        node = source.follow(node)
        if not isinstance(node.value, dict):
            fault = Unusable("malformed", "the operation is no mapping", node)
    except Unusable as unusable:
        fault = unusable
    said, tags = node.get("operationId"), node.get("tags")
    return Operation(
        method=method,
        path=path,
        pointer=pointer,
        node=node,
        items=items,
        id=said.value if said is not None and isinstance(said.value, str) else None,
        tags=tuple(each.value for each in tags.elements() if isinstance(each.value, str)) if tags else (),
        fault=fault,
    )
