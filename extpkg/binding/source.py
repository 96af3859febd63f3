"""Reading a bound field out of an input: a location that is not there is absent, never null (R-REQ-1)."""

from __future__ import annotations

import enum
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Iterable


class Absent(enum.Enum):
    """The one value that stands for "no value here"; null is a value."""

    ABSENT = "absent"


ABSENT: Final = Absent.ABSENT


def read(value: Any, tokens: Iterable[str]) -> Any:
    """Return what stands at `tokens` of an input, or `ABSENT`.

    Sources are declared through `properties` (R-BIND-1), so a token names a member of an object and nothing
    else: never an index of an array.
    """
    for token in tokens:
        if not isinstance(value, dict) or token not in value:
            return ABSENT
        value = value[token]
    return value
