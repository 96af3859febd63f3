"""HTTP/1.1 as bytes: writing one request, reading one answer strictly within its budget (R-RES-2 to R-RES-4).

An answer has exactly one reading here, or none: what two parsers could frame differently is refused.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from extpkg.egress.encoding import IDENTITY, refuse_encoded
from extpkg.egress.failure import EgressFailure, Reason
from extpkg.exchange import Response

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from extpkg.egress.clock import Budget

    Sink = Callable[[bytes], object]
    """Where the pieces of a body go."""

Headers = tuple[tuple[str, str], ...]

_STATUS_LINE: Final = re.compile(rb"HTTP/1\.([01]) ([1-5][0-9]{2})(?: [\t\x20-\x7e\x80-\xff]*)?")
_UNFIT: Final = re.compile(rb"[^\t\x20-\x7e\x80-\xff]")
_LENGTH: Final = re.compile(r"[0-9]{1,19}", re.ASCII)
_CHUNK: Final = re.compile(rb"([0-9A-Fa-f]{1,16})([\t ]*;[\t\x20-\x7e\x80-\xff]*)?")
_METHOD: Final = re.compile(r"GET|POST|PUT|PATCH|DELETE")
_TARGET: Final = re.compile(r"/[\x21-\x22\x24-\x7e]*")
_VALUE: Final = re.compile(r"(?:[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?)?")
_TOKEN: Final = re.compile(rb"[!#$%&'*+\-.^_`|~0-9A-Za-z]+")
_START: Final = b"HTTP/1."
_SIZE_BYTES: Final = 18
"""The longest chunk size with its CRLF."""

_BODILESS: Final = frozenset({204, 304})


def request_bytes(method: str, target: str, headers: Headers, body: bytes) -> bytes:
    """Return the bytes of one request; ValueError for a part that would not arrive as that part alone."""
    sound = _METHOD.fullmatch(method) and _TARGET.fullmatch(target)
    if not sound or not all(_is_field(name, value) for name, value in headers):
        raise ValueError("the request cannot be written as HTTP/1.1")
    fields = [f"{name}: {value}" if value else f"{name}:" for name, value in headers]
    lines = [f"{method} {target} HTTP/1.1", *fields, "", ""]
    return "\r\n".join(lines).encode("ascii") + body


def engine_headers(host: str, body: bytes, coding: str = IDENTITY) -> Headers:
    """Return what the engine adds to every request, the credential apart (R-RES-3)."""
    length = (("content-length", str(len(body))),) if body else ()
    return (
        ("host", host),
        ("user-agent", "extpkg"),
        ("accept-encoding", coding),
        ("connection", "close"),
        *length,
    )


def _is_field(name: str, value: str) -> bool:
    return bool(_TOKEN.fullmatch(name.encode()) and _VALUE.fullmatch(value))


class Answer:
    """One answer, read from `receive` (the next bytes; empty at the end) within a budget.

    A body in another coding than `accepted` is refused before it is read; one in that coding stays encoded.
    With `sink` the body goes there piece by piece as it arrives, and is not kept. `head` comes first, then
    `response`. Both raise `EgressFailure`; what follows the answer is never read.
    """

    def __init__(
        self,
        receive: Callable[[], Awaitable[bytes]],
        budget: Budget,
        accepted: str = IDENTITY,
        sink: Sink | None = None,
    ) -> None:
        self._receive = receive
        self._accepted = accepted
        self._kept = bytearray()
        self._take: Sink = self._kept.extend if sink is None else sink
        self._buffer = bytearray()
        self._budget = budget
        self._raw = budget.raw
        self._head = budget.head
        self._version = self._status = 0
        self._headers: Headers = ()

    async def head(self) -> None:
        """Read status line and headers; interim answers before them are read over, but for 101."""
        while self._status < 200:
            await self._status_line()
            self._headers = await self._fields()

    async def response(self) -> Response:
        """Read the body that the head announces, if the budget has it read; return the whole answer."""
        if not self._budget.reads(self._status):
            return Response(status=self._status, headers=self._headers)
        refuse_encoded(self._headers, self._accepted)
        await self._body()
        return Response(status=self._status, headers=self._headers, body=bytes(self._kept))

    def _values(self, name: str) -> list[str]:
        return [value for key, value in self._headers if key == name]

    async def _status_line(self) -> None:
        while len(self._buffer) < len(_START) and _START.startswith(self._buffer):
            await self._more()
        if not self._buffer.startswith(_START):
            raise EgressFailure(Reason.MALFORMED)
        match = _STATUS_LINE.fullmatch(await self._head_line())
        if not match or match[2] == b"101":
            raise EgressFailure(Reason.MALFORMED)
        self._version, self._status = int(match[1]), int(match[2])

    async def _fields(self) -> Headers:
        """Return the fields up to an empty line; a folded line is no field."""
        found = []
        while line := await self._head_line():
            name, colon, value = line.partition(b":")
            if not colon or not _TOKEN.fullmatch(name) or _UNFIT.search(value):
                raise EgressFailure(Reason.MALFORMED)
            found.append((name.decode("ascii").lower(), value.strip(b"\t ").decode("latin-1")))
        return tuple(found)

    async def _body(self) -> None:
        if self._status in _BODILESS:
            return
        lengths, codings = self._values("content-length"), self._values("transfer-encoding")
        if codings:
            if lengths or self._version == 0 or [coding.lower() for coding in codings] != ["chunked"]:
                raise EgressFailure(Reason.MALFORMED)
            await self._chunks()
        elif not lengths:
            await self._rest()
        elif len(lengths) > 1 or not _LENGTH.fullmatch(lengths[0]):
            raise EgressFailure(Reason.MALFORMED)
        else:
            await self._content(int(lengths[0]))

    async def _chunks(self) -> None:
        while True:
            match = _CHUNK.fullmatch(await self._line(_SIZE_BYTES + self._head))
            if not match:
                raise EgressFailure(Reason.MALFORMED)
            self._charge(len(match[2] or b""))
            size = int(match[1], 16)
            if not size:
                await self._fields()
                return
            await self._content(size)
            if await self._exactly(2) != b"\r\n":
                raise EgressFailure(Reason.MALFORMED)

    async def _content(self, size: int) -> None:
        if size > self._raw:
            raise EgressFailure(Reason.BODY_TOO_LARGE)
        self._raw -= size
        while size:
            if not self._buffer:
                await self._more()
            size -= self._pass_on(size)

    async def _rest(self) -> None:
        """Take all up to the end of the stream, which says that the body is whole."""
        while len(self._buffer) <= self._raw:
            self._raw -= self._pass_on(self._raw)
            data = await self._receive()
            if not data:
                return
            self._buffer += data
        raise EgressFailure(Reason.BODY_TOO_LARGE)

    def _pass_on(self, most: int) -> int:
        """Take what has arrived of the body, `most` bytes of it; return how many those are."""
        piece = bytes(memoryview(self._buffer)[:most])
        del self._buffer[:most]
        self._take(piece)
        return len(piece)

    async def _exactly(self, size: int) -> bytes:
        while len(self._buffer) < size:
            await self._more()
        taken = bytes(memoryview(self._buffer)[:size])
        del self._buffer[:size]
        return taken

    async def _head_line(self) -> bytes:
        line = await self._line(self._head)
        self._charge(len(line) + 2)
        return line

    async def _line(self, most: int) -> bytes:
        """Return the next line without its CRLF, with it `most` bytes long; a bare LF does not end one."""
        end = seen = 0
        while not (end := self._buffer.find(b"\n", seen, most) + 1):
            seen = len(self._buffer)
            if seen >= most:
                raise EgressFailure(Reason.HEADERS_TOO_LARGE)
            await self._more()
        line = await self._exactly(end)
        if not line.endswith(b"\r\n"):
            raise EgressFailure(Reason.MALFORMED)
        return line[:-2]

    def _charge(self, size: int) -> None:
        self._head -= size
        if self._head < 0:
            raise EgressFailure(Reason.HEADERS_TOO_LARGE)

    async def _more(self) -> None:
        data = await self._receive()
        if not data:
            raise EgressFailure(Reason.TRUNCATED)
        self._buffer += data
