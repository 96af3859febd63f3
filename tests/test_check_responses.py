"""The response policy (R-BIND-8), as tables."""

from __future__ import annotations

from typing import Any

import pytest

from extpkg.check.responses import check_response

FILE = "actions/act.yaml"


def found(*, output_schema: Any = None, **response: Any) -> list[tuple[str, str]]:
    policy = {
        "mode": "passthrough",
        "success_statuses": [200],
        "content_types": ["application/json"],
        **response,
    }
    policy = {name: value for name, value in policy.items() if value is not ...}
    value = {
        "catalog": {"output_schema": {} if output_schema is None else output_schema},
        "binding": {"response": policy},
    }
    return [
        (finding.code[-2:], finding.place.pointer.removeprefix("/binding/response"))
        for finding in check_response(value, FILE)
    ]


@pytest.mark.parametrize(
    ("response", "expected"),
    [
        ({}, []),
        ({"mode": "stream"}, [("01", "/mode")]),
        ({"mode": "Passthrough"}, [("01", "/mode")]),
        ({"mode": []}, [("01", "/mode")]),
        ({"success_statuses": [200, 201, 299]}, []),
        ({"success_statuses": []}, [("02", "/success_statuses")]),
        ({"success_statuses": [199, 300, 0]}, [("02", f"/success_statuses/{at}") for at in (0, 1, 2)]),
        ({"success_statuses": [200, 200]}, [("03", "/success_statuses/1")]),
        ({"success_statuses": [200, 200.0]}, [("03", "/success_statuses/1")]),
        ({"success_statuses": [404, 404]}, [("02", f"/success_statuses/{at}") for at in (0, 1)]),
        ({"content_types": ...}, [("04", "")]),
        ({"content_types": []}, [("04", "/content_types")]),
        ({"mode": "empty"}, [("05", "/content_types")]),
        ({"mode": "empty", "content_types": ...}, []),
        ({"mode": "empty", "content_types": []}, []),
        ({"max_bytes": 1}, []),
        ({"max_bytes": 65536}, []),
        ({"max_bytes": 0}, [("08", "/max_bytes")]),
        ({"max_bytes": -1}, [("08", "/max_bytes")]),
        ({"max_bytes": 65537}, [("08", "/max_bytes")]),
        # not of the type that the schema asks for: reported there
        ({"success_statuses": ["200", True, None]}, []),
        ({"content_types": [1]}, []),
        ({"max_bytes": True}, []),
        ({"success_statuses": 200, "content_types": "x"}, []),
    ],
)
def test_policy(response: dict[str, Any], expected: list[tuple[str, str]]) -> None:
    """P095."""
    assert found(**response) == expected


@pytest.mark.parametrize(
    "name",
    ["application/json", "application/problem+json", "application/vnd.x-y.v1+json", "text/plain", "text/x.y"],
)
def test_good_content_types(name: str) -> None:
    assert found(content_types=[name]) == []


@pytest.mark.parametrize(
    "name",
    [
        "*/*", "text/*", "application/*+json", "application/xml", "application/octet-stream", "image/png",
        "Text/plain", "text/plain; charset=utf-8", "text/plain ", "text/plain\n", "text/", "text", "",
        "application/+json", "text/event-stream",
        "application/json+x", "application/jsonx", "xapplication/json", "text/a/b",
        "text/event-stream\n",
    ],
)  # fmt: skip
def test_bad_content_types(name: str) -> None:
    assert found(content_types=["text/html", name]) == [("06", "/content_types/1")]
    assert found(content_types=[name, name]) == [("06", "/content_types/0"), ("07", "/content_types/1")]


def test_text_types_that_only_begin_like_an_event_stream() -> None:
    assert found(content_types=["text/event-stream2", "text/event-stream.x"]) == []


NULLABLE: list[tuple[Any, bool]] = [
    (True, True),
    ({}, True),
    ({"type": ["object", "null"]}, True),
    ({"enum": [1, None]}, True),
    ({"const": None}, True),
    ({"anyOf": [{"type": "object"}, {"type": "null"}]}, True),
    ({"oneOf": [{"type": "object"}, {"type": "null"}]}, True),
    ({"$ref": "#/$defs/x", "$defs": {"x": {"type": "null"}}}, True),
    ({"not": {"type": "object"}}, True),
    ({"if": {"type": "object"}, "then": False}, True),
    ({"if": {"type": "null"}, "else": False}, True),
    ({"then": False}, True),
    ({"minimum": 3, "required": ["a"]}, True),
    (False, False),
    ({"type": "object"}, False),
    ({"enum": [1]}, False),
    ({"const": 0}, False),
    ({"allOf": [{}, {"type": "string"}]}, False),
    ({"anyOf": [{"type": "object"}, {"type": "string"}]}, False),
    ({"oneOf": [{"type": "null"}, {}]}, False),
    ({"oneOf": [{"type": "object"}]}, False),
    ({"$ref": "#/$defs/x", "$defs": {"x": {"type": "object"}}}, False),
    ({"not": {}}, False),
    ({"if": {"type": "null"}, "then": False}, False),
    ({"if": {"type": "object"}, "else": False}, False),
]


@pytest.mark.parametrize(("output_schema", "accepts"), NULLABLE)
@pytest.mark.parametrize(
    "response",
    [{"success_statuses": [200, 204]}, {"success_statuses": [205]}, {"mode": "empty", "content_types": ...}],
)
def test_null_output(output_schema: Any, accepts: bool, response: dict[str, Any]) -> None:
    at = "/catalog/output_schema"
    assert found(output_schema=output_schema, **response) == ([] if accepts else [("09", at)])
    assert found(output_schema=output_schema) == []


@pytest.mark.parametrize(
    "value",
    [
        {},
        {"binding": None},
        {"binding": {}},
        {"binding": {"response": []}},
        {"binding": {"response": {}}},
        {"binding": {"response": {"mode": "empty", "success_statuses": [204]}}, "catalog": 3},
    ],
)
def test_nothing_to_judge(value: dict[str, Any]) -> None:
    assert list(check_response(value, FILE)) == []
