"""Which of the changes of a schema make it refuse what it accepted before, and a value that shows it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from extpkg.diff.edits import edited, together
from extpkg.diff.guesses import apart
from extpkg.diff.inclusion import includes
from extpkg.diff.samples import NONE
from extpkg.diff.sites import Root

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from extpkg.diff.edits import Edit

_GROUPS: Final = 40
"""Changes of one schema that are judged one by one; the rest is judged together."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Judgement:
    """What one change of a schema does.

    `narrows` is False where it provably refuses nothing that was accepted. `value` was accepted by the whole
    old schema and is refused by the whole new one, because of this change; `NONE` where none was found.
    """

    narrows: bool
    value: Any = NONE


@dataclass(slots=True, kw_only=True)
class _Suspect:
    """Changes that are judged together, and the old schema with them alone."""

    edits: list[Edit]
    alone: Any
    value: Any = NONE


def judge(
    old: Any, new: Any, edits: Sequence[Edit], admitted: Callable[[Any], bool] = lambda _: True
) -> list[Judgement]:
    """Judge the changes that lead from a schema to another one, in their order.

    A change is cleared where it provably narrows nothing by itself, and where what is refused in the end is
    refused by the changes alone that are not cleared. `admitted` says which values may be shown at all.
    """
    if not edits or includes([old], new):
        return [Judgement(narrows=False)] * len(edits)
    groups = together(edits)
    if len(groups) > _GROUPS:
        groups = [*groups[:_GROUPS], [edit for group in groups[_GROUPS:] for edit in group]]
    every = [_Suspect(edits=group, alone=edited(old, group)) for group in groups]
    suspects = [each for each in every if not includes([old], each.alone)]
    blamed = [edit for each in suspects for edit in each.edits]
    if len(suspects) < len(every) and not includes([old, edited(old, blamed)], new):
        suspects = every
    _convict(old, new, suspects, admitted)
    found = {id(edit): each for each in suspects for edit in each.edits}
    return [
        Judgement(narrows=id(edit) in found, value=found[id(edit)].value if id(edit) in found else NONE)
        for edit in edits
    ]


def _convict(old: Any, new: Any, suspects: Sequence[_Suspect], admitted: Callable[[Any], bool]) -> None:
    """Find the value that shows what each suspect does; where none does it alone, what all do together."""
    base, target = Root(old).site, Root(new).site
    for each in suspects:
        each.value = apart(base, (Root(each.alone).site, target), admitted)
    if all(each.value is NONE for each in suspects):
        shared = apart(base, (target,), admitted)
        for each in suspects:
            each.value = shared
