"""From a tree of files to one document: what other files hold comes to stand where references name it.

A place that the entry gives a name under its components keeps that name, whatever file it stands in; every
other place is named after the last word of the reference to it. So one file and a tree of the same
components are the same document. What cannot be had stays a reference, and fails whoever follows it.
"""

from __future__ import annotations

import re
from hashlib import sha256
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from extpkg.openapi.note import Note
from extpkg.openapi.reference import pointed
from extpkg.openapi.source_files import Files, RefusedError, target_of
from extpkg.openapi.structure import NOT_REFERENCES, SECTIONS, SECTIONS_2, Kind, children, section_kinds
from extpkg.pointer import Pointer, escape

if TYPE_CHECKING:
    from collections.abc import Iterator

_HOPS: Final = 64
"""References in a row that are followed while a tree is joined."""

_UNFIT: Final = re.compile(r"[^A-Za-z0-9._-]+")


class Place(NamedTuple):
    """A value in a file of the tree."""

    file: str
    pointer: str
    value: Any


class Joined(NamedTuple):
    """The one document, notes on it, and for each reference left in it that leads nowhere the reason."""

    root: Any
    notes: tuple[Note, ...]
    refused: dict[str, RefusedError]


def joined(files: Files) -> Joined:
    """Return the document of the entry, with all that other files hold. Raises `DocumentInvalid`."""
    root = files.read_entry()
    tree = _Tree(files, root)
    tree.own(root)
    tree.discover(root)
    if tree.changes:
        tree.name(root)
        root = tree.document(root)
    return Joined(root, tuple(sorted(tree.notes)), tree.refused)


class _Tree:
    """One joining. `owners` are places that the entry names, `found` the others that references lead to."""

    __slots__ = ("_active", "changes", "files", "found", "names", "notes", "owners", "refused", "sections")

    def __init__(self, files: Files, root: Any) -> None:
        self.files = files
        self.sections = SECTIONS_2 if type(root) is dict and "swagger" in root else SECTIONS
        self.notes: set[Note] = set()
        self.refused: dict[str, RefusedError] = {}
        self.owners: dict[tuple[str, str], tuple[Kind, str]] = {}
        self.found: dict[tuple[str, str], Kind] = {}
        self.names: dict[tuple[str, str], tuple[Kind, str]] = {}
        self.changes = False
        self._active: set[tuple[str, str]] = set()

    def own(self, root: Any) -> None:
        """Note which places in other files the entry gives a name under its components."""
        for kind, members in self._maps(root):
            for name in sorted(members.value) if type(members.value) is dict else ():
                member = members.value[name]
                target = self._bare_target(member, members.file)
                if target is None and members.file != self.files.entry:
                    target = Place(members.file, f"{members.pointer}/{escape(name)}", member)
                if target is not None:
                    self.owners.setdefault(target[:2], (kind, name))

    def discover(self, root: Any) -> None:
        """Find every place that references lead to, and whether the entry alone is not the document."""
        entry = self.files.entry
        waiting: list[tuple[Any, Kind, str]] = [(root, Kind.DOCUMENT, entry)]
        for kind, members in self._maps(root):
            self.changes |= members.file != entry
            if type(members.value) is dict:
                waiting += [(member, kind, members.file) for member in members.value.values()]
        seen: set[tuple[str, str]] = set()
        while waiting:
            value, kind, file = waiting.pop()
            if type(value) is not dict:
                continue
            if type(value.get("$ref")) is str:
                target = self._target(value, kind, file)
                if target is not None and target[:2] not in seen:
                    seen.add(target[:2])
                    waiting.append((target.value, kind, target.file))
                if kind is not Kind.SCHEMA:
                    continue
            waiting += [(child.value, child.kind, file) for child in children(value, kind)]

    def _target(self, value: dict[str, Any], kind: Kind, file: str) -> Place | None:
        """Return where a reference leads if the document changes for it; note what that place is."""
        reference = value["$ref"]
        if file == self.files.entry and reference.startswith("#") and kind not in NOT_REFERENCES:
            return None
        self.changes = True
        target = self._resolved(reference, file)
        if target is None or target.file == self.files.entry:
            return target if target and kind in NOT_REFERENCES else None
        if kind in self.sections and target[:2] not in self.owners:
            self.found.setdefault(target[:2], kind)
        return target

    def name(self, root: Any) -> None:
        """Give every place that was found a name of its own that depends on nothing but what it is."""
        taken = {
            (kind, name) for kind, members in self._maps(root) if members.value for name in members.value
        }
        wanted: dict[tuple[Kind, str], list[tuple[str, str]]] = {}
        for (file, pointer), kind in self.found.items():
            last = Pointer(pointer).tokens[-1] if pointer else file.rpartition("/")[2].partition(".")[0]
            wanted.setdefault((kind, _UNFIT.sub("_", last)), []).append((file, pointer))
        self.names.update(self.owners)
        for (kind, name), places in wanted.items():
            alone = len(places) == 1 and (kind, name) not in taken
            for place in places:
                tail = "" if alone else f"-{sha256('#'.join(place).encode()).hexdigest()[:8]}"
                self.names[place] = (kind, name + tail)

    def document(self, root: Any) -> Any:
        """Return the document with everything in its place."""
        written = dict(self._written(root, Kind.DOCUMENT, self.files.entry, ""))
        maps: dict[str, dict[str, Any]] = {}
        for kind, members in self._maps(root):
            section = maps.setdefault(_section(kind, self.sections), {})
            if type(members.value) is dict:
                for name, member in members.value.items():
                    section[name] = self._component(member, kind, members.file, name)
        for place in sorted(self.found):
            kind, name = self.names[place]
            value = pointed(self.files.read(place[0]), place[1])
            section = maps.setdefault(self.sections[kind], {})
            section[name] = self._written(value[1] if value else None, kind, place[0], "")
        if self.sections is SECTIONS_2:
            return written | maps
        if maps:
            components = self._components(root).value
            kept = components if type(components) is dict else {}
            written["components"] = {key: maps.get(key, member) for key, member in kept.items()} | maps
        return written

    def _component(self, member: Any, kind: Kind, file: str, name: str) -> Any:
        target = self._bare_target(member, file)
        if target is None or target.file == self.files.entry:
            return self._written(member, kind, file, name)
        if self.owners.get(target[:2]) == (kind, name):
            return self._written(target.value, kind, target.file, name)
        return self._written(member, kind, file, name)

    def _written(self, value: Any, kind: Kind, file: str, at: str) -> Any:
        """Return a value as it stands in the one document."""
        if type(value) is not dict:
            return value
        if type(value.get("$ref")) is str:
            return self._reference(value, kind, file, at)
        return self._members(value, kind, file, at)

    def _members(self, value: dict[str, Any], kind: Kind, file: str, at: str) -> dict[str, Any]:
        members = dict(value)
        copied: set[str] = set()
        for child in children(value, kind):
            below = self._written(
                child.value, child.kind, file, f"{at}/{'/'.join(map(escape, child.tokens))}"
            )
            if below is child.value:
                continue
            first = child.tokens[0]
            if len(child.tokens) == 1:
                members[first] = below
                continue
            if first not in copied:
                copied.add(first)
                members[first] = members[first].copy()
            members[first][child.tokens[1] if type(members[first]) is dict else int(child.tokens[1])] = below
        return members

    def _reference(self, value: dict[str, Any], kind: Kind, file: str, at: str) -> Any:
        reference = value["$ref"]
        entry = self.files.entry
        inlined = kind not in self.sections
        if file == entry and reference.startswith("#") and kind not in NOT_REFERENCES:
            return self._members(value, kind, file, at) if kind is Kind.SCHEMA else value
        target = self._resolved(reference, file)
        if kind in NOT_REFERENCES:
            message = f"no reference may stand in the place of {_article(kind)}; it is followed all the same"
            self.notes.add(Note(pointer=at, code="ref-not-allowed", message=message))
        if target is None:
            return {**value, "$ref": self._lost(reference, file)}
        if inlined:
            return self._inlined(value, target, kind, at)
        siblings = self._members(value, kind, file, at) if kind is Kind.SCHEMA else value
        if target.file == entry:
            return {**siblings, "$ref": f"#{reference.partition('#')[2]}"}
        kind_there, name = self.names[target[:2]]
        prefix = "" if self.sections is SECTIONS_2 else "components/"
        return {**siblings, "$ref": f"#/{prefix}{_section(kind_there, self.sections)}/{escape(name)}"}

    def _inlined(self, value: dict[str, Any], target: Place, kind: Kind, at: str) -> Any:
        place = target[:2]
        if place in self._active:
            reference = f"{target.file}#{target.pointer}"
            self.refused[reference] = RefusedError("ref-cycle", "the reference leads back to itself")
            return {**value, "$ref": reference}
        self._active.add(place)
        written = self._written(target.value, kind, target.file, at)
        self._active.discard(place)
        return written

    def _resolved(self, reference: str, file: str) -> Place | None:
        """Return the place that a reference leads to; None where it leads nowhere, which is kept in mind."""
        try:
            name, fragment = target_of(reference, file)
            found = pointed(self.files.read(name), fragment)
        except RefusedError as refused:
            self.refused[self._lost(reference, file)] = refused
            return None
        return Place(name, *found) if found else None

    def _lost(self, reference: str, file: str) -> str:
        """Return a reference that leads nowhere as it is written in the one document."""
        try:
            name, fragment = target_of(reference, file)
        except RefusedError:
            return reference
        return f"{'' if name == self.files.entry else name}#{fragment}"

    def _bare_target(self, member: Any, file: str) -> Place | None:
        """Return the place in another file than the entry that a member is nothing but a reference to."""
        if type(member) is not dict or type(member.get("$ref")) is not str or len(member) > 1:
            return None
        target = self._resolved(member["$ref"], file)
        return target if target and target.file != self.files.entry else None

    def _components(self, root: Any) -> Place:
        return self._followed(root.get("components"), self.files.entry, "/components", at="/components")

    def _maps(self, root: Any) -> Iterator[tuple[Kind, Place]]:
        """Yield each component map of the entry with what it holds, followed to where it stands."""
        if type(root) is not dict:
            return
        home = Place(self.files.entry, "", root) if "swagger" in root else self._components(root)
        at = "" if "swagger" in root else "/components"
        if type(home.value) is not dict:
            return
        for section, kind in section_kinds(root).items():
            if section in home.value:
                pointer = f"{home.pointer}/{section}"
                yield kind, self._followed(home.value[section], home.file, pointer, at=f"{at}/{section}")

    def _followed(self, value: Any, file: str, pointer: str, *, at: str) -> Place:
        place = Place(file, pointer, value)
        for _ in range(_HOPS):
            here = place.value
            if type(here) is not dict or type(here.get("$ref")) is not str:
                break
            message = "no reference may stand in the place of a component map; it is followed all the same"
            self.notes.add(Note(pointer=at, code="ref-not-allowed", message=message))
            self.changes = True
            target = self._resolved(here["$ref"], place.file)
            if target is None:
                return Place(file, pointer, {})
            place = target
        return place


def _section(kind: Kind, sections: dict[Kind, str]) -> str:
    return sections.get(kind, "pathItems")


def _article(kind: Kind) -> str:
    return f"an {kind.value}" if kind is Kind.OPERATION else f"{kind.value}"
