"""Where a file lies seen from its repository: what code scanning wants instead of a path as given."""

# ruff: noqa: PTH100, PTH117, PTH118, PTH120
# A path is the text that was typed: it is shown as it is, and may be no UTF-8.

from __future__ import annotations

import os
from functools import cache
from urllib.parse import quote

from extpkg.cli.render.escape import unlocalized


def repository_path(root: str, inside: str) -> tuple[str, bool]:
    """Return the path from the nearest ancestor of the package that holds `.git`, and whether it is relative.

    Where there is no such ancestor, and for the package of a Builtin (`@NAME`), it is the path as given.
    """
    given = "/".join(part for part in (root.rstrip("/"), inside) if part) if root != "." else inside or "."
    if root.startswith("@"):
        return given, True
    found = _place(root)
    if found is None:
        return given, not os.path.isabs(given)
    place = "/".join(part for part in (found.replace(os.sep, "/"), inside) if part)
    return place or ".", True


def uri_of(root: str, inside: str) -> tuple[str, bool]:
    """Return the percent-encoded URI of a file, relative to the repository where there is one."""
    path, is_relative = repository_path(root, inside)
    encoded = quote(unlocalized(path), safe="/", encoding="utf-8", errors="surrogateescape")
    return encoded if is_relative else f"file://{encoded}", is_relative


@cache
def _place(root: str) -> str | None:
    """Return the directory of a package relative to its repository, "" for the repository itself."""
    try:
        directory = os.path.abspath(root)
    except OSError:  # the current directory is gone
        return None
    above = directory
    while not os.path.lexists(os.path.join(above, ".git")):
        parent = os.path.dirname(above)
        if parent == above:
            return None
        above = parent
    place = os.path.relpath(directory, above)
    return "" if place == "." else place
