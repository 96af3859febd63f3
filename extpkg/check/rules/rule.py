"""The shape of a rule: one data row from which everything that is said about it is made."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from extpkg.diagnostic import Severity


@dataclass(frozen=True, slots=True, kw_only=True)
class Sample:
    """A change to one file of a good package that the rule finds, and the same place as it should be.

    `good` is a text that occurs exactly once in `file` of the base package once `anchor` (by default `good`
    itself) has been replaced by it; the bad package has `bad` there instead. `line` and `column` say where
    the finding must stand in the bad file. `base` names the package under `golden/valid`.
    Where the fault is not inside a text file (a link, a stray file), `tree` says how to bring it about as
    (operation, path, argument), the operation one of `write`, `symlink`, `fifo`, `mkdir`, `remove`, `rename`,
    `chmod`; `good` and `bad` are then only shown, and the finding stands at `file` with line 0, or with
    `line` where it has one.
    """

    good: str
    bad: str
    file: str
    line: int
    column: int
    anchor: str = ""
    base: str = "github"
    tree: tuple[tuple[str, str, str], ...] = field(default=())


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """One rule: `code` is never reused, `section` cites the ruling, all texts are one paragraph each.

    `summary` completes "this rule finds …"; `why` says what goes wrong otherwise; `fix` says what to do. A
    rule that `compares` speaks of two versions of a package: its sample is what was before (`good`) and is
    after (`bad`) the change.
    """

    code: str
    name: str
    severity: Severity
    since: str
    section: str
    summary: str
    why: str
    fix: str
    sample: Sample
    compares: bool = False
