"""Re-authoring a Package that somebody has edited: their edits stay where the source did not change.

Three Packages meet: what authoring made of the source that the directory keeps (base), the directory (ours),
and what authoring makes of the source now (theirs). What the author changed and the source did not is kept,
what the source changed and the author did not is taken, and where both did the author's stands and is named.
`version` is the author's alone.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from extpkg.canonical import canonical_json
from extpkg.definition.build import build
from extpkg.definition.format import laid_out, refuse_change
from extpkg.definition.fresh import fresh_text
from extpkg.definition.layout import read_layout
from extpkg.definition.normalize import normalize
from extpkg.definition.order import Kind, arranged
from extpkg.definition.projection import digest_of_normal, project
from extpkg.document.strict_yaml import parse_document
from extpkg.errors import ExtpkgError
from extpkg.openapi.update_merge import ABSENT, Conflict, Merge

if TYPE_CHECKING:
    from collections.abc import Mapping

META: Final = "meta.yaml"
_ACTIONS: Final = "actions/"
_OWN: Final = ("version", "digest", "actions", "source")
"""Members of `meta.yaml` that are not merged: the author's version, what is computed, the source's own."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Merged:
    """What an update comes to: the files to write, what both sides changed, and what became of the actions.

    `changed` says whether the projection without `version` is another than the directory's: the version is
    then due to be raised. `added`, `removed` and `kept_out` are names of actions: new in the source, gone
    from it, and in the source but removed by the author.
    """

    files: dict[str, bytes]
    conflicts: tuple[Conflict, ...]
    changed: bool
    added: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()
    kept_out: tuple[str, ...] = ()


@dataclass(slots=True)
class _Package:
    """The values of one side: `meta.yaml`, and actions by what they are, whatever they are called."""

    meta: dict[str, Any]
    actions: dict[str, Any] = field(default_factory=dict)
    files: dict[str, str] = field(default_factory=dict)


def merge(base: Mapping[str, bytes] | None, ours: Mapping[str, bytes], theirs: Mapping[str, bytes]) -> Merged:
    """Return what three Packages come to, each as its files by path (`meta.yaml`, `actions/…`, `source/…`).

    Without a base (a directory that keeps no source) nothing says who changed what: the author's stands
    wherever the two differ, and each such place is a conflict. Raises `DocumentInvalid` for a file that
    cannot be read; the files must be those of Packages that validate.
    """
    sides = [_package(side) for side in (base or {}, ours, theirs)]
    before, here, there = sides
    _identify(before, here, there)
    conflicts: list[Conflict] = []
    actions, fates = _actions(before, here, there, conflicts)
    meta = _meta(before, here, there, conflicts)
    meta["actions"] = _listed(here.meta, sorted(actions))
    values = [action for action, _ in actions.values()]
    meta["digest"] = digest_of_normal(normalize(build(meta, values)))
    files = {META: _written(meta, ours[META], Kind.META)}
    for name, (action, old) in actions.items():
        path = f"{_ACTIONS}{name}.yaml"
        files[path] = _written(action, ours.get(old) if old else None, Kind.ACTION)
    files |= {path: data for path, data in theirs.items() if path.startswith("source/")}
    return Merged(
        files=files,
        conflicts=tuple(conflicts),
        changed=_projected(meta, values) != _projected(here.meta, list(here.actions.values())),
        **fates,
    )


def _package(files: Mapping[str, bytes]) -> _Package:
    package = _Package(parse_document(files[META], META).value if META in files else {})
    for path in sorted(files):
        if path.startswith(_ACTIONS):
            action = parse_document(files[path], path).value
            package.actions[path] = action
    return package


def _identify(before: _Package, here: _Package, there: _Package) -> None:
    """Key each side's actions by what they are, so that a new name makes no new action.

    An operation is known by its id, else by method and path, else by its name; the directory and the new
    source meet by way of the base, and directly where it does not know the operation.
    """
    old = {path: (path, _marks(action)) for path, action in before.actions.items()}
    for side in (before, here, there):
        actions, side.actions = side.actions, {}
        taken: set[str] = set()
        for path, action in actions.items():
            key = path if side is before else _match(_marks(action), old, taken)
            if not key and side is there:
                key = _match(_marks(action), {k: (k, _marks(a)) for k, a in here.actions.items()}, taken)
            key = key or (path if path not in old and path not in side.actions else f"{path} (new)")
            taken.add(key)
            side.actions[key] = action
            side.files[key] = path


def _marks(action: dict[str, Any]) -> tuple[str, ...]:
    binding = action.get("binding") or {}
    where = f"{binding.get('method')} {binding.get('path')}" if binding else ""
    return (str(action.get("source_operation_id") or ""), where, str(action.get("name")))


def _match(marks: tuple[str, ...], known: dict[str, tuple[str, tuple[str, ...]]], taken: set[str]) -> str:
    for index, mark in enumerate(marks):
        for key, (_, others) in known.items():
            if mark and key not in taken and others[index] == mark:
                return key
    return ""


def _actions(
    before: _Package, here: _Package, there: _Package, conflicts: list[Conflict]
) -> tuple[dict[str, tuple[Any, str]], dict[str, tuple[str, ...]]]:
    """Return the actions that stay, by name, with the file that they stood in; and what became of others."""
    found: dict[str, tuple[Any, str]] = {}
    fates: dict[str, list[str]] = {"added": [], "removed": [], "kept_out": []}
    for key in sorted({*here.actions, *there.actions}):
        base, ours, theirs = (side.actions.get(key, ABSENT) for side in (before, here, there))
        file = here.files.get(key) or there.files[key]
        work = Merge(file)
        action = work.merged(base, ours, theirs)
        conflicts += work.conflicts
        if action is not ABSENT:
            _take(found, (action, here.files.get(key, "")), conflicts)
        name = (theirs if theirs is not ABSENT else ours)["name"]
        if action is ABSENT:
            fates["removed" if theirs is ABSENT else "kept_out"].append(name)
        elif ours is ABSENT:
            fates["added"].append(name)
    return found, {fate: tuple(sorted(names)) for fate, names in fates.items()}


def _take(found: dict[str, tuple[Any, str]], taken: tuple[Any, str], conflicts: list[Conflict]) -> None:
    """Keep an action; of two that have come to one name the author's stays."""
    action, file = taken
    other = found.get(action["name"])
    if other is not None:
        ours, theirs = (other, taken) if other[1] or not file else (taken, other)
        path = f"{_ACTIONS}{action['name']}.yaml"
        conflicts.append(Conflict(file=path, pointer="", base=ABSENT, ours=ours[0], theirs=theirs[0]))
        taken = ours
    found[action["name"]] = taken


def _meta(before: _Package, here: _Package, there: _Package, conflicts: list[Conflict]) -> dict[str, Any]:
    base, ours, theirs = (
        {key: value for key, value in side.meta.items() if key not in _OWN} for side in (before, here, there)
    )
    work = Merge(META)
    meta: dict[str, Any] = work.merged(base, ours, theirs)
    conflicts += work.conflicts
    return {
        **meta,
        "version": here.meta["version"],
        **({"source": there.meta["source"]} if "source" in there.meta else {}),
    }


def _listed(meta: dict[str, Any], names: list[str]) -> list[dict[str, str]]:
    """Return the list of actions, those that were listed in their old order and the others behind."""
    order = [row["name"] for row in meta.get("actions", ()) if row["name"] in names]
    rest = [name for name in names if name not in order]
    return [{"name": name, "file": f"{_ACTIONS}{name}.yaml"} for name in [*order, *rest]]


def _projected(meta: dict[str, Any], actions: list[Any]) -> bytes:
    listed = {row["name"] for row in meta["actions"]}
    value = project(normalize(build(meta, [action for action in actions if action["name"] in listed])))
    return canonical_json({key: member for key, member in value.items() if key != "version"})


def _written(value: dict[str, Any], old: bytes | None, kind: Kind) -> bytes:
    """Return the bytes of a file: the old ones where they say the same, else with the old one's comments."""
    if old is None:
        return fresh_text(arranged(value, kind), kind).encode()
    document = parse_document(old)
    if canonical_json(document.value) == canonical_json(value):
        return old
    text = old.decode().removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")
    layout = read_layout(text, parse_document(text.encode()))
    written = laid_out(arranged(value, kind), layout, kind)
    try:
        refuse_change(written, value, layout.comments())
    except ExtpkgError:
        return fresh_text(arranged(value, kind), kind).encode()
    return written.encode()
