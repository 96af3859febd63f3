"""What an Agent may see of a registry: names, texts, schemas and safety, never how an action is done."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from extpkg.registry import connection_refusal

if TYPE_CHECKING:
    from collections.abc import Mapping

    from extpkg.definition.model import Catalog
    from extpkg.registry import Builtin, Registry


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One Extension in the catalog; `actions` are (name, catalog) in the order of the Definition."""

    domain: str
    version: int
    name: str
    description: str
    definition_digest: str
    actions: tuple[tuple[str, Catalog], ...]


def visible(registry: Registry, connections: Mapping[str, int]) -> tuple[Entry, ...]:
    """Return the entries whose number of active connections suits their policy, ordered by domain (R-REG-4).

    `connections` counts active connections by domain; a domain that is not in it has none. Of a domain with
    several versions the newest is shown.
    """
    return tuple(
        _entry(builtin)
        for domain, builtin in registry.newest.items()
        if connection_refusal(builtin.policy, connections.get(domain, 0)) is None
    )


def _entry(builtin: Builtin) -> Entry:
    definition = builtin.extension.definition
    return Entry(
        domain=definition.domain,
        version=definition.version,
        name=definition.name,
        description=definition.description,
        definition_digest=builtin.definition_digest,
        actions=tuple((action.name, action.catalog) for action in definition.actions),
    )
