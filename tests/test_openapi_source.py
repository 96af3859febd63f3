"""Reading a source: JSON and YAML as their authors mean them, refused by name where they mean nothing."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING, Any

import pytest
from openapi_sources import at, read, written

from extpkg.check.rules import RULES, Rule
from extpkg.errors import DocumentInvalid
from extpkg.openapi.node import Node
from extpkg.openapi.note import Unusable
from extpkg.openapi.source import read_source

if TYPE_CHECKING:
    from pathlib import Path

HEAD = "openapi: 3.1.0\ninfo: {title: t, version: '1'}\npaths: {}\n"


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("v: 2024-01-31", "2024-01-31"),
        ("v: no", "no"),
        ("v: 0777", 777),
        ("v: 0o17", 15),
        ("v: 1.10", 1.1),
        ("v: ~", None),
        ("v:", None),
        ("v: 'true'", "true"),
        ("v: !!str 12", "12"),
        ("v: !!int 12", 12),
        ("v: !!float 12", 12),
        ("v: !!bool true", True),
        ("v: !!null ~", None),
        ("v: ! 12", "12"),
        ("v: !!map {a: 1}", {"a": 1}),
        ("v: !!seq [1]", [1]),
        ("v: 18446744073709551615", 18446744073709551615),
        ("v: -9223372036854775808", -9223372036854775808),
        ("v: 0xFFFFFFFFFFFFFFFF", 18446744073709551615),
        (
            "v: {200: a, no: b, 1.5: c, null: d, true: e}",
            {"200": "a", "no": "b", "1.5": "c", "null": "d", "true": "e"},
        ),
        ("a: &a {x: 1}\nv: *a", {"x": 1}),
        ("a: &a [1]\nv: [*a, *a]", [[1], [1]]),
        ("a: &a word\nv: {*a : 1}", {"word": 1}),
        ("&k v: *k", "v"),
        ("a: &a !!int 7\nv: *a", 7),
        ("a: &a {x: 1, y: 2}\nv: {<<: *a, y: 3}", {"y": 3, "x": 1}),
        ("a: &a {x: 1}\nb: &b {x: 2, z: 3}\nv: {<<: [*a, *b]}", {"x": 1, "z": 3}),
        ("v: {'<<': 1}", {"<<": 1}),
        ("v: |\n  a\n  b\n", "a\nb\n"),
        ('v: "a\\tb"', "a\tb"),
        ("v: [a, [b], no]", ["a", ["b"], "no"]),
    ],
)
def test_yaml_is_read_by_the_core_schema_with_what_authors_of_openapi_write(
    tmp_path: Path, text: str, value: Any
) -> None:
    assert at(read(tmp_path, HEAD + text), "v").value == value


def test_directives_and_marks_change_nothing(tmp_path: Path) -> None:
    source = read(tmp_path, ("\ufeff%YAML 1.1\n---\n" + HEAD + "v: yes\n...\n").encode())
    assert at(source, "v").value == "yes"


@pytest.mark.parametrize(
    ("text", "code", "line"),
    [
        ("a: 1\na: 2", "EXT0114", 5),
        ("a: {b: 1, b: 2}", "EXT0114", 4),
        ("a: {200: 1, '200': 2}", "EXT0114", 4),
        ("a: .nan", "EXT0116", 4),
        ("a: 1e400", "EXT0117", 4),
        ("a: " + "9" * 1001, "EXT0118", 4),
        ("a: *b", "EXT0111", 4),
        ("a: &b [*b]", "EXT0111", 4),
        ("a: !!int x", "EXT0112", 4),
        ("a: !!binary aGk=", "EXT0112", 4),
        ("a: !thing {b: 1}", "EXT0112", 4),
        ("a: !!map [1]", "EXT0112", 4),
        ("a: {<<: 1}", "EXT0113", 4),
        ("a: {<<: [1]}", "EXT0113", 4),
        ("[1]: b", "EXT0115", 4),
        ("? {x: 1}\n: b", "EXT0115", 4),
        ("---\nb: 1", "EXT0108", 4),
        ("a: \x07", "EXT0127", 4),
        ("a: \u2028", "EXT0121", 4),
        ('a: "\\ud800"', "EXT0106", 4),
        ("a: [1", "EXT0106", 4),
        ("a: {b", "EXT0106", 4),
        ("\ta: 1", "EXT0122", 4),
    ],
)
def test_what_yaml_does_not_mean_is_refused_by_name(tmp_path: Path, text: str, code: str, line: int) -> None:
    with pytest.raises(DocumentInvalid) as refused:
        read(tmp_path, HEAD + text)
    fault = refused.value.faults[0]
    position = fault.place.position
    assert position
    assert (fault.code, position.line) == (code, line)


def document(**members: Any) -> dict[str, Any]:
    return {"openapi": "3.0.3", "info": {"title": "t", "version": "1"}, "paths": {}, **members}


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ('{"openapi": "3.0.3", "a": 1, "a": 2}', "EXT0114"),
        ('{"openapi": "3.0.3", "a": NaN}', "EXT0116"),
        ('{"openapi": "3.0.3", "a": 1e400}', "EXT0117"),
        ('{"openapi": "3.0.3", "a": ' + "9" * 1001 + "}", "EXT0118"),
        ('{"openapi": "3.0.3", "a": "\\ud800"}', "EXT0119"),
        ('{"openapi": "3.0.3", "a": "\x01"}', "EXT0126"),
        ('{"openapi": "3.0.3"', "EXT0126"),
        ('{"openapi": "3.0.3"} x', "EXT0126"),
        ("", "EXT0107"),
        ("# nothing", "EXT0107"),
        (b"\xff\xfe{\x00}\x00", "EXT0101"),
        (b"\xff", "EXT0101"),
    ],
)
def test_what_json_does_not_mean_is_refused_by_name(tmp_path: Path, text: str | bytes, code: str) -> None:
    path = written(tmp_path, {"api.json": text}, "api.json")
    with pytest.raises(DocumentInvalid) as refused:
        read_source(path)
    assert refused.value.faults[0].code == code
    assert refused.value.faults[0].place.position


def test_json_keeps_whole_numbers_and_pairs_of_surrogates(tmp_path: Path) -> None:
    text = json.dumps(document(a=2**64 - 1, b="\U0001f600"))
    assert "\\ud83d" in text
    source = read_source(written(tmp_path, {"api.json": text}, "api.json"))
    assert (at(source, "a").value, at(source, "b").value) == (2**64 - 1, "\U0001f600")


def test_the_text_decides_what_it_is_written_in(tmp_path: Path) -> None:
    flow = "{openapi: 3.0.3, info: {title: t, version: 1}, paths: {}}"
    assert read(tmp_path, flow).version == "3.0"
    assert read(tmp_path, json.dumps(document())).version == "3.0"
    assert read(tmp_path, "\n " + json.dumps(document())).version == "3.0"
    with pytest.raises(DocumentInvalid) as refused:
        read(tmp_path, '{"openapi": "3.0.3",\n "a": }}')
    assert "EXT0126" in str(refused.value) or "EXT0106" in str(refused.value)


@pytest.mark.parametrize(
    ("text", "version"),
    [
        ("swagger: '2.0'", "2.0"),
        ("swagger: 2.0", "2.0"),
        ("openapi: 3.0.0", "3.0"),
        ("openapi: 3.0", "3.0"),
        ("openapi: 3.1.1", "3.1"),
        ("openapi: 3.1.0-rc0", "3.1"),
    ],
)
def test_versions_that_are_read(tmp_path: Path, text: str, version: str) -> None:
    assert read(tmp_path, text).version == version


@pytest.mark.parametrize("row", [row for row in RULES if row.code == "EXT1201"], ids=lambda row: row.code)
def test_a_rule_finds_its_sample_where_it_says(row: Rule, tmp_path: Path) -> None:
    assert read(tmp_path, row.sample.good).version == "3.1"
    with pytest.raises(DocumentInvalid) as refused:
        read(tmp_path, row.sample.bad)
    (fault,) = refused.value.faults
    position = fault.place.position
    assert position
    assert (fault.code, fault.place.path, position.line, position.column) == (
        row.code,
        row.sample.file,
        row.sample.line,
        row.sample.column,
    )


@pytest.mark.parametrize(
    ("text", "column"),
    [
        ("openapi: 3.2.0", 10),
        ("openapi: 2.0", 10),
        ("swagger: '1.2'", 10),
        ("swagger: 3.0.0", 10),
        ("openapi: [3]", 10),
        ("info: {}", 1),
        ("[1]", 1),
        ("word", 1),
        ("null", 1),
    ],
)
def test_what_is_no_openapi_of_such_a_version_is_refused(tmp_path: Path, text: str, column: int) -> None:
    with pytest.raises(DocumentInvalid) as refused:
        read(tmp_path, text)
    (fault,) = refused.value.faults
    assert fault.code == "EXT1201"
    assert fault.place.position
    assert (fault.place.path, fault.place.position.line, fault.place.position.column) == (
        "openapi.yaml",
        1,
        column,
    )


@pytest.mark.parametrize(
    ("text", "version"),
    [
        ("1.10", "1.10"),
        ("'1.10'", "1.10"),
        ("1.0", "1.0"),
        ("2", "2"),
        ("true", "true"),
        ("v1", "v1"),
        ("2024-01-31", "2024-01-31"),
    ],
)
def test_info_version_is_what_is_written(tmp_path: Path, text: str, version: str) -> None:
    source = read(tmp_path, f"openapi: 3.0.0\ninfo:\n  title: t\n  version: {text}\npaths: {{}}\n")
    assert at(source, "info", "version").value == version
    compact = '{"openapi": "3.0.0", "info": {"title": "t", "version": 1.10}, "paths": {}}'
    assert (
        at(read_source(written(tmp_path, {"a.json": compact}, "a.json")), "info", "version").value == "1.10"
    )


REFERENCES = """\
openapi: 3.0.3
info: {title: t, version: '1'}
paths:
  /a~b/c:
    get: {responses: {'400': {description: no}}}
components:
  parameters:
    Page Size: {name: size}
    '400': {name: numeric}
    one: {$ref: '#/components/parameters/two'}
    two: {$ref: '#/components/parameters/Page%20Size'}
    round: {$ref: '#/components/parameters/trip'}
    trip: {$ref: '#/components/parameters/round'}
    self: {$ref: '#/components/parameters/self'}
    list: [{name: first}]
"""


@pytest.mark.parametrize(
    ("reference", "pointer"),
    [
        ("#/components/parameters/one", "/components/parameters/Page Size"),
        ("#/components/parameters/Page%20Size", "/components/parameters/Page Size"),
        ("#/components/parameters/400", "/components/parameters/400"),
        ("#/paths/~1a~0b~1c/get/responses/400", "/paths/~1a~0b~1c/get/responses/400"),
        ("#/components/parameters/list/0", "/components/parameters/list/0"),
        ("#", ""),
    ],
)
def test_references_are_followed_to_their_end(tmp_path: Path, reference: str, pointer: str) -> None:
    source = read(tmp_path, REFERENCES)
    assert source.follow(Node({"$ref": reference}, source.name, "/x")).pointer == pointer


@pytest.mark.parametrize(
    ("reference", "code"),
    [
        ("#/components/parameters/none", "unresolvable-ref"),
        ("#/components/parameters/list/01", "unresolvable-ref"),
        ("#/components/parameters/list/1", "unresolvable-ref"),
        ("#components", "unresolvable-ref"),
        ("#/%zz", "unresolvable-ref"),
        ("#/components/parameters/round", "ref-cycle"),
        ("#/components/parameters/self", "ref-cycle"),
        ("https://example.com/a.yaml#/X", "remote-ref"),
        ("//example.com/a.yaml", "remote-ref"),
        ("urn:x:y", "remote-ref"),
        ("/etc/passwd", "absolute-ref"),
        ("file:///etc/passwd", "absolute-ref"),
        ("C:\\x.yaml", "absolute-ref"),
        ("%2Fetc/passwd", "absolute-ref"),
        ("../x.yaml", "escaping-ref"),
        ("a/../../x.yaml", "escaping-ref"),
        ("%2e%2e/x.yaml", "escaping-ref"),
        ("a\\..\\x.yaml", "escaping-ref"),
    ],
)
def test_references_that_lead_nowhere_are_unusable_by_name(tmp_path: Path, reference: str, code: str) -> None:
    source = read(tmp_path, REFERENCES)
    node = Node({"$ref": reference}, source.name, "/x")
    with pytest.raises(Unusable) as unusable:
        source.follow(node)
    assert unusable.value.code == code
    assert "\n" not in unusable.value.message


def test_a_node_has_members_elements_and_a_pointer(tmp_path: Path) -> None:
    source = read(tmp_path, REFERENCES)
    parameters = at(source, "components", "parameters")
    assert [name for name, _ in parameters.items()][:2] == ["Page Size", "400"]
    assert [node.pointer for node in at(source, "components", "parameters", "list").elements()] == [
        "/components/parameters/list/0"
    ]
    assert at(source, "paths", "/a~b/c").pointer == "/paths/~1a~0b~1c"
    assert parameters.get("none") is None
    leaf = at(source, "openapi")
    assert (leaf.get("x"), list(leaf.items()), list(leaf.elements())) == (None, [], [])


@pytest.mark.parametrize(
    ("tokens", "line", "column"),
    [
        (("components", "parameters", "one"), 10, 10),
        (("components", "parameters", "list"), 15, 11),
        (("paths", "/a~b/c", "get", "responses", "400"), 5, 30),
        ((), 1, 1),
    ],
)
def test_a_place_is_found_in_the_text(
    tmp_path: Path, tokens: tuple[str, ...], line: int, column: int
) -> None:
    source = read(tmp_path, REFERENCES)
    position = source.position(at(source, *tokens))
    assert (position.line, position.column) == (line, column)
    element = Node(None, source.name, "/components/parameters/list/0/name")
    assert source.position(element).line == 15
    assert source.position(Node(None, source.name, "/components/none/x")).line == 7


def test_a_place_in_json_that_is_no_yaml_is_its_start(tmp_path: Path) -> None:
    source = read_source(written(tmp_path, {"a.json": json.dumps(document(a="\U0001f600", b=1))}, "a.json"))
    position = source.position(at(source, "b"))
    assert (position.line, position.column) == (1, 1)


@pytest.mark.parametrize("name", ["none.yaml", ".", "fifo"])
def test_what_cannot_be_read_is_refused(tmp_path: Path, name: str) -> None:
    os.mkfifo(tmp_path / "fifo")
    with pytest.raises(DocumentInvalid) as refused:
        read_source(tmp_path / name)
    assert refused.value.faults[0].code in {"EXT0207", "EXT0208"}


def test_the_entry_may_be_a_link(tmp_path: Path) -> None:
    written(tmp_path, {"real/api.yaml": HEAD})
    (tmp_path / "link.yaml").symlink_to("real/api.yaml")
    assert read_source(tmp_path / "link.yaml").version == "3.1"
