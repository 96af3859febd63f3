"""A package made to attack the terminal or the log that shows its report: nothing of it gets through."""

from __future__ import annotations

import json
import os
import re
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree as ET

import pytest
from console import change, extpkg, github, script

if TYPE_CHECKING:
    from pathlib import Path

NAMES = (
    "::error file=x,line=1::pwn",
    "##[error]pwn",
    "##vso[task.complete result=Failed]",
    "##teamcity[testFailed name='x']",
    "a\nb.yaml",
    "\x1b[2J",
    "\u202egnp.yaml",
    "<b>&amp;.yaml",
    "%0A%s%n{0}",
    os.fsdecode(b"caf\xe9.yaml"),
    "tag\U000e0041",
    " ",
)
FORMS = ("text", "concise", "json", "sarif", "github", "junit")
UNSAFE = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2028\u2029\u2066-\u2069\U000e0041]")


@pytest.fixture(scope="module")
def package(tmp_path_factory: pytest.TempPathFactory) -> Path:
    package = github(tmp_path_factory.mktemp("##[group]here") / "::error::p")
    for name in NAMES:
        (package / "actions" / name).write_text("x")
        (package / name).write_text("x")
    change(package / "meta.yaml", "name: GitHub", 'name: "::error::Git\\n\\e[2J##[error]Hub\\u202E"')
    change(
        package / "actions/get-issue.yaml",
        "name: get-issue\n",
        "'::error::x': 1\n'##[error]\\y': \u202e2\n\"\\e[31m\": 3\nname: get-issue\n",
    )
    change(package / "actions/list-issues.yaml", "method: GET", "method: '::error::\u2066##vso[x]'")
    return package


@pytest.mark.parametrize("form", FORMS)
def test_every_format_is_harmless(package: Path, form: str) -> None:
    ran = extpkg("validate", "--format", form, package)
    assert ran.code == 1
    check(ran.out, form)
    check(ran.err, "text")
    if form in {"json", "sarif"}:
        json.loads(ran.out)
    if form == "junit":
        ET.fromstring(ran.out)  # noqa: S314 - our own output


@pytest.mark.parametrize("form", ["text", "concise"])
def test_a_report_in_a_file_is_harmless_too(
    package: Path, tmp_path: Path, form: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(package.parent)
    extpkg("validate", "--format", form, "--output", tmp_path / "report", package.name)
    text = (tmp_path / "report").read_text()
    assert package.name.removeprefix(":") in text
    check(text, form)


def check(text: str, form: str) -> None:
    assert not UNSAFE.search(text)
    for line in text.split("\n"):
        assert "##[" not in line
        assert not re.search(r"##(vso|teamcity)\[", line, re.IGNORECASE)
        if line.lstrip().startswith("::"):
            assert form == "github"
            assert re.match(r"::(error|warning) title=EXT\d{4} [a-z-]+,file=", line)
    assert len(text.splitlines()) == text.count("\n")


@pytest.mark.parametrize(
    "arguments",
    [
        ("digest",),
        ("digest", "--check"),
        ("fmt", "--check"),
        ("fmt", "--diff"),
        ("show",),
        ("show", "::error::x"),
    ],
)
def test_every_command_is_harmless(package: Path, arguments: tuple[str, ...]) -> None:
    ran = extpkg(arguments[0], package, *arguments[1:])
    check(ran.out, "text")
    check(ran.err, "text")


def test_what_a_valid_package_may_hold_is_harmless_too(tmp_path: Path) -> None:
    package = github(tmp_path / "github")
    for file in sorted((package / "actions").iterdir()):
        text = file.read_text()
        text = re.sub(
            r"(  description: )(?:\|\n(?:    .*\n)+|.*\n)", r"\1 '::error::x ##[error]y'\n", text, count=1
        )
        text = re.sub(r"(  summary: ).*", r"\1 '::error::x'", text, count=1)
        file.write_text(text)
    change(package / "meta.yaml", "name: GitHub", "name: '::error::GitHub'")
    commands: tuple[tuple[Any, ...], ...] = (
        ("show", package),
        ("show", package, "get-issue"),
        ("show", package, "--json"),
        ("digest", package, "--explain"),
        ("digest", package, "--diff", github(tmp_path / "other")),
    )
    for command in commands:
        ran = extpkg(*command)
        assert ran.code in {0, 1}
        assert "error::" in ran.out
        check(ran.out, "text")


def test_names_are_shown_the_same_in_every_locale(package: Path) -> None:
    outputs = {
        script("validate", package, env=environment).stdout
        for environment in (
            {"LC_ALL": "C"},
            {"LC_ALL": "C.UTF-8", "TZ": "Asia/Kathmandu"},
            {"LC_ALL": "tr_TR"},
        )
    }
    assert len(outputs) == 1
    assert b"caf\\xe9.yaml" in outputs.pop()
