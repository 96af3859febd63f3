"""Every JSON text of the corpus: the value that it must have, or a refusal (R-DOC-8)."""

from __future__ import annotations

from typing import Any

import pytest
from corpus import case_bytes, corpus

from extpkg import DocumentInvalid, canonical_json, parse_json

CASES: list[dict[str, Any]] = corpus("conformance/json_strict.json")


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["id"])
def test_json(case: dict[str, Any]) -> None:
    found = _read(case_bytes(case))
    if isinstance(found, DocumentInvalid):
        assert case["verdict"] in {"reject", "exact_or_reject"}, str(found)
        assert all(fault.place.path == "input.json" and fault.place.position for fault in found.faults)
    else:
        assert case["verdict"] in {"accept", "exact_or_reject"}
        if "value" in case:
            assert canonical_json(found) == canonical_json(case["value"])


def _read(data: bytes) -> Any:
    try:
        return parse_json(data, "input.json")
    except DocumentInvalid as refused:
        return refused
