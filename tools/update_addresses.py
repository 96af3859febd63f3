# ruff: noqa: INP001 - a script, not a package
"""Write `extpkg/data/addresses.json` from the two IANA special-purpose address registries.

    python tools/update_addresses.py --date YYYY-MM-DD ipv4.csv ipv6.csv

The two files are those that https://www.iana.org/assignments/iana-ipv4-special-registry/ and
https://www.iana.org/assignments/iana-ipv6-special-registry/ offer as CSV; the date is when they were taken.
What is denied beside the registries (`additional`) is kept as it stands in the file. Nothing is fetched.
"""

from __future__ import annotations

import argparse
import csv
import ipaddress
import json
import re
from datetime import date
from pathlib import Path
from typing import Any

TARGET = Path(__file__).resolve().parent.parent / "extpkg" / "data" / "addresses.json"
SOURCES = {
    "ipv4": "https://www.iana.org/assignments/iana-ipv4-special-registry/iana-ipv4-special-registry-1.csv",
    "ipv6": "https://www.iana.org/assignments/iana-ipv6-special-registry/iana-ipv6-special-registry-1.csv",
}


def rows(text: str, version: int) -> list[dict[str, str]]:
    """Return the blocks of one registry in its order; ValueError for a cell that is no address block."""
    found = []
    for record in csv.DictReader(text.splitlines()):
        name = re.sub(r"\s+", " ", record["Name"]).replace('"', "").strip()
        for cell in re.sub(r"\[\d+\]", "", record["Address Block"]).split(","):
            prefix = cell.strip()  # kept as it is written: interpreters differ in how they write a block
            if ipaddress.ip_network(prefix).version != version:
                raise ValueError(f"{prefix} is not in this registry")
            found.append({"prefix": prefix, "name": name})
    return found


def table(ipv4: str, ipv6: str, taken: str, additional: list[dict[str, str]]) -> dict[str, Any]:
    """Return the value of the data file for the two registries' CSV texts."""
    return {
        "date": date.fromisoformat(taken).isoformat(),
        "sources": SOURCES,
        "ipv4": rows(ipv4, 4),
        "ipv6": rows(ipv6, 6),
        "additional": additional,
    }


def written(value: dict[str, Any]) -> str:
    """Return the text of the data file: one block a line, so that a new registry reads well in a diff."""
    lines = []
    for key, member in value.items():
        if isinstance(member, list):
            blocks = ",\n    ".join(json.dumps(row, ensure_ascii=False) for row in member)
            lines.append(f"  {json.dumps(key)}: [\n    {blocks}\n  ]")
        else:
            lines.append(f"  {json.dumps(key)}: {json.dumps(member, ensure_ascii=False)}")
    return "{\n" + ",\n".join(lines) + "\n}\n"


def main(arguments: list[str] | None = None) -> None:
    """Rewrite the data file."""
    parser = argparse.ArgumentParser(description="Write extpkg/data/addresses.json from IANA's CSV files.")
    parser.add_argument("--date", required=True, help="the day the files were taken, YYYY-MM-DD")
    parser.add_argument("--output", type=Path, default=TARGET)
    parser.add_argument("ipv4", type=Path)
    parser.add_argument("ipv6", type=Path)
    given = parser.parse_args(arguments)
    additional = json.loads(TARGET.read_text(encoding="utf-8"))["additional"]
    ipv4, ipv6 = (path.read_text(encoding="utf-8-sig") for path in (given.ipv4, given.ipv6))
    value = table(ipv4, ipv6, given.date, additional)
    given.output.write_text(written(value), encoding="utf-8", newline="\n")


if __name__ == "__main__":
    main()
