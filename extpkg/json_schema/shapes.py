"""How the value of each keyword must look: as the 2020-12 metaschema says, and sets without repeats."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from extpkg.diagnostic import quoted
from extpkg.json_schema.guess import guess
from extpkg.json_schema.keywords import LISTS, MAPS, SINGLES
from extpkg.pointer import escape

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

KEYWORD_VALUE: Final = "EXT0506"
REPEATED_MEMBER: Final = "EXT0522"
EMPTY_ENUM: Final = "EXT0513"

TYPES: Final = ("string", "number", "integer", "boolean", "object", "array", "null")

_ANCHOR: Final = re.compile("[A-Za-z_][-A-Za-z0-9._]*")


class Problem(NamedTuple):
    """What is wrong with a keyword's value: the rule, the place below the keyword, the message, the fix."""

    code: str
    suffix: str
    message: str
    help: str = ""


def _misshapen(must: str, value: Any) -> tuple[Problem, ...]:
    return (Problem(KEYWORD_VALUE, "", f"must be {must}, not {quoted(value)}"),)


def _empty(must: str) -> tuple[Problem, ...]:
    return (Problem(KEYWORD_VALUE, "", f"must be {must}, but the list is empty"),)


def _string(value: Any) -> Sequence[Problem]:
    return () if type(value) is str else _misshapen("a string", value)


def _boolean(value: Any) -> Sequence[Problem]:
    return () if type(value) is bool else _misshapen("true or false", value)


def _list(value: Any) -> Sequence[Problem]:
    return () if type(value) is list else _misshapen("a list", value)


def _anything(_: Any) -> Sequence[Problem]:
    return ()


def _enum(value: Any) -> Sequence[Problem]:
    if type(value) is not list:
        return _misshapen("a list", value)
    return () if value else (Problem(EMPTY_ENUM, "", "is empty, so that no value is accepted"),)


def _number(value: Any) -> Sequence[Problem]:
    return () if type(value) is int or type(value) is float else _misshapen("a number", value)


def _positive(value: Any) -> Sequence[Problem]:
    if (type(value) is int or type(value) is float) and value > 0:
        return ()
    return _misshapen("a number above 0", value)


def _size(value: Any) -> Sequence[Problem]:
    whole = type(value) is int or (type(value) is float and value.is_integer())
    return () if whole and value >= 0 else _misshapen("a whole number of 0 or more", value)


def _anchor(value: Any) -> Sequence[Problem]:
    if type(value) is str and _ANCHOR.fullmatch(value):
        return ()
    return _misshapen('a name of letters, digits, "-", "_" and "." that starts with a letter or "_"', value)


def _type(value: Any) -> Sequence[Problem]:
    if type(value) is str:
        return () if value in TYPES else (_unknown_type(value, ""),)
    if type(value) is not list:
        return _misshapen("the name of a type or a list of such names", value)
    if not value:
        return _empty("the name of a type or a list of such names")
    problems = [_unknown_type(name, f"/{index}") for index, name in enumerate(value) if name not in TYPES]
    return problems + list(_repeats(value))


def _unknown_type(name: Any, suffix: str) -> Problem:
    close = guess(name, TYPES, 0.5) if type(name) is str else None
    hint = f"write {close}" if close else f"the types are {', '.join(TYPES)}"
    if name is None:
        hint = 'write "null", in quotes'
    return Problem(KEYWORD_VALUE, suffix, f"names {quoted(name)}, which is no type", hint)


def _names(value: Any) -> Sequence[Problem]:
    if type(value) is not list:
        return _misshapen("a list of strings", value)
    problems = [
        Problem(KEYWORD_VALUE, f"/{index}", f"must be a list of strings, but has {quoted(name)} in it")
        for index, name in enumerate(value)
        if type(name) is not str
    ]
    if problems or len(set(value)) != len(value):
        problems.extend(_repeats(value))
    return problems


def _repeats(members: list[Any]) -> Iterator[Problem]:
    seen: set[str] = set()
    for index, member in enumerate(members):
        if type(member) is not str:
            continue
        if member in seen:
            yield Problem(
                REPEATED_MEMBER, f"/{index}", f"names {quoted(member)} more than once", "remove the repeat"
            )
        seen.add(member)


def _dependent_required(value: Any) -> Sequence[Problem]:
    if type(value) is not dict:
        return _misshapen("a mapping of lists of strings", value)
    return [
        problem._replace(suffix=f"/{escape(name)}{problem.suffix}")
        for name, names in value.items()
        for problem in _names(names)
    ]


def _schema_map(value: Any) -> Sequence[Problem]:
    return () if type(value) is dict else _misshapen("a mapping of schemas", value)


def _schema_list(value: Any) -> Sequence[Problem]:
    if type(value) is not list:
        return _misshapen("a list of one or more schemas", value)
    return () if value else _empty("a list of one or more schemas")


SHAPES: Final[dict[str, Callable[[Any], Sequence[Problem]]]] = {
    **dict.fromkeys(
        [
            "title",
            "description",
            "$comment",
            "format",
            "contentEncoding",
            "contentMediaType",
            "$ref",
            "pattern",
        ],
        _string,
    ),
    **dict.fromkeys(("deprecated", "readOnly", "writeOnly", "uniqueItems"), _boolean),
    **dict.fromkeys(("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"), _number),
    **dict.fromkeys(
        (
            "minLength",
            "maxLength",
            "minItems",
            "maxItems",
            "minProperties",
            "maxProperties",
            "minContains",
            "maxContains",
        ),
        _size,
    ),
    **dict.fromkeys(("const", "default", "$schema", *SINGLES), _anything),
    **dict.fromkeys(MAPS, _schema_map),
    **dict.fromkeys(LISTS, _schema_list),
    "examples": _list,
    "enum": _enum,
    "type": _type,
    "required": _names,
    "dependentRequired": _dependent_required,
    "multipleOf": _positive,
    "$anchor": _anchor,
}
"""What is wrong with a keyword's own value, of each keyword; schemas inside it are walked apart."""
