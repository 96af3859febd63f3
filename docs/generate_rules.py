# ruff: noqa: INP001 - a script
"""Writes `docs/rules/`: a page for each rule, and an index. Run it after a change to a rule.

python docs/generate_rules.py
"""

from __future__ import annotations

from pathlib import Path

from extpkg.check.rules import RULES
from extpkg.cli.render.rule import rule_page

FOLDER = Path(__file__).parent / "rules"


def pages() -> dict[str, str]:
    """Return the text of every page by file name."""
    rows = "".join(
        f"| [{row.code}]({row.code}.md) | {row.name} | {row.severity.value} | {row.section} |\n"
        for row in RULES
    )
    index = (
        "# Rules\n\n"
        "What `extpkg validate` finds. `extpkg explain CODE` prints a page in the terminal.\n\n"
        "| code | name | severity | ruling |\n|---|---|---|---|\n" + rows
    )
    return {"README.md": index} | {f"{row.code}.md": rule_page(row) for row in RULES}


def main() -> None:
    """Write every page, and remove those of rules that are gone."""
    FOLDER.mkdir(exist_ok=True)
    wanted = pages()
    for page in FOLDER.glob("*.md"):
        if page.name not in wanted:
            page.unlink()
    for name, text in wanted.items():
        (FOLDER / name).write_text(text, encoding="utf-8", newline="\n")


if __name__ == "__main__":
    main()
