"""An Extension: a Definition together with what serves it in this process, and under which connection policy.

A provider declares one, the registry (`extpkg.registry`) judges it; nothing here checks or registers.
"""

from __future__ import annotations

import enum
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from extpkg.connection import Connection
    from extpkg.definition.model import Definition
    from extpkg.egress.send import Transport
    from extpkg.errors import ErrorCode
    from extpkg.json_schema import Violation


class ConnectionPolicy(enum.Enum):
    """How many active connections an invocation needs: exactly one, or exactly none (R-REG-4)."""

    REQUIRED = "required"
    NONE = "none"


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """One invocation as an executor gets it.

    `value` is accepted by the action's input schema. Whatever is sent goes over `transport`. `connection` is
    the one active connection of a Builtin whose policy requires one, None for every other.
    """

    action: str
    value: Any = field(repr=False)
    transport: Transport
    connection: Connection | None = None


Execute = Callable[[Call], Awaitable[Any]]
"""Answers a call with its data; raises `ExtensionError`, and lets `EgressFailure` pass."""


Judge = Callable[[Any], "tuple[Violation, ...]"]
"""Returns what is wrong with a configuration, by pointer into it; its messages do not quote the value."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CredentialField:
    """One write-only field of a connection; `label` says to people what belongs there."""

    name: str
    label: str
    required: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class ConnectionForm:
    """What a connection of a Builtin holds; nothing here checks or stores one.

    `config_schema` is a closed 2020-12 schema of an object, the non-secret configuration. `hints` maps a
    `details.reason` of an error to a fixed sentence that tells the owner what to change. `judge` says what is
    wrong with a configuration that the schema accepts, None where the schema says everything.
    """

    config_schema: Any = field(repr=False)
    credentials: tuple[CredentialField, ...] = ()
    hints: Mapping[str, str] = field(default_factory=dict)
    judge: Judge | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "hints", MappingProxyType(dict(self.hints)))


@dataclass(frozen=True, slots=True, kw_only=True)
class Probe:
    """The one call that shows whether a connection works: a read, whose result nobody looks at."""

    action: str
    value: Any


@dataclass(frozen=True, slots=True, kw_only=True)
class Extension:
    """What a provider declares in code: all that the registry's one pass needs to know (R-REG-1).

    `serves` names the actions that `execute` answers, `fails_with` the error codes that it raises or causes.
    `revision` changes with the executor's behaviour; it is 1 to 64 visible ASCII characters.
    `connection_policy` is a `ConnectionPolicy` value, as text because it is a declaration that has yet to be
    judged. `form` is what its connection holds and `probe` how one is tried, None where it has none.
    """

    definition: Definition
    serves: frozenset[str]
    execute: Execute
    revision: str
    fails_with: frozenset[ErrorCode] = frozenset()
    connection_policy: str = ConnectionPolicy.REQUIRED.value
    form: ConnectionForm | None = None
    probe: Probe | None = None
