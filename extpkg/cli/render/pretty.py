"""How the data of each Builtin is shown to a person."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from extpkg.cli.render.paper import render_page
from extpkg.cli.render.search import render_results

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

PRETTY: Final[Mapping[str, Callable[[Any], str]]] = {
    "arxiv": render_page,
    "brave": render_results,
    "searxng": render_results,
    "serper": render_results,
    "tavily": render_results,
}
"""What renders the data of a Builtin, by domain; any other data is shown as JSON."""
