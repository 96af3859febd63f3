"""Checks: each yields findings and raises nothing. Here they are put in order, one document at a time.

A later check runs only where what it needs is in order, so that one fault of the author gives one finding.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from extpkg.check import (
    bindings,
    layout,
    metadata,
    responses,
    safety,
    schemas,
    structure,
    text,
)
from extpkg.check.comments import explained
from extpkg.check.members import member
from extpkg.check.publication import check_digest_written
from extpkg.diagnostic import Finding, Part, Severity
from extpkg.document.files import META

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from extpkg.document.document import Document
    from extpkg.document.files import Tree


def check_tree(tree: Tree) -> list[Finding]:
    """Return what is wrong with a package's entries, whatever `meta.yaml` says (R-PKG-1 to 3)."""
    return list(layout.check_tree(tree))


def check_meta(document: Document, tree: Tree) -> list[Finding]:
    """Return what is wrong in `meta.yaml` and with what it says of the tree (R-PKG, R-META)."""
    value = document.value
    found = _shape(document, structure.check_meta(value, META))
    found += _beyond(
        found,
        layout.check_layout(tree, value),
        metadata.check_metadata(value),
        metadata.check_source(value, tree),
        check_digest_written(value),
        text.check_meta_text(value),
    )
    return list(explained(found, document))


def check_action(document: Document, meta: Any, file: str) -> list[Finding]:
    """Return what is wrong in one action file (R-ACT, R-SCH, R-BIND).

    `meta` is the value of `meta.yaml`, or None where it could not be read: what needs it is then left out.
    """
    value = document.value
    found = _shape(document, structure.check_action(value, file))
    found += _beyond(found, schemas.check_schemas(value, file))
    shaped = isinstance(value, dict) and not _refused(found, "/binding", apart="/binding/response")
    declared = isinstance(member(value, "catalog", "input_schema"), dict)
    sourced = declared and not _refused(found, "/catalog/input_schema")
    found += _beyond(
        found,
        layout.check_action_name(value, file),
        metadata.check_action_kind(value, file, metadata.kind_of(meta)),
        safety.check_action_safety(value, meta, file),
        text.check_action_text(value, file),
        responses.check_response(value, file),
    )
    if shaped:
        check = bindings.check_bindings if sourced else bindings.check_targets_alone
        found += _beyond(found, check(value, meta, file))
    return list(explained(_outside_foreign(found), document))


def check_whole(meta: Any, actions: Sequence[Any]) -> list[Finding]:
    """Return what only all files together show; `actions` are the values of those that could be read."""
    return list(safety.check_profiles(meta, actions))


def is_error(finding: Finding) -> bool:
    """Whether the finding's rule refuses a package."""
    from extpkg.check.rules import rule  # a package without findings never needs the catalogue

    return rule(finding.code).severity is Severity.ERROR


def _shape(document: Document, violations: Iterable[Finding]) -> list[Finding]:
    """Join what the reader noted with what the schema refuses beyond it."""
    noted = list(document.notes)
    return noted + _beyond(noted, violations)


def _beyond(found: Iterable[Finding], *checks: Iterable[Finding]) -> list[Finding]:
    """Return the findings of `checks` but those on a value that `found` has put in doubt already."""
    in_doubt = {f.place.pointer for f in found if f.place.part is Part.VALUE and f.place.pointer}
    return [f for check in checks for f in check if f.place.pointer not in in_doubt]


def _outside_foreign(found: list[Finding]) -> list[Finding]:
    """Return the findings without those inside a field that does not belong here at all (EXT0323)."""
    foreign = tuple(f"{f.place.pointer}/" for f in found if f.code == "EXT0323")
    return [f for f in found if not f.place.pointer.startswith(foreign)] if foreign else found


def _refused(found: Iterable[Finding], region: str, apart: str = "") -> bool:
    """Whether an error stands in a region; `apart` is a part of it that does not count."""
    return any(
        _is_in(finding.place.pointer, region)
        and not (apart and _is_in(finding.place.pointer, apart))
        and is_error(finding)
        for finding in found
    )


def _is_in(pointer: str, region: str) -> bool:
    return (pointer + "/").startswith(region + "/")
