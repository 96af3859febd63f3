"""Work on many files, shared with a second process where that pays: the order of the results stays."""

from __future__ import annotations

import os
import pickle
from typing import TYPE_CHECKING, Any, Final, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

Item = TypeVar("Item")
Result = TypeVar("Result")

MANY: Final = 200
"""Items from which a second process wins more than it costs."""


def shared(function: Callable[[Item], Result], items: Sequence[Item]) -> list[Result]:
    """Return `function` of each item, in order; a forked child does the second half of many.

    Where there is no second processor, no `fork`, or the child fails in any way, all is done here: the
    results are the same.
    """
    if len(items) < MANY or _processors() < 2:
        return [function(item) for item in items]
    middle = (len(items) + 1) // 2
    reading, child = _start(function, items[middle:])
    first = [function(item) for item in items[:middle]]
    with open(reading, "rb") as pipe:  # noqa: PTH123 - a descriptor has no path
        sent = pipe.read()
    _, status = os.waitpid(child, 0)
    if status != 0:
        return first + [function(item) for item in items[middle:]]
    second: list[Result] = pickle.loads(sent)  # noqa: S301 - written by our own child
    return first + second


def _processors() -> int:
    if not hasattr(os, "fork"):
        return 1
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else (os.cpu_count() or 1)


def _start(function: Callable[[Item], Any], items: Sequence[Item]) -> tuple[int, int]:
    """Fork a child that writes the pickled results; return the reading end of its pipe and its number."""
    reading, writing = os.pipe()
    child = os.fork()
    if child:
        os.close(writing)
        return reading, child
    code = 1
    try:
        os.close(reading)
        with open(writing, "wb") as pipe:  # noqa: PTH123 - a descriptor has no path
            pickle.dump([function(item) for item in items], pipe, pickle.HIGHEST_PROTOCOL)
        code = 0
    finally:
        os._exit(code)  # nothing of the parent, its buffered output least of all, may run here again
