"""A place of a source: its value, the file that it stands in, and the pointer to it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from extpkg.pointer import escape

if TYPE_CHECKING:
    from collections.abc import Iterator


@dataclass(frozen=True, slots=True)
class Node:
    """One value of a source with its place; a child is made when it is asked for.

    `pointer` is RFC 6901 text from the root of `file`. Values are plain JSON values and never changed.
    """

    value: Any
    file: str
    pointer: str = ""

    def get(self, name: str) -> Node | None:
        """Return the member `name`; None where this is no mapping or has no such member."""
        if type(self.value) is dict and name in self.value:
            return self._at(name, self.value[name])
        return None

    def items(self) -> Iterator[tuple[str, Node]]:
        """Yield name and member in the order of the text; nothing where this is no mapping."""
        if type(self.value) is dict:
            for name, value in self.value.items():
                yield name, self._at(name, value)

    def elements(self) -> Iterator[Node]:
        """Yield the elements in order; nothing where this is no list."""
        if type(self.value) is list:
            for index, value in enumerate(self.value):
                yield self._at(str(index), value)

    def _at(self, token: str, value: Any) -> Node:
        return Node(value, self.file, f"{self.pointer}/{escape(token)}")
