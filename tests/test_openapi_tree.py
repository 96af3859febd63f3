"""One file or a tree of files: the same document; nothing outside of the entry's directory is opened."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import pytest
import yaml
from openapi_sources import at, written

from extpkg.openapi.bundle import bundle
from extpkg.openapi.note import Unusable
from extpkg.openapi.source import read_source

if TYPE_CHECKING:
    from pathlib import Path

SINGLE = """\
openapi: 3.0.3
info: {title: t, version: '1'}
paths:
  /pets:
    parameters:
      - {$ref: '#/components/parameters/trace'}
    get:
      operationId: listPets
      responses:
        '200': {$ref: '#/components/responses/pets'}
    post:
      operationId: addPet
      requestBody: {content: {application/json: {schema: {$ref: '#/components/schemas/Pet'}}}}
      responses: {'204': {description: added}}
components:
  parameters:
    trace: {name: trace, in: query, schema: {$ref: '#/components/schemas/Id'}}
  responses:
    pets:
      description: some
      content: {application/json: {schema: {type: array, items: {$ref: '#/components/schemas/Pet'}}}}
  schemas:
    Id: {type: string}
    Pet:
      type: object
      properties:
        id: {$ref: '#/components/schemas/Id'}
        mother: {$ref: '#/components/schemas/Pet'}
      example: {$ref: './not-a-reference.yaml'}
      x-note: {$ref: 'http://not.a/reference'}
"""
HEAD = "openapi: 3.0.3\ninfo: {title: t, version: '1'}\n"
PET = """\
type: object
properties:
  id: {$ref: %s}
  mother: {$ref: '#'}
example: {$ref: './not-a-reference.yaml'}
x-note: {$ref: 'http://not.a/reference'}
"""
PETS = "{description: some, content: {application/json: {schema: {type: array, items: {$ref: %s}}}}}"
POST = """\
operationId: addPet
requestBody: {content: {application/json: {schema: {$ref: %s}}}}
responses: {'204': {description: added}}
"""
GET = "{operationId: listPets, responses: {'200': {$ref: %s}}}"

TREES = {
    "components name files": {
        "openapi.yaml": HEAD + "paths: {/pets: {$ref: paths/pets.yaml}}\n"
        "components:\n"
        "  parameters: {trace: {$ref: parameters.yaml#/trace}}\n"
        "  responses: {pets: {$ref: ./responses/pets.yaml}}\n"
        "  schemas: {Id: {$ref: schemas/Id.yaml}, Pet: {$ref: schemas/Pet.yaml}}\n",
        "paths/pets.yaml": "parameters: [{$ref: '../openapi.yaml#/components/parameters/trace'}]\n"
        f"get: {GET % '../openapi.yaml#/components/responses/pets'}\n"
        "post:\n  " + POST.replace("\n", "\n  ") % "../schemas/Pet.yaml",
        "parameters.yaml": "trace: {name: trace, in: query, schema: {$ref: schemas/Id.yaml}}\n",
        "responses/pets.yaml": PETS % "../schemas/Pet.yaml",
        "schemas/Id.yaml": "type: string\n",
        "schemas/Pet.yaml": PET % "Id.yaml",
    },
    "files are named where they are used": {
        "openapi.yaml": HEAD + "paths:\n  /pets:\n"
        "    parameters: [{$ref: 'common.json#/parameters/trace'}]\n"
        f"    get: {GET % 'common.json#/responses/pets'}\n"
        "    post: {$ref: post.yaml}\n",
        "post.yaml": POST % "common.json#/schemas/Pet",
        "common.json": '{"parameters": {"trace": {"name": "trace", "in": "query",'
        ' "schema": {"$ref": "#/schemas/Id"}}},'
        ' "responses": {"pets": {"description": "some", "content": {"application/json":'
        ' {"schema": {"type": "array", "items": {"$ref": "#/schemas/Pet"}}}}}},'
        ' "schemas": {"Id": {"type": "string"}, "Pet": {"type": "object", "properties":'
        ' {"id": {"$ref": "#/schemas/Id"}, "mother": {"$ref": "#/schemas/Pet"}},'
        ' "example": {"$ref": "./not-a-reference.yaml"}, "x-note": {"$ref": "http://not.a/reference"}}}}',
    },
    "maps are files": {
        "openapi.yaml": HEAD + "paths: {$ref: paths.yaml}\ncomponents: {$ref: components.yaml}\n",
        "paths.yaml": "/pets:\n"
        "  parameters: [{$ref: 'openapi.yaml#/components/parameters/trace'}]\n"
        f"  get: {GET % 'components.yaml#/responses/pets'}\n"
        "  post:\n    " + POST.replace("\n", "\n    ") % "schemas.yaml#/Pet",
        "components.yaml": "parameters:\n"
        "  trace: {name: trace, in: query, schema: {$ref: schemas.yaml#/Id}}\n"
        f"responses:\n  pets: {PETS % 'schemas.yaml#/Pet'}\n"
        "schemas: {$ref: schemas.yaml}\n",
        "schemas.yaml": "Id: {type: string}\nPet:\n  "
        + (PET % "'#/Id'").replace("'#'", "'#/Pet'").replace("\n", "\n  "),
    },
}


def loaded(folder: Path, files: dict[str, Any]) -> Any:
    return read_source(written(folder, files))


@pytest.mark.parametrize("name", TREES)
def test_a_tree_is_the_file_that_it_could_be(name: str, tmp_path: Path) -> None:
    single = loaded(tmp_path / "single", {"openapi.yaml": SINGLE})
    tree = loaded(tmp_path / "tree", TREES[name])
    assert tree.root.value == single.root.value
    assert bundle(tree) == bundle(single)
    assert single.notes == ()


def test_references_where_none_should_stand_are_followed_with_a_note(tmp_path: Path) -> None:
    tree = loaded(tmp_path, TREES["maps are files"])
    assert [(note.pointer, note.code) for note in tree.notes] == [
        ("/components", "ref-not-allowed"),
        ("/components/schemas", "ref-not-allowed"),
        ("/paths", "ref-not-allowed"),
    ]
    named = loaded(tmp_path / "b", TREES["files are named where they are used"])
    assert [(note.pointer, note.code) for note in named.notes] == [("/paths/~1pets/post", "ref-not-allowed")]


def test_local_operations_and_paths_that_are_references_are_followed_too(tmp_path: Path) -> None:
    text = (
        HEAD
        + "paths: {/a: {get: {$ref: '#/x-get'}}, /b: {get: {$ref: '#/paths/~1b/get'}}}\n"
        + "x-get: {operationId: a}\n"
    )
    source = loaded(tmp_path, {"openapi.yaml": text})
    assert at(source, "paths", "/a", "get").value == {"operationId": "a"}
    with pytest.raises(Unusable) as unusable:
        source.follow(at(source, "paths", "/b", "get"))
    assert unusable.value.code in {"ref-cycle", "unresolvable-ref"}


def test_swagger_trees_have_their_own_places(tmp_path: Path) -> None:
    head = "swagger: '2.0'\ninfo: {title: t, version: '1'}\n"
    single = head + (
        "paths: {/a: {get: {parameters: [{$ref: '#/parameters/p'}],\n"
        "  responses: {'200': {$ref: '#/responses/r'}}}}}\n"
        "parameters: {p: {name: p, in: query, type: string}}\n"
        "responses: {r: {description: r, schema: {$ref: '#/definitions/Error'}}}\n"
        "definitions: {Error: {type: string}}\n"
    )
    tree = {
        "openapi.yaml": head
        + "paths: {/a: {get: {parameters: [{$ref: 'p.json#/p'}], responses: {'200': {$ref: r.yaml}}}}}\n",
        "p.json": '{"p": {"name": "p", "in": "query", "type": "string"}}',
        "r.yaml": "description: r\nschema: {$ref: Error.json}\n",
        "Error.json": '{"type": "string"}',
    }
    assert (
        loaded(tmp_path / "a", tree).root.value == loaded(tmp_path / "b", {"openapi.yaml": single}).root.value
    )


def test_equal_words_for_different_places_are_told_apart(tmp_path: Path) -> None:
    files = {
        "openapi.yaml": HEAD + "paths: {}\ncomponents:\n  schemas:\n    Pet: {type: string}\n"
        "    A: {type: array, items: {$ref: a/Pet.yaml}}\n    B: {type: array, items: {$ref: b/Pet.yaml}}\n",
        "a/Pet.yaml": "type: integer\n",
        "b/Pet.yaml": "type: number\n",
    }
    source = loaded(tmp_path, files)
    schemas = at(source, "components", "schemas").value
    kinds = {}
    for name in ("A", "B"):
        target = source.follow(at(source, "components", "schemas", name, "items"))
        assert target.pointer.startswith("/components/schemas/Pet-")
        kinds[name] = target.value["type"]
    assert kinds == {"A": "integer", "B": "number"}
    assert schemas["Pet"] == {"type": "string"}


def test_what_stands_beside_a_reference_stays(tmp_path: Path) -> None:
    files = {
        "openapi.yaml": HEAD.replace("3.0.3", "3.1.0")
        + "paths: {}\ncomponents:\n"
        + "  schemas: {A: {$ref: b.yaml, description: mine, properties: {x: {$ref: b.yaml}}}}\n",
        "b.yaml": "{type: object, properties: {y: {$ref: '#/z'}}, z: {type: string}}",
    }
    schemas = at(loaded(tmp_path, files), "components", "schemas").value
    assert schemas == {
        "A": {
            "$ref": "#/components/schemas/b",
            "description": "mine",
            "properties": {"x": {"$ref": "#/components/schemas/b"}},
        },
        "b": {
            "type": "object",
            "properties": {"y": {"$ref": "#/components/schemas/z"}},
            "z": {"type": "string"},
        },
        "z": {"type": "string"},
    }


BROKEN = {
    "missing.yaml#/X": "unresolvable-ref",
    "bad.yaml": "unreadable-ref",
    "good.yaml#/none": "unresolvable-ref",
    "http://127.0.0.1:1/x.yaml": "remote-ref",
    "/etc/passwd": "absolute-ref",
    "../outside.yaml": "escaping-ref",
    "out.yaml": "escaping-ref",
    "way/outside.yaml": "escaping-ref",
    "loop.yaml": "escaping-ref",
    "fifo.yaml": "unreadable-ref",
    "sub": "unreadable-ref",
}


@pytest.mark.parametrize("reference", BROKEN)
def test_files_that_cannot_be_had_fail_whoever_follows_them(reference: str, tmp_path: Path) -> None:
    (tmp_path / "outside.yaml").write_text("type: string\n")
    folder = tmp_path / "in"
    text = HEAD + (
        "paths: {}\ncomponents: {schemas: {B: {type: string},\n"
        f"  A: {{type: object, properties: {{x: {{$ref: '{reference}'}}}}}}}}}}\n"
    )
    path = written(
        folder, {"openapi.yaml": text, "bad.yaml": "a: [", "good.yaml": "type: string\n", "sub/x": ""}
    )
    (folder / "out.yaml").symlink_to("../outside.yaml")
    (folder / "way").symlink_to("..")
    (folder / "loop.yaml").symlink_to("loop.yaml")
    os.mkfifo(folder / "fifo.yaml")
    source = read_source(path)
    assert at(source, "components", "schemas", "B").value == {"type": "string"}
    with pytest.raises(Unusable) as unusable:
        source.follow(at(source, "components", "schemas", "A", "properties", "x"))
    assert unusable.value.code == BROKEN[reference]


def test_a_link_that_stays_inside_is_followed(tmp_path: Path) -> None:
    files = {
        "openapi.yaml": HEAD + "paths: {}\ncomponents: {schemas: {A: {$ref: link.yaml}}}\n",
        "real/A.yaml": "type: string\n",
    }
    path = written(tmp_path, files)
    (tmp_path / "link.yaml").symlink_to("real/A.yaml")
    assert at(read_source(path), "components", "schemas", "A").value == {"type": "string"}


def test_files_that_refer_to_each_other_end(tmp_path: Path) -> None:
    files = {
        "openapi.yaml": HEAD + "paths: {/a: {$ref: a.yaml}}\ncomponents: {schemas: {S: {$ref: s.yaml}}}\n",
        "a.yaml": "$ref: b.yaml\n",
        "b.yaml": "$ref: a.yaml\n",
        "s.yaml": "$ref: t.yaml\n",
        "t.yaml": "$ref: s.yaml\n",
    }
    source = loaded(tmp_path, files)
    for node in (at(source, "paths", "/a"), at(source, "components", "schemas", "S")):
        with pytest.raises(Unusable) as unusable:
            source.follow(node)
        assert unusable.value.code == "ref-cycle"


def test_the_bundle_is_the_document_in_one_order(tmp_path: Path) -> None:
    source = loaded(tmp_path, {"openapi.yaml": SINGLE})
    data = bundle(source)
    assert yaml.safe_load(data) == source.root.value
    shuffled = yaml.safe_dump(yaml.safe_load(SINGLE), sort_keys=True)
    assert bundle(loaded(tmp_path / "b", {"openapi.yaml": shuffled})) == data
    again = loaded(tmp_path / "c", {"openapi.yaml": data})
    assert bundle(again) == data
