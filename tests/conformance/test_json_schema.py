"""JSON-Schema-Test-Suite, required part: refused or right, never wrong (R-SCH)."""

from __future__ import annotations

from typing import Any

import pytest
from corpus import corpus

from extpkg.json_schema import check_schema, compile_schema

GROUPS: list[dict[str, Any]] = corpus("conformance/json_schema_2020_12.json")

WARNINGS = {"EXT0517"}
REFUSED = {"EXT0501", "EXT0505", "EXT0507", "EXT0511", "EXT0513", "EXT0515"}
"""Why the project refuses schemas that the specification allows (R-SCH-1, 3, 5, 7)."""


@pytest.mark.parametrize("group", GROUPS, ids=lambda group: group["id"])
def test_group(group: dict[str, Any]) -> None:
    """P071."""
    codes = {fault.code for fault in check_schema(group["schema"])} - WARNINGS
    compiled = compile_schema(group["schema"])
    if codes and codes != {"EXT0501"}:
        assert codes & REFUSED
        return
    for test in group["tests"]:
        assert compiled.accepts(test["data"]) is test["valid"], test["description"]
        assert bool(compiled.violations(test["data"])) is not test["valid"], test["description"]


def test_few_groups_are_refused() -> None:
    refused = [{fault.code for fault in check_schema(group["schema"])} - WARNINGS for group in GROUPS]
    assert sum(map(bool, refused)) <= len(GROUPS) // 6
