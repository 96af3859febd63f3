"""The log of a library in an OCI registry: read as one snapshot, and extended against whoever else does.

A registry has no compare-and-swap: the last one who writes a tag wins. So a publisher looks before it writes,
writes, waits for longer than anybody looks and writes, and looks again; its lines are published once they are
still there (docs/library.md says what that leaves open).
"""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Final, TypeVar

from extpkg.egress.loop import run
from extpkg.egress.registry_client import Lack
from extpkg.egress.registry_session import RegistryFailure
from extpkg.library.entry import IntegrityError
from extpkg.library.oci_form import (
    EMPTY_BLOB,
    ENVELOPE_TYPE,
    LOG_TAG,
    SEGMENT_LINES,
    SEGMENT_TYPE,
    Blob,
    Logged,
    log_manifest,
    read_log_manifest,
    read_segment,
    segment,
)
from extpkg.library.store import Unavailable, chain_faults

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Sequence

    from extpkg.egress.registry_client import RegistryClient
    from extpkg.library.entry import Publication
    from extpkg.library.signing import Signing
    from extpkg.library.store import Fault

SETTLE_SECONDS: Final = 0.25
"""How long a publisher waits at least until it looks whether its lines are still there."""

_SLOWER: Final = 8
"""How much longer than its own writing a publisher allows another's to take."""

_ABSENT: Final = "there is no library here: extpkg library init makes one"
_UNKNOWN: Final = "whether anything was published is not known, and publishing it again tells"
_Value = TypeVar("_Value")


@dataclass(frozen=True, slots=True, kw_only=True)
class Log:
    """A log as it stood under its tag at one moment: its manifest's digest, and its lines.

    `note` is what is to be said of its signature; `faults` is where it is no chain.
    """

    digest: str
    signed: bool
    logged: tuple[Logged, ...]
    note: str
    faults: tuple[Fault, ...]
    named: dict[tuple[str, int], Logged] = field(repr=False)
    defined: dict[str, Logged] = field(repr=False)

    @property
    def lines(self) -> tuple[Publication, ...]:
        """The publications, in their order."""
        return tuple(each.line for each in self.logged)

    @property
    def last(self) -> Publication | None:
        """The last publication, None in an empty library."""
        return self.logged[-1].line if self.logged else None


class OciLog:
    """The log of one repository; every method raises `Unavailable`, and reading `IntegrityError`.

    `settle` is in seconds; `pause` waits that long.
    """

    def __init__(
        self,
        client: RegistryClient,
        signing: Signing,
        *,
        settle: float = SETTLE_SECONDS,
        pause: Callable[[float], None] = time.sleep,
    ) -> None:
        self._client = client
        self._signing = signing
        self._settle = settle
        self._pause = pause
        self._segments: dict[str, tuple[Logged, ...]] = {}
        self._read: Log | None = None
        self._settled = ""

    def create(self) -> bool:
        """Make an empty log where there is none; return whether that was done."""
        if asked(partial(self._client.manifest, LOG_TAG)) is not Lack.ABSENT:
            self.read()
            return False
        asked(partial(self._client.store_manifest, LOG_TAG, self._written((), None)))
        return True

    def read(self) -> Log:
        """Return the log as it stands."""
        manifest = asked(partial(self._client.manifest, LOG_TAG))
        if manifest is Lack.ABSENT:
            raise Unavailable(_ABSENT)
        if isinstance(manifest, Lack):
            raise IntegrityError(f"the log is {manifest.value}")
        if self._read is None or self._read.digest != manifest.digest:
            segments, envelope = read_log_manifest(manifest.data)
            logged = self._lines_of(segments)
            signature = None if envelope is None else self._blobs([envelope], "the log's signature")[0]
            self._read = self._seen(manifest.digest, logged, signature)
        return self._read

    def sound(self) -> Log:
        """Return the log as it stands; `IntegrityError` where it is no chain."""
        log = self.read()
        for fault in log.faults:
            raise IntegrityError(fault.message)
        return log

    def extend(self, log: Log, added: Sequence[Logged]) -> Log | None:
        """Write lines behind a log; return the log that has them for good, None where others were faster."""
        lines = (*log.logged, *added)
        manifest = self._written(lines, log)
        began = time.monotonic()
        before = asked(partial(self._client.manifest, LOG_TAG))
        if isinstance(before, Lack) or before.digest != log.digest:
            return None
        try:
            asked(partial(self._client.store_manifest, LOG_TAG, manifest))
            self._pause(max(self._settle, _SLOWER * (time.monotonic() - began)))
            after = self.sound()
        except Unavailable as error:
            message, full = f"{error}: {_UNKNOWN}", error.full
            raise Unavailable(message, full=full) from None
        if after.logged[len(log.logged) : len(lines)] != tuple(added):
            return None
        self._settled = after.digest
        return after

    def settled(self, log: Log) -> bool:
        """Say whether the lines of a log are in it for good: its last ones may be another's that are not."""
        if log.digest != self._settled:
            self._pause(self._settle)
            if self.sound().logged[: len(log.logged)] != log.logged:
                return False
            self._settled = log.digest
        return True

    def _written(self, lines: Sequence[Logged], after: Log | None) -> bytes:
        """Store the segments that `after` does not have whole, and the signature; return the manifest."""
        full = 0 if after is None else len(after.logged) // SEGMENT_LINES
        starts = range(0, max(len(lines), 1), SEGMENT_LINES)
        segments = [
            Blob.of(SEGMENT_TYPE, segment(lines[start : start + SEGMENT_LINES], start + 1))
            for start in starts
        ]
        envelope = self._signing.sign(
            [each.line for each in lines], before=after is not None and after.signed
        )
        blobs = [EMPTY_BLOB, *segments[full:]]
        if envelope is not None:
            blobs.append(Blob.of(ENVELOPE_TYPE, envelope))
        damaged = asked(partial(self._client.store_all, {blob.digest: blob.data for blob in blobs}))
        for digest in damaged:
            raise IntegrityError(f"the registry's blob {digest} is damaged")
        return log_manifest(segments, envelope)

    def _lines_of(self, segments: Sequence[Blob]) -> tuple[Logged, ...]:
        fresh = [blob for blob in segments if blob.digest not in self._segments]
        for blob, data in zip(fresh, self._blobs(fresh, "a segment of the log"), strict=True):
            self._segments[blob.digest] = read_segment(data)
        return tuple(logged for blob in segments for logged in self._segments[blob.digest])

    def _blobs(self, blobs: Sequence[Blob], what: str) -> list[bytes]:
        found = asked(partial(self._client.blobs, {blob.digest: blob.size for blob in blobs}))
        data = []
        for blob in blobs:
            content = found[blob.digest]
            if isinstance(content, Lack):
                raise IntegrityError(f"{what} is {content.value}")
            data.append(content)
        return data

    def _seen(self, digest: str, logged: tuple[Logged, ...], envelope: bytes | None) -> Log:
        lines = [each.line for each in logged]
        return Log(
            digest=digest,
            signed=envelope is not None,
            logged=logged,
            note=self._signing.judge(lines, envelope),
            faults=tuple(chain_faults(lines)),
            named={(each.line.domain, each.line.version): each for each in reversed(logged)},
            defined={each.line.definition: each for each in reversed(logged)},
        )


def asked(call: Callable[[], Awaitable[_Value]]) -> _Value:
    """Return what a call of the registry's client returns; raises `Unavailable`."""
    try:
        return run(call)
    except RegistryFailure as failure:
        message, full = str(failure), failure.full
    raise Unavailable(message, full=full)
