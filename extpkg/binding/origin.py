"""What an endpoint's base URL may be, judged as text by a grammar, never as a parser sees it (R-META-5)."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from typing import Final

from extpkg import resources
from extpkg.diagnostic import quoted

_HOST_CHARACTERS: Final = 253
_DIGITAL: Final = re.compile(r"[0-9]+|0[xX][0-9A-Fa-f]*")
_LABEL: Final = re.compile(r"[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?")
_PORT: Final = re.compile(r"[1-9][0-9]{0,4}")
_SEGMENT: Final = re.compile(r"[A-Za-z0-9._~-]+")
_NEVER_IN_NAMES: Final = frozenset({"Cc", "Co", "Cs", "Zl", "Zp", "Zs"})
_SCHEME: Final = "https://"


@dataclass(frozen=True, slots=True, kw_only=True)
class Refusal:
    """Why a base URL is refused. `host` is true where its host is one that no package may name at all."""

    reason: str
    host: bool = False


def refusal(base_url: str) -> Refusal | None:
    """Return why `base_url` is no endpoint, or None when it is one.

    Accepted is exactly: `https://`, at least two lower-case ASCII labels of which the last starts with a
    letter, an optional port 1-65535 that is not 443, segments of unreserved characters other than `.` and
    `..`, and at most one trailing slash. Refused as hosts are IP addresses in any spelling and the reserved
    suffixes of `reserved.json`.
    """
    reason = _shape_refusal(base_url)
    if reason:
        return Refusal(reason=reason)
    authority, slash, path = base_url[len(_SCHEME) :].partition("/")
    host, colon, port = authority.partition(":")
    return _host_refusal(host) or _rest_refusal(port if colon else None, path if slash else None)


def _shape_refusal(text: str) -> str:
    """Say what keeps a text from being `https://`, an authority and a path, or return an empty string."""
    if not text.startswith(_SCHEME):
        return f'it does not start with "{_SCHEME}"'
    for character, what in (
        ("\\", "a backslash"),
        ("?", "a query"),
        ("#", "a fragment"),
        ("{", "a variable"),
        ("%", "a percent-encoded character"),
    ):
        if character in text:
            return f"it has {what}"
    if "@" in text[len(_SCHEME) :].partition("/")[0]:
        return "it has credentials"
    foreign = next((c for c in text if not "!" <= c <= "~"), None)
    return f"it has the character {quoted(foreign)}" if foreign else ""


def _host_refusal(host: str) -> Refusal | None:
    if host.startswith("["):
        return Refusal(reason="its host is an IP address", host=True)
    name = host.lower().rstrip(".")
    labels = name.split(".")
    if _DIGITAL.fullmatch(labels[-1]):
        return Refusal(reason=f"its host {quoted(host)} reads as an IP address", host=True)
    suffix = next((s for s in resources.reserved_host_suffixes() if f".{name}".endswith(f".{s}")), None)
    if suffix:
        return Refusal(reason=f'its host {quoted(host)} lies under the reserved suffix "{suffix}"', host=True)
    reason = _name_refusal(host)
    return Refusal(reason=reason) if reason else None


def _name_refusal(host: str) -> str:
    """Say what is wrong with a host's spelling, or return an empty string."""
    if not host:
        return "its host is empty"
    labels = host.split(".")
    reason = ""
    if host != host.lower():
        reason = "is not in lower case"
    elif host.endswith("."):
        reason = "ends with a dot"
    elif bad := [label for label in labels if not _is_label(label)]:
        reason = f"has the part {quoted(bad[0])}, which is no DNS label"
    elif len(labels) == 1:
        reason = "has only one label"
    elif not labels[-1][0].isalpha():
        reason = "has a last label that does not start with a letter"
    elif len(host) > _HOST_CHARACTERS:
        reason = f"has more than {_HOST_CHARACTERS} characters"
    return reason and f"its host {quoted(host)} {reason}"


def _is_label(label: str) -> bool:
    """Whether a text is a lower-case DNS label; one that starts with `xn--` must be a real A-label."""
    if not _LABEL.fullmatch(label):
        return False
    return not label.startswith("xn--") or _is_a_label(label)


def _is_a_label(label: str) -> bool:
    try:
        name = label[4:].encode("ascii").decode("punycode")
        written = name.encode("punycode").decode("ascii")
    except UnicodeError:
        return False
    normal = unicodedata.normalize("NFC", name.lower())
    fit = not any(unicodedata.category(character) in _NEVER_IN_NAMES for character in name)
    return fit and not name.isascii() and name == normal and written == label[4:]


def _rest_refusal(port: str | None, path: str | None) -> Refusal | None:
    if port is not None and (not _PORT.fullmatch(port) or int(port) > 65535):
        return Refusal(
            reason=f"its port {quoted(port)} is not a number from 1 to 65535 without leading zeros"
        )
    if port == "443":
        return Refusal(reason="it writes out the default port 443")
    segments = path.removesuffix("/").split("/") if path else []
    if path == "/":
        return Refusal(reason="its path has an empty segment")
    for segment in segments:
        if segment in {".", ".."}:
            return Refusal(reason=f"its path has the segment {quoted(segment)}")
        if not _SEGMENT.fullmatch(segment):
            what = f"the segment {quoted(segment)}, which is not plain" if segment else "an empty segment"
            return Refusal(reason=f"its path has {what}")
    return None
