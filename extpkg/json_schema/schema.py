"""A compiled schema, as the rest of the toolkit sees it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from extpkg.json_schema.compile import SchemaDocument
from extpkg.json_schema.evaluate import Evaluation, Exhausted
from extpkg.json_schema.explain import explain
from extpkg.json_schema.wording import too_costly

if TYPE_CHECKING:
    from extpkg.json_schema.compile import Part
    from extpkg.json_schema.wording import Violation


class Schema:
    """A schema that judges values; it may be used again and again, and no value makes it raise."""

    __slots__ = ("_document", "_part")

    def __init__(self, document: SchemaDocument, part: Part) -> None:
        self._document = document
        self._part = part

    def accepts(self, value: Any) -> bool:
        """Say whether the schema accepts `value`; over a bound of R-SCH-5 it does not."""
        try:
            return Evaluation().holds(self._part, value)
        except Exhausted:
            return False

    def violations(self, value: Any, limit: int = 20) -> tuple[Violation, ...]:
        """Return up to `limit` reasons why `accepts` says no, in the order of the value."""
        try:
            if Evaluation().holds(self._part, value):
                return ()
        except Exhausted as exhausted:
            return (too_costly(str(exhausted)),)
        return explain(self._part, value, limit)


def compile_schema(schema: Any) -> Schema:
    """Return the compiled form of a schema that `check_schema` has nothing against."""
    document = SchemaDocument(schema)
    return Schema(document, document.target("#"))
