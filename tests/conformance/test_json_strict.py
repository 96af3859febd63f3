"""Every JSON text of the corpus: the value that it must have, or a refusal (R-DOC-8)."""

from __future__ import annotations

from typing import Any

import pytest
from corpus import case_bytes, corpus

from extpkg import DocumentInvalid, canonical_json, parse_json

CASES: list[dict[str, Any]] = corpus("conformance/json_strict.json")


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["id"])
def test_json(case: dict[str, Any]) -> None:
    try:
        value = parse_json(case_bytes(case), "input.json")
    except DocumentInvalid as refused:
        assert case["verdict"] in {"reject", "exact_or_reject"}, str(refused)
        assert all(fault.place.path == "input.json" and fault.place.position for fault in refused.faults)
        return
    assert case["verdict"] in {"accept", "exact_or_reject"}
    if "value" in case:
        assert canonical_json(value) == canonical_json(case["value"])
