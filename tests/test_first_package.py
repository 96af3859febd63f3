"""docs/first-package.md works as it is written: a reader who does what it says sees what it shows."""

from __future__ import annotations

import re
import sys
from typing import Final

import pytest
from console import SCRIPT
from corpus import ROOT
from tutorial_page import TOKEN, followed

PAGE: Final = ROOT / "docs/first-package.md"
TEXT: Final = PAGE.read_text(encoding="utf-8")


@pytest.mark.skipif(sys.platform != "linux" or not SCRIPT.exists(), reason="the page shows a Linux shell")
def test_the_tutorial_works_as_it_is_written() -> None:
    """P002: from an empty directory to a package that is tested to the last point and called for real."""
    assert followed(TEXT) == TEXT, (
        "write the outputs anew: PYTHONPATH=tests python tests/tutorial_page.py docs/first-package.md"
    )


def test_it_goes_all_the_way() -> None:
    commands = re.findall(r"^\$ extpkg (.*)$", TEXT, re.MULTILINE)
    kinds = {command.split()[0] for command in commands}
    assert kinds == {"new", "validate", "fmt", "digest", "show", "bind", "test", "invoke"}
    assert "github-labels: 100 % covered" in TEXT
    assert TOKEN not in TEXT


def test_links_lead_somewhere() -> None:
    links = re.findall(r"\]\(([^)#]+)", TEXT)
    assert len(links) >= 8
    assert [link for link in links if not (PAGE.parent / link).exists()] == []
    for anchor in re.findall(r"\]\(#([^)]+)\)", TEXT):
        assert re.search(rf"^## {anchor.replace('-', ' ')}$", TEXT, re.MULTILINE | re.IGNORECASE)


def test_a_change_that_fits_nowhere_stops_the_reader() -> None:
    page = "`a/b.txt`:\n\n```json\none\n```\n\n`a/b.txt` again:\n\n```diff\n-two\n+three\n```\n"
    with pytest.raises(ValueError, match=r"fits 0 places of b\.txt"):
        followed(page)


def test_outputs_are_written_behind_commands_and_changes_are_made() -> None:
    page = "`a.md`:\n\n```text\none\n```\nNow `./a.md`:\n```diff\n-one\n+two\n```\n"
    shown = "```console\n$ cat a.md\n{}\n$ false\n```\n"
    assert followed(page + shown.format("old")) == page + shown.format("two")
