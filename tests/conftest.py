"""How every test runs: laws without deadlines, the same in CI each time, and a count of the corpora read."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import corpus
import pytest
from hypothesis import settings

settings.register_profile("local", deadline=None)
settings.register_profile("ci", deadline=None, derandomize=True, print_blob=True)
settings.load_profile("ci" if os.environ.get("CI") else "local")


def pytest_configure() -> None:
    """Keep every test, and the processes that one starts, away from the user's own connections and keys."""
    os.environ["EXTPKG_CONFIG_DIR"] = str(Path(__file__).with_name("no-configuration"))
    for name in ("EXTPKG_MASTER_KEY", "EXTPKG_LIBRARY", "EXTPKG_LIBRARY_KEY", "EXTPKG_LIBRARY_PUBLIC_KEY"):
        os.environ.pop(name, None)


def pytest_sessionfinish(session: pytest.Session) -> None:
    """Hand what a parallel worker read to the process that reports."""
    output: dict[str, Any] | None = getattr(session.config, "workeroutput", None)
    if output is not None:
        output["corpora"] = corpus.READ


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any) -> None:
    """Collect what a parallel worker read."""
    corpus.READ.update(getattr(node, "workeroutput", {}).get("corpora", {}))


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Print which corpora were read, and how many tests stood on them."""
    terminalreporter.section("corpora")
    for name, count in sorted(corpus.READ.items()):
        terminalreporter.write_line(f"{name}: {count} cases")
    for outcome in ("passed", "failed", "skipped"):
        reports = terminalreporter.getreports(outcome)
        count = sum("tests/conformance/" in report.nodeid for report in reports)
        terminalreporter.write_line(f"conformance tests {outcome}: {count}")
