"""Every document of the corpus: the value that it must have, or a refusal (R-DOC)."""

from __future__ import annotations

import hashlib
from typing import Any

import pytest
from corpus import case_bytes, corpus

from extpkg import Document, DocumentInvalid, canonical_json, parse_document

CASES: list[dict[str, Any]] = corpus("conformance/yaml_strict.json")

READ_THOUGH_REFUSED = {
    # A flow collection that is indented no deeper than its key is outside the grammar, but every reader in
    # use takes it, and for the same value: R-DOC-1 refuses only what is read in two ways.
    "yts-9C9N": {"flow": ["a", "b", "c"]},
    "flow-bad-indent": {"a": [1, 2]},
}


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["id"])
def test_document(case: dict[str, Any]) -> None:
    """P043, P044: the strict reader and its bounds."""
    found = _read(case_bytes(case))
    if isinstance(found, DocumentInvalid):
        assert case["verdict"] in {"reject", "exact_or_reject"}, str(found)
        assert found.faults
        assert all(fault.place.path == "a.yaml" and fault.place.position for fault in found.faults)
        first = found.faults[0].place.position
        assert "line" not in case or (first and first.line == case["line"])
    elif case["id"] in READ_THOUGH_REFUSED:
        assert case["tier"] == "may"
        assert found.value == READ_THOUGH_REFUSED[case["id"]]
    else:
        assert case["verdict"] in {"accept", "exact_or_reject"}
        written = canonical_json(found.value)
        if "value" in case:
            assert written == canonical_json(case["value"])
        else:
            assert hashlib.sha256(written).hexdigest() == case["value_jcs_sha256"]


def _read(data: bytes) -> Document | DocumentInvalid:
    try:
        return parse_document(data, "a.yaml")
    except DocumentInvalid as refused:
        return refused
