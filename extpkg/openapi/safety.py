"""What an operation does to the world, as far as its method and its name tell (R-ACT-2, P102)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NamedTuple

from extpkg.definition.model import Safety
from extpkg.diagnostic import quoted
from extpkg.openapi.note import Note, Unusable

if TYPE_CHECKING:
    from extpkg.openapi.inventory import Operation
    from extpkg.openapi.node import Node

SAFETY_FIELD: Final = "x-agentteam-safety"

DESTRUCTIVE_VERBS: Final = frozenset(
    [
        "archive",
        "ban",
        "cancel",
        "clear",
        "deactivate",
        "decommission",
        "delete",
        "deprovision",
        "destroy",
        "detach",
        "disable",
        "discard",
        "drop",
        "erase",
        "evict",
        "flush",
        "invalidate",
        "kick",
        "kill",
        "purge",
        "remove",
        "reset",
        "revoke",
        "terminate",
        "trash",
        "uninstall",
        "unpublish",
        "wipe",
    ]
)
"""Verbs of names that take something away."""

_READING: Final = frozenset(
    [
        "check",
        "compare",
        "count",
        "describe",
        "download",
        "export",
        "fetch",
        "find",
        "get",
        "has",
        "info",
        "is",
        "list",
        "lookup",
        "preview",
        "query",
        "read",
        "retrieve",
        "search",
        "show",
        "stat",
        "status",
        "validate",
        "verify",
        "view",
        "watch",
    ]
)
_MAKING: Final = frozenset({"create", "make", "new", "download", "generate"})
_MADE: Final = frozenset({"archive"})
_CLASSES: Final = ("read", "mutation", "destructive")
_MEMBERS: Final = frozenset({"class", "idempotent", "destructive"})

_BY_METHOD: Final = {
    "GET": Safety(classification="read", idempotent=True, destructive=False),
    "PUT": Safety(classification="mutation", idempotent=True, destructive=False),
    "PATCH": Safety(classification="mutation", idempotent=False, destructive=False),
    "POST": Safety(classification="mutation", idempotent=False, destructive=False),
    "DELETE": Safety(classification="destructive", idempotent=True, destructive=True),
}


class Judged(NamedTuple):
    """The safety of an action, and what there is to say about it."""

    safety: Safety
    notes: tuple[Note, ...]


def judge(operation: Operation, name: str) -> Judged:
    """Return the safety of an operation whose action is called `name`.

    Raises `Unusable`: `safety-invalid` for an `x-agentteam-safety` that is none or breaks R-ACT-2,
    `safety-downgrade` for one that makes less of an operation known to destroy.
    """
    inferred = _inferred(operation, name)
    said = operation.node.get(SAFETY_FIELD)
    if said is None:
        return inferred
    chosen = _chosen(said, inferred.safety)
    if inferred.safety.destructive and not chosen.destructive:
        what = f"{operation.method} {name}"
        message = (
            f"{SAFETY_FIELD} makes {quoted(chosen.classification)} of {quoted(what)}, which is destructive"
        )
        raise Unusable("safety-downgrade", message, said)
    if operation.method in {"PUT", "PATCH"} and chosen.classification == "read":
        raise Unusable("safety-invalid", f"a {operation.method} is never read", said)
    return Judged(chosen, ())


def _inferred(operation: Operation, name: str) -> Judged:
    safety = _BY_METHOD[operation.method]
    verb = destructive_verb(name, operation.method)
    if safety.destructive or not verb:
        return Judged(safety, ())
    if operation.method == "GET":
        safety = Safety(classification="mutation", idempotent=False, destructive=False)
        message = f"the name says {quoted(verb)}: taken as a mutation although it is a GET"
        return Judged(safety, (Note(pointer=operation.pointer, code="safety-get-mutates", message=message),))
    safety = Safety(classification="destructive", idempotent=safety.idempotent, destructive=True)
    message = f"the name says {quoted(verb)}: taken as destructive"
    return Judged(safety, (Note(pointer=operation.pointer, code="safety-from-name", message=message),))


def destructive_verb(name: str, method: str) -> str:
    """Return the destructive verb of a kebab-case name, or an empty string.

    Such a word is a noun in what is made (`create-archive`), and behind a verb that reads where the method
    reads too (`GET` `get-ban`): `POST` `view-delete` deletes.
    """
    words = name.split("-")
    for index, word in enumerate(words):
        before = words[:index]
        if word in DESTRUCTIVE_VERBS:
            is_read = method == "GET" and not _READING.isdisjoint(before)
            is_noun = is_read or (word in _MADE and not _MAKING.isdisjoint(before))
            return "" if is_noun else word
    return ""


def _chosen(said: Node, inferred: Safety) -> Safety:
    """Return what `x-agentteam-safety` says: a class, or a mapping with one."""
    value: Any = said.value
    members = value if isinstance(value, dict) else {"class": value}
    kind = members.get("class")
    if kind not in _CLASSES or not _MEMBERS.issuperset(members):
        raise Unusable("safety-invalid", f"{SAFETY_FIELD} must be read, mutation or destructive", said)
    idempotent = members.get("idempotent", kind == "read" or inferred.idempotent)
    destructive = members.get("destructive", kind == "destructive")
    if not isinstance(idempotent, bool) or destructive is not (kind == "destructive"):
        raise Unusable("safety-invalid", f"{SAFETY_FIELD} contradicts itself", said)
    if kind == "read" and not idempotent:
        raise Unusable("safety-invalid", "a read action is idempotent", said)
    return Safety(classification=kind, idempotent=idempotent, destructive=destructive)
