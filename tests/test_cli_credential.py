"""Where the command line reads a credential, and that it never repeats one."""

from __future__ import annotations

import getpass
import io
import os
import sys
from typing import TYPE_CHECKING, Any

import pytest

from extpkg.cli.credential import CREDENTIAL_BYTES, read_credentials, reads_standard_input
from extpkg.cli.terminal import Halt
from extpkg.errors import ExtensionError

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

CANARY = "sk-canary-0123456789=="


def read(
    *given: str, environment: dict[str, str] | None = None, ask: Callable[[str], str] | None = None
) -> Any:
    found = read_credentials(
        given, ["apiKey", "other"], environment=environment or {}, ask=ask or getpass.getpass
    )
    return {name: secret.reveal() for name, secret in found.items()}


def refusal(*given: str, **options: Any) -> str:
    with pytest.raises((Halt, ExtensionError)) as caught:
        read(*given, **options)
    error = caught.value
    assert getattr(error, "code") == (2 if isinstance(error, Halt) else "validation")  # noqa: B009
    assert "canary" not in str(error)
    assert error.__context__ is None
    return str(error)


class Stream(io.BytesIO):
    """A standard input that is a terminal, or is none."""

    def __init__(self, data: bytes, *, terminal: bool = False) -> None:
        super().__init__(data)
        self.buffer = self
        self._terminal = terminal

    def isatty(self) -> bool:
        return self._terminal


def private(path: Path, data: bytes, mode: int = 0o600) -> Path:
    path.write_bytes(data)
    path.chmod(mode)
    return path


def test_a_credential_comes_from_each_source(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = private(tmp_path / "a key", b"from a file\r\n")
    assert read(f"apiKey=file:{file}") == {"apiKey": "from a file"}
    assert read("apiKey=env:A_1", environment={"A_1": CANARY}) == {"apiKey": CANARY}
    monkeypatch.setattr(sys, "stdin", Stream(b"piped\n"))
    assert read("other=-", "apiKey=env:A", environment={"A": "x"}) == {"other": "piped", "apiKey": "x"}
    assert read() == {}


def test_a_terminal_is_asked_without_showing(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []

    def ask(prompt: str) -> str:
        asked.append(prompt)
        return "typed"

    monkeypatch.setattr(sys, "stdin", Stream(b"", terminal=True))
    assert read("apiKey=-", ask=ask) == {"apiKey": "typed"}
    assert asked == ["apiKey (not shown): "]

    assert "not one line" in refusal("apiKey=-", ask=lambda _: "canary\ud800")

    def shows(_: str) -> str:
        import warnings

        warnings.warn("it would show", getpass.GetPassWarning, stacklevel=1)
        return "typed"

    def ends(_: str) -> str:
        raise EOFError

    for unable in (shows, ends):
        assert "cannot be asked" in refusal("apiKey=-", ask=unable)


@pytest.mark.parametrize(
    "text",
    [
        CANARY,
        f"apiKey={CANARY}",
        f"{CANARY}=-",
        f"apiKey=env:{CANARY}",
        f"apiKey=env:${CANARY}",
        "apiKey=",
        "apiKey=env:",
        "apiKey=file:",
        "=env:CANARY",
        f"apiKey:{CANARY}",
        f"apiKey=-{CANARY}",
        f"apiKey={CANARY}\nenv:X",
        f"apiKey=stdin:{CANARY}",
        f"canary={CANARY}",
        "canary=env:X",
        "api_key=file:canary",
    ],
)
def test_what_is_given_by_mistake_is_not_repeated(text: str) -> None:
    """S062: it may be the credential itself."""
    refusal(text)


def test_a_missing_source_is_told_without_its_name(tmp_path: Path) -> None:
    assert refusal("apiKey=env:sk_canary") == "the environment variable for the credential apiKey is not set"
    missing = refusal(f"apiKey=file:{tmp_path}/canary")
    assert missing == "the file for the credential apiKey cannot be read: no such file or directory"
    assert "not a path" in refusal("apiKey=file:canary\0")


def test_a_field_is_given_once_and_must_be_known() -> None:
    assert "the fields are: apiKey, other" in refusal("another=env:A")
    assert "twice" in refusal("apiKey=env:A", "apiKey=env:B", environment={"A": "a", "B": "b"})
    assert "only one" in refusal("apiKey=-", "other=-")
    with pytest.raises(Halt, match="the fields are: none"):
        read_credentials(["apiKey=env:A"], [])


def test_who_takes_standard_input_is_known() -> None:
    assert reads_standard_input(["a=env:X", "b=-"])
    assert not reads_standard_input(["a=env:X", "b=file:-"])


@pytest.mark.skipif(os.name == "nt", reason="no permissions to judge")
@pytest.mark.parametrize("mode", [0o640, 0o604, 0o620, 0o611, 0o777])
def test_a_file_that_others_may_read_is_refused(tmp_path: Path, mode: int) -> None:
    file = private(tmp_path / "key file", b"canary", mode)
    assert refusal(f"apiKey=file:{file}").endswith(f"run: chmod 600 '{file}'")
    file.chmod(0o400)
    assert read(f"apiKey=file:{file}") == {"apiKey": "canary"}


def test_only_a_regular_file_is_read_which_a_link_may_lead_to(tmp_path: Path) -> None:
    file = private(tmp_path / "key", b"text")
    (tmp_path / "link").symlink_to(file)
    assert read(f"apiKey=file:{tmp_path}/link") == {"apiKey": "text"}
    os.mkfifo(tmp_path / "fifo", 0o600)
    for name in ("fifo", "."):
        assert "no regular file" in refusal(f"apiKey=file:{tmp_path / name}")


@pytest.mark.parametrize("data", [b"", b"\n", b"\r\n", b"  ", b"\t\n"])
def test_an_empty_credential_is_refused(tmp_path: Path, data: bytes) -> None:
    """S059."""
    file = private(tmp_path / "key", data)
    assert refusal(f"apiKey=file:{file}") == "validation: the credential apiKey is empty"


@pytest.mark.parametrize(
    "data",
    [
        b"canary\nmore",
        b"canary\n\n",
        b"canary\0",
        b"canary\x1b",
        b"canary\xff",
        b"canary\xed\xa0\x80",
        "canary\u2028".encode(),
        b"canary".ljust(CREDENTIAL_BYTES + 1, b"x"),
        b"canary".ljust(1 << 20, b"x"),
    ],
)
def test_a_credential_is_one_line_of_text(tmp_path: Path, data: bytes) -> None:
    file = private(tmp_path / "key", data)
    assert "not one line of UTF-8" in refusal(f"apiKey=file:{file}")


def test_a_credential_has_room(tmp_path: Path) -> None:
    text = "x" * CREDENTIAL_BYTES
    file = private(tmp_path / "key", f"{text}\n".encode())
    assert read(f"apiKey=file:{file}") == {"apiKey": text}
    file.write_bytes("schlüssel ✓".encode())
    assert read(f"apiKey=file:{file}") == {"apiKey": "schlüssel ✓"}


def test_without_standard_input_nothing_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", None)
    assert "no standard input" in refusal("apiKey=-")
