"""A bound request for people, for machines, as the text that goes out, and as a command for curl."""

from __future__ import annotations

import json
import shlex
from typing import TYPE_CHECKING, Any, Final

from extpkg.binding.parameters import percent_encode
from extpkg.cli.render.escape import escaped
from extpkg.cli.render.json_report import dumped
from extpkg.egress.wire import engine_headers, request_bytes

if TYPE_CHECKING:
    from extpkg.binding.request import ActionPlan
    from extpkg.definition.model import Profile
    from extpkg.exchange import Request

_INLINE_BYTES: Final = 64 << 10
"""The longest body that stands among curl's arguments: a system takes 128 KiB for one at most."""

_ALWAYS: Final = "curl --disable --http1.1 --globoff --path-as-is --noproxy '*'"
"""No configuration file, no upgrade, no brackets with a meaning, no path made shorter, no proxy."""


class Bound:
    """A request with the plan that made it."""

    __slots__ = ("plan", "request")

    def __init__(self, plan: ActionPlan, value: Any) -> None:
        self.plan = plan
        self.request: Request = plan.bind(value)

    @property
    def host(self) -> str:
        """The host of the request, with its port where it has one."""
        return self.request.url.split("/", 3)[2]

    @property
    def engine(self) -> tuple[tuple[str, str], ...]:
        """The headers that the engine adds (R-RES-3)."""
        return engine_headers(self.host, self.request.body or b"")

    @property
    def headers(self) -> tuple[tuple[str, str], ...]:
        """All headers as they go out, a placeholder where the credential stands."""
        profile = self.plan.auth
        credential = _placed(profile)[1:] if profile and _placed(profile)[0] == "header" else None
        return (*self.engine, *self.request.headers, *([credential] if credential else []))

    @property
    def query_credential(self) -> str:
        """What the credential adds to the URL, empty where it does not go there."""
        profile = self.plan.auth
        if profile is None or _placed(profile)[0] == "header":
            return ""
        _, name, text = _placed(profile)
        return f"{'&' if '?' in self.request.url else '?'}{percent_encode(name)}={text}"


def placeholder(profile: Profile) -> str:
    """Return what stands for the credential of a profile wherever a request is shown."""
    return f"<credential {profile.id}>"


def _placed(profile: Profile) -> tuple[str, str, str]:
    """Return where a credential goes: `header` or `query`, the name there, and what is shown."""
    if profile.type == "oauth2_bearer":
        return "header", "authorization", f"Bearer {placeholder(profile)}"
    name = profile.name or ""
    return (
        ("query", name, placeholder(profile))
        if profile.location == "query"
        else ("header", name.lower(), placeholder(profile))
    )


def request_text(bound: Bound) -> str:
    """Return the request as a person reads it; whatever the author or the input wrote is escaped."""
    request, plan = bound.request, bound.plan
    lines = [f"{request.method} {escaped(request.url)}"]
    lines += [f"{name}: {escaped(value)}" for name, value in request.headers]
    if request.body is not None:
        lines += ["", escaped(request.body.decode())]
    names = ", ".join(name for name, _ in bound.engine)
    lines += ["", f"action      {plan.domain} {plan.action}, {plan.safety.classification}"]
    lines += [f"credential  {_credential_text(plan)}"]
    lines += [f"engine      adds {names}"]
    lines += [f"audit hash  {request.audit_hash}"]
    return "".join(f"{line}\n" for line in lines)


def _credential_text(plan: ActionPlan) -> str:
    profile = plan.auth
    if profile is None:
        return "none"
    location, name, text = _placed(profile)
    sign = ": " if location == "header" else "="
    scopes = f", with the scopes {', '.join(plan.required_scopes)}" if plan.required_scopes else ""
    return f"{location} {escaped(name)}{sign}{escaped(text + scopes)}"


def request_json(bound: Bound) -> str:
    """Return the request as indented ASCII JSON: canonical form (R-REQ-7), body, and what else is sent."""
    request, plan = bound.request, bound.plan
    return dumped(
        {
            "domain": plan.domain,
            "action": plan.action,
            "safety": plan.safety.classification,
            "canonical": json.loads(request.canonical()),
            "auditHash": request.audit_hash,
            "body": None if request.body is None else request.body.decode(),
            "engineHeaders": [list(pair) for pair in bound.engine],
            "credential": _credential_json(plan),
        }
    )


def _credential_json(plan: ActionPlan) -> dict[str, Any] | None:
    profile = plan.auth
    if profile is None:
        return None
    location, name, text = _placed(profile)
    return {
        "profile": profile.id,
        "type": profile.type,
        "in": location,
        "name": name,
        "value": text,
        "requiredScopes": list(plan.required_scopes),
    }


def request_http(bound: Bound) -> bytes:
    """Return the bytes that go out over the connection, a placeholder where the credential stands."""
    request = bound.request
    target = "/" + request.url.split("/", 3)[3]
    data = request_bytes(request.method, target, bound.headers, request.body or b"")
    line, end, rest = data.partition(b" HTTP/1.1\r\n")
    return line + bound.query_credential.encode() + end + rest


def request_curl(bound: Bound) -> bytes:
    """Return a shell command by which curl sends the same method, target, headers and body.

    Its own headers are the engine's here, or left out. A body that is long, or that curl would take for the
    name of a file, comes through a pipe, which has no limit and gives no character a meaning.
    """
    request = bound.request
    parts = [_ALWAYS, f"--request {request.method}"] if request.method != "GET" else [_ALWAYS]
    written = {name for name, _ in bound.headers}
    parts += [f"--header {_field(name, value)}" for name, value in bound.headers if name != "content-length"]
    parts += [f"--header {name}:" for name in ("accept", "expect") if name not in written]
    start = b""
    if request.body is not None:
        quoted = shlex.quote(request.body.decode())
        piped = len(request.body) > _INLINE_BYTES or request.body.startswith(b"@")
        start = f"printf %s {quoted} | ".encode() if piped else b""
        parts.append(f"--data-binary {'@-' if piped else quoted}")
    parts.append(shlex.quote(request.url + bound.query_credential))
    return start + " \\\n  ".join(parts).encode() + b"\n"


def _field(name: str, value: str) -> str:
    """Return a header as curl takes it: one without a value ends with a semicolon, or curl leaves it out."""
    return shlex.quote(f"{name}: {value}" if value else f"{name};")
