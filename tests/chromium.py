"""A headless Chromium, driven over a pipe: pages opened, measured, pictured, and judged by axe-core.

`python tests/chromium.py PAGE FOLDER` writes pictures of a page at two widths, light and dark, and in print.
"""

from __future__ import annotations

import base64
import json
import os
import shutil
import subprocess
import sys
import tempfile
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).resolve().parent.parent
CACHE = ROOT / ".pytest_cache" / "axe"
AXE = "4.14.1"
SECONDS = 60

NAMES = ("chromium", "chromium-browser", "google-chrome", "chrome")


def chromium() -> str | None:
    """Return the browser of this machine, None where there is none."""
    return next((found for name in NAMES if (found := shutil.which(name))), None)


def axe() -> str | None:
    """Return the source of axe-core, fetched once by npm; None where it cannot be had."""
    source = CACHE / "node_modules" / "axe-core" / "axe.min.js"
    if not source.is_file() and shutil.which("npm") is not None:
        CACHE.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=CACHE) as folder:
            command = ["npm", "install", "--ignore-scripts", "--no-audit", "--no-fund", "--fetch-retries=0"]
            try:
                subprocess.run(
                    [*command, "--prefix", folder, f"axe-core@{AXE}"],
                    check=True,
                    capture_output=True,
                    timeout=SECONDS,
                )
                shutil.copytree(Path(folder, "node_modules"), CACHE / "node_modules", dirs_exist_ok=True)
            except (OSError, subprocess.SubprocessError):
                return None
    return source.read_text(encoding="utf-8") if source.is_file() else None


_PLUMBING = """
import os, sys, fcntl
ends = [fcntl.fcntl(int(end), fcntl.F_DUPFD, 10) for end in sys.argv[1:3]]
for place, end in enumerate(ends, start=3):
    os.dup2(end, place)
os.execv(sys.argv[3], sys.argv[3:])
"""
"""The browser reads commands from descriptor 3 and answers on 4."""


class Page:
    """One page of a browser; every command waits for its answer, and events are kept."""

    def __init__(self, out: int, into: int) -> None:
        self._out = out
        self._into = into
        self._unread = b""
        self._number = 0
        self._session: str | None = None
        self.events: list[dict[str, Any]] = []
        target = self.send("Target.createTarget", url="about:blank")["targetId"]
        attached = self.send("Target.attachToTarget", targetId=target, flatten=True)
        self._session = attached["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.send(f"{domain}.enable")

    def send(self, method: str, **values: Any) -> Any:
        self._number += 1
        message = {"id": self._number, "method": method, "params": values}
        if self._session is not None:
            message["sessionId"] = self._session
        os.write(self._into, json.dumps(message).encode() + b"\0")
        while True:
            answer = self._read()
            if answer.get("id") == self._number:
                assert "error" not in answer, answer
                return answer["result"]

    def _read(self) -> dict[str, Any]:
        while b"\0" not in self._unread:
            more = os.read(self._out, 1 << 16)
            assert more, "the browser has ended"
            self._unread += more
        line, _, self._unread = self._unread.partition(b"\0")
        message: dict[str, Any] = json.loads(line)
        if "method" in message:
            self.events.append(message)
        return message

    def open(self, file: Path, *, width: int, scheme: str = "light", media: str = "screen") -> None:
        """Open a file at a width, and wait until it is loaded."""
        self.events.clear()
        features = [{"name": "prefers-color-scheme", "value": scheme}]
        self.send("Emulation.setEmulatedMedia", media=media, features=features)
        self.send(
            "Emulation.setDeviceMetricsOverride", width=width, height=900, deviceScaleFactor=1, mobile=False
        )
        self.send("Page.navigate", url=file.resolve().as_uri())
        while not any(event["method"] == "Page.loadEventFired" for event in self.events):
            self._read()

    def value(self, expression: str) -> Any:
        """Return what an expression of JavaScript gives, when it is settled."""
        done = self.send("Runtime.evaluate", expression=expression, awaitPromise=True, returnByValue=True)
        assert "exceptionDetails" not in done, done["exceptionDetails"]
        return done["result"].get("value")

    def picture(self, target: Path) -> None:
        """Write a picture of the page from its top, a few screens of it."""
        size = self.send("Page.getLayoutMetrics")["cssContentSize"]
        clip = {"x": 0, "y": 0, "width": size["width"], "height": min(size["height"], 6_000), "scale": 1}
        shot = self.send("Page.captureScreenshot", format="png", captureBeyondViewport=True, clip=clip)
        target.write_bytes(base64.b64decode(shot["data"]))

    def printed(self, target: Path) -> None:
        """Write the page as it is printed."""
        target.write_bytes(base64.b64decode(self.send("Page.printToPDF")["data"]))

    def faults(self, source: str) -> list[str]:
        """Return what axe-core finds, a line for each element."""
        self.value(source + "; 0")
        found = self.value("axe.run(document, {resultTypes: ['violations']}).then(found => found.violations)")
        return [
            f"{fault['id']}: {node['target']}: {node['failureSummary']}"
            for fault in found
            for node in fault["nodes"]
        ]


@contextmanager
def browser(program: str) -> Iterator[Page]:
    """Give a page of a fresh browser, which ends with the block."""
    here_out, there_out = os.pipe()
    there_in, here_in = os.pipe()
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        flags = ["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"]
        flags += ["--remote-debugging-pipe", f"--user-data-dir={profile}", "--no-first-run"]
        flags += ["--disable-background-networking", "--hide-scrollbars", "--force-color-profile=srgb"]
        process = subprocess.Popen(
            [sys.executable, "-c", _PLUMBING, str(there_in), str(there_out), program, *flags],
            pass_fds=(there_in, there_out),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            stdin=subprocess.DEVNULL,
        )
        os.close(there_in)
        os.close(there_out)
        try:
            yield Page(here_out, here_in)
        finally:
            process.kill()
            process.wait()
            os.close(here_out)
            os.close(here_in)


def main(page: Path, folder: Path) -> None:
    program = chromium()
    assert program, "there is no Chromium here"
    folder.mkdir(parents=True, exist_ok=True)
    source = axe()
    with browser(program) as tab:
        for width in (1280, 390):
            for scheme in ("light", "dark"):
                tab.open(page, width=width, scheme=scheme)
                tab.picture(folder / f"{page.stem}-{width}-{scheme}.png")
                print(*(tab.faults(source) if source else ["no axe-core"]), sep="\n")
        tab.open(page, width=794, media="print")
        tab.picture(folder / f"{page.stem}-print.png")


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
