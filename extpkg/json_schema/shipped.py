"""The one door to python-jsonschema: what is wrong with a file, by the schemas that ship with the toolkit."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import jsonschema
import referencing

from extpkg.pointer import join

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from jsonschema.exceptions import ValidationError


@dataclass(frozen=True, slots=True, kw_only=True)
class StructureViolation:
    """A place of a file that a shipped schema refuses.

    `pointer` is the place in the file, `keyword` what refuses it, `schema_pointer` where that keyword stands
    in the schema, `params` the keyword's value there.
    """

    pointer: str
    keyword: str
    params: Any
    schema_pointer: str


def structure_violations(schema: Mapping[str, Any], value: Any) -> Iterator[StructureViolation]:
    """Yield what `schema` refuses in `value`, in the order of the text; one row for each refusing keyword.

    `schema` is trusted: it ships with the toolkit. Where no branch of `anyOf` or `oneOf` holds, only the
    applicator is named.
    """
    validator = jsonschema.Draft202012Validator(dict(schema), registry=referencing.Registry())
    rows = [_row(error) for error in validator.iter_errors(value)]
    order = _document_order(value, {row.pointer for row in rows})
    yield from sorted(rows, key=lambda row: (order[row.pointer], row.schema_pointer))


def _row(error: ValidationError) -> StructureViolation:
    return StructureViolation(
        pointer=join(tuple(map(str, error.absolute_path))),
        keyword=str(error.validator),
        params=error.validator_value,
        schema_pointer=join(tuple(map(str, error.absolute_schema_path))),
    )


def _document_order(value: Any, wanted: set[str]) -> dict[str, int]:
    """Return the rank of each wanted pointer in the order in which the places of `value` are written."""
    ranks: dict[str, int] = {}
    pending = [("", value)]
    while pending and len(ranks) < len(wanted):
        pointer, here = pending.pop()
        if pointer in wanted:
            ranks[pointer] = len(ranks)
        pending.extend(reversed(_children(pointer, here)))
    return ranks


def _children(pointer: str, value: Any) -> list[tuple[str, Any]]:
    if isinstance(value, dict):
        return [(pointer + join((name,)), child) for name, child in value.items()]
    if isinstance(value, list):
        return [(f"{pointer}/{index}", child) for index, child in enumerate(value)]
    return []
