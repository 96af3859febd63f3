"""Whether an action's example binds: the request it stands for can be written (R-ACT-4, R-REQ-2 to 6)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from extpkg.binding.body import body_bytes
from extpkg.binding.parameters import PLACEHOLDER, fill_segment, header_value, query_pairs
from extpkg.binding.source import ABSENT, read
from extpkg.errors import DocumentInvalid
from extpkg.json_schema import compile_schema
from extpkg.pointer import join

if TYPE_CHECKING:
    from collections.abc import Iterator

    from extpkg.check.binding_rows import Row, Rows
    from extpkg.diagnostic import Finding

EXAMPLE = "/catalog/example"


def check_example(rows: Rows, schema: Any, example: Any) -> Iterator[Finding]:
    """Yield why an example that the input schema accepts makes no request, for an otherwise sound binding.

    An example that the schema refuses is reported as that and not again.
    """
    faults = [*_path_faults(rows, example), *_parameter_faults(rows, example), *_body_faults(rows, example)]
    if faults and compile_schema(schema).accepts(example):
        yield from faults


def _path_faults(rows: Rows, example: Any) -> Iterator[Finding]:
    bound = {row.text("name"): row for row in rows.parameters if row.fields.get("in") == "path"}
    values = {name: read(example, row.source or ()) for name, row in bound.items()}
    for segment in rows.path.split("/"):
        names = [name for name in PLACEHOLDER.findall(segment) if name in bound]
        if not names or any(values[name] is ABSENT for name in names):
            continue
        try:
            fill_segment(segment, values)
        except DocumentInvalid as error:
            yield _fault(rows, bound[names[0]], error)


def _parameter_faults(rows: Rows, example: Any) -> Iterator[Finding]:
    for row in rows.parameters:
        value = read(example, row.source or ())
        if value is ABSENT or row.fields.get("in") == "path":
            continue
        try:
            if row.fields.get("in") == "header":
                header_value(value)
            else:
                query_pairs(row.text("name"), value, explode=row.fields.get("explode") is not False)
        except DocumentInvalid as error:
            yield _fault(rows, row, error)


def _body_faults(rows: Rows, example: Any) -> Iterator[Finding]:
    routes = [
        (row.source, row.target) for row in rows.mappings if row.source is not None and row.target is not None
    ]
    try:
        body_bytes(routes, example)
    except DocumentInvalid as error:
        at = rows.place(EXAMPLE, "binds to no body")
        yield rows.fault("EXT0428", at, f"the example's body cannot be written: {error.faults[0].message}")


def _fault(rows: Rows, row: Row, error: DocumentInvalid) -> Finding:
    at = rows.place(EXAMPLE + join(row.source or ()), "cannot be written")
    message = f"the example does not bind: {error.faults[0].message}"
    return rows.fault("EXT0428", at, message, "", rows.place(f"{row.pointer}/from", "bound here"))
