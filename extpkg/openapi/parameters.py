"""Parameters of an operation as inputs with a place in the path, the query or a header (R-BIND-3 to 6)."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final

from extpkg.check.characters import unfit
from extpkg.diagnostic import quoted
from extpkg.openapi.credentials import is_credential
from extpkg.openapi.examples import said_examples
from extpkg.openapi.node import Node
from extpkg.openapi.note import Note, Unusable
from extpkg.openapi.schemas import convert
from extpkg.openapi.texts import cleaned
from extpkg.openapi.wire import Misfit, fitted_schema
from extpkg.resources import is_reserved_header

if TYPE_CHECKING:
    from collections.abc import Iterator

    from extpkg.openapi.inventory import Operation
    from extpkg.openapi.security import Resolved, Security
    from extpkg.openapi.source import Source

_TOKEN: Final = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
_VALUE: Final = re.compile(r"[!-~](?:[ -~]*[!-~])?")
_VERSION: Final = re.compile(r"(?:.*-)?(?:api-)?version", re.IGNORECASE)
_IGNORED: Final = frozenset({"accept", "content-type", "authorization"})
_STYLES: Final = {"path": "simple", "query": "form", "header": "simple"}
_COLLECTIONS: Final = ("csv", "multi")
_NOT_SCHEMA: Final = frozenset(
    {"name", "in", "required", "description", "collectionFormat", "allowEmptyValue", "example", "examples"}
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Bound:
    """One parameter as an input: `name` is that of the wire, `examples` what the document gives as values."""

    location: str
    name: str
    schema: dict[str, Any]
    definitions: dict[str, Any]
    required: bool
    explode: bool
    examples: tuple[Any, ...]
    pointer: str


@dataclass(slots=True, kw_only=True)
class Parameters:
    """All parameters of an operation; `form` and `body` are those of 2.0 that make a body."""

    bound: list[Bound]
    static_headers: dict[str, str]
    form: list[Node]
    body: Node | None
    notes: list[Note]


class _Dropped(Exception):
    """A parameter that cannot be an input; `code` is the reason where it is required."""

    def __init__(self, code: str, message: str) -> None:
        self.code = code
        self.message = message
        super().__init__(message)


def read_parameters(
    source: Source, operation: Operation, names: tuple[str, ...], security: Security, resolved: Resolved
) -> Parameters:
    """Return the parameters of an operation whose path has the placeholders `names`.

    Raises `Unusable` where a required parameter cannot be sent, a reference leads nowhere, or a placeholder
    is not declared.
    """
    found = Parameters(bound=[], static_headers={}, form=[], body=None, notes=[])
    reader = _Reader(source, security, resolved, names, found)
    for node in _merged(source, operation):
        reader.read(node)
    declared = {each.name for each in found.bound if each.location == "path"}
    missing = next((name for name in names if name not in declared), None)
    if missing is not None:
        message = f"placeholder {quoted(missing)} of the path is declared nowhere"
        raise Unusable("path-placeholder-undeclared", message, operation.node)
    return found


def _merged(source: Source, operation: Operation) -> Iterator[Node]:
    """Return the parameters of the path items and the operation; the nearest of one name and place counts."""
    lists = [*reversed(list(operation.field("parameters")))]
    own = operation.node.get("parameters")
    merged: dict[tuple[str, str], Node] = {}
    for listed in [*lists, *([own] if own is not None else [])]:
        for each in listed.elements():
            node = source.follow(each)
            location, name = _text(node, "in"), _text(node, "name")
            merged[location, name.lower() if location == "header" else name] = node
    return iter(merged.values())


class _Reader:
    """Reads one parameter after the other into what was found."""

    def __init__(
        self,
        source: Source,
        security: Security,
        resolved: Resolved,
        names: tuple[str, ...],
        found: Parameters,
    ) -> None:
        self._source = source
        self._security = security
        self._resolved = resolved
        self._names = names
        self._found = found

    def read(self, node: Node) -> None:
        """Read a parameter. Raises `Unusable` where the operation cannot do without what is lost."""
        location, name = _text(node, "in"), _text(node, "name")
        if location == "body" and self._source.version == "2.0":
            self._found.body = node
        elif location == "formData" and self._source.version == "2.0":
            self._found.form.append(node)
        elif location == "header" and name.lower() in _IGNORED:
            self._ignored(node, name)
        elif location in {"header", "query", "cookie"} and self._is_credential(location, name):
            self._credential(node, location, name)
        else:
            self._ordinary(node, location, name)

    def _is_credential(self, location: str, name: str) -> bool:
        return is_credential(name) or self._security.is_key(location, name)

    def _ordinary(self, node: Node, location: str, name: str) -> None:
        required = location == "path" or _is_true(node, "required")
        try:
            self._check_place(location, name)
            style = self._style(node, location)
            bound = self._bound(node, location, name, explode=style, required=required)
        except _Dropped as dropped:
            lost = Unusable(dropped.code, f"{self._named(location, name)}: {dropped.message}", node)
        else:
            self._add(bound, node)
            return
        if required and not (location == "path" and name not in self._names):
            raise lost
        self._note(node, lost.code, f"{lost.message}; it is left out")

    def _add(self, bound: Bound, node: Node) -> None:
        if bound.location == "path" and bound.name not in self._names:
            message = f"path parameter {quoted(bound.name)} has no placeholder in the path; it is left out"
            self._note(node, "param-path-unused", message)
            return
        fixed = _fixed_header(bound)
        if fixed is not None:
            message = f"header {quoted(bound.name)} is always sent as {quoted(fixed)}; no input sets it"
            self._note(node, "header-made-static", message)
            self._found.static_headers[bound.name.lower()] = fixed
            return
        self._found.bound.append(bound)

    def _check_place(self, location: str, name: str) -> None:
        if location == "cookie":
            raise _Dropped("param-cookie", "no action sends cookies")
        if location not in _STYLES:
            raise _Dropped("param-location", f"it stands in {quoted(location)}, where no parameter can stand")
        if not name:
            raise _Dropped("param-name", "it has no name")
        if unfit(name):
            raise _Dropped("param-name", "its name hides characters")
        if location == "header" and is_reserved_header(name):
            raise _Dropped("param-header-reserved", "only the engine writes this header")
        if location == "header" and not _TOKEN.fullmatch(name):
            raise _Dropped("param-name", "its name is no header name")

    def _style(self, node: Node, location: str) -> bool:
        """Return whether the items of an array become parameters of their own."""
        if self._source.version == "2.0":
            collection = _text(node, "collectionFormat") or "csv"
            if collection not in _COLLECTIONS and _text(node, "type") == "array":
                raise _Dropped(f"param-style-{collection}", f"its items are joined by {quoted(collection)}")
            return location == "query" and (collection == "multi" or _text(node, "type") != "array")
        if node.get("schema") is None and node.get("content") is not None:
            raise _Dropped("param-content", "its value is a document of its own")
        wanted = _STYLES[location]
        style = _text(node, "style") or wanted
        if style != wanted:
            raise _Dropped(f"param-style-{style}", f"its style {quoted(style)} cannot be sent")
        explode = node.get("explode")
        return wanted == "form" and not (explode is not None and explode.value is False)

    def _bound(self, node: Node, location: str, name: str, *, explode: bool, required: bool) -> Bound:
        schema = _schema_of(node, self._source)
        converted = convert(self._source, schema, "input")
        self._found.notes.extend(converted.notes)
        try:
            fitted = fitted_schema(converted.schema, converted.definitions)
        except Misfit as misfit:
            raise _Dropped(f"param-{location}-{misfit.code}", misfit.message) from None
        if fitted.code:
            self._note(node, fitted.code, f"{self._named(location, name)}: {fitted.message}")
        is_array = fitted.schema.get("type") == "array"
        return Bound(
            location=location,
            name=name,
            schema=_described(fitted.schema, node),
            definitions=converted.definitions,
            required=required,
            explode=explode
            if is_array or location != "query"
            else _may_be_array(fitted.schema, explode=explode),
            examples=said_examples(self._source, node, schema),
            pointer=node.pointer,
        )

    def _ignored(self, node: Node, name: str) -> None:
        """Make `Accept` static where the document says its value; the engine writes the other two."""
        if name.lower() != "accept":
            code = "param-header-reserved" if name.lower() == "authorization" else "param-header-ignored"
            self._note(node, code, f"header {quoted(name)} is written by the engine and is no input")
            return
        value = _only_value(_schema_of(node, self._source), self._source)
        if value is None:
            self._note(node, "param-header-ignored", "header Accept is no input; the document gives no value")
            return
        self._found.static_headers["accept"] = value

    def _credential(self, node: Node, location: str, name: str) -> None:
        profile = self._resolved.profile
        if profile is not None and profile.location == location and profile.name is not None:
            same = profile.name.lower() == name.lower() if location == "header" else profile.name == name
            if same:
                return
        what = self._named(location, name)
        if _is_true(node, "required") and profile is None:
            message = f"{what} is a credential that it requires, and the document declares no scheme for it"
            raise Unusable("credential-required", message, node)
        self._note(node, "credential-parameter", f"{what} is a credential and no input; it is left out")

    def _named(self, location: str, name: str) -> str:
        return f"{location} parameter {quoted(name)}"

    def _note(self, node: Node, code: str, message: str) -> None:
        self._found.notes.append(Note(pointer=node.pointer, code=code, message=message))


def _schema_of(node: Node, source: Source) -> Node:
    if source.version == "2.0":
        value = {key: member for key, member in node.value.items() if key not in _NOT_SCHEMA}
        return replace(node, value=value)
    return node.get("schema") or Node({}, node.file, node.pointer)


def _described(schema: dict[str, Any], node: Node) -> dict[str, Any]:
    """Return a schema with the description of its parameter, which says more than that of a shared schema."""
    description = node.get("description")
    text = (
        cleaned(description.value) if description is not None and isinstance(description.value, str) else ""
    )
    said = {"description": text} if text else {}
    gone = {"deprecated": True} if _is_true(node, "deprecated") else {}
    return {**schema, **said, **gone} if said or gone else schema


def _fixed_header(bound: Bound) -> str | None:
    """Return the value of a header that leaves no choice, or that names the version of the interface."""
    if bound.location != "header":
        return None
    schema = bound.schema
    enum = schema.get("enum")
    value = schema.get("const", enum[0] if isinstance(enum, list) and len(enum) == 1 else None)
    if value is None or not bound.required:
        value = schema.get("default") if _VERSION.fullmatch(bound.name) else None
    return value if isinstance(value, str) and _VALUE.fullmatch(value) else None


def _only_value(node: Node, source: Source) -> str | None:
    schema = source.follow(node).value
    members = schema if isinstance(schema, dict) else {}
    enum = members.get("enum")
    values = [members.get("default"), members.get("const")]
    values += enum if isinstance(enum, list) and len(enum) == 1 else []
    return next((value for value in values if isinstance(value, str) and _VALUE.fullmatch(value)), None)


def _may_be_array(schema: dict[str, Any], *, explode: bool) -> bool:
    """Return the explode of a parameter: for one that is never an array the default, which means nothing."""
    kind = schema.get("type")
    return explode if kind is None or isinstance(kind, list) else True


def _is_true(node: Node, name: str) -> bool:
    found = node.get(name)
    return found is not None and found.value is True


def _text(node: Node, name: str) -> str:
    found = node.get(name)
    return found.value if found is not None and isinstance(found.value, str) else ""
