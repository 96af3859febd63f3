"""`extpkg connection`: set up, tried, called, removed as a new user does it; its secrets are seen nowhere."""

from __future__ import annotations

import base64
import errno
import io
import json
import os
import re
import shutil
import stat
import subprocess
import sys
from traceback import TracebackException
from typing import TYPE_CHECKING, Any, get_args

import click
import httpx
import pytest
from click.testing import CliRunner
from console import SCRIPT, Ran, extpkg, script
from console_page import filled
from corpus import ROOT
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from engines import KEY_OF, ORIGINS, RESULT, Answer, keyed, searxng, serving

from extpkg.cli import connection as commands
from extpkg.cli.group import extpkg as tree
from extpkg.cli.invoke import Wish, perform
from extpkg.cli.main import verdict
from extpkg.cli.terminal import Terminal
from extpkg.connections import open_store
from extpkg.connections.fault import LOCKED, SEVERAL, Reason
from extpkg.providers import builtin_registry

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from extpkg.egress.send import Transport

CANARY = "sk-canary-4f9d1c7ab2"
KEYED = sorted(ORIGINS)
QUERY = '{"query": "what is it"}'


@pytest.fixture(autouse=True)
def config(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A directory of configuration of the test's own, and the canary in a variable."""
    monkeypatch.setenv("EXTPKG_CONFIG_DIR", str(tmp_path / "config"))
    monkeypatch.setenv("A_KEY", CANARY)
    return tmp_path / "config"


def set_key(name: str) -> None:
    ran = extpkg("connection", "set", name, "--credential", "apiKey=env:A_KEY")
    assert (ran.code, ran.err) == (0, "")
    assert ran.out == f"The connection {name} is set. Try it with: extpkg connection test {name}\n"


def live(act: Callable[[Terminal], int]) -> tuple[Ran, str]:
    """Run what takes a transport of the test's; return also all that its exception leads to."""
    out, err = io.BytesIO(), io.BytesIO()
    reach = ""
    try:
        code = act(Terminal(out=out, err=err))
    except Exception as error:  # noqa: BLE001 - as the entry does
        code, message = verdict(error)
        err.write(f"Error: {message}\n".encode())
        reach = "".join(reached(error))
    return Ran(code=code, out=out.getvalue().decode(), err=err.getvalue().decode()), reach


def reached(error: BaseException) -> Iterator[str]:
    """Yield what a debugger sees of an exception: its frames' values, and the exceptions among those."""
    yield from TracebackException.from_exception(error, capture_locals=True).format()
    trace = error.__traceback__
    while trace is not None:
        for value in list(trace.tb_frame.f_locals.values()):
            if isinstance(value, BaseException) and value is not error:
                yield from TracebackException.from_exception(value, capture_locals=True).format()
        trace = trace.tb_next


def probe(name: str, transport: Callable[[], Transport], *, as_json: bool = False) -> tuple[Ran, str]:
    return live(lambda terminal: commands.probe(terminal, name, as_json=as_json, live=transport))


def call(name: str, transport: Callable[[], Transport], given: str = QUERY) -> tuple[Ran, str]:
    wish = Wish(target=name, action="search", given=given)
    return live(lambda terminal: perform(terminal, wish, live=transport))


def forms(text: str) -> list[bytes]:
    """Return a text as it may hide: plain, hexadecimal, base64 at each of its three alignments."""
    data = text.encode()
    shifted = [base64.b64encode(b"x" * shift + data)[4:-4] for shift in range(3)]
    return [data, data[::-1], data.hex().encode(), *shifted]


def files(folder: Path) -> dict[str, bytes]:
    return {
        path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()
    }


def assert_sealed(folder: Path, *texts: str) -> None:
    """The canary stands nowhere on the disk, and in nothing that was printed or raised."""
    for form in forms(CANARY):
        for name, data in files(folder).items():
            assert form not in data, name
        for text in texts:
            assert form not in text.encode()


def tried_input(name: str) -> str:
    """Return what a test of a connection asks."""
    tried = builtin_registry().newest[name].extension.probe
    assert tried is not None
    return json.dumps(tried.value)


# -- the whole way, as a new user goes it


@pytest.mark.parametrize("name", KEYED)
def test_an_engine_with_a_key_is_set_tried_called_and_removed(
    name: str, config: Path, tmp_path: Path
) -> None:
    """S057, S060, S061, S062, S064, S065, done-when 1: only the origin is the test's own."""
    set_key(name)
    row = files(config / "connections")[f"{name}.json"]
    assert json.loads(row)["credentials"].keys() == {"apiKey"}
    if os.name != "nt":
        for path in config.rglob("*"):
            assert stat.S_IMODE(path.stat().st_mode) == (0o700 if path.is_dir() else 0o600), path

    with serving(keyed(name, CANARY), ORIGINS[name]) as engine:
        tried, tried_reach = probe(name, engine.transport)
        called, called_reach = call(name, engine.transport)
        again, _ = call(name, engine.transport, tried_input(name))
    assert tried == Ran(code=0, out=f"The connection {name} works.\n", err=f"Contacting {ORIGINS[name]}\n")
    assert called.code == again.code == 0
    assert json.loads(called.out)["data"] == {
        "results": [{"url": RESULT["url"], "title": RESULT["title"], "snippet": RESULT["text"]}]
    }
    assert [KEY_OF[name](asked) for asked in engine.asked] == [CANARY] * 3
    assert engine.asked[0] == engine.asked[2], "a test is the call of an invocation, byte for byte"

    shown = extpkg("connection", "show", name, "--json")
    assert json.loads(shown.out) == {
        "extension": name,
        "active": True,
        "config": {},
        "credentials": {"apiKey": {"configured": True}},
        "problem": None,
    }
    listed = extpkg("connection", "list", "--json")
    assert json.loads(listed.out) == [json.loads(shown.out)]
    removed = extpkg("connection", "remove", name)
    assert (removed.code, removed.out) == (0, f"The connection {name} is removed.\n")
    assert set(files(config)) == {"connections/.lock", "master.key"}
    refused, _ = call(name, engine.transport)
    assert refused.code == 69
    assert json.loads(refused.out)["error"]["code"] == "provider_auth_unavailable"
    assert_sealed(
        tmp_path, *(each.out + each.err for each in (tried, called, shown, listed, removed, refused)),
        tried_reach, called_reach,
    )  # fmt: skip


@pytest.mark.skipif(not SCRIPT.exists(), reason="the command is not installed")
def test_searxng_is_set_tried_called_and_removed_by_processes(config: Path, tmp_path: Path) -> None:
    """S056, S070, S078: nothing is the test's own, not even the transport."""
    with serving(searxng()) as engine:
        base = f"http://127.0.0.1:{engine.port}/"
        set_it = script(
            "connection", "set", "searxng", "--config", f"baseUrl={base}", "--config", "language=de"
        )
        assert (set_it.returncode, set_it.stderr) == (0, b"")
        tried = script("connection", "test", "searxng", "--json")
        called = script("invoke", "searxng", "search", QUERY)
    assert json.loads(tried.stdout) == {"extension": "searxng", "ok": True}
    assert tried.stderr == called.stderr == b"Contacting 127.0.0.1\n"
    assert json.loads(called.stdout)["data"]["results"][0]["url"] == RESULT["url"]
    assert [asked.target for asked in engine.asked] == [
        "/search?q=test&format=json&language=de",
        "/search?q=what%20is%20it&format=json&language=de",
    ]
    assert "master.key" not in files(config), "there is nothing to seal"
    assert json.loads(files(config)["connections/searxng.json"])["config"] == {
        "baseUrl": base,
        "language": "de",
    }
    assert script("connection", "set", "searxng", "--config", "language=").returncode == 0
    shown = script("connection", "show", "searxng")
    assert shown.stdout.decode() == f"searxng\n  state    active\n  baseUrl  {base}\n"
    assert script("connection", "remove", "searxng").returncode == 0
    after = script("connection", "test", "searxng")
    assert (after.returncode, json.loads(after.stdout)["error"]["code"]) == (1, "provider_auth_unavailable")
    assert set(files(tmp_path)) == {"config/connections/.lock"}


@pytest.mark.skipif(not SCRIPT.exists(), reason="the command is not installed")
@pytest.mark.parametrize("source", ["file", "-"])
def test_a_credential_comes_from_a_file_or_standard_input(source: str, tmp_path: Path) -> None:
    """No process that runs has the credential among its arguments or in its environment."""
    key = tmp_path / "key"
    key.write_text(f"{CANARY}\n")
    key.chmod(0o600)
    given = f"apiKey=file:{key}" if source == "file" else "apiKey=-"
    with key.open("rb") as stdin:
        ran = script("connection", "set", "tavily", "--credential", given, stdin=stdin, env={"A_KEY": ""})
    key.unlink()
    assert (ran.returncode, ran.stderr) == (0, b"")
    assert_sealed(tmp_path, ran.stdout.decode())
    with serving(keyed("tavily", CANARY), ORIGINS["tavily"]) as engine:
        assert probe("tavily", engine.transport)[0].code == 0
    key.write_text(CANARY)
    key.chmod(0o644)
    refused = script("connection", "set", "tavily", "--credential", f"apiKey=file:{key}")
    assert refused.returncode == 2
    assert f"chmod 600 {key}" in refused.stderr.decode()


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_a_process_that_waits_for_a_credential_shows_none(config: Path) -> None:
    """S062: neither its arguments nor its environment."""
    command = [str(SCRIPT), "connection", "set", "brave", "--credential", "apiKey=-"]
    environment = {name: value for name, value in os.environ.items() if name != "A_KEY"}
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment
    ) as process:
        assert process.stdin
        process.stdin.write(CANARY.encode())
        process.stdin.flush()
        for name in ("cmdline", "environ"):
            with open(f"/proc/{process.pid}/{name}", "rb") as file:  # noqa: PTH123
                assert CANARY.encode() not in file.read()
        out, err = process.communicate(timeout=60)
    assert process.returncode == 0
    assert_sealed(config, out.decode(), err.decode())


@pytest.mark.skipif(sys.platform != "linux" or not SCRIPT.exists(), reason="asks at a terminal")
def test_a_terminal_shows_nothing_of_what_is_typed(config: Path) -> None:
    spawn = "import pty, sys; sys.exit(pty.spawn(sys.argv[1:]) >> 8)"
    command = [
        sys.executable,
        "-c",
        spawn,
        str(SCRIPT),
        *["connection", "set", "brave", "--credential", "apiKey=-"],
    ]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdin
        assert process.stdout
        seen = b""
        while b"(not shown): " not in seen:
            seen += os.read(process.stdout.fileno(), 4096)
        process.stdin.write(f"{CANARY}\n".encode())
        process.stdin.flush()
        while more := os.read(process.stdout.fileno(), 4096):
            seen += more
    assert process.returncode == 0
    assert seen.startswith(b"apiKey (not shown): ")
    assert b"The connection brave is set." in seen
    assert_sealed(config, seen.decode())


# -- what fails, and what is said of it


@pytest.mark.parametrize("name", KEYED)
def test_a_refused_key_is_told_with_a_hint(name: str, tmp_path: Path) -> None:
    """S065, S085: the engine tells the key in its answer, and nothing of it arrives."""
    set_key(name)
    with serving(keyed(name, "another"), ORIGINS[name]) as engine:
        ran, reach = probe(name, engine.transport)
    assert ran.code == 1
    error = json.loads(ran.out)["error"]
    hint = "The provider does not accept the API key, or not for this interface."
    assert error["code"] == "provider_auth_unavailable"
    assert error["details"] == {"reason": "credential_refused", "hint": hint}
    assert ran.err.endswith(f"\nHint: {hint}\n")
    assert_sealed(tmp_path, ran.out, ran.err, reach)


ANSWERS: dict[str, tuple[Callable[..., Answer], str, str, str]] = {
    "JSON is not allowed": (searxng(formats=("html",)), "upstream_failure", "forbidden", "search.formats"),
    "a login page": (lambda _: Answer(body=b"<html>"), "upstream_failure", "answer_malformed", "no SearXNG"),
    "moved": (
        lambda _: Answer(status=301, headers={"Location": "https://x.example/"}),
        "upstream_failure",
        "redirected",
        "redirects",
    ),
    "no engine answers": (
        searxng(body={"results": [], "unresponsive_engines": [["x", "canary"]]}),
        "upstream_failure",
        "engines_unresponsive",
        "every engine",
    ),
    "too large": (
        lambda _: Answer(body=b" " * ((1 << 20) + 1)),
        "upstream_failure",
        "body_too_large",
        "",
    ),
    "asked too often": (lambda _: Answer(status=429), "rate_limited", "", ""),
}


@pytest.mark.parametrize(("answer", "code", "reason", "hint"), ANSWERS.values(), ids=ANSWERS)
def test_what_is_wrong_with_an_instance_is_told(
    answer: Callable[..., Answer], code: str, reason: str, hint: str
) -> None:
    with serving(answer) as engine:
        extpkg("connection", "set", "searxng", "--config", f"baseUrl=http://127.0.0.1:{engine.port}")
        ran = extpkg("connection", "test", "searxng")
    assert ran.code == 1
    error = json.loads(ran.out)["error"]
    assert error["code"] == code
    details = error.get("details", {})
    assert details.get("reason", "") == reason
    assert hint in details.get("hint", "")
    assert bool(hint) == ("Hint: " in ran.err)
    assert "canary" not in ran.out + ran.err


def never() -> Transport:
    """Return a network over which nothing may go."""

    def fail(_: httpx.Request) -> httpx.Response:
        raise AssertionError("contacted")

    return httpx.MockTransport(fail)


def test_without_a_connection_nothing_is_contacted() -> None:
    ran, _ = probe("brave", never)
    assert ran.code == 1
    assert json.loads(ran.out)["error"] == {
        "code": "provider_auth_unavailable",
        "message": "there is no connection brave; make it with: extpkg connection set brave",
        "details": {"reason": "connection_missing"},
    }


def test_a_fault_of_the_toolkit_is_internal(monkeypatch: pytest.MonkeyPatch) -> None:
    """An answer of the executor's that cannot be sent; a Builtin that says nothing of how it is tried."""
    set_key("brave")
    builtin = builtin_registry().newest["brave"]

    async def broken(_: Any) -> Any:
        raise ValueError("canary")

    def instead(**changes: Any) -> None:
        from dataclasses import replace

        changed = replace(builtin, extension=replace(builtin.extension, **changes))
        monkeypatch.setattr(commands, "_builtins", lambda: {"brave": changed})

    instead(execute=broken)
    ran = extpkg("connection", "test", "brave")
    assert (ran.code, json.loads(ran.out)["error"]["code"]) == (70, "internal")
    assert "canary" not in ran.out + ran.err
    instead(probe=None)
    assert extpkg("connection", "test", "brave").code == 1


MISTAKES = [
    ("set", "brave", CANARY),
    ("set", "brave", "--credential", CANARY),
    ("set", "brave", "--credential", f"apiKey={CANARY}"),
    ("set", "brave", "--credential", f"{CANARY}=-"),
    ("set", "brave", "--credential", f"apiKey=env:{CANARY}"),
    ("set", "brave", "--credential", f"apiKey=file:{CANARY}"),
    ("set", "brave", "--config", CANARY),
    ("set", "brave", "--config", f"apiKey={CANARY}"),
    ("set", "brave", "--config", f"{CANARY}=x"),
    ("set", "searxng", "--config", f"baseUrl={CANARY}"),
    ("set", "searxng", "--config", f"baseUrl=http://me:{CANARY}@127.0.0.1"),
    ("set", "searxng", "--config", f"baseUrl=http://127.0.0.1?key={CANARY}"),
    ("set", "searxng", "--credential", f"apiKey={CANARY}"),
    ("set", CANARY),
    ("show", CANARY),
    ("test", CANARY),
    ("remove", CANARY),
]


@pytest.mark.parametrize("arguments", MISTAKES, ids=" ".join)
def test_a_credential_given_by_mistake_is_not_repeated(arguments: tuple[str, ...], tmp_path: Path) -> None:
    ran = extpkg("connection", *arguments)
    assert ran.code in {1, 2}
    assert_sealed(tmp_path, ran.out, ran.err)
    assert "connections/brave.json" not in str(files(tmp_path))


USAGE = {
    ("set", "brave", "more"): (2, "an argument too many"),
    ("set", "brave", "--config", "x"): (2, "--config must be KEY=VALUE, KEY one of the members"),
    ("set", "brave", "--config", "apiKey=x"): (
        2,
        "apiKey is a credential; give it with --credential apiKey=",
    ),
    ("set", "searxng", "--config", "language=de", "--config", "language=en"): (2, "--config is given twice"),
    ("set", "searxng"): (1, "Usage: extpkg connection set searxng --config baseUrl=VALUE"),
    ("set", "brave"): (1, "Usage: extpkg connection set brave --credential apiKey=env:NAME|file:PATH|-"),
    ("set", "searxng", "--config", "baseUrl=x"): (1, "validation: /config/baseUrl must start with http"),
    ("set", "searxng", "--config", "baseUrl=http://169.254.169.254"): (1, "must not lead to an address"),
    ("set", "arxiv"): (1, "no Builtin with a connection; those are: brave, searxng, serper, tavily"),
    ("show", "brave"): (1, "not_found: brave has no connection; make it: extpkg connection set brave"),
    ("show", "arxiv"): (1, "no Builtin with a connection"),
    ("remove", "brave"): (1, "not_found: brave has no connection"),
    ("rotate",): (1, "there is no master key yet"),
    ("list", "x"): (2, "unexpected extra argument"),
    ("nothing",): (2, "No such command"),
    (): (2, "a command is missing"),
}


@pytest.mark.parametrize(("arguments", "told"), USAGE.items(), ids=lambda value: " ".join(map(str, value)))
def test_what_is_asked_wrongly_is_told(arguments: tuple[str, ...], told: tuple[int, str]) -> None:
    ran = extpkg("connection", *arguments)
    assert (ran.code, ran.out) == (told[0], "")
    assert told[1] in ran.err


def test_an_empty_credential_changes_nothing(monkeypatch: pytest.MonkeyPatch, config: Path) -> None:
    """S058, S059."""
    set_key("brave")
    before = files(config)
    monkeypatch.setenv("EMPTY", "  ")
    ran = extpkg("connection", "set", "brave", "--credential", "apiKey=env:EMPTY")
    assert (ran.code, ran.err) == (1, "Error: validation: the credential apiKey is empty\n")
    assert files(config) == before


@pytest.mark.parametrize("command", ["show", "remove", "test"])
def test_with_json_an_error_is_json(command: str) -> None:
    ran = extpkg("connection", command, "brave", "--json")
    assert ran.code == 1
    assert set(json.loads(ran.out)) == {"error"}


@pytest.mark.skipif(os.name == "nt", reason="no permissions to judge")
def test_a_list_that_cannot_be_made_is_an_error_in_json_too(config: Path) -> None:
    set_key("brave")
    (config / "connections").chmod(0o755)
    ran = extpkg("connection", "list", "--json")
    error = json.loads(ran.out)["error"]
    assert (ran.code, error["code"]) == (1, "provider_auth_unavailable")
    assert error["details"] == {"reason": "connection_unsafe"}
    plain = extpkg("connection", "list")
    assert (plain.code, plain.out) == (1, "")
    assert "chmod 700" in plain.err


# -- what is shown


def test_connections_are_listed_with_what_is_wrong(config: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert extpkg("connection", "list").out == (
        "No connection is set. Make one with: extpkg connection set NAME\n"
    )
    assert json.loads(extpkg("connection", "list", "--json").out) == []
    set_key("brave")
    extpkg("connection", "set", "searxng", "--config", "baseUrl=http://10.0.0.5:8080")
    shutil.copy(config / "connections/searxng.json", config / "connections/old.json")
    (config / "connections/tavily.json").write_text("{}")
    (config / "connections/tavily.json").chmod(0o644)
    ran = extpkg("connection", "list")
    path = config / "connections"
    assert ran.code == 0
    assert extpkg("connection", "show", "brave").out == "brave\n  state   active\n  apiKey  configured\n"
    assert ran.out.splitlines() == [
        "name     state       configuration                 credentials",
        "brave    active      -                             apiKey configured",
        "old      not usable  -                             -",
        "searxng  not usable  baseUrl=http://10.0.0.5:8080  -",
        "tavily   not usable  -                             apiKey not configured",
        "old: the file of old is another connection's; run: extpkg connection remove old, then set it again",
        f"searxng: {path}/old.json claims to be the connection searxng too; remove it",
        f"tavily: {path}/tavily.json is open to others; run: chmod 600 {path}/tavily.json",
    ]
    assert extpkg("connection", "remove", "old").code == 0
    unsafe = extpkg("connection", "set", "tavily", "--credential", "apiKey=env:A_KEY")
    fix = f"{path}/tavily.json is open to others; run: chmod 600 {path}/tavily.json"
    assert (unsafe.code, unsafe.err) == (1, f"Error: provider_auth_unavailable: {fix}\n")
    monkeypatch.setenv("EXTPKG_MASTER_KEY", "0" * 64)
    shown = extpkg("connection", "show", "brave")
    assert shown.code == 0
    assert "state   not usable" in shown.out
    assert "which is not the one at hand" in shown.out
    row = json.loads(extpkg("connection", "show", "brave", "--json").out)
    assert row["problem"]["details"] == {"reason": "master_key_unknown"}
    assert (row["active"], row["credentials"]) == (False, {"apiKey": {"configured": True}})


def test_a_file_that_was_written_by_hand_is_shown_as_what_it_is(config: Path) -> None:
    """What a call would refuse is not called active."""
    extpkg("connection", "set", "searxng", "--config", "baseUrl=http://10.0.0.5:8080")
    path = config / "connections/searxng.json"
    path.write_text(path.read_text().replace("10.0.0.5", "me:canary@10.0.0.5"))
    row = json.loads(extpkg("connection", "show", "searxng", "--json").out)
    assert row["active"] is False
    assert row["problem"]["details"] == {"reason": "connection_invalid"}
    listed = extpkg("connection", "list").out.splitlines()
    assert "not usable" in listed[1]
    assert listed[2] == (
        "searxng: the file of searxng does not suit the Extension: /config/baseUrl must have no user name "
        "and no password; run: extpkg connection remove searxng, then set it again"
    )
    refused, _ = call("searxng", never)
    assert json.loads(refused.out)["error"]["details"] == {"reason": "connection_invalid"}


def test_a_connection_of_no_builtin_is_shown_and_removed(monkeypatch: pytest.MonkeyPatch) -> None:
    set_key("brave")
    monkeypatch.setattr(commands, "_builtins", dict)
    row = json.loads(extpkg("connection", "show", "brave", "--json").out)
    assert (row["active"], row["credentials"]) == (False, {"apiKey": {"configured": True}})
    assert extpkg("connection", "remove", "brave").code == 0


def test_an_invocation_of_a_broken_connection_is_refused(config: Path) -> None:
    """S049, S085: before anything is contacted."""
    set_key("brave")

    shutil.copy(config / "connections/brave.json", config / "connections/brave 2.json")
    several, _ = call("brave", never)
    assert (several.code, json.loads(several.out)["error"]["code"]) == (73, "conflict")
    (config / "connections/brave 2.json").unlink()
    (config / "master.key").unlink()
    missing, _ = call("brave", never)
    assert (missing.code, json.loads(missing.out)["error"]["details"]) == (
        69,
        {"reason": "master_key_missing"},
    )


# -- the master key


def test_a_key_is_rotated(config: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in KEYED:
        set_key(name)
    ran = extpkg("connection", "rotate")
    key = json.loads((config / "connections/brave.json").read_bytes())["key"]
    assert (ran.code, ran.out, ran.err) == (0, f"3 connections sealed anew under the key {key}.\n", "")
    (config / "connections/serper.json").chmod(0o640)
    left = extpkg("connection", "rotate")
    assert left.code == 1
    assert "serper: " in left.err
    assert "the old key is kept" in left.err
    (config / "connections/serper.json").chmod(0o600)
    assert extpkg("connection", "rotate").out.startswith("1 connection sealed anew")
    with serving(keyed("serper", CANARY), ORIGINS["serper"]) as engine:
        assert probe("serper", engine.transport)[0].code == 0

    old = (config / "master.key").read_text().strip()
    monkeypatch.setenv("EXTPKG_MASTER_KEY", old)
    refused = extpkg("connection", "rotate")
    assert refused.code == 1
    assert "put a new key before the old one in EXTPKG_MASTER_KEY" in refused.err
    monkeypatch.setenv("EXTPKG_MASTER_KEY", f"{'ab' * 32} {old}")
    done = extpkg("connection", "rotate")
    assert done.code == 0
    assert done.out.endswith("Every key after the first can be taken out of EXTPKG_MASTER_KEY.\n")
    monkeypatch.setenv("EXTPKG_MASTER_KEY", "ab" * 32)
    assert json.loads(extpkg("connection", "show", "brave", "--json").out)["active"]


# -- the system


@pytest.mark.parametrize(("number", "code"), [(errno.ENOSPC, 74), (errno.EACCES, 1), (errno.EROFS, 1)])
def test_what_cannot_be_written_is_told(
    number: int, code: int, monkeypatch: pytest.MonkeyPatch, config: Path
) -> None:
    set_key("brave")
    before = files(config)

    def unable(*_: Any, **__: Any) -> None:
        raise OSError(number, os.strerror(number), "some/path")

    monkeypatch.setattr(os, "replace", unable)
    monkeypatch.setenv("A_KEY", "another")
    ran = extpkg("connection", "set", "brave", "--credential", "apiKey=env:A_KEY")
    assert ran.code == code
    assert os.strerror(number).lower() in ran.err
    assert files(config) == before


def test_names_are_completed() -> None:
    command = tree.get_command(click.Context(tree), "connection")
    assert isinstance(command, click.Group)
    shown = command.commands["show"]
    (argument, *_) = shown.params
    items = argument.shell_complete(click.Context(shown), "s")
    assert [item.value for item in items] == ["searxng", "serper"]


@pytest.mark.parametrize("command", ["", "set", "list", "show", "test", "remove", "rotate"])
def test_help_has_exit_codes(command: str) -> None:
    ran = CliRunner().invoke(tree, ["connection", *command.split(), "--help"])
    assert ran.exit_code == 0
    assert "Exit codes: 0 done; 1 failed or refused" in ran.output


# -- the page

PAGE = ROOT / "docs/connections.md"


@pytest.mark.skipif(sys.platform != "linux" or not SCRIPT.exists(), reason="the page shows a Linux shell")
def test_every_output_in_the_page_is_real() -> None:
    text = PAGE.read_text(encoding="utf-8")
    assert text.count("\n$ extpkg ") >= 10
    assert filled(text) == text, (
        "write the outputs anew: PYTHONPATH=tests python tests/console_page.py docs/connections.md"
    )


def test_the_file_in_the_page_opens(config: Path) -> None:
    """By the key that the page names, and by a second implementation."""
    text = PAGE.read_text(encoding="utf-8")
    (block,) = re.findall(r"```json\n(\{\n  \"config\".*?)```", text, re.DOTALL)
    (associated,) = re.findall(r'^`(\{"config":\{\}.*)`\.$', text, re.MULTILINE)
    key = bytes(range(32))
    row = json.loads(block)["credentials"]["apiKey"]
    nonce, sealed = base64.b64decode(row["nonce"]), base64.b64decode(row["sealed"])
    assert AESGCM(key).decrypt(nonce, sealed, associated.encode()) == b"sk-0123456789"
    folder = config / "connections"
    folder.mkdir(0o700, parents=True)
    config.chmod(0o700)
    (folder / "brave.json").write_text(block)
    (folder / "brave.json").chmod(0o600)
    secret = open_store(config, key.hex()).load("brave")
    assert secret
    assert secret.credentials["apiKey"].reveal() == "sk-0123456789"  # type: ignore[union-attr]


def test_the_page_names_every_reason() -> None:
    text = PAGE.read_text(encoding="utf-8")
    assert set(get_args(Reason)) <= set(re.findall(r"`([a-z_]+)`", text))
    assert {SEVERAL, LOCKED} <= set(re.findall(r"`([a-z_]+)`", text))
