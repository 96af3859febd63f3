"""Each case runs in a process of its own: a process with threads, as a test runner is, should not fork."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest
from console import github, script

from extpkg import check_package

if TYPE_CHECKING:
    from pathlib import Path

PROGRAM = """
import os
from extpkg.cli.shared_work import MANY, shared

here = os.getpid()


def honest(item):
    return item * 2


def failing(item):
    if os.getpid() != here:
        raise ValueError(item)
    return item * 2


def unsendable(item):
    return item * 2 if os.getpid() == here else lambda: item


def dying(item):
    if os.getpid() != here:
        os.kill(os.getpid(), 9)
    return item * 2


items = list(range({many}))
assert shared({function}, items) == [item * 2 for item in items]
try:
    os.wait()
except ChildProcessError:
    print("alone")
"""


@pytest.mark.parametrize("many", ["0", "1", "MANY - 1", "MANY", "MANY + 1", "5 * MANY"])
@pytest.mark.parametrize("function", ["honest", "failing", "unsendable", "dying"])
def test_results_are_those_of_one_process_and_no_child_is_left(function: str, many: str) -> None:
    program = PROGRAM.format(function=function, many=many)
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (0, "alone\n"), done.stderr


def test_a_large_package_is_reported_as_on_one_processor(tmp_path: Path) -> None:
    package = github(tmp_path / "github")
    action = (package / "actions" / "get-issue.yaml").read_text()
    meta = package / "meta.yaml"
    with meta.open("a") as listing:
        for number in range(300):
            name = f"get-issue-{number}"
            listing.write(f"  - name: {name}\n    file: actions/{name}.yaml\n")
            text = action.replace("name: get-issue\n", f"name: {name}\n", 1)
            (package / "actions" / f"{name}.yaml").write_text(
                text if number % 7 else text.replace("method: GET", "method: HEAD")
            )
    shared = json.loads(script("validate", "--format", "json", str(package)).stdout)["diagnostics"]
    alone = check_package(package).diagnostics
    assert [(d["rule"], d["pointer"], d["id"]) for d in shared] == [(d.code, d.pointer, d.id) for d in alone]
    assert sum(d.code == "EXT0429" for d in alone) == 43
