"""`extpkg bind`: what it shows is what goes out, in every form; what it refuses ends as R-ERR-3 says."""

from __future__ import annotations

import hashlib
import json
import shutil
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest
from actions import action, body, header, path, query, schema
from bound_packages import TEXTS
from console import extpkg, github, script
from corpus import ROOT
from echo import Echo, Sent, parsed
from loopback import VirtualTime, run, server_tls, serving
from plans import package

from extpkg import canonical_json
from extpkg.egress.credential import Credential
from extpkg.egress.send import send
from extpkg.exchange import Request
from extpkg.secret import Secret

if TYPE_CHECKING:
    from pathlib import Path

    from loopback import Script

GITHUB = ROOT / "golden/valid/github"
ISSUE = '{"owner":"o/c","repo":"demo","title":"It\'s \\"é\\"","labels":["a","b"]}'
STRING = {"type": "string"}
STRINGS = {"type": "array", "items": STRING}
BEARER = {"id": "default", "type": "oauth2_bearer"}
HEADER_KEY = {"id": "main", "type": "api_key", "in": "header", "name": "X-Key"}
QUERY_KEY = {"id": "main", "type": "api_key", "in": "query", "name": "k[ey]"}
V = schema({"v": STRING, "h": STRING, "l": STRINGS, "p": STRING}, "p", "v")
WHOLE: dict[str, Any] = {
    "path": "/a/{p}.json",
    "static_headers": {"Accept": "a/b"},
    "body": body(("/v", "/x/v")),
    "method": "POST",
}


def example(**value: Any) -> dict[str, Any]:
    return {"p": "it's", "v": "x", **value}


def whole(folder: Path, profile: Any = None) -> Path:
    """Write a package whose one action binds to every place."""
    made = action(
        V,
        path("/p"),
        header("/h", "X-H"),
        query("/l", "l[]"),
        example=example(l=["a b", "c&d"], h=""),
        **WHOLE,
    )
    return package(folder / "made", made, profile=profile)


def bare(folder: Path) -> Path:
    """Write a package whose one action has nothing but a path."""
    made = action(schema({}), path="/", method="GET")
    made["catalog"]["safety"] = {"class": "read", "idempotent": True, "destructive": False}
    return package(folder / "bare", made)


def test_the_text_says_what_is_sent_and_what_else() -> None:
    audit_hash = json.loads(extpkg("bind", GITHUB, "create-issue", ISSUE, "--json").out)["auditHash"]
    ran = extpkg("bind", GITHUB, "create-issue", ISSUE)
    assert ran.err == ""
    assert ran.code == 0
    assert ran.out == (
        "POST https://api.github.com/repos/o%2Fc/demo/issues\n"
        "accept: application/vnd.github+json\n"
        "content-type: application/json\n"
        "\n"
        '{"labels":["a","b"],"title":"It\'s \\"é\\""}\n'
        "\n"
        "action      github create-issue, mutation\n"
        "credential  header authorization: Bearer <credential default>, with the scopes repo\n"
        "engine      adds host, user-agent, accept-encoding, connection, content-length\n"
        f"audit hash  {audit_hash}\n"
    )


def test_the_text_of_a_request_without_anything(tmp_path: Path) -> None:
    ran = extpkg("bind", bare(tmp_path), "act")
    assert ran.out.startswith("GET https://api.example.com/v1/\n\naction      made act, read\n")
    assert "credential  none\nengine      adds host, user-agent, accept-encoding, connection\n" in ran.out


def test_json_holds_the_canonical_form() -> None:
    """R-REQ-7."""
    ran = extpkg("bind", GITHUB, "create-issue", ISSUE, "--json")
    assert ran.out.isascii()
    shown = json.loads(ran.out)
    assert shown["body"] == '{"labels":["a","b"],"title":"It\'s \\"é\\""}'
    assert shown["canonical"]["bodySha256"] == hashlib.sha256(shown["body"].encode()).hexdigest()
    assert shown["auditHash"] == "sha256:" + hashlib.sha256(canonical_json(shown["canonical"])).hexdigest()
    assert shown["canonical"]["headers"] == [
        ["accept", "application/vnd.github+json"],
        ["content-type", "application/json"],
    ]
    assert shown["credential"] == {
        "profile": "default",
        "type": "oauth2_bearer",
        "in": "header",
        "name": "authorization",
        "value": "Bearer <credential default>",
        "requiredScopes": ["repo"],
    }
    assert [name for name, _ in shown["engineHeaders"]] == [
        "host", "user-agent", "accept-encoding", "connection", "content-length"
    ]  # fmt: skip
    assert (shown["domain"], shown["action"], shown["safety"]) == ("github", "create-issue", "mutation")


def test_json_of_a_request_without_anything(tmp_path: Path) -> None:
    shown = json.loads(extpkg("bind", bare(tmp_path), "act", "--json").out)
    assert shown["body"] is None
    assert shown["credential"] is None
    assert shown["canonical"] == {
        "method": "GET", "url": "https://api.example.com/v1/", "headers": [], "bodySha256": None
    }  # fmt: skip


@pytest.mark.parametrize(
    ("profile", "line"),
    [
        (BEARER, "credential  header authorization: Bearer <credential default>\n"),
        (HEADER_KEY, "credential  header x-key: <credential main>\n"),
        (QUERY_KEY, "credential  query k[ey]=<credential main>\n"),
    ],
    ids=["bearer", "header", "query"],
)
def test_where_a_credential_goes_is_a_placeholder(tmp_path: Path, profile: Any, line: str) -> None:
    assert line in extpkg("bind", whole(tmp_path, profile), "act", json.dumps(example())).out


def printed_bytes(*arguments: object) -> bytes:
    """Return the bytes that a command prints."""
    return extpkg(*arguments).out.encode()


def wire(request: Request, credential: Credential | None) -> bytes:
    """Send a request over TLS to a loopback server, and return what arrived."""

    async def main(time: VirtualTime) -> bytes:
        steps: Script = [
            {"read_request": True},
            {"send": "HTTP/1.1 204 No Content\r\n\r\n"},
            {"farewell": True},
        ]
        async with serving(steps, time, server_tls("api.example.com")) as upstream:
            await send(request, transport=upstream.transport(), credential=credential)
            [arrived] = upstream.requests
            return arrived

    return run(main)


TOKEN = "t0ken"  # noqa: S105 - no one's
SENT: dict[str, tuple[Any, Credential | None, str]] = {
    "none": (None, None, ""),
    "bearer": (BEARER, Credential.bearer(Secret(TOKEN)), "<credential default>"),
    "header": (HEADER_KEY, Credential.header("x-key", Secret(TOKEN)), "<credential main>"),
    "query": (QUERY_KEY, Credential.query("k[ey]", Secret(TOKEN)), "<credential main>"),
}


@pytest.mark.parametrize("kind", SENT)
@pytest.mark.parametrize("value", [example(), example(l=["a b", ",&"], h=""), example(v="é\0\r\n" * 9)])
def test_what_arrives_on_the_wire_is_what_was_printed(tmp_path: Path, kind: str, value: Any) -> None:
    """Issue, done when 3: the credential for its placeholder, and nothing else."""
    profile, credential, shown = SENT[kind]
    made = whole(tmp_path, profile)
    printed = printed_bytes("bind", made, "act", json.dumps(value), "--http")
    parts = json.loads(extpkg("bind", made, "act", json.dumps(value), "--json").out)
    canonical = parts["canonical"]
    request = Request(
        method=canonical["method"],
        url=canonical["url"],
        headers=tuple((name, text) for name, text in canonical["headers"]),
        body=parts["body"].encode(),
    )
    assert request.audit_hash == parts["auditHash"]
    assert wire(request, credential) == printed.replace(shown.encode(), TOKEN.encode() if shown else b"")


CURL = shutil.which("curl")


def by_curl(command: bytes) -> Sent:
    """Run a command in a shell, its origin changed to a loopback server, and return what arrived."""
    with Echo() as echo:
        assert command.count(b"https://api.example.com") == 1
        changed = command.replace(b"https://api.example.com", b"http://127.0.0.1:%d" % echo.port)
        subprocess.run(["/bin/sh"], input=changed, check=True, capture_output=True, timeout=60)
        return parsed(echo.received)


@pytest.mark.skipif(CURL is None, reason="curl is not installed")
@pytest.mark.parametrize("kind", SENT)
def test_curl_sends_the_same(tmp_path: Path, kind: str) -> None:
    """Issue, section 5: checked by running it."""
    profile, _, shown = SENT[kind]
    made = whole(tmp_path, profile)
    for value in (example(), example(l=["a b", "[1-3]{x}"], h="a; b"), example(h="", p="a\\'$(id)`id`")):
        given = json.dumps(value)
        printed = printed_bytes("bind", made, "act", given, "--http")
        command = printed_bytes("bind", made, "act", given, "--curl")
        swap = (shown.encode() or b"<none>", TOKEN.encode())
        assert by_curl(command.replace(*swap)) == parsed(printed.replace(*swap))


@pytest.mark.skipif(CURL is None, reason="curl is not installed")
@pytest.mark.parametrize("method", ["GET", "POST", "PUT", "PATCH", "DELETE"])
@pytest.mark.parametrize("sends", [False, True], ids=["no-body", "body"])
def test_curl_sends_every_method(tmp_path: Path, method: str, sends: bool) -> None:
    made = action(schema({"v": STRING}), method=method, path="/x")
    if method == "GET":
        made["catalog"]["safety"] = {"class": "read", "idempotent": True, "destructive": False}
    if method == "DELETE":
        made["catalog"]["safety"] = {"class": "destructive", "idempotent": True, "destructive": True}
    made["catalog"]["example"] = {}
    if sends and method != "GET":
        made["binding"]["body"] = body(("/v", ""))
    else:
        made["binding"]["parameters"] = [query("/v", "v")]
    folder = package(tmp_path / "made", made)
    given = json.dumps({"v": "x\n'y"})
    printed = printed_bytes("bind", folder, "act", given, "--http")
    assert by_curl(printed_bytes("bind", folder, "act", given, "--curl")) == parsed(printed)


@pytest.mark.skipif(CURL is None, reason="curl is not installed")
@pytest.mark.parametrize("text", [*TEXTS, "x" * 200_000, "é'" * 40_000], ids=lambda text: ascii(text)[:20])
def test_curl_sends_any_text(tmp_path: Path, text: str) -> None:
    folder = package(tmp_path / "made", action(schema({"v": STRING}), body=body(("/v", "")), example={}))
    (tmp_path / "input.json").write_text(json.dumps({"v": text}))
    given = f"@{tmp_path / 'input.json'}"
    sent = by_curl(printed_bytes("bind", folder, "act", given, "--curl"))
    assert sent.body == canonical_json(text)
    assert sent == parsed(printed_bytes("bind", folder, "act", given, "--http"))


def test_the_bytes_are_the_same_in_any_locale(tmp_path: Path) -> None:
    """Whatever the terminal's encoding is: these are bytes for programs."""
    made = whole(tmp_path)
    given = json.dumps(example(v="é\u202e"))
    for form in ("--http", "--curl"):
        runs = [
            script("bind", made, "act", given, form, env=env).stdout
            for env in ({"LC_ALL": "C", "PYTHONUTF8": "0"}, {"PYTHONIOENCODING": "ascii"}, {})
        ]
        assert runs[0] == runs[1] == runs[2]
        assert "é\u202e".encode() in runs[0]


def test_the_text_is_safe_to_log(tmp_path: Path) -> None:
    ran = extpkg("bind", whole(tmp_path), "act", json.dumps(example(v="\u202e\x9b::set-output x")))
    assert "\\u202e\\x9b" in ran.out
    assert "\u202e" not in ran.out


def test_input_from_a_file_and_from_standard_input(tmp_path: Path) -> None:
    (tmp_path / "input.json").write_text(ISSUE)
    given = extpkg("bind", GITHUB, "create-issue", ISSUE).out
    assert extpkg("bind", GITHUB, "create-issue", f"@{tmp_path / 'input.json'}").out == given
    with (tmp_path / "input.json").open() as file:
        ran = script("bind", GITHUB, "create-issue", "-", stdin=file)
    assert ran.stdout.decode() == given


def test_nothing_is_contacted_and_no_network_library_is_loaded() -> None:
    probe = (
        "import sys; sys.argv = ['extpkg', 'bind', *sys.argv[1:]]\n"
        "from extpkg.cli.main import run\n"
        "code = run()\n"
        "bad = {'httpx', 'httpcore', 'anyio', 'socket', 'ssl', 'lxml'} & set(sys.modules)\n"
        "sys.exit(code or (f'loaded {bad}' if bad else 0))"
    )
    for form in ("--json", "--http", "--curl"):
        command = [sys.executable, "-c", probe, str(GITHUB), "create-issue", ISSUE, form]
        ran = subprocess.run(command, capture_output=True, check=False, text=True)
        assert (ran.returncode, ran.stderr) == (0, "")


@pytest.mark.parametrize(
    ("arguments", "code", "error"),
    [
        ((GITHUB, "nope", "{}"), 66, "not_found"),
        (("/no/such/folder", "act", "{}"), 66, "not_found"),
        (("", "act", "{}"), 66, "not_found"),
        (("@nope", "act", "{}"), 66, "not_found"),
        (("a\0b", "act", "{}"), 66, "not_found"),
        ((GITHUB / "meta.yaml", "act", "{}"), 66, "not_found"),
        (("@arxiv", "get", '{"id":"x"}'), 65, "validation"),
        (("arxiv", "get", '{"id":"x"}'), 65, "validation"),
        (("@brave", "search", '{"query":"x"}'), 65, "validation"),
        (("@arxiv", "nope"), 66, "not_found"),
        ((GITHUB, "create-issue"), 65, "validation"),
        ((GITHUB, "create-issue", "{"), 65, "validation"),
        ((GITHUB, "create-issue", '{"owner":"a","owner":"b"}'), 65, "validation"),
        ((GITHUB, "create-issue", '{"owner":"..","repo":"a","title":"t"}'), 65, "validation"),
        ((GITHUB, "create-issue", '{"owner":"\\ud800","repo":"a","title":"t"}'), 65, "validation"),
        ((GITHUB, "get-issue", '{"owner":"a","repo":"a","number":9007199254740992}'), 65, "validation"),
        ((GITHUB, "create-issue", "[" * 10_000 + "]" * 10_000), 65, "validation"),
    ],
)
@pytest.mark.parametrize("form", [None, "--json", "--http", "--curl"])
def test_what_is_refused_prints_the_envelope(
    arguments: tuple[Any, ...], code: int, error: str, form: str | None
) -> None:
    """R-ERR-2, R-ERR-3; issue, done when 4."""
    ran = extpkg("bind", *arguments, *([form] if form else []))
    assert ran.code == code
    assert json.loads(ran.out)["error"]["code"] == error
    assert ran.err.startswith(f"Error: {error}: ")
    assert "Traceback" not in ran.err


def test_an_input_over_1_mib_is_refused(tmp_path: Path) -> None:
    (tmp_path / "input.json").write_bytes(b'{"title":"' + b"x" * (1 << 20) + b'"}')
    ran = extpkg("bind", GITHUB, "create-issue", f"@{tmp_path / 'input.json'}")
    assert ran.code == 65
    assert json.loads(ran.out)["error"]["details"]["diagnostics"][0]["code"] == "EXT0103"


def test_an_invalid_package_is_refused_with_its_diagnostics(tmp_path: Path) -> None:
    package = github(tmp_path / "github")
    (package / "actions/get-issue.yaml").write_text("name: get-issue\nmore: 1\n")
    ran = extpkg("bind", package, "create-issue", ISSUE)
    assert ran.code == 65
    error = json.loads(ran.out)["error"]
    assert error["code"] == "validation"
    assert error["message"].startswith("the package is not valid: EXT")
    assert error["details"]["diagnostics"][0]["path"] == "actions/get-issue.yaml"


def test_usage() -> None:
    assert extpkg("bind").code == 2
    assert extpkg("bind", GITHUB).code == 2
    assert extpkg("bind", GITHUB, "create-issue", "@/no/such/file").code == 2
    assert extpkg("bind", GITHUB, "create-issue", "{}", "--xml").code == 2
    both = extpkg("bind", GITHUB, "create-issue", ISSUE, "--curl", "--json")
    assert (both.code, both.out) == (2, "")
    assert both.err.startswith("Error: --json and --curl exclude each other.")
