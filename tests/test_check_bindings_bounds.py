"""Hostile actions: each fits into one document, and is judged in work that is linear or bounded."""

from __future__ import annotations

import time
from typing import Any

import pytest
from actions import action, body, faults, path, query, schema

STRING = {"type": "string"}
SECONDS = 20.0
"""Of processor time: far above what any of these takes, far below what a quadratic walk would take."""


def fan_out(depth: int) -> dict[str, Any]:
    """Return definitions of which each names the next four times, in each way that judges in place."""
    definitions: dict[str, Any] = {"d0": STRING}
    for index in range(1, depth):
        below = {"$ref": f"#/$defs/d{index - 1}"}
        definitions[f"d{index}"] = {"allOf": [below, below], "anyOf": [below, below], "oneOf": [below]}
    return definitions


def chain(length: int) -> dict[str, Any]:
    definitions: dict[str, Any] = {"c0": STRING}
    for index in range(1, length):
        definitions[f"c{index}"] = {"$ref": f"#/$defs/c{index - 1}"}
    return definitions


def exponential() -> dict[str, Any]:
    defs = {"$defs": fan_out(3000)}
    return action(schema({"a": {"$ref": "#/$defs/d2999"}}, "a", **defs), path("/a"), path="/{a}")


def long_chain() -> dict[str, Any]:
    return action(schema({"a": {"$ref": "#/$defs/c9999"}}, **{"$defs": chain(10_000)}), query("/a"))


def entangled() -> dict[str, Any]:
    """Return thousands of fields that each lead to the same thousands of subschemas."""
    big = {"allOf": [{"properties": {f"p{index}": STRING}} for index in range(4_000)]}
    fields = {f"a{index}": {"$ref": "#/$defs/big", "title": "t"} for index in range(3_000)}
    rows = [query(f"/a{index}/p{index}", f"q{index}") for index in range(3_000)]
    return action(schema(fields, **{"$defs": {"big": big}}), *rows)


def entangled_unbound() -> dict[str, Any]:
    hollow = {"type": "object", "additionalProperties": False}
    big = {"allOf": [{**hollow, "properties": {f"p{index}": hollow}} for index in range(3_000)], **hollow}
    fields = {f"a{index}": {"$ref": "#/$defs/big"} for index in range(3_000)}
    return action(schema(fields, **{"$defs": {"big": big}}))


def recursive() -> dict[str, Any]:
    node = {"type": "object", "additionalProperties": False, "properties": {"n": {"$ref": "#/$defs/node"}}}
    rows = [query("/n" * length, f"q{length}") for length in (1, 60, 64, 65, 100_000)]
    return action(schema({"n": {"$ref": "#/$defs/node"}}, **{"$defs": {"node": node}}), *rows)


def many_undeclared() -> dict[str, Any]:
    fields = {f"field-{index}": STRING for index in range(8_000)}
    return action(schema(fields), *(query(f"/feild-{index}", f"q{index}") for index in range(10_000)))


def many_unbound() -> dict[str, Any]:
    return action(schema({f"field-{index}": STRING for index in range(10_000)}))


def largest_flat() -> dict[str, Any]:
    fields: dict[str, Any] = {f"f{index}": False for index in range(95_000)}
    return action(schema({**fields, "b": STRING, "c": STRING}), body=body(("/b", "/b")))


def many_targets() -> dict[str, Any]:
    rows = [("/a", "/x" * 400 + f"/y{index}") for index in range(1_000)]
    return action(schema({"a": STRING}), body=body(*rows, ("/a", "/x")))


def many_placeholders() -> dict[str, Any]:
    names = [f"p{index}" for index in range(8_000)]
    parent = {"type": "object", "additionalProperties": False, "properties": {"a": STRING}, "required": ["a"]}
    template = "".join(f"/{{{name}}}" for name in names)
    return action(schema({"o": parent}, "o"), *(path("/o/a", name) for name in names), path=template)


def strays() -> dict[str, Any]:
    template = "".join(f"/{{p{index}}}" for index in range(8_000))
    return action(schema({"a": STRING}, "a"), *(path("/a", f"s{at}") for at in range(6_000)), path=template)


@pytest.mark.parametrize(
    ("build", "codes"),
    [
        (exponential, []),
        (long_chain, []),
        (entangled, ["EXT0402", "EXT0413", "EXT0415"]),
        (recursive, ["EXT0402", "EXT0413"]),
        (many_undeclared, ["EXT0402"]),
        (many_unbound, ["EXT0427"]),
        (many_targets, ["EXT0419"]),
        (many_placeholders, []),
        (strays, ["EXT0405"]),
    ],
    ids=lambda value: getattr(value, "__name__", ""),
)
def test_hostile_actions_end_soon(build: Any, codes: list[str]) -> None:
    value = build()
    start = time.process_time()
    found = faults(value)
    assert time.process_time() - start < SECONDS
    assert {finding.code for finding in found} <= set(codes)
    assert bool(found) == bool(codes)


@pytest.mark.parametrize(
    "text", ["/" + "%" * 50_000, "/" + "{" * 400_000, "/" + "{a" * 200_000, "/." * 200_000]
)
def test_hostile_paths_end_soon(text: str) -> None:
    start = time.process_time()
    assert len(faults(action(schema({}), path=text))) <= 2
    assert time.process_time() - start < SECONDS


def test_the_largest_flat_schema_is_walked_to_its_end() -> None:
    found = faults(largest_flat())
    assert [finding.place.pointer for finding in found] == ["/catalog/input_schema/properties/c"]


def test_an_entangled_schema_is_refused_as_that() -> None:
    assert "entangled" in faults(entangled_unbound())[-1].message


def test_findings_stop_where_their_pointers_would_fill_the_memory() -> None:
    name = "n" * 500_000
    fields: dict[str, Any] = {f"f{index}": True for index in range(1_000)}
    parent = {"type": "object", "additionalProperties": False, "properties": {**fields, "b": STRING}}
    found = faults(action(schema({name: parent}), body=body((f"/{name}/b", "/b"))))
    assert 1 < len(found) < 200
