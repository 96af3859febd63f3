"""A source: the OpenAPI document that a Package is authored from, read, joined and bounded."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final, Literal

from extpkg.diagnostic import Finding, Place, quoted
from extpkg.errors import DocumentInvalid
from extpkg.openapi.node import Node
from extpkg.openapi.note import Note, Unusable
from extpkg.openapi.places import position, written
from extpkg.openapi.reference import pointed
from extpkg.openapi.source_files import Files, RefusedError, target_of
from extpkg.openapi.source_tree import joined

if TYPE_CHECKING:
    import os

    from extpkg.diagnostic import Position

Version = Literal["2.0", "3.0", "3.1"]

NOT_OPENAPI: Final = "EXT1201"

_VERSIONS: Final = re.compile(r"(2\.0|3\.0|3\.1)(\.[0-9]+.*)?")
_HOPS: Final = 64


class Source:
    """One document, whatever files it came from.

    `root` is the whole document; every reference in it that can be followed is local to it. `version` is the
    specification's. `notes` are what was followed although no reference should stand there.
    """

    __slots__ = ("__weakref__", "_data", "_refused", "_resolved", "name", "notes", "root", "version")

    def __init__(
        self,
        root: Node,
        version: Version,
        notes: tuple[Note, ...],
        refused: dict[str, RefusedError],
        data: bytes,
    ) -> None:
        self.root = root
        self.name = root.file
        self.version: Version = version
        self.notes = notes
        self._refused = refused
        self._resolved: dict[str, tuple[str, Any] | None] = {}
        self._data = data

    def follow(self, node: Node) -> Node:
        """Return what a node is or refers to, through any chain of references.

        To be called where the specification has a reference, and nowhere else. Raises `Unusable` with
        `unresolvable-ref`, `ref-cycle`, `remote-ref`, `absolute-ref`, `escaping-ref`, `unreadable-ref` or
        `source-too-large`.
        """
        here = node
        for _ in range(_HOPS):
            value = here.value
            if type(value) is not dict or type(value.get("$ref")) is not str:
                return here
            here = self.resolve(value["$ref"], here)
        raise Unusable("ref-cycle", "the reference leads back to itself, or through too many others", node)

    def resolve(self, reference: str, node: Node) -> Node:
        """Return the place that a reference at `node` leads to, a step on. Raises `Unusable` as `follow`."""
        if reference not in self._resolved:
            local = reference.startswith("#")
            self._resolved[reference] = pointed(self.root.value, reference[1:]) if local else None
        found = self._resolved[reference]
        if found is None:
            raise self._lost(reference, node)
        return Node(found[1], self.name, found[0])

    def position(self, node: Node) -> Position:
        """Return where a node stands in the text of the entry; the text's start where it is not in it."""
        return position(self._data, node.pointer)

    def _lost(self, reference: str, node: Node) -> Unusable:
        refused = self._refused.get(reference)
        if refused is None:
            try:
                target_of(reference, self.name)
            except RefusedError as error:
                refused = error
        if refused is None:
            return Unusable("unresolvable-ref", f"the reference {quoted(reference)} leads to nothing", node)
        return Unusable(refused.code, refused.message, node)


def read_source(path: str | os.PathLike[str]) -> Source:
    """Return the source at `path`: OpenAPI 2.0, 3.0 or 3.1, JSON or YAML, with the files that it refers to.

    Raises `DocumentInvalid`, with a place, for a text that cannot be read or is no OpenAPI document. What is
    wrong with a part of it is found when the part is used.
    """
    files = Files(path)
    tree = joined(files)
    root = tree.root
    version = _version(root, files)
    info = root.get("info")
    if type(info) is dict and type(info.get("version")) in {int, float, bool}:
        text = written(files.data, "/info/version") or str(info["version"])
        root = {**root, "info": {**info, "version": text}}
    return Source(Node(root, files.entry), version, tree.notes, tree.refused, files.data)


def _version(root: Any, files: Files) -> Version:
    if type(root) is not dict:
        raise _refusal(files, "", "the document is no mapping, and so no OpenAPI document")
    field = "swagger" if "swagger" in root else "openapi"
    if field not in root:
        raise _refusal(files, "", 'the document has neither "openapi" nor "swagger", and so is no OpenAPI')
    said = root[field]
    text = said if isinstance(said, str) else written(files.data, f"/{field}") or str(said)
    found = _VERSIONS.fullmatch(text)
    if found is None or (field == "swagger") is not (found[1] == "2.0"):
        message = f"{field} {quoted(text)} is not read; versions are swagger 2.0, openapi 3.0 and 3.1"
        raise _refusal(files, f"/{field}", message)
    version: Version = found[1]  # type: ignore[assignment]
    return version


def _refusal(files: Files, pointer: str, message: str) -> DocumentInvalid:
    place = Place(path=files.entry, pointer=pointer, position=position(files.data, pointer))
    return DocumentInvalid((Finding(code=NOT_OPENAPI, place=place, message=message),))
