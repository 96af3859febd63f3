"""Whether a schema accepts a value: exact, counted, and without recursion (R-SCH-5, R-SCH-8).

What must hold is a list of tasks; the first that does not hold ends it. A fork opens a *frame*: the list so
far waits in it while each branch is judged by a list of its own.

Evaluations are counted as R-SCH-5 says: one for each assertion and applicator of a schema object at each
place it is applied to, one for a schema without any, and in `enum`, `const` and `uniqueItems` one for each
value they look at. So that the bound also holds in time, long texts under a pattern, patterns over names and
long lists of names count as more than one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from extpkg.json_schema.assertions import BULK
from extpkg.json_schema.compile import Fork, Kind, Node
from extpkg.limits import EVALUATION_DEPTH, EVALUATIONS

if TYPE_CHECKING:
    from collections.abc import Callable

    from extpkg.json_schema.compile import Inner, Part


class Exhausted(Exception):
    """A validation went over a bound of R-SCH-5; the text says over which."""


class Notes:
    """What has been evaluated of one place, for `unevaluatedProperties` and `unevaluatedItems`."""

    __slots__ = ("indexes", "length", "names")

    def __init__(self) -> None:
        self.names: set[str] = set()
        self.length = 0
        self.indexes: set[int] = set()

    def add(self, other: Notes) -> None:
        """Take over what a branch that holds has evaluated."""
        self.names |= other.names
        self.length = max(self.length, other.length)
        self.indexes |= other.indexes


Task = tuple["Part", Any, int, "Notes | None"]
"""A part of a schema, the value that must satisfy it, how many applicators and references are nested at this
place of the value, and what collects notes here, where somebody asks for them."""


class Frame:
    """An open fork: its value, the list that waits for it, and how far its branches are judged."""

    __slots__ = ("count", "depth", "fork", "index", "inner", "notes", "value", "waiting")

    def __init__(self, fork: Fork, task: Task, waiting: list[Task]) -> None:
        self.fork = fork
        self.value = task[1]
        self.depth = task[2]
        self.notes = task[3]
        self.waiting = waiting
        self.index = 0
        self.count = 0
        self.inner: Notes | None = None

    def enter(self, branch: Part) -> Task:
        """Return the task of a branch that judges the same value."""
        self.inner = None if self.notes is None else Notes()
        return (branch, self.value, self.depth + 1, self.inner)

    def keep_notes(self) -> None:
        """Hand on what the branch that has just held evaluated."""
        if self.notes is not None and self.inner is not None:
            self.notes.add(self.inner)
            self.inner = None


class Evaluation:
    """One validation; `spent` is what it has counted so far."""

    __slots__ = ("spent",)

    def __init__(self) -> None:
        self.spent = 0

    def holds(self, part: Part, value: Any, depth: int = 0, notes: Notes | None = None) -> bool:
        """Say whether `part` accepts `value`; raise `Exhausted` over budget."""
        work: list[Task] | bool = [(part, value, depth, notes)]
        frames: list[Frame] = []
        while type(work) is list:
            outcome: bool | None = self._drain(work, frames)
            work = self._settle(frames, outcome)
        return bool(work)

    def _drain(self, work: list[Task], frames: list[Frame]) -> bool | None:
        """Judge what is in the list; return None where a fork was met and a frame opened for it."""
        while work:
            task = work.pop()
            part = task[0]
            if isinstance(part, Fork):
                self.spend(part.cost)
                if task[2] >= EVALUATION_DEPTH and part.kind not in _ELSEWHERE:
                    raise Exhausted(_TOO_DEEP)
                frames.append(Frame(part, task, work))
                return None
            if not self._judge(part, task, work):
                return False
        return True

    def _settle(self, frames: list[Frame], outcome: bool | None) -> list[Task] | bool:  # noqa: FBT001  tri-state
        """Take the outcome of a list to the fork that asked for it; return the list to judge next."""
        while frames:
            frame = frames[-1]
            step = _ADVANCE[frame.fork.kind](self, frame, outcome)
            if type(step) is tuple:
                return [step]
            frames.pop()
            if step:
                return frame.waiting
            outcome = False
        return bool(outcome)

    def _judge(self, node: Node, task: Task, work: list[Task]) -> bool:
        if node.unprepared:
            node.prepare()
        value = task[1]
        if not self.leaf(node, value):
            return False
        for _, weigh in node.weighed:
            more = weigh(value)
            self.spend(more if more >= 0 else ~more)
            if more < 0:
                return False
        inner = node.inner
        if inner is None:
            return True
        if inner.forks or inner.in_place or inner.dependent:
            _push_in_place(inner, task, work)
        if type(value) is dict:
            return self._judge_object(inner, task, work)
        if type(value) is list and (inner.prefix or inner.items is not None):
            return self._judge_array(inner, task, work)
        return True

    def leaf(self, node: Node, value: Any) -> bool:
        """Say whether a prepared node's tests accept `value`."""
        self.spent += node.cost
        if self.spent > EVALUATIONS:
            raise Exhausted(_TOO_MANY)
        for test in node.tests:  # noqa: SIM110  a generator costs as much as the tests
            if not test(value):
                return False
        return True

    def spend(self, count: int) -> None:
        """Count evaluations; raise `Exhausted` over budget."""
        self.spent += count
        if self.spent > EVALUATIONS:
            raise Exhausted(_TOO_MANY)

    def _judge_object(self, inner: Inner, task: Task, work: list[Task]) -> bool:
        value, notes = task[1], task[3]
        if inner.names is not None:
            work.extend([(inner.names, name, 0, None) for name in value])
        if inner.patterns or inner.additional is not None:
            return self._judge_every_member(inner, task, work)
        properties = inner.properties
        if notes is not None:
            notes.names.update(properties.keys() & value.keys())
        if len(properties) > len(value):
            self.spend(len(value) >> BULK)
            return all(
                self._hand_on(properties[name], member, work)
                for name, member in value.items()
                if name in properties
            )
        self.spend(len(properties) >> BULK)
        for name, child in properties.items():
            if name in value and not self._hand_on(child, value[name], work):
                return False
        return True

    def _judge_every_member(self, inner: Inner, task: Task, work: list[Task]) -> bool:
        properties, additional, notes = inner.properties, inner.additional, task[3]
        for name, member in task[1].items():
            child = properties.get(name)
            applied = [] if child is None else [child]
            for pattern, part in inner.patterns:
                self.spend(1 + pattern.surcharge(name))
                if pattern.found_in(name):
                    applied.append(part)
            if not applied and additional is not None:
                applied.append(additional)
            for part in applied:
                if not self._hand_on(part, member, work):
                    return False
            if notes is not None and applied:
                notes.names.add(name)
        return True

    def _judge_array(self, inner: Inner, task: Task, work: list[Task]) -> bool:
        value, notes = task[1], task[3]
        start = len(inner.prefix)
        for child, item in zip(inner.prefix, value, strict=False):
            if not self._hand_on(child, item, work):
                return False
        if notes is not None:
            notes.length = max(
                notes.length, len(value) if inner.items is not None else min(start, len(value))
            )
        if inner.items is None:
            return True
        rest = value[start:] if start else value
        return all(self._hand_on(inner.items, item, work) for item in rest)

    def _hand_on(self, part: Part, value: Any, work: list[Task]) -> bool:
        """Judge a value at another place: at once where that needs no list, else later."""
        if type(part) is Node and part.leaf:
            return self.leaf(part, value)
        work.append((part, value, 0, None))
        return True


_TOO_MANY: Final = f"checking it takes more than {EVALUATIONS:,} evaluations"
_TOO_DEEP: Final = f"more than {EVALUATION_DEPTH} applicators and references are nested at one place"
_ELSEWHERE: Final = frozenset({Kind.CONTAINS, Kind.UNEVALUATED})


def _push_in_place(inner: Inner, task: Task, work: list[Task]) -> None:
    value, depth, notes = task[1], task[2], task[3]
    work.extend([(fork, value, depth, notes) for fork in inner.forks])
    applied = inner.applied(value)
    if applied and depth >= EVALUATION_DEPTH:
        raise Exhausted(_TOO_DEEP)
    work.extend([(part, value, depth + 1, notes) for part in applied])


def _any_of(evaluation: Evaluation, frame: Frame, outcome: bool | None) -> Task | bool:  # noqa: FBT001  tri-state
    if outcome:
        frame.count += 1
        frame.keep_notes()
    branches = frame.fork.branches
    while frame.index < len(branches) and (not frame.count or frame.notes is not None):
        branch = branches[frame.index]
        frame.index += 1
        if not (type(branch) is Node and branch.leaf):
            return frame.enter(branch)
        frame.count += evaluation.leaf(branch, frame.value)
    return frame.count > 0


def _one_of(evaluation: Evaluation, frame: Frame, outcome: bool | None) -> Task | bool:  # noqa: FBT001  tri-state
    if outcome:
        frame.count += 1
        frame.keep_notes()
    branches = frame.fork.branches
    while frame.index < len(branches) and frame.count < 2:
        branch = branches[frame.index]
        frame.index += 1
        if not (type(branch) is Node and branch.leaf):
            return frame.enter(branch)
        frame.count += evaluation.leaf(branch, frame.value)
    return frame.count == 1


def _not(_: Evaluation, frame: Frame, outcome: bool | None) -> Task | bool:  # noqa: FBT001  tri-state
    if outcome is not None:
        return not outcome
    return (frame.fork.branches[0], frame.value, frame.depth + 1, None)


def _if(_: Evaluation, frame: Frame, outcome: bool | None) -> Task | bool:  # noqa: FBT001  tri-state
    if outcome is None:
        return frame.enter(frame.fork.branches[0])
    if outcome:
        frame.keep_notes()
    following = frame.fork.then if outcome else frame.fork.otherwise
    if following is not None:
        frame.waiting.append((following, frame.value, frame.depth + 1, frame.notes))
    return True


def _contains(evaluation: Evaluation, frame: Frame, outcome: bool | None) -> Task | bool:  # noqa: FBT001  tri-state
    value, fork, notes = frame.value, frame.fork, frame.notes
    if type(value) is not list:
        return True
    branch = fork.branches[0]
    while True:
        if outcome:
            frame.count += 1
            if notes is not None:
                notes.indexes.add(frame.index - 1)
        if frame.index == len(value) or _is_decided(frame):
            return fork.least <= frame.count and (fork.most is None or frame.count <= fork.most)
        item = value[frame.index]
        frame.index += 1
        if not (type(branch) is Node and branch.leaf):
            return (branch, item, 0, None)
        outcome = evaluation.leaf(branch, item)


def _is_decided(frame: Frame) -> bool:
    fork = frame.fork
    if fork.most is None:
        return frame.notes is None and frame.count >= fork.least
    return frame.count > fork.most


def _unevaluated(evaluation: Evaluation, frame: Frame, outcome: bool | None) -> Task | bool:  # noqa: FBT001  tri-state
    fork, value = frame.fork, frame.value
    if outcome is None:
        frame.inner = Notes()
        return (fork.branches[0], value, frame.depth, frame.inner)
    notes = frame.inner
    if not outcome or notes is None:
        return False
    if type(value) is dict and fork.then is not None:
        evaluation.spend(len(value) >> BULK)
        rest = [value[name] for name in value if name not in notes.names]
        frame.waiting.extend([(fork.then, member, 0, None) for member in rest])
        notes.names.update(value)
    if type(value) is list and fork.otherwise is not None:
        evaluation.spend(len(value) >> BULK)
        rest = [value[index] for index in range(notes.length, len(value)) if index not in notes.indexes]
        frame.waiting.extend([(fork.otherwise, item, 0, None) for item in rest])
        notes.length = len(value)
    frame.keep_notes()
    return True


_ADVANCE: Final[dict[Kind, Callable[[Evaluation, Frame, bool | None], Task | bool]]] = {
    Kind.ANY: _any_of,
    Kind.ONE: _one_of,
    Kind.NOT: _not,
    Kind.IF: _if,
    Kind.CONTAINS: _contains,
    Kind.UNEVALUATED: _unevaluated,
}
