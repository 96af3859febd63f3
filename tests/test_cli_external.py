"""External packages on the command line: where a credential is read, what is allowed, what is recorded."""

from __future__ import annotations

import io
import json
import shutil
from typing import TYPE_CHECKING, Any

import httpx
import pytest
from console import extpkg
from corpus import ROOT

from extpkg.cli.invoke import Wish, perform
from extpkg.cli.main import verdict
from extpkg.cli.terminal import Terminal
from extpkg.cli.test import Recording, record_case

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

CANARY = "canary5f2a91"
GITHUB = ROOT / "golden/valid/github"
KEYS = ROOT / "golden/valid/api-keys"
ISSUE = '{"owner": "octo", "repo": "demo", "number": 5}'
NEW = '{"owner": "octo", "repo": "demo", "title": "Hi"}'
JSON = {"content-type": "application/json"}


class Called:
    """One call of a door over a transport of the test's own: how it ended, what it printed, what arrived."""

    def __init__(
        self, door: Callable[..., int], *arguments: Any, answer: httpx.Response | None = None
    ) -> None:
        self.requests: list[httpx.Request] = []
        self.message = ""

        def handle(request: httpx.Request) -> httpx.Response:
            self.requests.append(request)
            return answer or httpx.Response(404)

        out, err = io.BytesIO(), io.BytesIO()
        terminal = Terminal(out=out, err=err)
        try:
            self.code = door(terminal, *arguments, live=lambda: httpx.MockTransport(handle))
        except Exception as error:  # noqa: BLE001 - as the entry does
            self.code, self.message = verdict(error)
        self.out, self.err = out.getvalue().decode(), err.getvalue().decode()

    @property
    def text(self) -> str:
        return self.out + self.err + self.message

    @property
    def error(self) -> Any:
        return json.loads(self.out)["error"]


def called(*, answer: httpx.Response | None = None, **wish: Any) -> Called:
    asked = {"target": str(GITHUB), "action": "get-issue", "given": ISSUE} | wish
    return Called(perform, Wish(**asked), answer=answer)


@pytest.fixture
def token(monkeypatch: pytest.MonkeyPatch) -> tuple[str, ...]:
    monkeypatch.setenv("EXTPKG_TEST_TOKEN", CANARY)
    return ("default=env:EXTPKG_TEST_TOKEN",)


def test_a_credential_out_of_the_environment(token: tuple[str, ...]) -> None:
    ran = called(credentials=token, answer=httpx.Response(200, json={"id": 1}, headers=JSON))
    assert (ran.code, json.loads(ran.out)["data"]) == (0, {"id": 1})
    assert ran.requests[0].headers["authorization"] == f"Bearer {CANARY}"
    assert ran.err == "Contacting api.github.com\n"


def test_a_credential_out_of_a_file(tmp_path: Path) -> None:
    file = tmp_path / "token"
    file.write_text(f"{CANARY}\n")
    file.chmod(0o600)
    ran = called(credentials=(f"default=file:{file}",))
    assert ran.requests[0].headers["authorization"] == f"Bearer {CANARY}"
    file.chmod(0o640)
    ran = called(credentials=(f"default=file:{file}",))
    assert (ran.code, ran.requests) == (69, [])
    assert f"chmod 600 {file}" in ran.message
    assert CANARY not in ran.text


@pytest.mark.parametrize(
    ("source", "reason"),
    [
        ("env:EXTPKG_TEST_UNSET", "credential_missing"),
        ("env:EXTPKG_TEST_EMPTY", "credential_malformed"),
        ("env:EXTPKG_TEST_LINES", "credential_malformed"),
        ("env:EXTPKG_TEST_SPACE", "credential_malformed"),
        ("file:no-such-file", "credential_missing"),
        ("file:.", "credential_missing"),
    ],
)
def test_a_place_without_a_credential_fails_the_call(
    source: str, reason: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """R-ERR-2: an envelope, and before any socket; only an option that is written wrongly is usage."""
    monkeypatch.setenv("EXTPKG_TEST_EMPTY", "")
    monkeypatch.setenv("EXTPKG_TEST_LINES", f"{CANARY}\n{CANARY}")
    monkeypatch.setenv("EXTPKG_TEST_SPACE", f" {CANARY}")
    ran = called(credentials=(f"default={source}",))
    assert (ran.code, ran.requests) == (69, [])
    assert ran.error["code"] == "provider_auth_unavailable"
    assert ran.error["details"] == {"reason": reason}
    assert CANARY not in ran.text


@pytest.mark.parametrize(
    "given", [CANARY, f"default={CANARY}", f"default=Bearer {CANARY}", f"{CANARY}=env:HOME"]
)
def test_a_credential_is_never_an_argument(given: str) -> None:
    """And is not repeated where somebody tries."""
    ran = called(credentials=(given,))
    assert (ran.code, ran.requests) == (2, [])
    assert CANARY not in ran.text
    whole = extpkg("--debug", "invoke", GITHUB, "get-issue", ISSUE, "--credential", given)
    assert whole.code == 2
    assert CANARY not in whole.out + whole.err


def test_a_missing_credential_says_how_to_give_it() -> None:
    ran = called()
    assert (ran.code, ran.requests) == (69, [])
    assert ran.error["code"] == "provider_auth_unavailable"
    assert "--credential default=env:NAME" in ran.error["message"]
    assert ran.err == ""


def test_standard_input_gives_one_thing() -> None:
    for arguments in (
        ["invoke", GITHUB, "get-issue", "-", "--credential", "default=-"],
        ["test", GITHUB, "--record", "get-issue/x", "--input", "-", "--credential", "default=-"],
    ):
        ran = extpkg(*arguments)
        assert (ran.code, ran.out) == (2, "")
        assert "standard input gives the input or a credential, not both" in ran.err


def test_what_changes_something_is_allowed_or_refused(token: tuple[str, ...]) -> None:
    """R-ERR-3: 77, and it says what it would do."""
    wish: Any = {"action": "create-issue", "given": NEW, "credentials": token}
    ran = called(**wish)
    assert (ran.code, ran.requests) == (77, [])
    assert ran.error == {
        "code": "permission_denied",
        "message": "github create-issue is a mutation and would POST /repos/octo/demo/issues at "
        "api.github.com; nothing was sent; --allow mutation allows it (in Python allow='mutation')",
        "details": {
            "method": "POST",
            "host": "api.github.com",
            "path": "/repos/octo/demo/issues",
            "safety": "mutation",
        },
    }
    assert ran.err == ""
    assert called(**wish, allow="mutation").code == 66
    assert called(**wish, allow="destructive").code == 77


def test_data_of_another_shape_is_a_warning(token: tuple[str, ...]) -> None:
    """Upstreams drift: the data stands, standard error says so and repeats nothing of the upstream."""
    answer = httpx.Response(200, json=[CANARY], headers=JSON)
    ran = called(credentials=token, answer=answer)
    assert (ran.code, json.loads(ran.out)["data"]) == (0, [CANARY])
    assert "Warning: the data is not as output_schema says: /type\n" in ran.err
    assert CANARY not in ran.err


def test_a_builtin_takes_no_credential() -> None:
    ran = called(
        target="arxiv", action="get", given='{"id": "2103.01234"}', credentials=("default=env:HOME",)
    )
    assert (ran.code, ran.requests) == (2, [])


@pytest.fixture
def package(tmp_path: Path) -> Path:
    shutil.copytree(GITHUB, tmp_path / "github")
    return tmp_path / "github"


def recorded(package: Path, path: str, answer: httpx.Response, **wish: Any) -> Called:
    return Called(record_case, str(package), Recording(path=path, **({"given": ISSUE} | wish)), answer=answer)


def test_a_case_is_recorded_without_the_credential(package: Path, token: tuple[str, ...]) -> None:
    """R-FIX-3: nothing secret is written, not even where the answer repeats it."""
    body = {"id": 1, "echo": f"Bearer {CANARY}", "token": "x", "deep": [CANARY]}
    answer = httpx.Response(200, json=body, headers={**JSON, "set-cookie": CANARY})
    ran = recorded(package, "get-issue/open", answer, credentials=token)
    assert ran.code == 0, ran.message
    assert ran.requests[0].headers["authorization"] == f"Bearer {CANARY}"
    folder = package / "tests/get-issue/open"
    texts = {file.name: file.read_text() for file in folder.iterdir()}
    assert CANARY not in "".join(texts.values())
    assert "REDACTED" in texts["exchange.json"]
    assert json.loads(texts["exchange.json"])[0]["request"]["headers"] == [
        ["accept", "application/vnd.github+json"]
    ]
    tested = extpkg("test", package)
    assert (tested.code, tested.out) == (0, f"{package}: 1 of 1 case passed.\n")


@pytest.mark.parametrize(
    "given", [ISSUE.replace("demo", CANARY), '{"owner": "o", "repo": "canary%35f2a91", "number": 1}']
)
def test_a_credential_in_the_input_is_not_recorded(package: Path, token: tuple[str, ...], given: str) -> None:
    ran = recorded(package, "get-issue/open", httpx.Response(404), credentials=token, given=given)
    assert ran.code == 1
    assert "looks like a secret" in ran.message
    assert not (package / "tests").exists()


def test_recording_asks_for_leave_and_credential(package: Path, token: tuple[str, ...]) -> None:
    wish: Any = {"given": NEW, "answer": httpx.Response(410)}
    ran = recorded(package, "create-issue/off", **wish, credentials=token)
    assert (ran.code, ran.requests) == (1, [])
    assert "nothing was sent: github create-issue is a mutation" in ran.message
    ran = recorded(package, "create-issue/off", **wish, allow="mutation")
    assert (ran.code, ran.requests) == (1, [])
    assert "needs a credential" in ran.message
    assert recorded(package, "create-issue/off", **wish, allow="mutation", credentials=token).code == 0
    error = json.loads((package / "tests/create-issue/off/error.json").read_bytes())
    assert error == {"code": "not_found"}


def test_a_recorded_case_is_replayed(package: Path, token: tuple[str, ...]) -> None:
    """Without credential and leave: nothing is sent."""
    answer = httpx.Response(201, json={"id": 1}, headers=JSON)
    assert (
        recorded(package, "create-issue/new", answer, given=NEW, allow="mutation", credentials=token).code
        == 0
    )
    case = package / "tests/create-issue/new"
    ran = extpkg("invoke", package, "create-issue", NEW, "--replay", case)
    assert (ran.code, json.loads(ran.out)["data"], ran.err) == (0, {"id": 1}, "")
    other = NEW.replace("Hi", "Ho")
    ran = extpkg("invoke", package, "create-issue", other, "--replay", case)
    assert ran.code == 69
    assert json.loads(ran.out)["error"]["details"] == {"reason": "not_recorded"}


def test_an_output_of_another_shape_fails_a_test(package: Path, token: tuple[str, ...]) -> None:
    answer = httpx.Response(200, json=[1], headers=JSON)
    ran = recorded(package, "get-issue/list", answer, credentials=token)
    assert ran.code == 1
    assert "output_schema" in ran.message


def test_an_external_package_has_no_connection(package: Path, token: tuple[str, ...]) -> None:
    assert recorded(package, "get-issue/none", httpx.Response(404), credentials=token).code == 0
    (package / "tests/get-issue/none/connection.json").write_text('{"config": {}}')
    ran = extpkg("test", package)
    assert ran.code == 1
    assert "conflict" in ran.out


def test_coverage_counts_what_a_package_can_end_with(package: Path, token: tuple[str, ...]) -> None:
    answer = httpx.Response(200, json={"id": 1}, headers=JSON)
    assert recorded(package, "get-issue/open", answer, credentials=token).code == 0
    ran = extpkg("test", package, "--coverage", "--format", "json")
    rows = json.loads(ran.out)["packages"][0]["coverage"]["untried"]
    untried = {(row["action"], row["what"]) for row in rows}
    assert {what for action, what in untried if not action} == {
        f"error {code}"
        for code in (
            "validation", "provider_auth_unavailable", "permission_denied", "not_found", "conflict",
            "rate_limited", "upstream_failure",
        )
    }  # fmt: skip
    assert ("create-issue", "status 201") in untried
    assert ("get-issue", "status 200") not in untried
