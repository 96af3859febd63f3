"""A sound binding made ready: what can be written before an input is known is written once (R-REQ)."""

from __future__ import annotations

from dataclasses import dataclass
from json.encoder import encode_basestring
from typing import TYPE_CHECKING, Any, Final

from extpkg.binding.body import body_bytes
from extpkg.binding.parameters import (
    PLACEHOLDER,
    checked_segment,
    encode_value,
    encoded_pairs,
    header_value,
    percent_encode,
    unbindable,
)
from extpkg.binding.source import ABSENT, read
from extpkg.canonical import canonical_text
from extpkg.errors import DocumentInvalid
from extpkg.exchange import Request
from extpkg.limits import DOCUMENT_DEPTH
from extpkg.pointer import Pointer

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from extpkg.binding.body import Route
    from extpkg.definition.model import Binding, Body, Parameter

Tokens = tuple[str, ...]
Headers = tuple[tuple[str, str], ...]
Fields = tuple[tuple[str, Tokens, "Fields"], ...]
"""Members of a body in RFC 8785 order: the text up to a member's value, where the value comes from (empty for
an object that is built), and the members of that object."""

_NONE: Final[Headers] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Segment:
    """One segment of a path that holds placeholders; `pieces` are literals and the sources between them."""

    template: str
    source: Tokens
    pieces: tuple[str | Tokens, ...]

    def write(self, value: Any) -> str:
        """Return the segment as it stands in the path; `DocumentInvalid` where it cannot be written."""
        filled = [
            each if isinstance(each, str) else encode_value(_present(value, each)) for each in self.pieces
        ]
        return checked_segment(self.template, "".join(filled))


@dataclass(frozen=True, slots=True, kw_only=True)
class Query:
    """One `form` parameter; `name` is percent-encoded."""

    name: str
    source: Tokens
    explode: bool

    def write(self, value: Any) -> list[str]:
        """Return its pairs, none where it is left out; `DocumentInvalid` where it cannot be written."""
        found = read(value, self.source)
        return [] if found is ABSENT else encoded_pairs(self.name, found, explode=self.explode)


@dataclass(frozen=True, slots=True, kw_only=True)
class Header:
    """One `simple` header parameter; `name` is lower case."""

    name: str
    source: Tokens

    def write(self, value: Any) -> Headers:
        """Return its one pair, none where it is left out; `DocumentInvalid` where it cannot be written."""
        found = read(value, self.source)
        text = None if found is ABSENT else header_value(found)
        return _NONE if text is None else ((self.name, text),)


@dataclass(frozen=True, slots=True, kw_only=True)
class Program:
    """One binding, ready to write the request of any input that its schema accepts.

    `path` begins with the origin; `fixed` are the static headers, `typed` the same with the body's type.
    """

    method: str
    path: tuple[str | Segment, ...]
    query: tuple[Query, ...]
    headers: tuple[Header, ...]
    fixed: Headers
    typed: Headers
    routes: tuple[Route, ...] | None
    fields: Fields | None

    def write(self, value: Any) -> Request:
        """Return the request of an input (R-REQ-2 to 6); `DocumentInvalid` where one cannot be written."""
        path = "/".join([each if isinstance(each, str) else each.write(value) for each in self.path])
        pairs = [pair for each in self.query for pair in each.write(value)]
        body = self._body(value)
        headers = self.fixed if body is None else self.typed
        if self.headers:
            bound = [pair for each in self.headers for pair in each.write(value)]
            headers = tuple(sorted([*headers, *bound]))
        url = f"{path}?{'&'.join(pairs)}" if pairs else path
        return Request(method=self.method, url=url, headers=headers, body=body)

    def refusals(self, value: Any) -> Iterator[tuple[Tokens, str]]:
        """Yield each source that cannot be written, and why; nothing where `write` raises nothing."""
        segments = [each for each in self.path if isinstance(each, Segment)]
        parts: list[Segment | Query | Header] = [*segments, *self.query, *self.headers]
        for each in parts:
            try:
                each.write(value)
            except DocumentInvalid as refused:
                yield each.source, refused.faults[0].message
        try:
            self._body(value)
        except DocumentInvalid as refused:
            yield (), f"its body: {refused.faults[0].message}"

    def _body(self, value: Any) -> bytes | None:
        if self.fields is not None:
            return _object_text(self.fields, value).encode()
        return None if self.routes is None else body_bytes(self.routes, value)


def compile_binding(base_url: str, binding: Binding) -> Program:
    """Return the program of a binding that `unsound` has nothing against."""
    body = binding.body
    fixed = tuple(sorted((name.lower(), value) for name, value in binding.static_headers))
    routes = None if body is None else _routes(body)
    return Program(
        method=binding.method,
        path=tuple(_path(base_url, binding)),
        query=_query(binding.parameters),
        headers=tuple(
            Header(name=each.name.lower(), source=Pointer(each.source).tokens)
            for each in binding.parameters
            if each.location == "header"
        ),
        fixed=fixed,
        typed=fixed if body is None else tuple(sorted([*fixed, ("content-type", body.content_type)])),
        routes=routes,
        fields=None if routes is None else _fields(routes),
    )


def _path(base_url: str, binding: Binding) -> Iterator[str | Segment]:
    """Yield the origin and the segments of the path; literals that follow each other are one."""
    sources = {
        each.name: Pointer(each.source).tokens for each in binding.parameters if each.location == "path"
    }
    literal = [base_url.removesuffix("/")]
    for template in binding.path.split("/")[1:]:
        pieces = PLACEHOLDER.split(template)
        if len(pieces) == 1:
            literal.append(template)
            continue
        if literal:
            yield "/".join(literal)
            literal = []
        placed = [sources[each] if index % 2 else each for index, each in enumerate(pieces)]
        held = tuple([each for each in placed if each != ""])
        yield Segment(template=template, source=sources[pieces[1]], pieces=held)
    if literal:
        yield "/".join(literal)


def _query(parameters: Iterable[Parameter]) -> tuple[Query, ...]:
    found = [
        Query(name=percent_encode(each.name), source=Pointer(each.source).tokens, explode=each.explode)
        for each in parameters
        if each.location == "query"
    ]
    return tuple(sorted(found, key=lambda each: each.name))


def _routes(body: Body) -> tuple[Route, ...]:
    return tuple((Pointer(each.source).tokens, Pointer(each.target).tokens) for each in body.mappings)


def _fields(routes: tuple[Route, ...]) -> Fields | None:
    """Return the members that routes build, None where the whole body is one value, or very deep."""
    if any(not target or len(target) > DOCUMENT_DEPTH for _, target in routes):
        return None
    tree: dict[str, Any] = {}
    for source, target in routes:
        place = tree
        for token in target[:-1]:
            place = place.setdefault(token, {})
        place[target[-1]] = source
    return _ordered(tree)


def _ordered(tree: dict[str, Any]) -> Fields:
    names = sorted(tree, key=lambda name: name.encode("utf-16-be"))
    return tuple(
        (f"{encode_basestring(name)}:", (), _ordered(tree[name]))
        if type(tree[name]) is dict
        else (f"{encode_basestring(name)}:", tree[name], ())
        for name in names
    )


def _object_text(fields: Fields, value: Any) -> str:
    return "{" + ",".join(_members(fields, value)) + "}"


def _members(fields: Fields, value: Any) -> list[str]:
    members = []
    for start, source, inner in fields:
        if inner:
            inside = _members(inner, value)
            if inside:
                members.append(f"{start}{{{','.join(inside)}}}")
            continue
        found = read(value, source)
        if type(found) is str:
            members.append(start + encode_basestring(found))
        elif found is not ABSENT:
            members.append(start + canonical_text(found))
    return members


def _present(value: Any, source: Tokens) -> Any:
    found = read(value, source)
    if found is ABSENT:
        raise unbindable("it is absent, and the path needs it")
    return found
