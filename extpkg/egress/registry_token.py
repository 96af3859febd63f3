"""How a registry asks who is there: its challenge, and the token that answers it (distribution spec)."""

from __future__ import annotations

import json
import re
from base64 import b64encode
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from extpkg.binding.parameters import percent_encode
from extpkg.egress.credential import Credential
from extpkg.errors import ExtensionError
from extpkg.secret import Secret

if TYPE_CHECKING:
    from collections.abc import Sequence

_TOKEN: Final = r"[!#$%&'*+\-.^_`|~0-9A-Za-z]+"  # noqa: S105 - a grammar
_PAIR: Final = rf'({_TOKEN})=(?:"([^"\\]*)"|({_TOKEN}))'
_CHALLENGE: Final = re.compile(rf"([A-Za-z]+)[ ]+({_PAIR}(?:[ ]*,[ ]*{_PAIR})*)")


@dataclass(frozen=True, slots=True, kw_only=True)
class Challenge:
    """What a registry wants: `bearer` or `basic`, and for a token where and for what it is issued."""

    scheme: str
    realm: str
    service: str
    scope: str


def read_challenge(values: Sequence[str]) -> Challenge | None:
    """Return the challenge of the `www-authenticate` fields that can be met, the first for a token first."""
    found = [challenge for value in values if (challenge := _challenge(value)) is not None]
    return min(found, key=lambda each: each.scheme != "bearer", default=None)


def _challenge(value: str) -> Challenge | None:
    match = _CHALLENGE.fullmatch(value)
    if match is None or match[1].lower() not in {"bearer", "basic"}:
        return None
    pairs = re.findall(_PAIR, match[2])
    named = {name.lower(): quoted or plain for name, quoted, plain in pairs}
    if len(named) != len(pairs):
        return None
    return Challenge(
        scheme=match[1].lower(),
        realm=named.get("realm", ""),
        service=named.get("service", ""),
        scope=named.get("scope", ""),
    )


def token_path(path: str, challenge: Challenge, scope: str) -> str:
    """Return the path of the realm with what a token is asked for; `scope` where the challenge names none."""
    pairs = [("service", challenge.service)] if challenge.service else []
    pairs += [("scope", each) for each in (challenge.scope or scope).split(" ") if each]
    query = "&".join(f"{name}={percent_encode(value)}" for name, value in pairs)
    return f"{path}{'&' if '?' in path else '?'}{query}" if query else path


def basic(login: Secret) -> Credential | None:
    """Return the credential for `user:password`, None where it cannot be one."""
    if ":" not in login.reveal():
        return None
    return Credential.header(
        "authorization", Secret("Basic " + b64encode(login.reveal().encode("utf-8", "replace")).decode())
    )


def issued(body: bytes) -> Credential | None:
    """Return the token that a realm's answer holds, None where it holds none that can be sent."""
    try:
        answer: Any = json.loads(body)
        return Credential.bearer(Secret(answer.get("token") or answer.get("access_token")))
    except (ValueError, TypeError, AttributeError, RecursionError, ExtensionError):
        return None
