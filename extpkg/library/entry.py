"""What a library keeps: the files of one published version, by their hashes, and the chain of publications.

    files --sha256--> manifest --sha256--> publication --link--> the publication before it

A manifest and a publication are canonical JSON, so that anybody can hash them again
(docs/library.md).
"""

from __future__ import annotations

import hashlib
import json
import re
from dataclasses import dataclass, field
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Final

from extpkg.canonical import canonical_json
from extpkg.errors import ExtpkgError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

MANIFEST_CONTRACT: Final = "extpkg.manifest/1"
PUBLICATION_CONTRACT: Final = "extpkg.publication/1"
GENESIS: Final = "sha256:" + "0" * 64
"""What the first publication of a library names as the link before it."""

_MEMBERS: Final = 5
_SLASH: Final = re.compile("/")
_DIGEST: Final = re.compile(r"sha256:[0-9a-f]{64}")
_PART: Final = r"(?!\.{1,2}(?:/|\Z))[^/\\:\x00]{1,255}"
_PATH: Final = re.compile(rf"(?!\.)(?:{_PART}/)*{_PART}")


class IntegrityError(ExtpkgError):
    """What a library holds is not what was published; the text names the first fault that was met."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One version of one package as it is published: the projection's bytes and the files, by path."""

    domain: str
    version: int
    digest: str
    projection: bytes = field(repr=False)
    files: Mapping[str, bytes] = field(repr=False)

    def manifest(self) -> bytes:
        """Return the canonical bytes that list the files: `{contract, domain, version, definition, files}`.

        `files` are `[path, digest, size]`, sorted by path.
        """
        files = [[path, digest_of(data), len(data)] for path, data in sorted(self.files.items())]
        return canonical_json(
            {
                "contract": MANIFEST_CONTRACT,
                "domain": self.domain,
                "version": self.version,
                "definition": self.digest,
                "files": files,
            }
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Publication:
    """One line of a library's log: which version was published as the `sequence`th, counted from 1.

    `definition` and `manifest` are digests. `previous` is the link of the publication before, `link` that of
    this one: a changed, removed or reordered line breaks the chain.
    """

    sequence: int
    domain: str
    version: int
    definition: str
    manifest: str
    previous: str
    link: str

    @property
    def name(self) -> str:
        """The version as people write it: `DOMAIN@VERSION`."""
        return f"{self.domain}@{self.version}"

    def computed_link(self) -> str:
        """Return the digest of the canonical form of everything but `link`."""
        value = {
            "contract": PUBLICATION_CONTRACT,
            "sequence": self.sequence,
            "domain": self.domain,
            "version": self.version,
            "definition": self.definition,
            "manifest": self.manifest,
            "previous": self.previous,
        }
        return digest_of(canonical_json(value))


@dataclass(frozen=True, slots=True, kw_only=True)
class Listed:
    """One file of a manifest."""

    path: str
    digest: str
    size: int


def publication(entry: Entry, after: Publication | None) -> Publication:
    """Return the line that publishes `entry` behind `after`, None in an empty library."""
    line = Publication(
        sequence=1 if after is None else after.sequence + 1,
        domain=entry.domain,
        version=entry.version,
        definition=entry.digest,
        manifest=digest_of(entry.manifest()),
        previous=GENESIS if after is None else after.link,
        link="",
    )
    return Publication(
        **{name: getattr(line, name) for name in line.__slots__} | {"link": line.computed_link()}
    )


def digest_of(data: bytes) -> str:
    """Return `sha256:` and the lower-case hex digest."""
    return "sha256:" + hashlib.sha256(data).hexdigest()


def is_digest(text: str) -> bool:
    """Say whether a text is a digest as this toolkit writes one."""
    return _DIGEST.fullmatch(text) is not None


def is_path(text: str) -> bool:
    """Say whether a file can be published under that path: UTF-8 in which no system reads another path."""
    return _PATH.fullmatch(text) is not None and not any(
        "\ud800" <= character <= "\udfff" for character in text
    )


def listed_files(line: Publication, manifest: bytes) -> tuple[Listed, ...]:
    """Return what a manifest lists, after it was held against its publication; raises `IntegrityError`.

    No path leads out of the directory that it is written to, or where another one is, whoever wrote the
    library.
    """
    if digest_of(manifest) != line.manifest:
        raise IntegrityError(f"the manifest of {line.name} is not the one that was published")
    try:
        value: Any = json.loads(manifest)
        listed = tuple(Listed(path=path, digest=digest, size=size) for path, digest, size in value["files"])
        identity = (value["domain"], value["version"], value["definition"])
        within = value["contract"] == MANIFEST_CONTRACT and len(value) == _MEMBERS and _are_files(listed)
    except (KeyError, TypeError, ValueError, RecursionError):
        raise IntegrityError(f"the manifest of {line.name} cannot be read") from None
    if identity != (line.domain, line.version, line.definition) or not within:
        raise IntegrityError(f"the manifest of {line.name} is not that of a package")
    return listed


def _are_files(listed: tuple[Listed, ...]) -> bool:
    """Say whether these are files of one directory, each listed once and in its place."""
    paths = [each.path for each in listed]
    folders = {path[: found.start()] for path in paths for found in _SLASH.finditer(path)}
    return (
        all(_PATH.fullmatch(each.path) and is_digest(each.digest) for each in listed)
        and all(before < after for before, after in pairwise(paths))
        and folders.isdisjoint(paths)
    )


def checked_entry(
    line: Publication, projection: bytes, files: Mapping[str, bytes], listed: Iterable[Listed] = ()
) -> Entry:
    """Return an entry whose projection is the Definition that was published; raises `IntegrityError`.

    `listed` are the files whose sizes are still to be held against what was read.
    """
    for each in listed:
        if len(files[each.path]) != each.size:
            raise IntegrityError(f"the manifest of {line.name} says another size of {each.path!r}")
    if digest_of(projection) != line.definition:
        raise IntegrityError(f"the Definition of {line.name} is not the one that was published")
    return Entry(
        domain=line.domain,
        version=line.version,
        digest=line.definition,
        projection=projection,
        files=files,
    )
