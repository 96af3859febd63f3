"""What comparing costs: `python benchmarks/diff.py [--quick]`: reading and comparing against reading alone.

Two packages of many actions, of which none, one, a tenth or every one changed in each of: text, a limit of
its input, a member of its output, its path. A witness is looked for and checked for each breaking change.
"""

from __future__ import annotations

import argparse
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from generate import write_package
from run import Row, best, machine, table

from extpkg.diff.compare import bump_due, compare
from extpkg.package import read_package

if TYPE_CHECKING:
    from extpkg.definition.model import Definition

BUDGET = "<= 1.5"
EDITS = (
    ("  summary: Work on", "  summary: Work more on"),
    ("        maximum: 1000\n", "        maximum: 999\n"),
    ("              - integer\n", "              - integer\n              - boolean\n"),
    ("  path: /owners/", "  path: /v2/owners/"),
)


def definition(folder: Path) -> Definition:
    """Return the Definition of a package that is known to have one."""
    found = read_package(folder).definition
    if found is None:
        raise SystemExit(f"{folder} does not validate")
    return found


def change(folder: Path, every: int) -> None:
    """Change one in `every` actions of a package in each way once, from the first on."""
    for file in sorted((folder / "actions").iterdir())[::every]:
        text = file.read_text(encoding="utf-8")
        for old, new in EDITS:
            text = text.replace(old, new, 1)
        file.write_text(text, encoding="utf-8", newline="\n")


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="a tenth of the actions, one run of each")
    quick = parser.parse_args().quick
    count, repeats = (100, 1) if quick else (1_000, 3)
    rows = []
    with tempfile.TemporaryDirectory() as scratch:
        old = Path(scratch, "old")
        write_package(old, count)
        reading = best(lambda: (definition(old), definition(old)), repeats).seconds
        first = definition(old)
        for changed in (0, 1, count // 10, count):
            new = Path(scratch, f"new-{changed}")
            write_package(new, count)
            if changed:
                change(new, count // changed)
            second = definition(new)
            comparing = best(lambda: (compare(first, second), bump_due(first, second)), repeats).seconds  # noqa: B023
            found = compare(first, second)
            shown = sum(row.witness is not None for row in found)
            rows.append(
                Row(
                    job=f"diff, {count} actions, {changed} changed: {len(found)} rows, {shown} witnesses",
                    peer="reading both",
                    ratio=(reading + comparing) / reading,
                    budget="" if quick else BUDGET,
                )
            )
    print(machine())
    print(table(rows))


if __name__ == "__main__":
    main()
