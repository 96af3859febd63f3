"""A second implementation, in JavaScript and from the documentation alone, computes every digest. P108."""

from __future__ import annotations

import json
import shutil
import subprocess
from typing import Any

import pytest
from corpus import ROOT

from extpkg.definition.build import build
from extpkg.definition.projection import projection
from packages import values

NODE = shutil.which("node")
GOLDEN = ROOT / "golden" / "digest"
PROGRAM = ROOT / "tests" / "node" / "digest.mjs"

pytestmark = pytest.mark.skipif(
    NODE is None, reason="node is not installed: the second implementation did not run"
)


def computed(*packages: str) -> list[dict[str, Any]]:
    run = subprocess.run([NODE or "", PROGRAM, *packages], capture_output=True, check=False, encoding="utf-8")
    assert run.returncode == 0, run.stderr
    found: list[dict[str, Any]] = json.loads(run.stdout)
    return found


def test_every_golden_digest() -> None:
    cases = sorted(folder for folder in GOLDEN.iterdir() if folder.is_dir())
    found = computed(*(str(case / "package") for case in cases))
    for case, result in zip(cases, found, strict=True):
        assert result["projection"].encode() == (case / "projection.json").read_bytes(), case.name
        assert result["digest"] + "\n" == (case / "digest.txt").read_text(encoding="utf-8"), case.name


@pytest.mark.parametrize("package", ["packages/arxiv", "golden/valid/github"])
def test_packages_beyond_the_goldens(package: str) -> None:
    meta, actions = values(ROOT / package)
    (result,) = computed(str(ROOT / package))
    assert result["projection"].encode() == projection(build(meta, actions))
