"""A package's directory: its entries, their kinds, and whether names agree (R-PKG-1 to 4)."""

from __future__ import annotations

import posixpath
import re
import unicodedata
from dataclasses import replace
from operator import attrgetter, itemgetter
from typing import TYPE_CHECKING, Any, Final

from extpkg.check.members import children, text_at
from extpkg.check.metadata import is_name
from extpkg.diagnostic import Finding, Place, quoted
from extpkg.document.files import ENTRIES, META, EntryKind

if TYPE_CHECKING:
    from collections.abc import Iterator

    from extpkg.document.files import Entry, Tree

_FILES: Final = re.compile(r"meta\.yaml|README\.md|CHANGELOG\.md|LICENSE.*", re.DOTALL)
_DIRECTORIES: Final = ("actions", "source", "tests")
_LEFTOVER: Final = re.compile(
    r"\.DS_Store|\.AppleDouble|\.LSOverride|\.Spotlight-V100|\.Trashes|\.fseventsd|\._.*|\.directory"
    r"|\..*\.sw[a-p]|\..*~|\.#.*|\.~lock\..*|\.fuse_hidden.*|\.nfs.*|\.Trash-.*"
    r"|\.idea|\.vscode|\.vs|\.settings|\.project|\.classpath|\.history",
    re.DOTALL,
)
_DEVICE: Final = re.compile(
    r"(?:con|prn|aux|nul|conin\$|conout\$|com[0-9¹²³]|lpt[0-9¹²³]) *(?:[.:].*)?", re.IGNORECASE | re.DOTALL
)


def is_device(name: str) -> bool:
    """Say whether Windows takes the name of a file for a device, whatever extension it has (R-PKG-3)."""
    return _DEVICE.fullmatch(name) is not None


def check_tree(tree: Tree) -> Iterator[Finding]:
    """Yield what is wrong with a package's entries whatever `meta.yaml` says (R-PKG-1 to 3).

    Ignored entries, whose name starts with a dot in the root, are looked at by name only.
    """
    entries = {entry.path: entry for entry in tree.entries}
    if META not in entries:
        yield Finding(code="EXT0201", place=Place(path=META), message="the package has no meta.yaml")
    elif "actions" not in entries:
        yield Finding(
            code="EXT0202", place=Place(path="actions"), message="the package has no directory actions/"
        )
    for entry in tree.entries:
        yield from _check_entry(entry)
    yield from _collisions(tree)


def check_layout(tree: Tree, meta_value: Any) -> Iterator[Finding]:
    """Yield where the entries of `meta.yaml` and those of `actions/` do not agree (R-PKG-1, R-PKG-4)."""
    if not isinstance(meta_value, dict):
        return
    present = {entry.path: entry.kind for entry in tree.entries}
    meant: set[str] = set()
    loosely: set[str] = set()
    first: dict[tuple[str, str], str] = {}
    found: list[Finding] = []
    for pointer, entry in children(meta_value, "actions"):
        name, file = text_at(entry, "name"), text_at(entry, "file")
        meant |= {path for path in (file, f"actions/{name}.yaml") if path is not None}
        duplicate = _duplicate(first, pointer, name, file)
        if duplicate:
            found.append(duplicate)
        elif name is not None and file is not None and is_name(name):
            found += _check_file(pointer, name, file, present)
        elif name is not None and file is not None:
            # What a malformed name means (EXT0308) is on disk under a name that is close to it.
            loosely |= {_folded(posixpath.normpath(file)), _folded(f"actions/{name}.yaml")}
    listed = meta_value.get("actions")
    if isinstance(listed, list) and listed and all(says_which(entry) for entry in listed):
        found += _unlisted(present, meant, loosely)
    yield from _with_renaming(found)


def says_which(entry: Any) -> bool:
    """Whether an entry of `actions` says which file it means, by a name or a file, right or wrong.

    Beside one that does not, no file can be called unlisted.
    """
    return text_at(entry, "name") is not None or text_at(entry, "file") is not None


def check_action_name(action_value: Any, file: str) -> Iterator[Finding]:
    """Yield where the `name` in an action file is not the file's own (R-PKG-4)."""
    name, wanted = text_at(action_value, "name"), file.rpartition("/")[2].removesuffix(".yaml")
    if name is not None and name != wanted:
        yield Finding(
            code="EXT0212",
            place=Place(path=file, pointer="/name", label=f"the file is {wanted}.yaml"),
            message=f"the action is called {quoted(name)} in the file of {quoted(wanted)}",
            help=f"write name: {wanted}, or rename the file and its entry in meta.yaml",
        )


def _check_entry(entry: Entry) -> Iterator[Finding]:
    """Yield at most one finding about one entry by itself."""
    name, place = entry.path.rpartition("/")[2], Place(path=entry.path)
    in_root = "/" not in entry.path
    if in_root and name.startswith("."):
        if _LEFTOVER.fullmatch(name):
            yield Finding(
                code="EXT0214",
                place=place,
                message=f"{quoted(name)} was left behind by an editor or the system",
            )
    elif in_root and not _belongs(name):
        yield Finding(
            code="EXT0203", place=place, message=f"{quoted(name)} does not belong into the root of a package"
        )
    elif entry.kind is EntryKind.LINK:
        yield Finding(code="EXT0206", place=place, message=f"{quoted(entry.path)} is a symbolic link")
    elif entry.kind is EntryKind.CROWDED:
        yield Finding(
            code="EXT0208",
            place=place,
            message=f"{quoted(entry.path)} has too many entries: a package has at most {ENTRIES:,} in all",
            help="remove what does not belong to the package",
        )
    elif entry.kind is EntryKind.UNREADABLE:
        yield Finding(code="EXT0208", place=place, message=f"{quoted(entry.path)} cannot be read")
    elif _wrong_kind(entry):
        yield _not_a_file(entry.path, "directory" if entry.path in _DIRECTORIES else "regular file")
    elif is_device(name):
        yield Finding(code="EXT0210", place=place, message=f"{quoted(name)} is the name of a Windows device")


def _belongs(name: str) -> bool:
    """Whether an entry of that name may stand in the root of a package."""
    return name in _DIRECTORIES or _FILES.fullmatch(name) is not None


def _folded(path: str) -> str:
    """Return what a disk that knows neither letter case nor normalization makes of a path."""
    return unicodedata.normalize("NFC", unicodedata.normalize("NFD", path).casefold())


def _wrong_kind(entry: Entry) -> bool:
    """Whether an entry is neither the file nor the directory that belongs there."""
    if entry.path in _DIRECTORIES:
        return entry.kind is not EntryKind.DIRECTORY
    if "/" not in entry.path:
        return entry.kind is not EntryKind.FILE
    return entry.kind is EntryKind.OTHER


def _collisions(tree: Tree) -> Iterator[Finding]:
    """Yield each entry whose name some disks cannot tell from that of an entry before it."""
    first: dict[str, str] = {}
    for entry in sorted(tree.entries, key=attrgetter("path")):
        if "/" not in entry.path and not _belongs(entry.path):
            continue
        other = first.setdefault(_folded(entry.path), entry.path)
        if other != entry.path:
            yield Finding(
                code="EXT0209",
                place=Place(path=entry.path),
                message=f"{quoted(entry.path)} and {quoted(other)} are one name on some disks",
                related=(Place(path=other, label="the other entry"),),
            )


def _duplicate(
    first: dict[tuple[str, str], str], pointer: str, name: str | None, file: str | None
) -> Finding | None:
    """Return a finding if an earlier entry has this name or this file; remember both."""
    found = None
    for field, value in (("name", name), ("file", file)):
        if value is None:
            continue
        before = first.setdefault((field, value), pointer)
        if before != pointer and found is None:
            found = Finding(
                code="EXT0213",
                place=Place(path=META, pointer=f"{pointer}/{field}", label="listed before"),
                message=f"the {'action' if field == 'name' else 'file'} {quoted(value)} is listed twice",
                related=(Place(path=META, pointer=f"{before}/{field}", label="first listed here"),),
            )
    return found


def _check_file(pointer: str, name: str, file: str, present: dict[str, EntryKind]) -> Iterator[Finding]:
    wanted = f"actions/{name}.yaml"
    place = Place(path=META, pointer=f"{pointer}/file")
    if file != wanted:
        yield Finding(
            code="EXT0211",
            place=place,
            message=f"the file of {quoted(name)} is {quoted(file)}, not {quoted(wanted)}",
            help=f"write file: {wanted}",
        )
    elif present.get("actions") is not EntryKind.DIRECTORY:
        return
    elif wanted not in present:
        yield Finding(code="EXT0205", place=place, message=f"the listed file {quoted(file)} does not exist")
    elif present[wanted] is EntryKind.DIRECTORY:
        yield _not_a_file(wanted)


def _unlisted(present: dict[str, EntryKind], meant: set[str], loosely: set[str]) -> Iterator[Finding]:
    """Yield the entries of `actions/` that meta.yaml does not mean, unless another rule refuses them.

    Of a directory the files in it are named, or itself if it is empty. `loosely` are folded paths that are
    meant too.
    """
    holders = {path.rpartition("/")[0] for path in present}
    known = {_folded(path) for path in meant if path in present} | loosely
    for path, kind in sorted(present.items(), key=itemgetter(0)):
        top, _, inside = path.partition("/")
        told = path in meant or path in holders or is_device(path.rpartition("/")[2])
        if top != "actions" or not inside or told or _folded(path) in known:
            continue
        known.add(_folded(path))
        if kind in {EntryKind.FILE, EntryKind.DIRECTORY}:
            yield Finding(
                code="EXT0204", place=Place(path=path), message=f"meta.yaml does not list {quoted(path)}"
            )


def _with_renaming(found: list[Finding]) -> list[Finding]:
    """Return the findings, those of one missing and one unlisted file made one: it was probably renamed."""
    missing = [finding for finding in found if finding.code == "EXT0205"]
    unlisted = [finding for finding in found if finding.code == "EXT0204"]
    if len(missing) != 1 or len(unlisted) != 1:
        return found
    (gone,), (other,) = missing, unlisted
    there = quoted(other.place.path)
    renamed = replace(
        gone,
        message=f"{gone.message}, and meta.yaml does not list {there}",
        help=f"if {there} is that file, rename it or correct the entry; else add one and remove the other",
        related=(replace(other.place, label="was it renamed?"),),
    )
    return [renamed if finding is gone else finding for finding in found if finding is not other]


def _not_a_file(path: str, what: str = "regular file") -> Finding:
    return Finding(code="EXT0207", place=Place(path=path), message=f"{quoted(path)} is no {what}")
