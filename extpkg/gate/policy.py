"""What a project asks of its packages before they are published: the table `[gate]` of `extpkg.toml`.

```toml
[gate]
coverage = 100       # percent of what there is to try that passing cases must try; 0 by default
require-fmt = true   # whether files that fmt would change refuse a package; false by default
against = "library"  # what it is compared with where --against says nothing: "library" or "git:REV"
```
"""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from typing import Any

from extpkg.errors import ExtpkgError

_TABLE = "gate"


class PolicyInvalid(ExtpkgError):
    """A configuration that says something else than it may."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Policy:
    """What is asked: `coverage` in percent, `require_fmt`, and what to compare `against`, "" for nothing."""

    coverage: float = 0.0
    require_fmt: bool = False
    against: str = ""

    def document(self) -> dict[str, Any]:
        """Return the policy as a verdict states it."""
        return {"coverage": self.coverage, "requireFmt": self.require_fmt}


def read_policy(data: bytes) -> Policy:
    """Return the policy of a configuration; raises `PolicyInvalid`. Without a table it is the default."""
    try:
        table = tomllib.loads(data.decode("utf-8")).get(_TABLE, {})
    except (UnicodeDecodeError, ValueError, RecursionError):
        raise PolicyInvalid("the configuration is not TOML") from None
    if not isinstance(table, dict):
        raise PolicyInvalid("[gate] is no table")
    for key, value in table.items():
        if key not in _MEMBERS:
            raise PolicyInvalid(f"[gate] has no key {key!r}; it has {', '.join(_MEMBERS)}")
        if not _MEMBERS[key](value):
            raise PolicyInvalid(f"[gate] {key} must be {_WANTED[key]}")
    return Policy(
        coverage=float(table.get("coverage", 0)),
        require_fmt=table.get("require-fmt", False),
        against=table.get("against", ""),
    )


def is_percentage(value: Any) -> bool:
    """Say whether a value is a number from 0 to 100."""
    return isinstance(value, (int, float)) and not isinstance(value, bool) and 0 <= value <= 100


def is_against(value: Any) -> bool:
    """Say whether a value names what a package can be compared with."""
    return isinstance(value, str) and (value == "library" or (value.startswith("git:") and value != "git:"))


_MEMBERS = {
    "coverage": is_percentage,
    "require-fmt": lambda value: isinstance(value, bool),
    "against": is_against,
}
_WANTED = {
    "coverage": "a number from 0 to 100",
    "require-fmt": "true or false",
    "against": '"library" or "git:REV"',
}
