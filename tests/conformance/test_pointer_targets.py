"""Body targets that overlap, and bodies that are built (R-BIND-5, R-REQ-6)."""

from __future__ import annotations

from typing import Any

import pytest
from actions import action, body, codes, schema
from corpus import corpus

from extpkg.binding.body import body_bytes, build_body
from extpkg.pointer import Pointer

CASES: list[dict[str, Any]] = corpus("conformance/pointer.json")


def of_kind(kind: str) -> list[dict[str, Any]]:
    return [case for case in CASES if case["kind"] == kind]


@pytest.mark.parametrize("case", of_kind("targets"), ids=lambda case: case["id"])
def test_targets(case: dict[str, Any]) -> None:
    """P092."""
    value = action(schema({"a": {"type": "string"}}), body=body(*(("/a", to) for to in case["targets"])))
    assert bool(codes(value)) == (case["verdict"] == "reject")


@pytest.mark.parametrize("case", of_kind("body"), ids=lambda case: case["id"])
def test_bodies(case: dict[str, Any]) -> None:
    """P073, P091."""
    routes = [(Pointer(row["from"]).tokens, Pointer(row["to"]).tokens) for row in case["mappings"]]
    assert build_body(routes, case["input"]) == case["body"]
    encoded = body_bytes(routes, case["input"])
    assert encoded is not None
    assert encoded.hex() == case["body_bytes_hex"]
