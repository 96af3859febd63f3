"""What authoring says about a source: notes beside what was taken, and the reason for what was left out."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from extpkg.openapi.node import Node


@dataclass(frozen=True, slots=True, kw_only=True, order=True)
class Note:
    """Something that was changed, dropped or cut on the way: a kebab-case code, where, and one line on it."""

    pointer: str
    code: str
    message: str


class Unusable(Exception):
    """A part of the source from which nothing can be made; whoever needs the part is left out for `code`.

    `node` is the place, `message` one line without a full stop. It never leaves this room.
    """

    def __init__(self, code: str, message: str, node: Node) -> None:
        self.code = code
        self.message = message
        self.node = node
        super().__init__(f"{code}: {message}")
