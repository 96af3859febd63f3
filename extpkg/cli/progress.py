"""A line on the terminal for a run that takes over a second; nothing anywhere else."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Self

from extpkg.cli.render.escape import escaped
from extpkg.cli.terminal import OutputLost

if TYPE_CHECKING:
    import threading
    from types import TracebackType

    from extpkg.cli.terminal import Terminal

PATIENCE: Final = 1.0
"""Seconds before anything is shown, and between two updates."""

_CLEAR: Final = "\r\x1b[K"
_SHOWN: Final = 60


class Progress:
    """While entered, tells on an interactive standard error what is being done, once a second."""

    def __init__(self, terminal: Terminal, *, patience: float = PATIENCE) -> None:
        self._terminal = terminal
        self._patience = patience
        self._line = ""
        self._running: tuple[threading.Thread, threading.Event] | None = None

    def __enter__(self) -> Self:
        """Start to wait, where there is somebody to tell."""
        if self._terminal.interactive:
            import threading

            over = threading.Event()
            thread = threading.Thread(target=self._tell, args=(over,), daemon=True)
            self._running = thread, over
            thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Take the line away."""
        if self._running is not None:
            thread, over = self._running
            over.set()
            thread.join()

    def note(self, text: str) -> None:
        """Set what the next update says."""
        self._line = escaped(text)[:_SHOWN]

    def _tell(self, over: threading.Event) -> None:
        shown = False
        try:
            while not over.wait(self._patience):
                shown = True
                self._terminal.complain(f"{_CLEAR}{self._line}")
            if shown:
                self._terminal.complain(_CLEAR)
        except OutputLost:
            return
