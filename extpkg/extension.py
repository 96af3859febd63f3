"""An Extension: a Definition together with what serves it in this process, and under which connection policy.

A provider declares one, the registry (`extpkg.registry`) judges it; nothing here checks or registers.
"""

from __future__ import annotations

import enum
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from extpkg.errors import ExtensionError

if TYPE_CHECKING:
    from extpkg.definition.model import Definition
    from extpkg.egress.send import Transport
    from extpkg.errors import ErrorCode
    from extpkg.json_schema import Violation


VIOLATIONS: Final = 20
"""Reasons that a refusal of an input names at most."""


class ConnectionPolicy(enum.Enum):
    """How many active connections an invocation needs: exactly one, or exactly none (R-REG-4)."""

    REQUIRED = "required"
    NONE = "none"


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """One invocation as an executor gets it.

    `value` is accepted by the action's input schema. Whatever is sent goes over `transport`.
    """

    action: str
    value: Any
    transport: Transport


Execute = Callable[[Call], Awaitable[Any]]
"""Answers a call with its data; raises `ExtensionError`, and lets `EgressFailure` pass."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Extension:
    """What a provider declares in code: all that the registry's one pass needs to know (R-REG-1).

    `serves` names the actions that `execute` answers, `fails_with` the error codes that it raises or causes.
    `revision` changes with the executor's behaviour; it is 1 to 64 visible ASCII characters.
    `connection_policy` is a `ConnectionPolicy` value, as text because it is a declaration that has yet to be
    judged.
    """

    definition: Definition
    serves: frozenset[str]
    execute: Execute
    revision: str
    fails_with: frozenset[ErrorCode] = frozenset()
    connection_policy: str = ConnectionPolicy.REQUIRED.value


def invalid_input(violations: Sequence[Violation]) -> ExtensionError:
    """Return the refusal of an input, for the caller to raise: `validation`, with pointers and messages."""
    rows = [{"pointer": each.pointer, "message": each.message} for each in violations[:VIOLATIONS]]
    first = f"{rows[0]['pointer'] or 'the input'} {rows[0]['message']}"
    more = f" (and {len(violations) - 1} more)" if len(violations) > 1 else ""
    return ExtensionError("validation", f"{first}{more}", {"violations": rows})
