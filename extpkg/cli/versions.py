"""What `OLD` and `NEW` may be: a directory, a revision of a git repository, a published version, a digest."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from extpkg.cli.find import Target, find_package
from extpkg.cli.reading import defined, documents_of, read_all
from extpkg.cli.render.escape import escaped, shown_path
from extpkg.cli.terminal import Halt
from extpkg.diff.differences import Kind
from extpkg.diff.git_tree import Repository, checked_out
from extpkg.diff.places import Places
from extpkg.document.files import META
from extpkg.errors import ExtpkgError
from extpkg.package import read_package

if TYPE_CHECKING:
    from collections.abc import Callable
    from contextlib import ExitStack

    from extpkg.cli.terminal import Terminal
    from extpkg.definition.model import Definition
    from extpkg.diagnostic import Position, Report
    from extpkg.document.document import Document
    from extpkg.package import Reading

_GIT: Final = "git:"
_LIBRARY: Final = "library:"
_ACTION: Final = re.compile(r"actions/[^/]+\.yaml")
_DIGEST: Final = re.compile(r"sha256:[0-9a-f]{64}")


@dataclass(slots=True, kw_only=True)
class Version:
    """One version of a package: its Definition, and the files that say it.

    `root` is what it goes by in output; `path` is where its files lie seen from its repository's checkout.
    `report` is what reading it found, None for a version that was judged when it was published.
    """

    root: str
    path: str
    definition: Definition
    digest: str
    report: Report | None
    _places: Places
    _read: Callable[[str], Document]
    _documents: dict[str, Document] = field(default_factory=dict)

    def find(self, pointer: str, kind: Kind) -> tuple[str, Position]:
        """Return the file and the span of a value of the projection.

        What was added or removed stands where its key does; what was changed at its value, unless that is a
        collection on lines of its own.
        """
        file, inside = self._places.find(pointer)
        document = self._documents.get(file) or self._documents.setdefault(file, self._read(file))
        value = document.position(inside)
        key = document.key_position(inside)
        at_value = kind is Kind.CHANGED and key.line == value.line
        return file, value if at_value else key


def resolve(text: str, library: str | None, beside: str, terminal: Terminal, stack: ExitStack) -> Version:
    """Return the version that `text` names; `Halt` (2) where it names none, (1) where it is no valid package.

    `library` is where published versions are looked up, None for the one that the environment means.
    `beside` is the other text: `git:REV` without a path means that directory at that revision. What is
    opened is closed with `stack`.
    """
    if text.startswith(_GIT):
        return _from_git(text, beside, terminal, stack)
    if text.startswith(_LIBRARY) or _DIGEST.fullmatch(text):
        return _published(text, library)
    target = find_package(text)
    [(_, reading)] = read_all(terminal, [text])
    return _from_files(target, reading, target.root, terminal)


def _published(text: str, library: str | None) -> Version:
    """Return a version that a library holds."""
    from extpkg.cli.judging import opened_library
    from extpkg.cli.library import find_line
    from extpkg.document.strict_yaml import parse_document
    from extpkg.library.contents import check_contents, definition_of

    with opened_library(library) as store:
        try:
            line = find_line(store, text.removeprefix(_LIBRARY))
        except ExtpkgError as refused:
            raise Halt(2, escaped(str(refused))) from refused
        entry = store.read(line)
        definition = definition_of(entry)
        check_contents(entry)
    names = [name for name in entry.files if name == META or _ACTION.fullmatch(name)]
    documents = {name: parse_document(entry.files[name], name) for name in names}
    actions = {name: documents[name].value for name in names if name != META}
    root = f"{_LIBRARY}{line.name}"
    return Version(
        root=root,
        path=".",
        definition=definition,
        digest=entry.digest,
        report=None,
        _places=Places(documents[META].value, _by_name(actions)),
        _read=documents.__getitem__,
    )


def _by_name(actions: dict[str, Any]) -> dict[str, Any]:
    return {value["name"]: value for value in actions.values()}


def _from_files(target: Target, reading: Reading, path: str, terminal: Terminal) -> Version:
    [(definition, digest)] = defined(terminal, [(target, reading)])
    return Version(
        root=target.root,
        path=path,
        definition=definition,
        digest=digest,
        report=target.named(reading.report),
        _places=Places(reading.meta, _by_name(reading.actions)),
        _read=lambda file: documents_of(target, [file])[file],
    )


def _from_git(text: str, beside: str, terminal: Terminal, stack: ExitStack) -> Version:
    revision, colon, path = text.removeprefix(_GIT).partition(":")
    repository = Repository(directory=".")
    try:
        if not colon and not beside.startswith((_GIT, _LIBRARY, "@")) and not _DIGEST.fullmatch(beside):
            find_package(beside)
            repository = Repository(directory=beside)
            path = repository.prefix() or ""
        if repository.prefix() is None:
            raise Halt(2, f"'{escaped(text)}': {shown_path(repository.directory)} is in no git repository")
        tree = repository.tree(revision, path)
    except ExtpkgError as refused:
        raise Halt(2, f"'{escaped(text)}': {escaped(str(refused))}") from refused
    directory = stack.enter_context(checked_out(repository, tree))
    shown = f"{_GIT}{revision}:{path}" if path else f"{_GIT}{revision}"
    target = Target(root=shown, directory=directory)
    return _from_files(target, read_package(directory), path or ".", terminal)
