"""README.md shows what really happens."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")


def test_the_session_is_real(tmp_path: Path) -> None:
    """Run every command of the console block in one folder; each prints what stands below it."""
    bash = shutil.which("bash")
    if bash is None:
        pytest.skip("bash is not installed")
    (session,) = re.findall(r"^```console\n(.*?)^```$", README, re.MULTILINE | re.DOTALL)
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    for command, expected in re.findall(r"^\$ (.*)\n((?:(?!\$ ).*\n)*)", session, re.MULTILINE):
        done = subprocess.run(
            [bash, "-c", command],
            cwd=tmp_path,
            env=os.environ | {"PATH": path},
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.stdout + done.stderr == expected, command


def test_the_python_example_runs(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    (code,) = re.findall(r"^```python\n(.*?)^```$", README, re.MULTILINE | re.DOTALL)
    monkeypatch.chdir(ROOT)
    exec(compile(code, "README.md", "exec"), {})  # noqa: S102 - the project's own page
    assert re.fullmatch(r"sha256:[0-9a-f]{64} \['get', 'search'\]\n", capsys.readouterr().out)


def test_the_main_job_works_on_the_shipped_package() -> None:
    """The commands of the first block, run by the installed extpkg."""
    (line,) = [line for line in README.splitlines() if "extpkg digest --check packages/arxiv" in line]
    for arguments in re.findall(r"\.venv/bin/extpkg ([^&]+)", line):
        command = [str(Path(sys.executable).with_name("extpkg")), *arguments.split()]
        done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout + done.stderr
