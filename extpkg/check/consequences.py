"""Findings of several files that one fault has caused: the cause alone is reported."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

from extpkg.check.members import children, text_at
from extpkg.diagnostic import Diagnostic, Finding, Place, Related, quoted
from extpkg.document.files import META

if TYPE_CHECKING:
    from collections.abc import Callable

    Diagnose = Callable[[list[Finding]], list[Diagnostic]]

_FOREIGN: Final = "EXT0323"
_UNKNOWN_DEFAULT: Final = "EXT0705"
_UNUSED: Final = "EXT0706"
_UNKNOWN: Final = "EXT0707"
_BAD_ID: Final = "EXT0718"


def without_consequences(
    diagnostics: list[Diagnostic], meta: Any, actions: dict[str, Any], diagnose: Diagnose
) -> list[Diagnostic]:
    """Return the diagnostics of a package, many that have one cause made one.

    `meta` and `actions`, by path, are the values of the files that could be read; `diagnose` gives a finding
    about `meta.yaml` its position.
    """
    codes = {diagnostic.code for diagnostic in diagnostics}
    if _FOREIGN in codes:
        diagnostics = _one_domain(diagnostics, meta, diagnose)
    if _UNKNOWN in codes:
        diagnostics = _one_profile(diagnostics, meta, actions, diagnose)
    return diagnostics


def _one_domain(diagnostics: list[Diagnostic], meta: Any, diagnose: Diagnose) -> list[Diagnostic]:
    """Report the domain where endpoint and bindings show an External package behind it (R-PKG-5).

    One of the two alone is a field too many in a Builtin.
    """
    foreign = [d for d in diagnostics if d.code == _FOREIGN]
    if not any(d.path == META and d.pointer == "/endpoint" for d in foreign):
        return diagnostics
    if not any(d.pointer == "/binding" for d in foreign):
        return diagnostics
    domain = quoted(text_at(meta, "domain"))
    cause = Finding(
        code="EXT1101",
        place=Place(path=META, pointer="/domain", label="the domain of a Builtin"),
        message=f"the domain {domain} belongs to a Builtin, which has neither endpoint nor bindings",
        help="choose another domain; a domain that is no Builtin's makes the package External",
        related=(Place(path=META, pointer="/endpoint", label="as an External package has it"),),
    )
    return [d for d in diagnostics if d.code != _FOREIGN] + diagnose([cause])


def _one_profile(
    diagnostics: list[Diagnostic], meta: Any, actions: dict[str, Any], diagnose: Diagnose
) -> list[Diagnostic]:
    """Report one profile that no action uses and one name that no profile has as the slip that they are."""
    unknown = [d for d in diagnostics if d.code == _UNKNOWN]
    names = {text_at(actions.get(d.path), "auth", "profile") for d in unknown}
    used = {text_at(action, "auth", "profile") for action in actions.values()}
    doubted = {d.pointer: d for d in diagnostics if d.path == META and d.code in {_UNUSED, _BAD_ID}}
    spare = [
        (doubted[f"{pointer}/id"], identifier)
        for pointer, profile in children(meta, "auth", "profiles")
        if (identifier := text_at(profile, "id")) not in used and f"{pointer}/id" in doubted
    ]
    if len(names) != 1 or len(spare) != 1:
        return diagnostics
    (name,), ((profile, identifier),) = names, spare
    is_default = text_at(meta, "auth", "default") == name
    if len(unknown) == 1 and not is_default and profile.code == _UNUSED:
        # The action's slip rather than that of meta.yaml.
        return [d for d in diagnostics if d is not profile]
    dropped = {_UNKNOWN, _UNUSED, *([_UNKNOWN_DEFAULT] if is_default else [])}
    kept = [d for d in diagnostics if d.code not in dropped]
    if profile.code == _BAD_ID:
        return kept
    uses = f"{len(unknown)} actions use" if len(unknown) > 1 else "the action uses"
    cause = Finding(
        code=_UNKNOWN,
        place=Place(path=META, pointer=profile.pointer, label="no action uses this one"),
        message=f"{uses} the profile {quoted(name)}, but the profile that is there is {quoted(identifier)}",
        help=f"write id: {name}, or name {quoted(identifier)} in the actions",
    )
    return kept + [replace(d, related=(_first(unknown),)) for d in diagnose([cause])]


def _first(diagnostics: list[Diagnostic]) -> Related:
    first = min(diagnostics, key=lambda d: d.path)
    return Related(
        path=first.path,
        pointer=first.pointer,
        position=first.position,
        message="first used here",
        excerpt=first.excerpt,
    )
