"""The sole writer of credentials: into a request after it is bound, and out again before anybody keeps it."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, Literal

from extpkg.binding.parameters import percent_encode
from extpkg.errors import ExtensionError

if TYPE_CHECKING:
    from extpkg.egress.wire import Headers
    from extpkg.secret import Secret

HEADER_CHARACTERS: Final = 16 << 10
"""Characters of a credential in a header; servers take no more for all headers together."""

QUERY_CHARACTERS: Final = 5_000
"""Characters of a credential's pair in the query, percent-encoded: a URL has room for it beside the input."""

_VISIBLE: Final = re.compile(r"[!-~](?:[ -~]*[!-~])?")
_TOKEN: Final = re.compile(r"[!-~]+")
_PRINTABLE: Final = re.compile(r"[^\x00-\x1f\x7f-\x9f\ud800-\udfff]+")


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """Where a credential stands in a request: a header by its lower-case name, or the last pair of the query.

    It goes with a request that is sent (extension `credential`), so that a transport that keeps or compares
    requests takes the credential out by `without_credential`.
    """

    location: Literal["header", "query"]
    name: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Credential:
    """A secret and the place in a request that it goes to; made by `bearer`, `header` or `query`.

    Each of them raises `ExtensionError` (`provider_auth_unavailable`) for a text that cannot stand there
    or is too long for it, without showing it.
    """

    place: Place
    secret: Secret = field(repr=False)
    scheme: str = ""

    @classmethod
    def bearer(cls, secret: Secret) -> Credential:
        """Return a bearer token for the header `authorization`: visible ASCII without spaces.

        RFC 6750 names fewer characters; tokens that are issued, such as `1|abc`, have others.
        """
        _judge(secret, _TOKEN, "visible ASCII without spaces")
        _judge_length(len(secret.reveal()), HEADER_CHARACTERS)
        return cls(place=Place(location="header", name="authorization"), secret=secret, scheme="Bearer ")

    @classmethod
    def header(cls, name: str, secret: Secret) -> Credential:
        """Return a credential for the header of that name: visible ASCII with inner spaces."""
        _judge(secret, _VISIBLE, "visible ASCII with inner spaces")
        _judge_length(len(secret.reveal()), HEADER_CHARACTERS)
        return cls(place=Place(location="header", name=name.lower()), secret=secret)

    @classmethod
    def query(cls, name: str, secret: Secret) -> Credential:
        """Return a credential for the query, where it is percent-encoded: any text without controls."""
        _judge(secret, _PRINTABLE, "text without controls")
        _judge_length(len(percent_encode(name)) + len(percent_encode(secret.reveal())), QUERY_CHARACTERS)
        return cls(place=Place(location="query", name=name), secret=secret)


def _judge(secret: Secret, form: re.Pattern[str], words: str) -> None:
    # The text is never a local variable of a frame that raises: error reporters show those.
    if form.fullmatch(secret.reveal()) is None:
        message = f"the credential cannot be sent as it is: it must be {words}, on one line"
        raise ExtensionError("provider_auth_unavailable", message, {"reason": "credential_malformed"})


def _judge_length(found: int, most: int) -> None:
    if found > most:
        message = f"the credential cannot be sent: in the request it takes more than {most:,} characters"
        raise ExtensionError("provider_auth_unavailable", message, {"reason": "credential_malformed"})


def with_credential(url: str, headers: Headers, credential: Credential) -> tuple[str, Headers]:
    """Return URL and headers with the credential in its place (R-RES-3).

    ValueError where that place is taken: a request is bound without it (R-BIND-5).
    """
    place = credential.place
    _refuse_taken(url, headers, place)
    text = f"{credential.scheme}{credential.secret.reveal()}"
    if place.location == "header":
        return url, (*headers, (place.name, text))
    mark = "&" if "?" in url else "?"
    return f"{url}{mark}{percent_encode(place.name)}={percent_encode(text)}", headers


def without_credential(url: str, headers: Headers, place: Place) -> tuple[str, Headers]:
    """Return URL and headers as they were before `with_credential`."""
    if place.location == "header":
        return url, tuple(pair for pair in headers if pair[0] != place.name)
    return url[: max(url.rfind("?"), url.rfind("&"))], headers


def _refuse_taken(url: str, headers: Headers, place: Place) -> None:
    if place.location == "header":
        taken = any(name == place.name for name, _ in headers)
    else:
        name = percent_encode(place.name)
        taken = any(pair.partition("=")[0] == name for pair in url.partition("?")[2].split("&"))
    if taken:
        raise ValueError("the place of the credential is taken")
