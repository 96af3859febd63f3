"""Published documents and the cases beside them: read, bundled, converted; the same whatever their form."""

from __future__ import annotations

import json
import random
from typing import TYPE_CHECKING, Any

import pytest
import yaml
from corpus import corpus_folder

from extpkg.document.strict_json import parse_source
from extpkg.json_schema import check_schema
from extpkg.openapi import source_yaml
from extpkg.openapi.author import Options, author
from extpkg.openapi.bundle import bundle
from extpkg.openapi.note import Unusable
from extpkg.openapi.schemas import OUTPUT_BYTES, Converted, Direction, convert
from extpkg.openapi.source import Source, read_source
from extpkg.openapi.structure import METHODS

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from extpkg.openapi.node import Node

FOLDER = corpus_folder() / "openapi"
if not FOLDER.is_dir():
    pytest.skip("the corpus openapi is not beside this checkout (set EXTPKG_DATA)", allow_module_level=True)

DOCUMENTS = sorted(
    path for path in (FOLDER / "docs").rglob("*.*") if path.suffix in {".json", ".yaml", ".yml"}
)
WHOLE = [
    path
    for path in DOCUMENTS
    if "v3.2" not in path.parts and not ("petstore-separate" in path.parts and "swagger" not in path.name)
]
CASES = sorted((FOLDER / "cases").glob("*.yaml"))
SMALL = [path for path in [*WHOLE, *CASES] if path.stat().st_size < 200_000]


def named(path: Path) -> str:
    return "/".join(path.relative_to(FOLDER).parts[1:])


@pytest.mark.parametrize("path", DOCUMENTS, ids=named)
def test_the_quick_readers_read_what_others_read(path: Path) -> None:
    data = path.read_bytes()
    if path.suffix == ".json":
        assert parse_source(data, path.name) == json.loads(data)
        if "\\u" not in data.decode() and len(data) < 200_000:
            assert source_yaml.parse(data, path.name) == json.loads(data)
    else:
        texts = yaml.load(data, Loader=yaml.CBaseLoader)  # noqa: S506 - every scalar as its text
        assert _texts(source_yaml.parse(data, path.name), texts) == texts


def _texts(value: Any, like: Any) -> Any:
    """Return a value with scalars as the texts that stand there, where they are what these texts mean."""
    if isinstance(value, dict):
        assert list(value) == list(like)
        return {name: _texts(member, like[name]) for name, member in value.items()}
    if isinstance(value, list):
        return [_texts(item, other) for item, other in zip(value, like, strict=True)]
    if isinstance(value, str):
        return value
    words = {None: {"null", "~", "", "Null", "NULL"}, True: {"true", "True"}, False: {"false", "False"}}
    meant = like in words[value] if value is None or isinstance(value, bool) else float(like) == float(value)
    return like if meant else value


@pytest.mark.parametrize("path", [*WHOLE, *CASES], ids=named)
def test_a_bundle_says_what_the_document_says(path: Path, tmp_path: Path) -> None:
    source = read_source(path)
    data = bundle(source)
    (tmp_path / "openapi.yaml").write_bytes(data)
    again = read_source(tmp_path / "openapi.yaml")
    assert again.root.value == source.root.value
    assert bundle(again) == data


@pytest.mark.parametrize("path", [*WHOLE, *CASES], ids=named)
def test_every_schema_that_is_used_is_one_under_the_rulings(path: Path) -> None:
    source = read_source(path)
    seen: set[int] = set()
    left_out: set[str] = set()
    for node, direction in used(source):
        try:
            converted = convert(source, node, direction)
        except Unusable as unusable:
            left_out.add(unusable.code)
            continue
        if id(converted) not in seen:
            seen.add(id(converted))
            judge(converted, direction)
    assert left_out <= ({"unresolvable-ref"} if path.name.startswith("29-") else set())


def judge(converted: Converted, direction: Direction) -> None:
    members = converted.schema if isinstance(converted.schema, dict) else {"allOf": [converted.schema]}
    document = {"$schema": "https://json-schema.org/draft/2020-12/schema", **members}
    if converted.definitions:
        document["$defs"] = converted.definitions
    faults = [fault for fault in check_schema(document) if fault.code != "EXT0517"]
    assert faults == []
    if direction == "output":
        assert len(json.dumps(document, ensure_ascii=False, separators=(",", ":")).encode()) <= OUTPUT_BYTES


def used(source: Source) -> Iterator[tuple[Node, Direction]]:
    """Yield the schemas of parameters, bodies and good answers of every operation."""
    paths = source.root.get("paths")
    for _, item in paths.items() if paths else ():
        for method in METHODS:
            operation = source.follow(item).get(method)
            if operation is None:
                continue
            for parameter in parts(operation, "parameters"):
                yield from schemas(source, parameter, "input")
            body = operation.get("requestBody")
            if body is not None:
                yield from schemas(source, body, "input")
            responses = operation.get("responses")
            for status, response in responses.items() if responses else ():
                if status.startswith("2"):
                    yield from schemas(source, response, "output")


def parts(node: Node, name: str) -> Iterator[Node]:
    below = node.get(name)
    if below is not None:
        yield from below.elements()


def schemas(source: Source, node: Node, direction: Direction) -> Iterator[tuple[Node, Direction]]:
    try:
        holder = source.follow(node)
    except Unusable:
        return
    own, content = holder.get("schema"), holder.get("content")
    if own is not None:
        yield own, direction
    for _, media in content.items() if content else ():
        below = media.get("schema")
        if below is not None:
            yield below, direction


@pytest.mark.parametrize("path", SMALL, ids=named)
def test_neither_form_nor_order_makes_another_package(path: Path, tmp_path: Path) -> None:
    options = Options(domain="some-api", base_url="https://api.example.com/base")
    source = read_source(path)
    shuffled = json.dumps(_shuffled(source.root.value, random.Random(7)), ensure_ascii=False)  # noqa: S311
    (tmp_path / "api.json").write_text(shuffled, encoding="utf-8")
    other = read_source(tmp_path / "api.json")
    assert bundle(other) == bundle(source)
    assert author(other, options).files == author(source, options).files


def _shuffled(value: Any, order: random.Random) -> Any:
    if isinstance(value, dict):
        names = list(value)
        order.shuffle(names)
        return {name: _shuffled(value[name], order) for name in names}
    return [_shuffled(item, order) for item in value] if isinstance(value, list) else value
