"""The corpora beside the checkout: read where they are, skipped visibly where they are not."""

from __future__ import annotations

import base64
import json
import os
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parent.parent

READ: dict[str, int] = {}
"""Cases of every corpus file that was read in this process; conftest prints them."""


def corpus_folder() -> Path:
    """Return where the corpora are, whether they are there or not."""
    return Path(os.environ.get("EXTPKG_DATA", ROOT.parent / "shared" / "data"))


def corpus(name: str) -> Any:
    """Return the parsed JSON of one corpus file, or skip the calling test or module with the reason."""
    path = corpus_folder() / name
    if not path.is_file():
        pytest.skip(f"corpus {name} is not beside this checkout (set EXTPKG_DATA)", allow_module_level=True)
    value = json.loads(path.read_bytes())
    READ[name] = _count(value)
    return value


def _count(value: Any) -> int:
    """Count the cases of a corpus: the entries of a list, or of every list and case map in an object."""
    if isinstance(value, list):
        return len(value)
    lists = [member for member in value.values() if isinstance(member, list)]
    return sum(map(len, lists)) if lists else len(value)


def case_bytes(case: dict[str, Any], field: str = "input") -> bytes:
    """Return the bytes of a case: text, base64, or generated as joined [text, count] pairs."""
    if f"{field}_b64" in case:
        return base64.b64decode(case[f"{field}_b64"])
    if "gen" in case:
        return "".join(
            "".join(text.replace("{i}", str(i)) for i in range(count)) for text, count in case["gen"]
        ).encode()
    return str(case[field]).encode("utf-8", "surrogatepass")
