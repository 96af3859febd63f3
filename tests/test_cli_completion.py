"""Shell completion, tried in the shells that are there."""

from __future__ import annotations

import os
import shutil
import subprocess
from typing import TYPE_CHECKING

import pytest
from console import SCRIPT, extpkg, script

from extpkg.cli.group import COMMANDS
from extpkg.resources import builtin_package_names

if TYPE_CHECKING:
    from pathlib import Path


def in_shell(name: str, program: str) -> str:
    """Run a program of a shell that finds the command; skip where the shell is not installed."""
    shell = shutil.which(name)
    if shell is None:
        pytest.skip(f"{name} is not installed")
    path = f"{SCRIPT.parent}{os.pathsep}{os.environ['PATH']}"
    ran = subprocess.run(
        [shell, "-c", program], env={**os.environ, "PATH": path}, check=True, capture_output=True, text=True
    )
    return ran.stdout


@pytest.mark.parametrize(
    ("typed", "expected"),
    [
        (["extpkg", "va"], {"validate"}),
        (["extpkg", ""], {entry.name for entry in COMMANDS}),
        (["extpkg", "validate", "--fo"], {"--format"}),
        (["extpkg", "validate", "--format", "s"], {"sarif"}),
        (["extpkg", "schema", "f"], {"fixture"}),
    ],
)
def test_bash(typed: list[str], expected: set[str]) -> None:
    words = " ".join(f"'{word}'" for word in typed)
    found = in_shell(
        "bash",
        f'eval "$(_EXTPKG_COMPLETE=bash_source extpkg)"; COMP_WORDS=({words}); COMP_CWORD={len(typed) - 1}; '
        '_extpkg_completion "${COMP_WORDS[@]}"; printf "%s\\n" "${COMPREPLY[@]}"',
    )
    assert set(found.split()) == expected


def test_bash_completes_rule_codes() -> None:
    found = in_shell(
        "bash",
        'eval "$(_EXTPKG_COMPLETE=bash_source extpkg)"; COMP_WORDS=(extpkg explain ext06); COMP_CWORD=2; '
        '_extpkg_completion extpkg; printf "%s\\n" "${COMPREPLY[@]}"',
    ).split()
    assert found
    assert all(code.startswith("EXT06") for code in found)


def test_in_this_process(monkeypatch: pytest.MonkeyPatch) -> None:
    def completed(words: str, position: int) -> set[str]:
        monkeypatch.setenv("_EXTPKG_COMPLETE", "bash_complete")
        monkeypatch.setenv("COMP_WORDS", words)
        monkeypatch.setenv("COMP_CWORD", str(position))
        ran = extpkg()
        assert (ran.code, ran.err) == (0, "")
        return {line.partition(",")[2] for line in ran.out.splitlines()}

    assert completed("extpkg va", 1) == {"validate"}
    assert completed("extpkg --", 1) == {"--version", "--debug", "--help"}
    assert completed("extpkg validate pack", 2) == {"pack"}
    assert completed("extpkg validate @", 2) == {f"@{name}" for name in builtin_package_names()}
    assert completed("extpkg show @arx", 2) == {"@arxiv"}
    assert completed("extpkg validate @nope", 2) == {""}
    assert completed("extpkg explain EXT0603", 2) == {"EXT0603"}


def test_zsh(tmp_path: Path) -> None:
    """The file that the documentation tells to write is what `compinit` finds."""
    (tmp_path / "_extpkg").write_bytes(script(env={"_EXTPKG_COMPLETE": "zsh_source"}).stdout)
    found = in_shell(
        "zsh",
        f"fpath=({tmp_path} $fpath); autoload -Uz compinit; compinit -u -D; "
        "print $_comps[extpkg]; autoload +X _extpkg; whence -w _extpkg",
    )
    assert found.splitlines() == ["_extpkg", "_extpkg: function"]


def test_fish() -> None:
    found = in_shell("fish", "_EXTPKG_COMPLETE=fish_source extpkg | source; complete -C 'extpkg v'")
    assert found.split()[0] == "validate"


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_the_script_of_each_shell_is_printed(shell: str) -> None:
    ran = script(env={"_EXTPKG_COMPLETE": f"{shell}_source"})
    assert ran.returncode == 0
    assert ran.stderr == b""
    assert b"_EXTPKG_COMPLETE" in ran.stdout


def test_zsh_and_fish_protocols() -> None:
    ran = script(env={"_EXTPKG_COMPLETE": "zsh_complete", "COMP_WORDS": "extpkg v", "COMP_CWORD": "1"})
    assert ran.stdout.splitlines()[:2] == [b"plain", b"validate"]
    ran = script(env={"_EXTPKG_COMPLETE": "fish_complete", "COMP_WORDS": "extpkg v", "COMP_CWORD": "v"})
    assert ran.stdout.split()[0].startswith(b"plain,validate")
