"""No test leaves this machine (S098): what stands in for the network listens on loopback."""

from __future__ import annotations

import socket

import pytest


@pytest.mark.parametrize("address", ["192.0.2.1", "10.0.0.5"])
def test_no_test_connects_elsewhere(address: str) -> None:
    with socket.socket() as opened:
        opened.settimeout(0.01)
        with pytest.raises(pytest.fail.Exception, match="contacts"):
            opened.connect((address, 9))
        with pytest.raises(pytest.fail.Exception, match="contacts"):
            opened.connect_ex((address, 9))


def test_no_test_asks_for_a_name() -> None:
    with pytest.raises(pytest.fail.Exception, match="where example"):
        socket.getaddrinfo("example.com", 443)


def test_loopback_stays() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server, socket.socket() as opened:
        opened.connect(server.getsockname())
