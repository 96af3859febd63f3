"""What a page is about: values that somebody else has read, compared and bound."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

    from extpkg.definition.model import Definition
    from extpkg.diagnostic import Report
    from extpkg.diff.change import Change


@dataclass(frozen=True, slots=True, kw_only=True)
class Sent:
    """A request as it is shown: a placeholder stands where the credential does, in a header or the URL."""

    method: str
    url: str
    headers: tuple[tuple[str, str], ...]
    body: str | None
    audit_hash: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Example:
    """An input of an action and the request that it makes, None for a Builtin's.

    `is_made_up` says that the package gives no example, and this one was made from the schema.
    """

    value: Any
    sent: Sent | None
    is_made_up: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Located:
    """A change and where it is read: `place` is a file with line and column, of OLD for what was removed."""

    change: Change
    place: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """What an older version is called, what differs from it, and the version that is due."""

    root: str
    definition: Definition
    digest: str
    changes: tuple[Located, ...]
    bump: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Subject:
    """A package to review.

    `definition` is normalized, `digest` its digest. `root` is the name that the package was asked for by; no
    other path is shown. `report` is None for a version that was judged when it was published.
    """

    root: str
    definition: Definition
    digest: str
    report: Report | None
    examples: Mapping[str, Example] = field(default_factory=dict)
    comparison: Comparison | None = None
