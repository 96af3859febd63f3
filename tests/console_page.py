"""Runs the console blocks of a page of documentation: `$ command`, then what it prints.

python tests/console_page.py docs/command-line.md        writes the outputs into the page
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from console import SCRIPT
from corpus import ROOT

_BLOCK = re.compile(r"^```console\n(.*?)^```$", re.DOTALL | re.MULTILINE)


def filled(page: str) -> str:
    """Return the page with the real output behind every command of its console blocks."""
    with tempfile.TemporaryDirectory() as folder:
        shutil.copytree(ROOT / "golden/valid/github", Path(folder, "github"))
        shutil.copytree(ROOT / "golden/packages/github", Path(folder, "packages/github"))
        case = "get/exact-version"
        shutil.copytree(ROOT / "golden/invoke/arxiv" / case, Path(folder, "cases", case))
        return _BLOCK.sub(lambda block: f"```console\n{_run_all(block[1], folder)}```", page)


def _run_all(block: str, folder: str) -> str:
    commands = [line for line in block.splitlines() if line.startswith("$ ")]
    return "".join(f"{line}\n{_run(line.removeprefix('$ '), folder)}" for line in commands)


def _run(command: str, folder: str) -> str:
    environment = {"PATH": f"{SCRIPT.parent}{os.pathsep}{os.environ['PATH']}", "HOME": folder}
    ran = subprocess.run(
        ["/bin/sh", "-c", command],
        cwd=folder,
        env=environment,
        check=False,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    return ran.stdout if not ran.stdout or ran.stdout.endswith("\n") else f"{ran.stdout}\n"


if __name__ == "__main__":
    for name in sys.argv[1:]:
        target = Path(name)
        target.write_text(filled(target.read_text(encoding="utf-8")), encoding="utf-8")
