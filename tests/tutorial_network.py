"""The command line with a stand-in for the API that the tutorial calls, where the network would be."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING, Any, Final

from extpkg.cli.main import run

if TYPE_CHECKING:
    import httpx

PATH: Final = "/repos/octocat/hello-world/labels"
LABELS: Final = (
    {"id": 1362934389, "name": "bug", "color": "d73a4a", "description": "Something is not working"},
    {"id": 1362934390, "name": "question", "color": "d876e3", "description": None},
)
_MOST: Final = "30"
"""Labels on a page where nobody says how many."""


def answer(request: httpx.Request) -> httpx.Response:
    """Answer as GitHub does: labels, cut into pages, for who has the token."""
    from tutorial_page import TOKEN

    if request.headers.get("authorization") != f"Bearer {TOKEN}":
        return _json(401, {"message": "Bad credentials", "status": "401"})
    if request.url.path != PATH:
        return _json(404, {"message": "Not Found", "status": "404"})
    most = int(request.url.params.get("per_page", _MOST))
    first = most * (int(request.url.params.get("page", "1")) - 1)
    return _json(200, [_whole(label) for label in LABELS[first : first + most]])


def _whole(label: dict[str, Any]) -> dict[str, Any]:
    url = f"https://api.github.com{PATH}/{label['name']}"
    return {**label, "node_id": f"LA_{label['id']}", "url": url, "default": True}


def _json(status: int, value: Any) -> httpx.Response:
    import httpx

    headers = {"content-type": "application/json; charset=utf-8", "x-github-media-type": "github.v3"}
    return httpx.Response(status, headers=headers, content=json.dumps(value).encode())


def main() -> int:
    """Run the command line; only the commands that would call somebody get the stand-in."""
    if {"invoke", "--record"} & set(sys.argv):
        import httpx

        from extpkg.egress import send

        setattr(send, "GuardedTransport", lambda: httpx.MockTransport(answer))  # noqa: B010 - it is a class
    return run()


if __name__ == "__main__":
    sys.exit(main())
