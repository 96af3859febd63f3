"""From a PATH of the command line to the packages that it names."""

# ruff: noqa: PTH112, PTH118
# A path is the text that was typed: it is shown as it is, and may be no UTF-8.

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import TYPE_CHECKING

from extpkg.cli.render.escape import shown_path
from extpkg.cli.terminal import Halt

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from extpkg.diagnostic import Report


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """A package to look at: the name that it goes by in output, and the directory that is opened."""

    root: str
    directory: str

    @property
    def place(self) -> str:
        """Where the package is for whoever named it, whatever copy of it is opened."""
        return self.directory if self.root.startswith("@") else self.root

    def named(self, report: Report) -> Report:
        """Return the report with the package under the name that it was asked for by."""
        return report.named(self.root)


def find_packages(paths: Iterable[str]) -> tuple[Target, ...]:
    """Return the packages that `paths` name, in their order, each once; `Halt` (2) where one names none.

    A directory that is no package is searched for `meta.yaml`: sorted, hidden entries and linked directories
    left out, nothing looked for inside a package.
    """
    targets: dict[str, Target] = {}
    problems: list[str] = []
    for path in paths:
        try:
            targets.update((target.directory, target) for target in _find(path))
        except Halt as halt:
            problems.append(halt.message)
    if problems:
        raise Halt(2, "\nError: ".join(problems))
    return tuple(targets.values())


def find_package(path: str) -> Target:
    """Return the one package that `path` names; `Halt` (2) where it names none or several."""
    targets = find_packages([path])
    if len(targets) != 1:
        raise Halt(2, f"{_quoted(path)} contains {len(targets)} packages; name one of them")
    return targets[0]


def _find(path: str) -> Iterator[Target]:
    if path.startswith("@"):
        yield _builtin(path)
        return
    problem = _problem(path)
    if problem:
        raise Halt(2, f"{_quoted(path)}: {problem}")
    if os.path.lexists(os.path.join(path, "meta.yaml")):
        yield Target(root=path, directory=path)
        return
    found = [Target(root=inside, directory=inside) for inside in _search(path)]
    if not found and os.path.isdir(os.path.join(path, "actions")):
        found = [Target(root=path, directory=path)]
    if not found:
        raise Halt(2, f"{_quoted(path)}: there is no package in it (no meta.yaml)")
    yield from found


def _builtin(path: str) -> Target:
    from extpkg.resources import builtin_package_names, builtin_package_path

    try:
        return Target(root=path, directory=str(builtin_package_path(path[1:])))
    except (KeyError, ValueError):
        known = ", ".join(f"@{name}" for name in builtin_package_names())
        raise Halt(2, f"{_quoted(path)}: no Builtin has this name; there is {known}") from None


def _problem(path: str) -> str:
    """Return why a path is no directory that can be read, or an empty string."""
    if not path:
        return "an empty path names nothing; write . for the current directory"
    try:
        with os.scandir(path):
            return ""
    except NotADirectoryError:
        return "not a directory; name the directory that has meta.yaml"
    except ValueError:
        return "not a path"
    except OSError as error:
        return (error.strerror or type(error).__name__).lower()


def _search(path: str) -> Iterator[str]:
    """Yield the packages below `path`, depth first, siblings in the order of their names."""
    pending = [path]
    while pending:
        directory = pending.pop()
        if directory != path and os.path.lexists(os.path.join(directory, "meta.yaml")):
            yield directory
            continue
        with os.scandir(directory) as entries:
            inside = [e.path for e in entries if _is_searched(e)]
        pending += sorted(inside, key=os.fsencode, reverse=True)


def _is_searched(entry: os.DirEntry[str]) -> bool:
    return not entry.name.startswith(".") and entry.is_dir(follow_symlinks=False)


def _quoted(path: str) -> str:
    return f"path '{shown_path(path)}'"
