"""Results of a search as a person reads them: a number, title, host, wrapped snippet and address for each."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

from extpkg.cli.render.escape import escaped
from extpkg.cli.render.wrapping import wrapped

if TYPE_CHECKING:
    from collections.abc import Iterator

_HOST: Final = re.compile(r"[A-Za-z]+://(\[[^\]]*\]|[^/?:]*)")


def render_results(data: Any) -> str:
    """Return what `search` of a search engine returned."""
    results = data["results"]
    if not results:
        return "No results.\n"
    blocks = [_result(result, f"{number}. ") for number, result in enumerate(results, start=1)]
    counted = "1 result." if len(results) == 1 else f"{len(results)} results."
    return "".join(f"{line}\n" for block in blocks for line in (*block, "")) + f"{counted}\n"


def _result(result: dict[str, str], number: str) -> Iterator[str]:
    yield from wrapped(result["title"] or "(without a title)", number, " " * len(number))
    host = _HOST.match(result["url"])
    yield f"  {escaped(host[1] if host else '')}"
    if result["snippet"]:
        yield from wrapped(result["snippet"], "  ", "  ")
    yield f"  {escaped(result['url'])}"
