"""The files of a Package: encoded from a Definition, or with one line changed."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Final

from extpkg.canonical import canonical_json
from extpkg.definition.build import default_explode
from extpkg.definition.fresh import fresh_text
from extpkg.definition.order import Kind, arranged, sorted_data, sorted_schema
from extpkg.definition.projection import digest, project, projection
from extpkg.document.lines import Lines
from extpkg.document.strict_yaml import parse_document
from extpkg.errors import DocumentInvalid, ExtpkgError
from extpkg.limits import RESULT_BYTES

if TYPE_CHECKING:
    from collections.abc import Mapping

    from extpkg.definition.model import Definition
    from extpkg.diagnostic import Position
    from extpkg.document.document import Document

_MARK: Final = "\ufeff"


@dataclass(frozen=True, slots=True, kw_only=True)
class Provenance:
    """What the files of a Package say beside its Definition: where it comes from, what a person may see.

    `source` is the field of that name in `meta.yaml`, `default` the profile that `auth.default` names,
    `operations` the `source_operation_id` of each action that has one.
    """

    source: dict[str, str] | None = None
    default: str | None = None
    operations: Mapping[str, str] = field(default_factory=dict)


_UNKNOWN: Final = Provenance()


def encode(definition: Definition, provenance: Provenance = _UNKNOWN) -> dict[str, bytes]:
    """Return the files of a Package that means exactly this: `meta.yaml` and `actions/<name>.yaml`.

    Equal Definitions give equal bytes, whatever order and formatting they were read from; reading the files
    again gives the normalized Definition and the digest that `meta.yaml` says. Defaults are left out where
    the seed's own files leave them out. What the projection has not is there as far as `provenance` says it.
    """
    actions = {
        f"actions/{each['name']}.yaml": encode_action(each, provenance.operations.get(each["name"]))
        for each in project(definition)["actions"]
    }
    return {"meta.yaml": encode_meta(definition, digest(projection(definition)), provenance)} | actions


def encode_meta(definition: Definition, hashed: str, provenance: Provenance = _UNKNOWN) -> bytes:
    """Return the `meta.yaml` of a Definition whose digest is known."""
    value = project(replace(definition, actions=()))
    names = sorted(action.name for action in definition.actions)
    meta = {
        "schema_version": 1,
        "digest": hashed,
        **{key: value[key] for key in ("domain", "version", "name", "description")},
        **({"endpoint": value["endpoint"]} if value["endpoint"] else {}),
        **({"source": provenance.source} if provenance.source else {}),
        **({"auth": _profiles(value["auth"], provenance)} if value["auth"]["profiles"] else {}),
        "actions": [{"name": name, "file": f"actions/{name}.yaml"} for name in names],
    }
    return _file(meta, Kind.META)


def encode_action(projected: dict[str, Any], operation: str | None = None) -> bytes:
    """Return the file of one action of a projection, and of the operation that it comes from."""
    said = {"source_operation_id": operation} if operation else {}
    return _file({**_action(projected), **said}, Kind.ACTION)


def _profiles(auth: dict[str, Any], provenance: Provenance) -> dict[str, Any]:
    return {"default": provenance.default, **auth} if provenance.default else auth


def _action(projected: dict[str, Any]) -> dict[str, Any]:
    """Take out of a projected action what is said by leaving it out."""
    binding = projected["binding"]
    auth = projected["auth"]
    catalog = projected["catalog"]
    value = {"name": projected["name"], "catalog": _catalog(catalog)}
    if auth:
        value["auth"] = {key: member for key, member in auth.items() if member != []}
    if binding:
        value["binding"] = {key: member for key, member in binding.items() if member not in ({}, [], None)}
        value["binding"]["response"] = _without_defaults(
            binding["response"], max_bytes=RESULT_BYTES, content_types=[]
        )
        if binding["parameters"]:
            value["binding"]["parameters"] = [_parameter(parameter) for parameter in binding["parameters"]]
    return value


def _catalog(catalog: dict[str, Any]) -> dict[str, Any]:
    value = {
        **catalog,
        "input_schema": sorted_schema(catalog["input_schema"]),
        "output_schema": sorted_schema(catalog["output_schema"]),
        "example": sorted_data(catalog["example"]),
    }
    return _without_defaults(value, example=None)


def _parameter(parameter: dict[str, Any]) -> dict[str, Any]:
    said = _without_defaults(parameter, explode=default_explode(parameter["style"]))
    return _without_defaults(said, style="simple") if parameter["in"] == "path" else said


def _without_defaults(value: dict[str, Any], **defaults: Any) -> dict[str, Any]:
    return {key: member for key, member in value.items() if key not in defaults or member != defaults[key]}


def _file(value: dict[str, Any], kind: Kind) -> bytes:
    return fresh_text(arranged(value, kind), kind).encode()


def set_digest(data: bytes, document: Document, value: str) -> bytes:
    """Return the bytes of `meta.yaml` with another digest and every other byte as it was.

    `document` is the reading of `data`. Quotes stay as they are. Where there is no digest it gets a line of
    its own behind that of `schema_version`. Raises `ExtpkgError` where neither is there to be changed.
    """
    whole = data.decode()
    text = whole.removeprefix(_MARK)
    lines = Lines(text)
    members = document.value if isinstance(document.value, dict) else {}
    if "digest" in members:
        changed = _replaced(text, lines, document, value)
    elif "schema_version" in members:
        changed = _inserted(text, lines, document, value)
    else:
        raise ExtpkgError("the digest has no place: there is no schema_version")
    written = (whole[: len(whole) - len(text)] + changed).encode()
    if not _says(written, {**members, "digest": value}):
        raise ExtpkgError("the digest cannot be written without changing more than its line")
    return written


def _says(data: bytes, value: Any) -> bool:
    try:
        return canonical_json(parse_document(data).value) == canonical_json(value)
    except DocumentInvalid:
        return False


def _offsets(lines: Lines, position: Position) -> tuple[int, int]:
    return (
        lines.start(position.line) + position.column - 1,
        lines.start(position.end_line) + position.end_column - 1,
    )


def _replaced(text: str, lines: Lines, document: Document, value: str) -> str:
    start, end = _offsets(lines, document.position("/digest"))
    if start == end:
        _, key_end = _offsets(lines, document.key_position("/digest"))
        start = end = text.index(":", key_end) + 1
        return f"{text[:start]} {value}{text[end:]}"
    quote = text[start] if text[start] in "\"'" else ""
    return f"{text[:start]}{quote}{value}{quote}{text[end:]}"


def _inserted(text: str, lines: Lines, document: Document, value: str) -> str:
    _, end = _offsets(lines, document.position("/schema_version"))
    if text[_offsets(lines, document.position(""))[0]] == "{":
        return f"{text[:end]}, digest: {value}{text[end:]}"
    line = document.position("/schema_version").end_line
    indent = " " * (document.key_position("/schema_version").column - 1)
    at = lines.start(line + 1)
    if at == len(text) and not text.endswith(("\n", "\r")):
        newline = "\r\n" if "\r\n" in text else "\n"
        return f"{text}{newline}{indent}digest: {value}{newline}"
    newline = text[lines.start(line) + len(lines.line_text(line)) : at]
    return f"{text[:at]}{indent}digest: {value}{newline}{text[at:]}"
