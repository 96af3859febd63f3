"""Names of actions, domains and profiles (seed 001 section 4.5): by rule, never cut, suffixed or guessed."""

from __future__ import annotations

import re
import unicodedata
from typing import TYPE_CHECKING, Final, NamedTuple

from extpkg.check.layout import is_device
from extpkg.check.metadata import LONG_NAME_CHARACTERS, is_name
from extpkg.diagnostic import quoted
from extpkg.openapi.note import Note, Unusable
from extpkg.resources import registered_builtins, reserved_domains

if TYPE_CHECKING:
    from extpkg.openapi.inventory import Operation

ACTION_FIELD: Final = "x-agentteam-action"

_BOUNDARIES: Final = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_OTHER: Final = re.compile(r"[^a-z0-9]+")
_APOSTROPHE: Final = re.compile("(?<=[A-Za-z])['\u2019](?=[A-Za-z])")


class Named(NamedTuple):
    """The name of an action, and what there is to say about it."""

    name: str
    notes: tuple[Note, ...]


def kebab(text: str) -> str:
    """Return a text in lower-case kebab-case: `issues/list-HTTPCalls v2` is `issues-list-http-calls-v2`.

    Letters lose their accents; what is then neither an ASCII letter nor a digit parts words. The result may
    be empty or start with a digit, and is then no name.
    """
    plain = unicodedata.normalize("NFKD", text)
    plain = "".join(character for character in plain if not unicodedata.combining(character))
    parted = _BOUNDARIES.sub("-", _APOSTROPHE.sub("", plain))
    return _OTHER.sub("-", parted.lower()).strip("-")


def action_name(operation: Operation) -> Named:
    """Return the name of an operation's action: `x-agentteam-action`, `operationId`, else method and path.

    Raises `Unusable` with `name-invalid` or `name-too-long`.
    """
    said = operation.node.get(ACTION_FIELD)
    if said is not None:
        if not isinstance(said.value, str) or not is_name(said.value) or is_device(said.value):
            message = f"{ACTION_FIELD} {quoted(said.value)} is no action name: lower-case words joined by -"
            raise Unusable("name-invalid", message, said)
        return Named(said.value, _length_note(said.value, operation))
    name = kebab(operation.id) if operation.id else ""
    notes: tuple[Note, ...] = ()
    if not is_name(name) or is_device(name):
        name = kebab(f"{operation.method} {operation.path}")
        why = (
            f"operationId {quoted(operation.id)} makes no name" if operation.id else "there is no operationId"
        )
        notes = (Note(pointer=operation.pointer, code="name-from-path", message=f"{why}; named {name}"),)
    if not is_name(name):
        message = f"the name would have {len(name)} characters; give the operation an {ACTION_FIELD}"
        raise Unusable("name-too-long", message, operation.node)
    return Named(name, (*notes, *_length_note(name, operation)))


def _length_note(name: str, operation: Operation) -> tuple[Note, ...]:
    if len(name) <= LONG_NAME_CHARACTERS:
        return ()
    message = f"the name has {len(name)} characters, over {LONG_NAME_CHARACTERS}; it is kept whole"
    return (Note(pointer=operation.pointer, code="long-name", message=message),)


def profile_id(scheme: str) -> str:
    """Return the id of the profile for a security scheme."""
    name = kebab(scheme)
    return name if is_name(name) else kebab(f"auth {name}"[:64])


def domain_name(title: str) -> str:
    """Return the domain that a title suggests, or an empty string; words like `API` say nothing."""
    words = [word for word in kebab(title).split("-") if word not in _EMPTY_WORDS]
    while words and not words[0][0].isalpha():
        words.pop(0)
    name = "-".join(words)
    return name if is_name(name) and len(name) <= LONG_NAME_CHARACTERS else ""


def domain_refusal(domain: str) -> str:
    """Return why a text is no domain of a new Package, or an empty string (R-META-2)."""
    if not is_name(domain):
        return f"{quoted(domain)} is no domain: lower-case words of letters and digits, joined by -"
    if domain in reserved_domains() or domain in registered_builtins():
        return f"the domain {quoted(domain)} is taken by the platform"
    return ""


_EMPTY_WORDS: Final = frozenset(
    {
        "api",
        "apis",
        "rest",
        "restful",
        "http",
        "openapi",
        "swagger",
        "the",
        "specification",
        "spec",
        "reference",
    }
    | {"service", "public", "web", "documentation", "docs", "v1", "v2", "v3", ""}
)
