"""Hostile schemas and values: refused or judged, always in bounded time (R-SCH-3, R-SCH-5)."""

from __future__ import annotations

import time
from typing import Any

import pytest
from corpus import corpus

from extpkg.json_schema import check_input_root, check_schema, compile_schema
from extpkg.json_schema.keywords import DIALECT

CASES: list[dict[str, Any]] = corpus("conformance/schema_attacks.json")


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["id"])
def test_attack(case: dict[str, Any]) -> None:
    """P037, P071, P072."""
    schema = case["schema"] if "schema_gen" not in case else _enum_of(case["schema_gen"]["enum"])
    started = time.process_time()
    faults = [*check_schema(schema), *check_input_root(schema)]
    verdict = compile_schema(schema).accepts(_data(case))
    compile_schema(schema).violations(_data(case))
    assert time.process_time() - started < case.get("limits", {"time_s": 2})["time_s"]
    if case["verdict"] == "reject":
        assert faults
    elif case["verdict"] == "accept":
        assert not faults
    if "valid" in case and not faults:
        assert verdict is case["valid"]


def _enum_of(count: int) -> dict[str, Any]:
    values = [f"value-{index}" for index in range(count)]
    return {
        "$schema": DIALECT,
        "type": "object",
        "additionalProperties": False,
        "properties": {"a": {"enum": values}},
    }


def _data(case: dict[str, Any]) -> Any:
    recipe = case.get("data_gen")
    if recipe is None:
        return case.get("data")
    if "text" in recipe:
        return {recipe["key"]: "".join(text * count for text, count in recipe["text"])}
    value: Any = {}
    for _ in range(recipe["count"]):
        value = {"c": value}
    return value
