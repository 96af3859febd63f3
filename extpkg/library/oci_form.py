"""What a library is in an OCI registry: one image manifest for a version, and one for the log.

    version   config: the projection, so that its digest is the Definition digest; a layer for each file
    log       layers: segments of lines, then the signature of the head

All are canonical JSON, so that a version has the same manifest in every registry (docs/library.md).
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from hashlib import sha256
from typing import TYPE_CHECKING, Any, Final

from extpkg.canonical import canonical_json
from extpkg.errors import DocumentInvalid
from extpkg.library.entry import (
    MANIFEST_CONTRACT,
    PUBLICATION_CONTRACT,
    IntegrityError,
    Listed,
    Publication,
    digest_of,
    is_digest,
    listed_files,
)
from extpkg.limits import SOURCE_BYTES

if TYPE_CHECKING:
    from collections.abc import Sequence

    from extpkg.library.entry import Entry

MANIFEST_TYPE: Final = "application/vnd.oci.image.manifest.v1+json"
PACKAGE_TYPE: Final = "application/vnd.extpkg.package.v1"
DEFINITION_TYPE: Final = "application/vnd.extpkg.definition.v1+json"
FILE_TYPE: Final = "application/vnd.extpkg.file.v1"
LOG_TYPE: Final = "application/vnd.extpkg.log.v1"
SEGMENT_TYPE: Final = "application/vnd.extpkg.log.segment.v1+json-seq"
ENVELOPE_TYPE: Final = "application/vnd.dsse.envelope.v1+json"
EMPTY_TYPE: Final = "application/vnd.oci.empty.v1+json"
TITLE: Final = "org.opencontainers.image.title"

LOG_CONTRACT: Final = "extpkg.log/1"
LOG_TAG: Final = "extpkg-log"
"""The tag of the log; a version's tag has a dot."""

SEGMENT_LINES: Final = 256
"""Lines of a segment: those that are full are never written again."""

EMPTY: Final = b"{}"
_TAG: Final = 128
_UNREADABLE: Final = (KeyError, TypeError, ValueError, RecursionError, DocumentInvalid)


@dataclass(frozen=True, slots=True, kw_only=True)
class Logged:
    """A line of the log, the digest of the manifest that it published, and the mark of who wrote it.

    `image` stands outside the chain: what it leads to is held against the line. `by` tells a publisher its
    own line from an equal one.
    """

    line: Publication
    image: str
    by: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Image:
    """What the manifest of a version lists: the projection's length, and the files."""

    projection: int
    files: tuple[Listed, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Blob:
    """A blob as a manifest names it."""

    media_type: str
    digest: str
    size: int
    data: bytes = field(default=b"", repr=False)

    @classmethod
    def of(cls, media_type: str, data: bytes) -> Blob:
        """Return the blob that these bytes are."""
        return cls(media_type=media_type, digest=digest_of(data), size=len(data), data=data)

    def descriptor(self) -> dict[str, Any]:
        """Return its descriptor."""
        return {"mediaType": self.media_type, "digest": self.digest, "size": self.size}


EMPTY_BLOB: Final = Blob.of(EMPTY_TYPE, EMPTY)


def version_tag(line: Publication) -> str:
    """Return the tag of a version: `DOMAIN.VERSION`; a domain too long for one is cut and hashed."""
    tag = f"{line.domain}.{line.version}"
    if len(tag) <= _TAG:
        return tag
    return f"{line.domain[:84]}.{sha256(line.domain.encode()).hexdigest()[:32]}.{line.version}"


def image(entry: Entry) -> bytes:
    """Return the manifest of a version."""
    files = [
        Blob.of(FILE_TYPE, data).descriptor() | {"annotations": {TITLE: path}}
        for path, data in sorted(entry.files.items())
    ]
    config = Blob.of(DEFINITION_TYPE, entry.projection).descriptor()
    return manifest_bytes(PACKAGE_TYPE, config, files)


def manifest_bytes(
    artifact: str,
    config: dict[str, Any],
    layers: Sequence[dict[str, Any]],
    subject: dict[str, Any] | None = None,
) -> bytes:
    """Return an image manifest."""
    value: dict[str, Any] = {
        "schemaVersion": 2,
        "mediaType": MANIFEST_TYPE,
        "artifactType": artifact,
        "config": config,
        "layers": list(layers),
    }
    return canonical_json(value if subject is None else value | {"subject": subject})


def read_image(line: Publication, data: bytes) -> Image:
    """Return what the manifest of a version lists, held against its line; raises `IntegrityError`.

    The manifest that the line names is made of it again, so that a file more, less, renamed or of another
    version is met here; so is a Definition that is another.
    """
    try:
        value: Any = json.loads(data)
        config = value["config"]
        files = [[layer["annotations"][TITLE], layer["digest"], layer["size"]] for layer in value["layers"]]
        kinds = (value["artifactType"], config["mediaType"])
        size, digest = config["size"], config["digest"]
        published = canonical_json(
            {
                "contract": MANIFEST_CONTRACT,
                "domain": line.domain,
                "version": line.version,
                "definition": digest,
                "files": files,
            }
        )
        sound = all(type(each) is int and each >= 0 for each in (size, *(file[2] for file in files)))
    except _UNREADABLE:
        raise IntegrityError(f"the manifest of {line.name} cannot be read") from None
    if kinds != (PACKAGE_TYPE, DEFINITION_TYPE) or not sound:
        raise IntegrityError(f"the manifest of {line.name} is not that of a package")
    if digest != line.definition:
        raise IntegrityError(f"the Definition of {line.name} is not the one that was published")
    listed = listed_files(line, published)
    if sum(each.size for each in listed) > SOURCE_BYTES or size > SOURCE_BYTES:
        raise IntegrityError(f"{line.name} is larger than a library takes")
    return Image(projection=size, files=listed)


def segment(logged: Sequence[Logged], first: int) -> bytes:
    """Return a segment: a line that says which it is, then its publications; `first` counts from 1."""
    rows = [{"contract": LOG_CONTRACT, "first": first}, *map(_row, logged)]
    return b"".join(canonical_json(row) + b"\n" for row in rows)


def read_segment(data: bytes) -> tuple[Logged, ...]:
    """Return the publications of a segment; raises `IntegrityError`."""
    try:
        head, *rows = [json.loads(text) for text in data.splitlines()]
        logged = tuple(map(_logged, rows))
        ours = head["contract"] == LOG_CONTRACT and segment(logged, head["first"]) == data
    except _UNREADABLE:
        ours, logged = False, ()
    if not ours:
        raise IntegrityError("a segment of the log cannot be read")
    return logged


def log_manifest(segments: Sequence[Blob], envelope: bytes | None) -> bytes:
    """Return the manifest of the log."""
    layers = [each.descriptor() for each in segments]
    if envelope is not None:
        layers.append(Blob.of(ENVELOPE_TYPE, envelope).descriptor())
    return manifest_bytes(LOG_TYPE, EMPTY_BLOB.descriptor(), layers)


def read_log_manifest(data: bytes) -> tuple[tuple[Blob, ...], Blob | None]:
    """Return the segments of the log and its signature; raises `IntegrityError` for no manifest of a log."""
    try:
        value: Any = json.loads(data)
        blobs = [
            Blob(media_type=layer["mediaType"], digest=layer["digest"], size=layer["size"])
            for layer in value["layers"]
        ]
        ours = value["artifactType"] == LOG_TYPE and all(map(_is_plain, value["layers"]))
    except _UNREADABLE:
        ours, blobs = False, []
    segments = tuple(blob for blob in blobs if blob.media_type == SEGMENT_TYPE)
    others = [blob for blob in blobs if blob.media_type == ENVELOPE_TYPE]
    if not ours or not segments or len(segments) + len(others) < len(blobs) or len(others) > 1:
        raise IntegrityError(f"the tag {LOG_TAG} leads to something that is no library's log")
    return segments, others[0] if others else None


def _is_plain(layer: Any) -> bool:
    return is_digest(layer["digest"]) and type(layer["size"]) is int and layer["size"] >= 0


def _row(logged: Logged) -> dict[str, Any]:
    line = logged.line
    return {
        "contract": PUBLICATION_CONTRACT,
        "sequence": line.sequence,
        "domain": line.domain,
        "version": line.version,
        "definition": line.definition,
        "manifest": line.manifest,
        "previous": line.previous,
        "link": line.link,
        "image": logged.image,
        "by": logged.by,
    }


def _logged(row: Any) -> Logged:
    """Return the line that a row is; ValueError, KeyError or TypeError for any other value."""
    texts = ("domain", "definition", "manifest", "previous", "link", "image", "by")
    if not all(isinstance(row[name], str) for name in texts):
        raise ValueError("no text")
    if type(row["sequence"]) is not int or type(row["version"]) is not int or not is_digest(row["image"]):
        raise ValueError("no line")
    line = Publication(
        sequence=row["sequence"],
        domain=row["domain"],
        version=row["version"],
        definition=row["definition"],
        manifest=row["manifest"],
        previous=row["previous"],
        link=row["link"],
    )
    return Logged(line=line, image=row["image"], by=row["by"])
