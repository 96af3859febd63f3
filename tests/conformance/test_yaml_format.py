"""Every document of the YAML corpus that is a mapping takes the deterministic form and keeps its value."""

from __future__ import annotations

import pytest
from corpus import case_bytes, corpus

from extpkg.canonical import canonical_json
from extpkg.definition.format import format_document
from extpkg.definition.order import Kind
from extpkg.document.strict_yaml import parse_document
from extpkg.errors import DocumentInvalid


@pytest.mark.parametrize("case", corpus("conformance/yaml_strict.json"), ids=lambda case: case["id"])
def test_value_stays_and_a_second_time_changes_nothing(case: dict[str, object]) -> None:
    data = case_bytes(case)
    try:
        value = parse_document(data).value
    except DocumentInvalid:
        return
    if isinstance(value, dict):
        once = format_document(data, Kind.ACTION)
        assert canonical_json(parse_document(once).value) == canonical_json(value)
        assert format_document(once, Kind.ACTION) == once
