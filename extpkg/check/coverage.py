"""Nothing that the input schema accepts may be dropped: each declared location is bound (R-BIND-9)."""

from __future__ import annotations

from functools import reduce
from operator import or_
from typing import TYPE_CHECKING, Any, NamedTuple

from extpkg.check.schema_graph import Node, post_order
from extpkg.check.sources import OBJECT, STEPS, types_named
from extpkg.diagnostic import Part, quoted
from extpkg.pointer import join

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from extpkg.check.binding_rows import Rows, Tokens
    from extpkg.check.sources import Sources
    from extpkg.diagnostic import Finding


class _Location(NamedTuple):
    """A declared location: the schemas that always judge it, and all that may, and the sources below it."""

    tokens: Tokens
    always: tuple[Node, ...]
    all: tuple[Node, ...]
    sources: dict[str | None, Any]


def check_coverage(rows: Rows, sources: Sources) -> Iterator[Finding]:
    """Yield the declared locations that no source reaches, the outermost of each, and objects that stay open.

    A location that is neither at nor under a source, nor above one, is one fault, unless it is an object that
    can hold nothing.
    """
    walk = _Walk(rows, sources)
    root = (sources.root,)
    pending = [_Location((), root, root, _tree(rows.sources))]
    while pending and walk.left > 0:
        location = pending.pop()
        if None in location.sources or walk.impossible(location):
            continue
        if not location.sources and location.tokens:
            if not walk.holds_nothing(location):
                yield walk.dropped(location)
            continue
        fault = walk.not_closed_object(location)
        if fault is not None:
            yield fault
        pending.extend(reversed(walk.members(location)))
    if walk.left <= 0:
        at = rows.place(sources.root.pointer, part=Part.KEY)
        yield rows.fault(
            "EXT0427", at, f"the input schema is too entangled to see in {STEPS} steps what is bound"
        )


class _Walk:
    """The questions about one input schema that the walk over its locations asks, each answer kept."""

    def __init__(self, rows: Rows, sources: Sources) -> None:
        self.left = STEPS
        self._rows = rows
        self._sources = sources
        self._closed: dict[Node, bool] = {}
        self._open: dict[Node, bool] = {}

    def dropped(self, location: _Location) -> Finding:
        """Return the finding for a location that nothing binds."""
        at = self._rows.place(location.all[0].pointer, "bound nowhere", Part.KEY)
        field = quoted(join(location.tokens))
        message = f"input field {field} is bound nowhere: what an Agent writes there is dropped"
        return self._rows.fault("EXT0427", at, message)

    def impossible(self, location: _Location) -> bool:
        """Say whether no value can stand there."""
        kinds = [self._sources.admitted([node]).types for node in location.all]
        return not any(kinds) or not self._sources.admitted(location.always).types

    def not_closed_object(self, location: _Location) -> Finding | None:
        """Return why a location that is bound in parts is not a closed object and nothing else, or None."""
        others = self._types(location) & ~OBJECT
        if others:
            message = f"is bound by its members alone, but may also be {types_named(others)}"
            return self._half_bound(
                location, message, "write type: object and nothing else, or bind the field itself"
            )
        judges = self._closure(location.all, Node.beside)
        patterned = next((each for each in judges if each.get("patternProperties")), None)
        if patterned is not None:
            there = self._rows.place(f"{patterned.pointer}/patternProperties", "bound nowhere", Part.KEY)
            message = f"{_named_input(location)} has patternProperties, which no source can name"
            return self._rows.fault("EXT0427", there, message, "list the members under properties")
        closed = [self._closes(node) for node in location.always]
        if not any(closed) and not all(self._closes(node) for node in location.all):
            message = "is bound by its members alone, but accepts others too"
            return self._half_bound(location, message, "add additionalProperties: false")
        return None

    def _half_bound(self, location: _Location, message: str, fix: str) -> Finding:
        at = self._rows.place(location.all[0].pointer, "only its members are bound", Part.KEY)
        return self._rows.fault("EXT0427", at, f"{_named_input(location)} {message}", fix)

    def members(self, location: _Location) -> list[_Location]:
        """Return the locations that a location declares directly, in any way."""
        always = self._named(self._closure(location.always, Node.always))
        every = self._named(self._closure(location.all, Node.beside))
        return [
            _Location(
                (*location.tokens, name),
                tuple(always.get(name, ())),
                tuple(dict.fromkeys((*always.get(name, ()), *nodes))),
                location.sources.get(name, {}),
            )
            for name, nodes in every.items()
        ]

    def holds_nothing(self, location: _Location) -> bool:
        """Say whether an unbound location is a closed object that declares nothing but such objects."""
        seen: set[frozenset[Node]] = set()
        pending = [location]
        while pending and self.left > 0:
            here = pending.pop()
            key = frozenset(here.all)
            if key in seen or self.impossible(here):
                continue
            seen.add(key)
            if self._types(here) != OBJECT or self.not_closed_object(here) is not None:
                return False
            pending.extend(self.members(here))
        return True

    def _types(self, location: _Location) -> int:
        """Return what a value at a location may be: what always judges it decides, where it says enough."""
        always = self._sources.admitted(location.always).types
        each = [self._sources.admitted([node]).types for node in location.all]
        return always & reduce(or_, each, 0)

    def _closure(self, start: Iterable[Node], edges: Callable[[Node], Iterable[Node]]) -> list[Node]:
        """Return what judges the value beside the schemas that are given, these first."""
        found: dict[Node, None] = {}
        stack = list(reversed(tuple(start)))
        while stack and self.left > 0:
            node = stack.pop()
            if node not in found:
                found[node] = None
                self.left -= 1 + len(node.children.get("properties", ()))
                stack.extend(reversed(tuple(edges(node))))
        return list(found)

    def _named(self, nodes: Iterable[Node]) -> dict[str, list[Node]]:
        named: dict[str, list[Node]] = {}
        for node in nodes:
            for name, member in node.children.get("properties", {}).items():
                named.setdefault(name, []).append(member)
        return named

    def _closes(self, start: Node) -> bool:
        """Say whether a schema lets only declared members in, by itself or by what it leads to."""
        for node in post_order([start], Node.beside, self._closed):
            choices = [group for group in node.choices() if group]
            self._closed[node] = (
                node.get("additionalProperties") is False
                or (node.get("unevaluatedProperties") is False and not self._lets_in(node))
                or any(self._closed.get(other, False) for other in node.always())
                or any(all(self._closed.get(other, False) for other in group) for group in choices)
            )
        return self._closed[start]

    def _lets_in(self, node: Node) -> bool:
        """Say whether a schema evaluates members that nothing declares, past `unevaluatedProperties`."""
        return _is_open(node.get("additionalProperties")) or any(
            self._opens(other) for other in node.beside()
        )

    def _opens(self, start: Node) -> bool:
        for node in post_order([start], Node.beside, self._open):
            self._open[node] = (
                _is_open(node.get("additionalProperties"))
                or _is_open(node.get("unevaluatedProperties"))
                or any(self._open.get(other, False) for other in node.beside())
            )
        return self._open[start]


def _named_input(location: _Location) -> str:
    return quoted(join(location.tokens)) if location.tokens else "the input"


def _is_open(additional: Any) -> bool:
    """Say whether an `additionalProperties` or `unevaluatedProperties` is there and lets anything in."""
    return additional is not None and additional is not False


def _tree(sources: Iterable[Tokens]) -> dict[str | None, Any]:
    """Return the sources as a tree of tokens, in which `None` says that one ends there."""
    tree: dict[str | None, Any] = {}
    for tokens in sources:
        place = tree
        for token in tokens:
            place = place.setdefault(token, {})
        place[None] = True
    return tree
