"""Measures the toolkit against named peers in one run and prints ratios as Markdown tables.

`python benchmarks/run.py [--quick] [--peers DIRECTORY]`, with extpkg installed beside this Python. Only
ratios carry over to another machine. Peers are optional and named where they are missing: `check-jsonschema`
on PATH, and in DIRECTORY what `npm install --prefix DIRECTORY ajv-cli @sourcemeta/jsonschema` leaves there.
"""

from __future__ import annotations

import argparse
import itertools
import os
import platform
import shutil
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass, replace
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING

from generate import write_package
from yaml._yaml import CParser

from extpkg.document.strict_yaml import parse_document

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

ROOT = Path(__file__).resolve().parent.parent
EXTPKG = str(Path(sys.executable).with_name("extpkg"))
PASS = [sys.executable, "-c", "pass"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Cost:
    """The best of several runs: seconds, and the peak memory of a whole process in MiB (0 in process)."""

    seconds: float
    mebibytes: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One line of the table; `ratio` is job to peer, `budget` what it should hold (`<=` or `>=`)."""

    job: str
    peer: str
    ratio: float | None
    budget: str


def best(work: Callable[[], object], repeats: int) -> Cost:
    """Return the shortest of `repeats` runs in this process."""
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        work()
        times.append(time.perf_counter() - start)
    return Cost(seconds=min(times))


def process(command: Sequence[str], repeats: int, accepted: tuple[int, ...] = (0,)) -> Cost:
    """Return the shortest of `repeats` whole processes, with the peak memory of that run."""
    costs = []
    for _ in range(repeats):
        start = time.perf_counter()
        child = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        _, status, usage = os.wait4(child.pid, 0)
        seconds = time.perf_counter() - start
        child.returncode = os.waitstatus_to_exitcode(status)
        if child.returncode not in accepted:
            message = f"exit {child.returncode}: {' '.join(command)[:200]}"
            raise SystemExit(message)
        scale = 1 << 20 if sys.platform == "darwin" else 1 << 10
        costs.append(Cost(seconds=seconds, mebibytes=usage.ru_maxrss / scale))
    return min(costs, key=lambda cost: cost.seconds)


def floor(texts: list[bytes]) -> None:
    """Let libyaml parse every text and throw the events away: what any reader must pay."""
    for text in texts:
        CParser(text).raw_parse()


def load(texts: list[bytes]) -> None:
    """Read every text with positions, keeping none."""
    for text in texts:
        parse_document(text)


def packages(folder: Path, sizes: Sequence[int]) -> dict[int, Path]:
    """Write a package of every size, each with its digest."""
    made = {size: folder / str(size) for size in sizes}
    for size, path in made.items():
        write_package(path, size)
        subprocess.run([EXTPKG, "digest", "--write", str(path)], check=True, stdout=subprocess.DEVNULL)
    return made


def start_up(repeats: int) -> list[Row]:
    """Compare short commands with a Python that does nothing."""
    nothing = process(PASS, repeats).seconds
    jobs = {
        "extpkg --version": (["--version"], "<= 5"),
        "extpkg digest packages/arxiv": (["digest", str(ROOT / "packages" / "arxiv")], "<= 10"),
        "extpkg validate packages/arxiv": (["validate", str(ROOT / "packages" / "arxiv")], ""),
    }
    return [
        Row(
            job=f"`{job}`",
            peer="`python -c pass`",
            ratio=process([EXTPKG, *arguments], repeats).seconds / nothing,
            budget=budget,
        )
        for job, (arguments, budget) in jobs.items()
    ]


def reading(made: dict[int, Path], repeats: int) -> list[Row]:
    """Compare loading, validating and digesting a large package with a bare parse of the same bytes."""
    size = min(1000, max(made))
    texts = [path.read_bytes() for path in sorted(made[size].rglob("*.yaml"))]
    bare = best(lambda: floor(texts), repeats).seconds
    validate = process([EXTPKG, "validate", str(made[size])], repeats)
    digest = process([EXTPKG, "digest", str(made[size])], repeats)
    peer = "bare libyaml parse"
    return [
        Row(
            job=f"load with positions, {size} actions",
            peer=peer,
            ratio=best(lambda: load(texts), repeats).seconds / bare,
            budget="<= 8",
        ),
        Row(job=f"`validate`, {size} actions", peer=peer, ratio=validate.seconds / bare, budget="<= 15"),
        Row(
            job=f"`validate`, {size} actions, peak memory",
            peer="1 MiB",
            ratio=validate.mebibytes,
            budget="<= 96",
        ),
        Row(job=f"`digest`, {size} actions", peer=peer, ratio=digest.seconds / bare, budget=""),
        Row(job=f"`digest`, {size} actions, peak memory", peer="1 MiB", ratio=digest.mebibytes, budget=""),
    ]


def growth(made: dict[int, Path], repeats: int) -> list[Row]:
    """Compare the cost of one action between packages of different sizes; starting up is taken off."""
    start = process([EXTPKG, "--version"], repeats).seconds
    each = {
        size: (process([EXTPKG, "validate", str(path)], repeats).seconds - start) / size
        for size, path in made.items()
    }
    sizes = [size for size in each if size >= 100]
    return [
        Row(
            job=f"`validate`, an action among {larger}",
            peer=f"an action among {smaller}",
            ratio=each[larger] / each[smaller],
            budget="<= 1.3",
        )
        for smaller, larger in itertools.pairwise(sizes)
    ]


def peers(made: dict[int, Path], folder: Path | None, repeats: int) -> list[Row]:
    """Compare whole validation with tools that check the action schema alone; a missing one has no ratio."""
    size = min(1000, max(made))
    schema = str(ROOT / "schemas" / "action.schema.json")
    return [
        *_slower_peer(made, schema, repeats),
        _faster_peer("ajv-cli", _ajv(made[size], schema, folder), made[size], repeats, "<= 1.6"),
        _faster_peer(
            "sourcemeta jsonschema", _sourcemeta(made[size], schema, folder), made[size], repeats, "<= 4.5"
        ),
    ]


def _slower_peer(made: dict[int, Path], schema: str, repeats: int) -> list[Row]:
    places = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    command = shutil.which("check-jsonschema", path=places)
    rows = []
    for size, budget in ((100, ">= 14"), (1000, ">= 28")):
        if size not in made:
            continue
        ratio = None
        if command:
            files = [str(path) for path in sorted(made[size].glob("actions/*.yaml"))]
            other = process([command, "--schemafile", schema, *files], 1).seconds
            ratio = other / process([EXTPKG, "validate", str(made[size])], repeats).seconds
        rows.append(
            Row(
                job=f"check-jsonschema, {size} actions", peer="`validate` of them", ratio=ratio, budget=budget
            )
        )
    return rows


def _faster_peer(name: str, command: list[str] | None, path: Path, repeats: int, budget: str) -> Row:
    ratio = None
    if command:
        ours = process([EXTPKG, "validate", str(path)], repeats).seconds
        ratio = ours / process(command, repeats).seconds
    return Row(
        job=f"`validate`, {path.name} actions", peer=f"{name}, schema only", ratio=ratio, budget=budget
    )


def _ajv(path: Path, schema: str, folder: Path | None) -> list[str] | None:
    binary = folder and folder / "node_modules" / ".bin" / "ajv"
    if not binary or not binary.exists():
        return None
    options = ["--spec=draft2020", "--strict=false", "--validate-formats=false"]
    return [str(binary), "validate", *options, "-s", schema, "-d", f"{path}/actions/*.yaml"]


def _sourcemeta(path: Path, schema: str, folder: Path | None) -> list[str] | None:
    binary = folder and folder / "node_modules" / ".bin" / "jsonschema"
    if not binary or not binary.exists():
        return None
    return [str(binary), "validate", schema, f"{path}/actions", "--extension", ".yaml"]


def table(rows: list[Row]) -> str:
    """Return the rows as a Markdown table; a miss is said, not hidden."""
    lines = ["| job | against | ratio | budget | |", "|---|---|---|---|---|"]
    for row in rows:
        ratio = "not installed" if row.ratio is None else f"{row.ratio:.2f}"
        lines.append(f"| {row.job} | {row.peer} | {ratio} | {row.budget} | {_verdict(row)} |")
    return "\n".join(lines)


def _verdict(row: Row) -> str:
    if row.ratio is None or not row.budget:
        return ""
    sign, bound = row.budget.split()
    held = row.ratio <= float(bound) if sign == "<=" else row.ratio >= float(bound)
    return "held" if held else "**missed**"


def machine() -> str:
    """Say what the figures were measured on."""
    libraries = ", ".join(f"{name} {version(name)}" for name in ("pyyaml", "jsonschema", "click"))
    system = f"{platform.system()} {platform.machine()}, {os.cpu_count()} cores"
    return f"{platform.python_implementation()} {platform.python_version()}, {system}; {libraries}"


def main() -> None:
    """Measure everything and print it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="small packages, one run each: a smoke test")
    parser.add_argument("--peers", type=Path, help="where npm installed ajv-cli and @sourcemeta/jsonschema")
    options = parser.parse_args()
    sizes, repeats = ((1, 10), 1) if options.quick else ((1, 10, 100, 1000, 5000), 5)
    with tempfile.TemporaryDirectory() as folder:
        made = packages(Path(folder), sizes)
        rows = start_up(repeats) + reading(made, repeats) + growth(made, min(repeats, 3))
        rows += peers(made, options.peers, min(repeats, 3))
    if options.quick:
        rows = [replace(row, budget="") for row in rows]
    print(machine(), table(rows), sep="\n\n")
    if options.quick:
        print("\nBudgets are for 1,000 actions and the best of five runs: a quick run judges none.")


if __name__ == "__main__":
    main()
