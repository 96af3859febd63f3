"""External packages in action: what goes out, what comes back, who allows what, and no secret anywhere."""

from __future__ import annotations

import json
import logging
import subprocess
import sys
import traceback
from dataclasses import replace
from functools import cache
from typing import TYPE_CHECKING, Any

import anyio
import httpx
import pytest
from corpus import ROOT
from feeds import Answering
from loopback import VirtualTime, run, server_tls, serving

import extpkg
from extpkg.connection import Connection
from extpkg.egress.credential import QUERY_CHARACTERS
from extpkg.egress.failure import Reason
from extpkg.egress.replay import ReplayTransport
from extpkg.errors import ExtensionError
from extpkg.exchange import Exchange, Response
from extpkg.external import URL_CHARACTERS, External, Leave
from extpkg.invocation import answer, find_served
from extpkg.package import load_package
from extpkg.secret import Secret

if TYPE_CHECKING:
    from loopback import Script

    from extpkg.definition.model import Action, Definition
    from extpkg.result import Result

CANARY = "canary5f2a91"
SECRET = {"default": Secret(CANARY)}
READ = {"read_request": True}
GITHUB = ROOT / "golden/valid/github"
KEYS = ROOT / "golden/valid/api-keys"
ISSUE = {"owner": "octo", "repo": "demo", "number": 5}
NEW = {"owner": "octo", "repo": "a b", "title": "Hi \u00e9"}
CREATED = b'{"id": 1, "number": 1, "title": "Hi", "state": "open", "html_url": "https://x.example"}'


@cache
def external(path: Any = GITHUB) -> External:
    served = find_served(path)
    assert isinstance(served, External)
    return served


def changed(name: str, **changes: Any) -> External:
    """Return the GitHub package with another response policy for one action."""
    definition = external().definition
    actions = [_changed(each, changes) if each.name == name else each for each in definition.actions]
    made = replace(definition, actions=tuple(actions))
    return External(definition=made, definition_digest=f"test:{name}:{sorted(changes.items())}")


def _changed(action: Action, changes: dict[str, Any]) -> Action:
    assert action.binding
    binding = replace(action.binding, response=replace(action.binding.response, **changes))
    return replace(action, binding=binding)


def outcome(
    served: External, action: str, value: Any, transport: Any, **leave: Any
) -> Result | ExtensionError:
    async def main() -> Result | ExtensionError:
        try:
            given = Leave(**({"credentials": SECRET} | leave))
            return await answer(served, action, value, transport=transport, leave=given)
        except ExtensionError as error:
            return error

    return anyio.run(main)


def on_the_wire(
    served: External, action: str, value: Any, script: Script, **leave: Any
) -> tuple[Any, list[bytes]]:
    """Call over TLS to a loopback server; return the outcome and the requests that arrived."""

    async def main(time: VirtualTime) -> tuple[Any, list[bytes]]:
        async with serving(script, time, server_tls("api.github.com", "api.example.com")) as upstream:
            try:
                result: Any = await answer(
                    served, action, value, transport=upstream.transport(), leave=Leave(**leave)
                )
            except ExtensionError as error:
                result = error
            return result, upstream.requests

    return run(main)


def sent(status: int, body: bytes = b"", **headers: str) -> Script:
    lines = [f"HTTP/1.1 {status} X", f"Content-Length: {len(body)}"]
    lines += [f"{name.replace('_', '-')}: {value}" for name, value in headers.items()]
    return [READ, {"send": "\r\n".join([*lines, "", ""]) + body.decode("latin-1")}]


def begun(text: str) -> Script:
    return [READ, {"send": f"HTTP/1.1 200 X\r\n{text}"}]


# -- what goes out


def _expected(path: Any, action: str, value: Any, *credential: bytes, extra: bytes = b"") -> bytes:
    """Return the request that binding makes, as HTTP, with the engine's headers and the credential."""
    plan = extpkg.compile_action(load_package(path).definition, action)
    request = plan.bind(value)
    host, _, target = request.url.removeprefix("https://").partition("/")
    lines = [
        f"{request.method} /{target}{extra.decode()} HTTP/1.1",
        f"host: {host}",
        "user-agent: extpkg",
        "accept-encoding: identity",
        "connection: close",
        *([f"content-length: {len(request.body)}"] if request.body else []),
        *(f"{name}: {text}" for name, text in request.headers),
    ]
    return b"\r\n".join([*(line.encode() for line in lines), *credential, b"", request.body or b""])


@pytest.mark.parametrize(
    ("path", "action", "value", "profile", "credential", "extra"),
    [
        (GITHUB, "create-issue", NEW, "default", [b"authorization: Bearer canary5f2a91"], b""),
        (GITHUB, "get-issue", ISSUE, "default", [b"authorization: Bearer canary5f2a91"], b""),
        (KEYS, "by-header", {"key": "a&b"}, "in-header", [b"x-api-key: canary5f2a91"], b""),
        (KEYS, "by-query", {"key": "a&b"}, "in-query", [], b"&key%5Ba%20b%5D=canary5f2a91"),
        (KEYS, "by-query", {}, "in-query", [], b"?key%5Ba%20b%5D=canary5f2a91"),
        (KEYS, "by-token", {"key": "v"}, "token", [b"authorization: Bearer canary5f2a91"], b""),
        (KEYS, "without", {}, "token", [], b""),
    ],
)
def test_what_arrives_is_what_was_bound(
    path: Any, action: str, value: Any, profile: str, credential: list[bytes], extra: bytes
) -> None:
    """Done when 3: the bound request, the credential, the engine's own headers, nothing else."""
    script = sent(404)
    leave: Any = {"credentials": {profile: Secret(CANARY)}, "allow": "mutation"}
    _, requests = on_the_wire(external(path), action, value, script, **leave)
    assert requests == [_expected(path, action, value, *credential, extra=extra)]
    command = [sys.executable, "-m", "extpkg", "bind", path, action, json.dumps(value), "--http"]
    printed = subprocess.run(command, check=True, capture_output=True).stdout
    assert requests == [printed.replace(f"<credential {profile}>".encode(), CANARY.encode())]


# -- what comes back


@pytest.mark.parametrize(
    ("status", "code"),
    [
        (400, "validation"), (401, "provider_auth_unavailable"), (403, "permission_denied"),
        (404, "not_found"), (409, "conflict"), (410, "not_found"), (412, "conflict"), (422, "validation"),
        (429, "rate_limited"), (300, "upstream_failure"), (301, "upstream_failure"),
        (302, "upstream_failure"), (307, "upstream_failure"), (304, "upstream_failure"),
        (402, "upstream_failure"),
        (405, "upstream_failure"), (408, "upstream_failure"), (418, "upstream_failure"),
        (451, "upstream_failure"), (500, "upstream_failure"), (503, "upstream_failure"),
        (201, "upstream_failure"), (202, "upstream_failure"), (204, "upstream_failure"),
        (206, "upstream_failure"),
    ],
)  # fmt: skip
@pytest.mark.parametrize("broken", [False, True])
def test_what_a_status_means(status: int, code: str, broken: bool) -> None:
    """R-RES-1; what the upstream says beside it is nowhere, and cannot get in the way."""
    script = sent(
        status, b"" if status in {204, 304} else CANARY.encode(), Location=f"https://{CANARY}.example/"
    )
    if broken and status not in {204, 304}:
        script = [READ, {"send": f"HTTP/1.1 {status} {CANARY}\r\nContent-Encoding: br\r\n\r\n"}, {"reset": 1}]
    error, requests = on_the_wire(external(), "get-issue", ISSUE, script, credentials=SECRET)
    assert isinstance(error, ExtensionError)
    assert (error.code, len(requests)) == (code, 1)
    assert CANARY not in json.dumps(error.envelope())


JSON = {"content_type": "application/json"}


@pytest.mark.parametrize(
    ("policy", "script", "expected"),
    [
        ({}, sent(200, b'{"a": [1, 2.5, null]}', **JSON), {"a": [1, 2.5, None]}),
        ({}, sent(200, b"[9007199254740993]", **JSON), [9007199254740993]),
        ({}, sent(200, b"{}", content_type="APPLICATION/JSON; charset=latin-1"), {}),
        ({}, sent(200, b"{}"), "content_type"),
        ({}, sent(200, b"{}", content_type="text/plain"), "content_type"),
        ({}, sent(200, b"{}", content_type="application/problem+json"), "content_type"),
        ({}, sent(200, b'{"a": 1, "a": 2}', **JSON), "json_malformed"),
        ({}, sent(200, b"{", **JSON), "json_malformed"),
        ({}, sent(200, b"", **JSON), "json_malformed"),
        ({}, sent(200, b"\xff", **JSON), "json_malformed"),
        ({}, sent(200, b"{}", content_encoding="gzip", **JSON), "encoded_answer"),
        ({}, sent(200, b'"' + b"x" * 65_534 + b'"', **JSON), "x" * 65_534),
        ({}, sent(200, b'"' + b"x" * 65_535 + b'"', **JSON), "result_too_large"),
        ({"max_bytes": 10}, sent(200, b'"12345678"', **JSON), "12345678"),
        ({"max_bytes": 10}, sent(200, b'"123456789"', **JSON), "result_too_large"),
        ({}, sent(200, b" " * (1 << 20), **JSON), "json_malformed"),
        ({}, sent(200, b" " * ((1 << 20) + 1), **JSON), "body_too_large"),
        ({}, sent(200, b"{}", X=f"{'y' * 70_000}", **JSON), "headers_too_large"),
        ({}, [*begun("Content-Length: 9\r\n\r\n{}"), {"close": 1}], "truncated_answer"),
        ({}, begun("Content-Length: x\r\n\r\n{}"), "malformed_answer"),
        ({}, [*begun(""), {"hang": 1}], "headers_timed_out"),
        ({}, [*begun("Content-Type: application/json\r\n\r\n"), {"hang": 1}], "timed_out"),
        ({"content_types": ("text/csv",)}, sent(200, b"a,b\r\n", content_type="text/csv; x=y"), "a,b\r\n"),
        ({"content_types": ("text/csv",)}, sent(200, b"\xe9", content_type="text/csv"), "text_not_utf8"),
        ({"success_statuses": (200, 204)}, sent(204), None),
        ({"success_statuses": (205,)}, sent(205, b"ignored", content_type="a/b"), None),
        ({"mode": "empty", "content_types": ()}, sent(200, b"x" * 2_000_000, content_encoding="br"), None),
        ({"mode": "empty", "content_types": ()}, [*begun("\r\n"), {"hang": 1}], None),
    ],
)  # fmt: skip
def test_what_an_answer_becomes(policy: dict[str, Any], script: Script, expected: Any) -> None:
    """R-RES-2, R-RES-4, R-RES-5, R-BIND-8: each budget and each content type."""
    served = changed("get-issue", **policy)
    result, _ = on_the_wire(served, "get-issue", ISSUE, script, credentials=SECRET)
    if isinstance(result, ExtensionError):
        assert result.details is not None
        assert (result.code, result.details["reason"]) == ("upstream_failure", expected)
    else:
        assert (result.data, result.domain, result.action) == (expected, "github", "get-issue")
        assert set(result.envelope()) == {"domain", "action", "data"}


# -- what is asked before anything is sent


@pytest.mark.parametrize(
    ("safety", "allow", "goes"),
    [
        ("read", None, True), ("read", "mutation", True), ("read", "destructive", True),
        ("mutation", None, False), ("mutation", "mutation", True), ("mutation", "destructive", False),
        ("destructive", None, False), ("destructive", "mutation", False),
        ("destructive", "destructive", True),
    ],
)  # fmt: skip
def test_who_has_to_allow_what(safety: str, allow: str | None, goes: bool) -> None:
    definition = external().definition
    action = next(each for each in definition.actions if each.name == "create-issue")
    judged = replace(action.catalog.safety, classification=safety)
    made = replace(action, catalog=replace(action.catalog, safety=judged))
    served = External(definition=replace(definition, actions=(made,)), definition_digest=f"test:{safety}")
    transport = Answering(b"", 404)
    error = outcome(served, "create-issue", NEW, transport, allow=allow)
    assert isinstance(error, ExtensionError)
    assert len(transport.requests) == goes
    if goes:
        assert error.code == "not_found"
        return
    assert error.code == "permission_denied"
    assert error.details == {
        "method": "POST",
        "host": "api.github.com",
        "path": "/repos/octo/a%20b/issues",
        "safety": safety,
    }
    for word in ("POST", "api.github.com", "/repos/octo/a%20b/issues", safety, f"--allow {safety}"):
        assert word in error.message


def test_a_missing_credential() -> None:
    """Before any socket; it says for which profile, and what it must be allowed to do."""
    transport = Answering(b"")
    error = outcome(external(), "get-issue", ISSUE, transport, credentials={})
    assert isinstance(error, ExtensionError)
    assert error.code == "provider_auth_unavailable"
    assert error.details == {
        "reason": "credential_missing",
        "profile": "default",
        "requiredScopes": ["repo"],
    }
    assert "--credential default=env:NAME" in error.message
    assert transport.requests == []


def test_the_order_of_the_gates() -> None:
    """The input first, then the leave, then the credential: each says what only it can say."""
    transport = Answering(b"", 404)
    for value, allow, credentials, code in [
        ({}, None, {}, "validation"),
        (NEW, None, {}, "permission_denied"),
        (NEW, "mutation", {}, "provider_auth_unavailable"),
        (NEW, "mutation", {"default": Secret("a b")}, "provider_auth_unavailable"),
        (NEW, "mutation", SECRET, "not_found"),
    ]:
        error = outcome(external(), "create-issue", value, transport, allow=allow, credentials=credentials)
        assert isinstance(error, ExtensionError)
        assert error.code == code
    assert len(transport.requests) == 1


@pytest.mark.parametrize(
    "value",
    [
        {**ISSUE, "owner": ".."}, {**ISSUE, "owner": ""}, {**ISSUE, "owner": "\ud800"},
        {**ISSUE, "number": 2**53}, {**ISSUE, "owner": "x" * (1 << 20)}, [ISSUE], None, {},
    ],
)  # fmt: skip
def test_hostile_inputs_reach_no_socket(value: Any) -> None:
    """Done when 4."""
    transport = Answering(b"")
    error = outcome(external(), "get-issue", value, transport)
    assert isinstance(error, ExtensionError)
    assert error.code == "validation"
    assert transport.requests == []


def test_a_url_that_is_too_long() -> None:
    definition = load_package(KEYS).definition
    served = External(definition=definition, definition_digest="test:long")
    transport = Answering(b"", 404)
    for size, code in [(59_000, "not_found"), (61_000, "validation")]:
        error = outcome(served, "without", {"key": "k" * size}, transport, credentials={})
        assert isinstance(error, ExtensionError)
        assert error.code == code
    assert len(transport.requests) == 1


def test_the_longest_url_has_room_for_the_longest_credential() -> None:
    """No input makes the credential the one thing too many: that would be a fault of the engine."""
    served = external(KEYS)
    empty = extpkg.compile_action(served.definition, "by-query").bind({"key": ""})
    value = {"key": "k" * (URL_CHARACTERS - len(empty.url))}
    name = "key%5Ba%20b%5D"
    secrets = {"in-query": Secret("x" * (QUERY_CHARACTERS - len(name)))}
    transport = Answering(b"", 404)
    error = outcome(served, "by-query", value, transport, credentials=secrets)
    assert isinstance(error, ExtensionError)
    assert error.code == "not_found"
    assert len(str(transport.requests[0].url)) == URL_CHARACTERS + len("&=") + QUERY_CHARACTERS


def test_a_credential_is_a_secret() -> None:
    text: Any = {"default": CANARY}
    with pytest.raises(TypeError, match=r"extpkg\.Secret") as caught:
        extpkg.invoke(GITHUB, "get-issue", ISSUE, transport=Answering(b""), credentials=text)
    assert CANARY not in str(caught.value)


def test_what_is_given_to_the_wrong_one() -> None:
    transport = Answering(b"")
    error = outcome(external(), "get-issue", ISSUE, transport, credentials={CANARY: Secret("x")})
    assert isinstance(error, ExtensionError)
    assert (error.code, CANARY in error.message) == ("validation", False)
    assert "default" in error.message
    with pytest.raises(ExtensionError, match="takes its credentials from its connection"):
        extpkg.invoke("arxiv", "get", {"id": "x"}, transport=transport, credentials=SECRET)
    with pytest.raises(ExtensionError, match="has no connection") as caught:
        extpkg.invoke(GITHUB, "get-issue", ISSUE, transport=transport, connection=Connection())
    assert caught.value.code == "conflict"
    missing = outcome(external(), "no-such", {}, transport)
    assert isinstance(missing, ExtensionError)
    assert missing.code == "not_found"
    assert transport.requests == []


# -- from Python


def _record(action: str, value: Any, response: Response) -> Exchange:
    plan = extpkg.compile_action(external().definition, action)
    return Exchange(request=plan.bind(value), response=response)


def test_a_replay_asks_for_neither_leave_nor_credential() -> None:
    """R-FIX-1."""
    headers = (("content-type", "application/json"),)
    created = Response(status=201, headers=headers, body=CREATED)
    replay = ReplayTransport([_record("create-issue", NEW, created)])
    assert extpkg.invoke(GITHUB, "create-issue", NEW, transport=replay).data["number"] == 1
    with pytest.raises(ExtensionError) as caught:
        extpkg.invoke(GITHUB, "get-issue", ISSUE, transport=replay)
    assert (caught.value.code, caught.value.details) == ("upstream_failure", {"reason": "not_recorded"})
    assert caught.value.__context__ is None


def test_any_other_transport_needs_both() -> None:
    transport = Answering(CREATED, 201, {"content-type": "application/json"})
    with pytest.raises(ExtensionError, match="allow"):
        extpkg.invoke(GITHUB, "create-issue", NEW, transport=transport, credentials=SECRET)
    result = extpkg.invoke(
        GITHUB, "create-issue", NEW, transport=transport, credentials=SECRET, allow="mutation"
    )
    assert result.data["title"] == "Hi"
    assert len(transport.requests) == 1


@pytest.mark.parametrize("error", [RuntimeError, KeyError, ValueError, OSError, ExceptionGroup])
def test_whatever_a_transport_raises_is_an_upstream_failure(error: Any) -> None:
    """R-ERR-1: the set of codes is closed, whatever the caller's transport does."""

    def fail(request: httpx.Request) -> httpx.Response:
        text = f"{request.url} {request.headers.raw}"
        raise ExceptionGroup(text, [ValueError(text)]) if error is ExceptionGroup else error(text)

    with pytest.raises(ExtensionError) as caught:
        extpkg.invoke(GITHUB, "get-issue", ISSUE, transport=httpx.MockTransport(fail), credentials=SECRET)
    assert (caught.value.code, caught.value.details) == (
        "upstream_failure",
        {"reason": Reason.TRANSPORT_FAILED.value},
    )
    _assert_no_canary(caught.value)


# -- no secret anywhere


BEARER = (GITHUB, "get-issue", ISSUE, "default")
HEADER: Any = (KEYS, "by-header", {}, "in-header")
QUERY: Any = (KEYS, "by-query", {}, "in-query")


@pytest.mark.parametrize("call", [BEARER, HEADER, QUERY], ids=["bearer", "header", "query"])
@pytest.mark.parametrize(
    "script",
    [
        sent(200, b'{"message": "no %s"}' % CANARY.encode(), content_type="text/html"),
        sent(401, CANARY.encode(), www_authenticate=f"Bearer {CANARY}"),
        sent(500, CANARY.encode()),
        sent(302, location=f"https://api.example.com/?key={CANARY}"),
        sent(200, b'{"a": "%s"' % CANARY.encode(), content_type="application/json"),
        [READ, {"send": f"HTTP/1.1 {CANARY}\r\n\r\n"}],
        [READ, {"reset": 1}],
        [{"plain": 1, "close": 1}],
    ],
)
def test_a_canary_is_nowhere(call: Any, script: Script, caplog: pytest.LogCaptureFixture) -> None:
    """Not in an error, its chain, a local of one of our frames, a log or a `repr`."""
    caplog.set_level(logging.DEBUG)
    path, action, value, profile = call
    leave = Leave(credentials={profile: Secret(CANARY)})
    served = external(path)

    async def main(time: VirtualTime) -> str:
        async with serving(script, time, server_tls("api.github.com", "api.example.com")) as upstream:
            transport = upstream.transport()
            with pytest.raises(ExtensionError) as caught:
                await answer(served, action, value, transport=transport, leave=leave)
            _assert_no_canary(caught.value)
            return f"{transport!r} {leave!r} {served!r}"

    assert CANARY not in run(main) + caplog.text


def _assert_no_canary(error: BaseException) -> None:
    assert error.__context__ is None
    assert error.__cause__ is None
    report = traceback.TracebackException.from_exception(error, capture_locals=True)
    ours = [frame for frame in report.stack if "/extpkg/" in frame.filename]
    assert ours
    shown = "".join(f"{frame.locals}" for frame in ours) + str(error) + repr(error)
    assert CANARY not in shown
    assert CANARY not in json.dumps(error.envelope()) if isinstance(error, ExtensionError) else True


def test_a_canary_is_not_in_the_audit() -> None:
    """R-REQ-7: the canonical form is that of the request before the credential."""
    plan = extpkg.compile_action(external(KEYS).definition, "by-query")
    request = plan.bind({})
    assert request.url == "https://api.example.com/records"
    assert "authorization" not in dict(request.headers)


def test_the_codes_that_a_package_can_end_with() -> None:
    assert external().fails_with == {
        "validation", "provider_auth_unavailable", "permission_denied", "not_found", "conflict",
        "rate_limited", "upstream_failure",
    }  # fmt: skip
    assert external(KEYS).fails_with == {
        "validation", "provider_auth_unavailable", "permission_denied", "rate_limited", "upstream_failure",
    }  # fmt: skip
    plain: Definition = replace(
        external(KEYS).definition,
        profiles=(),
        actions=tuple(replace(each, auth=None) for each in external(KEYS).definition.actions),
    )
    assert External(definition=plain, definition_digest="x").fails_with == {
        "validation",
        "rate_limited",
        "upstream_failure",
    }
    assert external().form is None
