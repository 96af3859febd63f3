"""Judging a value by a schema, within the bounds of R-SCH-5."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from extpkg.json_schema.explain import Violation


class Schema:
    """A compiled schema."""

    def accepts(self, value: Any) -> bool:
        """Say whether the schema accepts `value`; over budget it does not."""
        return True

    def violations(self, value: Any, limit: int = 20) -> tuple[Violation, ...]:
        """Return at most `limit` reasons why `accepts` says no, in the order of the value; none if it says yes."""
        return ()


def compile_schema(schema: Any) -> Schema:
    """Return the schema compiled; it must have passed `check_schema`."""
    return Schema()
