"""Credentials: written last and by one door, taken out again, and within reach of nothing that is raised."""

from __future__ import annotations

import traceback
from typing import TYPE_CHECKING, Any

import anyio
import httpx
import pytest
from hypothesis import given
from hypothesis import strategies as st
from loopback import NAME, URL, VirtualTime, run, serving

from extpkg.egress.credential import Credential, Place, with_credential, without_credential
from extpkg.egress.failure import EgressFailure, ReplayMismatch
from extpkg.egress.foreign import ForeignTransport
from extpkg.egress.record import RecordingTransport
from extpkg.egress.replay import ReplayTransport
from extpkg.egress.send import bare, send
from extpkg.errors import ExtensionError
from extpkg.exchange import Exchange, Request, Response
from extpkg.secret import Secret

if TYPE_CHECKING:
    from collections.abc import Callable

    from loopback import Script

CANARY = "canary~5f2a91=="
SECRET = Secret(CANARY)
READ = {"read_request": True}
OK: Script = [READ, {"send": "HTTP/1.1 200 OK\r\nContent-Type: a/b\r\nContent-Length: 2\r\n\r\n{}"}]
POST = Request(
    method="POST", url=f"{URL}?a=1", headers=(("content-type", "application/json"), ("x-a", "1")), body=b"{}"
)
EVERY = [
    Credential.bearer(SECRET),
    Credential.header("X-Api-Key", SECRET),
    Credential.query("api key", SECRET),
]
IDS = ["bearer", "header", "query"]


def on_the_wire(credential: Credential, request: Request = POST) -> bytes:
    async def main(time: VirtualTime) -> bytes:
        async with serving(OK, time) as upstream:
            await send(request, transport=upstream.transport(), credential=credential)
            return upstream.requests[0]

    return run(main)


@pytest.mark.parametrize(
    ("credential", "target", "last"),
    [
        (EVERY[0], b"/v1/items?a=1", b"x-a: 1\r\nauthorization: Bearer canary~5f2a91==\r\n"),
        (EVERY[1], b"/v1/items?a=1", b"x-a: 1\r\nx-api-key: canary~5f2a91==\r\n"),
        (EVERY[2], b"/v1/items?a=1&api%20key=canary~5f2a91%3D%3D", b"x-a: 1\r\n"),
    ],
    ids=IDS,
)
def test_it_is_added_and_nothing_else(credential: Credential, target: bytes, last: bytes) -> None:
    """R-RES-3: the engine's headers and the credential, an `api_key` of the query as the last pair."""
    assert on_the_wire(credential) == (
        b"POST " + target + b" HTTP/1.1\r\n"
        b"host: api.example.com\r\nuser-agent: extpkg\r\naccept-encoding: identity\r\nconnection: close\r\n"
        b"content-length: 2\r\ncontent-type: application/json\r\n" + last + b"\r\n{}"
    )


def test_it_is_the_only_pair_of_a_query() -> None:
    sent = on_the_wire(Credential.query("key", SECRET), Request(method="GET", url=URL))
    assert sent.startswith(b"GET /v1/items?key=canary~5f2a91%3D%3D HTTP/1.1\r\n")


@given(
    st.sampled_from([URL, f"{URL}?a=1", f"{URL}?a=%26&b=%3F"]),
    st.text(st.characters(min_codepoint=0x20, exclude_categories=["Cs", "Cc"]), min_size=1),
    st.sampled_from(["key", "a b", "k[]", "é"]),
)
def test_what_is_written_is_taken_out(url: str, text: str, name: str) -> None:
    credential = Credential.query(name, Secret(text))
    written, headers = with_credential(url, POST.headers, credential)
    assert written.startswith(url)
    assert httpx.URL(written).params.get(name) == text
    assert without_credential(written, headers, credential.place) == (url, POST.headers)


@pytest.mark.parametrize("credential", EVERY, ids=IDS)
def test_what_is_kept_or_compared_is_without_it(credential: Credential) -> None:
    """R-FIX-1: replay needs none, and a record holds none."""
    exchange = Exchange(request=POST, response=Response(status=200, body=b"hi"))
    replay = ReplayTransport([exchange])
    recording = RecordingTransport(replay)

    async def main() -> Response:
        return await send(POST, transport=recording, credential=credential)

    assert anyio.run(main).body == b"hi"
    assert replay.differences() == ()
    (kept,) = recording.exchanges
    assert kept.request == POST


@pytest.mark.parametrize("credential", EVERY, ids=IDS)
def test_a_request_goes_with_the_place_alone(credential: Credential) -> None:
    seen: list[httpx.Request] = []

    def answer(request: httpx.Request) -> httpx.Response:
        seen.append(request)
        return httpx.Response(200)

    async def main() -> Request:
        await send(POST, transport=httpx.MockTransport(answer), credential=credential)
        return await bare(seen[0])

    assert anyio.run(main) == POST
    assert CANARY not in repr(seen[0].extensions)
    assert isinstance(seen[0].extensions["credential"], Place)


@pytest.mark.parametrize("text", ["a\r\nx: y", "a\nb", "a\rb", "a\0b", "a\x7f", "a\x85b", "\ud800", "a\tb"])
@pytest.mark.parametrize(
    "make",
    [Credential.bearer, lambda s: Credential.header("k", s), lambda s: Credential.query("k", s)],
    ids=IDS,
)
def test_controls_are_refused_and_not_shown(make: Callable[[Secret], Credential], text: str) -> None:
    _refused(make, f"canary{text}")


@pytest.mark.parametrize("text", [" a", "a ", "é", "a\u2028"])
def test_a_header_takes_visible_ascii(text: str) -> None:
    """R-REQ-4 holds for credentials too."""
    _refused(lambda secret: Credential.header("k", secret), f"{text}canary{text}")
    _refused(Credential.bearer, f"{text}canary{text}")


@pytest.mark.parametrize("text", ["1|abc", "a.b-c_d~e+f/g==", "x"])
def test_a_bearer_token_may_be(text: str) -> None:
    assert Credential.bearer(Secret(text)).place.name == "authorization"
    _refused(Credential.bearer, f"{text} canary")
    assert Credential.header("k", Secret(f"{text} {text}")).place == Place(location="header", name="k")


def _refused(make: Callable[[Secret], Credential], text: str) -> None:
    secret = Secret(text)
    with pytest.raises(ExtensionError) as caught:
        make(secret)
    assert caught.value.code == "provider_auth_unavailable"
    assert caught.value.details == {"reason": "credential_malformed"}
    shown = traceback.TracebackException.from_exception(caught.value, capture_locals=True)
    # this function's own argument is the one place that may hold it
    frames = [frame for frame in shown.stack if frame.name != "_refused"]
    assert "canary" not in "".join(f"{frame.locals}" for frame in frames) + str(caught.value)


@pytest.mark.parametrize(
    ("make", "longest", "more"),
    [
        (Credential.bearer, "canary".ljust(16_384, "x"), "x"),
        (lambda s: Credential.header("k", s), "canary".ljust(16_384, "x"), "x"),
        (lambda s: Credential.query("k", s), "canary".ljust(4_999, "x"), "x"),
        (lambda s: Credential.query("k\u560d", s), "canary" + 553 * "\u560d", "\u560d"),
    ],
    ids=[*IDS, "query-encoded"],
)
def test_a_text_that_is_too_long_is_refused(
    make: Callable[[Secret], Credential], longest: str, more: str
) -> None:
    """A pair of the query is counted as it is written: `%XX` is three characters."""
    assert make(Secret(longest)).secret.reveal() == longest
    _refused(make, longest + more)


@pytest.mark.parametrize(
    ("request_", "credential"),
    [
        (Request(method="GET", url=URL, headers=(("authorization", "x"),)), EVERY[0]),
        (Request(method="GET", url=URL, headers=(("x-api-key", "x"),)), EVERY[1]),
        (Request(method="GET", url=f"{URL}?api%20key=x&b=1"), EVERY[2]),
        (Request(method="GET", url=f"{URL}?b=1&api%20key"), EVERY[2]),
        (Request(method="GET", url=f"{URL}?a={'x' * 64_000}"), Credential.query("k", Secret("x" * 4_000))),
        (Request(method="GET", url=URL, headers=(("x-a", "b\nc"),)), EVERY[0]),
    ],
)
def test_a_place_that_is_taken(request_: Request, credential: Credential) -> None:
    """R-BIND-5: there is one writer, and nobody writes before it."""

    async def main(time: VirtualTime) -> None:
        async with serving(OK, time) as upstream:
            with pytest.raises(ValueError, match="cannot be sent"):
                await send(request_, transport=upstream.transport(), credential=credential)
            assert upstream.dialled == []

    run(main)


class _Failing(httpx.AsyncBaseTransport):
    """Raises what it is told, its own exception full of what it was given."""

    def __init__(self, make: Callable[[str], BaseException]) -> None:
        self.make = make

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        held = f"{request.url} {request.headers.raw}"
        raise self.make(held)


RAISED: list[Callable[[str], BaseException]] = [
    OSError,
    httpx.ReadError,
    ValueError,
    UnicodeError,
    KeyError,
    RecursionError,
    MemoryError,
    StopAsyncIteration,
    ReplayMismatch,
    Exception,
    lambda text: ExceptionGroup(text, [ValueError(text)]),
    lambda text: ExtensionError("not_found", text),
]


@pytest.mark.parametrize("make", RAISED)
@pytest.mark.parametrize("credential", EVERY, ids=IDS)
def test_whatever_a_transport_raises_stops(
    make: Callable[[str], BaseException], credential: Credential
) -> None:
    """R-ERR-1: and no local of any frame of it holds the credential."""

    async def main() -> None:
        await send(POST, transport=ForeignTransport(_Failing(make)), credential=credential)

    with pytest.raises(EgressFailure, match="transport_failed") as caught:
        anyio.run(main)
    assert_out_of_reach(caught.value)


class _Answering(httpx.AsyncBaseTransport):
    def __init__(self, answer: Any) -> None:
        self.answer = answer

    async def handle_async_request(self, request: httpx.Request) -> Any:
        del request
        return self.answer


@pytest.mark.parametrize("answer", [None, 5, httpx.Response(200, stream=httpx.SyncByteStream())])
def test_what_is_no_answer(answer: Any) -> None:
    async def main() -> None:
        await send(POST, transport=ForeignTransport(_Answering(answer)), credential=EVERY[0])

    with pytest.raises(EgressFailure, match="transport_failed") as caught:
        anyio.run(main)
    assert_out_of_reach(caught.value)


@pytest.mark.parametrize("credential", EVERY, ids=IDS)
@pytest.mark.parametrize(
    "script",
    [[READ, {"reset": 1}], [READ, {"send": "HTTP/1.1 200 \x01\r\n\r\n"}], [{"plain": 1, "close": 1}]],
)
def test_a_failure_of_the_network_does_not_lead_to_it(script: Script, credential: Credential) -> None:
    async def main(time: VirtualTime) -> None:
        async with serving(script, time) as upstream:
            with pytest.raises(EgressFailure) as caught:
                await send(POST, transport=upstream.transport(), credential=credential)
            assert_out_of_reach(caught.value)

    run(main)


@pytest.mark.parametrize("credential", EVERY, ids=IDS)
def test_a_mismatch_does_not_lead_to_it(credential: Credential) -> None:
    replay = ReplayTransport([])

    async def main() -> None:
        await send(POST, transport=replay, credential=credential)

    with pytest.raises(ReplayMismatch) as caught:
        anyio.run(main)
    assert_out_of_reach(caught.value)
    assert [each.made for each in replay.differences()] == [POST]


@pytest.mark.parametrize("credential", EVERY, ids=IDS)
def test_a_request_that_cannot_be_sent_does_not_lead_to_it(credential: Credential) -> None:
    headers = (*POST.headers, ("x-b", "\n"))
    request = Request(method="GET", url=f"https://{NAME}/", headers=headers)

    async def main(time: VirtualTime) -> None:
        async with serving(OK, time) as upstream:
            with pytest.raises(ValueError, match="cannot be sent") as caught:
                await send(request, transport=upstream.transport(), credential=credential)
            assert_out_of_reach(caught.value)

    run(main)


def assert_out_of_reach(error: BaseException) -> None:
    """Nothing that an error reporter could show holds the credential: no text, no chain, no local."""
    assert error.__cause__ is None
    assert error.__context__ is None
    report = traceback.TracebackException.from_exception(error, capture_locals=True)
    frames = [frame for frame in report.stack if "/extpkg/" in frame.filename]
    shown = "".join(f"{frame.name} {frame.locals}" for frame in frames) + str(error) + repr(error)
    assert "send" in shown
    assert "canary" not in shown
