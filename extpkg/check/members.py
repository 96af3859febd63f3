"""Members of values that may have any shape; what is not there or has another type is passed over."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator


def member(value: Any, *names: str) -> Any:
    """Return the member at the end of a path of mapping keys, or None where there is none."""
    for name in names:
        if not isinstance(value, dict):
            return None
        value = value.get(name)
    return value


def text_at(value: Any, *names: str) -> str | None:
    """Return the string at the end of a path of mapping keys, or None where there is no string."""
    found = member(value, *names)
    return found if isinstance(found, str) else None


def lacks(value: dict[str, Any], name: str) -> bool:
    """Whether a mapping has neither a member of that name nor one that looks like a misspelling of it."""
    if name in value:
        return False
    from difflib import get_close_matches

    return not get_close_matches(name, value, n=1)


def children(value: Any, *names: str) -> Iterator[tuple[str, Any]]:
    """Yield (pointer, item) of the list at the end of a path of mapping keys; nothing if there is none."""
    found = member(value, *names)
    if isinstance(found, list):
        base = "".join(f"/{name}" for name in names)
        for index, item in enumerate(found):
            yield f"{base}/{index}", item
