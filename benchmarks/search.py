"""What normalizing an answer costs: `python benchmarks/search.py [ENGINE BODY]`, ratios in one run.

The floor is `json.loads` on the same bytes. The job is everything from bytes to the result: strict reading,
addresses, texts, and the result's budget. Without arguments a body of ten results is made for each engine.
"""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from extpkg.exchange import Response
from extpkg.providers.search import brave, searxng, serper, tavily

if TYPE_CHECKING:
    from collections.abc import Callable

ENGINES: dict[str, Any] = {"brave": brave, "searxng": searxng, "serper": serper, "tavily": tavily}
RESULTS, ROUNDS, CALLS = 10, 400, 5
BUDGET = 3.0

TITLE = "How packages are described, validated and published, part {number}"
SENTENCE = "A package says what an extension can do and how; its digest says that nothing was changed. "
SNIPPET = SENTENCE * 2
HTML = SNIPPET.replace("digest", "<strong>digest</strong>").replace("how;", "how &amp; when;", 1)
CONTENT = SENTENCE * 8


def entry(engine: str, number: int) -> dict[str, Any]:
    """Return one result as an engine writes it, with what comes beside it."""
    url = f"https://www.example.com/guides/packages/{number}?source=search#part"
    title = TITLE.format(number=number)
    if engine == "brave":
        return {
            "title": title, "url": url, "description": HTML,
            "is_source_local": False, "is_source_both": False, "is_live": False, "family_friendly": True,
            "language": "en", "type": "search_result", "subtype": "generic",
            "page_age": "2026-03-04T05:06:07", "age": "March 4, 2026",
            "profile": {"name": "Example", "url": url, "long_name": "example.com", "img": "https://i.example"},
            "meta_url": {
                "scheme": "https", "netloc": "example.com", "hostname": "www.example.com",
                "favicon": "https://imgs.example/f", "path": "/ guides / packages",
            },
            "thumbnail": {"src": "https://imgs.example/t", "original": url, "logo": False},
        }  # fmt: skip
    if engine == "searxng":
        return {
            "template": "default.html", "title": title, "url": url, "content": SNIPPET, "engine": "mojeek",
            "parsed_url": ["https", "www.example.com", f"/guides/{number}", "", "source=search", "part"],
            "img_src": "", "thumbnail": "", "priority": "", "engines": ["mojeek", "brave"],
            "positions": [number, 2], "score": 1.5, "category": "general", "publishedDate": None,
            "iframe_src": "", "audio_src": "",
        }  # fmt: skip
    if engine == "tavily":
        return {"url": url, "title": title, "content": CONTENT, "score": 0.8731, "raw_content": None}
    return {"title": title, "link": url, "snippet": SNIPPET, "date": "Mar 4, 2026", "position": number}


def body(engine: str) -> bytes:
    """Return an answer of ten results with the sections that usually stand beside them."""
    entries = [entry(engine, number) for number in range(1, RESULTS + 1)]
    brave_query = {"original": "q", "is_navigational": False, "more_results_available": True}
    whole: dict[str, dict[str, Any]] = {
        "brave": {"type": "search", "query": brave_query, "web": {"type": "search", "results": entries}},
        "searxng": {"query": "q", "results": entries, "answers": [], "unresponsive_engines": []},
        "serper": {
            "searchParameters": {"q": "q", "num": RESULTS},
            "organic": entries,
            "peopleAlsoAsk": [{**each, "question": "What is a package?"} for each in entries[:4]],
            "relatedSearches": [{"query": "what a package is made of"}] * 8,
            "credits": 1,
        },
        "tavily": {"query": "q", "answer": None, "images": [], "results": entries, "response_time": 1.2},
    }
    return json.dumps(whole[engine], ensure_ascii=False).encode()


def measured(jobs: dict[str, Callable[[], object]]) -> dict[str, float]:
    """Return the best seconds of each job; the jobs take turns, so that a busy machine slows all of them."""
    best = dict.fromkeys(jobs, float("inf"))
    for _ in range(ROUNDS):
        for name, job in jobs.items():
            start = time.perf_counter()
            for _ in range(CALLS):
                job()
            best[name] = min(best[name], (time.perf_counter() - start) / CALLS)
    return best


def main() -> None:
    """Print the ratio of each engine with its budget."""
    bodies = {engine: body(engine) for engine in ENGINES}
    if len(sys.argv) > 1:
        bodies = {sys.argv[1]: Path(sys.argv[2]).read_bytes()}
    for engine, data in bodies.items():
        report(engine, data)


def report(engine: str, data: bytes) -> None:
    """Measure one body and print its line."""
    response = Response(status=200, body=data)
    read = ENGINES[engine].read
    found = len(read(response, RESULTS)["results"])
    seconds = measured({"json.loads": lambda: json.loads(data), "extpkg": lambda: read(response, RESULTS)})
    costs = ", ".join(f"{name} {each * 1e6:.0f} µs" for name, each in seconds.items())
    ratio = seconds["extpkg"] / seconds["json.loads"]
    print(f"{engine}, {len(data):,} bytes, {found} results: {costs}, {ratio:.2f} times (budget {BUDGET:g})")


if __name__ == "__main__":
    main()
