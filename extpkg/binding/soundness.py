"""Whether a binding may be used: R-BIND judged again, where the checks of a document are far away.

The checks of a package say everything that is wrong with it, with positions. This says the first thing that
could send a request elsewhere, or with something in it that only the engine may write.
"""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING, Final

from extpkg import resources
from extpkg.binding.origin import refusal
from extpkg.binding.template import path_faults, placeholders
from extpkg.diagnostic import quoted
from extpkg.errors import DocumentInvalid
from extpkg.limits import RESULT_BYTES
from extpkg.pointer import Pointer, join

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from extpkg.definition.model import Binding, Body, Parameter, Profile, Response

METHODS: Final = ("GET", "POST", "PUT", "PATCH", "DELETE")
"""The methods of a binding (seed 001 section 4.4)."""

BODY_METHODS: Final = frozenset({"POST", "PUT", "PATCH", "DELETE"})
"""The methods that go with a body (R-BIND-7)."""

JSON_TYPE: Final = re.compile(r"application/(?:json|[a-z0-9][a-z0-9!#$&^_.+-]*\+json)")
"""What the body of a request may be (R-BIND-7)."""

HEADER_NAME: Final = re.compile(r"[A-Za-z0-9!#$%&'*+.^_`|~-]+")
"""An RFC 9110 token (R-BIND-6)."""

STATIC_VALUE: Final = re.compile(r"[!-~](?:[ -~]*[!-~])?")
"""What a static header may say (R-BIND-6)."""

ARRAY_TOKEN: Final = re.compile(r"[0-9]+|-")
"""A token that would be a place of an array: bodies are built of objects (R-BIND-5)."""

STYLES: Final = {"path": "simple", "query": "form", "header": "simple"}
"""Where a parameter may go, and how it is written there (R-BIND-4)."""

MODES: Final = ("passthrough", "empty")
"""How an answer is read (R-BIND-8)."""


def unsound(base_url: str, binding: Binding, profile: Profile | None) -> str:
    """Return the first thing that keeps a binding from being used, or an empty string (R-BIND-1 to 8).

    The endpoint (R-META-5) and the place of the credential (R-META-6) are judged with it: `profile` is the
    profile of the action's credential, which takes part in what is written twice.
    """
    return next(_faults(base_url, binding, profile), "")


def _faults(base_url: str, binding: Binding, profile: Profile | None) -> Iterator[str]:
    """Yield what is wrong; what follows a fault may rest on what is at fault, so the first alone counts."""
    refused = refusal(base_url)
    if refused:
        yield f"{quoted(base_url)} is no endpoint: {refused.reason}"
    if binding.method not in METHODS:
        yield f"{quoted(binding.method)} is none of {', '.join(METHODS)}"
    elif binding.body is not None and binding.method not in BODY_METHODS:
        yield f"a {binding.method} request has no body"
    yield from _path_faults(binding)
    for parameter in binding.parameters:
        yield from _parameter_faults(parameter)
    yield from _header_faults(binding)
    if profile is not None:
        yield from _profile_faults(profile)
    yield from _shared(binding, profile)
    if binding.body is not None:
        yield from _body_faults(binding.body)
    yield from _response_faults(binding.response)


def _path_faults(binding: Binding) -> Iterator[str]:
    yield from (fault.message for fault in path_faults(binding.path))
    wanted = Counter(placeholders(binding.path))
    bound = Counter(each.name for each in binding.parameters if each.location == "path")
    for name, count in wanted.items():
        if count > 1:
            yield f"placeholder {{{name}}} occurs {count} times in the path"
        if bound[name] != 1:
            yield f"placeholder {{{name}}} is bound by {bound[name]} path parameters"
    for name in bound:
        if name not in wanted:
            yield f"path parameter {quoted(name)} has no placeholder in the path"


def _parameter_faults(parameter: Parameter) -> Iterator[str]:
    location, style = parameter.location, parameter.style
    if location not in STYLES:
        yield f"a parameter cannot go into {quoted(location)}"
    elif style != STYLES[location] or (parameter.explode and style == "simple"):
        yield f"{location} parameter {quoted(parameter.name)} cannot be written in style {quoted(style)}"
    yield from _pointer_faults(parameter.source)
    yield from _text_faults(parameter.name)


def _header_faults(binding: Binding) -> Iterator[str]:
    bound = [each.name for each in binding.parameters if each.location == "header"]
    for name in [*(name for name, _ in binding.static_headers), *bound]:
        yield from _name_faults(name)
    for _, value in binding.static_headers:
        if not STATIC_VALUE.fullmatch(value):
            yield f"header value {quoted(value)} is not visible ASCII with inner spaces"


def _name_faults(name: str) -> Iterator[str]:
    if not HEADER_NAME.fullmatch(name):
        yield f"{quoted(name)} is no header name"
    elif resources.is_reserved_header(name):
        yield f"header {quoted(name)} is reserved for the engine"


def _profile_faults(profile: Profile) -> Iterator[str]:
    """Yield what keeps a credential from having one place that only it writes (R-META-6)."""
    if profile.type == "oauth2_bearer":
        return
    if profile.type != "api_key":
        yield f"a credential cannot be of type {quoted(profile.type)}"
    elif not profile.name:
        yield f"the credential {quoted(profile.id)} has no name"
    elif profile.location == "header":
        yield from _name_faults(profile.name)
    elif profile.location == "query":
        yield from _text_faults(profile.name)
    else:
        yield f"a credential cannot go into {quoted(str(profile.location))}"


def _response_faults(response: Response) -> Iterator[str]:
    if response.mode not in MODES:
        yield f"an answer cannot be read in mode {quoted(response.mode)}"
    strangers = [status for status in response.success_statuses if not 200 <= status <= 299]
    if strangers or not response.success_statuses:
        yield f"status {strangers[0]} is no success" if strangers else "no status is a success"
    if not 1 <= response.max_bytes <= RESULT_BYTES:
        yield f"a result cannot be limited to {response.max_bytes} bytes"


def _shared(binding: Binding, profile: Profile | None) -> Iterator[str]:
    """Yield the names that more than one of credential, static headers and parameters write."""
    headers = [name.lower() for name, _ in binding.static_headers]
    headers += [each.name.lower() for each in binding.parameters if each.location == "header"]
    queries = [each.name for each in binding.parameters if each.location == "query"]
    if profile is not None and profile.type == "api_key" and profile.name is not None:
        if profile.location == "query":
            queries.append(profile.name)
        else:
            headers.append(profile.name.lower())
    for what, names in (("header", headers), ("query parameter", queries)):
        for name, count in Counter(names).items():
            if count > 1:
                yield f"{what} {quoted(name)} is written more than once"


def _body_faults(body: Body) -> Iterator[str]:
    if not JSON_TYPE.fullmatch(body.content_type):
        yield f"a body cannot be {quoted(body.content_type)}"
    for mapping in body.mappings:
        yield from _pointer_faults(mapping.source)
        yield from _pointer_faults(mapping.target)
    targets = [Pointer(mapping.target).tokens for mapping in body.mappings]
    for target in targets:
        numeric = next((token for token in target if ARRAY_TOKEN.fullmatch(token)), None)
        if numeric is not None:
            yield f"body target {quoted(join(target))} has the token {quoted(numeric)}"
        yield from _text_faults(*target)
    yield from _overlaps(targets)


def _overlaps(targets: Iterable[tuple[str, ...]]) -> Iterator[str]:
    """Yield each target that equals another or lies inside it: in order, such two are neighbours."""
    before: tuple[str, ...] | None = None
    for target in sorted(targets):
        if before is not None and target[: len(before)] == before:
            yield f"body target {quoted(join(target))} is written more than once"
        else:
            before = target


def _pointer_faults(text: str) -> Iterator[str]:
    try:
        Pointer(text)
    except DocumentInvalid as refused:
        yield refused.faults[0].message


def _text_faults(*texts: str) -> Iterator[str]:
    for text in texts:
        if not text.isascii() and text != text.encode(errors="ignore").decode():
            yield f"{quoted(text)} holds a lone surrogate"
