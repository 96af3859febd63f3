"""The static checks of a binding: R-BIND-1 to R-BIND-7 and 9, and that the example binds (R-ACT-4)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from extpkg.binding.soundness import BODY_METHODS, JSON_TYPE, METHODS
from extpkg.check.binding_rows import INPUT, read_rows
from extpkg.check.coverage import check_coverage
from extpkg.check.examples import check_example
from extpkg.check.parameters import check_parameter, check_parameter_source, check_source
from extpkg.check.paths import check_path, misplaced
from extpkg.check.sources import Sources
from extpkg.check.targets import (
    check_body_targets,
    check_header_parameter,
    check_shared_targets,
    check_static_headers,
)
from extpkg.diagnostic import Part, quoted

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from extpkg.check.binding_rows import Rows
    from extpkg.diagnostic import Finding

POINTER_CHARACTERS: Final = 64 << 20
"""Characters of all pointers in the findings of one action; a report shows far fewer."""


def check_bindings(action: dict[str, Any], meta: Any, file: str) -> Iterator[Finding]:
    """Yield what is wrong with the binding of one action; nothing for an action without one.

    `action` and `meta` are the values of the action file and of `meta.yaml`; `file` names the former. The
    binding is structurally sound and the input schema has no faults of its own; other values are taken too,
    without an answer that means anything. Whether all of the input is bound, and whether the example binds,
    is judged only where nothing else is wrong.
    """
    binding = action.get("binding")
    if not isinstance(binding, dict):
        return
    catalog = action.get("catalog")
    catalog = catalog if isinstance(catalog, dict) else {}
    rows = read_rows(action, meta, file)
    sources = Sources(catalog.get("input_schema"), INPUT)
    findings = (*_check_rows(rows, binding), *_bounded(_check_sources(rows, sources)))
    yield from findings
    if not findings:
        yield from _bounded(check_coverage(rows, sources))
        if catalog.get("example") is not None:
            yield from check_example(rows, catalog.get("input_schema"), catalog["example"])


def check_targets_alone(action: dict[str, Any], meta: Any, file: str) -> Iterator[Finding]:
    """Yield what is wrong with a binding whatever its sources are, for an input schema that has faults."""
    binding = action.get("binding")
    if isinstance(binding, dict):
        yield from _check_rows(read_rows(action, meta, file), binding)


def _bounded(findings: Iterable[Finding]) -> Iterator[Finding]:
    """Yield findings until their pointers would outgrow memory, as names of half a megabyte make them do."""
    room = POINTER_CHARACTERS
    for finding in findings:
        yield finding
        room -= sum(len(place.pointer) for place in (finding.place, *finding.related))
        if room < 0:
            return


def _check_rows(rows: Rows, binding: dict[str, Any]) -> Iterator[Finding]:
    yield from _check_method(rows, binding)
    yield from check_path(rows)
    yield from check_static_headers(rows)
    elsewhere = misplaced(rows).values()
    for row in rows.parameters:
        if row not in elsewhere:
            yield from check_parameter(rows, row)
            yield from check_header_parameter(rows, row)
    yield from check_shared_targets(rows)
    yield from check_body_targets(rows)
    yield from _check_content_type(rows, binding)


def _check_sources(rows: Rows, sources: Sources) -> Iterator[Finding]:
    for row in rows.parameters:
        yield from check_parameter_source(rows, row, sources)
    for row in rows.mappings:
        yield from check_source(rows, row, sources)


def _check_method(rows: Rows, binding: dict[str, Any]) -> Iterator[Finding]:
    """Yield an unknown method, or a body where the method has none (R-BIND-7)."""
    method = binding.get("method")
    if method not in METHODS:
        at = rows.place("/binding/method", "not a method of a binding")
        upper = method.upper() if isinstance(method, str) else ""
        fix = f"write {upper}" if upper in METHODS else ""
        yield rows.fault("EXT0429", at, f"{quoted(method)} is none of {', '.join(METHODS)}", fix)
    elif method not in BODY_METHODS and binding.get("body") is not None:
        at = rows.place("/binding/body", f"no body with {method}", Part.KEY)
        there = rows.place("/binding/method", "this method")
        yield rows.fault("EXT0425", at, f"a {method} request has no body", "", there)


def _check_content_type(rows: Rows, binding: dict[str, Any]) -> Iterator[Finding]:
    body = binding.get("body")
    content_type = body.get("content_type") if isinstance(body, dict) else None
    if isinstance(content_type, str) and not JSON_TYPE.fullmatch(content_type):
        at = rows.place("/binding/body/content_type", "not a JSON type")
        yield rows.fault("EXT0426", at, f"a body cannot be {quoted(content_type)}")
