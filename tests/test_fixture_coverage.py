"""What cases try and leave untried."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

from corpus import ROOT
from extensions import action, definition

from extpkg.exchange import Exchange, Request, Response
from extpkg.fixture.case import Case, Expectation
from extpkg.fixture.coverage import Coverage, Point, measure
from extpkg.fixture.find import CaseFolder
from extpkg.fixture.run import CaseResult, Mismatch
from extpkg.package import load_package


def result(value: Any, code: str | None = None, *, status: int = 200, failed: bool = False) -> CaseResult:
    exchange = Exchange(
        request=Request(method="GET", url="https://a.example/"), response=Response(status=status)
    )
    return CaseResult(
        folder=CaseFolder(action="look", name="case", path=Path("case")),
        case=Case(input=value, exchanges=(exchange,), expectation=Expectation(code=code)),
        mismatches=(Mismatch(title="no"),) if failed else (),
    )


def covered(schema: dict[str, Any], *values: Any) -> Coverage:
    looks = action()
    changed = replace(looks, catalog=replace(looks.catalog, input_schema=schema))
    return measure(definition(actions=(changed,)), (), [result(value) for value in values])


def untried(schema: dict[str, Any], *values: Any) -> list[str]:
    return [point.what for point in covered(schema, *values).untried]


def test_an_action_without_a_case() -> None:
    coverage = measure(definition(actions=(action("look"), action("see"))), (), [result({})])
    assert [str(point) for point in coverage.untried] == ["see: a case"]
    assert coverage.percent == 50


def test_a_failed_or_unreadable_case_tries_nothing() -> None:
    unread = CaseResult(folder=CaseFolder(action="look", name="x", path=Path("x")))
    coverage = measure(definition(), ["conflict"], [result({}, "conflict", failed=True), unread])
    assert coverage.percent == 0
    assert coverage.points == (
        Point(action="look", what="a case", tried=False),
        Point(action="", what="error conflict", tried=False),
    )


def test_error_codes() -> None:
    coverage = measure(definition(), {"validation", "conflict"}, [result({}, "validation")])
    assert [str(point) for point in coverage.untried] == ["error conflict"]


def test_properties_are_used_and_left_out() -> None:
    schema = {"properties": {"a": {}, "b": {}}, "required": ["a"]}
    assert untried(schema) == ["a case", "/a is used", "/b is used", "/b is left out"]
    assert untried(schema, {"a": 1}) == ["/b is used"]
    assert untried(schema, {"a": 1, "b": None}) == ["/b is left out"]
    assert untried(schema, {"a": 1, "b": 2}, {"a": 1}) == []
    assert untried(schema, "no object") == ["/a is used", "/b is used", "/b is left out"]


def test_limits_and_choices() -> None:
    schema = {
        "required": ["n", "s", "l", "e"],
        "properties": {
            "n": {"minimum": 1, "maximum": 2},
            "s": {"minLength": 1, "maxLength": 2},
            "l": {"minItems": 1, "maxItems": 2},
            "e": {"enum": ["x", 1, None]},
        },
    }
    everything = [
        {"n": 1, "s": "\U0001d49c", "l": [0], "e": "x"},
        {"n": 2.0, "s": "ab", "l": [0, 0], "e": 1.0},
        {"e": None},
    ]
    assert untried(schema, *everything) == []
    wrong = [{"n": True, "s": 1, "l": "a", "e": "1"}, {"n": "1", "s": "", "l": []}]
    assert untried(schema, *wrong) == [
        "/n is at its minimum 1",
        "/n is at its maximum 2",
        "/s is at its minLength 1",
        "/s is at its maxLength 2",
        "/l is at its minItems 1",
        "/l is at its maxItems 2",
        '/e is "x"',
        "/e is 1",
        "/e is null",
    ]


def test_declarations_are_followed() -> None:
    schema = {
        "$defs": {"name": {"$ref": "#/$defs/text", "minLength": 3}, "text": {"minLength": 1, "maxLength": 4}},
        "allOf": [{"properties": {"inner": {"properties": {"deep": {}}, "required": ["deep"]}}}, True],
        "properties": {"names": {"items": {"$ref": "#/$defs/name"}}},
        "required": ["names", "inner"],
    }
    assert untried(schema) == [
        "a case",
        "/names is used",
        "/inner is used",
        "/names/* is used",
        "/names/* is at its minLength 3",
        "/names/* is at its maxLength 4",
        "/inner/deep is used",
    ]
    assert untried(schema, {"names": ["abc", "abcd"], "inner": {"deep": 1}}) == []


def test_schemas_that_hold_themselves_end() -> None:
    schema = {"properties": {"a": {"$ref": "#"}}}
    assert 0 < len(covered(schema).points) < 100
    turning = {"a": {"$ref": "#/$defs/b"}, "b": {"$ref": "#/$defs/a"}}
    assert 0 < len(covered({"$defs": turning, "properties": {"a": {"$ref": "#/$defs/a"}}}).points) < 100


def test_success_statuses_of_an_external_action() -> None:
    github = load_package(ROOT / "golden" / "valid" / "github").definition
    name = "create-issue"
    folder = CaseFolder(action=name, name="x", path=Path("x"))

    def missing(code: str | None, status: int) -> list[str]:
        seen = replace(result({}, code, status=status), folder=folder)
        points = measure(github, (), [seen]).untried
        return [point.what for point in points if point.action == name and "status" in point.what]

    assert missing(None, 201) == []
    assert missing(None, 200) == missing("not_found", 201) == ["status 201"]


def test_nothing_to_try_is_tried() -> None:
    assert Coverage(points=()).percent == 100
