"""A library in a repository of an OCI registry: blobs by their digests, and a log under one tag.

Nothing is believed of a registry but that it keeps bytes: a tag may be moved and a blob be changed on its
disk, so everything is asked for by its digest, starting from the log, and hashed.
"""

from __future__ import annotations

import json
import re
import secrets
from functools import partial
from itertools import islice
from typing import TYPE_CHECKING, Final

from extpkg.egress.registry_client import Lack
from extpkg.library.contents import check_contents
from extpkg.library.entry import Entry, IntegrityError, checked_entry, digest_of, publication
from extpkg.library.oci_attestation import attach, attached
from extpkg.library.oci_form import PACKAGE_TYPE, Logged, image, read_image, version_tag
from extpkg.library.oci_log import SETTLE_SECONDS, OciLog, asked
from extpkg.library.store import Conflict, Fault, Outcome, Unavailable, same_version

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from extpkg.egress.registry_client import RegistryClient
    from extpkg.library.entry import Publication
    from extpkg.library.oci_log import Log
    from extpkg.library.signing import Signing

GROUP: Final = 32
"""Versions that one extension of the log publishes at most."""

TRIES: Final = 64
"""How often a publisher that others overtake begins again."""

_VERSION_TAG: Final = re.compile(r"[a-z0-9-]+(?:\.[0-9a-f]{32})?\.[0-9]{1,10}")


def _mark() -> str:
    return secrets.token_hex(8)


class OciStore:
    """The library in a repository; what it does is bounded by the budgets of its client.

    `settle` is how many seconds a publication waits at least for others to have written; `mark` makes a text
    that no other publisher makes.
    """

    def __init__(
        self,
        client: RegistryClient,
        signing: Signing,
        *,
        settle: float = SETTLE_SECONDS,
        mark: Callable[[], str] = _mark,
    ) -> None:
        self._client = client
        self._log = OciLog(client, signing, settle=settle)
        self._mark = mark
        self._last: Log | None = None
        self._stored: set[str] = set()
        self._untagged: list[str] = []

    def close(self) -> None:
        """Do nothing: no connection is kept."""

    def create(self) -> bool:
        """Make an empty log where there is none; return whether that was done."""
        return self._log.create()

    def publications(self) -> Sequence[Publication]:
        """Return the log; raises `IntegrityError` where the chain or its signature is broken."""
        return self._sound().lines

    def find(self, domain: str, version: int) -> Publication | None:
        """Return the line that published a version; raises `IntegrityError` as `publications` does."""
        found = self._sound().named.get((domain, version))
        return None if found is None else found.line

    def find_digest(self, digest: str) -> Publication | None:
        """Return the line that published a Definition; raises `IntegrityError` as `publications` does."""
        found = self._sound().defined.get(digest)
        return None if found is None else found.line

    def read(self, line: Publication) -> Entry:
        """Return a published version, pulled by its digests, every byte of it hashed."""
        return self._entry(self._logged(line))

    def add(self, entry: Entry) -> Outcome:
        """Publish a version; it is published once its line is in the log for good."""
        [outcome] = self.add_all([entry])
        return outcome

    def add_all(self, entries: Iterable[Entry]) -> Iterator[Outcome]:
        """Publish versions, up to `GROUP` of them by one extension of the log."""
        waiting = iter(entries)
        while group := list(islice(waiting, GROUP)):
            outcomes, refused = self._published(group)
            yield from outcomes
            if refused is not None:
                raise refused

    def verify(self) -> Iterator[Fault]:
        """Hash everything again, walk the log, and see where the tags lead."""
        self._untagged = []
        tags = asked(self._client.tags)  # before the log: a version is tagged once its line is there
        try:
            log = self._last = self._log.read()
        except IntegrityError as error:
            yield Fault(name="", message=str(error))
            return
        yield from log.faults
        yield from self._tag_faults(log, tags)
        for logged in log.logged:
            try:
                check_contents(self._entry(logged))
                attached(self._client, logged.image)
            except IntegrityError as error:
                yield Fault(name=logged.line.name, message=str(error))

    def attest(self, line: Publication, envelope: bytes) -> None:
        """Let a signed envelope refer to a published version; raises `Unavailable` and `IntegrityError`."""
        attach(self._client, self._logged(line).image, envelope)

    def attestations(self, line: Publication) -> Sequence[bytes]:
        """Return the envelopes that refer to a published version, whole; nobody has opened them yet."""
        return attached(self._client, self._logged(line).image)

    def notes(self) -> Sequence[str]:
        """Return what is to be said of the log's signature, and which versions were left without tag."""
        signature = self._last.note if self._last is not None else ""
        return [
            *([signature] if signature else []),
            *(f"{name} may have no tag; publishing it again sets it" for name in self._untagged),
        ]

    def _sound(self) -> Log:
        self._last = self._log.sound()
        return self._last

    def _logged(self, line: Publication) -> Logged:
        for log in (self._last, None):
            found = (log or self._sound()).named.get((line.domain, line.version))
            if found is not None and found.line == line:
                return found
        raise IntegrityError(f"{line.name} is not in the log as it was read")

    def _entry(self, logged: Logged) -> Entry:
        line = logged.line
        manifest = asked(partial(self._client.manifest, logged.image))
        if isinstance(manifest, Lack):
            raise IntegrityError(f"the manifest of {line.name} is {manifest.value}")
        listed = read_image(line, manifest.data)
        wanted = {each.digest: each.size for each in listed.files} | {line.definition: listed.projection}
        found = asked(partial(self._client.blobs, wanted))
        whats = {each.digest: f"the file {each.path!r}" for each in reversed(listed.files)}
        data: dict[str, bytes] = {}
        for digest, what in (whats | {line.definition: "the Definition"}).items():
            content = found[digest]
            if isinstance(content, Lack):
                raise IntegrityError(f"{what} of {line.name} is {content.value}")
            data[digest] = content
        files = {each.path: data[each.digest] for each in listed.files}
        return checked_entry(line, data[line.definition], files)

    def _published(self, group: Sequence[Entry]) -> tuple[list[Outcome], Conflict | None]:
        """Return what became of a group, up to the first of it that is refused, and that refusal."""
        mark = self._mark()
        for _ in range(TRIES):
            log = self._sound()
            outcomes, refused = _sorted_out(log, group)
            done = group[: len(outcomes)]
            fresh = [entry for entry, each in zip(done, outcomes, strict=True) if each is Outcome.STORED]
            if fresh:
                after = self._log.extend(log, self._lines(log, fresh, mark))
            else:
                after = log if self._log.settled(log) else None
            if after is not None:
                self._tag_all([after.named[entry.domain, entry.version] for entry in done])
                return outcomes, refused
        raise Unavailable("others publish here without a pause")

    def _lines(self, log: Log, fresh: Sequence[Entry], mark: str) -> list[Logged]:
        """Store what versions consist of; return the lines that publish them behind a log."""
        blobs = {
            digest_of(data): data for entry in fresh for data in (entry.projection, *entry.files.values())
        }
        missing = {digest: data for digest, data in blobs.items() if digest not in self._stored}
        for digest in asked(partial(self._client.store_all, missing)):
            raise IntegrityError(f"the registry's blob {digest} is damaged")
        images = {digest_of(data): data for data in map(image, fresh)}
        unknown = {digest: data for digest, data in images.items() if digest not in self._stored}
        asked(partial(self._client.store_manifests, unknown))
        for digest, found in asked(partial(self._client.manifests, tuple(unknown))).items():
            if isinstance(found, Lack):
                raise IntegrityError(f"the registry's manifest {digest} is {found.value}")
        self._stored |= blobs.keys() | images.keys()
        lines: list[Logged] = []
        last = log.last
        for entry, digest in zip(fresh, images, strict=True):
            last = publication(entry, last)
            lines.append(Logged(line=last, image=digest, by=mark))
        return lines

    def _tag_all(self, logged: Sequence[Logged]) -> None:
        """Tag versions that are published, which they are without it too: nothing here fails them."""
        try:
            self._tag(logged)
        except Unavailable:
            self._untagged += [each.line.name for each in logged]

    def _tag(self, logged: Sequence[Logged]) -> None:
        """Let the tags of versions lead to what was published of them, wherever they lead now."""
        wanted = {version_tag(each.line): each.image for each in logged}
        there = asked(partial(self._client.manifests, tuple(wanted)))
        astray = {tag: wanted[tag] for tag, found in there.items() if _leads(found) != wanted[tag]}
        images = asked(partial(self._client.manifests, tuple(astray.values())))
        found = {tag: images[digest] for tag, digest in astray.items()}
        sound = {tag: each.data for tag, each in found.items() if not isinstance(each, Lack)}
        asked(partial(self._client.store_manifests, sound))

    def _tag_faults(self, log: Log, tags: Sequence[str]) -> Iterator[Fault]:
        wanted = {version_tag(each.line): each for each in log.logged}
        known = [tag for tag in tags if tag in wanted]
        self._untagged = [each.line.name for tag, each in wanted.items() if tag not in set(tags)]
        there = asked(partial(self._client.manifests, known))
        astray = [tag for tag, found in there.items() if _leads(found) not in {"", wanted[tag].image}]
        images = asked(partial(self._client.manifests, [wanted[tag].image for tag in astray]))
        for tag in astray:
            logged = wanted[tag]
            if not isinstance(images[logged.image], Lack):  # else its bytes are damaged under every name
                message = f"the tag {tag} of {logged.line.name} was moved: it leads to {_leads(there[tag])}"
                yield Fault(name=logged.line.name, message=message)
        strange = [tag for tag in tags if tag not in wanted and _VERSION_TAG.fullmatch(tag)]
        for tag, found in asked(partial(self._client.manifests, strange)).items():
            if not isinstance(found, Lack) and _is_package(found.data):
                message = f"the tag {tag} leads to a package that the log does not have: its line was lost"
                yield Fault(name="", message=message)


def _sorted_out(log: Log, group: Sequence[Entry]) -> tuple[list[Outcome], Conflict | None]:
    """Return what is to become of a group, up to the first of it that is in conflict, and that conflict."""
    lines = {key: each.line for key, each in log.named.items()}
    last, outcomes = log.last, []
    for entry in group:
        known = lines.get((entry.domain, entry.version))
        if known is None:
            last = lines[entry.domain, entry.version] = publication(entry, last)
            outcomes.append(Outcome.STORED)
            continue
        try:
            outcomes.append(same_version(known, entry))
        except Conflict as refused:
            return outcomes, refused
    return outcomes, None


def _leads(found: object) -> str:
    return getattr(found, "digest", "")


def _is_package(manifest: bytes) -> bool:
    try:
        value = json.loads(manifest)
    except (ValueError, RecursionError):
        return False
    return isinstance(value, dict) and value.get("artifactType") == PACKAGE_TYPE
