"""Attestations of a published version: artifacts that refer to its manifest, by the referrers API or its tag.

A registry without that API is told of them by an index under the tag that stands for the manifest's digest
(distribution spec, referrers tag schema).
"""

from __future__ import annotations

import json
from functools import partial
from typing import TYPE_CHECKING, Any, Final

from extpkg.canonical import canonical_json
from extpkg.egress.registry_client import IMAGE_INDEX, Lack, Manifest
from extpkg.errors import DocumentInvalid
from extpkg.library.entry import IntegrityError, digest_of, is_digest
from extpkg.library.oci_form import EMPTY_BLOB, ENVELOPE_TYPE, MANIFEST_TYPE, Blob, manifest_bytes
from extpkg.library.oci_log import asked
from extpkg.library.store import Unavailable

if TYPE_CHECKING:
    from collections.abc import Sequence

    from extpkg.egress.registry_client import RegistryClient

ENVELOPE_BYTES: Final = 4 << 20
"""Bytes of one attestation."""

MOST: Final = 1_000
"""Attestations of one version that are read."""

_TRIES: Final = 8


def referrers_tag(image: str) -> str:
    """Return the tag that stands for a manifest's digest."""
    return image.replace(":", "-")


def attach(client: RegistryClient, image: str, envelope: bytes) -> None:
    """Let an envelope refer to the manifest of that digest; raises `Unavailable` and `IntegrityError`.

    Attaching the same envelope again changes nothing.
    """
    if len(envelope) > ENVELOPE_BYTES:
        raise Unavailable(f"an attestation has at most {ENVELOPE_BYTES} bytes")
    subject = asked(partial(client.manifest, image))
    if isinstance(subject, Lack):
        raise IntegrityError(f"the manifest {image} is {subject.value}")
    layer = Blob.of(ENVELOPE_TYPE, envelope)
    for digest in asked(partial(client.store_all, {blob.digest: blob.data for blob in (EMPTY_BLOB, layer)})):
        raise IntegrityError(f"the registry's blob {digest} is damaged")
    about = {"mediaType": MANIFEST_TYPE, "digest": image, "size": len(subject.data)}
    manifest = manifest_bytes(ENVELOPE_TYPE, EMPTY_BLOB.descriptor(), [layer.descriptor()], about)
    digest = digest_of(manifest)
    if not asked(partial(client.store_manifest, digest, manifest)):
        descriptor = {"mediaType": MANIFEST_TYPE, "digest": digest, "size": len(manifest)}
        _list_under_tag(client, referrers_tag(image), descriptor | {"artifactType": ENVELOPE_TYPE})


def attached(client: RegistryClient, image: str) -> tuple[bytes, ...]:
    """Return the envelopes that refer to a manifest, hashed; raises `IntegrityError` for one that is damaged.

    What else refers to it is passed over. An envelope is not opened here: whoever wants to believe it does.
    """
    api = asked(partial(client.referrers, image))
    listed = _rows(asked(partial(client.manifest, referrers_tag(image)))) if api is None else api
    ours = [each for each in listed if each.get("artifactType") == ENVELOPE_TYPE]
    digests = [each["digest"] for each in ours if is_digest(str(each.get("digest")))]
    if len(digests) < len(ours) or len(digests) > MOST:
        raise IntegrityError(f"the list of what refers to {image} cannot be read")
    manifests = asked(partial(client.manifests, digests))
    blobs = [_envelope(image, manifests[digest]) for digest in digests]
    found = asked(partial(client.blobs, {blob.digest: blob.size for blob in blobs}))
    return tuple(_whole(found[blob.digest], image) for blob in blobs)


def _whole(content: bytes | Lack, image: str) -> bytes:
    if isinstance(content, Lack):
        raise IntegrityError(f"an attestation of {image} is {content.value}")
    return content


def _envelope(image: str, manifest: Manifest | Lack) -> Blob:
    """Return the envelope that a manifest holds, if it refers to the image; raises `IntegrityError`."""
    if isinstance(manifest, Lack):
        raise IntegrityError(f"an attestation of {image} is {manifest.value}")
    try:
        value: Any = json.loads(manifest.data)
        [layer] = value["layers"]
        blob = Blob(media_type=layer["mediaType"], digest=layer["digest"], size=layer["size"])
        sound = is_digest(blob.digest) and type(layer["size"]) is int and 0 <= blob.size <= ENVELOPE_BYTES
        sound = sound and value["subject"]["digest"] == image and blob.media_type == ENVELOPE_TYPE
    except (KeyError, TypeError, ValueError, RecursionError):
        sound = False
    if not sound:
        raise IntegrityError(f"an attestation of {image} is none, or that of another")
    return blob


def _list_under_tag(client: RegistryClient, tag: str, descriptor: dict[str, Any]) -> None:
    """Add a descriptor to the index under a tag, again where another wrote it at the same time."""
    for _ in range(_TRIES):
        rows = _rows(asked(partial(client.manifest, tag)))
        if any(row.get("digest") == descriptor["digest"] for row in rows):
            return
        value = {"schemaVersion": 2, "mediaType": IMAGE_INDEX, "manifests": [*rows, descriptor]}
        try:
            data = canonical_json(value)
        except DocumentInvalid:
            raise IntegrityError(f"the tag {tag} leads to no list of what refers to a manifest") from None
        asked(partial(client.store_manifest, tag, data, IMAGE_INDEX))
    raise Unavailable("others write the list of what refers to this version without a pause")


def _rows(found: Manifest | Lack) -> Sequence[dict[str, Any]]:
    """Return the descriptors of the index under a referrers tag; none where there is no tag."""
    if found is Lack.ABSENT:
        return ()
    try:
        rows: Any = None if isinstance(found, Lack) else json.loads(found.data)["manifests"]
    except (KeyError, TypeError, ValueError, RecursionError):
        rows = None
    if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
        raise IntegrityError("a tag that stands for a manifest leads to no list of what refers to it")
    return rows
