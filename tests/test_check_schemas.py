"""An action's schemas and example as findings; every row of 05xx on its own sample (P037, P071, P072)."""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING, Any

import mutants
import pytest
from hypothesis import given
from hypothesis import strategies as st

from extpkg.check.report import Source
from extpkg.check.rules.schemas import RULES
from extpkg.check.schemas import check_schemas
from extpkg.diagnostic import Part

if TYPE_CHECKING:
    from extpkg.check.rules.rule import Rule

FILE = "actions/get-issue.yaml"


def action(**changes: Any) -> dict[str, Any]:
    """Return the value of the base action with parts of its catalog changed."""
    value: dict[str, Any] = copy.deepcopy(mutants.package().actions[FILE])
    value["catalog"].update(changes)
    return value


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.code)
def test_each_rule_finds_its_sample_alone(rule: Rule) -> None:
    for text in (rule.sample.good, rule.sample.bad):
        documents = mutants.mutant(rule.sample, text).documents
        found = [
            (finding.code, path, position.line, position.column)
            for path, document in documents.items()
            if path.startswith("actions/")
            for finding in check_schemas(document.value, path)
            if (position := Source(path=path, document=document).position(finding.place)) is not None
        ]
        place = (rule.code, rule.sample.file, rule.sample.line, rule.sample.column)
        assert found == ([] if text is rule.sample.good else [place])


@pytest.mark.parametrize("base", ["github", "arxiv"])
def test_good_packages_have_no_finding(base: str) -> None:
    for path, value in mutants.package(base).actions.items():
        assert list(check_schemas(value, path)) == []


@pytest.mark.parametrize(
    ("example", "expected"),
    [
        (
            {"owner": "a", "repo": "b"},
            [("", Part.KEY, 'the example lacks the required member "number"')],
        ),
        (
            {"owner": "a", "repo": "b", "number": 1, "nummer": 2},
            [
                (
                    "/nummer",
                    Part.KEY,
                    '"/nummer" of the example is no known member; known are "owner", "repo", "number"',
                )
            ],
        ),
        (
            {"owner": "?", "repo": 1, "number": 1.5},
            [
                (
                    "/owner",
                    Part.VALUE,
                    '"/owner" of the example must match the pattern "^[A-Za-z0-9-]+$", which "?" does not',
                ),
                ("/repo", Part.VALUE, '"/repo" of the example must be a string, not 1'),
                ("/number", Part.VALUE, '"/number" of the example must be a whole number, not 1.5'),
            ],
        ),
        (None, [("", Part.VALUE, "the example must be an object, not null")]),
    ],
)
def test_an_example_that_fails(example: Any, expected: list[tuple[str, Part, str]]) -> None:
    findings = list(check_schemas(action(example=example), FILE))
    assert [
        (finding.place.pointer.removeprefix("/catalog/example"), finding.place.part, finding.message)
        for finding in findings
    ] == expected
    assert {finding.code for finding in findings} == {"EXT0518"}
    assert all(finding.related[0].pointer.startswith("/catalog/input_schema/") for finding in findings)


def test_a_member_missing_in_an_item_is_marked_at_the_item() -> None:
    schema = action()["catalog"]["input_schema"]
    schema["properties"]["list"] = {"items": {"required": ["a"]}}
    example = {"owner": "a", "repo": "b", "number": 1, "list": [{}]}
    (finding,) = check_schemas(action(input_schema=schema, example=example), FILE)
    assert (finding.place.pointer, finding.place.part) == ("/catalog/example/list/0", Part.VALUE)


def test_an_example_is_judged_beside_faults_that_do_not_concern_it() -> None:
    schema = action()["catalog"]["input_schema"]
    open_ = {key: value for key, value in schema.items() if key != "additionalProperties"}
    assert _codes(action(input_schema=open_, example={})) == ["EXT0504", "EXT0518", "EXT0518", "EXT0518"]
    assert _codes(action(input_schema={**schema, "type": "objekt"}, example={})) == ["EXT0506", "EXT0503"]


def test_an_example_that_costs_too_much_is_one_finding() -> None:
    schema = action()["catalog"]["input_schema"]
    schema["properties"]["text"] = {"pattern": "a{1000}"}
    example = {"owner": "a", "repo": "b", "number": 1, "text": "a" * 300_000}
    (finding,) = check_schemas(action(input_schema=schema, example=example), FILE)
    assert (finding.code, finding.place.pointer) == ("EXT0521", "/catalog/example")


def _codes(value: Any) -> list[str]:
    return [finding.code for finding in check_schemas(value, FILE)]


@pytest.mark.parametrize(
    "value",
    [
        None,
        [],
        {},
        {"catalog": 1},
        {"catalog": {}},
        {"catalog": {"input_schema": 1, "output_schema": True, "example": 1}},
    ],
)
def test_what_is_no_action_is_left_to_its_structure(value: Any) -> None:
    assert list(check_schemas(value, FILE)) == []


KEYWORDS = st.sampled_from(
    [
        *("$ref", "$anchor", "type", "enum", "required", "properties", "allOf", "items", "pattern", "not"),
        *("default", "additionalProperties", "minimum", "maximum", "a"),
    ]
)
ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers(-3, 3) | st.floats(allow_nan=False) | st.text(max_size=3),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(KEYWORDS | st.text(max_size=3), inner, max_size=4)
    ),
    max_leaves=12,
)


@given(ANYTHING, ANYTHING, ANYTHING)
def test_no_value_makes_the_check_raise(input_schema: Any, output_schema: Any, example: Any) -> None:
    value = {"catalog": {"input_schema": input_schema, "output_schema": output_schema, "example": example}}
    list(check_schemas(value, FILE))
