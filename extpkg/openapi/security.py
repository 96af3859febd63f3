"""Which credential an action needs: the document's schemes as profiles, its requirements as one of them each.

Global requirements are resolved into every action (P078); of alternatives one is chosen by one rule for the
whole document, so that a person connects as few credentials as possible.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from extpkg.definition.model import Auth, Profile
from extpkg.diagnostic import quoted
from extpkg.openapi.naming import profile_id
from extpkg.openapi.note import Note, Unusable
from extpkg.resources import is_reserved_header

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from extpkg.openapi.inventory import Operation
    from extpkg.openapi.node import Node
    from extpkg.openapi.source import Source

BEARER: Final = "oauth2_bearer"
API_KEY: Final = "api_key"

_SCOPE: Final = re.compile(r"[^\s\x00-\x1f\x7f]+")
_TOKEN: Final = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
_BEARERS: Final = frozenset({"oauth2", "openidconnect"})
_REFUSED: Final = {
    "basic": ("security-basic", "it needs HTTP basic authentication, which actions cannot use"),
    "digest": ("security-digest", "it needs HTTP digest authentication, which actions cannot use"),
    "mutualtls": ("security-mtls", "it needs a client certificate, which actions cannot use"),
    "cookie": ("security-cookie", "its key goes into a cookie, which actions cannot send"),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Wishes:
    """What a person asks for: a preferred scheme, types to read schemes as, one to require everywhere."""

    prefer: str | None = None
    read_as: Mapping[str, str]
    require: str | None = None


class Scheme(NamedTuple):
    """A security scheme: the profile that it makes, or the reason code and text why it makes none."""

    name: str
    node: Node
    profile: Profile | None
    scoped: bool = False
    code: str = ""
    message: str = ""


class Resolved(NamedTuple):
    """What an operation needs: nothing, or a profile with scopes."""

    auth: Auth | None
    profile: Profile | None
    notes: tuple[Note, ...]


Alternative = tuple[tuple[str, tuple[Any, ...]], ...]


class Security:
    """The schemes of one document and the choice among alternatives that goes for all of it.

    Raises `Unusable` (`auth-option`) for a wish that names a scheme which the document has not.
    """

    def __init__(self, source: Source, operations: Sequence[Operation], wishes: Wishes) -> None:
        self._source = source
        self._wishes = wishes
        self._schemes = {scheme.name: scheme for scheme in _schemes(source, wishes)}
        _check_wishes(wishes, self._schemes, source.root)
        self._usual = _requirement(source.root)
        covered: Counter[str] = Counter()
        for operation in operations:
            for alternative in self._alternatives(operation) or ():
                if len(alternative) == 1:
                    covered[alternative[0][0]] += 1
        self._covered = covered

    @property
    def schemes(self) -> tuple[Scheme, ...]:
        """The schemes in the order of the document."""
        return tuple(self._schemes.values())

    def needs(self, operation: Operation) -> bool:
        """Say whether an operation requires anything at all."""
        return any(self._alternatives(operation) or ())

    def is_key(self, location: str, name: str) -> bool:
        """Say whether a parameter is where some scheme of the document puts its key."""
        return any(
            each.profile is not None
            and each.profile.location == location
            and each.profile.name is not None
            and _same(each.profile.name, name, location)
            for each in self.schemes
        )

    def resolve(self, operation: Operation) -> Resolved:
        """Return what an operation needs. Raises `Unusable` where it needs what no action can have."""
        alternatives = self._alternatives(operation)
        if not alternatives:
            return Resolved(None, None, ())
        optional = () in alternatives
        refused: list[Unusable] = []
        usable: list[tuple[Scheme, tuple[Any, ...]]] = []
        place = operation.node.get("security") or operation.node
        for alternative in alternatives:
            if alternative:
                try:
                    usable.append(self._usable(alternative, place))
                except Unusable as unusable:
                    refused.append(unusable)
        if not usable:
            if not optional:
                raise refused[0]
            return Resolved(None, None, _dropped(refused, operation))
        scheme, scopes = min(usable, key=lambda each: self._rank(each[0]))
        kept, notes = _scopes(scheme, scopes, operation)
        if optional:
            message = f"the operation also works without a credential; {quoted(scheme.name)} is required here"
            notes += (Note(pointer=place.pointer, code="auth-optional", message=message),)
        profile = scheme.profile
        assert profile is not None  # noqa: S101 - `_usable` returns no other
        return Resolved(Auth(profile=profile.id, required_scopes=kept), profile, notes)

    def _alternatives(self, operation: Operation) -> tuple[Alternative, ...] | None:
        own = _requirement(operation.node)
        said = self._usual if own is None else own
        if not any(said or ()) and self._wishes.require:
            return (((self._wishes.require, ()),),)
        return said

    def _usable(self, alternative: Alternative, place: Node) -> tuple[Scheme, tuple[Any, ...]]:
        if len(alternative) > 1:
            names = " and ".join(quoted(name) for name, _ in alternative)
            raise Unusable(
                "security-and", f"it needs {names} together, and an action has one credential", place
            )
        name, scopes = alternative[0]
        scheme = self._schemes.get(name)
        if scheme is None:
            raise Unusable(
                "security-unknown", f"it needs {quoted(name)}, which is no scheme of the document", place
            )
        if scheme.profile is None:
            raise Unusable(scheme.code, f"{scheme.message} ({quoted(name)})", place)
        return scheme, scopes

    def _rank(self, scheme: Scheme) -> tuple[bool, int, bool]:
        bearer = scheme.profile is not None and scheme.profile.type == BEARER
        return scheme.name != self._wishes.prefer, -self._covered[scheme.name], not bearer


def _check_wishes(wishes: Wishes, schemes: Mapping[str, Scheme], root: Node) -> None:
    named = [("--auth", wishes.prefer), ("--require-auth", wishes.require)]
    named += [("--auth-as", name) for name in wishes.read_as]
    for option, name in named:
        if name is not None and name not in schemes:
            known = ", ".join(map(quoted, schemes)) or "none"
            message = f"{option} names {quoted(name)}, which is no scheme of the document; it has {known}"
            raise Unusable("auth-option", message, root)
    for option, name in named[:2]:
        scheme = schemes.get(name or "")
        if scheme is not None and scheme.profile is None:
            raise Unusable(
                "auth-option", f"{option} {quoted(name)} cannot be used: {scheme.message}", scheme.node
            )


def _schemes(source: Source, wishes: Wishes) -> Iterator[Scheme]:
    if source.version == "2.0":
        held = source.root.get("securityDefinitions")
    else:
        components = source.root.get("components")
        held = components.get("securitySchemes") if components is not None else None
    if held is None:
        return
    try:
        held = source.follow(held)
    except Unusable:
        return
    for name, node in held.items():
        try:
            yield _scheme(name, source.follow(node), wishes)
        except Unusable as unusable:
            yield Scheme(name, node, None, code=unusable.code, message=unusable.message)


def _scheme(name: str, node: Node, wishes: Wishes) -> Scheme:
    kind = _text(node, "type").lower()
    scoped = kind in _BEARERS
    http = _text(node, "scheme").lower()
    if wishes.read_as.get(name) == BEARER or scoped or (kind == "http" and http == "bearer"):
        return Scheme(name, node, Profile(id=profile_id(name), type=BEARER), scoped=scoped)
    if kind == "apikey":
        return _key(name, node)
    code, message = _REFUSED.get(http if kind == "http" else kind, ("", ""))
    if not code:
        what = f"{kind} {http}".strip() or "no type"
        code, message = (
            "security-unsupported",
            f"it needs {quoted(what)} authentication, which actions cannot use",
        )
    return Scheme(name, node, None, code=code, message=message)


def _key(name: str, node: Node) -> Scheme:
    location, key = _text(node, "in"), _text(node, "name")
    if location == "cookie":
        code, message = _REFUSED["cookie"]
        return Scheme(name, node, None, code=code, message=message)
    if location == "header" and is_reserved_header(key):
        code = "security-apikey-reserved-header"
        if key.lower() == "authorization":
            code = "security-apikey-in-Authorization"
        message = f"its key goes into the header {key}, in a form that the document does not say"
        return Scheme(name, node, None, code=code, message=message)
    if location not in {"header", "query"} or not key or (location == "header" and not _TOKEN.fullmatch(key)):
        return Scheme(
            name, node, None, code="security-unsupported", message="its key has no place that can be used"
        )
    return Scheme(name, node, Profile(id=profile_id(name), type=API_KEY, location=location, name=key))


def _requirement(node: Node) -> tuple[Alternative, ...] | None:
    """Return the alternatives that a `security` field lists, None without one; what is no mapping is `{}`."""
    security = node.get("security")
    if security is None or not isinstance(security.value, list):
        return None
    return tuple(
        tuple(
            (name, tuple(scopes.value) if isinstance(scopes.value, list) else ())
            for name, scopes in each.items()
        )
        for each in security.elements()
    )


def _scopes(
    scheme: Scheme, scopes: tuple[Any, ...], operation: Operation
) -> tuple[tuple[str, ...], tuple[Note, ...]]:
    kept = [scope for scope in scopes if isinstance(scope, str) and _SCOPE.fullmatch(scope)]
    if scheme.profile is not None and scheme.profile.type == BEARER and scheme.scoped:
        lost = len(kept) < len(scopes)
    else:
        kept, lost = [], bool(scopes)
    if not lost:
        return tuple(sorted(set(kept))), ()
    message = "what the requirement lists beside the scheme is no OAuth scope and is left out"
    return tuple(sorted(set(kept))), (
        Note(pointer=operation.pointer, code="auth-scopes-dropped", message=message),
    )


def _dropped(refused: Sequence[Unusable], operation: Operation) -> tuple[Note, ...]:
    if not refused:
        return ()
    message = f"authored without a credential, which it allows: {refused[0].message}"
    return (Note(pointer=operation.pointer, code="auth-optional-dropped", message=message),)


def _same(one: str, other: str, location: str) -> bool:
    return one.lower() == other.lower() if location == "header" else one == other


def _text(node: Node, name: str) -> str:
    found = node.get(name)
    return found.value if found is not None and isinstance(found.value, str) else ""
