"""A connection of a Builtin: what its owner configured, and the credentials that go with it."""

from __future__ import annotations

from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from extpkg.secret import Secret

if TYPE_CHECKING:
    from collections.abc import Mapping


@dataclass(frozen=True, slots=True, kw_only=True)
class Connection:
    """One connection as an executor gets it: non-secret `config`, and `credentials` by field.

    A credential given as text becomes a `Secret`; ValueError where it is empty. Nothing here says for which
    Builtin it is, or whether its fields suit one: the Builtin's form does.
    """

    config: Mapping[str, Any] = field(default_factory=dict)
    credentials: Mapping[str, Secret | str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        sealed = {
            name: value if isinstance(value, Secret) else Secret(value)
            for name, value in self.credentials.items()
        }
        object.__setattr__(self, "config", MappingProxyType(dict(self.config)))
        object.__setattr__(self, "credentials", MappingProxyType(sealed))

    def secret(self, name: str) -> Secret | None:
        """Return the credential of that field, or None where it is not configured."""
        value = self.credentials.get(name)
        return value if isinstance(value, Secret) else None
