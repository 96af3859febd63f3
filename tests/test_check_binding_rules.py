"""Each row of 04xx and 08xx finds its sample, alone, at the stated place."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from actions import BASE, meta

from extpkg import parse_document
from extpkg.check.bindings import check_bindings
from extpkg.check.responses import check_response
from extpkg.check.rules.bindings import RULES as BINDINGS
from extpkg.check.rules.responses import RULES as RESPONSES
from extpkg.diagnostic import Finding, Part

if TYPE_CHECKING:
    from extpkg.check.rules.rule import Rule
    from extpkg.document.document import Document

RULES = [rule for rule in (*BINDINGS, *RESPONSES) if rule.code != "EXT0430"]


def changed(rule: Rule, text: str) -> Document:
    sample = rule.sample
    source = (BASE / sample.file).read_text(encoding="utf-8")
    anchor = sample.anchor or sample.good
    assert source.count(anchor) == 1
    return parse_document(source.replace(anchor, text).encode(), sample.file)


def findings(document: Document) -> list[Finding]:
    action = document.value
    assert isinstance(action, dict)
    return [*check_bindings(action, meta(), document.name), *check_response(action, document.name)]


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.code)
def test_sample_of_each_rule(rule: Rule) -> None:
    document = changed(rule, rule.sample.bad)
    (finding,) = findings(document)
    assert finding.code == rule.code
    place = finding.place
    at = document.key_position if place.part is Part.KEY else document.position
    assert (at(place.pointer).line, at(place.pointer).column) == (rule.sample.line, rule.sample.column)
    for other in finding.related:
        if other.path == document.name:
            there = document.key_position if other.part is Part.KEY else document.position
            assert there(other.pointer).line > 0
        assert other.label
    assert findings(changed(rule, rule.sample.good)) == []


@pytest.mark.parametrize("rule", [*RULES], ids=lambda rule: rule.code)
def test_message_is_one_line(rule: Rule) -> None:
    for finding in findings(changed(rule, rule.sample.bad)):
        assert "\n" not in finding.message
        assert not finding.message.endswith(".")
        assert not finding.message[0].isupper() or finding.message.startswith("a ")


def test_codes_are_unique_and_in_range() -> None:
    codes = [rule.code for rule in BINDINGS]
    assert len(set(codes)) == len(codes) == 30
    assert all(code.startswith("EXT04") for code in codes)
    assert [rule.code for rule in RESPONSES] == [f"EXT080{digit}" for digit in range(1, 10)]
