"""Programs of Debian's packages, unpacked beside the tests and not installed, where they can be had at all.

`python tests/debian.py PACKAGE` unpacks one ahead of the tests; it ends with 1 where that cannot be done.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

CACHE = Path(__file__).resolve().parent.parent / ".pytest_cache" / "debian"
SECONDS = 120


def program(package: str, name: str) -> Path | None:
    """Return a program: the installed one, else that of the package; None where neither can be had."""
    installed = shutil.which(name)
    if installed is not None:
        return Path(installed)
    found = (unpacked(package) or CACHE / "absent") / "usr" / "bin" / name
    return found if found.is_file() else None


def unpacked(package: str) -> Path | None:
    """Return the folder that a package is unpacked in, fetched where it is not there yet."""
    wanted = CACHE / package
    if wanted.is_dir():
        return wanted
    if shutil.which("apt-get") is None or shutil.which("dpkg-deb") is None:
        return None
    CACHE.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=CACHE) as folder:
        try:
            subprocess.run(
                ["apt-get", "download", package], cwd=folder, check=True, capture_output=True, timeout=SECONDS
            )
            [archive] = Path(folder).glob("*.deb")
            subprocess.run(["dpkg-deb", "-x", archive, Path(folder, "root")], check=True, timeout=SECONDS)
            os.rename(Path(folder, "root"), wanted)  # noqa: PTH104 - one of several processes wins
        except (OSError, ValueError, subprocess.SubprocessError):
            return wanted if wanted.is_dir() else None
    return wanted


if __name__ == "__main__":
    sys.exit(0 if unpacked(sys.argv[1]) else 1)
