"""05xx: embedded JSON Schemas and examples (R-SCH, R-ACT-4)."""

from __future__ import annotations

from extpkg.check.rules import schema_values
from extpkg.check.rules.rule import Rule, Sample
from extpkg.diagnostic import Severity

GET = "actions/get-issue.yaml"
LIST = "actions/list-issues.yaml"

RULES: tuple[Rule, ...] = (
    Rule(
        code="EXT0501",
        name="schema-dialect",
        severity=Severity.ERROR,
        since="0.1",
        section="R-SCH-1",
        summary="a schema whose root does not declare JSON Schema 2020-12, or declares another dialect",
        why=(
            "The same keyword means different things in different drafts. A schema that says its dialect, "
            "always the same one, is read alike by everybody."
        ),
        fix='write "$schema: https://json-schema.org/draft/2020-12/schema" at the root of the schema',
        sample=Sample(
            good="https://json-schema.org/draft/2020-12/schema\n    type: array",
            bad="http://json-schema.org/draft/2020-12/schema\n    type: array",
            file=LIST,
            line=42,
            column=14,
        ),
    ),
    Rule(
        code="EXT0502",
        name="nested-dialect",
        severity=Severity.ERROR,
        since="0.1",
        section="R-SCH-1",
        summary='"$schema" inside a schema',
        why="A part of a schema in a dialect of its own would be read one way here and another elsewhere.",
        fix="remove it; the root says the dialect for all of the schema",
        sample=Sample(
            good="      issue:\n",
            bad="      issue:\n        $schema: https://json-schema.org/draft/2020-12/schema\n",
            file=LIST,
            line=47,
            column=9,
        ),
    ),
    Rule(
        code="EXT0503",
        name="input-not-object",
        severity=Severity.ERROR,
        since="0.1",
        section="R-SCH-2",
        summary="an input schema whose root is not of type object alone",
        why="An invocation takes one JSON object. A schema that admits more promises what no call can do.",
        fix='write "type: object" at the root of the input schema',
        sample=Sample(
            good="type: object\n    additionalProperties: false",
            bad='type: [object, "null"]\n    additionalProperties: false',
            file=GET,
            line=18,
            column=11,
        ),
    ),
    Rule(
        code="EXT0504",
        name="input-open",
        severity=Severity.ERROR,
        since="0.1",
        section="R-SCH-2",
        summary="an input schema that admits members which it does not declare",
        why=(
            "What no schema declares, no binding can read: it would be dropped in silence, and an Agent "
            "that misspelt a name would never learn it."
        ),
        fix='write "additionalProperties: false" at the root of the input schema',
        sample=Sample(
            good="additionalProperties: false", bad="additionalProperties: true", file=GET, line=19, column=27
        ),
    ),
    Rule(
        code="EXT0505",
        name="unknown-keyword",
        severity=Severity.ERROR,
        since="0.1",
        section="R-SCH-3",
        summary="a schema keyword that is not known here",
        why=(
            "JSON Schema ignores what it does not know, so that a misspelt keyword, or one of another "
            "dialect, silently checks nothing. Own annotations begin with x-."
        ),
        fix='correct the name, remove the keyword, or begin its name with "x-"',
        sample=Sample(good="minimum: 1", bad="minimun: 1", file=GET, line=31, column=9),
    ),
    Rule(
        code="EXT0506",
        name="keyword-value",
        severity=Severity.ERROR,
        since="0.1",
        section="R-SCH-3",
        summary="a schema keyword whose value is not of the form that it asks for",
        why="Such a keyword has no meaning, and implementations differ in what they make of it.",
        fix="give the keyword a value of the form that the message names",
        sample=Sample(good="minimum: 1", bad='minimum: "1"', file=GET, line=31, column=18),
    ),
    Rule(
        code="EXT0507",
        name="remote-reference",
        severity=Severity.ERROR,
        since="0.1",
        section="R-SCH-3",
        summary="a reference that leads out of its schema",
        why=(
            "Nothing is ever fetched: a schema that depends on another place could change without its "
            "digest, and reading it would reach into a network or a disk."
        ),
        fix='copy the schema under "$defs" and refer to it as "#/$defs/NAME"',
        sample=Sample(
            good='"#/$defs/issue"', bad='"https://example.com/issue.json"', file=LIST, line=44, column=19
        ),
    ),
    Rule(
        code="EXT0508",
        name="unresolved-reference",
        severity=Severity.ERROR,
        since="0.1",
        section="R-SCH-3",
        summary="a reference that leads to no schema",
        why=(
            "It would fail when the first value arrives. A pointer must end where a schema stands; data "
            "such as the value of const or of an x- keyword is none."
        ),
        fix='correct the reference, or declare the schema under "$defs"',
        sample=Sample(good='"#/$defs/issue"', bad='"#/$defs/isue"', file=LIST, line=44, column=19),
    ),
    Rule(
        code="EXT0509",
        name="reference-cycle",
        severity=Severity.ERROR,
        since="0.1",
        section="R-SCH-3",
        summary="a reference that leads back to itself without going into the value",
        why="Judging one value would never end. Recursion is fine where each round goes into the value.",
        fix='put the recursion under "properties", "items" or another keyword that goes into the value',
        sample=Sample(
            good="    type: object\n\n  example:",
            bad='    $ref: "#"\n\n  example:',
            file=GET,
            line=35,
            column=11,
        ),
    ),
    Rule(
        code="EXT0510",
        name="pattern-syntax",
        severity=Severity.ERROR,
        since="0.1",
        section="R-SCH-5",
        summary="a pattern that is not written as ECMA-262 with the u flag says",
        why=(
            "JSON Schema takes its patterns from ECMA-262. What only some engine understands means "
            "something else, or nothing, in the next."
        ),
        fix="correct the pattern at the character that is named; write a special character after a backslash",
        sample=Sample(good="^[A-Za-z0-9-]+$", bad="^[A-Za-z0-9-+$", file=GET, line=25, column=18),
    ),
    Rule(
        code="EXT0511",
        name="pattern-unsupported",
        severity=Severity.ERROR,
        since="0.1",
        section="R-SCH-5",
        summary="a pattern with look-around, a back-reference, a named group or a Unicode property",
        why=(
            "These cannot be matched in time linear in the text, or not alike everywhere, so that one "
            "input could stop a server."
        ),
        fix="say the same with plain classes and repetition, or with a second pattern under allOf or not",
        sample=Sample(good="^[A-Za-z0-9-]+$", bad="^(?!-)[A-Za-z0-9-]+$", file=GET, line=25, column=18),
    ),
    Rule(
        code="EXT0512",
        name="pattern-too-large",
        severity=Severity.ERROR,
        since="0.1",
        section="R-SCH-5",
        summary="a pattern that repeats more than 1,000 times or has more than 10,000 states",
        why="The work for each character of a text grows with the states of a pattern, so these are bounded.",
        fix="repeat less, or bound the length with maxLength instead",
        sample=Sample(good="^[A-Za-z0-9-]+$", bad="^[A-Za-z0-9-]{1,2000}$", file=GET, line=25, column=18),
    ),
    *schema_values.RULES,
)
