"""The pages about the command line say what is true: their commands are run, their links lead somewhere."""

from __future__ import annotations

import importlib.util
import json
import re
import shutil
import sys
from typing import TYPE_CHECKING, Any

import pytest
from console import SCRIPT, extpkg, github
from console_page import filled
from corpus import ROOT

if TYPE_CHECKING:
    from pathlib import Path

PAGES = [ROOT / f"docs/{name}.md" for name in ("command-line", "editors", "shell-completion")]


@pytest.mark.skipif(sys.platform != "linux" or not SCRIPT.exists(), reason="the page shows a Linux shell")
def test_every_output_in_the_page_is_real() -> None:
    page = ROOT / "docs/command-line.md"
    text = page.read_text(encoding="utf-8")
    assert text.count("\n$ extpkg ") > 20
    assert filled(text) == text, (
        "write the outputs anew: PYTHONPATH=tests python tests/console_page.py docs/command-line.md"
    )


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_links_lead_somewhere(page: Path) -> None:
    for link in re.findall(r"\]\(([^)#]+)", page.read_text(encoding="utf-8")):
        if not link.startswith("rules/"):
            assert (page.parent / link).exists(), link


def test_the_suppression_in_the_page_works(tmp_path: Path) -> None:
    package = github(tmp_path / "weather")
    (package / ".DS_Store").write_text("")
    page = (ROOT / "docs/command-line.md").read_text(encoding="utf-8")
    (block,) = re.findall(r"```toml\n(.*?)```", page, re.DOTALL)
    assert extpkg("validate", "--strict", package).code == 1
    (tmp_path / "extpkg.toml").write_text(block)
    assert extpkg("validate", "--strict", package).out == "The package is valid.\n"


def test_the_settings_for_editors_are_json() -> None:
    page = (ROOT / "docs/editors.md").read_text(encoding="utf-8")
    blocks = re.findall(r"```json\n(.*?)```", page, re.DOTALL)
    assert len(blocks) == 2
    pattern = json.loads(blocks[1])["tasks"][0]["problemMatcher"]["pattern"]["regexp"]
    line = "packages/a/meta.yaml:2:9: error EXT0603 [digest-mismatch] the digest is not that of this package"
    found = re.fullmatch(pattern, line)
    assert found
    assert found.groups()[:5] == ("packages/a/meta.yaml", "2", "9", "error", "EXT0603")


def generator() -> Any:
    spec = importlib.util.spec_from_file_location("generate_rules", ROOT / "docs/generate_rules.py")
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_pages_of_the_rules_are_up_to_date() -> None:
    """Where they have been written at all: `python docs/generate_rules.py`."""
    folder = ROOT / "docs/rules"
    if not folder.is_dir():
        pytest.skip("docs/rules has not been generated")
    written = {page.name: page.read_text(encoding="utf-8") for page in folder.glob("*.md")}
    assert written == generator().pages()


def test_the_generator_writes_every_page_and_removes_old_ones(tmp_path: Path) -> None:
    module = generator()
    module.FOLDER = tmp_path / "rules"
    module.FOLDER.mkdir()
    (module.FOLDER / "EXT9999.md").write_text("gone")
    module.main()
    assert {page.name: page.read_text(encoding="utf-8") for page in module.FOLDER.iterdir()} == module.pages()
    shutil.rmtree(module.FOLDER)
