"""A projection for people: where each value of it comes from, and what differs between two."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final

from extpkg.cli.render.escape import escaped, shown_path
from extpkg.cli.render.table import table

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from extpkg.definition.origins import Origin
    from extpkg.diff.differences import Difference

LISTED: Final = 60
"""Characters of a value that are shown in a list of all values."""

COMPARED: Final = 160
"""Characters of a value that are shown in a comparison."""


def explained(origins: Iterable[Origin], root: str, line_of: Callable[[str, str], int]) -> str:
    """Return a line for each value: pointer, value, file and line (or that it is a default).

    `line_of` tells the line of a pointer in a file.
    """
    rows = []
    for origin in origins:
        if origin.source is not None:
            place = f"{shown_path(root, origin.file)}:{line_of(origin.file, origin.source)}"
        else:
            place = f"{shown_path(root, origin.file)} (default)" if origin.file else "(contract)"
        rows.append([escaped(origin.pointer), shortened(origin.value, LISTED), place])
    return "".join(f"{line}\n" for line in table(rows))


def difference_line(difference: Difference) -> str:
    """Return a line for one difference: what happened, where, and both values as far as there are two."""
    kind = difference.kind.value
    if kind == "changed":
        values = f"{shortened(difference.old, COMPARED)} -> {shortened(difference.new, COMPARED)}"
    else:
        values = shortened(difference.new if kind == "added" else difference.old, COMPARED)
    action = f" ({escaped(difference.action)})" if difference.action else ""
    return f"{kind:<7}  {escaped(difference.pointer)}{action}: {values}"


def shortened(value: Any, most: int) -> str:
    """Return a JSON value on one line, cut to `most` characters."""
    text = escaped(json.dumps(value, ensure_ascii=False, sort_keys=True))
    return text if len(text) <= most else f"{text[: most - 3]}..."
