"""Two Definitions compared: every value that differs, what that means for callers, and what shows it.

The rows are those of `differences`. A schema is judged as a whole first and then change by change; everything
else goes by where it stands.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Final

from extpkg.definition.normalize import normalize
from extpkg.definition.projection import digest_of_normal, project
from extpkg.diff import areas
from extpkg.diff.answers import answers
from extpkg.diff.areas import area_of
from extpkg.diff.blame import judge
from extpkg.diff.change import Change, Impact, Shows, Witness
from extpkg.diff.differences import Difference, Kind, differences
from extpkg.diff.edits import Edit, is_annotation
from extpkg.diff.samples import NONE, some
from extpkg.diff.sites import Root
from extpkg.diff.trial import Trial, Version
from extpkg.errors import ExtensionError
from extpkg.pointer import Pointer

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from extpkg.definition.model import Action, Definition
    from extpkg.diff.areas import Area, Part
    from extpkg.diff.blame import Judgement

_SCHEMAS: Final = ("input_schema", "output_schema")
_DEPTH: Final = 4
"""Tokens that lead to a schema: `actions`, an index, `catalog`, and which of the two."""

_TRIED: Final = 50
"""Values of a schema of which one must be an input that can be sent."""


def compare(old: Definition, new: Definition) -> tuple[Change, ...]:
    """Return a row for each value that differs, in the order of `differences`; equal Definitions have none.

    A row is compatible only where that is proven. For each breaking row a witness is looked for, within
    bounds and in a fixed order; a row without one is `possible`.
    """
    return tuple(_Comparison(normalize(old), normalize(new)).rows())


def bump_due(old: Definition, new: Definition) -> int:
    """Return the version that `new` must say: the next one, or the old one where nothing else differs."""
    unchanged = digest_of_normal(normalize(replace(new, version=old.version))) == digest_of_normal(
        normalize(old)
    )
    return old.version if unchanged else old.version + 1


class _Comparison:
    """Two normalized Definitions, and their actions in both versions."""

    def __init__(self, old: Definition, new: Definition) -> None:
        self._old = old
        self._new = new
        self._trials: dict[str, Trial] = {}

    def rows(self) -> Iterator[Change]:
        found = differences(project(self._old), project(self._new))
        judged = dict(self._judged(found))
        for difference in found:
            tokens = Pointer(difference.pointer).tokens
            if _schema_of(tokens):
                yield judged[difference.pointer, difference.kind]
            else:
                yield self._plain(difference, tokens)

    def _plain(self, difference: Difference, tokens: tuple[str, ...]) -> Change:
        area = area_of(tokens, difference)
        witness = self._witness(difference, tokens, area) if area.impact is Impact.BREAKING else None
        return _row(difference, area.code, area.impact, witness)

    def _witness(self, difference: Difference, tokens: tuple[str, ...], area: Area) -> Witness | None:
        if area.code == areas.ACTION_REMOVED:
            return self._gone(difference.action or "")
        if difference.action is None:
            return self._anywhere(area.part) if area.part else None
        trial = self._trial(difference.action)
        if tokens[2:4] == ("binding", "response") and len(tokens) > _DEPTH:
            value = difference.old if difference.kind is Kind.REMOVED else difference.new
            return trial.answered(answers(trial.old.action, trial.new.action, tokens[_DEPTH], value))
        return trial.differing(area.part) if area.part else None

    def _anywhere(self, part: Part) -> Witness | None:
        """Return what shows a change of the whole package in any of its actions."""
        names = [action.name for action in self._old.actions if action.name in self._added]
        found = (self._trial(name).differing(part) for name in names)
        return next((witness for witness in found if witness), None)

    def _gone(self, name: str) -> Witness | None:
        """Return an input of an action that is no more."""
        action = self._removed[name]
        version = Version(self._old, action)
        tried = some((Root(action.catalog.input_schema).site,), _TRIED)
        example = [action.catalog.example] if action.catalog.example is not None else []
        for value in (*example, *tried):
            if version.accepts(value):
                refusal = ExtensionError("not_found", f"there is no action {name}").envelope()
                return Witness(
                    shows=Shows.INPUT, action=name, value=value, old=version.of_input(value), new=refusal
                )
        return None

    def _judged(self, found: Sequence[Difference]) -> Iterator[tuple[tuple[str, Kind], Change]]:
        """Yield the rows of schemas, by pointer and kind."""
        groups: dict[tuple[str, str], list[Difference]] = {}
        for difference in found:
            which = _schema_of(Pointer(difference.pointer).tokens)
            if which and difference.action is not None:
                groups.setdefault((difference.action, which), []).append(difference)
        for (action, which), rows in groups.items():
            for difference, change in zip(rows, self._schema(action, which, rows), strict=True):
                yield (difference.pointer, difference.kind), change

    def _schema(self, action: str, which: str, rows: Sequence[Difference]) -> Iterator[Change]:
        trial = self._trial(action)
        judged = _input(trial, rows) if which == "input_schema" else _output(trial, rows)
        narrowed, widened = (
            (areas.INPUT_NARROWED, areas.INPUT_WIDENED)
            if which == "input_schema"
            else (areas.OUTPUT_WIDENED, areas.OUTPUT_NARROWED)
        )
        for difference, judgement in zip(rows, judged, strict=True):
            if judgement is None:
                yield _row(difference, areas.TEXT, Impact.TEXT)
            elif not judgement.narrows:
                yield _row(difference, widened, Impact.COMPATIBLE)
            else:
                shown = trial.input if which == "input_schema" else trial.data
                witness = None if judgement.value is NONE else shown(judgement.value)
                yield _row(difference, narrowed, Impact.BREAKING, witness)

    def _trial(self, name: str) -> Trial:
        if name not in self._trials:
            old, new = self._removed[name], self._added[name]
            self._trials[name] = Trial(Version(self._old, old), Version(self._new, new))
        return self._trials[name]

    @cached_property
    def _removed(self) -> dict[str, Action]:
        return {action.name: action for action in self._old.actions}

    @cached_property
    def _added(self) -> dict[str, Action]:
        return {action.name: action for action in self._new.actions}


def _row(difference: Difference, code: str, impact: Impact, witness: Witness | None = None) -> Change:
    return Change(
        pointer=difference.pointer,
        kind=difference.kind,
        code=code,
        impact=impact,
        action=difference.action,
        old=difference.old,
        new=difference.new,
        witness=witness,
    )


def _schema_of(tokens: tuple[str, ...]) -> str:
    """Return which schema a place belongs to, an empty string for none."""
    inside = len(tokens) >= _DEPTH and tokens[0] == "actions" and tokens[2] == "catalog"
    return tokens[3] if inside and tokens[3] in _SCHEMAS else ""


def _input(trial: Trial, rows: Sequence[Difference]) -> list[Judgement | None]:
    """Judge the changes of an input schema: what was accepted must stay so. None is text."""
    old, new = (each.action.catalog.input_schema for each in (trial.old, trial.new))
    edits = [Edit(tokens=Pointer(row.place).tokens[_DEPTH:], kind=row.kind, value=row.new) for row in rows]
    wanted = [edit for edit in edits if not is_annotation(edit.tokens)]
    found = iter(judge(old, new, wanted, trial.is_input))
    return [None if is_annotation(edit.tokens) else next(found) for edit in edits]


def _output(trial: Trial, rows: Sequence[Difference]) -> list[Judgement | None]:
    """Judge the changes of an output schema backwards: what may come now must have been accepted before."""
    old, new = (each.action.catalog.output_schema for each in (trial.old, trial.new))
    back = differences(new, old)
    edits = {
        (row.pointer, row.kind): Edit(tokens=Pointer(row.place).tokens, kind=row.kind, value=row.new)
        for row in back
    }
    ordered = [edits[_reversed(row)] for row in rows]
    wanted = [edit for edit in ordered if not is_annotation(edit.tokens)]
    found = iter(judge(new, old, wanted, trial.is_data))
    return [None if is_annotation(edit.tokens) else next(found) for edit in ordered]


_BACK: Final = {Kind.ADDED: Kind.REMOVED, Kind.REMOVED: Kind.ADDED, Kind.CHANGED: Kind.CHANGED}


def _reversed(row: Difference) -> tuple[str, Kind]:
    """Return the pointer and kind of the same change backwards, seen from the schema."""
    pointer = row.place if row.kind is Kind.CHANGED else row.pointer
    return "".join(f"/{each}" for each in pointer.split("/")[1 + _DEPTH :]), _BACK[row.kind]
