"""The corpus of addresses and resolver scripts; its base URLs are the package checks' part."""

from __future__ import annotations

import socket
from typing import TYPE_CHECKING, Any

import anyio
import pytest
from corpus import corpus
from loopback import GET, VirtualTime, run, serving

from extpkg.egress.address import is_public
from extpkg.egress.failure import EgressFailure, Reason
from extpkg.egress.send import send
from extpkg.resources import denied_blocks

if TYPE_CHECKING:
    from loopback import Script

CORPUS: dict[str, Any] = corpus("conformance/ssrf.json")
OK: Script = [{"read_request": True}, {"send": "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}"}]
ERRORS = {
    "NXDOMAIN": socket.gaierror(socket.EAI_NONAME, "secret.internal"),
    "SERVFAIL": socket.gaierror(socket.EAI_FAIL, "secret.internal"),
}


@pytest.mark.parametrize("case", [pytest.param(case, id=case["id"]) for case in CORPUS["ip"]])
def test_address(case: dict[str, Any]) -> None:
    """P304, P307."""
    assert is_public(case["ip"]) is (case["verdict"] == "allow"), case["reason"]


def test_the_table_holds_the_registries() -> None:
    known = {row["prefix"] for key in ("ipv4", "ipv6") for row in CORPUS["registries"][key]}
    assert known | {row["prefix"] for row in CORPUS["extra_denied"]} <= set(denied_blocks())


@pytest.mark.parametrize("case", [pytest.param(case, id=case["id"]) for case in CORPUS["dns"]])
def test_resolver_script(case: dict[str, Any]) -> None:
    """P303: the resolver is asked once, and only a judged answer is dialled."""
    asked: list[str] = []

    async def resolver(name: str, port: int) -> list[str]:
        del port
        asked.append(name)
        answer = case["answers"][len(asked) - 1]
        if answer == "TIMEOUT":
            await anyio.sleep_forever()
        if isinstance(answer, str):
            raise ERRORS[answer]
        return list(answer)

    async def main(time: VirtualTime) -> tuple[Any, list[str]]:
        async with serving(OK, time) as upstream:

            async def dialer(address: str, port: int) -> socket.socket:
                opened = await upstream.dialer(address, port)
                if case["id"] == "dns-fallback-refused" and len(upstream.dialled) == 1:
                    opened.close()
                    raise ConnectionRefusedError
                return opened

            try:
                return await send(
                    GET, transport=upstream.transport(resolver=resolver, dialer=dialer)
                ), upstream.dialled
            except EgressFailure as failure:
                return failure.reason, upstream.dialled

    result, dialled = run(main)
    assert asked == ["api.example.com"]
    allowed = (case["connect_to"] or "").split("|")
    if case["verdict"].startswith("connect"):
        assert result.body == b"{}"
        assert set(dialled) <= set(allowed)
    else:
        wanted = {"deny": {Reason.ADDRESS_DENIED}}.get(
            case["verdict"], {Reason.UNRESOLVED, Reason.CONNECT_TIMED_OUT}
        )
        assert result in wanted
        assert dialled == []
