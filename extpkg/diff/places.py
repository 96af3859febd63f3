"""Where a value of a projection stands in the files of its package."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from extpkg.definition.origins import origins
from extpkg.pointer import Pointer, join

if TYPE_CHECKING:
    from collections.abc import Mapping

    from extpkg.definition.origins import Origin

_META: Final = "meta.yaml"


class Places:
    """The files of one package: the value of `meta.yaml`, and those of the action files by action.

    What no file says, a default for one, stands where that is said which it belongs to.
    """

    def __init__(self, meta: dict[str, Any], actions: Mapping[str, dict[str, Any]]) -> None:
        self._meta = meta
        self._actions = actions
        self._known: dict[str, dict[tuple[str, ...], tuple[str, str]]] = {}

    def find(self, pointer: str) -> tuple[str, str]:
        """Return the file of a place of the projection, and the pointer there."""
        tokens = Pointer(pointer).tokens
        name = ""
        if len(tokens) > 1 and tokens[0] == "actions":
            name = sorted(self._actions)[int(tokens[1])]
            tokens = ("actions", "0", *tokens[2:])
        known = self._of(name)
        while tokens not in known and tokens:
            tokens = tokens[:-1]
        return known.get(tokens, (_META, ""))

    def _of(self, name: str) -> dict[tuple[str, ...], tuple[str, str]]:
        """Return the places of one action, or those of the package itself for an empty name."""
        if name not in self._known:
            found: dict[tuple[str, ...], tuple[str, str]] = {}
            for origin in origins(self._meta, [self._actions[name]] if name else []):
                _enter(found, origin)
            self._known[name] = found
        return self._known[name]


def _enter(found: dict[tuple[str, ...], tuple[str, str]], origin: Origin) -> None:
    """Enter a leaf and what holds it: both pointers lose their last tokens together."""
    if origin.source is None:
        return
    tokens, source = Pointer(origin.pointer).tokens, Pointer(origin.source).tokens
    found.setdefault(tokens, (origin.file, origin.source))
    base = 2 if tokens[0] == "actions" else 0
    # The one member of a list of types is written out as the type itself.
    source = source[: len(tokens) - base]
    if len(source) < len(tokens) - base:
        return
    while len(tokens) > base and source:
        tokens, source = tokens[:-1], source[:-1]
        found.setdefault(tokens, (origin.file, join(source)))
