"""A second reading of R-REQ, from its text alone: nothing here comes from the package that is tested.

It takes an action as its file has it, a base URL and an input that the schema accepts, and says which request
that makes. It is slow, plain, and refuses by raising `Refused`.
"""

from __future__ import annotations

import hashlib
import json
import re
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

UNRESERVED = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~"
MISSING = object()


class Refused(Exception):
    """No request can carry the input: `validation`."""


@dataclass(frozen=True)
class Expected:
    method: str
    url: str
    headers: list[list[str]]
    body: bytes | None

    def canonical(self) -> bytes:
        digest = None if self.body is None else hashlib.sha256(self.body).hexdigest()
        form = {"method": self.method, "url": self.url, "headers": self.headers, "bodySha256": digest}
        return jcs(form).encode()

    def audit_hash(self) -> str:
        return "sha256:" + hashlib.sha256(self.canonical()).hexdigest()


def expected(base_url: str, action: dict[str, Any], value: Any) -> Expected:
    """R-REQ-2 to 7."""
    binding = action["binding"]
    parameters = binding.get("parameters") or []
    body = body_of(binding.get("body"), value)
    headers = [[name.lower(), text] for name, text in (binding.get("static_headers") or {}).items()]
    headers += [pair for row in parameters if row["in"] == "header" for pair in header_of(row, value)]
    if body is not None:
        headers.append(["content-type", binding["body"]["content_type"]])
    headers.sort()
    pairs = query_of([row for row in parameters if row["in"] == "query"], value)
    url = (base_url.removesuffix("/")) + path_of(binding["path"], parameters, value)
    if pairs:
        url += "?" + "&".join(pairs)
    return Expected(binding["method"], url, headers, body)


def at(value: Any, pointer: str) -> Any:
    """Return what a pointer finds through objects, or MISSING."""
    for token in pointer.split("/")[1:]:
        name = token.replace("~1", "/").replace("~0", "~")
        if not isinstance(value, dict) or name not in value:
            return MISSING
        value = value[name]
    return value


def percent(text: str) -> str:
    return "".join(
        chr(byte) if byte in UNRESERVED else "%" + format(byte, "02X") for byte in text.encode("utf-8")
    )


def plain(value: Any) -> str:
    """R-REQ-5, and null goes only into a body."""
    if value is True:
        return "true"
    if value is False:
        return "false"
    if isinstance(value, str):
        return value
    if isinstance(value, (int, float)):
        return number(value)
    raise Refused("no scalar")


def items(value: Any) -> list[str]:
    return [plain(item) for item in value]


def path_of(template: str, parameters: list[dict[str, Any]], value: Any) -> str:
    """R-REQ-2."""
    rows = {row["name"]: row for row in parameters if row["in"] == "path"}

    def filled(match: re.Match[str]) -> str:
        found = at(value, rows[match.group(1)]["from"])
        if found is MISSING:
            raise Refused("absent")
        if isinstance(found, list):
            return ",".join(percent(item) for item in items(found))
        return percent(plain(found))

    segments = []
    for segment in template.split("/"):
        text = re.sub(r"\{([^{}]*)\}", filled, segment)
        if "{" in segment and text in ("", ".", ".."):
            raise Refused("a segment")
        segments.append(text)
    return "/".join(segments)


def query_of(rows: list[dict[str, Any]], value: Any) -> list[str]:
    """R-REQ-3."""
    keyed = []
    for row in rows:
        found = at(value, row["from"])
        if found is MISSING or found == []:
            continue
        name = percent(row["name"])
        if not isinstance(found, list):
            texts = [percent(plain(found))]
        elif row.get("explode", True):
            texts = [percent(item) for item in items(found)]
        else:
            texts = [",".join(percent(item) for item in items(found))]
        keyed += [(name, position, text) for position, text in enumerate(texts)]
    return [f"{name}={text}" for name, _, text in sorted(keyed)]


def header_of(row: dict[str, Any], value: Any) -> list[list[str]]:
    """R-REQ-4."""
    found = at(value, row["from"])
    if found is MISSING or found == []:
        return []
    texts = items(found) if isinstance(found, list) else [plain(found)]
    if isinstance(found, list) and any("," in text for text in texts):
        raise Refused("a comma")
    text = ",".join(texts)
    fit = all(0x20 <= ord(character) <= 0x7E for character in text) and text == text.strip(" ")
    if not fit:
        raise Refused("not visible")
    return [[row["name"].lower(), text]]


def body_of(body: dict[str, Any] | None, value: Any) -> bytes | None:
    """R-REQ-6."""
    if body is None:
        return None
    rows = body["mappings"]
    if len(rows) == 1 and rows[0]["to"] == "":
        found = at(value, rows[0]["from"])
        return None if found is MISSING else jcs(found).encode()
    built: dict[str, Any] = {}
    for row in rows:
        found = at(value, row["from"])
        if found is MISSING:
            continue
        *parents, last = [token.replace("~1", "/").replace("~0", "~") for token in row["to"].split("/")[1:]]
        place = built
        for name in parents:
            place.setdefault(name, {})
            place = place[name]
        place[last] = found
    return jcs(built).encode()


def jcs(value: Any) -> str:
    """RFC 8785, section 3.2."""
    if isinstance(value, dict):
        ordered = sorted(value.items(), key=lambda item: item[0].encode("utf-16-be"))
        return "{" + ",".join(f"{jcs(name)}:{jcs(item)}" for name, item in ordered) + "}"
    if isinstance(value, list):
        return "[" + ",".join(jcs(item) for item in value) + "]"
    if isinstance(value, bool) or value is None or isinstance(value, str):
        return json.dumps(value, ensure_ascii=False)
    return number(value)


def number(value: float) -> str:
    """ECMA-262, Number::toString: the shortest digits, which `repr` finds, in the layout of ECMAScript."""
    if value == 0:
        return "0"
    sign = "-" if value < 0 else ""
    shortest = Decimal(repr(float(value))).normalize().as_tuple()
    digits = "".join(map(str, shortest.digits))
    k, n = len(digits), len(digits) + int(shortest.exponent)
    if k <= n <= 21:
        return sign + digits + "0" * (n - k)
    if 0 < n <= 21:
        return sign + digits[:n] + "." + digits[n:]
    if -6 < n <= 0:
        return sign + "0." + "0" * -n + digits
    mantissa = digits if k == 1 else digits[0] + "." + digits[1:]
    return f"{sign}{mantissa}e{'+' if n > 0 else '-'}{abs(n - 1)}"
