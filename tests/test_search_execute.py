"""The four executors: one request each, deadline, credential and origin (seed 004 section 6, R-SRCH)."""

from __future__ import annotations

import json
import re
import traceback
from typing import TYPE_CHECKING, Any

import anyio
import pytest
from extensions import extension as other
from feeds import Answering
from loopback import Script, VirtualTime, run, server_tls, serving

import extpkg
from extpkg.connection import Connection
from extpkg.egress.send import GuardedTransport
from extpkg.errors import ExtensionError
from extpkg.extension import Call, ConnectionPolicy
from extpkg.invocation import serve
from extpkg.json_schema import compile_schema
from extpkg.providers import builtin_registry
from extpkg.providers.search import searxng
from extpkg.providers.search.call import api_key
from extpkg.providers.search.searxng import judge, parse_base_url
from extpkg.registry import register

if TYPE_CHECKING:
    import socket
    from collections.abc import Sequence

BUILTINS = builtin_registry().newest
KEYED = {
    "brave": ("api.search.brave.com", "x-subscription-token", ""),
    "serper": ("google.serper.dev", "x-api-key", ""),
    "tavily": ("api.tavily.com", "authorization", "Bearer "),
}
ENGINES = [*KEYED, "searxng"]
SECRET = "canary-6f1e0c"  # noqa: S105 - no one's
HOSTILE = "upstream-canary-55aa"
EMPTY = {
    "brave": b'{"type":"search","web":{"results":[]}}',
    "serper": b'{"organic":[]}',
    "searxng": b'{"results":[]}',
    "tavily": b'{"results":[]}',
}


def connection(engine: str, **config: Any) -> Connection:
    if engine == "searxng":
        return Connection(config={"baseUrl": "https://search.example/s", **config})
    return Connection(credentials={"apiKey": SECRET})


def refused(engine: str, transport: Any, made: Connection | None, value: Any = None) -> ExtensionError:
    with pytest.raises(ExtensionError) as caught:
        extpkg.invoke(engine, "search", value or {"query": "q"}, transport=transport, connection=made)
    return caught.value


@pytest.mark.parametrize("engine", KEYED)
def test_the_key_goes_into_its_header_and_nowhere_else(engine: str) -> None:
    """S071 to S074: a fixed origin, the credential in the one place, one request."""
    transport = Answering(EMPTY[engine])
    value = {"query": "q"}
    assert extpkg.invoke(
        engine, "search", value, transport=transport, connection=connection(engine)
    ).data == {"results": []}
    (request,) = transport.requests
    host, header, scheme = KEYED[engine]
    assert (request.url.scheme, request.url.host, request.url.port) == ("https", host, None)
    assert request.headers[header] == scheme + SECRET
    assert SECRET not in str(request.url)
    assert SECRET.encode() not in request.read()
    assert [SECRET in text for text in request.headers.values()].count(True) == 1
    assert "reach" not in request.extensions


def test_searxng_reaches_its_own_origin_alone() -> None:
    """S070, S075, S078."""
    transport = Answering(EMPTY["searxng"])
    made = Connection(config={"baseUrl": "http://LOCALHOST:8080/s/", "language": "pt-BR"})
    extpkg.invoke("searxng", "search", {"query": "a b", "limit": 3}, transport=transport, connection=made)
    (request,) = transport.requests
    assert str(request.url) == "http://localhost:8080/s/search?q=a%20b&format=json&language=pt-BR"
    reach = request.extensions["reach"]
    assert (reach.scheme, reach.host, reach.port) == ("http", "localhost", 8080)
    assert request.headers["accept-encoding"] == "gzip"


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("status", [500, 503, 408])
def test_nothing_is_sent_twice(engine: str, status: int) -> None:
    """S087."""
    transport = Answering(b"", status, {"retry-after": "0"})
    assert refused(engine, transport, connection(engine)).code == "upstream_failure"
    assert len(transport.requests) == 1


@pytest.mark.parametrize(
    ("engine", "key"),
    [*((engine, key) for engine in KEYED for key in (None, "line\nbreak", "clé")), ("tavily", "two words")],
)
def test_a_key_that_is_missing_or_cannot_be_sent(engine: str, key: str | None) -> None:
    """S085: told before any request; of the key nothing."""
    transport = Answering(EMPTY[engine])
    made = Connection(credentials={} if key is None else {"apiKey": key})
    error = refused(engine, transport, made)
    assert error.code == "provider_auth_unavailable"
    assert error.details == {"reason": "credential_missing" if key is None else "credential_malformed"}
    assert key is None or key not in "".join(traceback.format_exception(error))
    assert transport.requests == []


@pytest.mark.parametrize("engine", ENGINES)
def test_no_connection_and_several_connections(engine: str) -> None:
    """S048, S049, S068: fail closed, before the executor."""
    transport = Answering(EMPTY[engine])
    assert refused(engine, transport, None).code == "provider_auth_unavailable"

    async def several() -> Any:
        made = (connection(engine), connection(engine))
        return await serve(BUILTINS[engine], "search", {"query": "q"}, transport=transport, connections=made)

    with pytest.raises(ExtensionError) as caught:
        anyio.run(several)
    assert caught.value.code == "conflict"
    assert transport.requests == []


def test_an_executor_without_a_connection_sends_nothing() -> None:
    """Whoever calls it past the registry."""
    call = Call(action="search", value={"query": "q"}, transport=Answering(b""))
    with pytest.raises(ExtensionError, match="provider_auth_unavailable"):
        api_key(call)


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("status", [200, 204, 301, 400, 401, 402, 403, 404, 418, 422, 429, 432, 500])
def test_nothing_that_the_upstream_says_comes_through(engine: str, status: int) -> None:
    """S044, S086: neither words, nor headers, nor the status, nor the key."""
    told = {"message": HOSTILE, "error": {"code": HOSTILE, "detail": HOSTILE}, "errors": [{"code": HOSTILE}]}
    headers = {"x-canary": HOSTILE, "location": f"https://{HOSTILE}.example/", "retry-after": "77"}
    error = refused(engine, Answering(json.dumps(told).encode(), status, headers), connection(engine))
    shown = "".join(traceback.format_exception(error)) + json.dumps(error.envelope()) + repr(error)
    said = json.dumps(error.envelope())
    assert HOSTILE not in shown
    assert SECRET not in shown
    assert not {str(status), "77"} & set(re.findall("[0-9]+", said))
    assert error.__cause__ is None


@pytest.mark.parametrize("engine", ENGINES)
def test_a_result_has_nothing_of_the_provider_but_results(engine: str) -> None:
    """S044."""
    body = json.loads(EMPTY[engine]) | {"id": HOSTILE, "credits": HOSTILE}
    made = Answering(json.dumps(body).encode(), 200, {"x-request-id": HOSTILE})
    found = extpkg.invoke(engine, "search", {"query": "q"}, transport=made, connection=connection(engine))
    assert found.data == {"results": []}


def over_the_wire(
    engine: str, script: Script, *, black_hole: bool = False
) -> tuple[ExtensionError, float, int]:
    """Make one call to a server that follows the script: its error, its seconds, what arrived."""
    host = "search.example" if engine == "searxng" else KEYED[engine][0]

    async def nowhere(_: str, __: int) -> socket.socket:
        await anyio.sleep_forever()
        raise AssertionError

    async def main(time: VirtualTime) -> tuple[ExtensionError, float, int]:
        async with serving(script, time, server_tls(host)) as upstream:
            start = time.now
            transport = upstream.transport(dialer=nowhere if black_hole else None)
            with pytest.raises(ExtensionError) as caught:
                await extpkg.ainvoke(
                    engine, "search", {"query": "q"}, transport=transport, connection=connection(engine)
                )
            return caught.value, time.now - start, len(upstream.requests)

    return run(main)


@pytest.mark.parametrize("engine", ENGINES)
def test_an_answer_that_drips_ends_after_fifteen_seconds(engine: str) -> None:
    """S080: the deadline is a total, and the caller's own is another."""
    script: Script = [
        {"read_request": True},
        {"send": "HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\n"},
        {"drip": "x" * 100, "delay": 4.0},
    ]
    error, seconds, requests = over_the_wire(engine, script)
    assert (error.code, error.details) == ("upstream_failure", {"reason": "timed_out"})
    assert 15 <= seconds <= 15.5
    assert requests == 1


@pytest.mark.parametrize("engine", ENGINES)
def test_connecting_ends_after_five_seconds(engine: str) -> None:
    """S080."""
    error, seconds, requests = over_the_wire(engine, [], black_hole=True)
    assert (error.code, error.details) == ("upstream_failure", {"reason": "connect_timed_out"})
    assert 5 <= seconds <= 5.5
    assert requests == 0


@pytest.mark.parametrize("engine", KEYED)
@pytest.mark.parametrize(
    "address", ["127.0.0.1", "10.0.0.5", "100.64.0.1", "169.254.169.254", "::1", "fd00::5"]
)
def test_only_searxng_may_dial_a_private_address(engine: str, address: str) -> None:
    """S078, S079."""
    assert dialled(engine, connection(engine), [address]) == ("address_denied", [])


@pytest.mark.parametrize(
    ("address", "allowed"),
    [
        ("127.0.0.1", True),
        ("10.0.0.5", True),
        ("100.64.0.1", True),
        ("::1", True),
        ("fd00::5", True),
        ("8.8.8.8", True),
        ("169.254.169.254", False),
        ("100.100.100.200", False),
        ("168.63.129.16", False),
        ("192.0.0.192", False),
        ("fe80::1", False),
        ("fd00:ec2::254", False),
        ("fd20:ce::254", False),
        ("::ffff:169.254.169.254", False),
    ],
)
def test_where_searxng_may_dial(address: str, allowed: bool) -> None:
    """S078, R-SRCH-8."""
    reason, tried = dialled("searxng", connection("searxng"), [address])
    assert tried == ([address] if allowed else [])
    assert reason == ("not_connected" if allowed else "address_denied")


def dialled(engine: str, made: Connection, addresses: list[str]) -> tuple[str, list[str]]:
    """Return the reason of the failure and what was dialled where a name resolves to `addresses`."""
    tried = []

    async def resolver(_: str, __: int) -> Sequence[str]:
        return addresses

    async def dialer(address: str, _: int) -> socket.socket:
        tried.append(address)
        raise OSError

    error = refused(engine, GuardedTransport(resolver=resolver, dialer=dialer), made)
    assert error.details is not None
    return error.details["reason"], tried


# -- base URLs and forms

BASE_URLS = [
    ("http://10.0.0.5:8080", "http://10.0.0.5:8080"),
    ("http://10.0.0.5:8080/", "http://10.0.0.5:8080"),
    ("https://search.example", "https://search.example"),
    ("HTTPS://Search.EXAMPLE:443/A/b_~.-/", "https://search.example/A/b_~.-"),
    ("http://h:80", "http://h"),
    ("http://h:443", "http://h:443"),
    ("https://h:80", "https://h:80"),
    ("http://h:65535", "http://h:65535"),
    ("http://[::1]:8080", "http://[::1]:8080"),
    ("http://[FD00::5]", "http://[fd00::5]"),
    ("http://localhost", "http://localhost"),
    ("http://127.0.0.1/searxng", "http://127.0.0.1/searxng"),
    ("http://xn--bcher-kva.example", "http://xn--bcher-kva.example"),
    ("http://1.example", "http://1.example"),
    ("http://100.64.0.1", "http://100.64.0.1"),
]
NO_BASE_URLS = {
    "http://": ["search.example", "ftp://search.example", "//search.example", "http:search.example", "",
        "file:///s"],
    "user name": ["http://user@h", "http://user:password@h", "http://@h", "http://a@b@h"],
    "query": ["http://h?", "http://h/?q=1", "http://user:password@h?x"],
    "fragment": ["http://h#", "http://h/#f", "http://h?x#f"],
    "a host, and": ["http://", "http:///", "http://:80", "http://[::1", "http://::1", "http://[]", "http://h]x",
        "http://[::1]x"],
    "port": ["http://h:", "http://h:0", "http://h:65536", "http://h:08080", "http://h:8a", "http://h:-1",
        "http://h:80:80"],
    "a name, an IPv4": [
        "http://a..b", "http://h.", "http://.h", "http://-a", "http://a-", "http://a_b", "http://127.1",
        "http://2130706433", "http://0x7f.0.0.1", "http://0x7f000001", "http://127.0.0.01", "http://1.2.3.4.5",
        "http://256.0.0.1", "http://a.0x", "http://[1.2.3.4]", "http://[:::1]", f"http://{'a' * 64}", "http://a%41b",
        "http://" + ".".join(["a" * 50] * 6), "http://h,i", "http://*.example", "http://a.7",
    ],
    "denied": [
        "http://169.254.169.254", "http://100.100.100.200", "http://192.0.0.192", "http://168.63.129.16",
        "http://[fe80::1]", "http://[fd00:ec2::254]", "http://[fd20:ce::254]", "http://0.0.0.0", "http://[::]",
        "http://224.0.0.1",
    ],
    "path": ["http://h//", "http://h/a//b", "http://h/./a", "http://h/..", "http://h/a/../b", "http://h/%2e",
        "http://h/a;b", "http://h/a:b"],
    "visible ASCII": ["http://h ", " http://h", "http://h\n", "http://b\u00fccher.example",
        "http://h/\u00e9", "http://h\\a\x00"],
}  # fmt: skip


@pytest.mark.parametrize(("text", "shown"), BASE_URLS)
def test_base_urls(text: str, shown: str) -> None:
    """S076, R-SRCH-8."""
    found = parse_base_url(text)
    assert str(found) == shown
    assert parse_base_url(str(found)) == found
    assert judge({"baseUrl": text}) == ()


@pytest.mark.parametrize(
    ("words", "text"), [(words, text) for words, texts in NO_BASE_URLS.items() for text in texts], ids=ascii
)
def test_what_is_no_base_url(words: str, text: str) -> None:
    """S076: refused alike by the form and by the executor, which sends nothing."""
    (violation,) = judge({"baseUrl": text})
    assert violation.pointer == "/baseUrl"
    assert violation.message.startswith("must ")
    assert words in violation.message
    assert "user:" not in violation.message
    transport = Answering(EMPTY["searxng"])
    error = refused("searxng", transport, Connection(config={"baseUrl": text}))
    assert (error.code, error.details) == ("provider_auth_unavailable", {"reason": "connection_invalid"})
    assert transport.requests == []


@pytest.mark.parametrize("engine", ENGINES)
def test_forms(engine: str) -> None:
    """S006, S055 to S057."""
    extension = BUILTINS[engine].extension
    assert BUILTINS[engine].policy is ConnectionPolicy.REQUIRED
    form, probe = extension.form, extension.probe
    assert form is not None
    assert probe is not None
    schema = compile_schema(form.config_schema)
    if engine == "searxng":
        assert form.credentials == ()
        assert schema.accepts({"baseUrl": "http://h"})
        assert schema.accepts({"baseUrl": "http://h", "language": "pt-BR"})
        assert not schema.accepts({"language": "en"})
        assert not schema.accepts({"baseUrl": "http://h", "apiKey": "k"})
    else:
        assert [(each.name, each.required) for each in form.credentials] == [("apiKey", True)]
        assert schema.accepts({})
        assert not schema.accepts({"baseUrl": "http://h"})
    assert not schema.accepts([])
    (action,) = extension.definition.actions
    assert probe.action == action.name
    assert compile_schema(action.catalog.input_schema).accepts(probe.value)
    assert all(hint.endswith(".") for hint in form.hints.values())


@pytest.mark.parametrize(
    ("language", "accepted"),
    [
        ("en", True), ("pt-BR", True), ("zh_Hans_CN", True), ("all", True), ("auto", True),
        ("", False), ("e", False), ("en-", False), ("en&x=1", False), ("en\n", False), ("\u0435n", False),
    ],
)  # fmt: skip
def test_languages(language: str, accepted: bool) -> None:
    """The form and the executor take the same ones."""
    config = {"baseUrl": "http://h", "language": language}
    assert compile_schema(searxng.FORM.config_schema).accepts(config) is accepted
    transport = Answering(EMPTY["searxng"])
    if accepted:
        extpkg.invoke(
            "searxng", "search", {"query": "q"}, transport=transport, connection=Connection(config=config)
        )
        assert transport.requests[0].url.params["language"] == language
    else:
        assert refused("searxng", transport, Connection(config=config)).code == "provider_auth_unavailable"


@pytest.mark.parametrize(
    ("status", "body", "reason"),
    [
        (403, b"<!doctype html>", "forbidden"),
        (301, b"", "redirected"),
        (200, b"<html>", "answer_malformed"),
        (200, b'{"results":[],"unresponsive_engines":[["google","CAPTCHA"]]}', "engines_unresponsive"),
    ],
)
def test_known_faults_of_an_instance_have_hints(status: int, body: bytes, reason: str) -> None:
    """S065, R-SRCH-5."""
    error = refused("searxng", Answering(body, status), connection("searxng"))
    assert (error.code, error.details) == ("upstream_failure", {"reason": reason})
    assert reason in searxng.FORM.hints


def test_a_search_engine_stands_beside_any_other_builtin() -> None:
    """S011, S022."""
    made = register([other(), *(BUILTINS[engine].extension for engine in ENGINES)])
    assert len(made.builtins) == 5
