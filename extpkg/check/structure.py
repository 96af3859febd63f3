"""Fields and types of `meta.yaml` and of action files, as the shipped JSON Schemas say (R-DOC-7).

The schemas state more than types: a pattern, a length, a choice. Where a subschema says `x-rule: EXTnnnn`,
those are judged by the check of that rule, which explains them better, and are passed over here; only what
stands beside a `type` as `type`, `required` or `additionalProperties` is always judged here.
"""

from __future__ import annotations

from difflib import get_close_matches
from functools import cache
from typing import TYPE_CHECKING, Any, Final

from extpkg import resources
from extpkg.diagnostic import Finding, Part, Place, quoted
from extpkg.json_schema import compile_schema
from extpkg.pointer import Pointer, escape

if TYPE_CHECKING:
    from collections.abc import Iterator

    from extpkg.json_schema import Schema
    from extpkg.json_schema.shipped import StructureViolation

UNKNOWN_FIELD: Final = "EXT0301"
MISSING_FIELD: Final = "EXT0302"
WRONG_TYPE: Final = "EXT0303"
INVALID_VALUE: Final = "EXT0304"

_ALWAYS_HERE: Final = frozenset({"type", "required", "additionalProperties"})

_WRITTEN_BY: Final = {("meta.yaml", "/digest"): "run extpkg digest --write"}
"""How a field comes about that nobody writes by hand, by its file and pointer."""

_TYPE_NAMES: Final = {
    "object": "a mapping",
    "array": "a list",
    "string": "a string",
    "integer": "an integer",
    "number": "a number",
    "boolean": "true or false",
    "null": "null",
}


def check_meta(value: Any, file: str = "meta.yaml") -> Iterator[Finding]:
    """Yield the unknown and missing fields, wrong types and impossible values of a `meta.yaml` value."""
    yield from _check("meta", value, file)


def check_action(value: Any, file: str) -> Iterator[Finding]:
    """Yield the unknown and missing fields, wrong types and impossible values of an action file's value."""
    yield from _check("action", value, file)


@cache
def _compiled(name: str) -> Schema:
    return compile_schema(resources.schema(name))


def _check(name: str, value: Any, file: str) -> Iterator[Finding]:
    if _compiled(name).accepts(value):
        return
    from extpkg.json_schema.shipped import structure_violations

    schema = resources.schema(name)
    violations = tuple(structure_violations(schema, value))
    mistyped = {violation.pointer for violation in violations if violation.keyword == "type"}
    hollow = {pointer for violation in violations for pointer in _hollow(schema, violation, value)}
    seen: set[tuple[str, str]] = set()
    for violation in violations:
        kind = "fields" if violation.keyword in _ALWAYS_HERE - {"type"} else violation.keyword
        if (violation.pointer, kind) in seen or (violation.pointer in mistyped and kind != "type"):
            continue
        rule = _rule_node(schema, violation)
        if rule is None or violation.pointer in hollow:
            continue
        seen.add((violation.pointer, kind))
        yield from _findings(violation, rule, Pointer(violation.pointer).resolve(value), file)


def _rule_node(schema: dict[str, Any], violation: StructureViolation) -> dict[str, Any] | None:
    """Return the subschema that is violated, or None where another check judges the violation."""
    node: Any = schema
    for token in Pointer(violation.schema_pointer).tokens[:-1]:
        node = node[int(token)] if isinstance(node, list) else node[token]
    governed = "x-rule" in node and not ("type" in node and violation.keyword in _ALWAYS_HERE)
    return None if governed else node


def _hollow(schema: dict[str, Any], violation: StructureViolation, value: Any) -> Iterator[str]:
    """Yield the pointers of empty fields whose members stand beside them: their indentation is one fault."""
    node = _rule_node(schema, violation) if violation.keyword == "additionalProperties" else None
    if node is not None:
        owners = _owners(node, Pointer(violation.pointer).resolve(value))
        yield from (f"{violation.pointer}/{owner}" for owner in owners.values())


def _owners(node: dict[str, Any], value: dict[str, Any]) -> dict[str, str]:
    """Return the unknown fields that follow an empty field and are members of it, each with that field."""
    owners: dict[str, str] = {}
    inside: dict[str, Any] = {}
    owner = ""
    for name, member in value.items():
        if name in node["properties"]:
            owner = name
            inside = node["properties"][name].get("properties", {}) if member is None else {}
        elif name in inside:
            owners[name] = owner
    return owners


def _findings(
    violation: StructureViolation, node: dict[str, Any], value: Any, file: str
) -> Iterator[Finding]:
    if violation.keyword in {"required", "additionalProperties"}:
        yield from _wrong_fields(violation.pointer, node, value, file)
        return
    place = Place(path=file, pointer=violation.pointer)
    if violation.keyword == "type":
        yield _wrong_type(place, node["type"], value)
    else:
        yield _invalid_value(place, node, value)


def _wrong_fields(pointer: str, node: dict[str, Any], value: dict[str, Any], file: str) -> Iterator[Finding]:
    """Yield the unknown and the missing fields of one mapping; a misspelt required field is one fault."""
    known = list(node["properties"])
    missing = [name for name in node.get("required", ()) if name not in value]
    owners = _owners(node, value)
    told: set[str] = set()
    for name in value:
        owner = owners.get(name)
        if name in node["properties"] or owner in told:
            continue
        absent = [other for other in known if other not in value]
        glued, _, rest = name.partition(":")
        close = [glued] if rest and glued in absent else get_close_matches(name, absent, n=1, cutoff=0.6)
        missing = [other for other in missing if other not in close]
        hint = f'rename it to "{close[0]}"' if close else f"remove it; known fields are {', '.join(known)}"
        if close == [glued] and rest:
            hint = f'put a space after "{glued}:"'
        if owner is not None:
            told.add(owner)
            hint = f'indent it under "{owner}:"'
        yield Finding(
            code=UNKNOWN_FIELD,
            place=Place(
                path=file, pointer=f"{pointer}/{escape(name)}", part=Part.KEY, label="not known here"
            ),
            message=f"{_field(pointer, 'the file')} has no field {quoted(name)}",
            help=hint,
        )
    for name in missing:
        yield Finding(
            code=MISSING_FIELD,
            place=Place(path=file, pointer=pointer, part=_holder_part(pointer), label=f'"{name}" is missing'),
            message=f'{_field(pointer, "the file")} lacks the required field "{name}"',
            help=f'add "{name}": {_meaning(node["properties"][name])}',
        )


def _wrong_type(place: Place, expected: str | list[str], value: Any) -> Finding:
    names = [expected] if isinstance(expected, str) else expected
    wanted = " or ".join(_TYPE_NAMES[name] for name in names)
    shown = "a string" if isinstance(value, str) else quoted(value)
    return Finding(
        code=WRONG_TYPE,
        place=Place(path=place.path, pointer=place.pointer, label=f"must be {wanted}"),
        message=f"{_field(place.pointer, 'the file')} must be {wanted}, not {shown}",
        help=_WRITTEN_BY.get((place.path, place.pointer)) or _type_help(names, value, wanted),
    )


def _type_help(names: list[str], value: Any, wanted: str) -> str:
    if "string" in names and isinstance(value, (bool, int, float)):
        return "put the value in quotes"
    if isinstance(value, str) and not {"object", "array"} & set(names):
        return f"write {wanted}, without quotes"
    if "object" in names and isinstance(value, str) and ":" in value:
        return 'put a space after the ":"'
    if "array" in names and isinstance(value, str) and value.startswith("-"):
        return 'put a space after each "-"'
    return f"write {wanted}"


def _invalid_value(place: Place, node: dict[str, Any], value: Any) -> Finding:
    choices = node.get("enum", [node["const"]] if "const" in node else [])
    wanted = ", ".join(quoted(choice) for choice in choices)
    lowered = {choice.lower(): choice for choice in choices if isinstance(choice, str)}
    close = get_close_matches(value.lower(), list(lowered), n=1) if isinstance(value, str) else []
    must = f"must be {'one of ' if len(choices) > 1 else ''}{wanted or 'valid'}"
    return Finding(
        code=INVALID_VALUE,
        place=place,
        message=f"{_field(place.pointer, 'the file')} is {quoted(value)} but {must}",
        help=f"write {lowered[close[0]]}" if close else "",
    )


def _holder_part(pointer: str) -> Part:
    """Return the part of a mapping that is named when something in it is missing: its key, if it has one."""
    last = Pointer(pointer).tokens[-1:]
    return Part.VALUE if not last or last[0].isdecimal() else Part.KEY


def _field(pointer: str, root: str) -> str:
    """Return what to call the value at a pointer of these files: `"name"`, `an entry of "actions"`."""
    tokens = Pointer(pointer).tokens
    if not tokens:
        return root
    if tokens[-1].isdecimal() and len(tokens) > 1:
        return f"an entry of {quoted(tokens[-2])}"
    return quoted(tokens[-1])


def _meaning(node: dict[str, Any]) -> str:
    """Return the first sentence of a field's description, without its full stop, its first letter small."""
    text = str(node["description"]).split(". ")[0].rstrip(".")
    return text if text[:2].isupper() or text[:1] in "`0123456789" else text[:1].lower() + text[1:]
