"""What replaying recorded cases costs: `python benchmarks/replay.py`, whole processes, best of several runs.

The peer imports the library and does nothing; each case may cost ten milliseconds on top of three of those.
"""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).parent.parent
CASES = ROOT / "golden" / "invoke" / "arxiv"
ROUNDS = 7
IMPORTS, CASE_SECONDS = 3, 0.010


def best(*arguments: str) -> float:
    """Return the seconds of the fastest of several runs of Python with these arguments."""
    found = float("inf")
    for _ in range(ROUNDS):
        start = time.perf_counter()
        subprocess.run([sys.executable, *arguments], check=True, stdout=subprocess.DEVNULL)
        found = min(found, time.perf_counter() - start)
    return found


def main() -> int:
    """Print both times and the budget; 1 where it is exceeded."""
    count = sum(1 for _ in CASES.glob("*/*/input.json"))
    floor = best("-c", "import extpkg")
    spent = best("-m", "extpkg", "test", str(ROOT / "packages" / "arxiv"))
    budget = IMPORTS * floor + count * CASE_SECONDS
    print(f"import extpkg            {floor * 1e3:6.0f} ms")
    print(f"extpkg test, {count:3} cases  {spent * 1e3:6.0f} ms (budget {budget * 1e3:.0f} ms)")
    return int(spent > budget)


if __name__ == "__main__":
    raise SystemExit(main())
