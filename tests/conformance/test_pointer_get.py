"""JSON Pointer as RFC 6901 says it."""

from __future__ import annotations

from typing import Any

import pytest
from corpus import corpus

from extpkg.errors import DocumentInvalid
from extpkg.pointer import Pointer

CASES: list[dict[str, Any]] = [case for case in corpus("conformance/pointer.json") if case["kind"] == "get"]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["id"])
def test_get(case: dict[str, Any]) -> None:
    """P074."""
    if case["verdict"] == "invalid":
        with pytest.raises(DocumentInvalid) as malformed:
            Pointer(case["pointer"])
        assert [fault.code for fault in malformed.value.faults] == ["EXT0401"]
        return
    pointer = Pointer(case["pointer"])
    assert list(pointer.tokens) == case["tokens"]
    assert Pointer.of(*pointer.tokens) == pointer
    if case["verdict"] == "absent":
        with pytest.raises(DocumentInvalid) as missing:
            pointer.resolve(case["doc"])
        assert [fault.code for fault in missing.value.faults] == ["EXT0430"]
    else:
        found = pointer.resolve(case["doc"])
        assert (found, type(found)) == (case["value"], type(case["value"]))
