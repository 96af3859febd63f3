"""`extpkg test`: cases replayed without a socket, differences that a person reads, coverage, recording."""

from __future__ import annotations

import io
import json
import shutil
import subprocess
import sys
from dataclasses import replace
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree as ET

import httpx
import pytest
from console import change, extpkg, github
from corpus import ROOT

from extpkg.cli.main import verdict
from extpkg.cli.render.cases import PackageCases, render_text
from extpkg.cli.terminal import Terminal
from extpkg.cli.test import Recording, record_case
from extpkg.exchange import Exchange, Request, Response
from extpkg.fixture.coverage import Coverage, Point
from extpkg.fixture.find import CaseFolder
from extpkg.fixture.record import Recorded, RecordingRefused, case_files, file_form, write_case
from extpkg.fixture.scrub import holds_secret, looks_secret, scrubbed, without_secrets
from extpkg.invocation import find_builtin
from extpkg.result import Result

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

PACKAGE = ROOT / "packages/arxiv"
GOLDEN = ROOT / "golden/invoke/arxiv"
FEED = (GOLDEN / "get/exact-version/feed.xml").read_bytes()
GET = '{"id": "2103.01234v2"}'


@pytest.fixture
def cases(tmp_path: Path) -> Path:
    """Two cases of arXiv, to be changed."""
    for case in ("get/exact-version", "get/status-429"):
        shutil.copytree(GOLDEN / case, tmp_path / "cases" / case)
    return tmp_path / "cases"


def run(cases: Path, *options: object) -> Any:
    return extpkg("test", PACKAGE, "--cases", cases, *options)


# -- what passes


def test_every_case_of_arxiv_passes_and_all_is_covered() -> None:
    ran = extpkg("test", PACKAGE, "--coverage", "--fail-under", "100")
    assert (ran.code, ran.err) == (0, "")
    count = len(list(GOLDEN.glob("*/*/input.json")))
    assert count >= 40
    assert ran.out.endswith(f"{PACKAGE}: {count} of {count} cases passed.\n")
    assert f"{PACKAGE}: 100 % covered, " in ran.out
    assert "untried" not in ran.out


def test_no_socket_is_opened() -> None:
    """R-FIX-3: a descriptor for the event loop's own wake-up is no socket that was opened to anywhere."""
    program = (
        "import socket, sys\n"
        "made = socket.socket.__init__\n"
        "def refuse(self, family=-1, type=-1, proto=-1, fileno=None):\n"
        "    if fileno is None: raise AssertionError('a socket')\n"
        "    made(self, family, type, proto, fileno)\n"
        "socket.socket.__init__ = refuse\n"
        "def heard(event, arguments):\n"
        "    if event in {'socket.connect', 'socket.getaddrinfo', 'socket.bind', 'socket.sendto'}:\n"
        "        raise AssertionError(event)\n"
        "sys.addaudithook(heard)\n"
        "from extpkg.cli.main import run\n"
        "sys.exit(run(['test', 'packages/arxiv', '--coverage']))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.endswith("cases passed.\n")


def test_the_package_s_own_cases_come_first(tmp_path: Path, cases: Path) -> None:
    package = tmp_path / "packages/arxiv"
    shutil.copytree(PACKAGE, package)
    assert extpkg("test", package).code == 1
    shutil.copytree(cases, tmp_path / "golden/invoke/arxiv")
    assert extpkg("test", package).out == f"{package}: 2 of 2 cases passed.\n"
    shutil.copytree(cases / "get/status-429", package / "tests/get/status-429")
    assert extpkg("test", package).out == f"{package}: 1 of 1 case passed.\n"
    assert extpkg("test", package, "--cases", cases).out == f"{package}: 2 of 2 cases passed.\n"


# -- what fails


def test_a_result_that_differs_is_shown(cases: Path) -> None:
    change(cases / "get/exact-version/output.json", "a field guide", "a f\u202eield guide")
    ran = run(cases)
    assert ran.code == 1
    assert ran.out.startswith("FAIL get/exact-version\n  the result is not the expected one\n")
    assert '    -  "title": "Counting papers: a f\\u202eield guide",\n' in ran.out
    assert '    +  "title": "Counting papers: a field guide",\n' in ran.out
    assert ran.out.endswith(f"{PACKAGE}: 1 of 2 cases passed.\n")


def test_a_request_that_differs_is_shown(cases: Path) -> None:
    change(cases / "get/exact-version/exchange.json", "v2&max_results=1", "v2&max_results=2")
    ran = run(cases)
    assert ran.code == 1
    assert "  request 1 is not the recorded one\n" in ran.out
    assert "    -  &max_results=2\n" in ran.out
    assert "    +  &max_results=1\n" in ran.out


def test_an_error_that_differs_is_shown(cases: Path) -> None:
    change(cases / "get/status-429/error.json", "rate_limited", "conflict")
    ran = run(cases)
    assert ran.code == 1
    assert '    -  "code": "conflict"\n' in ran.out
    assert '    +  "code": "rate_limited"\n' in ran.out


def test_an_exchange_left_over_fails(cases: Path) -> None:
    file = cases / "get/exact-version/exchange.json"
    file.write_text(json.dumps(json.loads(file.read_bytes()) * 2))
    ran = run(cases)
    assert ran.code == 1
    assert "  request 2 was not made\n" in ran.out


def test_a_case_that_cannot_be_read_and_what_is_none(cases: Path) -> None:
    (cases / "get/exact-version/input.json").write_text("{")
    (cases / "get/stray.txt").write_text("")
    (cases / "nope").mkdir()
    ran = run(cases)
    assert ran.code == 1
    assert "FAIL get/exact-version\n  get/exact-version/input.json:1:2: EXT" in ran.out
    assert 'FAIL get/stray.txt: EXT0901 "stray.txt" is no folder' in ran.out
    assert 'FAIL nope: EXT0901 "nope" is no action' in ran.out


def test_no_case_at_all_fails(tmp_path: Path) -> None:
    (tmp_path / "cases").mkdir()
    ran = run(tmp_path / "cases")
    assert ran.code == 1
    assert ran.out.startswith(f"FAIL {PACKAGE}: there is no case; ")


def test_packages_that_cannot_be_tested(tmp_path: Path) -> None:
    package = github(tmp_path / "github")
    ran = extpkg("test", package)
    assert ran.code == 1
    assert ran.out.startswith(f"FAIL {package}: there is no case; ")
    change(package / "meta.yaml", "domain: github", "domain: [")
    ran = extpkg("test", package)
    assert (ran.code, ran.out) == (1, "")
    assert "error[EXT" in ran.err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["@arxiv", "--fail-under", "1"], "--fail-under needs --coverage"),
        (["@arxiv", "--coverage", "--fail-under", "101"], "'--fail-under'"),
        (["@arxiv", "--coverage", "--fail-under", "nan"], "'--fail-under'"),
        (["@arxiv", "--input", "{}"], "--input, --force, --credential and --allow need --record"),
        (["@arxiv", "--force"], "--input, --force, --credential and --allow need --record"),
        (["@arxiv", ".", "--cases", "x"], "--cases takes one package"),
        (["@arxiv", "--cases", "/no/such"], "no such file"),
        (["@arxiv", "--record", "get/x", "--coverage"], "--record takes one package"),
        (["@arxiv", "--record", "nope/x"], "there is no action 'nope'; there are get, search"),
        (["@arxiv", "--record", "get/../x"], "is no name of a case"),
        (["@arxiv", "--record", "get"], "is no name of a case"),
        (["@nope"], "no Builtin has this name"),
        ([], "Missing argument"),
    ],
)
def test_wrong_usage(arguments: list[str], message: str) -> None:
    ran = extpkg("test", *arguments)
    assert (ran.code, ran.out) == (2, "")
    assert message in ran.err


# -- coverage


def test_what_no_case_tries_is_listed(cases: Path) -> None:
    ran = run(cases, "--coverage")
    assert ran.code == 0
    lines = [line.removeprefix("untried ") for line in ran.out.splitlines() if line.startswith("untried ")]
    assert "search: a case" in lines
    assert "search: /query is used" in lines
    assert "search: /offset is left out" in lines
    assert "search: /limit is at its maximum 20" in lines
    assert 'search: /sortBy is "relevance"' in lines
    assert "error not_found" in lines
    assert "error rate_limited" not in lines
    assert "get: a case" not in lines


def test_too_little_coverage_fails_where_it_is_asked_for(cases: Path) -> None:
    ran = run(cases, "--coverage", "--fail-under", "50")
    assert ran.code == 1
    assert "under the 50 % that are wanted\n" in ran.out
    assert run(cases, "--coverage", "--fail-under", "1").code == 0


def test_a_percentage_is_never_rounded_up() -> None:
    points = tuple(Point(action="a", what=str(n), tried=n > 0) for n in range(3000))
    text = render_text([PackageCases(root="x", coverage=Coverage(points=points), wanted=100.0)])
    assert "x: 99.9 % covered, 2999 of 3000.\n" in text
    assert "FAIL x: the coverage is 99.9 %" in text


# -- formats for machines


def test_json_has_every_key(cases: Path) -> None:
    change(cases / "get/exact-version/output.json", "a field guide", "another")
    (cases / "nope").mkdir()
    ran = run(cases, "--format", "json", "--coverage")
    assert ran.code == 1
    report = json.loads(ran.out)
    assert ran.out.isascii()
    assert report["schema"] == "extpkg.test/1"
    assert report["summary"] == {"packages": 1, "cases": 2, "passed": 1, "failed": 1, "status": "failed"}
    (package,) = report["packages"]
    failed, passed = package["cases"]
    assert failed["mismatches"][0]["title"] == "the result is not the expected one"
    assert any("another" in line for line in failed["mismatches"][0]["difference"])
    assert passed == {
        "action": "get",
        "case": "status-429",
        "status": "passed",
        "faults": [],
        "mismatches": [],
    }
    assert package["problems"] == ['nope: EXT0901 "nope" is no action; cases are in <action>/<case>/']
    assert {"action": "search", "what": "a case"} in package["coverage"]["untried"]
    assert json.loads(run(cases, "--format", "json").out)["packages"][0]["coverage"] is None


def test_junit_counts_what_fails(cases: Path) -> None:
    change(cases / "get/exact-version/output.json", "a field guide", "a &lt; ]]> \\u001b guide")
    (cases / "nope").mkdir()
    ran = run(cases, "--format", "junit", "--coverage", "--fail-under", "100")
    assert ran.code == 1
    root = ET.fromstring(ran.out)  # noqa: S314 - our own report
    (suite,) = root
    assert (root.get("tests"), root.get("failures")) == ("4", "3")
    assert (suite.get("tests"), suite.get("failures")) == ("4", "3")
    names = {case.get("name"): [each.tag for each in case] for case in suite}
    assert names == {
        "get/exact-version": ["failure"],
        "get/status-429": [],
        "nope": ["failure"],
        "coverage": ["failure"],
    }
    whole = ET.fromstring(extpkg("test", ROOT / "golden/valid/github", "--format", "junit").out)  # noqa: S314
    assert [case.get("name") for case in whole[0]] == ["package"]


# -- recording


class Recorder:
    def __init__(self, handler: Callable[[httpx.Request], Any], path: str, **wish: Any) -> None:
        out, err = io.BytesIO(), io.BytesIO()
        package = wish.pop("package", PACKAGE)
        asked = Recording(path=path, **({"given": GET} | wish))
        self.message = ""
        try:
            self.code = record_case(
                Terminal(out=out, err=err), str(package), asked, live=lambda: httpx.MockTransport(handler)
            )
        except Exception as error:  # noqa: BLE001 - as the entry does
            self.code, self.message = verdict(error)
        self.out, self.err = out.getvalue().decode(), err.getvalue().decode()


def answers(status: int, body: bytes = b"", **headers: str) -> Callable[[httpx.Request], httpx.Response]:
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return lambda _: httpx.Response(status, content=body, headers=named)


def test_a_recording_is_a_case_that_passes(tmp_path: Path) -> None:
    ran = Recorder(answers(200, FEED, content_type="application/atom+xml"), "get/new", cases=str(tmp_path))
    assert ran.code == 0, ran.message
    assert ran.err == "Contacting export.arxiv.org\n"
    folder = tmp_path / "get/new"
    assert ran.out == f"Recorded get/new: 1 exchange, a result. Look at {folder}\n"
    golden = GOLDEN / "get/exact-version"
    for name in ("input.json", "output.json"):
        assert (folder / name).read_bytes() == file_form(json.loads((golden / name).read_bytes()))
    assert (folder / "body-1.xml").read_bytes() == FEED
    assert [entry.name for entry in (tmp_path / "get").iterdir()] == ["new"]
    assert run(tmp_path).out == f"{PACKAGE}: 1 of 1 case passed.\n"


def test_files_have_one_form() -> None:
    for file in GOLDEN.rglob("*.json"):
        value = json.loads(file.read_bytes())
        assert json.loads(file_form(value)) == value, file
    assert file_form({"b": "ü\u202e😀\U000e0001", "a": []}) == (
        '{\n  "a": [],\n  "b": "ü\\u202e😀\\udb40\\udc01"\n}\n'.encode()
    )


CANARY = "canary-9f8e7d6c5b4a"


def test_secrets_are_out_before_anything_is_written(tmp_path: Path) -> None:
    """R-FIX-3: of the headers only what a case needs, in a body whatever looks like a secret."""
    link = f'<link href="http://u:{CANARY}@x.example/?api_key={CANARY}&amp;access_token={CANARY}"/>'
    body = FEED.replace(b"</feed>", f"<!-- Bearer {CANARY} -->{link}</feed>".encode())
    headers = {"set_cookie": CANARY, "x_id": CANARY, "content_type": f"text/xml; token={CANARY}"}
    ran = Recorder(answers(200, body, location=f"/{CANARY}", **headers), "get/new", cases=str(tmp_path))
    assert ran.code == 0, ran.message
    written = b"".join(file.read_bytes() for file in (tmp_path / "get/new").iterdir())
    assert b"canary" not in written
    assert written.count(b"REDACTED") == 4
    assert "canary" not in ran.out + ran.err
    assert run(tmp_path).code == 0


def test_the_body_of_an_error_stays_only_where_the_error_depends_on_it(tmp_path: Path) -> None:
    ran = Recorder(answers(503, CANARY.encode()), "get/down", cases=str(tmp_path))
    assert ran.out.startswith("Recorded get/down: 1 exchange, error upstream_failure.")
    assert b"canary" not in (tmp_path / "get/down/exchange.json").read_bytes()
    assert Recorder(answers(200, b"Rate exceeded."), "get/slow", cases=str(tmp_path)).code == 0
    assert b'"body": "Rate exceeded."' in (tmp_path / "get/slow/exchange.json").read_bytes()
    assert Recorder(answers(200, b"\xff"), "get/broken", cases=str(tmp_path)).code == 0
    assert run(tmp_path).out == f"{PACKAGE}: 3 of 3 cases passed.\n"


def test_an_input_that_is_refused_is_recorded_without_an_exchange(tmp_path: Path) -> None:
    ran = Recorder(answers(200), "get/bad", given='{"id": "x"}', cases=str(tmp_path))
    assert ran.out.startswith("Recorded get/bad: 0 exchanges, error validation.")
    assert ran.err == ""
    assert (tmp_path / "get/bad/exchange.json").read_bytes() == b"[]\n"


def test_recording_over_a_case_needs_force(cases: Path) -> None:
    asked: list[int] = []

    def handler(_: httpx.Request) -> httpx.Response:
        asked.append(1)
        return httpx.Response(200, content=FEED)

    ran = Recorder(handler, "get/status-429", cases=str(cases))
    assert (ran.code, asked) == (1, [])
    assert "exists already; --force records over it" in ran.message
    assert Recorder(handler, "get/status-429", cases=str(cases), force=True).code == 0
    assert sorted(entry.name for entry in (cases / "get/status-429").iterdir()) == [
        "body-1.bin",
        "exchange.json",
        "input.json",
        "output.json",
    ]
    assert sorted(entry.name for entry in (cases / "get").iterdir()) == ["exact-version", "status-429"]


def test_force_goes_over_no_link_and_no_file(cases: Path) -> None:
    (cases / "get/link").symlink_to(cases / "get/status-429")
    (cases / "get/file").write_text("mine")
    for name in ("link", "file"):
        ran = Recorder(answers(200, FEED), f"get/{name}", cases=str(cases), force=True)
        assert ran.code == 1
    assert (cases / "get/link").is_symlink()
    assert (cases / "get/file").read_text() == "mine"


def refused(_: httpx.Request) -> httpx.Response:
    raise httpx.ConnectError(CANARY)


@pytest.mark.parametrize(
    ("handler", "given", "message"),
    [
        (refused, GET, "there is no answer to record: upstream_failure"),
        (answers(200, FEED), '{"id": "x", "token": "abcdefgh"}', "the input holds what looks like a secret"),
        (answers(200, FEED), '{"id": "api_key=abcdefgh"}', "the input holds what looks like a secret"),
        (answers(200, FEED), "{", "the input cannot be read as JSON: line 1, column 2"),
        (answers(200, b"x" * (3 << 20)), GET, "there is no answer to record: upstream_failure"),
    ],
)
def test_what_cannot_be_recorded_leaves_nothing(
    tmp_path: Path, handler: Any, given: str, message: str
) -> None:
    ran = Recorder(handler, "get/new", given=given, cases=str(tmp_path))
    assert ran.code == 1
    assert message in ran.message
    assert CANARY not in ran.message
    assert not list(tmp_path.iterdir())


def test_a_call_that_cannot_be_replayed_is_not_recorded(tmp_path: Path) -> None:
    """An interim status is no answer on the wire; a transport that makes it one is not recorded."""
    ran = Recorder(answers(199), "get/new", cases=str(tmp_path))
    assert ran.code == 1
    assert ran.message.startswith("the call cannot be replayed: ")
    assert not list(tmp_path.iterdir())


def outcome(data: Any) -> Recorded:
    return Recorded(input={"id": "x"}, exchanges=(), outcome=Result(domain="arxiv", action="get", data=data))


def test_a_case_that_fails_its_replay_is_not_written(cases: Path) -> None:
    folder = CaseFolder(action="get", name="status-429", path=cases / "get/status-429")
    before = (folder.path / "exchange.json").read_bytes()
    with pytest.raises(RecordingRefused, match="cannot be replayed: the call failed: validation"):
        write_case(folder, outcome({}), find_builtin("arxiv"))
    assert (folder.path / "exchange.json").read_bytes() == before
    assert sorted(entry.name for entry in (cases / "get").iterdir()) == ["exact-version", "status-429"]


def test_requests_with_bodies_and_answers_of_every_kind_have_files() -> None:
    made = Request(method="POST", url="https://x.example/", headers=(("content-type", "a/json"),), body=b"{}")
    bodies = {
        "application/vnd.x+json": b"{" * 201,
        "text/plain; charset=x": b"\xff",
        "": b"\xfe",
        "a/b": b"short",
    }
    answered = [Response(status=200, headers=(("content-type", k),), body=v) for k, v in bodies.items()]
    exchanges = tuple(Exchange(request=made, response=each) for each in answered)
    files = case_files(replace(outcome([]), exchanges=exchanges))
    assert sorted(files) == [
        "body-1.json",
        "body-2.txt",
        "body-3.bin",
        "exchange.json",
        "input.json",
        "output.json",
    ]
    rows = json.loads(files["exchange.json"])
    assert {row["request"]["body"] for row in rows} == {"{}"}
    assert [row["response"].get("body") for row in rows] == [None, None, None, "short"]


def test_a_request_that_holds_a_secret_is_not_recorded() -> None:
    asked = Request(method="GET", url="https://x.example/?api%5Fkey=abcdefgh")
    assert holds_secret(asked)
    assert not holds_secret(replace(asked, url="https://x.example/?q=api+key"))
    assert holds_secret(replace(asked, url="https://x.example/", headers=(("x-api-key", "abcdefgh"),)))
    assert holds_secret(replace(asked, url="https://x.example/", body=b'{"password": "abcdefgh"}'))


def test_a_package_is_recorded_into_its_own_tests(tmp_path: Path) -> None:
    package = tmp_path / "arxiv"
    shutil.copytree(PACKAGE, package)
    assert Recorder(answers(404), "get/new", package=package).code == 0
    assert (package / "tests/get/new/error.json").exists()
    assert extpkg("test", package).code == 0
    assert extpkg("validate", package).code == 0
    ran = Recorder(answers(404), "get/new", package="@arxiv")
    assert (ran.code, ran.message) == (1, "@arxiv is installed and is not changed; --cases names a folder")


def test_a_folder_that_cannot_be_written_is_refused(tmp_path: Path) -> None:
    (tmp_path / "get").write_text("")
    ran = Recorder(answers(404), "get/new", cases=str(tmp_path))
    assert ran.code == 1
    assert ran.message.startswith(f"cannot write '{tmp_path}/get/new': ")


@pytest.mark.parametrize(
    "text",
    [
        '{"access_token": "%s"}',
        "{'password':'%s'}",
        "https://x.example/?a=1&api_key=%s",
        "https://user:%s@x.example/",
        "Authorization: Bearer %s",
        "authorization: basic %s",
        "<a token='%s'/>",
        '{"client-secret" : "%s"}',
        "X-Amz-Signature=%s",
        "sid=%s; path=/",
        r'{"password": "a\"%s"}',
        r"{'token':'\\\\%s\n'}",
    ],
)
def test_what_looks_like_a_secret(text: str) -> None:
    data = (text % CANARY).encode()
    assert looks_secret(data)
    assert b"canary" not in without_secrets(data)
    assert not looks_secret(without_secrets(data))


@pytest.mark.parametrize(
    "text",
    [
        "au:del_maestro AND ti:checkerboard",
        "a token economy: secrets of the session, by signature",
        '{"nextPageToken": "abc", "tokens": "5", "keyword": "x"}',
        "https://arxiv.org/abs/1605.08386v1",
        "http://x.example:8080/path@home",
        "Bearer of news",
        "basic facts",
    ],
)
def test_what_does_not_look_like_a_secret(text: str) -> None:
    assert not looks_secret(text.encode())


def test_headers_of_a_request_that_only_the_engine_writes_are_left_out() -> None:
    made = Request(
        method="POST",
        url="https://x.example/",
        headers=(("accept", "a/b"), ("authorization", CANARY), ("content-type", "c/d"), ("cookie", CANARY)),
        body=b"{}",
    )
    kept = scrubbed(Exchange(request=made, response=Response(status=200, headers=(("retry-after", "5"),))))
    assert kept.request.headers == (("accept", "a/b"), ("content-type", "c/d"))
    assert kept.response.headers == (("retry-after", "5"),)
