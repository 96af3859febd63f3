"""`extpkg invoke`: the envelope on standard output whatever comes, the exit codes, and papers for people."""

from __future__ import annotations

import io
import json
import shutil
import signal
import subprocess
import sys
import time
from typing import TYPE_CHECKING, Any, get_args

import anyio
import httpx
import pytest
from console import SCRIPT, extpkg, github, script
from corpus import ROOT

from extpkg.cli.failure import EXIT_CODES
from extpkg.cli.group import COMMANDS
from extpkg.cli.input import read_input
from extpkg.cli.invoke import Wish, perform
from extpkg.cli.main import verdict
from extpkg.cli.render.paper import render_page
from extpkg.cli.render.wrapping import WIDTH, wrapped
from extpkg.cli.terminal import OutputLost, Terminal
from extpkg.errors import ErrorCode, ExtensionError

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

GOLDEN = ROOT / "golden/invoke/arxiv"
ID = "2103.01234v2"
GET = '{"id": "2103.01234v2"}'
FEED = (GOLDEN / "get/exact-version/feed.xml").read_bytes()
PAPER: dict[str, Any] = json.loads((GOLDEN / "get/exact-version/output.json").read_bytes())


class Live:
    """One call over a transport of the test's own: how it ended and what it printed."""

    def __init__(self, handler: Callable[[httpx.Request], Any], **wish: Any) -> None:
        out, err = io.BytesIO(), io.BytesIO()
        self.error: BaseException | None = None
        self.code = -1
        asked = {"target": "arxiv", "action": "get", "given": GET} | wish
        try:
            self.code = perform(
                Terminal(out=out, err=err), Wish(**asked), live=lambda: httpx.MockTransport(handler)
            )
        except BaseException as error:  # noqa: BLE001 - as the entry does
            self.error = error
            self.code, _ = verdict(error)
        self.out, self.err = out.getvalue().decode(), err.getvalue().decode()

    @property
    def envelope(self) -> Any:
        return json.loads(self.out)


def answers(status: int, body: bytes = b"") -> Callable[[httpx.Request], httpx.Response]:
    return lambda _: httpx.Response(status, content=body)


def replayed(case: str, given: str | None = GET, *options: object) -> Any:
    action = case.partition("/")[0]
    inputs = [] if given is None else [given]
    return extpkg("invoke", "arxiv", action, *inputs, "--replay", GOLDEN / case, *options)


# -- the envelope and the exit codes


def test_every_code_has_an_exit_code() -> None:
    """R-ERR-1, R-ERR-3."""
    assert set(EXIT_CODES) == set(get_args(ErrorCode))
    assert EXIT_CODES == {
        "validation": 65,
        "not_found": 66,
        "provider_auth_unavailable": 69,
        "upstream_failure": 69,
        "internal": 70,
        "conflict": 73,
        "rate_limited": 75,
        "agent_extension_catalog_stale": 75,
        "deadline_exceeded": 75,
        "permission_denied": 77,
        "canceled": 130,
    }


def test_a_live_call_says_whom_it_contacts_and_prints_the_envelope() -> None:
    ran = Live(answers(200, FEED))
    assert ran.code == 0
    assert ran.err == "Contacting export.arxiv.org\n"
    assert ran.envelope == {"domain": "arxiv", "action": "get", "data": PAPER}
    assert ran.out.isascii()
    assert list(ran.envelope) == ["domain", "action", "data"]


@pytest.mark.parametrize(
    ("handler", "code", "exit_code"),
    [
        (answers(400), "validation", 65),
        (answers(429), "rate_limited", 75),
        (answers(503), "upstream_failure", 69),
        (answers(200, b"canary"), "upstream_failure", 69),
    ],
)
def test_a_failed_call_prints_its_envelope(handler: Any, code: str, exit_code: int) -> None:
    """R-ERR-2, R-ERR-3."""
    ran = Live(handler)
    assert ran.code == exit_code
    assert ran.envelope["error"]["code"] == code
    assert set(ran.envelope["error"]) <= {"code", "message", "details"}
    assert "canary" not in ran.out + ran.err + str(ran.error)


def test_what_the_transport_raises_is_no_traceback() -> None:
    def lost(_: httpx.Request) -> httpx.Response:
        raise httpx.ConnectError("secret-canary")

    ran = Live(lost)
    assert (ran.code, ran.envelope["error"]["code"]) == (69, "upstream_failure")
    assert "canary" not in ran.out + ran.err


def test_a_fault_of_our_own_is_internal() -> None:
    def broken(_: httpx.Request) -> httpx.Response:
        raise ZeroDivisionError("canary")

    ran = Live(broken)
    assert ran.code == 70
    assert ran.envelope["error"]["code"] == "internal"
    assert "canary" not in ran.out + str(ran.error)
    assert isinstance(ran.error, Exception)
    assert isinstance(ran.error.__cause__, ZeroDivisionError)


def test_an_interrupt_is_canceled() -> None:
    def interrupted(_: httpx.Request) -> httpx.Response:
        raise KeyboardInterrupt

    ran = Live(interrupted)
    assert ran.code == 130
    assert ran.envelope["error"]["code"] == "canceled"


def test_the_caller_s_deadline_is_its_own_code() -> None:
    async def slow(_: httpx.Request) -> httpx.Response:
        await anyio.sleep(60)
        raise AssertionError

    ran = Live(slow, timeout=0.01)
    assert ran.code == 75
    assert ran.envelope["error"]["code"] == "deadline_exceeded"


def test_lost_output_is_lost_output() -> None:
    closed = io.BytesIO()
    closed.close()
    with pytest.raises(OutputLost):
        perform(
            Terminal(out=closed, err=None),
            Wish(target="arxiv", action="get", given=GET),
            live=lambda: httpx.MockTransport(answers(200, FEED)),
        )


@pytest.mark.parametrize(
    ("arguments", "code", "exit_code"),
    [
        (["nope", "get"], "not_found", 66),
        (["./arxiv", "get"], "not_found", 66),
        (["@nope", "get"], "not_found", 66),
        (["a\0b", "get"], "not_found", 66),
        (["arxiv", "nope"], "not_found", 66),
        (["arxiv", "get"], "validation", 65),
        (["@arxiv", "get"], "validation", 65),
        ([ROOT / "packages/arxiv", "get"], "validation", 65),
        (["arxiv", "get", '{"id": 5}'], "validation", 65),
        (["arxiv", "get", '{"id": "x"}'], "validation", 65),
        (["arxiv", "get", "[]"], "validation", 65),
        (["arxiv", "get", "\udcff"], "validation", 65),
        ([ROOT / "golden/valid/github", "get-issue"], "validation", 65),
    ],
)
def test_what_is_refused_before_any_request(arguments: list[object], code: str, exit_code: int) -> None:
    """No host is named: none is contacted."""
    ran = extpkg("invoke", *arguments)
    assert ran.code == exit_code
    assert json.loads(ran.out)["error"]["code"] == code
    assert ran.err.startswith(f"Error: {code}: ")
    assert ran.err.count("\n") == 1


def test_a_package_that_is_not_valid(tmp_path: Path) -> None:
    package = github(tmp_path / "github")
    (package / "meta.yaml").write_text("domain: [")
    ran = extpkg("invoke", package, "get-issue")
    assert ran.code == 65
    assert json.loads(ran.out)["error"]["details"]["diagnostics"][0]["path"] == "meta.yaml"


# -- the input


@pytest.mark.parametrize(
    ("given", "line", "column"),
    [
        ("{", 1, 2),
        ('{"id": "x",}', 1, 12),
        ('{"id": "x",\n "id": "y"}', 2, 2),
        ("{'id': 1}", 1, 2),
        ("[NaN]", 1, 2),
        ("", 1, 1),
        ("{} {}", 1, 4),
    ],
)
def test_the_input_is_strict_json_with_places(given: str, line: int, column: int) -> None:
    ran = extpkg("invoke", "arxiv", "get", given)
    assert ran.code == 65
    error = json.loads(ran.out)["error"]
    assert error["code"] == "validation"
    first = error["details"]["diagnostics"][0]
    assert (first["line"], first["column"]) == (line, column)
    assert f"line {line}, column {column}: " in error["message"]


def test_the_input_from_a_file_and_from_standard_input(tmp_path: Path) -> None:
    file = tmp_path / "input.json"
    file.write_text('{"id": "nope"}')
    asked = ["invoke", "arxiv", "get"]
    expected = extpkg(*asked, '{"id": "nope"}')
    assert expected.code == 65
    assert extpkg(*asked, f"@{file}") == expected
    piped = script(*asked, "-", stdin=None, input=file.read_bytes())
    assert (piped.returncode, piped.stdout.decode()) == (65, expected.out)


@pytest.mark.parametrize("path", ["@nope/nope", "@", "@a\0b", f"@{ROOT}"])
def test_an_input_file_that_cannot_be_read_is_usage(path: str) -> None:
    ran = extpkg("invoke", "arxiv", "get", path)
    assert (ran.code, ran.out) == (2, "")
    assert ran.err.startswith("Error: cannot read the input from '")


def test_an_input_is_at_most_a_mebibyte(tmp_path: Path) -> None:
    file = tmp_path / "input.json"
    file.write_bytes(b'"' + b"x" * ((1 << 20) - 2) + b'"')
    assert len(read_input(f"@{file}")) == (1 << 20) - 2
    file.write_bytes(b'"' + b"x" * ((1 << 20) - 1) + b'"')
    with pytest.raises(ExtensionError, match="more than 1,048,576 bytes"):
        read_input(f"@{file}")


def test_without_standard_input_there_is_nothing_to_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", None)
    assert extpkg("invoke", "arxiv", "get", "-").code == 2


def test_an_endless_input_ends() -> None:
    ran = script("invoke", "arxiv", "get", "@/dev/zero") if sys.platform == "linux" else None
    assert ran is None or ran.returncode == 65


@pytest.mark.parametrize("seconds", ["0", "-1", "nan", "inf", "x"])
def test_a_timeout_is_a_number_of_seconds(seconds: str) -> None:
    ran = extpkg("invoke", "arxiv", "get", GET, "--timeout", seconds)
    assert (ran.code, ran.out) == (2, "")
    assert "'--timeout'" in ran.err


def test_an_interrupt_while_the_input_is_read_is_canceled() -> None:
    """R-ERR-1, R-ERR-2: the envelope is there, and no traceback."""
    with subprocess.Popen(
        [SCRIPT, "invoke", "arxiv", "get", "-"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as process:
        time.sleep(1.5)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=30)
    assert process.returncode == 130
    assert json.loads(out)["error"]["code"] == "canceled"
    assert err.decode() == "Error: canceled: the call was interrupted\n"


# -- replay


def test_a_replay_contacts_nobody() -> None:
    ran = replayed("get/exact-version")
    assert (ran.code, ran.err) == (0, "")
    assert json.loads(ran.out)["data"] == PAPER


def test_a_replay_shows_how_the_request_parts() -> None:
    ran = replayed("get/exact-version", '{"id": "2103.01234v3"}')
    assert ran.code == 69
    assert json.loads(ran.out)["error"]["details"] == {"reason": "not_recorded"}
    assert "-  ?id_list=2103.01234v2\n" in ran.err
    assert "+  ?id_list=2103.01234v3\n" in ran.err
    assert ran.err.startswith("request 1 is not the recorded one\n")


def test_a_replay_tells_what_was_left_over_and_what_was_too_much(tmp_path: Path) -> None:
    case = tmp_path / "case"
    shutil.copytree(GOLDEN / "get/exact-version", case)
    exchanges = json.loads((case / "exchange.json").read_bytes())
    (case / "exchange.json").write_text(json.dumps(exchanges * 2))
    ran = extpkg("invoke", "arxiv", "get", GET, "--replay", case)
    assert ran.code == 0
    assert ran.err.startswith("request 2 of the case was not made\n")
    (case / "exchange.json").write_text("[]")
    (case / "feed.xml").unlink()
    ran = extpkg("invoke", "arxiv", "get", GET, "--replay", case)
    assert ran.code == 69
    assert ran.err.startswith("request 1 is one more than the case has\n")


def test_a_connection_of_the_case_counts() -> None:
    """R-REG-4: a connection where none may be is refused before the executor."""
    for case in sorted(GOLDEN.glob("*/*/connection.json")):
        given = (case.parent / "input.json").read_text()
        ran = replayed(f"{case.parent.parent.name}/{case.parent.name}", given)
        assert ran.code == 73
        assert json.loads(ran.out)["error"]["code"] == "conflict"


@pytest.mark.parametrize("folder", ["/no/such", "golden/invoke", "README.md"])
def test_a_folder_that_is_no_case_is_usage(folder: str) -> None:
    ran = extpkg("invoke", "arxiv", "get", GET, "--replay", ROOT / folder)
    assert (ran.code, ran.out) == (2, "")
    assert "is no case:\n" in ran.err


# -- papers for people


def test_a_paper_as_a_person_reads_it() -> None:
    ran = replayed("get/exact-version", GET, "--pretty")
    assert (ran.code, ran.err) == (0, "")
    assert ran.out == (
        "Counting papers: a field guide\n"
        "  Ada Example (Institute of Counting; Department of Proofs), Bo Sample, Chidi\n"
        "  Übungsmann (Universität Musterstadt)\n"
        "  2021-03-02 (updated 2021-05-06) | cs.DL (cs.IR, math.ST, stat.TH) |\n"
        "  arXiv:2103.01234v2 | doi:10.1000/count.2021.7\n"
        "  Comment: 12 pages, 3 figures; v2 corrects Table 1\n"
        "  Published in: J. Count. Res. 7 (2021) 11-22\n"
        "  http://arxiv.org/abs/2103.01234v2\n"
        "\n"
        "  We count papers.\n"
        "\n"
        "  Then we count them again, and differ by one.\n"
    )


def test_pretty_replaces_the_envelope_of_a_success_only() -> None:
    plain, pretty = replayed("get/status-429"), replayed("get/status-429", GET, "--pretty")
    assert (
        plain == pretty or json.loads(pretty.out)["error"]["code"] == json.loads(plain.out)["error"]["code"]
    )
    assert json.loads(pretty.out)["error"]


def page(*papers: dict[str, Any], **members: Any) -> str:
    return render_page(
        {"papers": list(papers), "offset": 0, "returned": len(papers), "totalResults": 1, "hasMore": False}
        | members
    )


def test_a_page_numbers_its_papers_and_says_where_the_next_begins() -> None:
    text = page(PAPER, PAPER, offset=30, totalResults=12345, hasMore=True, nextOffset=32)
    assert text.startswith("31. Counting papers: a field guide\n")
    assert "\n\n32. Counting papers" in text
    assert text.endswith("\n\n2 of 12,345 papers; the next page is at offset 32.\n")
    assert page() == "No papers here; there are 1 in all.\n"
    assert page(PAPER).endswith("\n1 of 1 papers.\n")


def test_a_sparse_paper_and_a_crowded_one() -> None:
    bare = {k: v for k, v in PAPER.items() if k not in {"doi", "comment", "journalRef"}}
    bare |= {"title": "", "authors": [], "abstract": "", "updatedAt": PAPER["publishedAt"], "categories": []}
    assert render_page(bare) == (
        "(without a title)\n  (without authors)\n"
        "  2021-03-02 | cs.DL | arXiv:2103.01234v2\n"
        "  http://arxiv.org/abs/2103.01234v2\n"
    )
    many = [{"name": f"A{number}", "affiliations": []} for number in range(3000)]
    assert "A19 and 2,980 more\n" in render_page({**bare, "authors": many})


HOSTILE = "\x1b[2J\u202etxt\u200b\x07\n::error::x\n##[group]y\r\x9b"


def test_no_text_of_a_paper_moves_the_terminal() -> None:
    foreign: dict[str, Any] = PAPER | dict.fromkeys(
        ("title", "abstract", "comment", "journalRef", "doi", "entryUrl", "id"), HOSTILE
    )
    foreign |= {"authors": [{"name": HOSTILE, "affiliations": [HOSTILE]}], "categories": [HOSTILE]}
    foreign |= {"primaryCategory": HOSTILE, "publishedAt": HOSTILE, "updatedAt": HOSTILE}
    out = io.BytesIO()
    Terminal(out=out, err=None).print(page(foreign))
    shown = out.getvalue().decode()
    assert not {c for c in shown if not c.isprintable()} - {"\n"}
    assert not [line for line in shown.split("\n") if line.lstrip().startswith("::")]
    assert "##[" not in shown
    assert "\\x1b[2J\\u202etxt\\u200b\\x07" in shown


def test_lines_are_wrapped_by_columns_and_no_word_is_cut() -> None:
    assert list(wrapped("文" * 30 + " " + "字" * 30, "  ", "  ")) == ["  " + "文" * 30, "  " + "字" * 30]
    long = "x" * 200
    assert list(wrapped(f"a {long} b", "1. ", "   ")) == ["1. a", f"   {long}", "   b"]
    lines = list(wrapped("word " * 100, "  ", "  "))
    assert max(map(len, lines)) <= WIDTH
    assert list(wrapped(" \n ", "  ", "  ")) == ["  "]


# -- what it costs those who do not call


def test_other_commands_import_nothing_of_the_network() -> None:
    program = (
        "import sys; from extpkg.cli.main import run; code = run(sys.argv[1:]);"
        "print(sorted({'httpx', 'httpcore', 'lxml', 'anyio', 'asyncio', 'ssl'} & set(sys.modules)), code)"
    )
    for arguments in (["--version"], ["--help"], ["validate", "packages/arxiv"], ["invoke", "--help"]):
        done = subprocess.run(
            [sys.executable, "-c", program, *arguments], cwd=ROOT, capture_output=True, text=True, check=True
        )
        assert done.stdout.endswith("\n[] 0\n"), arguments
    assert {"invoke", "test"} <= {entry.name for entry in COMMANDS}
