"""Keywords of one schema object that hold values, as R-SCH wants them; what cannot be kept is noted."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, Final

from extpkg import limits
from extpkg.canonical import canonical_json
from extpkg.check.characters import is_fit
from extpkg.diagnostic import quoted
from extpkg.json_schema.pattern_syntax import PatternRefused
from extpkg.json_schema.patterns import compile_pattern
from extpkg.json_schema.shapes import TYPES
from extpkg.openapi.texts import cleaned, folded

if TYPE_CHECKING:
    from collections.abc import Callable

    Say = Callable[[str, str, str], None]
    """Notes what happened: the keyword where it did, a code, one line."""

SIZES: Final = (
    ("minLength", "maxLength"),
    ("minItems", "maxItems"),
    ("minProperties", "maxProperties"),
    ("minContains", "maxContains"),
)
_DATA_ALLOWED: Final = "\n\r\t"
_KINDS: Final = {
    "string": (str,),
    "boolean": (bool,),
    "object": (dict,),
    "array": (list,),
    "null": (type(None),),
}


class OutOfDomainError(Exception):
    """A value that no Package can hold stands where dropping it would change what is accepted."""

    def __init__(self, code: str, message: str) -> None:
        self.code = code
        self.message = message
        super().__init__(message)


def texts(schema: dict[str, Any], out: dict[str, Any]) -> None:
    """Take over what a schema says for people, and its annotations of one word."""
    title, description = schema.get("title"), schema.get("description")
    if type(title) is str and (title := folded(title)):
        out["title"] = title
    if type(description) is str and (description := cleaned(description)):
        out["description"] = description
    for keyword in ("format", "contentEncoding", "contentMediaType"):
        value = schema.get(keyword)
        if type(value) is str and is_fit(value):
            out[keyword] = value
    if schema.get("deprecated") is True:
        out["deprecated"] = True


def types(schema: dict[str, Any], out: dict[str, Any], say: Say) -> None:
    """Take over `type`; names that are no type are dropped."""
    if "type" not in schema:
        return
    said = schema["type"]
    names = said if type(said) is list else [said]
    known = [name for name in TYPES if name in names]
    strange = [name for name in names if name not in TYPES]
    if strange:
        say("type", "schema-type-unknown", f"{quoted(strange[0])} is no type; it is left out")
    if known:
        out["type"] = known[0] if len(known) == 1 else known


def bounds(schema: dict[str, Any], out: dict[str, Any], say: Say) -> None:
    """Take over the bounds of numbers; exclusive ones that are booleans become numbers."""
    for bound, exclusive in (("minimum", "exclusiveMinimum"), ("maximum", "exclusiveMaximum")):
        limit = _number(schema, bound, say)
        strict = None
        if type(schema.get(exclusive)) is bool:
            if schema[exclusive]:
                limit, strict = None, limit
        else:
            strict = _number(schema, exclusive, say)
        if limit is not None:
            out[bound] = limit
        if strict is not None:
            out[exclusive] = strict
    step = _number(schema, "multipleOf", say)
    if step is not None and step > 0:
        out["multipleOf"] = step
    elif step is not None:
        say("multipleOf", "schema-keyword-malformed", '"multipleOf" is not above 0; it is left out')
    _drop_empty_range(out, say)


def _number(schema: dict[str, Any], keyword: str, say: Say) -> int | float | None:
    if keyword not in schema:
        return None
    value = schema[keyword]
    if type(value) is float:
        return value
    if type(value) is not int:
        say(keyword, "schema-keyword-malformed", f"{quoted(keyword)} is no number; it is left out")
        return None
    if abs(value) > limits.SAFE_INTEGER:
        message = f"{quoted(keyword)} is beyond ±(2^53-1), which JSON does not keep; it is left out"
        say(keyword, "schema-integer-domain", message)
        return None
    return value


def _drop_empty_range(out: dict[str, Any], say: Say) -> None:
    lows = [name for name in ("minimum", "exclusiveMinimum") if name in out]
    highs = [name for name in ("maximum", "exclusiveMaximum") if name in out]
    for low in lows:
        for high in highs:
            strict = low != "minimum" or high != "maximum"
            if low in out and high in out and (out[low] > out[high] or (strict and out[low] == out[high])):
                _drop_pair(out, low, high, say)


def _drop_pair(out: dict[str, Any], low: str, high: str, say: Say) -> None:
    message = f"{quoted(low)} and {quoted(high)} leave no value between them; both are left out"
    say(low, "schema-range-empty", message)
    del out[low], out[high]


def sizes(schema: dict[str, Any], out: dict[str, Any], say: Say) -> None:
    """Take over bounds of lengths and counts."""
    for low, high in SIZES:
        for keyword in (low, high):
            if keyword in schema:
                _size(schema, keyword, out, say)
        if low in out and high in out and out[low] > out[high]:
            _drop_pair(out, low, high, say)


def _size(schema: dict[str, Any], keyword: str, out: dict[str, Any], say: Say) -> None:
    value = schema[keyword]
    whole = type(value) is int or (type(value) is float and value.is_integer())
    if not whole or value < 0:
        message = f"{quoted(keyword)} is no whole number of 0 or more; it is left out"
        say(keyword, "schema-keyword-malformed", message)
    elif value > limits.SAFE_INTEGER:
        message = f"{quoted(keyword)} is beyond 2^53-1, which bounds nothing; it is left out"
        say(keyword, "schema-integer-domain", message)
    else:
        out[keyword] = int(value)


def pattern(schema: dict[str, Any], out: dict[str, Any], say: Say) -> None:
    """Take over a pattern that R-SCH-5 allows."""
    source = schema.get("pattern")
    if type(source) is str and is_allowed(source):
        out["pattern"] = source
    elif "pattern" in schema:
        shown = quoted(source)
        say(
            "pattern",
            "schema-pattern-dropped",
            f"the pattern {shown} is beyond what is matched; it is left out",
        )


def is_allowed(source: str) -> bool:
    """Whether a pattern is one that R-SCH-5 allows, and can be shown."""
    try:
        compile_pattern(source)
    except PatternRefused:
        return False
    return is_fit(source)


def choices(schema: dict[str, Any], out: dict[str, Any], say: Say) -> None:
    """Take over `enum` and `const`. Raises `OutOfDomainError` for a choice that no Package can hold."""
    if "const" in schema:
        check_domain(schema["const"])
        out["const"] = schema["const"]
    if "enum" not in schema:
        return
    members = schema["enum"]
    if type(members) is not list or not members:
        say("enum", "schema-enum-empty", '"enum" names no value; it is left out')
        return
    fitting = [member for member in members if "type" not in out or has_type(member, out["type"])]
    if not fitting:
        say("enum", "schema-enum-off-type", '"enum" names no value of the type beside it; it is left out')
        return
    for member in fitting:
        check_domain(member)
    out["enum"] = list({canonical_json(member): member for member in reversed(fitting)}.values())[::-1]


def check_domain(value: Any) -> None:
    """Raise `OutOfDomainError` where a Package cannot hold a value as it is."""
    waiting = [value]
    while waiting:
        here = waiting.pop()
        if type(here) is dict:
            waiting += [*here.keys(), *here.values()]
        elif type(here) is list:
            waiting += here
        elif type(here) is int and abs(here) > limits.SAFE_INTEGER:
            message = f"the whole number {str(here)[:40]} is beyond ±(2^53-1), which JSON does not keep"
            raise OutOfDomainError("schema-integer-domain", message)
        elif type(here) is str and not is_fit(here, _DATA_ALLOWED):
            raise OutOfDomainError("schema-unfit-text", f"the text {quoted(here)} hides characters")


def has_type(value: Any, said: str | list[str]) -> bool:
    """Whether a value is of one of the types that are said."""
    return any(_is(value, name) for name in ([said] if type(said) is str else said))


def _is(value: Any, name: str) -> bool:
    if name in _KINDS:
        return type(value) in _KINDS[name]
    if type(value) is float and name == "integer":
        return value.is_integer()
    return type(value) is int or (type(value) is float and name == "number")


def default(schema: dict[str, Any], out: dict[str, Any], say: Say) -> None:
    """Take over a default that is no object, and that its schema would accept as far as one can see."""
    if "default" not in schema:
        return
    value = schema["default"]
    try:
        check_domain(value)
    except OutOfDomainError as refused:
        say("default", refused.code, f"the default is left out: {refused.message}")
        return
    if type(value) is dict or (value and type(value) is list) or not _is_accepted(value, out):
        say("default", "schema-default-dropped", "the default is left out: its own schema may refuse it")
        return
    out["default"] = value


def _is_accepted(value: Any, out: dict[str, Any]) -> bool:
    choices_of = [*out.get("enum", ()), *([out["const"]] if "const" in out else ())]
    if "type" in out and not has_type(value, out["type"]):
        return False
    if choices_of and canonical_json(value) not in {canonical_json(member) for member in choices_of}:
        return False
    if type(value) is str:
        fits = out.get("minLength", 0) <= len(value) <= out.get("maxLength", math.inf)
        return fits and ("pattern" not in out or compile_pattern(out["pattern"]).found_in(value))
    if type(value) is list:
        return not out.get("minItems", 0)
    if type(value) in {int, float}:
        return _is_between(value, out)
    return True


def _is_between(value: float, out: dict[str, Any]) -> bool:
    least, most = out.get("minimum", -math.inf), out.get("maximum", math.inf)
    above, below = out.get("exclusiveMinimum", -math.inf), out.get("exclusiveMaximum", math.inf)
    return bool(least <= value <= most and above < value < below) and "multipleOf" not in out
