"""Paths, queries, headers, styles and templates, byte for byte (R-BIND-2 to 6, R-REQ-2 to 5)."""

from __future__ import annotations

import json
from typing import Any

import pytest
from actions import action, codes, header, path, query, schema
from corpus import corpus

from extpkg.binding.parameters import fill_path, header_value, query_text, request_url
from extpkg.binding.template import path_faults, placeholders
from extpkg.errors import DocumentInvalid

CASES: list[dict[str, Any]] = corpus("conformance/url_encoding.json")
STRING = {"type": "string"}
STYLED = {"path": path("/v"), "query": query("/v"), "header": header("/v", "X-V"), "cookie": query("/v")}


def written(case: dict[str, Any]) -> str | None:
    """Return what a case writes; raises `DocumentInvalid` where it cannot be written."""
    values: Any = json.loads(case["input_json"]) if "input_json" in case else case.get("input")
    match case["kind"]:
        case "path":
            return fill_path(case["template"], values)
        case "query":
            name = case["name"]
            return query_text([(name, values[name], case["explode"])] if name in values else [])
        case "header":
            return header_value(values["v"])
        case kind:
            assert kind == "join"
            return request_url(case["base_url"], case["template"], "")


def refused(case: dict[str, Any]) -> bool:
    """Say whether the checks refuse what a case declares."""
    match case["kind"]:
        case "template":
            names = placeholders(case["template"])
            parameters = [path("/v", name) for name in dict.fromkeys(names)]
            return bool(codes(action(schema({"v": STRING}, "v"), *parameters, path=case["template"])))
        case "header_name":
            return bool(codes(action(schema({"v": STRING}), header("/v", case["name"]))))
        case kind:
            assert kind == "style"
            parameter = {**STYLED[case["location"]], "in": case["location"], "style": case["style"]}
            template = "/{v}" if case["location"] == "path" else "/"
            return bool(codes(action(schema({"v": STRING}, "v"), parameter, path=template)))


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["id"])
def test_url_encoding(case: dict[str, Any]) -> None:
    """P085, P088, P089, P093, P291."""
    if case["kind"] in {"template", "header_name", "style"}:
        assert refused(case) == (case["verdict"] == "reject")
    elif case["verdict"] == "reject":
        with pytest.raises(DocumentInvalid) as caught:
            written(case)
        assert caught.value.faults[0].code == "EXT0428"
    else:
        assert written(case) == case["expected"]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["id"])
def test_every_template_that_is_filled_is_sound(case: dict[str, Any]) -> None:
    if case["kind"] == "path":
        assert list(path_faults(case["template"])) == []
