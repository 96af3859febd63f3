"""Measures the gate against validation, and how fast a library stores and reads; prints a table.

`python benchmarks/library.py`, with extpkg installed beside this Python. The gate is judged in this process
without fmt and cases, which are other jobs. What storing costs hangs on how fast this machine syncs a file,
so that is measured too.
"""

from __future__ import annotations

import os
import subprocess
import tempfile
import time
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

from generate import write_package
from run import EXTPKG, ROOT, Row, best, machine, table

from extpkg.cli.judging import candidates
from extpkg.cli.shared_work import shared
from extpkg.definition.projection import digest, projection
from extpkg.gate.judge import judge_contract
from extpkg.library.entry import Entry
from extpkg.library.local import LocalStore
from extpkg.package import load_package, read_package

if TYPE_CHECKING:
    from collections.abc import Callable

PACKAGES = 100
ACTIONS = 10
PUBLICATIONS = 300
READS = 4_000


def packages(folder: Path) -> list[str]:
    """Write valid packages with their digests; return their paths."""
    paths = []
    for number in range(PACKAGES):
        path = folder / f"package-{number:03}"
        write_package(path, ACTIONS)
        meta = path / "meta.yaml"
        meta.write_text(meta.read_text().replace("domain: ", f"domain: p{number:03}-", 1))
        paths.append(str(path))
    subprocess.run([EXTPKG, "digest", "--write", *paths], check=True, capture_output=True)
    return paths


def gate(paths: list[str]) -> None:
    """Judge packages as the gate does, without fmt and cases."""
    with candidates(paths, None, "", lambda *_: None) as found:
        if not all(judge_contract(candidate) for candidate, _ in found):
            raise SystemExit("the gate said nothing")


def validate(paths: list[str]) -> None:
    """Validate packages, in this process and shared as the gate does it."""
    if not all(read_package(path, each=shared).report.ok for path in paths):
        raise SystemExit("a package is not valid")


def entries(path: Path) -> list[Entry]:
    """Return many small versions to publish, all with the files of one package."""
    files = {str(file.relative_to(path)): file.read_bytes() for file in path.rglob("*.yaml")}
    definition = load_package(path).definition
    made = []
    for version in range(1, PUBLICATIONS + 1):
        data = projection(definition).replace(b'"version":1}', b'"version":%d}' % version)
        made.append(
            Entry(
                domain=definition.domain, version=version, digest=digest(data), projection=data, files=files
            )
        )
    return made


def per_second(work: Callable[[], int]) -> float:
    """Return how many things `work` does in a second; it returns how many it did."""
    start = time.perf_counter()
    count = work()
    return count / (time.perf_counter() - start)


def syncs(folder: Path) -> int:
    """Write and sync a file as often as versions are published."""
    with (folder / "synced").open("wb", buffering=0) as file:
        for _ in range(PUBLICATIONS):
            file.write(b"x" * 4096)
            os.fsync(file.fileno())
    return PUBLICATIONS


def storing(package: Path, folder: Path) -> list[str]:
    """Return a line on storing versions of a package, and one on reading them again with every hash."""
    with closing(LocalStore(folder / f"{package.name}.db")) as store:
        store.create()
        made = entries(package)
        stores = per_second(lambda: sum(store.add(entry) is not None for entry in made))
        lines = store.publications()
        reads = per_second(lambda: sum(bool(store.read(lines[n % len(lines)]).files) for n in range(READS)))
    size = sum(map(len, (made[0].projection, *made[0].files.values()))) / 1024
    what = f"{len(made[0].files)} files, {size:.0f} KiB with the projection"
    return [
        f"stored: {stores:,.0f} versions/s (>= 100), {what}",
        f"read and verified: {reads:,.0f} versions/s (>= 4,000), {what}",
    ]


def main() -> None:
    """Measure and print."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        paths = packages(folder)
        ratio = best(lambda: gate(paths), 3).seconds / best(lambda: validate(paths), 3).seconds
        rows = [
            Row(job=f"gate, {PACKAGES} packages of {ACTIONS}", peer="validate", ratio=ratio, budget="<= 2")
        ]
        rates = [
            line for path in (ROOT / "packages" / "arxiv", Path(paths[0])) for line in storing(path, folder)
        ]
        rate = per_second(lambda: syncs(folder))
    print(machine())
    print(table(rows))
    print("".join(f"{line}\n" for line in rates), end="")
    print(f"a file is written and synced {rate:,.0f} times/s here")


if __name__ == "__main__":
    main()
