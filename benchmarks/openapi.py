"""Authoring beside FastMCP's `from_openapi`: what comes of the same documents, how long, how much to read.

python benchmarks/openapi.py FOLDER...            prints the table of docs/authoring.md
python benchmarks/openapi.py --speed FOLDER...    prints the table of docs/performance.md

FOLDER holds OpenAPI documents. FastMCP comes with `pip install -e '.[bench]'`, else its columns are empty.
"""

from __future__ import annotations

import argparse
import asyncio
import gc
import json
import logging
import os
import tempfile
import time
import warnings
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from extpkg.openapi.author import Options, author
from extpkg.openapi.source import read_source
from extpkg.openapi.write import write_package
from extpkg.package import read_package

BASE_URL = "https://api.example.com"
METHODS = frozenset({"get", "put", "post", "delete", "patch", "head", "options", "trace"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Measured:
    """What one tool made of one document: `usable` actions of `made`, in seconds, with bytes for an Agent."""

    made: int = 0
    usable: int = 0
    seconds: float = 0.0
    bytes: int = 0
    failure: str = ""


def ours(path: Path) -> Measured:
    """Make, write and validate a package; an Agent reads name, description and input schema."""
    start = time.perf_counter()
    source = read_source(path)
    authored = author(source, Options())
    if any(fault.code == "server-missing" for fault in authored.report.faults):
        authored = author(source, Options(base_url=BASE_URL))
    if authored.definition is None:
        return Measured(seconds=time.perf_counter() - start, failure=authored.report.faults[0].code)
    with tempfile.TemporaryDirectory() as folder:
        write_package(Path(folder, "package"), authored.files, replace=False)
        seconds = time.perf_counter() - start
        errors = len(read_package(Path(folder, "package")).report.errors)
    made = len(authored.definition.actions)
    texts = [
        {"name": each.name, "description": each.catalog.description, "inputSchema": each.catalog.input_schema}
        for each in authored.definition.actions
    ]
    return Measured(made=made, usable=0 if errors else made, seconds=seconds, bytes=_bytes(texts))


def theirs(path: Path, taken: set[tuple[str, str]]) -> Measured:
    """Give the document to FastMCP; a tool counts as usable where its operation is an action here too."""
    try:
        import httpx
        from fastmcp import FastMCP  # type: ignore[import-not-found,unused-ignore]
    except ImportError:
        return Measured(failure="not installed")
    logging.disable(logging.CRITICAL)
    warnings.simplefilter("ignore")
    start = time.perf_counter()
    try:
        document = json.loads(path.read_bytes()) if path.suffix == ".json" else _yaml(path)
        client = httpx.AsyncClient(base_url=BASE_URL)
        server = FastMCP.from_openapi(openapi_spec=document, client=client, name="x")
        tools = asyncio.run(_tools(server))
    except Exception as error:  # noqa: BLE001 - whatever it is, the document is refused
        return Measured(seconds=time.perf_counter() - start, failure=f"refused ({type(error).__name__})")
    seconds = time.perf_counter() - start
    texts = [{"name": name, "description": text, "inputSchema": schema} for name, text, schema, _ in tools]
    works = sum(1 for *_, place in tools if place in taken)
    return Measured(made=len(tools), usable=works, seconds=seconds, bytes=_bytes(texts))


async def _tools(server: Any) -> list[tuple[str, str, Any, tuple[str, str]]]:
    rows = []
    for tool in await server.list_tools():
        route = getattr(tool, "_route", None)
        place = (getattr(route, "method", "").upper(), getattr(route, "path", ""))
        rows.append((tool.name, tool.description or "", tool.parameters, place))
    return rows


def _yaml(path: Path) -> Any:
    import yaml

    return yaml.load(path.read_bytes(), Loader=yaml.CSafeLoader)


def _bytes(value: Any) -> int:
    return len(json.dumps(value, ensure_ascii=False, default=str).encode())


def taken_of(path: Path) -> set[tuple[str, str]]:
    """Return the operations that become actions, as method and path."""
    report = author(read_source(path), Options(base_url=BASE_URL)).report
    places = [row.place.partition(" ") for row in report.taken]
    return {(method, route) for method, _, route in places}


def operations_of(path: Path) -> int:
    """Count the operations of a document."""
    return len(author(read_source(path), Options(base_url=BASE_URL, include=("*",))).report.rows)


def compare(paths: list[Path]) -> None:
    """Print the table of the comparison."""
    ours_head = "extpkg: actions | seconds | an Agent reads"
    theirs_head = "FastMCP: tools | of them actions here | seconds | an Agent reads"
    print(f"| document | operations | {ours_head} | {theirs_head} |")
    print("|---|---|---|---|---|---|---|---|---|")
    for path in paths:
        mine, taken = ours(path), taken_of(path)
        other = theirs(path, taken)
        cells = f"{_cells(mine, own=True)} | {_cells(other, own=False)}"
        print(f"| {path.name} | {operations_of(path)} | {cells} |", flush=True)


def _cells(measured: Measured, *, own: bool) -> str:
    if measured.failure and not measured.made:
        return f"{measured.failure} | " + ("" if own else "| ") + f"{measured.seconds:.1f} | "
    size = f"{measured.bytes / 1024:,.0f} KiB"
    counts = f"{measured.usable}" if own else f"{measured.made} | {measured.usable}"
    return f"{counts} | {measured.seconds:.1f} | {size}"


def speed(paths: list[Path]) -> None:
    """Print what authoring costs beside a C parser's reading: at most 3 times that and 5 ms an operation."""
    print("| document | operations | C parser | read, author, write | budget | of it |")
    print("|---|---|---|---|---|---|")
    for path in paths:
        start = time.process_time()
        json.loads(path.read_bytes()) if path.suffix == ".json" else _yaml(path)
        parsed = time.process_time() - start
        runs = []
        for _ in range(3):
            start = time.process_time()
            source = read_source(path)
            authored = author(source, Options())
            if not authored.files:
                authored = author(source, Options(base_url=BASE_URL))
            with tempfile.TemporaryDirectory() as folder:
                write_package(Path(folder, "package"), authored.files, replace=False)
                runs.append(time.process_time() - start)
        count, best = len(authored.report.rows), min(runs)
        budget = 3 * parsed + 0.005 * count
        costs = f"{parsed:.2f} s | {best:.2f} s | {budget:.2f} s | {best / budget:.0%}"
        print(f"| {path.name} | {count} | {costs} |", flush=True)


def main() -> None:
    """Measure what is asked for; values form no cycles, and nothing is collected, as on the command line."""
    gc.disable()
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--speed", action="store_true")
    parser.add_argument("folders", nargs="+", type=Path)
    asked = parser.parse_args()
    found = [path for each in asked.folders for path in (sorted(each.iterdir()) if each.is_dir() else [each])]
    paths = [path for path in found if path.suffix in {".json", ".yaml", ".yml"}]
    (speed if asked.speed else compare)(paths)


if __name__ == "__main__":
    os.environ.setdefault("PYTHONHASHSEED", "0")
    main()
