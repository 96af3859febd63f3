"""A small case, written to a folder and changed for a test."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from pathlib import Path

FILES: Final = {
    "input.json": '{"id": "2103.01234"}\n',
    "exchange.json": """[
  {
    "request": {
      "method": "GET",
      "url": "https://export.arxiv.org/api/query?id_list=2103.01234&max_results=1",
      "headers": []
    },
    "response": {
      "status": 200,
      "headers": [["content-type", "text/plain"]],
      "body": "hi"
    }
  }
]
""",
    "output.json": "null\n",
}


def write_case(folder: Path, **changes: str | bytes | None) -> Path:
    """Write the case with files changed: JSON files by their stem, others by name; None leaves one out."""
    if folder.exists():
        shutil.rmtree(folder)
    folder.mkdir(parents=True)
    files: dict[str, str | bytes | None] = dict(FILES)
    files |= {name if "." in name else f"{name}.json": text for name, text in changes.items()}
    for name, text in files.items():
        if text is not None:
            (folder / name).write_bytes(text.encode() if isinstance(text, str) else text)
    return folder
