"""The command line for tests: in this process, or the installed script as a process."""

from __future__ import annotations

import io
import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from corpus import ROOT

from extpkg.cli.main import run_on
from extpkg.cli.terminal import Terminal

SCRIPT = Path(sys.executable).with_name("extpkg")
"""The console script beside the interpreter that runs the tests."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Ran:
    code: int
    out: str
    err: str


def extpkg(*arguments: object, **changes: Any) -> Ran:
    """Run the command line in this process."""
    out, err = io.BytesIO(), io.BytesIO()
    code = run_on(Terminal(**({"out": out, "err": err} | changes)), [str(a) for a in arguments])
    return Ran(code=code, out=out.getvalue().decode(), err=err.getvalue().decode())


def script(*arguments: object, **options: Any) -> subprocess.CompletedProcess[bytes]:
    """Run the installed command as a process; `env` is added to the environment."""
    environment = {**os.environ, **options.pop("env", {})}
    command = [str(SCRIPT), *(str(a) for a in arguments)]
    options.setdefault("stdin", subprocess.DEVNULL)
    return subprocess.run(
        command, env=environment, check=False, capture_output="stdout" not in options, timeout=120, **options
    )


def github(target: Path) -> Path:
    """Copy the golden package to `target`, with the digest that it has."""
    shutil.copytree(ROOT / "golden/valid/github", target)
    assert extpkg("digest", "--write", target).code == 0
    return target


def change(file: Path, old: str, new: str) -> None:
    """Replace the one place in a file that reads `old`."""
    text = file.read_bytes().decode()
    assert text.count(old) == 1, f"{old!r} is in {file} {text.count(old)} times"
    file.write_bytes(text.replace(old, new).encode())
