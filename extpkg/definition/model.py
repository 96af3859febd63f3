"""The Definition: what a Package means, without its files, formatting and provenance (seed 001 section 4).

Values are as the author wrote them until `normalize` has put them into the one form that is hashed. A word
that Python keeps for itself has another name here: `in` is `location`, `from` and `to` are `source` and
`target`, `class` is `classification`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True, kw_only=True)
class Profile:
    """A credential slot, never a credential (R-META-6); `location` and `name` are an `api_key`s."""

    id: str
    type: str
    location: str | None = None
    name: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Auth:
    """What one action needs: a profile's id and OAuth scopes (R-ACT-3)."""

    profile: str
    required_scopes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Safety:
    """`classification` is `read`, `mutation` or `destructive` (R-ACT-2)."""

    classification: str
    idempotent: bool
    destructive: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Catalog:
    """What an Agent may see of an action; schemas and example are plain JSON values, None is no example."""

    summary: str
    description: str
    safety: Safety
    input_schema: Any
    output_schema: Any
    example: Any = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Parameter:
    """One bound path, query or header parameter: `source` is a pointer into the input (R-BIND-2 to 5)."""

    source: str
    location: str
    name: str
    style: str
    explode: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Mapping:
    """One bound place of a JSON body: pointers into the input and into the body."""

    source: str
    target: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Body:
    """A JSON body and what it is built from."""

    content_type: str
    mappings: tuple[Mapping, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Response:
    """The response policy: `mode` is `passthrough` or `empty`; `max_bytes` bounds the result (R-BIND-8)."""

    mode: str
    success_statuses: tuple[int, ...]
    content_types: tuple[str, ...]
    max_bytes: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Binding:
    """How an action becomes one HTTP request; `static_headers` are (name, value) pairs."""

    method: str
    path: str
    static_headers: tuple[tuple[str, str], ...]
    parameters: tuple[Parameter, ...]
    body: Body | None
    response: Response


@dataclass(frozen=True, slots=True, kw_only=True)
class Action:
    """One action; `auth` None is explicitly no auth, `binding` None is a Builtin's (R-PKG-6)."""

    name: str
    auth: Auth | None
    catalog: Catalog
    binding: Binding | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Definition:
    """A whole Package as it runs; `base_url` None is a Builtin's (R-PKG-6)."""

    domain: str
    version: int
    name: str
    description: str
    base_url: str | None
    profiles: tuple[Profile, ...]
    actions: tuple[Action, ...]
