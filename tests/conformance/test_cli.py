"""The corpus of command lines, run through the installed console script."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from console import SCRIPT, change, github
from corpus import corpus

CASES = corpus("conformance/cli.json")
CODES = {"0": {0}, "0_or_usage": {0, 2}, "usage": {2}, "refused": {1, 2}, "usage_or_refused": {1, 2}}
PLANTED = "raise SystemExit('planted module imported')\n"


@pytest.fixture(scope="module")
def packages(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """A good package, and three that are bad in their ways."""
    root = tmp_path_factory.mktemp("packages")
    found = {
        name: github(root / name.strip("@"))
        for name in ("@PKG@", "@BADPKG@", "@BADPKG_UNICODE@", "@BADPKG_MANY@")
    }
    change(found["@BADPKG@"] / "actions/get-issue.yaml", "method: GET", "method: TRACE")
    change(found["@BADPKG_UNICODE@"] / "meta.yaml", "name: GitHub", "name: GitHub\nnäme: 値\u0301")
    unknown = "".join(f"unknown-{number}: {'x' * 100}\n" for number in range(2_000))
    change(found["@BADPKG_MANY@"] / "actions/get-issue.yaml", "binding:\n", f"{unknown}binding:\n")
    return found


@pytest.mark.skipif(os.name != "posix", reason="the corpus is about POSIX processes")
@pytest.mark.parametrize("case", CASES, ids=[case["id"] for case in CASES])
def test_command_line(case: dict[str, Any], packages: dict[str, Path], tmp_path: Path) -> None:
    here = tmp_path / "here"
    here.mkdir()
    for name in case.get("plant", ()):
        (here / name).write_text(PLANTED)
    if "make_pkg" in case:
        github(here / case["make_pkg"])
    if "pkg_mode" in case:
        packages["@PKG@"].chmod(int(case["pkg_mode"], 8))
    arguments = [str(packages.get(argument, argument)) for argument in case["args"]]
    outputs = set()
    for environment in case.get("env_each", [case.get("env", {})]):
        code, out, err = run(arguments, here, case, environment)
        assert (code != 0) if case["expect"] == "not_0" else (code in CODES[case["expect"]]), err
        check_output(case, out, err)
        outputs.add(out)
    assert len(outputs) == 1
    if "pkg_mode" in case:
        packages["@PKG@"].chmod(0o755)


def check_output(case: dict[str, Any], out: bytes, err: bytes) -> None:
    assert b"Traceback" not in out + err
    assert b"planted module" not in out + err
    if "stdout" in case:
        assert out == case["stdout"].encode()
    if "stdout_regex" in case:
        assert re.search(case["stdout_regex"].encode(), out)
    for unwanted in (case.get("no_raw"), case.get("not_in_output")):
        assert unwanted is None or unwanted.encode() not in out + err
    if "no_bytes" in case:
        assert bytes.fromhex(case["no_bytes"]) not in out + err
    for line in (out + err).splitlines():
        assert not line.lstrip().startswith((case.get("no_line_prefix") or "::").encode())
    if case["id"] in {"cli-path-lf", "cli-path-esc"}:
        assert len(err.splitlines()) == 1
    if case["id"] == "cli-ascii-locale":
        assert (out + err).isascii()


def run(
    arguments: list[str], here: Path, case: dict[str, Any], changes: dict[str, str]
) -> tuple[int, bytes, bytes]:
    """Run the script as a process whose streams are as the case wants them."""
    environment = {**os.environ, **changes}
    kept = {key: value for key, value in environment.items() if key not in {"PYTHONSAFEPATH", "PYTHONPATH"}}
    command = [str(SCRIPT), *arguments]
    pipe = case.get("pipe")
    if pipe in {"closed_stdout", "closed_stdin", "dev_full"} or case.get("cwd") == "removed":
        redirect = {"closed_stdout": ">&-", "closed_stdin": "<&-", "dev_full": ">/dev/full", None: ""}[pipe]
        gone = f"rmdir {shlex.quote(str(here))}; " if case.get("cwd") == "removed" else ""
        command = ["/bin/sh", "-c", f"{gone}exec {shlex.join(command)} {redirect}"]
    with subprocess.Popen(
        command, cwd=here, env=kept, stdout=subprocess.PIPE, stderr=subprocess.PIPE, stdin=subprocess.DEVNULL
    ) as process:
        assert process.stdout
        assert process.stderr
        if pipe == "close_stdout_after_1_byte":
            out = process.stdout.read(1)
            process.stdout.close()
            err = process.stderr.read()
        else:
            out, err = process.communicate(timeout=60)
    return process.returncode, out, err


def test_a_planted_module_is_not_imported_by_dash_m_either(packages: dict[str, Path], tmp_path: Path) -> None:
    for name in (
        "yaml.py",
        "click.py",
        "jsonschema.py",
        "ruamel.py",
        "re2.py",
        "json.py",
        "extpkg_planted.py",
    ):
        (tmp_path / name).write_text(PLANTED)
    ran = subprocess.run(
        [sys.executable, "-m", "extpkg", "validate", packages["@PKG@"]],
        cwd=tmp_path,
        check=False,
        capture_output=True,
    )
    assert ran.returncode == 0, ran.stderr


def test_output_is_the_same_in_every_locale_and_directory(packages: dict[str, Path], tmp_path: Path) -> None:
    names = ("@PKG@", "@BADPKG@", "@BADPKG_UNICODE@")
    paths = [str(packages[name]) for name in names]
    code = (
        "from extpkg.cli.main import run\n"
        "for form in ('text', 'concise', 'json', 'sarif', 'github', 'junit'):\n"
        f"    print(form, run(['validate', '--format', form, *{paths!r}]), flush=True)\n"
    )
    outputs = set()
    for changes, here in (
        ({"LC_ALL": "C", "PYTHONHASHSEED": "1"}, tmp_path),
        ({"LC_ALL": "C.UTF-8", "PYTHONHASHSEED": "2"}, Path("/")),
        ({"LC_ALL": "POSIX", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}, tmp_path),
        ({"LC_ALL": "en_US.ISO-8859-1", "TZ": "Asia/Kathmandu", "COLUMNS": "20"}, tmp_path),
    ):
        ran = subprocess.run(
            [sys.executable, "-c", code],
            cwd=here,
            env={**os.environ, **changes},
            check=True,
            capture_output=True,
            timeout=120,
        )
        outputs.add((ran.stdout, ran.stderr))
    assert len(outputs) == 1
    out, _ = outputs.pop()
    assert out.count(b"\njunit 1\n") == 1
    assert "n\u00e4me".encode() in out
