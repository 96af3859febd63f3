"""The page about what is sent says what is true: its commands are run, its Python too."""

from __future__ import annotations

import re
import sys
from typing import TYPE_CHECKING

import pytest
from console import SCRIPT, github
from console_page import filled
from corpus import ROOT

if TYPE_CHECKING:
    from pathlib import Path

PAGE = ROOT / "docs/binding.md"
TEXT = PAGE.read_text(encoding="utf-8")


@pytest.mark.skipif(sys.platform != "linux" or not SCRIPT.exists(), reason="the page shows a Linux shell")
def test_every_output_in_the_page_is_real() -> None:
    assert TEXT.count("\n$ extpkg bind") == 5
    assert filled(TEXT) == TEXT, (
        "write the outputs anew: PYTHONPATH=tests python tests/console_page.py docs/binding.md"
    )
    by_hand = re.findall(r"^(?:audit hash  sha256:)?([0-9a-f]{64})$", TEXT, re.MULTILINE)
    assert by_hand[-1] == by_hand[-2]


def test_the_python_in_the_page_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (block,) = re.findall(r"```python\n(.*?)```", TEXT, re.DOTALL)
    github(tmp_path / "github")
    monkeypatch.chdir(tmp_path)
    exec(compile(block, "page", "exec"), {})  # noqa: S102 - the page's own
    assert capsys.readouterr().out.startswith("POST https://api.github.com/repos/octo/a%20b/issues ")


def test_every_reason_is_named() -> None:
    source = (ROOT / "extpkg/binding/response.py").read_text(encoding="utf-8")
    reasons = set(re.findall(r'_failure\(.*, "([a-z0-9_]+)"\)', source)) | {"status"}
    assert len(reasons) == 5
    assert all(f"`{reason}`" in TEXT for reason in reasons)
