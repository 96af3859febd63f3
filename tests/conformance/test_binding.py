"""The corpora of bindings and schemas once more, through whole plans and the gate that an input passes."""

from __future__ import annotations

import json
import time
from typing import Any

import pytest
from actions import body, header, path, query
from corpus import corpus
from plans import plan

from extpkg import ExtensionError
from extpkg.binding.input import input_violations
from extpkg.json_schema import check_input_root, check_schema, compile_schema
from extpkg.json_schema.keywords import DIALECT

URLS: list[dict[str, Any]] = corpus("conformance/url_encoding.json")
POINTERS: list[dict[str, Any]] = corpus("conformance/pointer.json")
GROUPS: list[dict[str, Any]] = corpus("conformance/json_schema_2020_12.json")
ATTACKS: list[dict[str, Any]] = corpus("conformance/schema_attacks.json")

ORIGIN = "https://api.example.com/v1"
OPEN = {"$schema": DIALECT, "type": "object"}
WARNINGS = {"EXT0517"}


def of_kinds(cases: list[dict[str, Any]], *kinds: str) -> list[dict[str, Any]]:
    return [case for case in cases if case["kind"] in kinds]


def bound(case: dict[str, Any]) -> Any:
    """Return the plan and input of a case of the URL corpus."""
    value: Any = json.loads(case["input_json"]) if "input_json" in case else case.get("input", {})
    match case["kind"]:
        case "path":
            names = {name.split("}")[0] for name in case["template"].split("{")[1:]}
            rows = [path(f"/{name}", name) for name in sorted(names)]
            return plan(OPEN, *rows, path=case["template"]), value
        case "query":
            return plan(OPEN, query(f"/{case['name']}", case["name"], explode=case["explode"])), value
        case _:
            return plan(OPEN, header("/v", case.get("name", "X-V"))), value


@pytest.mark.parametrize("case", of_kinds(URLS, "path", "query", "header"), ids=lambda case: case["id"])
def test_a_plan_writes_each_value(case: dict[str, Any]) -> None:
    """P085, P088, P089, P291."""
    made, value = bound(case)
    if case["verdict"] == "reject":
        with pytest.raises(ExtensionError) as caught:
            made.bind(value)
        assert caught.value.code == "validation"
        return
    request = made.bind(value)
    match case["kind"]:
        case "path":
            assert request.url == ORIGIN + case["expected"]
        case "query":
            assert request.url.partition("?")[2] == case["expected"]
        case _:
            assert dict(request.headers).get("x-v") == case["expected"]


@pytest.mark.parametrize("case", of_kinds(URLS, "header_name", "template"), ids=lambda case: case["id"])
def test_a_plan_refuses_what_the_checks_refuse(case: dict[str, Any]) -> None:
    """P086, P093."""
    if case["kind"] == "header_name":
        made = plan(OPEN, header("/v", case["name"]))
    else:
        names = dict.fromkeys(name.split("}")[0] for name in case["template"].split("{")[1:])
        made = plan(OPEN, *[path("/v", name) for name in names], path=case["template"])
    if case["verdict"] == "accept":
        assert made.bind({"v": "x"}).headers == ((case["name"].lower(), "x"),)
        return
    with pytest.raises(ExtensionError, match="cannot be bound"):
        made.bind({"v": "x"})


@pytest.mark.parametrize("case", of_kinds(POINTERS, "targets"), ids=lambda case: case["id"])
def test_a_plan_refuses_targets_that_meet(case: dict[str, Any]) -> None:
    """P092."""
    made = plan(OPEN, body=body(*(("/a", target) for target in case["targets"])))
    if case["verdict"] == "accept":
        assert made.bind({"a": 1}).body
        return
    with pytest.raises(ExtensionError, match="cannot be bound"):
        made.bind({"a": 1})


@pytest.mark.parametrize("case", of_kinds(POINTERS, "body"), ids=lambda case: case["id"])
def test_a_plan_builds_each_body(case: dict[str, Any]) -> None:
    """P073, P091."""
    rows = [(row["from"], row["to"]) for row in case["mappings"]]
    written = plan(OPEN, body=body(*rows)).bind(case["input"]).body
    assert written is not None
    assert written.hex() == case["body_bytes_hex"]


@pytest.mark.parametrize("group", GROUPS, ids=lambda group: group["id"])
def test_an_input_is_judged_as_its_schema_says(group: dict[str, Any]) -> None:
    """P071."""
    if {fault.code for fault in check_schema(group["schema"])} - WARNINGS - {"EXT0501"}:
        return
    judge = compile_schema(group["schema"])
    for test in group["tests"]:
        found = input_violations(judge, test["data"])
        if not any(each.message.startswith("must be JSON") for each in found):
            assert (found == ()) is test["valid"], test["description"]


@pytest.mark.parametrize("case", ATTACKS, ids=lambda case: case["id"])
def test_no_input_is_costly(case: dict[str, Any]) -> None:
    """P071, P072: refused or judged in bounded time, in few words."""
    schema = case.get("schema")
    if "schema_gen" in case:
        values = [f"value-{index}" for index in range(case["schema_gen"]["enum"])]
        schema = {**OPEN, "additionalProperties": False, "properties": {"a": {"enum": values}}}
    if any([*check_schema(schema), *check_input_root(schema)]):
        return
    judge = compile_schema(schema)
    value = made_value(case)
    started = time.process_time()
    found = input_violations(judge, value)
    assert time.process_time() - started < case.get("limits", {"time_s": 2})["time_s"]
    assert len(found) <= 20
    assert sum(len(each.message) for each in found) < 10_000


def made_value(case: dict[str, Any]) -> Any:
    recipe = case.get("data_gen")
    if recipe is None:
        return case.get("data")
    if "text" in recipe:
        return {recipe["key"]: "".join(text * count for text, count in recipe["text"])}
    value: Any = {}
    for _ in range(recipe["count"]):
        value = {"c": value}
    return value
