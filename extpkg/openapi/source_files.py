# ruff: noqa: PTH117, PTH118, PTH119, PTH120 - names here are text with `/`, whatever the platform
"""The files of a source: the entry, and local files under its directory that references name."""

from __future__ import annotations

import os
import re
from posixpath import normpath
from typing import Any, Final
from urllib.parse import unquote

from extpkg import limits
from extpkg.diagnostic import Finding, Place, quoted
from extpkg.document.files import read_below
from extpkg.document.strict_json import parse_source
from extpkg.errors import DocumentInvalid
from extpkg.openapi import source_yaml

_SCHEME: Final = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:|//")
_DRIVE: Final = re.compile(r"[A-Za-z]:[\\/]|file:", re.IGNORECASE)
_JSON_STARTS: Final = (b"{", b"[", b'"')
_LINK: Final = "EXT0206"
_NOT_THERE: Final = "EXT0208"
_TOO_LARGE: Final = "EXT0103"
_REFUSED: Final = {_LINK: "escaping-ref", _NOT_THERE: "unresolvable-ref", _TOO_LARGE: "source-too-large"}
_TOO_MANY: Final = "EXT0105"


class RefusedError(Exception):
    """A reference that leads to no file that may be read: a reason code, and one line without a full stop."""

    def __init__(self, code: str, message: str) -> None:
        self.code = code
        self.message = message
        super().__init__(message)


def parse(data: bytes, name: str, left: int = limits.SOURCE_VALUES) -> Any:
    """Return the value of a JSON or YAML text; the text decides which it is.

    Raises `DocumentInvalid`. A text that starts as JSON does and is none may still be YAML.
    """
    if not data.removeprefix(b"\xef\xbb\xbf").lstrip(b" \t\r\n").startswith(_JSON_STARTS):
        return source_yaml.parse(data, name, left)
    try:
        return parse_source(data, name)
    except DocumentInvalid as refused:
        if name.lower().endswith(".json"):
            raise
        try:
            return source_yaml.parse(data, name, left)
        except DocumentInvalid as refused_too:
            # What it is closer to being is what its author took it for.
            raise min(refused_too, refused, key=_closeness) from None


def _closeness(refused: DocumentInvalid) -> int:
    position = refused.faults[0].place.position
    return -position.line if position else 0


class Files:
    """The files of one source that were read so far, within the bounds of a source.

    Names are paths below the entry's directory, joined by `/`.
    """

    __slots__ = ("_bytes", "_left", "_refused", "_values", "data", "directory", "entry")

    def __init__(self, path: str | os.PathLike[str]) -> None:
        full = os.fspath(path)
        self.directory = os.path.dirname(full) or os.curdir
        self.entry = os.path.basename(full)
        self.data = b""
        self._values: dict[str, Any] = {}
        self._refused: dict[str, RefusedError] = {}
        self._bytes = limits.SOURCE_BYTES
        self._left = limits.SOURCE_VALUES

    def read_entry(self) -> Any:
        """Return the value of the entry. Raises `DocumentInvalid`."""
        data = read_entry(self.directory, self.entry)
        self.data = data
        self._bytes -= len(data)
        value = self._values[self.entry] = parse(data, self.entry)
        return value

    def read(self, name: str) -> Any:
        """Return the value of a file that a reference names, read once. Raises `RefusedError`."""
        if name in self._refused:
            raise self._refused[name]
        if name not in self._values:
            try:
                self._values[name] = self._read(name)
            except RefusedError as refused:
                self._refused[name] = refused
                raise
        return self._values[name]

    def _read(self, name: str) -> Any:
        if len(self._values) >= limits.SOURCE_FILES:
            raise RefusedError("source-too-large", f"the source has more than {limits.SOURCE_FILES:,} files")
        data = _read_under(self.directory, name, self._bytes)
        if isinstance(data, Finding):
            code = _REFUSED.get(data.code, "unreadable-ref")
            raise RefusedError(code, f"the file {quoted(name)} is not read: {data.message}")
        self._bytes -= len(data)
        try:
            value = parse(data, name, self._left)
        except DocumentInvalid as refused:
            code = "source-too-large" if refused.faults[0].code == _TOO_MANY else "unreadable-ref"
            raise RefusedError(code, f"the file it names cannot be read: {refused}") from None
        self._left -= _count(value)
        if self._left < 0:
            raise RefusedError(
                "source-too-large", f"the source has more than {limits.SOURCE_VALUES:,} values"
            )
        return value


def read_entry(directory: str, name: str) -> bytes:
    """Return the bytes of the file that a person named; it may be a link. Raises `DocumentInvalid`."""
    full = os.path.realpath(os.path.join(directory, name))
    data = read_below(os.path.dirname(full), os.path.basename(full), limits.SOURCE_BYTES)
    if isinstance(data, Finding):
        raise DocumentInvalid((data,))
    return data


def _count(value: Any) -> int:
    waiting, count = [value], 0
    while waiting:
        here = waiting.pop()
        count += 1
        if type(here) is dict:
            waiting.extend(here.values())
        elif type(here) is list:
            waiting.extend(here)
    return count


def _read_under(directory: str, name: str, most: int) -> bytes | Finding:
    data = read_below(directory, name, most)
    if not isinstance(data, Finding) or data.code == _TOO_LARGE:
        return data
    # A link is followed where it ends under the same directory, and then by the path that it ends at.
    base = os.path.realpath(directory)
    target = os.path.relpath(os.path.realpath(os.path.join(base, name)), base).replace(os.sep, "/")
    if target == ".." or target.startswith("../") or os.path.isabs(target):
        message = f"{quoted(name)} is a link that leads out of the source's directory"
        return Finding(code=_LINK, place=Place(path=name), message=message)
    return data if target == name else read_below(base, target, most)


def target_of(reference: str, file: str) -> tuple[str, str]:
    """Return the file that a reference in `file` leads to, and its fragment as written.

    Raises `RefusedError` where it leads out of the source's directory: `remote-ref`, `absolute-ref` or
    `escaping-ref`.
    """
    path, _, fragment = reference.partition("#")
    if not path:
        return file, fragment
    if _DRIVE.match(path):
        raise RefusedError("absolute-ref", f"the reference {quoted(reference)} is an absolute path")
    if _SCHEME.match(path):
        raise RefusedError("remote-ref", f"the reference {quoted(reference)} leads to another host")
    plain = unquote(path)
    if plain.startswith(("/", "\\")):
        raise RefusedError("absolute-ref", f"the reference {quoted(reference)} is an absolute path")
    name = normpath(f"{file.rpartition('/')[0]}/{plain}".lstrip("/"))
    if name == ".." or name.startswith("../") or "\\" in name or "\0" in name:
        raise RefusedError(
            "escaping-ref", f"the reference {quoted(reference)} leads out of the source's directory"
        )
    return name, fragment
