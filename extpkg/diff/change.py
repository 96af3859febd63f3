"""What a comparison says: one row for each value that differs, what it means, and what shows it."""

from __future__ import annotations

import enum
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from extpkg.diff.differences import Kind


class Impact(enum.Enum):
    """What a change means for a caller: it may break one, it cannot, or it is about text alone."""

    BREAKING = "breaking"
    COMPATIBLE = "compatible"
    TEXT = "text"


class Shows(enum.Enum):
    """What a witness is: an input that is refused now or makes another request, data, or an answer."""

    INPUT = "input"
    REQUEST = "request"
    DATA = "data"
    ANSWER = "answer"


@dataclass(frozen=True, slots=True, kw_only=True)
class Witness:
    """A value that shows a breaking change of an action, checked by running both versions on it.

    `shows` says what `value` is: an input that OLD accepts and NEW refuses (`INPUT`), an input whose two
    requests differ (`REQUEST`), data that NEW's `output_schema` accepts and OLD's refuses (`DATA`), or an
    answer that OLD makes a result of and NEW refuses or makes another one of (`ANSWER`). `old` and `new` are
    what each version makes of it, as JSON values: `{"request": ...}`, `{"data": ...}`, `{"accepted": ...}`
    or `{"error": {"code", "message"}}`.
    """

    shows: Shows
    action: str
    value: Any
    old: Any
    new: Any


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """One value that differs between two Definitions.

    `pointer` leads to it in the projection of the new one (of the old one if it was removed). `code` is that
    of its rule, `action` the name of the action that it belongs to, or None. `old` and `new` are None on the
    side that has no such value. A breaking change has a witness, or is only `possible`: none was found.
    """

    pointer: str
    kind: Kind
    code: str
    impact: Impact
    action: str | None
    old: Any
    new: Any
    witness: Witness | None = None

    @property
    def possible(self) -> bool:
        """Whether it is called breaking although nothing was found that shows it."""
        return self.impact is Impact.BREAKING and self.witness is None
