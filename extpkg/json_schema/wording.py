"""The sentence for each keyword that refuses a value: it follows the name of the value's place."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, Any, Final

from extpkg.diagnostic import quoted
from extpkg.json_schema.guess import guess

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

_CHOICES: Final = 10
_COMPARED: Final = 100
"""Listed values among which a misspelt one is looked for."""
_STRANGE: Final = 20
"""Undeclared members of an object among which a misspelt one is looked for."""

_TYPES: Final = {
    "object": "an object",
    "array": "an array",
    "string": "a string",
    "number": "a number",
    "integer": "a whole number",
    "boolean": "true or false",
    "null": "null",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Violation:
    """A place of a value that its schema refuses.

    `pointer` is the place in the value, `keyword` what refuses it, `schema_pointer` where that keyword stands
    in the schema; `message` is the predicate of a sentence about the place. A value over a bound of R-SCH-5
    has one violation without a keyword.
    """

    pointer: str
    keyword: str
    schema_pointer: str
    message: str


def too_costly(reason: str) -> Violation:
    """Return the violation of a value that costs more than R-SCH-5 allows."""
    return Violation(pointer="", keyword="", schema_pointer="", message=f"is too costly to check: {reason}")


def reason_for(keyword: str, schema: dict[str, Any], value: Any) -> str:
    """Return what `keyword` of `schema` has against `value`."""
    if keyword == "false":
        return "must be absent"
    return _REASONS[keyword](schema[keyword], value)


def misses(schema: dict[str, Any], keyword: str, value: dict[str, Any]) -> Iterator[str]:
    """Yield what each member says that `required` or `dependentRequired` misses in an object."""
    if keyword == "required":
        for name in schema["required"]:
            if name not in value and not _is_misspelt(name, schema, value):
                yield f"lacks the required member {quoted(name)}"
        return
    for name, wanted in schema["dependentRequired"].items():
        for other in wanted:
            if name in value and other not in value:
                yield f"has {quoted(name)} and so needs {quoted(other)} too"


def _is_misspelt(name: str, schema: dict[str, Any], value: dict[str, Any]) -> bool:
    """Say whether another member seems to be meant for a missing one; it is refused itself, as unknown."""
    if schema.get("additionalProperties") is not False or schema.get("patternProperties"):
        return False
    declared = schema.get("properties", {})
    strange = [other for other in islice(value, _STRANGE) if other not in declared]
    return any(
        guess(other, (free for free in declared if free not in value), 0.6) == name for other in strange
    )


def unknown_member(name: str, declared: list[str], value: dict[str, Any]) -> str:
    """Return what is said of a member that nothing declares."""
    close = guess(name, (other for other in declared if other not in value), 0.6)
    if close is not None:
        return f"is no known member; did you mean {quoted(close)}?"
    if not declared:
        return "is no known member; none is allowed here"
    more = ", …" if len(declared) > _CHOICES else ""
    return (
        f"is no known member; known are {', '.join([quoted(other) for other in declared[:_CHOICES]])}{more}"
    )


def _type(wanted: Any, value: Any) -> str:
    names = [wanted] if type(wanted) is str else wanted
    return f"must be {_or([_TYPES.get(name, name) for name in names])}, not {_kind(value)}"


def _kind(value: Any) -> str:
    if type(value) is dict:
        return "an object"
    if type(value) is list:
        return "an array"
    return f"the string {quoted(value)}" if type(value) is str else quoted(value)


def _or(words: list[str]) -> str:
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} or {words[-1]}"


def _enum(members: list[Any], value: Any) -> str:
    if any(type(member) in {dict, list} for member in members[:_CHOICES]):
        return f"must equal one of {len(members)} listed values, which {_shown(value)} does not"
    if type(value) is str:
        close = guess(value, (member for member in members[:_COMPARED] if type(member) is str))
        if close is not None:
            return f"must be one of {_choices(members)}, not {_shown(value)}; did you mean {quoted(close)}?"
    return f"must be one of {_choices(members)}, not {_shown(value)}"


def _choices(members: list[Any]) -> str:
    shown = ", ".join([_shown(member) for member in members[:_CHOICES]])
    rest = len(members) - _CHOICES
    return f"{shown} and {rest} more" if rest > 0 else shown


def _shown(value: Any) -> str:
    if type(value) is dict or type(value) is list:
        return _kind(value)
    return quoted(value)


def _const(member: Any, value: Any) -> str:
    if type(member) is type(value) and type(value) in {dict, list}:
        return f"must equal {_shown(member)} that the schema fixes"
    return f"must be {_shown(member)}, not {_shown(value)}"


def _limit(words: str) -> Callable[[Any, Any], str]:
    return lambda bound, value: f"must be {words} {quoted(bound)}, not {quoted(value)}"


def _size(words: str, unit: str) -> Callable[[Any, Any], str]:
    return lambda bound, value: f"must have at {words} {_counted(bound, unit)}, not {len(value)}"


def _counted(bound: float, unit: str) -> str:
    return f"{int(bound)} {unit}{'' if bound == 1 else 's'}"


def _pattern(source: str, value: Any) -> str:
    return f"must match the pattern {quoted(source)}, which {quoted(value)} does not"


def _unique(_: Any, __: Any) -> str:
    return "must not have the same item twice"


_REASONS: Final[dict[str, Callable[[Any, Any], str]]] = {
    "type": _type,
    "enum": _enum,
    "const": _const,
    "minimum": _limit("at least"),
    "maximum": _limit("at most"),
    "exclusiveMinimum": _limit("above"),
    "exclusiveMaximum": _limit("below"),
    "multipleOf": _limit("a multiple of"),
    "minLength": _size("least", "character"),
    "maxLength": _size("most", "character"),
    "minItems": _size("least", "item"),
    "maxItems": _size("most", "item"),
    "minProperties": _size("least", "member"),
    "maxProperties": _size("most", "member"),
    "pattern": _pattern,
    "uniqueItems": _unique,
}
"""What each keyword says of a value that it refuses; `required` and its like are said member by member."""
