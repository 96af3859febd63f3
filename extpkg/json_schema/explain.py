"""What is wrong with a value, said so that whoever wrote it knows what to change.

The messages go to an Agent: they name the member, the limit, the choices, and never dump a schema. Nothing
recurses with schema or value; what a fork refuses is explained by its closest branch, a few forks deep.
"""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING, Any, Final

from extpkg.diagnostic import quoted
from extpkg.json_schema.compile import Fork, Kind, Node
from extpkg.json_schema.evaluate import Evaluation, Exhausted, Notes
from extpkg.json_schema.wording import (
    Violation,
    misses,
    reason_for,
    too_costly,
    unknown_member,
)
from extpkg.limits import EVALUATION_DEPTH
from extpkg.pointer import Pointer, escape

if TYPE_CHECKING:
    from extpkg.json_schema.compile import Inner, Part

_NESTING: Final = 2
"""Forks inside forks that are explained; deeper ones are only named."""

_BRANCHES: Final = 10
"""Branches of one fork that are compared to find the closest."""

Place = tuple["Part", Any, str, int]
"""A part of a schema, the value it refuses, that value's pointer, and the nesting of R-SCH-5 there."""


def explain(part: Part, value: Any, limit: int) -> tuple[Violation, ...]:
    """Return at most `limit` reasons why `part` refuses `value`, which it does, in the order of the value."""
    evaluation = Evaluation()
    try:
        found = _Search(evaluation, limit, _NESTING).run((part, value, "", 0))
    except Exhausted as exhausted:
        return (too_costly(str(exhausted)),)
    found = found or [Violation(pointer="", keyword="", schema_pointer="", message="does not fit its schema")]
    return tuple(sorted(found, key=lambda violation: _order(value, violation.pointer)))


def _order(value: Any, pointer: str) -> tuple[int, ...]:
    """Return where in `value` a pointer stands, so that places compare in the order they are written."""
    order: list[int] = []
    here = value
    for token in Pointer(pointer).tokens:
        if type(here) is dict:
            order.append(list(here).index(token))
            here = here[token]
        else:
            order.append(int(token))
            here = here[int(token)]
    return tuple(order)


class _Search:
    """One collection of violations; it stops at the limit, and with what it has when the budget ends."""

    __slots__ = ("evaluation", "found", "limit", "nesting", "pending", "said")

    def __init__(self, evaluation: Evaluation, limit: int, nesting: int) -> None:
        self.evaluation = evaluation
        self.limit = limit
        self.nesting = nesting
        self.found: list[Violation] = []
        self.said: set[tuple[str, str]] = set()
        self.pending: list[Place] = []

    def run(self, start: Place) -> list[Violation]:
        """Return the violations of a place and of what is inside it; raise `Exhausted` before the first."""
        self.pending.append(start)
        try:
            while self.pending and len(self.found) < self.limit:
                place = self.pending.pop()
                if isinstance(place[0], Fork):
                    self._explain_fork(place[0], place)
                else:
                    self._explain_node(place[0], place)
        except Exhausted:
            if not self.found:
                raise
        return self.found[: self.limit]

    def _add(self, violation: Violation) -> None:
        said = (violation.pointer, violation.message)
        if said not in self.said:
            self.said.add(said)
            self.found.append(violation)

    def _explain_node(self, node: Node, place: Place) -> None:
        value, pointer = place[1], place[2]
        if node.unprepared:
            node.prepare()
        self.evaluation.spend(node.cost)
        refusing = [
            keyword for keyword, test in zip(node.keywords, node.tests, strict=True) if not test(value)
        ]
        if "type" in refusing:
            self._refused(node, "type", place)
            return
        for keyword in refusing:
            self._refused(node, keyword, place)
        for keyword, weigh in node.weighed:
            more = weigh(value)
            self.evaluation.spend(more if more >= 0 else ~more)
            if more < 0:
                self._refused(node, keyword, place)
        inner = node.inner
        if inner is None:
            return
        following: list[Place] = []
        if type(value) is dict:
            self._explain_members(node, inner, place, following)
        elif type(value) is list:
            following = _items(inner, value, pointer)
        self.pending.extend(reversed([*_in_place(inner, place), *following]))

    def _refused(self, node: Node, keyword: str, place: Place) -> None:
        _, value, pointer, _ = place
        schema_pointer = node.pointer if keyword == "false" else f"{node.pointer}/{keyword}"
        if keyword in {"required", "dependentRequired"}:
            for message in islice(misses(node.schema, keyword, value), self.limit):
                self._add(
                    Violation(
                        pointer=pointer, keyword=keyword, schema_pointer=schema_pointer, message=message
                    )
                )
            return
        message = reason_for(keyword, node.schema, value)
        self._add(Violation(pointer=pointer, keyword=keyword, schema_pointer=schema_pointer, message=message))

    def _explain_members(self, node: Node, inner: Inner, place: Place, following: list[Place]) -> None:
        value, pointer = place[1], place[2]
        if inner.names is not None:
            self._explain_names(node, inner.names, place)
        for name, member in value.items():
            if len(self.found) >= self.limit:
                return
            child = inner.properties.get(name)
            applied = [] if child is None else [child]
            for pattern, part in inner.patterns:
                self.evaluation.spend(1 + pattern.surcharge(name))
                if pattern.found_in(name):
                    applied.append(part)
            where = f"{pointer}/{escape(name)}"
            if not applied and inner.additional is not None:
                if type(inner.additional) is Node and inner.additional.schema is False:
                    self._unknown(node, "additionalProperties", place, name)
                    continue
                applied.append(inner.additional)
            following.extend([(part, member, where, 0) for part in applied])

    def _unknown(self, node: Node, keyword: str, place: Place, name: str) -> None:
        value, pointer = place[1], place[2]
        self._add(
            Violation(
                pointer=f"{pointer}/{escape(name)}",
                keyword=keyword,
                schema_pointer=f"{node.pointer}/{keyword}",
                message=unknown_member(name, _declared(node), value),
            )
        )

    def _explain_names(self, node: Node, names: Part, place: Place) -> None:
        value, pointer = place[1], place[2]
        for name in value:
            if self.evaluation.holds(names, name):
                continue
            reasons = self._inside((names, name, "", 0), 1)
            because = f": it {reasons[0].message}" if reasons else ""
            self._add(
                Violation(
                    pointer=f"{pointer}/{escape(name)}",
                    keyword="propertyNames",
                    schema_pointer=f"{node.pointer}/propertyNames",
                    message=f"has a name that is not allowed{because}",
                )
            )

    def _inside(self, place: Place, limit: int) -> list[Violation]:
        """Return what a branch refuses, with the budget that is left; nothing if forks are nested too far."""
        if not self.nesting:
            return []
        return _Search(self.evaluation, limit, self.nesting - 1).run(place)

    def _explain_fork(self, fork: Fork, place: Place) -> None:
        _, value, pointer, depth = place
        if fork.kind is Kind.UNEVALUATED:
            self._explain_unevaluated(fork, place)
        elif fork.kind is Kind.IF:
            outcome = self.evaluation.holds(fork.branches[0], value, depth + 1)
            following = fork.then if outcome else fork.otherwise
            if following is not None:
                self.pending.append((following, value, pointer, depth + 1))
        elif not self.evaluation.holds(fork, value, depth):
            keyword, message = _FORKS[fork.kind](self, fork, place)
            schema_pointer = f"{fork.node.pointer}/{keyword}"
            self._add(
                Violation(pointer=pointer, keyword=keyword, schema_pointer=schema_pointer, message=message)
            )

    def _explain_unevaluated(self, fork: Fork, place: Place) -> None:
        _, value, pointer, depth = place
        notes = Notes()
        if not self.evaluation.holds(fork.node, value, depth, notes):
            self.pending.append((fork.node, value, pointer, depth))
            return
        if type(value) is dict and fork.then is not None:
            for name, member in value.items():
                if name in notes.names:
                    continue
                if type(fork.then) is Node and fork.then.schema is False:
                    self._unknown(fork.node, "unevaluatedProperties", place, name)
                else:
                    self.pending.append((fork.then, member, f"{pointer}/{escape(name)}", 0))
        if type(value) is list and fork.otherwise is not None:
            for index in range(notes.length, len(value)):
                if index not in notes.indexes:
                    self.pending.append((fork.otherwise, value[index], f"{pointer}/{index}", 0))

    def closest(self, fork: Fork, place: Place) -> tuple[int, list[Violation]]:
        """Return the branch that comes nearest to accepting the value, and why it does not."""
        _, value, _, depth = place
        best: tuple[tuple[int, int], int, list[Violation]] = ((9, 9), 0, [])
        for index, branch in enumerate(fork.branches[:_BRANCHES]):
            reasons = self._inside((branch, value, "", depth + 1), 5)
            if not reasons:
                continue
            another_kind = any(not reason.pointer and reason.keyword in _KINDS for reason in reasons)
            rank = (int(another_kind), len(reasons))
            if rank < best[0]:
                best = (rank, index, reasons)
        return best[1], best[2]


_KINDS: Final = frozenset({"type", "const", "enum", "false"})
_TOO_DEEP: Final = f"more than {EVALUATION_DEPTH} applicators and references are nested at one place"


def _in_place(inner: Inner, place: Place) -> list[Place]:
    """Return what judges the same place further."""
    _, value, pointer, depth = place
    applied = inner.applied(value)
    if (applied or inner.forks) and depth >= EVALUATION_DEPTH:
        raise Exhausted(_TOO_DEEP)
    return [
        *[(part, value, pointer, depth + 1) for part in applied],
        *[(fork, value, pointer, depth) for fork in inner.forks],
    ]


def _items(inner: Inner, items: list[Any], pointer: str) -> list[Place]:
    found: list[Place] = []
    for index, item in enumerate(items):
        part = inner.prefix[index] if index < len(inner.prefix) else inner.items
        if part is not None:
            found.append((part, item, f"{pointer}/{index}", 0))
    return found


def _declared(node: Node) -> list[str]:
    """Return the member names that a node and what it applies in place declare."""
    names: list[str] = []
    seen: set[int] = set()
    pending: list[Part] = [node]
    while pending and len(seen) < 100:
        part = pending.pop()
        here = part.node if isinstance(part, Fork) else part
        if id(here) in seen:
            continue
        seen.add(id(here))
        if here.unprepared:
            here.prepare()
        if here.inner is None:
            continue
        names.extend(here.inner.properties)
        pending.extend(here.inner.in_place)
        for fork in here.inner.forks:
            pending.extend(fork.branches if fork.kind in {Kind.ANY, Kind.ONE} else ())
    return names


def _no_branch(search: _Search, fork: Fork, place: Place) -> tuple[str, str]:
    keyword = fork.kind.value
    if fork.kind is Kind.ONE:
        matching = [
            index
            for index, branch in enumerate(fork.branches)
            if search.evaluation.holds(branch, place[1], place[3] + 1)
        ]
        if len(matching) > 1:
            shown = " and ".join([str(index + 1) for index in matching[:2]])
            return keyword, f"fits forms {shown} of {len(fork.branches)}, but must fit exactly one of them"
    needs = _alternatives(fork, place[1])
    if needs:
        return keyword, f"must have {' or '.join(needs)}"
    index, reasons = search.closest(fork, place)
    start = (
        f"fits none of the {len(fork.branches)} allowed forms" if len(fork.branches) > 1 else "does not fit"
    )
    if not reasons:
        return keyword, start
    said = "; ".join([_placed(reason) for reason in reasons[:2]])
    closest = f"form {index + 1}, the closest, says that " if len(fork.branches) > 1 else ""
    return keyword, f"{start}: {closest}{said}"


def _placed(reason: Violation) -> str:
    return f"{quoted(reason.pointer)} {reason.message}" if reason.pointer else f"it {reason.message}"


def _alternatives(fork: Fork, value: Any) -> list[str]:
    """Return the members of which one is needed, where that is all that every branch asks for."""
    needs: list[str] = []
    for branch in fork.branches:
        schema = branch.schema if type(branch) is Node else None
        if (
            type(value) is not dict
            or type(schema) is not dict
            or set(schema) - {"title", "description"} != {"required"}
        ):
            return []
        needs.append(" and ".join([quoted(name) for name in schema["required"][:5]]))
    return needs[:10]


def _excluded(_: _Search, __: Fork, place: Place) -> tuple[str, str]:
    return "not", f"must not be what {quoted('not')} describes, but {quoted(place[1])} is"


def _containing(search: _Search, fork: Fork, place: Place) -> tuple[str, str]:
    items = place[1]
    count = sum([search.evaluation.holds(fork.branches[0], item) for item in items])
    if fork.most is not None and count > fork.most:
        return (
            "maxContains",
            f"has {count} items of the kind that may stand at most {quoted(fork.most)} times",
        )
    if "minContains" in fork.node.schema:
        return (
            "minContains",
            f"has {count} items of the kind that must stand at least {quoted(fork.least)} times",
        )
    reason = search._inside((fork.branches[0], items[0], "", 0), 1) if items else []  # noqa: SLF001  same module
    because = f"; of the first, {_placed(reason[0])}" if reason else ""
    return "contains", f"has no item of the kind that is needed{because}"


_FORKS: Final = {
    Kind.ANY: _no_branch,
    Kind.ONE: _no_branch,
    Kind.NOT: _excluded,
    Kind.CONTAINS: _containing,
}
