"""The static rules of a schema (R-SCH-1 to R-SCH-7)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from extpkg.diagnostic import Part, quoted
from extpkg.json_schema.consistency import BOUNDS, check_ranges, check_required
from extpkg.json_schema.fault import SchemaFault
from extpkg.json_schema.guess import guess
from extpkg.json_schema.keywords import DIALECT, HOLDING, HOLDS, subschemas
from extpkg.json_schema.pattern_syntax import TOO_LARGE, PatternRefused
from extpkg.json_schema.patterns import compile_pattern
from extpkg.json_schema.reference import Target, resolve_reference
from extpkg.json_schema.reference_check import check_cycles, leads_nowhere
from extpkg.json_schema.samples import check_samples
from extpkg.json_schema.shapes import KEYWORD_VALUE, SHAPES
from extpkg.pointer import escape

if TYPE_CHECKING:
    from collections.abc import Iterator

    from extpkg.json_schema.reference_check import Placed
    from extpkg.json_schema.shapes import Problem

WRONG_DIALECT: Final = "EXT0501"
NESTED_DIALECT: Final = "EXT0502"
INPUT_NOT_OBJECT: Final = "EXT0503"
INPUT_OPEN: Final = "EXT0504"
UNKNOWN_KEYWORD: Final = "EXT0505"
DUPLICATE_ANCHOR: Final = "EXT0519"

_REPLACEMENTS: Final = {
    "$id": "remove it; a schema here has no name of its own",
    "$dynamicRef": 'use "$ref"',
    "$dynamicAnchor": 'use "$anchor"',
    "$recursiveRef": 'use "$ref": "#"',
    "$vocabulary": "remove it",
    "id": "remove it; a schema here has no name of its own",
    "definitions": 'use "$defs", and refer to it as "#/$defs/NAME"',
    "dependencies": 'use "dependentRequired" or "dependentSchemas"',
    "additionalItems": 'use "items" beside "prefixItems"',
    "nullable": 'add "null" to "type"',
    "example": 'use "examples", a list',
    "discriminator": 'use "oneOf" with a "const" in each branch',
}


_PATTERN_WEIGHT: Final = 500_000
"""Weight of the patterns of one document after which no further one is read: compiling them takes time."""

_GUESSES: Final = 50
"""Unknown words of one document for which the one that was meant is looked for."""


_CLOSELY: Final = BOUNDS.difference(
    ["minimum", "minLength", "minItems", "minProperties", "minContains"]
).union(
    ["$schema", "$ref", "$anchor", "pattern", "patternProperties"],
    ["additionalProperties", "examples", "default"],
)
"""Keywords for which more than the form of their own value is looked at."""


class _Survey:
    """What one walk over a schema document finds besides faults."""

    __slots__ = (
        "anchors",
        "faulty",
        "guesses",
        "patterns",
        "references",
        "root",
        "samples",
        "sound",
        "weight",
    )

    def __init__(self, root: Any) -> None:
        self.root = root
        self.references: list[Placed] = []
        self.samples: list[Placed] = []
        self.anchors: dict[str, Target] = {}
        self.faulty: set[int] = set()
        self.sound = True
        self.guesses = 0
        self.patterns: set[str] = set()
        self.weight = 0

    def weigh(self, source: str) -> None:
        """Read a pattern; raise `PatternRefused` where it, or all patterns together, are not allowed."""
        if source in self.patterns:
            return
        if self.weight > _PATTERN_WEIGHT:
            raise PatternRefused(TOO_LARGE, 0, "comes after patterns that are too large together")
        self.weight += compile_pattern(source).weight
        self.patterns.add(source)


def check_schema(schema: Any, pointer: str = "") -> Iterator[SchemaFault]:
    """Yield what is wrong with a schema document that stands at `pointer` of its file (R-SCH-1, 3, 5, 6, 7).

    All faults but DEFAULT_INVALID (a warning) make it a schema that must not be evaluated. A value under
    `examples` or `default` is judged where nothing that judges it is faulty.
    """
    survey = _Survey(schema)
    yield from _check_dialect(schema, pointer)
    yield from _walk(survey, pointer)
    if survey.references:
        yield from _check_references(survey)
    if survey.samples:
        samples = [placed for placed in survey.samples if _is_sound(survey, placed[0])]
        yield from check_samples(schema, samples, pointer)


def check_input_root(schema: Any, pointer: str = "") -> Iterator[SchemaFault]:
    """Yield what an `input_schema` lacks at its root: `type: object`, and closed (R-SCH-2)."""
    if type(schema) is not dict:
        return
    if schema.get("type") != "object" and schema.get("type") != ["object"]:
        has_type = "type" in schema
        yield SchemaFault(
            code=INPUT_NOT_OBJECT,
            pointer=f"{pointer}/type" if has_type else pointer,
            part=Part.VALUE if has_type else _holder(pointer),
            message="the input must be an object, but the schema does not say so at its root",
            help='write "type: object" at the root of the schema',
        )
    if schema.get("additionalProperties") is False or schema.get("unevaluatedProperties") is False:
        return
    keyword = next((name for name in ("additionalProperties", "unevaluatedProperties") if name in schema), "")
    yield SchemaFault(
        code=INPUT_OPEN,
        pointer=f"{pointer}/{keyword}" if keyword else pointer,
        part=Part.VALUE if keyword else _holder(pointer),
        message="the input may have members that the schema does not declare, and they would be lost",
        help='write "additionalProperties: false" at the root of the schema',
    )


def _holder(pointer: str) -> Part:
    """Return the part of a schema's place that is named where something in it is missing."""
    return Part.KEY if pointer else Part.VALUE


def _check_dialect(schema: Any, pointer: str) -> Iterator[SchemaFault]:
    declared = schema.get("$schema") if type(schema) is dict else None
    if declared == DIALECT:
        return
    present = type(schema) is dict and "$schema" in schema
    yield SchemaFault(
        code=WRONG_DIALECT,
        pointer=f"{pointer}/$schema" if present else pointer,
        part=Part.VALUE if present else _holder(pointer),
        message=f"the dialect is {quoted(declared)}"
        if present
        else 'the schema has no "$schema" at its root',
        help=f'write "$schema: {DIALECT}"',
    )


def _walk(survey: _Survey, base: str) -> Iterator[SchemaFault]:
    pending = [(survey.root, base)]
    while pending:
        schema, pointer = pending.pop()
        if type(schema) is not dict:
            if type(schema) is not bool:
                survey.sound = False
                yield _no_schema(schema, pointer)
            continue
        # Most objects are found sound here; only what may not be is looked at closely.
        suspects = [
            keyword
            for keyword, value in schema.items()
            if (shape := SHAPES.get(keyword)) is None or shape(value)
        ]
        if suspects or not _CLOSELY.isdisjoint(schema):
            faults = [
                *[
                    fault
                    for keyword in suspects
                    for fault in _check_keyword(survey, schema, keyword, pointer)
                ],
                *_check_object(survey, schema, suspects, pointer),
                *_record(survey, schema, pointer, base),
            ]
            if faults:
                survey.sound = False
                survey.faulty.add(id(schema))
            yield from faults
        if not HOLDING.isdisjoint(schema):
            children = [(child, pointer + suffix) for suffix, child in subschemas(schema)]
            children.reverse()
            pending.extend(children)


def _no_schema(value: Any, pointer: str) -> SchemaFault:
    return SchemaFault(
        code=KEYWORD_VALUE,
        pointer=pointer,
        message=f"a schema must stand here, not {quoted(value)}",
        help="write a mapping of keywords, or true or false",
    )


def _check_keyword(
    survey: _Survey, schema: dict[str, Any], keyword: str, pointer: str
) -> Iterator[SchemaFault]:
    if keyword in SHAPES:
        yield from [_problem(problem, keyword, pointer) for problem in SHAPES[keyword](schema[keyword])]
    elif not keyword.startswith("x-"):
        yield _unknown(survey, keyword, pointer)


def _check_object(
    survey: _Survey, schema: dict[str, Any], suspects: list[str], pointer: str
) -> Iterator[SchemaFault]:
    if "$schema" in schema and schema is not survey.root:
        yield _nested_dialect(pointer)
    if "pattern" in schema or "patternProperties" in schema:
        yield from _check_patterns(survey, schema, pointer)
    if schema.get("additionalProperties") is False and "required" in schema and "required" not in suspects:
        yield from check_required(schema, pointer)
    bounds = BOUNDS.intersection(schema).difference(suspects)
    if len(bounds) > 1:
        yield from check_ranges({keyword: schema[keyword] for keyword in bounds}, pointer)


def _problem(problem: Problem, keyword: str, pointer: str) -> SchemaFault:
    return SchemaFault(
        code=problem.code,
        pointer=f"{pointer}/{keyword}{problem.suffix}",
        message=f'"{keyword}" {problem.message}',
        help=problem.help,
    )


def _nested_dialect(pointer: str) -> SchemaFault:
    return SchemaFault(
        code=NESTED_DIALECT,
        pointer=f"{pointer}/$schema",
        part=Part.KEY,
        message='"$schema" stands inside a schema; the root alone says the dialect',
        help="remove it",
    )


def _unknown(survey: _Survey, keyword: str, pointer: str) -> SchemaFault:
    close = guess(keyword, HOLDS, 0.75) if survey.guesses < _GUESSES else None
    survey.guesses += 1
    better = f'write "{close}"' if close else 'remove it, or begin its name with "x-"'
    return SchemaFault(
        code=UNKNOWN_KEYWORD,
        pointer=f"{pointer}/{escape(keyword)}",
        part=Part.KEY,
        message=f"{quoted(keyword)} is no keyword that a schema here may use",
        help=_REPLACEMENTS.get(keyword, better),
    )


def _check_patterns(survey: _Survey, schema: dict[str, Any], pointer: str) -> Iterator[SchemaFault]:
    places: list[tuple[str, str, Part]] = []
    if type(schema.get("pattern")) is str:
        places.append((schema["pattern"], f"{pointer}/pattern", Part.VALUE))
    if type(schema.get("patternProperties")) is dict:
        prefix = f"{pointer}/patternProperties/"
        places.extend([(source, prefix + escape(source), Part.KEY) for source in schema["patternProperties"]])
    for source, where, part in places:
        try:
            survey.weigh(source)
        except PatternRefused as refused:
            yield SchemaFault(
                code=refused.code,
                pointer=where,
                part=part,
                message=f"the pattern {quoted(source)} {refused.message} (character {refused.offset + 1})",
            )


def _record(survey: _Survey, schema: dict[str, Any], pointer: str, base: str) -> Iterator[SchemaFault]:
    """Note what can be judged only when all of the document is known."""
    if "examples" in schema or "default" in schema:
        survey.samples.append((schema, pointer))
    if type(schema.get("$ref")) is str:
        survey.references.append((schema, pointer))
    name = schema.get("$anchor")
    if type(name) is not str:
        return
    first = survey.anchors.setdefault(name, Target(pointer.removeprefix(base), schema))
    if first.schema is not schema:
        yield SchemaFault(
            code=DUPLICATE_ANCHOR,
            pointer=f"{pointer}/$anchor",
            message=f"the anchor {quoted(name)} already stands at {quoted(base + first.pointer)}",
            help="give each anchor a name of its own",
        )


def _check_references(survey: _Survey) -> Iterator[SchemaFault]:
    targets: dict[int, Any] = {}
    for schema, pointer in survey.references:
        target = resolve_reference(survey.root, schema["$ref"], survey.anchors)
        if target is not None:
            targets[id(schema)] = target.schema
            continue
        survey.sound = False
        survey.faulty.add(id(schema))
        survey.guesses += 1
        known = survey.anchors if survey.guesses < _GUESSES else None
        yield leads_nowhere(survey.root, (schema, pointer), known)
    for fault in check_cycles(survey.references, targets):
        survey.sound = False
        survey.faulty.update(id(schema) for schema, pointer in survey.references)
        yield fault


def _is_sound(survey: _Survey, schema: dict[str, Any]) -> bool:
    """Say whether nothing that an evaluation of `schema` may reach has a fault."""
    if survey.sound:
        return True
    seen: set[int] = set()
    pending: list[Any] = [schema]
    while pending:
        here = pending.pop()
        if type(here) is bool or id(here) in seen:
            continue
        seen.add(id(here))
        if type(here) is not dict or id(here) in survey.faulty:
            return False
        pending.extend([child for _, child in subschemas(here)])
        if type(here.get("$ref")) is str:
            target = resolve_reference(survey.root, here["$ref"], survey.anchors)
            pending.append(target.schema if target else True)
    return True
