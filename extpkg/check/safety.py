"""Credential slots, what actions ask of them, and safety facts (R-META-6, R-ACT-2 to 4)."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

from extpkg import resources
from extpkg.check.members import children, lacks, member, text_at
from extpkg.check.metadata import Kind, is_name, kind_of
from extpkg.diagnostic import Finding, Part, Place, quoted
from extpkg.document.files import META

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_SCOPE: Final = re.compile(r"[^\s\x00-\x1f\x7f]+")
_TOKEN: Final = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
_KEY_LOCATIONS: Final = ("header", "query")
_CLASSES: Final = ("read", "mutation", "destructive")


def check_profiles(meta_value: Any, actions: Sequence[Any]) -> Iterator[Finding]:
    """Yield what is wrong with the credential slots of `meta.yaml`, and which of them no action names.

    `actions` are the values of the package's action files. Where there are fewer than meta.yaml lists, none,
    or one that is no mapping or names its profile unreadably, no profile is called unused.
    """
    if kind_of(meta_value) is Kind.CONNECTIONLESS:
        return
    ids: list[str] = []
    for pointer, profile in children(meta_value, "auth", "profiles"):
        identifier = text_at(profile, "id")
        if identifier is not None:
            yield from _check_id(identifier, ids, f"{pointer}/id")
            ids.append(identifier)
        yield from _check_members(profile, pointer)
    default = text_at(meta_value, "auth", "default")
    if default is not None and default not in ids:
        yield Finding(
            code="EXT0705",
            place=Place(path=META, pointer="/auth/default", label="no such profile"),
            message=f"auth.default names {quoted(default)}, which is no profile",
            help=_choices(ids),
        )
    yield from _unused(meta_value, actions)


def check_action_safety(action_value: Any, meta_value: Any, file: str) -> Iterator[Finding]:
    """Yield what is wrong with an action's `auth`, `safety` and `example` (R-ACT-2 to 4).

    What a Builtin must not have at all (R-PKG-6) is not judged any further.
    """
    kind = kind_of(meta_value)
    if kind is not Kind.CONNECTIONLESS:
        yield from _check_auth(action_value, meta_value, file)
    if kind not in {Kind.BUILTIN, Kind.CONNECTIONLESS}:
        yield from _check_method(action_value, file)
    yield from _check_facts(action_value, file)
    yield from _check_example(action_value, file)


def _check_id(identifier: str, earlier: list[str], pointer: str) -> Iterator[Finding]:
    if not is_name(identifier):
        yield Finding(
            code="EXT0718",
            place=Place(path=META, pointer=pointer),
            message=f"the profile id {quoted(identifier)} is not lower-case kebab-case",
        )
    elif identifier in earlier:
        first = f"/auth/profiles/{earlier.index(identifier)}/id"
        yield Finding(
            code="EXT0701",
            place=Place(path=META, pointer=pointer, label="used before"),
            message=f"two profiles have the id {quoted(identifier)}",
            related=(Place(path=META, pointer=first, label="first used here"),),
        )


def _check_members(profile: Any, pointer: str) -> Iterator[Finding]:
    """Yield the members that a profile's type forbids or lacks, and what is wrong with an API key's place."""
    kind = text_at(profile, "type")
    present = [name for name in ("in", "name") if isinstance(profile, dict) and name in profile]
    if kind == "oauth2_bearer" and present:
        yield Finding(
            code="EXT0702",
            place=Place(path=META, pointer=f"{pointer}/{present[0]}", part=Part.KEY),
            message=f"an oauth2_bearer profile has {_listed(present)}",
            help=f"remove {_listed(present)}: the token always goes into Authorization",
        )
    if kind != "api_key":
        return
    absent = [name for name in ("in", "name") if name not in present]
    if absent:
        yield Finding(
            code="EXT0702",
            place=Place(path=META, pointer=pointer, label=f"{_listed(absent)} is missing"),
            message=f"an api_key profile lacks {_listed(absent)}",
            help=f"add {_listed(absent)}",
        )
    yield from _check_key_place(profile, pointer)


def _check_key_place(profile: dict[str, Any], pointer: str) -> Iterator[Finding]:
    location, name = text_at(profile, "in"), text_at(profile, "name")
    if location is not None and location not in _KEY_LOCATIONS:
        yield Finding(
            code="EXT0703",
            place=Place(path=META, pointer=f"{pointer}/in"),
            message=f"an API key cannot go into {quoted(location)}",
        )
    if name is None:
        return
    fault = "" if name else "is empty"
    if location == "header" and name:
        if not _TOKEN.fullmatch(name):
            fault = "is no HTTP token"
        elif resources.is_reserved_header(name):
            fault = "is a reserved header"
    if fault:
        yield Finding(
            code="EXT0704",
            place=Place(path=META, pointer=f"{pointer}/name"),
            message=f"the API key's name {quoted(name)} {fault}",
        )


def _unused(meta_value: Any, actions: Sequence[Any]) -> Iterator[Finding]:
    whole = len(actions) >= len(list(children(meta_value, "actions")))
    if not actions or not whole or not all(isinstance(action, dict) for action in actions):
        return
    auths = [action["auth"] for action in actions if action.get("auth") is not None]
    used = [text_at(auth, "profile") for auth in auths]
    if None in used:
        return
    for pointer, profile in children(meta_value, "auth", "profiles"):
        identifier = text_at(profile, "id")
        if identifier is not None and identifier not in used and is_name(identifier):
            used.append(identifier)
            yield Finding(
                code="EXT0706",
                place=Place(path=META, pointer=f"{pointer}/id", label="not used"),
                message=f"no action uses the profile {quoted(identifier)}",
            )


def _check_auth(action: Any, meta_value: Any, file: str) -> Iterator[Finding]:
    if not isinstance(meta_value, dict):
        yield from _check_scopes(list(children(action, "auth", "required_scopes")), file)
        return
    types = {
        text_at(profile, "id"): _sound_type(profile)
        for _, profile in children(meta_value, "auth", "profiles")
    }
    name = text_at(action, "auth", "profile")
    if name is not None and name not in types:
        yield Finding(
            code="EXT0707",
            place=Place(path=file, pointer="/auth/profile", label="no such profile"),
            message=f"the action uses the profile {quoted(name)}, which meta.yaml does not have",
            help=_choices([known for known in types if known]),
        )
    scopes = list(children(action, "auth", "required_scopes"))
    if scopes and name is not None and types.get(name) == "api_key":
        yield Finding(
            code="EXT0708",
            place=Place(path=file, pointer="/auth/required_scopes", label="only with oauth2_bearer"),
            message=f"scopes are required of {quoted(name)}, which is an api_key profile",
        )
        return
    yield from _check_scopes(scopes, file)


def _sound_type(profile: Any) -> str | None:
    """Return a profile's type, None where an API key has no place: its type may be what is wrong."""
    kind = text_at(profile, "type")
    return None if kind == "api_key" and not {"in", "name"} <= profile.keys() else kind


def _check_scopes(scopes: list[tuple[str, Any]], file: str) -> Iterator[Finding]:
    first: dict[str, str] = {}
    for pointer, scope in scopes:
        if not isinstance(scope, str):
            continue
        if not _SCOPE.fullmatch(scope):
            yield Finding(
                code="EXT0709",
                place=Place(path=file, pointer=pointer),
                message=f"the scope {quoted(scope)} {'has a space in it' if scope else 'is empty'}",
            )
        elif scope in first:
            yield Finding(
                code="EXT0710",
                place=Place(path=file, pointer=pointer, label="listed before"),
                message=f"the scope {quoted(scope)} is listed twice",
                related=(Place(path=file, pointer=first[scope], label="first listed here"),),
            )
        else:
            first[scope] = pointer


def _check_facts(action: Any, file: str) -> Iterator[Finding]:
    """Yield flags that contradict the class; a `DELETE` that only lacks its class is left to its own rule."""
    safety = member(action, "catalog", "safety")
    kind, destructive = text_at(safety, "class"), member(safety, "destructive")
    if kind not in _CLASSES:
        return
    delete_alone = kind != "destructive" and text_at(action, "binding", "method") == "DELETE"
    wanted = kind == "destructive"
    if isinstance(destructive, bool) and destructive is not wanted and not (delete_alone and destructive):
        yield Finding(
            code="EXT0711",
            place=Place(path=file, pointer="/catalog/safety/destructive"),
            message=f"destructive is {quoted(destructive)} although the class is {kind}",
            help=f"write {quoted(wanted)}, or change the class",
            related=(Place(path=file, pointer="/catalog/safety/class", label=f"the class is {kind}"),),
        )
    if kind == "read" and member(safety, "idempotent") is False:
        yield Finding(
            code="EXT0712",
            place=Place(path=file, pointer="/catalog/safety/idempotent"),
            message="a read action is not idempotent",
        )


def _check_method(action: Any, file: str) -> Iterator[Finding]:
    kind, method = text_at(action, "catalog", "safety", "class"), text_at(action, "binding", "method")
    if kind not in _CLASSES:
        return
    code, message = "", ""
    if method == "DELETE" and kind != "destructive":
        code, message = "EXT0713", f"a DELETE is classed {kind}"
    elif method in {"PUT", "PATCH"} and kind == "read":
        code, message = "EXT0714", f"a {method} is classed read"
    elif method == "GET" and kind != "read" and member(action, "binding", "body") is None:
        # With a body the method is what is wrong, and the binding says so.
        code, message = "EXT0715", f"a GET is classed {kind}"
    if code:
        yield Finding(
            code=code,
            place=Place(path=file, pointer="/catalog/safety/class"),
            message=message,
            related=(Place(path=file, pointer="/binding/method", label="the method"),),
        )


def _check_example(action: Any, file: str) -> Iterator[Finding]:
    catalog = member(action, "catalog")
    kind = text_at(catalog, "safety", "class")
    if kind not in _CLASSES or not lacks(catalog, "example"):
        return
    yield Finding(
        code="EXT0717" if kind == "read" else "EXT0716",
        place=Place(path=file, pointer="/catalog", part=Part.KEY, label='"example" is missing'),
        message=f"a {kind} action has no example",
    )


def _listed(names: list[str]) -> str:
    return " and ".join(f'"{name}"' for name in names)


def _choices(ids: list[str]) -> str:
    return f"name one of {', '.join(quoted(known) for known in ids)}" if ids else ""
