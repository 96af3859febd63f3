"""04xx: pointers, paths and single parameters of a binding (R-BIND-1 to 4), and the rest of 04xx."""

from __future__ import annotations

from extpkg.check.rules import binding_targets
from extpkg.check.rules.rule import Rule, Sample
from extpkg.diagnostic import Severity

GET = "actions/get-issue.yaml"
LIST = "actions/list-issues.yaml"

RULES: tuple[Rule, ...] = (
    Rule(
        code="EXT0401",
        name="malformed-pointer",
        severity=Severity.ERROR,
        since="0.1",
        section="R-BIND-1",
        summary="a text that is no JSON Pointer",
        why=(
            "A pointer that some readers repair and others refuse names two places; only the form of "
            "RFC 6901 is read."
        ),
        fix=(
            'start it with "/", or write "" for the whole value; inside a token write "~" as "~0" and '
            '"/" as "~1"'
        ),
        sample=Sample(good="from: /number", bad="from: number", file=GET, line=52, column=14),
    ),
    Rule(
        code="EXT0402",
        name="undeclared-source",
        severity=Severity.ERROR,
        since="0.1",
        section="R-BIND-1",
        summary="a source that the input schema does not declare",
        why=(
            "A field that no schema declares is never in a valid input, so the parameter would silently "
            "stay away. Sources are followed through properties, $ref and allOf, never through "
            "additionalProperties."
        ),
        fix="declare the field under properties, or correct the pointer",
        sample=Sample(good="from: /number", bad="from: /nummer", file=GET, line=52, column=14),
    ),
    Rule(
        code="EXT0404",
        name="repeated-placeholder",
        severity=Severity.ERROR,
        since="0.1",
        section="R-BIND-2",
        summary="a placeholder that occurs twice in the path",
        why=(
            "One value in two places of a path is nearly always a slip, and routers differ in what they "
            "make of it."
        ),
        fix="keep one of the placeholders, or give the other a name and a parameter of its own",
        sample=Sample(good="issues/{number}", bad="issues/{number}/{number}", file=GET, line=44, column=9),
    ),
    Rule(
        code="EXT0405",
        name="unbound-placeholder",
        severity=Severity.ERROR,
        since="0.1",
        section="R-BIND-2",
        summary="a placeholder that no path parameter binds",
        why="The path could not be filled, so no request could be made.",
        fix=(
            "add a path parameter with the name of the placeholder, or take the placeholder out of the path"
        ),
        sample=Sample(good="issues/{number}", bad="issues/{number}/{part}", file=GET, line=44, column=9),
    ),
    Rule(
        code="EXT0406",
        name="path-parameter-without-placeholder",
        severity=Severity.ERROR,
        since="0.1",
        section="R-BIND-2",
        summary="a path parameter whose name is not in the path",
        why="Its value would be sent nowhere.",
        fix="write the placeholder into the path, or remove the parameter",
        sample=Sample(good="issues/{number}", bad="issues", file=GET, line=52, column=39),
    ),
    Rule(
        code="EXT0407",
        name="placeholder-bound-twice",
        severity=Severity.ERROR,
        since="0.1",
        section="R-BIND-2",
        summary="a placeholder that two path parameters bind",
        why="It would be unclear which of the two values is sent.",
        fix="keep one of the parameters",
        sample=Sample(
            good="name: number}",
            bad="name: number}\n    - {from: /repo, in: path, name: number}",
            file=GET,
            line=53,
            column=37,
        ),
    ),
    Rule(
        code="EXT0409",
        name="path-syntax",
        severity=Severity.ERROR,
        since="0.1",
        section="R-BIND-2",
        summary=(
            "a path that is not absolute, holds a query, a fragment or a character no path may hold, or "
            "has unbalanced braces"
        ),
        why=(
            "What does not parse the same way everywhere reaches another resource than the one that was "
            "reviewed."
        ),
        fix=(
            "write an absolute path of URL path characters and {placeholders}; queries belong to "
            "parameters with in: query"
        ),
        sample=Sample(good="issues/{number}", bad="issues/{number}?per_page=1", file=GET, line=44, column=9),
    ),
    Rule(
        code="EXT0410",
        name="path-dot-segment",
        severity=Severity.ERROR,
        since="0.1",
        section="R-BIND-2",
        summary='a path with an empty segment, "." or ".."',
        why="Clients and servers drop such segments, so the request would go somewhere else than it says.",
        fix='remove the segment; one final "/" is allowed',
        sample=Sample(good="/repos/{owner}", bad="/repos/../{owner}", file=GET, line=44, column=9),
    ),
    Rule(
        code="EXT0411",
        name="path-encoding",
        severity=Severity.ERROR,
        since="0.1",
        section="R-BIND-2",
        summary="a percent sign in a path that is no canonical encoding",
        why=(
            "Two spellings of one path are one resource to some servers and two to others; an encoded "
            "slash or control slips past checks. Encodings are upper case, and only of what needs them."
        ),
        fix=(
            "write the character itself where it may stand in a path, and %XX in upper case where it may not"
        ),
        sample=Sample(good="/repos/{owner}", bad="/re%70os/{owner}", file=GET, line=44, column=9),
    ),
    Rule(
        code="EXT0412",
        name="placeholder-name",
        severity=Severity.ERROR,
        since="0.1",
        section="R-BIND-2",
        summary="a placeholder whose name has other characters than letters, digits and _ . ~ -",
        why=(
            "Operators and modifiers of other template languages mean nothing here and would be sent or "
            "dropped by surprise."
        ),
        fix="use only letters, digits and _ . ~ - in the name",
        sample=Sample(good="issues/{number}", bad="issues/{number*}", file=GET, line=44, column=9),
    ),
    Rule(
        code="EXT0413",
        name="source-not-scalar",
        severity=Severity.ERROR,
        since="0.1",
        section="R-BIND-3",
        summary="a path, query or header source that may be an object or a nested array",
        why=(
            "No style of a Package says how such a value is written outside a body, and every server "
            "would read it in its own way."
        ),
        fix="bind the scalar fields inside it one by one, or narrow the type",
        sample=Sample(
            good="page: {type: integer, minimum: 1, default: 1}",
            bad="page: {type: object, additionalProperties: false}",
            file=LIST,
            line=66,
            column=14,
        ),
    ),
    Rule(
        code="EXT0414",
        name="null-source",
        severity=Severity.ERROR,
        since="0.1",
        section="R-BIND-3",
        summary="a path, query or header source that may be null",
        why="Null has no form outside a body: absent is how an optional field is left out.",
        fix="take null out of the type, enum and const of the field",
        sample=Sample(
            good="page: {type: integer, minimum: 1, default: 1}",
            bad='page: {type: [integer, "null"], minimum: 1, default: 1}',
            file=LIST,
            line=66,
            column=14,
        ),
    ),
    Rule(
        code="EXT0415",
        name="untyped-source",
        severity=Severity.ERROR,
        since="0.1",
        section="R-BIND-3",
        summary="a path, query or header source whose type is not known",
        why=(
            "Without a type the field may hold anything, and what cannot be written would only be found "
            "while an Agent waits."
        ),
        fix="give it a type, enum or const; give the items of an array one too",
        sample=Sample(
            good="page: {type: integer, minimum: 1, default: 1}",
            bad="page: {minimum: 1, default: 1}",
            file=LIST,
            line=66,
            column=14,
        ),
    ),
    Rule(
        code="EXT0416",
        name="parameter-style",
        severity=Severity.ERROR,
        since="0.1",
        section="R-BIND-4",
        summary="a parameter with a missing or unsupported style",
        why=(
            "The style decides the bytes. It is written out so that nobody has to know a default: form "
            "in a query, simple in a header and, if it is written, in a path."
        ),
        fix="write style: form for a query parameter, style: simple for a header",
        sample=Sample(
            good="name: page, style: form}",
            bad="name: page, style: pipeDelimited}",
            file=LIST,
            line=66,
            column=51,
        ),
    ),
    Rule(
        code="EXT0417",
        name="parameter-explode",
        severity=Severity.ERROR,
        since="0.1",
        section="R-BIND-4",
        summary="a simple parameter with explode: true",
        why=(
            "The style simple has one form for arrays, joined by commas; exploding changes nothing for "
            "them and promises something else."
        ),
        fix="remove explode, or write explode: false",
        sample=Sample(
            good="style: simple}", bad="style: simple, explode: true}", file=LIST, line=67, column=92
        ),
    ),
    Rule(
        code="EXT0421",
        name="optional-path-source",
        severity=Severity.ERROR,
        since="0.1",
        section="R-BIND-2",
        summary="a path placeholder bound to a field that may be absent",
        why="A path has no form without the value, so an input that the schema accepts could not be sent.",
        fix="add the field to required at every level (changes the agent schema: needs a version bump)",
        sample=Sample(
            good="required: [owner, repo, number]",
            bad="required: [owner, repo]",
            file=GET,
            line=52,
            column=14,
        ),
    ),
    Rule(
        code="EXT0430",
        name="pointer-target-missing",
        severity=Severity.ERROR,
        since="0.1",
        section="R-BIND-1",
        summary="a JSON Pointer that leads to no place of the value",
        why=(
            'A pointer that is resolved must name a place that exists; an array has no place "-", "01" '
            "or beyond its end."
        ),
        fix="correct the pointer, or add the value that it should lead to",
        sample=Sample(good="/required/0", bad="/required/00", file=GET, line=0, column=0),
    ),
    Rule(
        code="EXT0431",
        name="parameter-location",
        severity=Severity.ERROR,
        since="0.1",
        section="R-BIND-2",
        summary="a parameter that goes neither into the path, nor the query, nor a header",
        why="Cookies and everything else are not bound: the engine writes no other place from an input.",
        fix="write in: path, in: query or in: header",
        sample=Sample(
            good="in: path, name: number", bad="in: cookie, name: number", file=GET, line=52, column=27
        ),
    ),
    *binding_targets.RULES,
)
