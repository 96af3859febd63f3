"""One operation as one action, or all the reasons why it is none."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from extpkg.definition.model import Action, Binding, Catalog
from extpkg.json_schema.keywords import DIALECT
from extpkg.openapi.body import read_body
from extpkg.openapi.examples import example_of
from extpkg.openapi.inputs import Inputs, combine, reachable
from extpkg.openapi.note import Note, Unusable
from extpkg.openapi.pages import is_unpaged
from extpkg.openapi.parameters import read_parameters
from extpkg.openapi.paths import template
from extpkg.openapi.responses import read_responses
from extpkg.openapi.safety import judge
from extpkg.openapi.schemas_cut import cut
from extpkg.openapi.security import Resolved
from extpkg.openapi.server import operation_prefix
from extpkg.openapi.smallest import NONE
from extpkg.openapi.texts import (
    DESCRIPTION_CHARACTERS,
    SUMMARY_CHARACTERS,
    as_words,
    cleaned,
    first_sentence,
    fitted,
    folded,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from extpkg.definition.model import Profile
    from extpkg.openapi.body import BodyInputs
    from extpkg.openapi.inventory import Operation
    from extpkg.openapi.parameters import Parameters
    from extpkg.openapi.paths import Template
    from extpkg.openapi.responses import Answers
    from extpkg.openapi.security import Security
    from extpkg.openapi.server import Endpoint
    from extpkg.openapi.source import Source

OUTPUT_BYTES: Final = 16 << 10
"""Bytes of an output schema, as compact JSON, above which it is cut."""

INPUT_BYTES: Final = 64 << 10
"""Bytes of an input schema above which its weight is reported."""

_encode: Final = json.JSONEncoder(ensure_ascii=False, check_circular=False, separators=(",", ":")).encode
_FRAME: Final = len(_encode({"$schema": DIALECT, "$defs": {}}))


@dataclass(frozen=True, slots=True, kw_only=True)
class Taken:
    """An action made of an operation, the profile that it needs, and what was changed on the way."""

    action: Action
    profile: Profile | None
    notes: tuple[Note, ...]


class LeftOut(Exception):
    """An operation that makes no action; `reasons` are all that stand against it."""

    def __init__(self, reasons: Sequence[Unusable]) -> None:
        self.reasons = tuple(reasons)
        super().__init__(reasons[0].message)


@dataclass(frozen=True, slots=True, kw_only=True)
class Document:
    """What all operations of one document share; `weights` are the bytes of definitions that were weighed."""

    source: Source
    endpoint: Endpoint
    security: Security
    weights: dict[int, tuple[Any, int]]


def take(document: Document, operation: Operation, name: str) -> Taken:
    """Return the action that an operation makes. Raises `LeftOut` with every reason against it."""
    parts = _Parts(document, operation)
    parts.read()
    if parts.reasons:
        raise LeftOut(parts.reasons)
    try:
        return _assembled(document, operation, name, parts)
    except Unusable as unusable:
        raise LeftOut((unusable,)) from None


class _Parts:
    """The parts of an operation, each read although another cannot be: all reasons are told at once."""

    template: Template
    resolved: Resolved
    parameters: Parameters
    answers: Answers

    def __init__(self, document: Document, operation: Operation) -> None:
        self._document = document
        self._operation = operation
        self.reasons: list[Unusable] = []
        self.body: BodyInputs | None = None
        self.prefix = ""

    def read(self) -> None:
        source, operation = self._document.source, self._operation
        self._try(self._read_prefix)
        self._try(self._read_template)
        self._try(self._read_security)
        refused = bool(self.reasons)
        self._try(self._read_parameters)
        if hasattr(self, "parameters"):
            self._try(lambda: setattr(self, "body", read_body(source, operation, self.parameters)))
        self._try(lambda: setattr(self, "answers", read_responses(source, operation)))
        if refused:
            self.reasons = [each for each in self.reasons if each.code not in _CONSEQUENCES]

    def _try(self, read: Callable[[], None]) -> None:
        try:
            read()
        except Unusable as unusable:
            self.reasons.append(unusable)

    def _read_prefix(self) -> None:
        self.prefix = operation_prefix(self._document.endpoint, self._operation, self._document.source)

    def _read_template(self) -> None:
        self.template = template(self._operation, self.prefix)

    def _read_security(self) -> None:
        self.resolved = self._document.security.resolve(self._operation)

    def _read_parameters(self) -> None:
        names = self.template.names if hasattr(self, "template") else ()
        resolved = self.resolved if hasattr(self, "resolved") else Resolved(None, None, ())
        self.parameters = read_parameters(
            self._document.source, self._operation, names, self._document.security, resolved
        )


_CONSEQUENCES: Final = frozenset({"credential-required", "path-placeholder-undeclared"})
"""Reasons that may only be there because another part could not be read."""


def _assembled(document: Document, operation: Operation, name: str, parts: _Parts) -> Taken:
    judged = judge(operation, name)
    inputs = combine(parts.parameters.bound, parts.body, operation.node)
    example = example_of(inputs.schema, inputs.wanted, parts.body.whole if parts.body else ())
    if example is NONE and judged.safety.classification != "read":
        message = "no example was found that its input accepts, and what changes something must have one"
        raise Unusable("example-not-found", message, operation.node)
    summary, description, notes = _texts(operation, name)
    output, cut_notes = _output(document, parts.answers, operation)
    notes += [
        *cut_notes,
        *judged.notes,
        *parts.template.notes,
        *parts.resolved.notes,
        *parts.parameters.notes,
        *(parts.body.notes if parts.body else ()),
        *parts.answers.notes,
        *_warnings(operation, inputs, output),
    ]
    catalog = Catalog(
        summary=summary,
        description=description,
        safety=judged.safety,
        input_schema=inputs.schema,
        output_schema=output,
        example=None if example is NONE else example,
    )
    return Taken(
        action=Action(
            name=name, auth=parts.resolved.auth, catalog=catalog, binding=_binding(operation, parts, inputs)
        ),
        profile=parts.resolved.profile,
        notes=tuple(sorted(set(notes))),
    )


def _binding(operation: Operation, parts: _Parts, inputs: Inputs) -> Binding:
    headers = dict(parts.parameters.static_headers)
    if parts.answers.accept is not None:
        headers.setdefault("accept", parts.answers.accept)
    return Binding(
        method=operation.method,
        path=parts.template.path,
        static_headers=tuple(sorted(headers.items())),
        parameters=inputs.parameters,
        body=inputs.body,
        response=parts.answers.response,
    )


def _output(document: Document, answers: Answers, operation: Operation) -> tuple[dict[str, Any], list[Note]]:
    """Return the output schema, cut where it is too long to read."""
    schema, definitions = answers.schema, answers.definitions
    if schema is True:
        schema = {}
    elif schema is False:
        schema = {"not": {}}
    used = reachable([schema], definitions)
    weight = _FRAME + len(_encode(schema).encode()) + sum(_weight(document, *each) for each in used.items())
    notes: list[Note] = []
    if weight > OUTPUT_BYTES:
        schema, used = cut(schema, used, OUTPUT_BYTES - _FRAME)
        message = f"its output schema has {weight:,} bytes; what is beyond {OUTPUT_BYTES:,} is left open"
        notes.append(Note(pointer=operation.pointer, code="output-cut", message=message))
    return {"$schema": DIALECT, **schema, **({"$defs": used} if used else {})}, notes


def _weight(document: Document, name: str, definition: Any) -> int:
    """Return the bytes of one definition; definitions are shared among operations and weighed once."""
    known = document.weights.get(id(definition))
    if known is None:
        known = document.weights[id(definition)] = definition, len(_encode(definition).encode()) + 4
    return known[1] + len(name)


def _warnings(operation: Operation, inputs: Inputs, output: dict[str, Any]) -> list[Note]:
    notes: list[Note] = []
    weight = len(_encode(inputs.schema).encode())
    if weight > INPUT_BYTES:
        message = f"its input schema has {weight:,} bytes, which an Agent has to read"
        notes.append(Note(pointer=operation.pointer, code="input-large", message=message))
    if operation.method == "GET" and is_unpaged([each.name for each in inputs.parameters], output):
        message = (
            "it answers a list and has no parameter that is known to bound it; a result over 64 KiB fails"
        )
        notes.append(Note(pointer=operation.pointer, code="collection-unpaged", message=message))
    deprecated = operation.node.get("deprecated")
    if deprecated is not None and deprecated.value is True:
        message = "the document calls the operation deprecated"
        notes.append(Note(pointer=deprecated.pointer, code="deprecated", message=message))
    return notes


def _texts(operation: Operation, name: str) -> tuple[str, str, list[Note]]:
    """Return summary and description, and notes where one was cut."""
    said = {field: _text(operation, field) for field in ("summary", "description")}
    summary = folded(said["summary"]) or first_sentence(said["description"]) or as_words(name)
    description = cleaned(said["description"]) or folded(said["summary"]) or summary
    notes: list[Note] = []
    fits = []
    for field, text, most in (
        ("summary", summary, SUMMARY_CHARACTERS),
        ("description", description, DESCRIPTION_CHARACTERS),
    ):
        line = fitted(text, most)
        fits.append(line.text)
        if line.cut:
            message = f"its {field} has {len(text):,} characters and was cut to {most:,}"
            notes.append(Note(pointer=operation.pointer, code="text-cut", message=message))
    return fits[0], fits[1], notes


def _text(operation: Operation, field: str) -> str:
    found = operation.node.get(field)
    return found.value if found is not None and isinstance(found.value, str) else ""
