"""How every test runs: laws without deadlines, the same in CI each time, and a count of the corpora read."""

from __future__ import annotations

import os
import socket
from ipaddress import ip_address
from pathlib import Path
from typing import Any

import corpus
import pytest
from hypothesis import settings

_BROADCAST = "255.255.255.255"


def _leaves(host: object) -> bool:
    """Say whether a host is another machine's: neither loopback nor an address that TCP refuses at once."""
    text = host.decode() if isinstance(host, bytes) else str(host or "localhost")
    try:
        return not ip_address(text.partition("%")[0]).is_loopback and text != _BROADCAST
    except ValueError:
        return text != "localhost"


def _is_asked(host: object) -> bool:
    """Say whether the system asks a server for a host: not for an address, nor for what can be no name."""
    text = host.decode() if isinstance(host, bytes) else str(host or "localhost")
    try:
        ip_address(text.partition("%")[0])
    except ValueError:
        return text != "localhost" and max(map(len, text.split("."))) <= 63
    return False


def _guard_network() -> None:
    """Let a test of this process reach nothing but this machine (S098); it fails, whatever it catches."""

    def guarded(name: str) -> Any:
        real = getattr(socket.socket, name)

        def connect(self: socket.socket, target: Any, /) -> Any:
            if self.family in {socket.AF_INET, socket.AF_INET6} and _leaves(target[0]):
                pytest.fail(f"a test contacts {target[0]}")
            return real(self, target)

        return connect

    for name in ("connect", "connect_ex"):
        setattr(socket.socket, name, guarded(name))
    look_up = socket.getaddrinfo

    def getaddrinfo(host: Any, *arguments: Any, **options: Any) -> Any:
        if _is_asked(host):
            pytest.fail(f"a test asks where {host} is")
        return look_up(host, *arguments, **options)

    socket.getaddrinfo = getaddrinfo


settings.register_profile("local", deadline=None)
settings.register_profile("ci", deadline=None, derandomize=True, print_blob=True)
settings.load_profile("ci" if os.environ.get("CI") else "local")


def pytest_configure() -> None:
    """Keep every test, and the processes that one starts, away from the user's own connections and keys."""
    os.environ["EXTPKG_CONFIG_DIR"] = str(Path(__file__).with_name("no-configuration"))
    for name in ("EXTPKG_MASTER_KEY", "EXTPKG_LIBRARY", "EXTPKG_LIBRARY_KEY", "EXTPKG_LIBRARY_PUBLIC_KEY"):
        os.environ.pop(name, None)
    _guard_network()


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
