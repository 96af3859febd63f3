"""What reading a feed costs: `python benchmarks/atom.py [FEED]`, ratios in one run.

The floor is `lxml.fromstring` on the same bytes, the peer the `arxiv` package's own reader, which makes as
much of them. Without FEED a page of 20 entries in arXiv's shape is made.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

from lxml import etree

from extpkg.providers.arxiv.atom import parse_feed

if TYPE_CHECKING:
    from collections.abc import Callable

ENTRIES, ROUNDS, CALLS = 20, 60, 10
FLOOR_BUDGET, PEER_BUDGET = 3.2, 1.7

HEAD = """<?xml version='1.0' encoding='UTF-8'?>
<feed xmlns:opensearch="http://a9.com/-/spec/opensearch/1.1/" xmlns:arxiv="http://arxiv.org/schemas/atom"
  xmlns="http://www.w3.org/2005/Atom">
  <id>https://arxiv.org/api/benchmark</id>
  <title>arXiv Query: search_query=lattice&amp;id_list=&amp;start=0&amp;max_results=20</title>
  <updated>2026-05-11T23:51:23Z</updated>
  <link href="https://arxiv.org/api/query?search_query=lattice&amp;start=0" type="application/atom+xml"/>
  <opensearch:itemsPerPage>20</opensearch:itemsPerPage>
  <opensearch:totalResults>4821</opensearch:totalResults>
  <opensearch:startIndex>0</opensearch:startIndex>
"""
ENTRY = """  <entry>
    <id>http://arxiv.org/abs/2105.{number:05}v1</id>
    <title>Entanglement and frustration on lattices of growing size, part {number}</title>
    <updated>2021-05-{day:02}T17:59:46Z</updated>
    <link href="https://arxiv.org/abs/2105.{number:05}v1" rel="alternate" type="text/html"/>
    <link href="https://arxiv.org/pdf/2105.{number:05}v1" rel="related" type="application/pdf" title="pdf"/>
    <summary>{abstract}</summary>
    <category term="cond-mat.stat-mech" scheme="http://arxiv.org/schemas/atom"/>
    <category term="quant-ph" scheme="http://arxiv.org/schemas/atom"/>
    <published>2021-05-{day:02}T17:59:46Z</published>
    <arxiv:comment>14 pages, 6 figures</arxiv:comment>
    <arxiv:primary_category term="cond-mat.stat-mech"/>
{authors}
  </entry>
"""
SENTENCE = "We study how correlations in a frustrated lattice grow with its size &amp; shape. "
AUTHOR = "    <author>\n      <name>Author Number {number}</name>\n    </author>"


def feed() -> bytes:
    """Return a page of 20 entries, each with an abstract of about 1,300 characters and four authors."""
    authors = "\n".join(AUTHOR.format(number=number) for number in range(4))
    entries = (
        ENTRY.format(number=number, day=number, abstract=SENTENCE * 16, authors=authors)
        for number in range(1, ENTRIES + 1)
    )
    return (HEAD + "".join(entries) + "</feed>\n").encode()


def measured(jobs: dict[str, Callable[[], object]]) -> dict[str, float]:
    """Return the best seconds of each job; the jobs take turns, so that a busy machine slows all of them."""
    best = dict.fromkeys(jobs, float("inf"))
    for _ in range(ROUNDS):
        for name, job in jobs.items():
            start = time.process_time()
            for _ in range(CALLS):
                job()
            best[name] = min(best[name], (time.process_time() - start) / CALLS)
    return best


def main() -> None:
    """Print both ratios with their budgets."""
    body = Path(sys.argv[1]).read_bytes() if len(sys.argv) > 1 else feed()
    jobs: dict[str, Callable[[], object]] = {
        "lxml": lambda: etree.fromstring(body),
        "extpkg": lambda: parse_feed(body, ENTRIES),
    }
    try:
        from arxiv import _feed

        jobs["arxiv"] = lambda: _feed.parse(body)
    except ImportError:
        print("the arxiv package is not installed: no peer")
    seconds = measured(jobs)
    for name, each in seconds.items():
        print(f"{name:7} {each * 1e6:8.0f} µs")
    print(f"{seconds['extpkg'] / seconds['lxml']:.2f} times lxml.fromstring (budget {FLOOR_BUDGET})")
    if "arxiv" in seconds:
        print(f"{seconds['arxiv'] / seconds['extpkg']:.2f} times as fast as arxiv (budget {PEER_BUDGET})")


if __name__ == "__main__":
    main()
