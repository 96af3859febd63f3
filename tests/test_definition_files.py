"""The files of a Package: one line changed, and encoded from a Definition."""

# ruff: noqa: E501 - a text before and after stands on one line

from __future__ import annotations

import copy
from typing import TYPE_CHECKING

import pytest
from corpus import ROOT

from extpkg.definition.build import build
from extpkg.definition.files import encode, set_digest
from extpkg.definition.projection import digest, projection
from extpkg.document.strict_yaml import parse_document
from extpkg.errors import ExtpkgError
from extpkg.package import check_package

if TYPE_CHECKING:
    from pathlib import Path
from packages import values

GOLDEN = ROOT / "golden" / "digest"
PACKAGES = [
    ROOT / "golden" / "valid" / "github",
    *(GOLDEN / case / "package" for case in ("plain", "orders", "no-body")),
]
NEW = "sha256:" + "a" * 64


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (b"schema_version: 1\ndigest: old # c\nx: 1\n", b"schema_version: 1\ndigest: NEW # c\nx: 1\n"),
        (b'\xef\xbb\xbfa: 1\r\ndigest: "old"   # c\r\nx: 1', b'\xef\xbb\xbfa: 1\r\ndigest: "NEW"   # c\r\nx: 1'),
        (b"digest   :   'old'\rx: 1\r", b"digest   :   'NEW'\rx: 1\r"),
        (b"digest:\nx: 1\n", b"digest: NEW\nx: 1\n"),
        (b"digest: # c\nx: 1\n", b"digest: NEW # c\nx: 1\n"),
        (b'"digest" : ~\n', b'"digest" : NEW\n'),
        (b"digest: >-\n  old\nx: 1\n", b"digest: NEW\nx: 1\n"),
        (b"{digest: old, x: 1}", b"{digest: NEW, x: 1}"),
        (b"schema_version: 1 # v\r\nx: 1\r\n", b"schema_version: 1 # v\r\ndigest: NEW\r\nx: 1\r\n"),
        (b"x: 1\nschema_version: 1", b"x: 1\nschema_version: 1\ndigest: NEW\n"),
        (b"x: 1\r\nschema_version: 1", b"x: 1\r\nschema_version: 1\r\ndigest: NEW\r\n"),
        (b"# c\n---\n  schema_version: 1\n\n  x: 2\n", b"# c\n---\n  schema_version: 1\n  digest: NEW\n\n  x: 2\n"),
        (b"{schema_version: 1, x: 1} # c\n", b"{schema_version: 1, digest: NEW, x: 1} # c\n"),
    ],
)  # fmt: skip
def test_only_the_digest_changes(before: bytes, after: bytes) -> None:
    assert set_digest(before, parse_document(before), NEW) == after.replace(b"NEW", NEW.encode())


@pytest.mark.parametrize("data", [b"x: 1\n", b"[]\n", b"a: {digest: 1}\n"])
def test_without_a_place_it_is_refused(data: bytes) -> None:
    with pytest.raises(ExtpkgError, match="no schema_version"):
        set_digest(data, parse_document(data), NEW)


@pytest.mark.parametrize(
    "data", [b"digest:\n- a\nx: 1\n", b"? schema_version\n: 1\nx: 1\n", b"{digest, x: 1}"]
)
def test_where_more_would_change_it_is_refused(data: bytes) -> None:
    with pytest.raises(ExtpkgError, match="without changing more than its line"):
        set_digest(data, parse_document(data), NEW)


def test_the_seeds_sample_encodes_to_the_files_that_a_person_would_write() -> None:
    """P055, P319."""
    meta, actions = values(ROOT / "golden" / "valid" / "github")
    definition = build(meta, actions)
    files = encode(definition)
    assert list(files) == ["meta.yaml", *(f"actions/{action['name']}.yaml" for action in actions)]
    assert files["meta.yaml"].decode() == META.format(digest=digest(projection(definition)))
    assert files["actions/get-issue.yaml"].decode() == GET
    shuffled = copy.deepcopy(actions)[::-1]
    for action in shuffled:
        action["binding"]["parameters"].reverse()
    assert encode(build(meta, shuffled)) == files


def test_a_builtin_encodes_without_endpoint_and_binding() -> None:
    meta, actions = values(ROOT / "packages" / "arxiv")
    files = encode(build(meta, actions))
    assert "endpoint" not in parse_document(files["meta.yaml"]).value
    for name in ("search", "get"):
        assert list(parse_document(files[f"actions/{name}.yaml"]).value) == ["name", "catalog"]


@pytest.mark.parametrize("package", PACKAGES, ids=lambda path: path.parent.name)
def test_encoded_files_are_a_package_with_that_digest(package: Path, tmp_path: Path) -> None:
    """P319."""
    definition = build(*values(package))
    for name, data in encode(definition).items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_bytes(data)
    report = check_package(tmp_path)
    assert report.errors == ()
    assert report.digest == digest(projection(definition))


META = """\
schema_version: 1
digest: {digest}

domain: github
version: 1
name: GitHub
description: GitHub REST actions curated for AgentTeam Agents.

endpoint:
  base_url: https://api.github.com

auth:
  profiles:
    - id: default
      type: oauth2_bearer

actions:
  - name: create-issue
    file: actions/create-issue.yaml
  - name: get-issue
    file: actions/get-issue.yaml
  - name: list-issues
    file: actions/list-issues.yaml
"""
GET = """\
name: get-issue
auth:
  profile: default
  required_scopes:
    - repo

catalog:
  summary: Get an issue
  description: Get one issue of a repository by its number.
  safety:
    class: read
    idempotent: true
    destructive: false

  input_schema:
    $schema: https://json-schema.org/draft/2020-12/schema
    type: object
    additionalProperties: false
    required:
      - number
      - owner
      - repo
    properties:
      number:
        type: integer
        minimum: 1
      owner:
        type: string
        minLength: 1
        pattern: ^[A-Za-z0-9-]+$
      repo:
        type: string
        minLength: 1

  output_schema:
    $schema: https://json-schema.org/draft/2020-12/schema
    type: object

  example:
    number: 42
    owner: pingcap
    repo: agentteam

binding:
  method: GET
  path: /repos/{owner}/{repo}/issues/{number}

  static_headers:
    accept: application/vnd.github+json

  parameters:
    - from: /number
      in: path
      name: number
    - from: /owner
      in: path
      name: owner
    - from: /repo
      in: path
      name: repo

  response:
    mode: passthrough
    success_statuses:
      - 200
    content_types:
      - application/json
"""
