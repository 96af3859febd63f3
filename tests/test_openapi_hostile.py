"""Sources that mean harm: refused or left out by name, in bounded time and memory (issue 6, done when 4)."""

from __future__ import annotations

import subprocess
import sys
import time
from typing import TYPE_CHECKING, Any

import pytest
from openapi_sources import at, read, schema, with_schemas, written

from extpkg import limits
from extpkg.errors import DocumentInvalid
from extpkg.openapi.bundle import bundle
from extpkg.openapi.note import Unusable
from extpkg.openapi.schemas import convert
from extpkg.openapi.source import read_source

if TYPE_CHECKING:
    from pathlib import Path

HEAD = "openapi: 3.0.3\ninfo: {title: t, version: '1'}\npaths: {}\n"
SECONDS = 20
"""What each takes at most on a slow and busy machine; quadratic work takes hours."""

MEMORY = 1 << 30


def bomb(levels: int) -> str:
    lines = ["a0: &a0 {x: 1, y: 2, z: 3}"]
    lines += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]" for n in range(1, levels)]
    return HEAD + "\n".join(lines)


def merges(levels: int) -> str:
    lines = ["m0: &m0 {x0: 1, y0: 2}"]
    lines += [f"m{n}: &m{n} {{<<: *m{n - 1}, a{n}: *m{n - 1}, b{n}: *m{n - 1}}}" for n in range(1, levels)]
    return HEAD + "\n".join(lines)


def deep_aliases() -> str:
    lines = ["a0: &a0 [1]", *[f"a{n}: &a{n} [*a{n - 1}]" for n in range(1, 100)]]
    return HEAD + "\n".join(lines)


HOSTILE: dict[str, tuple[Any, str]] = {
    "alias bomb": (lambda: bomb(12), "EXT0105"),
    "alias bomb by merges": (lambda: merges(60), "EXT0105"),
    "aliases of a long text": (
        lambda: f"{HEAD}a: &a {'x' * 1_000_000}\nb: [{'*a, ' * 1_000}*a]",
        "EXT0105",
    ),
    "aliases of what holds a long text": (
        lambda: f"{HEAD}a: &a [{'x' * 1_000_000}]\nb: [{'*a, ' * 1_000}*a]",
        "EXT0105",
    ),
    "aliases that nest": (deep_aliases, "EXT0104"),
    "an alias of itself": (lambda: HEAD + "a: &a {b: *a}", "EXT0111"),
    "levels of flow": (lambda: HEAD + "a: " + "[" * 100_000, "EXT0104"),
    "levels of block": (lambda: HEAD + "a:\n  " + "- " * 100_000 + "1", "EXT0104"),
    "levels of mappings": (lambda: HEAD + "".join(" " * n + "a:\n" for n in range(2_000)), "EXT0104"),
    "levels of JSON": (lambda: '{"openapi": "3.0.3", "a": ' + "[" * 100_000 + "]" * 100_000 + "}", "EXT0104"),
    "levels of JSON objects": (lambda: '{"a":' * 100_000 + "1" + "}" * 100_000, "EXT0104"),
    "values": (lambda: HEAD + "a: [" + "1," * 1_100_000 + "1]", "EXT0105"),
    "values of JSON": (lambda: '{"a": [' + "1," * 1_100_000 + "1]}", "EXT0105"),
    "lists of JSON": (lambda: '{"a": [' + "[]," * 1_100_000 + "1]}", "EXT0105"),
    "bytes": (lambda: HEAD + "# " + "x" * limits.SOURCE_BYTES, "EXT0103"),
    "duplicate keys": (lambda: HEAD + "a: 1\n" * 5_000, "EXT0114"),
    "control characters": (lambda: HEAD + "a: \x1b[31m", "EXT0127"),
    "digits": (lambda: HEAD + "a: " + "9" * 1_000_000, "EXT0118"),
    "digits of JSON": (lambda: '{"a": ' + "9" * 1_000_000 + "}", "EXT0118"),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_text_is_refused_by_name_and_soon(name: str, tmp_path: Path) -> None:
    make, code = HOSTILE[name]
    path = written(tmp_path, {"openapi.yaml": make()})
    start = time.process_time()
    with pytest.raises(DocumentInvalid) as refused:
        read_source(path)
    assert time.process_time() - start < SECONDS
    assert {fault.code for fault in refused.value.faults} == {code}
    assert all(fault.place.position for fault in refused.value.faults)


def test_two_hundred_megabytes_are_not_read(tmp_path: Path) -> None:
    path = tmp_path / "huge.yaml"
    with path.open("wb") as file:
        file.truncate(200 << 20)
    done = limited(f"read_source({str(path)!r})")
    assert done.returncode == 0, done.stderr
    assert "EXT0103" in done.stdout


@pytest.mark.parametrize("name", ["alias bomb", "lists of JSON", "levels of JSON objects", "values"])
def test_a_hostile_text_takes_bounded_memory(name: str, tmp_path: Path) -> None:
    path = written(tmp_path, {"openapi.yaml": HOSTILE[name][0]()})
    done = limited(f"read_source({str(path)!r})")
    assert done.returncode == 0, done.stderr
    assert HOSTILE[name][1] in done.stdout


def limited(expression: str) -> subprocess.CompletedProcess[str]:
    """Evaluate in a process that may take so much memory and no more."""
    resource = pytest.importorskip("resource")
    assert resource
    script = (
        f"import resource; resource.setrlimit(resource.RLIMIT_AS, ({MEMORY}, {MEMORY}))\n"
        "from extpkg.openapi.source import read_source\n"
        "from extpkg.errors import DocumentInvalid\n"
        f"try: {expression}\n"
        "except DocumentInvalid as refused: print(refused)\n"
    )
    return subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=False, timeout=3 * SECONDS
    )


def test_a_tree_of_too_many_values_is_left_out_by_name(tmp_path: Path) -> None:
    many = "[" + "1," * 400_000 + "1]"
    files = {f"{name}.yaml": f"x: {many}" for name in "abc"}
    refs = ", ".join(f"{name}: {{$ref: '{name}.yaml'}}" for name in "abc")
    source = read_source(
        written(tmp_path, {"openapi.yaml": f"{HEAD}components: {{schemas: {{{refs}}}}}", **files})
    )
    codes = []
    for name in "abc":
        try:
            source.follow(at(source, "components", "schemas", name))
        except Unusable as unusable:
            codes.append(unusable.code)
    assert codes == ["source-too-large"]


def test_a_file_that_is_named_again_and_again_makes_no_endless_bundle(tmp_path: Path) -> None:
    paths = ", ".join(f"/p{n}: {{$ref: big.yaml}}" for n in range(200))
    files = {
        "openapi.yaml": f"openapi: 3.0.3\ninfo: {{title: t, version: '1'}}\npaths: {{{paths}}}\n",
        "big.yaml": f"description: {'x' * 1_000_000}\n",
    }
    source = read_source(written(tmp_path, files))
    with pytest.raises(DocumentInvalid) as refused:
        bundle(source)
    assert refused.value.faults[0].code == "EXT0103"


def test_a_chain_of_bare_references_takes_no_square_of_time(tmp_path: Path) -> None:
    count = 20_000
    schemas: dict[str, Any] = {f"S{n}": {"$ref": f"#/components/schemas/S{n + 1}"} for n in range(count)}
    schemas[f"S{count}"] = {"type": "string", "enum": []}
    source = with_schemas(tmp_path, schemas)
    start = time.process_time()
    converted = convert(source, at(source, "components", "schemas", "S0"), "input")
    assert time.process_time() - start < SECONDS
    assert converted.schema == {"type": "string"}
    assert [note.code for note in converted.notes] == ["schema-enum-empty"]


def test_references_one_after_another_take_no_stack(tmp_path: Path) -> None:
    count = 20_000
    schemas: dict[str, Any] = {
        f"S{n}": {"type": "object", "properties": {"next": {"$ref": f"#/components/schemas/S{n + 1}"}}}
        for n in range(count)
    }
    schemas[f"S{count}"] = {"type": "string"}
    source = with_schemas(tmp_path, schemas)
    start = time.process_time()
    converted = convert(source, at(source, "components", "schemas", "S0"), "output")
    assert time.process_time() - start < SECONDS
    assert converted.schema["type"] == "object"
    assert "output-cut" in {note.code for note in converted.notes}
    with pytest.raises(Unusable) as unusable:
        convert(source, at(source, "components", "schemas", "S0"), "input")
    assert unusable.value.code == "schema-too-large"


def test_references_that_double_do_not_explode(tmp_path: Path) -> None:
    schemas: dict[str, Any] = {
        f"S{n}": {
            "type": "object",
            "properties": {side: {"$ref": f"#/components/schemas/S{n + 1}"} for side in ("left", "right")},
        }
        for n in range(60)
    }
    schemas["S60"] = {"type": "string"}
    source = with_schemas(tmp_path, schemas)
    start = time.process_time()
    converted = convert(source, at(source, "components", "schemas", "S0"), "input")
    assert time.process_time() - start < SECONDS
    assert len(repr(converted.schema)) + len(repr(converted.definitions)) < 64 << 10


@pytest.mark.parametrize(
    ("value", "code"),
    [
        ({"$ref": "#/components/schemas/It"}, "schema-cycle"),
        ({"allOf": [{"$ref": "#/components/schemas/It"}]}, "schema-cycle"),
        ({"anyOf": [{"not": {"oneOf": [{"$ref": "#/components/schemas/It"}]}}]}, "schema-cycle"),
        ({"properties": {"a": {"$ref": "#/components/schemas/None"}}}, "unresolvable-ref"),
        ({"properties": {"a": {"$ref": "https://example.com/x"}}}, "remote-ref"),
        ({"properties": {"a": {"$ref": "#/info/title"}}}, "unresolvable-ref"),
        ({"properties": {"a\x07": {}}}, "schema-unfit-text"),
        ({"enum": ["a\u202eb"]}, "schema-unfit-text"),
        ({"const": {"a": ["\x00"]}}, "schema-unfit-text"),
        ({"enum": [2**53]}, "schema-integer-domain"),
        ({"const": [{"x": -(2**53)}]}, "schema-integer-domain"),
        ({"$dynamicRef": "#none"}, "schema-dynamic-ref"),
    ],
)
def test_schemas_that_cannot_be_said_are_unusable_by_name(tmp_path: Path, value: Any, code: str) -> None:
    with pytest.raises(Unusable) as unusable:
        schema(tmp_path, value)
    assert unusable.value.code == code
    assert unusable.value.node.pointer.startswith("/components/schemas/")


def test_pure_cycles_of_many_are_refused_and_those_around_them_too(tmp_path: Path) -> None:
    ref = "#/components/schemas/"
    source = with_schemas(
        tmp_path,
        {
            "A": {"allOf": [{"$ref": f"{ref}B"}]},
            "B": {"anyOf": [{"$ref": f"{ref}C"}, {"type": "string"}]},
            "C": {"$ref": f"{ref}A"},
            "D": {"properties": {"a": {"$ref": f"{ref}A"}}},
            "E": {"properties": {"e": {"$ref": f"{ref}E"}}},
        },
    )
    for name in "ABCD":
        with pytest.raises(Unusable) as unusable:
            convert(source, at(source, "components", "schemas", name), "input")
        assert unusable.value.code == "schema-cycle"
    assert convert(source, at(source, "components", "schemas", "E"), "input").definitions.keys() == {"E"}


def test_a_schema_that_nests_deeper_than_a_file_may_is_unusable(tmp_path: Path) -> None:
    value: Any = {"type": "string"}
    for _ in range(29):
        value = {"properties": {"a": value}}
    with pytest.raises(Unusable) as unusable:
        schema(tmp_path, value)
    assert unusable.value.code == "schema-too-deep"


def test_control_characters_in_prose_are_taken_out(tmp_path: Path) -> None:
    text = '"ring \\u0007 \\u202e\\u200b the \\0 bell\\r\\nnext"'
    source = read(tmp_path, f"{HEAD}components: {{schemas: {{It: {{title: {text}, description: {text}}}}}}}")
    converted = convert(source, at(source, "components", "schemas", "It"), "output").schema
    assert converted["title"].isprintable()
    assert converted["description"].replace("\n", "").isprintable()
    assert "\n" in converted["description"]
