"""One whole exchange: what goes out, what comes back, and what of it anybody else may see."""

from __future__ import annotations

import inspect
import logging
import traceback
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import anyio
import httpx
import pytest
from hypothesis import given
from hypothesis import strategies as st
from loopback import GET, NAME, URL, VirtualTime, assert_bare, call, client_tls, run, serving

from extpkg.egress import send as door
from extpkg.egress.clock import Budget
from extpkg.egress.dial import connect
from extpkg.egress.failure import EgressFailure, Reason
from extpkg.egress.send import GuardedTransport, send
from extpkg.exchange import Request, Response

if TYPE_CHECKING:
    from collections.abc import Callable

    from loopback import Script

READ = {"read_request": True}
OK: Script = [READ, {"send": "HTTP/1.1 200 OK\r\nContent-Type: a/b\r\nContent-Length: 2\r\n\r\n{}"}]
CANARY = "sk-canary-7f3a"


def test_exactly_these_bytes_go_out() -> None:
    outcome = call(OK)
    assert outcome.result == Response(
        status=200, headers=(("content-type", "a/b"), ("content-length", "2")), body=b"{}"
    )
    (sent,) = outcome.upstream.requests
    assert sent == (
        b"GET /v1/items HTTP/1.1\r\n"
        b"host: api.example.com\r\nuser-agent: extpkg\r\naccept-encoding: identity\r\n"
        b"connection: close\r\n\r\n"
    )


def test_exactly_these_bytes_go_out_with_a_body() -> None:
    headers = (("accept", "application/json"), ("content-type", "application/json"))
    request = Request(method="POST", url=URL + "?a=%2C&b=,", headers=headers, body=b'{"a":1}')
    (sent,) = call(OK, request).upstream.requests
    assert sent == (
        b"POST /v1/items?a=%2C&b=, HTTP/1.1\r\n"
        b"host: api.example.com\r\nuser-agent: extpkg\r\naccept-encoding: identity\r\nconnection: close\r\n"
        b"content-length: 7\r\naccept: application/json\r\ncontent-type: application/json\r\n\r\n"
        b'{"a":1}'
    )


def test_a_port_shows_in_host_alone() -> None:
    async def main(time: VirtualTime) -> None:
        async with serving(OK, time) as upstream:

            async def dialer(address: str, port: int) -> Any:
                assert (address, port) == ("140.82.112.3", 8443)
                return await connect("127.0.0.1", upstream.port)

            async def resolver(name: str, port: int) -> list[str]:
                assert (name, port) == (NAME, 8443)
                return ["140.82.112.3"]

            transport = upstream.transport(resolver=resolver, dialer=dialer)
            await send(Request(method="GET", url=f"https://{NAME}:8443/"), transport=transport)
            assert b"\r\nhost: api.example.com:8443\r\n" in upstream.requests[0]

    run(main)


def test_a_client_of_httpx_cannot_change_what_the_engine_writes() -> None:
    """The transport is httpx's kind; its client's own headers give way to the engine's."""

    async def main(time: VirtualTime) -> None:
        async with (
            serving(OK, time) as upstream,
            httpx.AsyncClient(transport=upstream.transport(), headers={"connection": "keep-alive"}) as client,
        ):
            answer = await client.put(
                URL, content=b"hi", headers={"host": "evil.example", "transfer-encoding": "x"}
            )
            assert (answer.status_code, answer.content) == (200, b"{}")
            head = upstream.requests[0].partition(b"\r\n\r\n")[0].split(b"\r\n")[1:]
            assert head[:5] == [
                b"host: api.example.com", b"user-agent: extpkg", b"accept-encoding: identity",
                b"connection: close", b"content-length: 2",
            ]  # fmt: skip
            assert head[5:] == [b"accept: */*"]

    run(main)


def test_nothing_is_kept_between_calls() -> None:
    """A041, S082: every call resolves and connects anew, and sends no cookie."""
    script: Script = [
        READ,
        {"send": "HTTP/1.1 200 OK\r\nSet-Cookie: a=b; Domain=example.com\r\nContent-Length: 0\r\n\r\n"},
    ]

    async def main(time: VirtualTime) -> None:
        async with serving(script, time) as upstream:
            transport = upstream.transport()
            for _ in range(3):
                await send(GET, transport=transport)
            assert len(set(upstream.requests)) == 1
            assert upstream.resolved == [NAME] * 3
            assert len(upstream.dialled) == 3

    run(main)


def test_the_environment_is_not_asked(monkeypatch: pytest.MonkeyPatch, tmp_path: Any) -> None:
    """A041, S082."""
    (tmp_path / ".netrc").write_text(f"machine {NAME} login a password {CANARY}\n", encoding="utf-8")
    keys = tmp_path / "keys"
    for name in ("HTTPS_PROXY", "https_proxy", "ALL_PROXY", "HTTP_PROXY"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    monkeypatch.setenv("NETRC", str(tmp_path / ".netrc"))
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("SSLKEYLOGFILE", str(keys))
    monkeypatch.setenv("SSL_CERT_FILE", str(tmp_path / "none.pem"))
    outcome = call(OK)
    assert isinstance(outcome.result, Response)
    assert b"authorization" not in outcome.upstream.requests[0]
    assert not keys.exists()


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_redirects_are_answers(status: int) -> None:
    """A042, S077, S083: the caller sees the status; nobody goes anywhere."""
    outcome = call([READ, {"send": f"HTTP/1.1 {status} x\r\nLocation: {URL}\r\nContent-Length: 0\r\n\r\n"}])
    assert isinstance(outcome.result, Response)
    assert outcome.result.status == status
    assert len(outcome.upstream.requests) == len(outcome.upstream.dialled) == 1


def test_a_lost_connection_is_not_tried_again() -> None:
    """P297."""
    outcome = call([READ, {"reset": True}], Request(method="POST", url=URL, body=b"{}"))
    assert outcome.result is Reason.CONNECTION_LOST
    assert len(outcome.upstream.dialled) == 1


@pytest.mark.parametrize(
    "url",
    [
        "http://api.example.com/",
        "ftp://api.example.com/",
        "https://user@api.example.com/",
        "https://api.example.com/#f",
        "https://[2a00::1]/",
        "https:///a",
        "https://api_x.example.com/",
        "https://api.example.com./",
        "https://api.example.com:0/",
        "https://api.example.com:65536/",
        f"https://{'a' * 64}.example.com/",
        f"https://{'a.' * 127}example.com/",
    ],
)
def test_only_plain_https_origins(url: str) -> None:
    """P300: nobody is asked or dialled."""

    async def main(time: VirtualTime) -> None:
        async with serving(OK, time) as upstream:
            with pytest.raises(ValueError, match=r"origin|form"):
                await send(Request(method="GET", url=url), transport=upstream.transport())
            assert upstream.resolved == upstream.dialled == []

    run(main)


@pytest.mark.parametrize(
    "url",
    [
        "https://a.example/a/../b",
        "https://a.example/a b",
        "HTTPS://a.example/",
        "https://A.example/",
        "https://a.example:443/",
        "https://a.example/\0",
        "https://xn--a.example:x/",
    ],
)
def test_only_urls_in_their_one_form(url: str) -> None:
    with pytest.raises(ValueError, match="one form"):
        anyio.run(lambda: send(Request(method="GET", url=url), transport=GuardedTransport()))


SEGMENT = st.text(st.sampled_from("abzAZ09-._~!$&'()*+,;=:@"), min_size=1).filter(
    lambda text: text not in {".", ".."}
)
ESCAPED = st.binary(min_size=1, max_size=4).map(lambda data: "".join(f"%{byte:02X}" for byte in data))
PART = st.one_of(SEGMENT, ESCAPED)


@given(st.lists(PART, min_size=1, max_size=4), st.lists(st.tuples(ESCAPED, PART), max_size=3))
def test_every_bound_url_goes_out_as_it_is(path: list[str], query: list[tuple[str, str]]) -> None:
    target = "/" + "/".join(path)
    if query:
        target += "?" + "&".join(f"{name}={value}" for name, value in query)
    seen: list[str] = []

    def answer(request: httpx.Request) -> httpx.Response:
        seen.append(request.url.raw_path.decode())
        return httpx.Response(200)

    request = Request(method="GET", url=f"https://{NAME}{target}")
    anyio.run(lambda: send(request, transport=httpx.MockTransport(answer)))
    assert seen == [target]


def test_there_is_no_switch() -> None:
    """P306: what the transport takes, and nothing that names a network."""
    assert set(inspect.signature(GuardedTransport).parameters) == {
        "resolver",
        "dialer",
        "clock",
        "tls",
        "budget",
    }
    assert set(Budget.__slots__) == {"connect", "header", "total", "raw", "head", "bodies"}


@pytest.mark.parametrize(
    ("script", "budget", "reason", "seconds"),
    [
        ([READ, {"hang": 1}], Budget(total=7), Reason.TIMED_OUT, 7),
        ([READ, {"hang": 1}], Budget(header=3), Reason.HEADERS_TIMED_OUT, 3),
        ([{"plain": 1, "hang": 1}], Budget(header=3), Reason.HEADERS_TIMED_OUT, 3),
        (
            [READ, {"send": "HTTP/1.1 200 OK\r\nContent-Length: 11\r\n\r\n"}],
            Budget(raw=10),
            Reason.BODY_TOO_LARGE,
            0,
        ),
        (
            [READ, {"send": "HTTP/1.1 200 OK\r\nContent-Length: 11\r\n\r\n"}],
            Budget(head=9),
            Reason.HEADERS_TOO_LARGE,
            0,
        ),
    ],
)
def test_a_budget_goes_with_the_request(
    script: Script, budget: Budget, reason: Reason, seconds: float
) -> None:
    outcome = call(script, budget=budget)
    assert (outcome.result, outcome.seconds) == (reason, seconds)


def test_handshake_and_headers_share_ten_seconds() -> None:
    """P305."""
    outcome = call(
        [{"plain": 1, "sleep": 4}, READ, {"sleep": 4}, {"send": "HTTP/1.1 200 OK\r\n"}, {"hang": 1}]
    )
    assert (outcome.result, outcome.seconds) == (Reason.HEADERS_TIMED_OUT, 10)


def test_connecting_does_not_shorten_them() -> None:
    async def main(time: VirtualTime) -> float:
        async with serving([READ, {"hang": 1}], time) as upstream:

            async def dialer(address: str, port: int) -> Any:
                await time.sleep(4)
                return await upstream.dialer(address, port)

            start = time.now
            with pytest.raises(EgressFailure, match="headers_timed_out"):
                await send(GET, transport=upstream.transport(dialer=dialer))
            return time.now - start

    assert run(main) == 14


class Piecemeal(httpx.AsyncByteStream):
    def __init__(self, pieces: list[bytes], error: Exception | None = None) -> None:
        self.pieces = pieces
        self.error = error
        self.is_closed = False

    async def __aiter__(self) -> Any:
        for piece in self.pieces:
            yield piece
        if self.error:
            raise self.error

    async def aclose(self) -> None:
        self.is_closed = True


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        (lambda: httpx.Response(200, content=b"hi"), b"hi"),
        (lambda: httpx.Response(200, stream=Piecemeal([b"h", b"i"])), b"hi"),
        (lambda: httpx.Response(200, stream=Piecemeal([b"x" * 6, b"x" * 5])), Reason.BODY_TOO_LARGE),
        (
            lambda: httpx.Response(200, headers={"content-encoding": "br"}, stream=Piecemeal([])),
            Reason.ENCODED,
        ),
        (
            lambda: httpx.Response(200, stream=Piecemeal([b"h"], httpx.ReadError(CANARY))),
            Reason.TRANSPORT_FAILED,
        ),
    ],
)
def test_what_holds_over_any_transport(
    answer: Callable[[], httpx.Response], expected: bytes | Reason
) -> None:
    given_answer = answer()

    async def main() -> bytes | Reason:
        transport = httpx.MockTransport(lambda _: given_answer)
        try:
            return (await send(GET, transport=transport, budget=Budget(raw=10))).body
        except EgressFailure as failure:
            assert_bare(failure)
            return failure.reason

    assert anyio.run(main) == expected
    if isinstance(given_answer.stream, Piecemeal):
        assert given_answer.stream.is_closed


@pytest.mark.parametrize(
    "error", [httpx.ConnectError(CANARY), httpx.ReadTimeout(CANARY), OSError(CANARY), httpx.StreamClosed()]
)
def test_what_another_transport_raises(error: Exception) -> None:
    def fail(_: httpx.Request) -> httpx.Response:
        raise error

    async def main() -> None:
        with pytest.raises(EgressFailure) as caught:
            await send(GET, transport=httpx.MockTransport(fail))
        assert caught.value.reason is Reason.TRANSPORT_FAILED
        assert_bare(caught.value)

    anyio.run(main)


UNREAD: list[Script] = [
    [READ, {"send": "HTTP/1.1 404 No\r\nContent-Length: 9999999\r\n\r\n"}, {"hang": 1}],
    [
        READ,
        {"send": "HTTP/1.1 404 No\r\nContent-Encoding: br\r\nTransfer-Encoding: chunked\r\n\r\n"},
        {"hang": 1},
    ],
    [READ, {"send": "HTTP/1.1 404 No\r\nContent-Length: 3\r\n\r\nx"}, {"reset": 1}],
]


@pytest.mark.parametrize("script", UNREAD)
def test_a_body_that_nobody_needs_is_not_read(script: Script) -> None:
    """R-BIND-8: nothing is read, so nothing of it can fail; the headers are judged as ever."""
    outcome = call(script, budget=Budget(bodies=frozenset({200})))
    assert isinstance(outcome.result, Response)
    assert (outcome.result.status, outcome.result.body, outcome.seconds) == (404, b"", 0)
    assert isinstance(call(script).result, Reason)


def test_a_body_that_nobody_needs_over_any_transport() -> None:
    stream = Piecemeal([b"x"], httpx.ReadError(CANARY))

    async def main() -> Response:
        transport = httpx.MockTransport(lambda _: httpx.Response(404, stream=stream))
        return await send(GET, transport=transport, budget=Budget(bodies=frozenset()))

    assert anyio.run(main).body == b""
    assert stream.is_closed


def test_the_total_holds_over_any_transport() -> None:
    async def stall(_: httpx.Request) -> httpx.Response:
        await anyio.sleep_forever()
        raise AssertionError

    async def main() -> None:
        with pytest.raises(EgressFailure, match="timed_out"):
            await send(GET, transport=httpx.MockTransport(stall), budget=Budget(total=0.01))

    anyio.run(main)


SECRETS: list[Script] = [
    [READ, {"send": f"HTTP/1.1 200 {CANARY}\r\nX-{CANARY}: {CANARY}\r\nContent-Length: 14\r\n\r\n{CANARY}"}],
    [READ, {"send": f"HTTP/1.1 {CANARY}\r\n\r\n"}],
    [READ, {"send": f"HTTP/1.1 200 OK\r\n{CANARY}\r\n\r\n"}],
    [READ, {"send": f"HTTP/1.1 200 OK\r\nContent-Length: {CANARY}\r\n\r\n"}],
    [READ, {"send": f"HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\n{CANARY}"}, {"close": 1}],
    [READ, {"send": f"HTTP/1.1 200 OK\r\nContent-Encoding: {CANARY}\r\n\r\n{CANARY}"}],
    [READ, {"send": f"HTTP/1.1 302 x\r\nLocation: https://{CANARY}.example/\r\nContent-Length: 0\r\n\r\n"}],
    [{"plain": 1, "send": CANARY * 9}, {"plain": 1, "hang": 1}],
    [READ, {"reset": 1}],
]


@pytest.mark.parametrize("script", SECRETS)
def test_no_secret_reaches_a_text(script: Script, caplog: pytest.LogCaptureFixture) -> None:
    """R-RES-4: not a message, a log, an exception's chain or a repr."""
    caplog.set_level(logging.DEBUG)
    request = Request(
        method="POST",
        url=f"{URL}/{CANARY}?k={CANARY}",
        headers=(("authorization", CANARY),),
        body=CANARY.encode(),
    )
    texts = [repr(request)]

    async def main(time: VirtualTime) -> None:
        async with serving(script, time) as upstream:
            transport = upstream.transport()
            texts.append(repr(transport))
            try:
                texts.append(repr(await send(request, transport=transport)))
            except EgressFailure as failure:
                assert_bare(failure)
                texts.extend(traceback.format_exception(failure))

    run(main)
    assert CANARY not in "".join(texts) + caplog.text
    assert "140.82" not in "".join(texts) + caplog.text


def test_a_denied_or_unreachable_address_shows_nowhere() -> None:
    async def refuse(address: str, port: int) -> Any:
        raise ConnectionRefusedError(111, f"{address}:{port}")

    async def private(name: str, port: int) -> list[str]:
        del name, port
        return ["10.1.2.3"]

    async def main(time: VirtualTime) -> None:
        async with serving(OK, time) as upstream:
            for transport in (upstream.transport(dialer=refuse), upstream.transport(resolver=private)):
                with pytest.raises(EgressFailure) as caught:
                    await send(GET, transport=transport)
                assert_bare(caught.value)

    run(main)


def test_under_trio() -> None:
    """Nothing here is asyncio's alone."""
    import trio
    from anyio.abc import SocketAttribute
    from anyio.streams.tls import TLSStream
    from loopback import read_request, server_tls

    async def answer(stream: Any) -> None:
        async with stream:
            secured = await TLSStream.wrap(
                stream, ssl_context=server_tls(), server_side=True, standard_compatible=False
            )
            await read_request(secured)
            await secured.send(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi")
            await trio.sleep(0.01)

    async def main() -> bytes:
        async with (
            await anyio.create_tcp_listener(local_host="127.0.0.1") as listener,
            anyio.create_task_group() as group,
        ):
            group.start_soon(listener.serve, answer)
            port = listener.extra(SocketAttribute.local_port)  # noqa: S610 - anyio's, not Django's

            async def resolver(name: str, port: int) -> list[str]:
                del name, port
                return ["140.82.112.3"]

            async def dialer(address: str, _: int) -> Any:
                del address
                return await connect("127.0.0.1", port)

            transport = GuardedTransport(resolver=resolver, dialer=dialer, tls=client_tls())
            body = (await send(GET, transport=transport)).body
            group.cancel_scope.cancel()
        return body

    assert anyio.run(main, backend="trio") == b"hi"


def test_the_door_is_httpx() -> None:
    assert door.Transport is httpx.AsyncBaseTransport
    assert replace(GET, method="POST").method == "POST"
