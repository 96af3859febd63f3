"""The one way past the public network: to one configured origin, and to no other (R-SRCH-8)."""

from __future__ import annotations

import gzip
import ipaddress
import re
import socket
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import anyio
import pytest
from anyio.abc import SocketAttribute
from corpus import ROOT
from hypothesis import given
from hypothesis import strategies as st
from loopback import client_tls, read_request, server_tls

from extpkg.egress.address import is_public, is_reachable
from extpkg.egress.failure import EgressFailure, Reason
from extpkg.egress.reach import Origin
from extpkg.egress.record import RecordingTransport
from extpkg.egress.replay import ReplayTransport
from extpkg.egress.send import GuardedTransport, send
from extpkg.exchange import Exchange, Request, Response

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Sequence

BODY = b'{"results": []}'
ZIPPED = gzip.compress(BODY)
PLAIN = b"HTTP/1.1 200 OK\r\nContent-Type: a/b\r\nContent-Length: 15\r\n\r\n" + BODY
GZIP = b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: %d\r\n\r\n%b" % (len(ZIPPED), ZIPPED)

INNER = [
    ipaddress.ip_network(block)
    for block in (
        "10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "127.0.0.0/8", "100.64.0.0/10", "fc00::/7",
        "::1/128",
    )
]  # fmt: skip
NEVER = [
    "169.254.0.0", "169.254.169.254", "169.254.255.255", "fe80::", "fe80::1", "febf::1", "100.100.100.200",
    "192.0.0.192", "168.63.129.16", "fd00:ec2::254", "fd20:ce::254",
]  # fmt: skip


@dataclass
class Served:
    port: int
    requests: list[bytes] = field(default_factory=list)


@asynccontextmanager
async def plain_server(answer: bytes, host: str = "127.0.0.1", tls: Any = None) -> AsyncIterator[Served]:
    """Answer every request on a real loopback port."""
    served = Served(0)

    async def serve(stream: Any) -> None:
        from anyio.streams.tls import TLSStream

        async with stream:
            if tls:
                stream = await TLSStream.wrap(stream, server_side=True, ssl_context=tls)
            served.requests.append(await read_request(stream))
            await stream.send(answer)

    async with (
        await anyio.create_tcp_listener(local_host=host) as listener,
        anyio.create_task_group() as group,
    ):
        served.port = listener.extra(SocketAttribute.local_port)  # noqa: S610 - anyio's, not Django's
        group.start_soon(listener.serve, serve)
        yield served
        group.cancel_scope.cancel()


@dataclass
class Scripted:
    """A resolver with fixed answers, and a dialer that says what it would dial."""

    answers: Sequence[str]
    dialled: list[str] = field(default_factory=list)

    async def resolver(self, name: str, port: int) -> Sequence[str]:
        del name, port
        return self.answers

    async def dialer(self, address: str, port: int) -> socket.socket:
        del port
        self.dialled.append(address)
        raise ConnectionRefusedError

    def reason(self, url: str, reach: Origin | None) -> Reason:
        transport = GuardedTransport(resolver=self.resolver, dialer=self.dialer)

        async def main() -> Reason:
            with pytest.raises(EgressFailure) as caught:
                await send(Request(method="GET", url=url), transport=transport, reach=reach)
            return caught.value.reason

        return anyio.run(main)


@pytest.mark.parametrize("answer", [PLAIN, GZIP], ids=["plain", "gzip"])
def test_plain_http_to_loopback(answer: bytes) -> None:
    """The real resolver and the real dialer: a user's own instance."""

    async def main() -> None:
        async with plain_server(answer) as served:
            url = f"http://127.0.0.1:{served.port}/search?q=a%20b&format=json"
            reach = Origin(scheme="http", host="127.0.0.1", port=served.port)
            headers = (("accept", "*/*"), ("accept-language", "en"))
            request = Request(method="GET", url=url, headers=headers)
            response = await send(request, transport=GuardedTransport(), reach=reach)
            assert response.body == BODY
            assert response.values("content-encoding") == ()
            assert served.requests == [
                b"GET /search?q=a%%20b&format=json HTTP/1.1\r\nhost: 127.0.0.1:%d\r\nuser-agent: extpkg\r\n"
                b"accept-encoding: gzip\r\nconnection: close\r\naccept: */*\r\naccept-language: en\r\n\r\n"
                % served.port
            ]

    anyio.run(main)


@pytest.mark.parametrize("host", ["localhost", "[::1]"])
def test_by_name_and_by_ipv6(host: str) -> None:
    if host == "[::1]" and not _has_ipv6():
        pytest.skip("this machine has no IPv6 loopback")

    async def main() -> bytes:
        async with plain_server(PLAIN, "::1" if host == "[::1]" else "localhost") as served:
            reach = Origin(scheme="http", host=host.strip("[]"), port=served.port)
            request = Request(method="GET", url=f"http://{host}:{served.port}/")
            await send(request, transport=GuardedTransport(), reach=reach)
            return served.requests[0]

    assert b"\r\nhost: %b:" % host.encode() in anyio.run(main)


def _has_ipv6() -> bool:
    try:
        with socket.socket(socket.AF_INET6) as opened:
            opened.bind(("::1", 0))
    except OSError:
        return False
    return True


def test_https_stays_https() -> None:
    """Within reach too, the certificate is verified for the name or the address."""

    async def main() -> None:
        tls = server_tls("127.0.0.1")
        async with plain_server(PLAIN, tls=tls) as served:
            request = Request(method="GET", url=f"https://127.0.0.1:{served.port}/")
            reach = Origin(scheme="https", host="127.0.0.1", port=served.port)
            response = await send(request, transport=GuardedTransport(tls=client_tls()), reach=reach)
            assert response.body == BODY
            with pytest.raises(EgressFailure, match="tls_failed"):
                await send(request, transport=GuardedTransport(), reach=reach)

    anyio.run(main)


@pytest.mark.parametrize(
    "url",
    [
        "http://10.0.0.5:8081/", "http://10.0.0.6:8080/", "https://10.0.0.5:8080/", "http://10.0.0.5/",
        "http://example.com:8080/", "http://u@10.0.0.5:8080/", "http://10.0.0.5:8080/#f", "ftp://10.0.0.5:8080/",
        "http://10.0.0.5:0/",
    ],
)  # fmt: skip
def test_every_other_origin_is_refused(url: str) -> None:
    net = Scripted(["10.0.0.5"])
    with pytest.raises(ValueError, match="origin"):
        net.reason(url, Origin(scheme="http", host="10.0.0.5", port=8080))
    assert net.dialled == []


@pytest.mark.parametrize(("scheme", "port"), [("http", 80), ("https", 443)])
def test_the_port_of_a_scheme_is_left_out_of_its_url(scheme: str, port: int) -> None:
    net = Scripted(["10.0.0.5"])
    reach = Origin(scheme=scheme, host="search.lan", port=port)
    assert net.reason(f"{scheme}://search.lan/", reach) is Reason.NOT_CONNECTED
    assert net.dialled == ["10.0.0.5"]


@pytest.mark.parametrize("url", ["http://127.0.0.1:8080/", "http://search.lan/", "https://[::1]/"])
def test_without_reach_there_is_no_plain_http(url: str) -> None:
    with pytest.raises(ValueError, match="origin"):
        Scripted(["127.0.0.1"]).reason(url, None)


@pytest.mark.parametrize("address", [str(block.network_address) for block in INNER])
def test_without_reach_nothing_private_is_dialled(address: str) -> None:
    net = Scripted([address])
    assert net.reason("https://search.example.com/", None) is Reason.ADDRESS_DENIED
    reach = Origin(scheme="https", host="search.example.com", port=443)
    assert net.reason("https://search.example.com/", reach) is Reason.NOT_CONNECTED
    assert net.dialled == [address]


@pytest.mark.parametrize("address", [*NEVER, "0.0.0.0", "224.0.0.1", "::", "192.0.2.1", "::ffff:10.0.0.1"])  # noqa: S104
@pytest.mark.parametrize("beside", [(), ("10.0.0.5",)])
def test_some_addresses_are_never_dialled(address: str, beside: tuple[str, ...]) -> None:
    """One denied answer denies all."""
    net = Scripted([*beside, address])
    reach = Origin(scheme="http", host="search.lan", port=80)
    assert net.reason("http://search.lan/", reach) is Reason.ADDRESS_DENIED
    assert net.dialled == []


@given(st.ip_addresses())
def test_what_is_reachable(address: ipaddress.IPv4Address | ipaddress.IPv6Address) -> None:
    inner = any(address in block for block in INNER) and str(address) not in NEVER
    assert is_reachable(str(address)) is (inner or is_public(str(address)))


@given(st.sampled_from(INNER), st.data())
def test_inner_addresses_in_no_other_form(block: Any, data: st.DataObject) -> None:
    last = int(block.broadcast_address)
    address = data.draw(st.integers(int(block.network_address), last).map(type(block.network_address)))
    assert is_reachable(str(address)) is (str(address) not in NEVER)
    if address.version == 4:
        for form in (
            f"::ffff:{address}",
            f"::{address}",
            f"64:ff9b::{address}",
            f"2002:{int(address):08x}::",
        ):
            assert not is_reachable(form)
    else:
        assert not is_reachable(f"{address}%eth0")


@pytest.mark.parametrize(
    "text", ["", "localhost", "10.1", "0x7f.0.0.1", "10.0.0.010", "[::1]", "127.0.0.1\n"]
)
def test_what_is_no_plain_address(text: str) -> None:
    assert not is_reachable(text)


def test_gzip_is_asked_for_and_accepted_within_reach_alone() -> None:
    """R-RES-2: everywhere else an encoded answer is refused."""
    request = Request(method="GET", url="https://search.example.com/")
    record = Exchange(
        request=request, response=Response(status=200, headers=(("content-encoding", "gzip"),), body=ZIPPED)
    )
    reach = Origin(scheme="https", host="search.example.com", port=443)

    async def main() -> None:
        recording = RecordingTransport(ReplayTransport([record, record]))
        response = await send(request, transport=recording, reach=reach)
        assert response.body == BODY
        assert [each.response.body for each in recording.exchanges] == [BODY]
        with pytest.raises(EgressFailure, match="encoded_answer"):
            await send(request, transport=recording)

    anyio.run(main)


def test_a_bomb_is_bounded() -> None:
    squeezed = gzip.compress(b"0" * (40 << 20))
    answer = b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: %d\r\n\r\n%b" % (
        len(squeezed),
        squeezed,
    )

    async def main() -> None:
        async with plain_server(answer) as served:
            reach = Origin(scheme="http", host="127.0.0.1", port=served.port)
            request = Request(method="GET", url=f"http://127.0.0.1:{served.port}/")
            with pytest.raises(EgressFailure, match="body_too_large"):
                await send(request, transport=GuardedTransport(), reach=reach)

    anyio.run(main)


@pytest.mark.parametrize("broken", [b"", PLAIN[:20], PLAIN[:-1]])
def test_a_plain_answer_that_is_cut_off(broken: bytes) -> None:
    """R-RES-4: no result, with and without TLS."""

    async def main() -> None:
        async with plain_server(broken) as served:
            reach = Origin(scheme="http", host="127.0.0.1", port=served.port)
            request = Request(method="GET", url=f"http://127.0.0.1:{served.port}/")
            with pytest.raises(EgressFailure, match="truncated"):
                await send(request, transport=GuardedTransport(), reach=reach)

    anyio.run(main)


def test_one_provider_alone_reaches() -> None:
    """R-SRCH-8: of all invocations, SearXNG's."""
    users = set()
    for module in (ROOT / "extpkg").rglob("*.py"):
        text = module.read_text(encoding="utf-8")
        if "egress.reach import Origin" in text and re.search(r"\bOrigin\(", text):
            users.add(module.relative_to(ROOT / "extpkg").as_posix())
    registry = {"egress/registry_place.py"}  # a library's host, which no invocation asks
    assert users <= {"egress/send.py", "providers/search/searxng.py"} | registry
