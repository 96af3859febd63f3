"""Front door 1: a package directory becomes Documents, a Report, a Definition and its digest.

Every file is read once: the bytes that are checked are the bytes that are hashed (R-PKG-2).
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from extpkg.binding.input import VIOLATIONS
from extpkg.check import check_action, check_meta, check_tree, check_whole
from extpkg.check.consequences import without_consequences
from extpkg.check.layout import says_which
from extpkg.check.publication import (
    PUBLICATION_CODES,
    check_digest,
    check_registered,
)
from extpkg.check.report import Source, arrange, diagnose
from extpkg.definition.build import build
from extpkg.definition.normalize import normalize
from extpkg.definition.projection import digest_of_normal
from extpkg.diagnostic import Diagnostic, Finding, Report, Severity
from extpkg.document.files import META, EntryKind, Tree, read_tree
from extpkg.document.strict_yaml import parse_document
from extpkg.errors import DocumentInvalid, ExtensionError, PackageInvalid

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    Each = Callable[[Callable[[str], "Judged"], Sequence[str]], Iterable["Judged"]]

    from extpkg.definition.model import Definition


@dataclass(frozen=True, slots=True, kw_only=True)
class Package:
    """A package that validates: its Definition and the Definition digest (`sha256:` and 64 hex digits)."""

    root: str
    definition: Definition
    digest: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """A package as it was read and judged.

    `meta` and `actions` are the values of the files that could be read, actions by path inside the package.
    `definition` and its digest `computed` are there where no error but those about the digest and the
    registry stands (R-META-7, R-PKG-5), and None elsewhere.
    """

    report: Report
    meta: Any
    actions: dict[str, Any]
    definition: Definition | None
    computed: str | None


class Judged(NamedTuple):
    """One action file after its checks: its value (in a tuple, as it may be null), None if unreadable."""

    file: str
    value: tuple[Any] | None
    diagnostics: list[Diagnostic]


def check_package(path: str | os.PathLike[str]) -> Report:
    """Check one package directory and return everything that is wrong with it.

    Raises nothing: a path that is no readable directory is a finding too.
    """
    return read_package(path).report


def load_package(path: str | os.PathLike[str]) -> Package:
    """Return the package at `path`. Raises PackageInvalid, with the whole report, if it has an error."""
    reading = read_package(path)
    if reading.definition is None or reading.computed is None or not reading.report.ok:
        raise PackageInvalid(reading.report)
    return Package(root=reading.report.root, definition=reading.definition, digest=reading.computed)


def open_package(path: str | os.PathLike[str]) -> Package:
    """Return the package at `path`, for a call of one of its actions; raises `ExtensionError`.

    `not_found` where there is no such directory, else `validation` with the first of the diagnostics.
    """
    if not os.path.isdir(path):  # noqa: PTH112 - a path is the text that was given, which may be no UTF-8
        raise ExtensionError("not_found", "the target is neither a Builtin nor the directory of a package")
    try:
        return load_package(path)
    except PackageInvalid as refused:
        errors = refused.report.errors
    rows = [
        {"code": each.code, "path": each.path, "line": each.line, "message": each.message}
        for each in errors[:VIOLATIONS]
    ]
    message = f"the package is not valid: {errors[0].code} {errors[0].message}"
    raise ExtensionError("validation", message, {"diagnostics": rows})


def read_package(
    path: str | os.PathLike[str], *, on_file: Callable[[str], None] = lambda _: None, each: Each = map
) -> Reading:
    """Read and judge one package.

    `on_file` hears of each file, by its path inside, before it is read. `each` applies a function to every
    action file and keeps their order: another than `map` may share them among processes.
    """
    root = os.fspath(path)
    try:
        with read_tree(root) as tree:
            return _read_package(root, tree, on_file, each)
    except DocumentInvalid as refused:
        diagnostics = diagnose(root, refused.faults, {})
        return Reading(
            report=_report(root, None, None, diagnostics),
            meta=None,
            actions={},
            definition=None,
            computed=None,
        )


def _read_package(root: str, tree: Tree, on_file: Callable[[str], None], each: Each) -> Reading:
    meta = Source(path=META)
    on_file(META)
    findings = [*check_tree(tree), *_read(tree, meta)]
    if meta.document is not None:
        findings += check_meta(meta.document, tree)
    meta_value = meta.document.value if meta.document else None

    def judge(file: str) -> Judged:
        on_file(file)
        action = Source(path=file)
        found = _read(tree, action)
        if action.document is None:
            return Judged(file, None, diagnose(root, found, {META: meta, file: action}))
        found += check_action(action.document, meta_value, file)
        return Judged(file, (action.document.value,), diagnose(root, found, {META: meta, file: action}))

    judged = list(each(judge, list(_action_files(tree, meta_value))))
    actions = {action.file: action.value[0] for action in judged if action.value is not None}
    diagnostics = [diagnostic for action in judged for diagnostic in action.diagnostics]
    findings += check_whole(meta_value, list(actions.values()))
    diagnostics += diagnose(root, findings, {META: meta})
    definition, computed = _define(meta_value, actions, diagnostics)
    if computed is not None:
        diagnostics += diagnose(root, check_digest(meta_value, computed), {META: meta})
        if not _has_errors(diagnostics):
            diagnostics += diagnose(root, check_registered(meta_value, computed), {META: meta})
    diagnostics = without_consequences(
        diagnostics, meta_value, actions, lambda found: diagnose(root, found, {META: meta})
    )
    report = _report(root, meta_value, computed, diagnostics)
    return Reading(report=report, meta=meta_value, actions=actions, definition=definition, computed=computed)


def _read(tree: Tree, source: Source) -> list[Finding]:
    """Read one file into `source`; return what keeps it from being read."""
    data = tree.read(source.path)
    if isinstance(data, Finding):
        return [data]
    source.data = data
    try:
        source.document = parse_document(data, source.path)
    except DocumentInvalid as refused:
        return list(refused.faults)
    return []


def _action_files(tree: Tree, meta: Any) -> Iterator[str]:
    """Yield the regular files of `actions/` that `meta.yaml` lists; all of them where that is in doubt."""
    present = [entry.path for entry in tree.entries if entry.kind is EntryKind.FILE]
    files = [path for path in present if path.startswith("actions/") and path.endswith(".yaml")]
    listed = meta.get("actions") if isinstance(meta, dict) else None
    if not isinstance(listed, list) or not all(says_which(row) for row in listed):
        yield from files
        return
    meant = {f"actions/{row.get('name')}.yaml" for row in listed} | {str(row.get("file")) for row in listed}
    yield from (path for path in files if path in meant)


def _define(
    meta: Any, actions: dict[str, Any], diagnostics: list[Diagnostic]
) -> tuple[Definition | None, str | None]:
    if not isinstance(meta, dict) or any(_leaves_doubt(diagnostic) for diagnostic in diagnostics):
        return None, None
    definition = normalize(build(meta, list(actions.values())))
    return definition, digest_of_normal(definition)


def _leaves_doubt(diagnostic: Diagnostic) -> bool:
    """Whether an error concerns more than the digest itself and the right to the domain."""
    about_digest = diagnostic.path == META and diagnostic.pointer == "/digest"
    return diagnostic.severity is Severity.ERROR and not (
        about_digest or diagnostic.code in PUBLICATION_CODES
    )


def _has_errors(diagnostics: list[Diagnostic]) -> bool:
    return any(d.severity is Severity.ERROR for d in diagnostics)


def _report(root: str, meta: Any, computed: str | None, diagnostics: list[Diagnostic]) -> Report:
    ordered, cut = arrange(diagnostics)
    domain = meta.get("domain") if isinstance(meta, dict) else None
    version = meta.get("version") if isinstance(meta, dict) else None
    return Report(
        root=root,
        domain=domain if isinstance(domain, str) else None,
        version=version if isinstance(version, int) and not isinstance(version, bool) else None,
        digest=computed,
        diagnostics=ordered,
        cut=cut,
    )
