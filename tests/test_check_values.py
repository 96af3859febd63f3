"""The rules about values of meta.yaml and action files: each fires on its sample, at its place, and alone."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from mutants import Documents, mutant, package

from extpkg.check import metadata, safety, structure, text
from extpkg.check.report import Source
from extpkg.check.rules import metadata as metadata_rules
from extpkg.check.rules import safety as safety_rules
from extpkg.check.rules import text as text_rules

if TYPE_CHECKING:
    from extpkg.check.rules.rule import Rule
    from extpkg.diagnostic import Finding

NEEDS_A_TREE = {"EXT0317", "EXT0318"}
RULES = [
    rule
    for module in (metadata_rules, safety_rules, text_rules)
    for rule in module.RULES
    if rule.code not in NEEDS_A_TREE
]


def findings(documents: Documents) -> list[Finding]:
    """Return what every check of values finds in a whole package."""
    meta, actions = documents.meta, documents.actions
    found = [*structure.check_meta(meta), *metadata.check_metadata(meta), *text.check_meta_text(meta)]
    found += safety.check_profiles(meta, list(actions.values()))
    for file, action in actions.items():
        found += structure.check_action(action, file)
        found += metadata.check_action_kind(action, file, metadata.kind_of(meta))
        found += safety.check_action_safety(action, meta, file)
        found += text.check_action_text(action, file)
    return found


def place(documents: Documents, finding: Finding) -> tuple[str, str, int, int]:
    source = Source(path=finding.place.path, document=documents.documents[finding.place.path])
    at = source.position(finding.place)
    assert at is not None
    return finding.code, finding.place.path, at.line, at.column


@pytest.mark.parametrize("base", ["github", "keyed", "arxiv"])
def test_good_packages_are_clean(base: str) -> None:
    assert findings(package(base)) == []


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.code)
def test_sample_gives_exactly_its_finding(rule: Rule) -> None:
    sample = rule.sample
    bad = mutant(sample, sample.bad)
    assert [place(bad, finding) for finding in findings(bad)] == [
        (rule.code, sample.file, sample.line, sample.column)
    ]
    assert findings(mutant(sample, sample.good)) == []


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.code)
def test_messages_fit_on_a_line(rule: Rule) -> None:
    for finding in findings(mutant(rule.sample, rule.sample.bad)):
        texts = [finding.message, finding.help, finding.place.label, rule.summary, rule.fix]
        assert not any("\n" in words or words.endswith(".") for words in texts)
        assert finding.message
        assert not finding.message[0].isupper()


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=8,
)
POINTERS = [
    *(("meta", path) for path in (
        (), ("domain",), ("version",), ("source",), ("source", "path"), ("endpoint",),
        ("endpoint", "base_url"),
        ("auth",), ("auth", "default"), ("auth", "profiles"), ("auth", "profiles", 0), ("actions",),
        ("actions", 0), ("actions", 0, "name"), ("actions", 0, "file"),
    )),
    *(("action", path) for path in (
        (), ("name",), ("auth",), ("auth", "profile"), ("auth", "required_scopes"), ("catalog",),
        ("catalog", "summary"), ("catalog", "safety"), ("catalog", "safety", "class"),
        ("catalog", "input_schema"), ("catalog", "input_schema", "properties"), ("catalog", "example"),
        ("binding",), ("binding", "method"), ("binding", "parameters"), ("binding", "response"),
    )),
]  # fmt: skip


def with_value(value: Any, path: tuple[str | int, ...], new: Any) -> Any:
    if not path:
        return new
    parent = value
    for token in path[:-1]:
        parent = parent[token]
    parent[path[-1]] = new
    return value


@given(where=st.sampled_from(POINTERS), new=JSON)
def test_any_value_anywhere_is_judged_without_raising(where: tuple[str, Any], new: Any) -> None:
    documents = package()
    meta, action = documents.meta, documents.actions["actions/create-issue.yaml"]
    kind, path = where
    if kind == "meta":
        meta = with_value(meta, path, new)
    else:
        action = with_value(action, path, new)
    found = [*structure.check_meta(meta), *metadata.check_metadata(meta), *text.check_meta_text(meta)]
    found += safety.check_profiles(meta, [action])
    file = "actions/create-issue.yaml"
    found += structure.check_action(action, file)
    found += metadata.check_action_kind(action, file, metadata.kind_of(meta))
    found += safety.check_action_safety(action, meta, file)
    found += text.check_action_text(action, file)
    assert not any("\n" in finding.message for finding in found)
