"""The two schemas of an action, and its example against the first of them (R-SCH, R-ACT-4)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from extpkg.diagnostic import Finding, Part, Place, quoted
from extpkg.json_schema import SchemaFault, check_input_root, check_schema, compile_schema
from extpkg.pointer import Pointer

if TYPE_CHECKING:
    from collections.abc import Iterator

    from extpkg.json_schema import Violation

INPUT: Final = "/catalog/input_schema"
OUTPUT: Final = "/catalog/output_schema"
EXAMPLE: Final = "/catalog/example"

EXAMPLE_INVALID: Final = "EXT0518"
TOO_COSTLY: Final = "EXT0521"

_HARMLESS: Final = frozenset({"EXT0504", "EXT0516", "EXT0517", "EXT0521"})
"""What may be wrong with an input schema that can still judge an example."""

_BESIDE: Final = frozenset({"required", "dependentRequired"})
_UNKNOWN: Final = frozenset({"additionalProperties", "unevaluatedProperties", "propertyNames"})


def check_schemas(action: Any, file: str) -> Iterator[Finding]:
    """Yield what is wrong with the schemas of an action, and how its example fails its input schema.

    Schemas that are no mapping are the business of the file's structure. The example is judged where the
    input schema has no fault that would make the verdict a consequence.
    """
    catalog = action.get("catalog") if isinstance(action, dict) else None
    if not isinstance(catalog, dict):
        return
    input_schema = catalog.get("input_schema")
    if isinstance(input_schema, dict):
        faults = [*check_schema(input_schema, INPUT), *check_input_root(input_schema, INPUT)]
        yield from [_finding(fault, file) for fault in faults]
        if "example" in catalog and _HARMLESS.issuperset([fault.code for fault in faults]):
            yield from _check_example(input_schema, catalog["example"], file)
    output_schema = catalog.get("output_schema")
    if isinstance(output_schema, dict):
        yield from [_finding(fault, file) for fault in check_schema(output_schema, OUTPUT)]


def _finding(fault: SchemaFault, file: str) -> Finding:
    place = Place(path=file, pointer=fault.pointer, part=fault.part)
    return Finding(code=fault.code, place=place, message=fault.message, help=fault.help)


def _check_example(schema: dict[str, Any], example: Any, file: str) -> Iterator[Finding]:
    compiled = compile_schema(schema)
    if compiled.accepts(example):
        return
    for violation in compiled.violations(example):
        pointer = EXAMPLE + violation.pointer
        if not violation.keyword:
            place = Place(path=file, pointer=pointer)
            yield Finding(code=TOO_COSTLY, place=place, message=f"the example {violation.message}")
            continue
        yield Finding(
            code=EXAMPLE_INVALID,
            place=Place(path=file, pointer=pointer, part=_part(violation)),
            message=f"{_subject(violation)} {violation.message}",
            related=(
                Place(path=file, pointer=INPUT + violation.schema_pointer, label="what the schema says"),
            ),
        )


def _subject(violation: Violation) -> str:
    return f"{quoted(violation.pointer)} of the example" if violation.pointer else "the example"


def _part(violation: Violation) -> Part:
    """Return what is marked: the key where a member is itself at fault, or has none that it needs."""
    last = Pointer(EXAMPLE + violation.pointer).tokens[-1]
    if violation.keyword in _UNKNOWN or (violation.keyword in _BESIDE and not last.isdecimal()):
        return Part.KEY
    return Part.VALUE
