"""One repository of an OCI registry: blobs, manifests, tags and referrers, as the distribution spec has them.

What is asked for by its digest is hashed while it arrives. Nothing here knows what the blobs mean.
"""

from __future__ import annotations

import enum
import json
import re
from dataclasses import dataclass, field
from functools import partial
from hashlib import sha256
from typing import TYPE_CHECKING, Any, Final, TypeVar

import anyio

from extpkg.egress.clock import Budget
from extpkg.egress.converse import Network
from extpkg.egress.failure import Reason
from extpkg.egress.registry_place import Target, target
from extpkg.egress.registry_session import Ask, RegistryFailure, RegistrySession
from extpkg.errors import ExtpkgError

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence

    from extpkg.egress.registry_place import Repository
    from extpkg.egress.registry_session import Login
    from extpkg.exchange import Response

BLOB_BYTES: Final = 64 << 20
"""Bytes of one blob that is fetched or stored."""

MANIFEST_BYTES: Final = 4 << 20
"""Bytes of one manifest: what registries take at most."""

IMAGE_MANIFEST: Final = "application/vnd.oci.image.manifest.v1+json"
IMAGE_INDEX: Final = "application/vnd.oci.image.index.v1+json"

_AT_ONCE: Final = 8
_PAGES: Final = 1_000
_OK: Final = frozenset({200})
_FOUND: Final = frozenset({200, 404})
_SECONDS: Final = 600.0
"""The total of an exchange that carries a blob."""

_HEADER_SECONDS: Final = 60.0
_NEXT: Final = re.compile(r'<([^<>]*)>;[ ]*rel="?next"?')
_Value = TypeVar("_Value")


class Lack(enum.Enum):
    """Why there is no content: none is there, it is not what its digest says, or the registry fails on it."""

    ABSENT = "missing"
    DAMAGED = "damaged"
    FAILED = "unreadable in the registry"


_LACKS: Final = {404: Lack.ABSENT, 500: Lack.FAILED}
"""500 is what a registry says whose own record is damaged, or is being written just then."""

_PAUSES: Final = (0.05, 0.1, 0.2, 0.4)
"""Seconds after which content is asked for again that a registry fails on."""

_CONTENT: Final = frozenset({200, *_LACKS})


@dataclass(frozen=True, slots=True, kw_only=True)
class Manifest:
    """A manifest as it arrived: its bytes, their digest, and the media type that the registry says."""

    data: bytes = field(repr=False)
    digest: str
    media_type: str


class _Hashed:
    """Keeps what arrives, and hashes it as it does."""

    def __init__(self) -> None:
        self.data = bytearray()
        self._hash = sha256()

    def take(self, piece: bytes) -> None:
        self._hash.update(piece)
        self.data += piece

    def digest(self) -> str:
        return "sha256:" + self._hash.hexdigest()


class RegistryClient:
    """Reads and writes one repository; every method raises `RegistryFailure`, and what `login` raises."""

    def __init__(self, repository: Repository, *, login: Login, network: Network | None = None) -> None:
        self.repository = repository
        self._session = RegistrySession(repository, network or Network(), login)

    async def blob(self, digest: str, size: int) -> bytes | Lack:
        """Return a blob whose length and digest are these; longer than `BLOB_BYTES` it is never asked for."""
        return await _patient(partial(self._blob, digest, size))

    async def _blob(self, digest: str, size: int) -> bytes | Lack:
        if size > BLOB_BYTES:
            return Lack.DAMAGED
        arrived = _Hashed()
        ask = Ask(
            method="GET",
            target=self.repository.target(f"blobs/{digest}"),
            statuses=_CONTENT,
            budget=Budget(raw=size, total=_SECONDS, bodies=_OK),
            sink=arrived.take,
        )
        try:
            answer = await self._session.fetch(ask)
        except RegistryFailure as failure:
            if failure.reason is not Reason.BODY_TOO_LARGE:
                raise
            return Lack.DAMAGED
        if answer.status in _LACKS:
            return _LACKS[answer.status]
        whole = len(arrived.data) == size and arrived.digest() == digest
        return bytes(arrived.data) if whole else Lack.DAMAGED

    async def blobs(self, wanted: Mapping[str, int]) -> dict[str, bytes | Lack]:
        """Return blobs by their digests, several at once; `wanted` has their lengths."""
        found = await _together([partial(self.blob, digest, size) for digest, size in wanted.items()])
        return dict(zip(wanted, found, strict=True))

    async def store(self, digest: str, data: bytes) -> Lack | None:
        """Store a blob that the registry does not have; return what is wrong with the one that it then has.

        A registry that had the bytes elsewhere keeps those, whatever became of them: it is asked for them.
        """
        if len(data) > BLOB_BYTES:
            raise RegistryFailure(f"a blob has {len(data)} bytes, and {BLOB_BYTES} are allowed")
        known = await self.blob(digest, len(data))
        if known is Lack.ABSENT:
            await self._upload(digest, data)
            known = await self.blob(digest, len(data))
        return known if isinstance(known, Lack) else None

    async def store_all(self, blobs: Mapping[str, bytes]) -> tuple[str, ...]:
        """Store blobs by their digests, several at once; return the digests that the registry has damaged."""
        lacks = await _together([partial(self.store, digest, data) for digest, data in blobs.items()])
        return tuple(digest for digest, lack in zip(blobs, lacks, strict=True) if lack is not None)

    async def manifest(self, reference: str) -> Manifest | Lack:
        """Return the manifest under a tag or a digest; under a digest it is that one, or damaged."""
        return await _patient(partial(self._manifest, reference))

    async def _manifest(self, reference: str) -> Manifest | Lack:
        arrived = _Hashed()
        ask = Ask(
            method="GET",
            target=self.repository.target(f"manifests/{reference}"),
            statuses=_CONTENT,
            budget=Budget(raw=MANIFEST_BYTES, bodies=_OK),
            headers=(("accept", f"{IMAGE_MANIFEST}, {IMAGE_INDEX}"),),
            sink=arrived.take,
        )
        answer = await self._session.ask(ask)
        if answer.status in _LACKS:
            return _LACKS[answer.status]
        if reference.startswith("sha256:") and arrived.digest() != reference:
            return Lack.DAMAGED
        kinds = answer.values("content-type")
        return Manifest(
            data=bytes(arrived.data),
            digest=arrived.digest(),
            media_type=kinds[0] if len(kinds) == 1 else "",
        )

    async def manifests(self, references: Sequence[str]) -> dict[str, Manifest | Lack]:
        """Return manifests by their tags or digests, several at once."""
        found = await _together([partial(self.manifest, reference) for reference in references])
        return dict(zip(references, found, strict=True))

    async def store_manifests(self, manifests: Mapping[str, bytes]) -> None:
        """Store image manifests by their tags or digests, several at once."""
        await _together([partial(self.store_manifest, name, data) for name, data in manifests.items()])

    async def store_manifest(self, reference: str, data: bytes, media_type: str = IMAGE_MANIFEST) -> bool:
        """Store a manifest under a tag or its digest; return whether the registry lists it as a referrer."""
        if len(data) > MANIFEST_BYTES:
            raise RegistryFailure(f"a manifest has {len(data)} bytes, and {MANIFEST_BYTES} are allowed")
        ask = Ask(
            method="PUT",
            target=self.repository.target(f"manifests/{reference}"),
            statuses=frozenset({201}),
            budget=Budget(header=_HEADER_SECONDS, total=_SECONDS, bodies=frozenset()),
            headers=(("content-type", media_type),),
            body=data,
        )
        answer = await self._session.ask(ask)
        return bool(answer.values("oci-subject"))

    async def tags(self) -> tuple[str, ...]:
        """Return every tag, in the registry's order; none where it does not know the repository."""
        pages = await self._pages("tags/list?n=1000")
        found = [tag for page in pages or () for tag in _listed(page, "tags")]
        if not all(isinstance(tag, str) for tag in found):
            raise RegistryFailure("the registry's list of tags cannot be read")
        return tuple(found)

    async def referrers(self, digest: str) -> tuple[dict[str, Any], ...] | None:
        """Return the descriptors of what refers to a manifest; None where the registry keeps no such list."""
        pages = await self._pages(f"referrers/{digest}", IMAGE_INDEX)
        if pages is None:
            return None
        return tuple(each for page in pages for each in _listed(page, "manifests") if isinstance(each, dict))

    async def _upload(self, digest: str, data: bytes) -> None:
        start = Ask(
            method="POST",
            target=self.repository.target("blobs/uploads/"),
            statuses=frozenset({202}),
            budget=Budget(bodies=frozenset()),
            body=b"",
        )
        place = self._session.followed(await self._session.ask(start), start.target)
        mark = "&" if "?" in place.path else "?"
        whole = Ask(
            method="PUT",
            target=Target(origin=place.origin, path=f"{place.path}{mark}digest={digest}"),
            statuses=frozenset({201}),
            budget=Budget(header=_HEADER_SECONDS, total=_SECONDS, bodies=frozenset()),
            headers=(("content-type", "application/octet-stream"),),
            body=data,
        )
        await self._session.ask(whole)

    async def _pages(self, rest: str, kind: str = "") -> list[Any] | None:
        """Return the pages of a list, None where the registry has none of that media type."""
        pages: list[Any] = []
        where: Target | None = self.repository.target(rest)
        while where is not None:
            if len(pages) == _PAGES:
                raise RegistryFailure("the registry's list does not end")
            budget = Budget(raw=MANIFEST_BYTES, bodies=_OK)
            answer = await self._session.ask(Ask(method="GET", target=where, statuses=_FOUND, budget=budget))
            if answer.status not in _OK or not _is_kind(answer, kind):
                return None
            pages.append(_read(answer.body))
            where = self._next(answer, where)
        return pages

    def _next(self, answer: Response, asked: Target) -> Target | None:
        links = [match[1] for value in answer.values("link") if (match := _NEXT.fullmatch(value))]
        if not links:
            return None
        found = target(links[0], asked.origin)
        if found is None:
            raise RegistryFailure("the registry names a next page that is no plain URL")
        return found


async def _patient(ask: Callable[[], Awaitable[_Value | Lack]]) -> _Value | Lack:
    """Return what is asked for, after some tries where the registry fails on it."""
    for pause in _PAUSES:
        found = await ask()
        if found is not Lack.FAILED:
            return found
        await anyio.sleep(pause)
    return await ask()


async def _together(calls: Iterable[Callable[[], Awaitable[_Value]]]) -> list[_Value]:
    """Return what the calls return, in their order; some run at once, but the first one alone.

    It gets the token that the others then have. The first failure, in their order, is raised.
    """
    waiting = list(enumerate(calls))
    done: dict[int, _Value] = {}
    failed: dict[int, RegistryFailure | ExtpkgError] = {}
    slots = anyio.Semaphore(_AT_ONCE)

    async def one(number: int, call: Callable[[], Awaitable[_Value]]) -> None:
        async with slots:
            if not failed:
                try:
                    done[number] = await call()
                except (RegistryFailure, ExtpkgError) as failure:
                    failed[number] = failure

    for number, call in waiting[:1]:
        await one(number, call)
    async with anyio.create_task_group() as group:
        for number, call in waiting[1:]:
            group.start_soon(one, number, call)
    for number in sorted(failed):
        raise failed[number]
    return [done[number] for number, _ in waiting]


def _is_kind(answer: Response, kind: str) -> bool:
    said = answer.values("content-type")
    return not kind or (len(said) == 1 and said[0].split(";")[0].strip() == kind)


def _read(body: bytes) -> Any:
    try:
        return json.loads(body)
    except (ValueError, RecursionError):
        raise RegistryFailure("the registry's list cannot be read") from None


def _listed(page: Any, name: str) -> list[Any]:
    found = page.get(name) if isinstance(page, dict) else None
    if found is None and isinstance(page, dict):
        return []  # some registries write null for an empty list
    if not isinstance(found, list):
        raise RegistryFailure("the registry's list cannot be read")
    return found
