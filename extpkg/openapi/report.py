"""What authoring says: one row for each operation in the order of the document, and what concerns it all."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from extpkg.openapi.note import Note


@dataclass(frozen=True, slots=True, kw_only=True)
class Reason:
    """Why something is left out or refused: a stable code, where in the source, one line that says it."""

    code: str
    message: str
    file: str
    pointer: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One operation: taken as `action`, left out for all of `reasons`, or not `asked` for.

    Where nothing could be authored an operation may be neither.

    `action` is the name that it has or would have, None where none could be made. `safety` is the class of an
    action that was taken, `profile` what it needs. `notes` say what was changed, dropped or assumed.
    """

    place: str
    operation_id: str | None
    pointer: str
    action: str | None
    taken: bool
    safety: str | None = None
    profile: str | None = None
    reasons: tuple[Reason, ...] = ()
    notes: tuple[Note, ...] = ()
    asked: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class AuthoringReport:
    """What became of a source.

    `faults` are why there is no Package at all; `notes` concern the whole document. `openapi` and `document`
    are the versions that it says, `sha256` is that of the bundled source.
    """

    source: str
    openapi: str
    document: str
    sha256: str
    domain: str | None
    base_url: str | None
    digest: str | None
    rows: tuple[Row, ...]
    faults: tuple[Reason, ...] = ()
    notes: tuple[Note, ...] = ()

    @property
    def taken(self) -> tuple[Row, ...]:
        """The operations that became actions."""
        return tuple(row for row in self.rows if row.taken)

    @property
    def left_out(self) -> tuple[Row, ...]:
        """The operations that were asked for and became no action."""
        return tuple(row for row in self.rows if row.reasons)

    @property
    def warnings(self) -> int:
        """How many notes there are."""
        return len(self.notes) + sum(len(row.notes) for row in self.rows)
