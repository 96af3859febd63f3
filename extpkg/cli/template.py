"""The texts that `extpkg new` writes: valid, and commented for somebody who has never seen a package."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterable

_META: Final = """\
# The package: what it is, where it calls, which actions it has.
schema_version: 1

# What the package means, as a hash. After a change: extpkg digest --write
digest: sha256:0000000000000000000000000000000000000000000000000000000000000000

domain: {domain}
# Raise the version when an action's schema, binding, auth, safety or response changes.
version: 1
name: {name}
description: Describe in one line what an Agent can do with this package.

# The one origin of every request: HTTPS, a host name, perhaps a path.
endpoint:
  base_url: https://api.example.com

# Credentials are slots here, never values. An action says which one it needs.
# auth:
#   profiles:
#     - id: default
#       type: oauth2_bearer

# Every action, and its file: actions/<name>.yaml.
actions:
{actions}"""

_ACTION: Final = """\
name: {action}

# No auth means: no credential is sent. With a profile in meta.yaml:
# auth:
#   profile: default

# What an Agent reads. It is all that it knows about the action: be exact.
catalog:
  summary: {summary}
  description: Get one item by its id. Say here what comes back, and when to use another action.
  # read changes nothing; mutation does; destructive cannot be undone.
  safety:
    class: read
    idempotent: true
    destructive: false

  # The input is an object and closed: what is not declared here is refused.
  input_schema:
    $schema: https://json-schema.org/draft/2020-12/schema
    type: object
    additionalProperties: false
    required: [id]
    properties:
      id:
        description: The id of the item.
        type: string
        minLength: 1
        maxLength: 64
      language:
        description: The language of texts in the answer, as a two-letter code.
        type: string
        pattern: ^[a-z]{{2}}$

  output_schema:
    $schema: https://json-schema.org/draft/2020-12/schema
    type: object
    required: [id]
    properties:
      id:
        description: The id of the item.
        type: string

  # An input that works: it is checked, and extpkg bind shows the request that it becomes.
  example:
    id: item-1
    language: en

# How an input becomes one HTTP request. An Agent never sees it.
binding:
  method: GET
  # Each {{placeholder}} is bound by one path parameter, whose input is required.
  path: /items/{{id}}

  static_headers:
    Accept: application/json

  # from points into the input. Every input that is declared must go somewhere.
  parameters:
    - {{from: /id, in: path, name: id}}
    - {{from: /language, in: query, name: lang, style: form}}

  response:
    mode: passthrough
    success_statuses: [200]
    content_types: [application/json]
"""


_NOT_STRINGS: Final = frozenset({"true", "false", "null", "yes", "no", "on", "off"})


def meta_yaml(domain: str, actions: Iterable[str]) -> str:
    """Return the `meta.yaml` of a new package, with a digest that is still to be written."""
    listed = "".join(f"  - name: {_scalar(name)}\n    file: actions/{name}.yaml\n" for name in actions)
    return _META.format(domain=_scalar(domain), name=_title(domain), actions=listed)


def action_yaml(action: str) -> str:
    """Return the file of a new action: one item is read by its id."""
    return _ACTION.format(action=_scalar(action), summary=_title(action).capitalize())


def _scalar(name: str) -> str:
    """Return a name as YAML that every reader takes for a string."""
    return f'"{name}"' if name in _NOT_STRINGS else name


def _title(name: str) -> str:
    """Return words for a name, none of which YAML could read as something else."""
    words = name.replace("-", " ").title()
    return f"{words} actions" if name in _NOT_STRINGS else words
