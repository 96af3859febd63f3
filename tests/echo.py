"""A plain loopback server that keeps the bytes of one request, for clients that are not the engine."""

from __future__ import annotations

import socket
import threading
from dataclasses import dataclass, field
from typing import Self

ANSWER = b"HTTP/1.1 204 No Content\r\nConnection: close\r\n\r\n"


@dataclass(frozen=True)
class Sent:
    """One request as it arrived."""

    line: str
    headers: list[tuple[str, str]]
    body: bytes


def parsed(data: bytes) -> Sent:
    """Read a request; header names are lower-cased and sorted, as their order and case mean nothing."""
    head, _, body = data.partition(b"\r\n\r\n")
    line, *fields = head.decode("latin-1").split("\r\n")
    pairs = [field.partition(":") for field in fields]
    return Sent(line, sorted((name.lower(), value.strip()) for name, _, value in pairs), body)


@dataclass
class Echo:
    """Answers one connection with 204 and keeps what was sent over it."""

    listener: socket.socket = field(default_factory=lambda: socket.create_server(("127.0.0.1", 0)))
    received: bytes = b""

    def __enter__(self) -> Self:
        self._thread = threading.Thread(target=self._serve, daemon=True)
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._thread.join(10)
        self.listener.close()

    @property
    def port(self) -> int:
        port: int = self.listener.getsockname()[1]
        return port

    def _serve(self) -> None:
        self.listener.settimeout(10)
        connection, _ = self.listener.accept()
        with connection:
            connection.settimeout(10)
            while not self._is_whole():
                piece = connection.recv(65536)
                if not piece:
                    break
                self.received += piece
            connection.sendall(ANSWER)

    def _is_whole(self) -> bool:
        head, end, body = self.received.partition(b"\r\n\r\n")
        if not end:
            return False
        fields = [line.lower() for line in head.split(b"\r\n")]
        lengths = [int(line.partition(b":")[2]) for line in fields if line.startswith(b"content-length:")]
        return len(body) >= sum(lengths)
