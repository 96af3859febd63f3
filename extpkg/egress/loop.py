"""Into the event loop and out of it: for callers that have none, and for a caller's own deadline."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

import anyio

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

_Value = TypeVar("_Value")


def run(main: Callable[[], Awaitable[_Value]]) -> _Value:
    """Run `main` in an event loop of its own; RuntimeError where this thread runs one already."""
    return anyio.run(main)


def within(seconds: float | None) -> anyio.CancelScope:
    """Return the scope of a caller's deadline, `cancelled_caught` once it has ended what is in it.

    None sets no deadline. Any other cancelling passes.
    """
    return anyio.move_on_after(seconds)
