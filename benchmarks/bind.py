"""What binding costs: `python benchmarks/bind.py`, with extpkg installed beside this Python, as ratios.

The floor is what no binding of `create-issue` can leave out: two path segments quoted and one body dumped, by
the standard library. Jobs take turns, and the best round of each counts.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from run import EXTPKG, PASS, Row, best, machine, process, table

from extpkg import compile_action, load_package
from extpkg.binding.input import check_input
from extpkg.json_schema import compile_schema

if TYPE_CHECKING:
    from collections.abc import Callable

PACKAGE = Path(__file__).resolve().parent.parent / "golden" / "valid" / "github"
ACTION = "create-issue"
ROUNDS, CALLS = 60, 300


def floor(owner: str, repo: str, body: dict[str, Any]) -> None:
    """Quote two segments and dump one body."""
    quote(owner, safe="")
    quote(repo, safe="")
    json.dumps(body)


def repeated(work: Callable[[], object]) -> Callable[[], None]:
    """Return the work of one round."""

    def many() -> None:
        for _ in range(CALLS):
            work()

    return many


def calls() -> list[Row]:
    """Compare writing, checking and both with the floor, in this process."""
    definition = load_package(PACKAGE).definition
    plan = compile_action(definition, ACTION)
    catalog = next(action.catalog for action in definition.actions if action.name == ACTION)
    value, judge = catalog.example, compile_schema(catalog.input_schema)
    body = {"title": value["title"], "body": value["description"], "labels": value["labels"]}
    jobs = {
        "floor": repeated(lambda: floor(value["owner"], value["repo"], body)),
        "write": repeated(lambda: plan.write(value)),
        "check": repeated(lambda: check_input(judge, value)),
        "bind": repeated(lambda: plan.bind(value)),
    }
    found = dict.fromkeys(jobs, float("inf"))
    for _ in range(ROUNDS):
        for name, job in jobs.items():
            found[name] = min(found[name], best(job, 1).seconds)
    peer = "two `quote` and one `json.dumps`"
    return [
        Row(
            job=f"bind of {ACTION}, input checked before",
            peer=peer,
            ratio=found["write"] / found["floor"],
            budget="<= 2.5",
        ),
        Row(
            job=f"input validation of {ACTION}",
            peer="that bind",
            ratio=found["check"] / found["write"],
            budget="<= 4",
        ),
        Row(
            job=f"both, as `plan.bind`, of {ACTION}",
            peer=peer,
            ratio=found["bind"] / found["floor"],
            budget="",
        ),
    ]


def command_line(repeats: int) -> list[Row]:
    """Compare a whole process that reads the package and binds with a Python that does nothing."""
    given = json.dumps({"owner": "octo", "repo": "demo", "title": "Hello"})
    bind = [EXTPKG, "bind", str(PACKAGE), ACTION, given]
    pairs = [(process(PASS, 1).seconds, process(bind, 1).seconds) for _ in range(repeats)]
    ratio = min(second for _, second in pairs) / min(first for first, _ in pairs)
    return [Row(job=f"`extpkg bind` of {ACTION}", peer="`python -c pass`", ratio=ratio, budget="<= 12")]


def main() -> None:
    """Measure everything and print it."""
    print(machine(), table(calls() + command_line(20)), sep="\n\n")


if __name__ == "__main__":
    main()
