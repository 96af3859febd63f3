"""Writes a synthetic External package: `python benchmarks/generate.py DIRECTORY ACTIONS`.

The same arguments give the same bytes. One action is about 9 KB of YAML: 26 input members, an output schema
with `$defs`, a binding of every member, an example. The digest is left as zeros: `extpkg digest --write` it.
"""

from __future__ import annotations

import sys
from pathlib import Path

DIALECT = "https://json-schema.org/draft/2020-12/schema"
FIELDS = 24
WORDS = ["ledger", "window", "carrier", "archive", "parcel", "signal", "vessel", "garden", "mirror", "beacon"]


def write_package(folder: Path, count: int) -> None:
    """Write a package of `count` actions into `folder`, which is made where it is missing."""
    (folder / "actions").mkdir(parents=True, exist_ok=True)
    names = [f"act-{number:04}" for number in range(count)]
    (folder / "meta.yaml").write_text(_meta(names), encoding="utf-8", newline="\n")
    for number, name in enumerate(names):
        (folder / "actions" / f"{name}.yaml").write_text(
            _action(name, number), encoding="utf-8", newline="\n"
        )


def _meta(names: list[str]) -> str:
    listed = "".join(f"  - name: {name}\n    file: actions/{name}.yaml\n" for name in names)
    return f"""schema_version: 1
digest: sha256:{"0" * 64}

domain: bench
version: 1
name: Bench
description: Synthetic actions of a realistic size.

endpoint:
  base_url: https://api.example.com/v1

auth:
  default: default
  profiles:
    - id: default
      type: oauth2_bearer

actions:
{listed}"""


def _action(name: str, number: int) -> str:
    fields = [f"{WORDS[(number + index) % len(WORDS)]}_{index}" for index in range(FIELDS)]
    writes = number % 2 == 1
    return f"""name: {name}
source_operation_id: bench/{name}
auth:
  profile: default
  required_scopes:
    - bench:{"write" if writes else "read"}

catalog:
  summary: Work on entry {number} of the register
  description: |
    Work on one entry of the register and return it as it is afterwards.
    Members that are left out keep the value that they have; nothing is filled in.
  safety:
    class: {"mutation" if writes else "read"}
    idempotent: {"false" if writes else "true"}
    destructive: false

  input_schema:
    $schema: {DIALECT}
    type: object
    additionalProperties: false
    required:
      - owner
      - entry
    properties:
      owner:
        type: string
        minLength: 1
        maxLength: 100
      entry:
        type: integer
        minimum: 1
{"".join(_field(field, index) for index, field in enumerate(fields))}
  output_schema:
    $schema: {DIALECT}
    type: object
    required:
      - entry
      - parts
    properties:
      entry:
        type: integer
      parts:
        type: array
        items:
          $ref: "#/$defs/part"
    $defs:
      part:
        type: object
        required:
          - name
        properties:
          name:
            type: string
{"".join(_output(field) for field in fields[:8])}
  example:
    owner: ada
    entry: {number + 1}
    {fields[0]}: first value
    {fields[1]}: 7

binding:
  method: {"POST" if writes else "GET"}
  path: /owners/{{owner}}/entries/{{entry}}
  static_headers:
    Accept: application/json
  parameters:
    - from: /owner
      in: path
      name: owner
    - from: /entry
      in: path
      name: entry
{_body(fields) if writes else "".join(_query(field) for field in fields)}
  response:
    mode: passthrough
    success_statuses:
      - 200
    content_types:
      - application/json
"""


def _field(field: str, index: int) -> str:
    if index % 2:
        return f"""      {field}:
        description: How many of {field} are wanted, counted from one upwards.
        type: integer
        minimum: 1
        maximum: 1000
        default: 10
"""
    return f"""      {field}:
        description: What {field} is called in the register, as people write it.
        type: string
        minLength: 1
        maxLength: 200
        pattern: ^[A-Za-z0-9 _-]+$
"""


def _output(field: str) -> str:
    return f"""          {field}:
            description: The value of {field} afterwards.
            type:
              - string
              - integer
"""


def _query(field: str) -> str:
    return f"""    - from: /{field}
      in: query
      name: {field}
      style: form
"""


def _body(fields: list[str]) -> str:
    mappings = "".join(f"      - from: /{field}\n        to: /entry/{field}\n" for field in fields)
    return f"""  body:
    content_type: application/json
    mappings:
{mappings}"""


if __name__ == "__main__":
    write_package(Path(sys.argv[1]), int(sys.argv[2]))
