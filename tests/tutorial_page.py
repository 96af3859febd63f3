"""Follows a tutorial as a reader would, in an empty directory: files, changes, commands.

PYTHONPATH=tests python tests/tutorial_page.py docs/first-package.md        writes the outputs into the page

A file is a block below a line that ends with its path in backticks and a colon. A change is a `diff` block;
its file is the last path in backticks above it. What a command prints stands below it.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Final

from corpus import ROOT

TOKEN: Final = "tutorial-token-4711"  # noqa: S105 - what the stand-in for the API takes for one
"""The credential that the reader is asked for."""

_BLOCK: Final = re.compile(r"^```([a-z]*)\n(.*?)^```$", re.DOTALL | re.MULTILINE)
_FILE: Final = re.compile(r"`([^`\s]+)`:\n\n\Z")
_PATH: Final = re.compile(r"`([^`\s]+/[^`\s]+)`")
_STAND_IN: Final = ROOT / "tests/tutorial_network.py"


def followed(page: str) -> str:
    """Return the page with real outputs; raises ValueError for a change that fits nowhere."""
    with tempfile.TemporaryDirectory() as scratch:
        reader = _Reader(Path(scratch))
        pieces, end = [], 0
        for block in _BLOCK.finditer(page):
            pieces += [page[end : block.start(2)], reader.take(page[: block.start()], block[1], block[2])]
            end = block.end(2)
        return "".join([*pieces, page[end:]])


class _Reader:
    """Somebody at a shell who does what a page says."""

    def __init__(self, scratch: Path) -> None:
        self.folder = scratch / "work"
        self.folder.mkdir()
        tools = scratch / "bin"
        tools.mkdir()
        command = tools / "extpkg"
        command.write_text(f'#!/bin/sh\nexec "{sys.executable}" "{_STAND_IN}" "$@"\n', encoding="utf-8")
        command.chmod(0o755)
        self.environment = {
            "PATH": f"{tools}{os.pathsep}{os.environ['PATH']}",
            "HOME": str(scratch),
            "LC_ALL": "C.UTF-8",
            "GITHUB_TOKEN": TOKEN,
        }

    def take(self, above: str, language: str, block: str) -> str:
        """Do what a block says; return it as it should stand in the page."""
        if language == "console":
            commands = [line.removeprefix("$ ") for line in block.splitlines() if line.startswith("$ ")]
            return "".join(f"$ {command}\n{self.run(command)}" for command in commands)
        if language == "diff":
            self.change(self.folder / _PATH.findall(above)[-1], block)
            return block
        named = _FILE.search(above)
        if named:
            file = self.folder / named[1]
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(block, encoding="utf-8")
        return block

    def run(self, command: str) -> str:
        ran = subprocess.run(
            ["/bin/sh", "-c", command],
            cwd=self.folder,
            env=self.environment,
            check=False,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        return ran.stdout if not ran.stdout or ran.stdout.endswith("\n") else f"{ran.stdout}\n"

    def change(self, file: Path, block: str) -> None:
        """Replace the one place that a difference is about."""
        lines = block.splitlines(keepends=True)
        old = "".join(line[1:] for line in lines if line[0] in " -")
        new = "".join(line[1:] for line in lines if line[0] in " +")
        text = file.read_text(encoding="utf-8")
        if text.count(old) != 1:
            raise ValueError(f"the change fits {text.count(old)} places of {file.name}:\n{block}")
        file.write_text(text.replace(old, new), encoding="utf-8")


if __name__ == "__main__":
    for name in sys.argv[1:]:
        target = Path(name)
        target.write_text(followed(target.read_text(encoding="utf-8")), encoding="utf-8")
