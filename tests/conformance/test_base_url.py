"""Every base URL of the corpus, judged as text (R-META-5)."""

from __future__ import annotations

from typing import Any

import pytest
from corpus import corpus

from extpkg.binding.origin import refusal
from extpkg.check.metadata import check_metadata

CASES: list[dict[str, Any]] = corpus("conformance/ssrf.json")["base_url"]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["id"])
def test_base_url(case: dict[str, Any]) -> None:
    """P060, P061: where upper case may be normalized or refused, R-META-5 refuses it."""
    refused = refusal(case["base_url"])
    assert (refused is None) == (case["verdict"] == "accept"), refused
    meta = {"domain": "demo", "endpoint": {"base_url": case["base_url"]}}
    codes = [finding.code for finding in check_metadata(meta)]
    assert codes == ([] if refused is None else ["EXT0320" if refused.host else "EXT0319"])
