"""An Extension: a Definition together with what serves it in this process, and under which connection policy.

A provider declares one, the registry (`extpkg.registry`) judges it; nothing here checks or registers.
"""

from __future__ import annotations

import enum
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from extpkg.definition.model import Definition


class ConnectionPolicy(enum.Enum):
    """How many active connections an invocation needs: exactly one, or exactly none (R-REG-4)."""

    REQUIRED = "required"
    NONE = "none"


@dataclass(frozen=True, slots=True, kw_only=True)
class Extension:
    """What a provider declares in code: all that the registry's one pass needs to know (R-REG-1).

    `serves` names the actions that the executor answers. `revision` changes with the executor's behaviour; it
    is 1 to 64 visible ASCII characters. `connection_policy` is a `ConnectionPolicy` value, as text because it
    is a declaration that has yet to be judged.
    """

    definition: Definition
    serves: frozenset[str]
    revision: str
    connection_policy: str = ConnectionPolicy.REQUIRED.value
