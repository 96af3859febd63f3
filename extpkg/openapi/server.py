"""The one origin of a Package, and how an operation's own servers relate to it (R-META-5, P062).

Nothing is taken by default: where no server can be used as it is written, a person has to say which.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, NamedTuple

from extpkg.binding.origin import refusal
from extpkg.diagnostic import quoted
from extpkg.openapi.note import Note, Unusable

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from extpkg.openapi.inventory import Operation
    from extpkg.openapi.node import Node
    from extpkg.openapi.source import Source

_VARIABLE: Final = re.compile(r"\{([^{}]*)\}")
_ORIGIN: Final = re.compile(r"(https?://)([^/?#]*)([^?#]*)", re.IGNORECASE)
_HTTPS: Final = "https://"


class Server(NamedTuple):
    """A server as a source names it: its URL, the place of that, and the variables in it."""

    url: str
    node: Node
    variables: Node | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Endpoint:
    """The chosen base URL without a final slash, the values of server variables, what there is to say."""

    base_url: str
    given: Mapping[str, str]
    notes: tuple[Note, ...] = ()


def choose_endpoint(source: Source, base_url: str | None, given: Mapping[str, str]) -> Endpoint:
    """Return the endpoint of the Package: `base_url`, else the first server that R-META-5 takes as written.

    Raises `Unusable`: `base-url-refused`, `server-variable`, or `server-missing`, whose message says which
    option is wanted.
    """
    listed = list(_listed(source))
    _check_given(listed, given, source.root)
    if base_url is not None:
        refused = refusal(base_url)
        if refused:
            raise Unusable("base-url-refused", f"the base URL is refused: {refused.reason}", source.root)
        return Endpoint(base_url=base_url.removesuffix("/"), given=given, notes=_lost_path(listed, base_url))
    notes: list[Note] = []
    for server in listed:
        url = normal_url(substituted(server, given) or "")
        if not url.startswith(_HTTPS):
            continue
        refused = refusal(url)
        if refused is None:
            return Endpoint(base_url=url.removesuffix("/"), given=given, notes=tuple(notes))
        message = f"this server is refused: {refused.reason}"
        notes.append(Note(pointer=server.node.pointer, code="server-refused", message=message))
    raise Unusable("server-missing", _advice(listed, notes), listed[0].node if listed else source.root)


def operation_prefix(endpoint: Endpoint, operation: Operation, source: Source) -> str:
    """Return what the operation's own servers put before its path, mostly nothing.

    Raises `Unusable`: `server-other-origin` where they lie on another origin, `server-other-prefix` where
    they lie on this one but not under the base URL.
    """
    servers = _own_servers(operation, source)
    faults: list[Unusable] = []
    for server in servers:
        url = substituted(server, endpoint.given)
        if url is None:
            faults.append(Unusable("server-other-origin", "its own server has variables", server.node))
            continue
        full = normal_url(_absolute(url, endpoint.base_url)).removesuffix("/")
        if full == endpoint.base_url or full.startswith(f"{endpoint.base_url}/"):
            return full.removeprefix(endpoint.base_url)
        faults.append(_elsewhere(full, endpoint.base_url, server.node))
    if faults:
        raise faults[0]
    return ""


def variables_of(source: Source) -> list[tuple[str, str, tuple[str, ...]]]:
    """Return name, default and allowed values of the variables that the first templated https server has.

    None where a server can be used as it is written.
    """
    listed = list(_listed(source))
    if any(not _VARIABLE.search(each.url) and refusal(normal_url(each.url)) is None for each in listed):
        return []
    for server in listed:
        names = list(dict.fromkeys(_VARIABLE.findall(server.url)))
        if names and server.url.startswith(_HTTPS):
            return [(name, _default(server, name, ""), _allowed(server, name)) for name in names]
    return []


def normal_url(url: str) -> str:
    """Return a URL with scheme and host in lower case and without the port that its scheme has anyway."""
    parts = _ORIGIN.fullmatch(url)
    if parts is None:
        return url
    scheme, authority, path = parts[1].lower(), parts[2].lower(), parts[3]
    if "@" in authority:
        return url
    return scheme + authority.removesuffix(":443" if scheme == _HTTPS else ":80") + path


def substituted(server: Server, given: Mapping[str, str]) -> str | None:
    """Return a server's URL with its variables filled in; None where one is not given.

    Raises `Unusable` (`server-variable`) for a value that the document does not allow.
    """
    names = _VARIABLE.findall(server.url)
    if any(name not in given for name in names):
        return None
    for name in names:
        values = _allowed(server, name)
        if values and given[name] not in values:
            message = f"server variable {quoted(name)} may be {', '.join(map(quoted, values))}"
            raise Unusable("server-variable", message, server.node)
    return _VARIABLE.sub(lambda found: given[found[1]], server.url)


def _listed(source: Source) -> Iterator[Server]:
    if source.version == "2.0":
        yield from _servers_2(source.root)
        return
    servers = source.root.get("servers")
    if servers is not None:
        yield from _servers(servers)


def _servers(servers: Node) -> Iterator[Server]:
    for each in servers.elements():
        url = each.get("url")
        if url is not None and isinstance(url.value, str):
            yield Server(url.value.strip(), url, each.get("variables"))


def _servers_2(root: Node) -> Iterator[Server]:
    host, base = root.get("host"), root.get("basePath")
    path = base.value if base is not None and isinstance(base.value, str) else ""
    path = f"/{path.strip('/')}".removesuffix("/")
    if host is None or not isinstance(host.value, str):
        if base is not None:
            yield Server(path, base, None)
        return
    schemes = root.get("schemes")
    listed = [each.value for each in schemes.elements()] if schemes is not None else []
    for scheme in sorted({each for each in listed if isinstance(each, str)}, reverse=True):
        yield Server(f"{scheme}://{host.value}{path}", host, None)
    if not listed:
        yield Server(f"//{host.value}{path}", host, None)


def _own_servers(operation: Operation, source: Source) -> list[Server]:
    if source.version == "2.0":
        return []
    own = operation.node.get("servers")
    for servers in ([own] if own is not None else []) + list(operation.field("servers")):
        listed = list(_servers(servers))
        if listed:
            return listed
    return []


def _absolute(url: str, base_url: str) -> str:
    """Return the URL that a server means beside a base URL: one without a host is on the same origin."""
    if "://" in url:
        return url
    origin = _origin(base_url)
    return f"https:{url}" if url.startswith("//") else f"{origin}/{url.lstrip('/')}".removesuffix("/")


def _origin(url: str) -> str:
    found = _ORIGIN.match(url)
    return f"{found[1]}{found[2]}" if found else ""


def _elsewhere(url: str, base_url: str, node: Node) -> Unusable:
    if _origin(url) == _origin(base_url):
        message = "its own server is on the same host, but not under the path of the base URL"
        return Unusable("server-other-prefix", message, node)
    message = "it is served from another origin than the package's one endpoint"
    return Unusable("server-other-origin", message, node)


def _check_given(listed: Sequence[Server], given: Mapping[str, str], root: Node) -> None:
    known = {name for server in listed for name in _VARIABLE.findall(server.url)}
    for name in given:
        if name not in known:
            names = ", ".join(map(quoted, sorted(known))) or "none"
            message = f"there is no server variable {quoted(name)}; the document has {names}"
            raise Unusable("server-variable", message, root)


def _lost_path(listed: Sequence[Server], base_url: str) -> tuple[Note, ...]:
    """Say that the document has a base path which the given base URL lacks."""
    if not listed or "{" in listed[0].url:
        return ()
    first = listed[0]
    found = _ORIGIN.fullmatch(first.url)
    path = (found[3] if found else "/" + first.url.lstrip("/") if "//" not in first.url else "").rstrip("/")
    if not path or base_url.removesuffix("/").endswith(path):
        return ()
    message = f"the document puts {quoted(path)} before every path, which the base URL does not end with"
    return (Note(pointer=first.node.pointer, code="base-path-not-used", message=message),)


def _advice(listed: Sequence[Server], notes: Sequence[Note]) -> str:
    """Say why no server can be used, and the option that would settle it."""
    if not listed:
        return "the document names no server; say which with --base-url https://HOST/PATH"
    for server in listed:
        names = _VARIABLE.findall(server.url)
        if names and server.url.startswith(_HTTPS):
            options = " ".join(
                f"--server-var {name}={_default(server, name)}" for name in dict.fromkeys(names)
            )
            return f"the server has variables; say their values, with the document's defaults: {options}"
    found = _ORIGIN.match(listed[0].url)
    path = found[3] if found else re.sub(r"\A//[^/]*", "", listed[0].url)
    why = notes[0].message if notes else "no server is an absolute https URL"
    return f"{why}; say which with --base-url https://HOST{_shown(path)}"


def _shown(path: str) -> str:
    path = path.rstrip("/")
    return path if path.startswith("/") else f"/{path}" if path else ""


def _default(server: Server, name: str, otherwise: str = "VALUE") -> str:
    row = server.variables.get(name) if server.variables else None
    default = row.get("default") if row else None
    return str(default.value) if default is not None else otherwise


def _allowed(server: Server, name: str) -> tuple[str, ...]:
    row = server.variables.get(name) if server.variables else None
    allowed = row.get("enum") if row else None
    return tuple(str(each.value) for each in allowed.elements()) if allowed else ()
