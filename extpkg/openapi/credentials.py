"""Names of parameters that carry a credential: an Agent is never asked for one (seed 001 section 4.4)."""

from __future__ import annotations

import re
from typing import Final

_SEPARATORS: Final = re.compile(r"[-_.\s]+")
_NAMES: Final = frozenset(
    [
        "token",
        "bearer",
        "bearertoken",
        "jwt",
        "secret",
        "password",
        "passwd",
        "credential",
        "credentials",
        "authkey",
        "sessiontoken",
        "xsessiontoken",
        "privatetoken",
        "refreshtoken",
        "idtoken",
        "xtoken",
        "authentication",
        "xauth",
        "xauthkey",
        "proxyauthorization",
        "xauthorization",
        "authorization",
        "apisecret",
        "signingkey",
    ]
)
_ENDINGS: Final = (
    "apikey",
    "accesstoken",
    "authtoken",
    "apitoken",
    "clientsecret",
    "secretkey",
    "subscriptionkey",
)


def is_credential(name: str) -> bool:
    """Say whether a parameter of that name is taken for a credential, in any spelling of its words."""
    plain = _SEPARATORS.sub("", name).lower()
    return plain in _NAMES or plain.endswith(_ENDINGS)
