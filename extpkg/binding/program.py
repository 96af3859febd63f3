"""A sound binding made ready: what can be written before an input is known is written once (R-REQ)."""

from __future__ import annotations

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


class Segment:
    """One segment of a path that holds placeholders; `pieces` are literals and the sources between them."""

    __slots__ = ("pieces", "source", "template")

    def __init__(self, template: str, source: Tokens, pieces: tuple[str | Tokens, ...]) -> None:
        self.template = template
        self.source = source
        self.pieces = pieces

    def write(self, value: Any) -> str:
        """Return the segment as it stands in the path; `DocumentInvalid` where it cannot be written."""
        filled = [
            each if isinstance(each, str) else encode_value(_present(value, each)) for each in self.pieces
        ]
        return checked_segment(self.template, "".join(filled))


class Query:
    """One `form` parameter; `name` is percent-encoded."""

    __slots__ = ("explode", "name", "source")

    def __init__(self, name: str, source: Tokens, *, explode: bool) -> None:
        self.name = name
        self.source = source
        self.explode = explode

    def write(self, value: Any) -> list[str]:
        """Return its pairs, none where it is left out; `DocumentInvalid` where it cannot be written."""
        found = read(value, self.source)
        return [] if found is ABSENT else encoded_pairs(self.name, found, explode=self.explode)


class Header:
    """One `simple` header parameter; `name` is lower case."""

    __slots__ = ("name", "source")

    def __init__(self, name: str, source: Tokens) -> None:
        self.name = name
        self.source = source

    def write(self, value: Any) -> Headers:
        """Return its one pair, none where it is left out; `DocumentInvalid` where it cannot be written."""
        found = read(value, self.source)
        text = None if found is ABSENT else header_value(found)
        return _NONE if text is None else ((self.name, text),)


class Program:
    """One binding, ready to write the request of any input that its schema accepts.

    `path` begins with the origin; `fixed` are the static headers, `typed` the same with the body's type.
    """

    __slots__ = ("_fields", "_fixed", "_headers", "_method", "_path", "_query", "_routes", "_typed")

    def __init__(self, base_url: str, binding: Binding) -> None:
        """Read a binding that `unsound` has nothing against."""
        body, parameters = binding.body, binding.parameters
        fixed = sorted((name.lower(), value) for name, value in binding.static_headers)
        self._method = binding.method
        self._path = tuple(_path(base_url, binding))
        self._query = _query(parameters)
        self._headers = [
            Header(each.name.lower(), Pointer(each.source).tokens)
            for each in parameters
            if each.location == "header"
        ]
        self._fixed = tuple(fixed)
        self._typed = tuple(sorted([*fixed, ("content-type", body.content_type)])) if body else self._fixed
        self._routes = _routes(body) if body else None
        self._fields = _fields(self._routes) if self._routes is not None else None

    def write(self, value: Any) -> Request:
        """Return the request of an input (R-REQ-2 to 6); `DocumentInvalid` where one cannot be written."""
        path = "/".join([each if isinstance(each, str) else each.write(value) for each in self._path])
        pairs = [pair for each in self._query for pair in each.write(value)]
        body = self._body(value)
        headers = self._fixed if body is None else self._typed
        if self._headers:
            bound = [pair for each in self._headers for pair in each.write(value)]
            headers = tuple(sorted([*headers, *bound]))
        url = f"{path}?{'&'.join(pairs)}" if pairs else path
        return Request(method=self._method, url=url, headers=headers, body=body)

    def refusals(self, value: Any) -> Iterator[tuple[Tokens, str]]:
        """Yield each source that cannot be written, and why; nothing where `write` raises nothing."""
        segments = [each for each in self._path if isinstance(each, Segment)]
        parts: list[Segment | Query | Header] = [*segments, *self._query, *self._headers]
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
        if self._fields is not None:
            return _object_text(self._fields, value).encode()
        return None if self._routes is None else body_bytes(self._routes, value)


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
        yield Segment(template, sources[pieces[1]], held)
    if literal:
        yield "/".join(literal)


def _query(parameters: Iterable[Parameter]) -> tuple[Query, ...]:
    found = [
        Query(percent_encode(each.name), Pointer(each.source).tokens, explode=each.explode)
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
