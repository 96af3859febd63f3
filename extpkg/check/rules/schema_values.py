"""05xx: schemas that contradict themselves, and the values that stand beside them (R-SCH-7, R-ACT-4)."""

from __future__ import annotations

from extpkg.check.rules.rule import Rule, Sample
from extpkg.diagnostic import Severity

GET = "actions/get-issue.yaml"
LIST = "actions/list-issues.yaml"

_COPIES = ", ".join(['{$ref: "#/$defs/tree"}'] * 10)
_TREE = f"{{type: array, examples: [[[[[[[[[]]]]]]]]], items: {{allOf: [{_COPIES}]}}}}"

RULES: tuple[Rule, ...] = (
    Rule(
        code="EXT0513",
        name="empty-enum",
        severity=Severity.ERROR,
        since="0.1",
        section="R-SCH-7",
        summary="an enum without members",
        why="It accepts nothing, which is hardly what was meant.",
        fix="list the values, or remove the keyword",
        sample=Sample(good="enum: [open, closed, all]", bad="enum: []", file=LIST, line=27, column=15),
    ),
    Rule(
        code="EXT0514",
        name="required-undeclared",
        severity=Severity.ERROR,
        since="0.1",
        section="R-SCH-7",
        summary='a required member that "additionalProperties: false" beside it forbids',
        why="No object can have the member and not have it: the schema accepts nothing.",
        fix='declare the member under "properties", or take it out of "required"',
        sample=Sample(
            good="required: [owner, repo, number]",
            bad="required: [owner, repo, number, title]",
            file=GET,
            line=20,
            column=37,
        ),
    ),
    Rule(
        code="EXT0515",
        name="empty-range",
        severity=Severity.ERROR,
        since="0.1",
        section="R-SCH-7",
        summary="bounds that leave no value between them",
        why="A lower bound above the upper one, or an exclusive bound that meets it, accepts nothing.",
        fix="lower the lower bound or raise the upper one",
        sample=Sample(
            good="minimum: 1, maximum: 100", bad="minimum: 101, maximum: 100", file=LIST, line=34, column=42
        ),
    ),
    Rule(
        code="EXT0516",
        name="examples-invalid",
        severity=Severity.ERROR,
        since="0.1",
        section="R-SCH-7",
        summary="a value under examples that its own schema refuses",
        why="An Agent copies examples. One that is refused teaches it a call that fails.",
        fix="correct the example, or the schema that refuses it",
        sample=Sample(
            good='examples: ["2022-11-28"]', bad="examples: [20221128]", file=LIST, line=39, column=20
        ),
    ),
    Rule(
        code="EXT0517",
        name="default-invalid",
        severity=Severity.WARNING,
        since="0.1",
        section="R-SCH-7",
        summary="a default that its own schema refuses",
        why=(
            "A default fills in nothing here: it tells the reader what the other side assumes. One that "
            "could not be written out is most likely a slip, though the other side may have a value that "
            "no caller may send."
        ),
        fix="correct the default, or the schema that refuses it",
        sample=Sample(good="default: open", bad="default: opened", file=LIST, line=28, column=18),
    ),
    Rule(
        code="EXT0518",
        name="example-invalid",
        severity=Severity.ERROR,
        since="0.1",
        section="R-ACT-4",
        summary="an example of an action that its input schema refuses",
        why="The example is the first call an Agent tries, and the one that a publication gate makes.",
        fix="correct the example, or the input schema that refuses it",
        sample=Sample(good="number: 42", bad="number: 0", file=GET, line=40, column=13),
    ),
    Rule(
        code="EXT0519",
        name="duplicate-anchor",
        severity=Severity.ERROR,
        since="0.1",
        section="R-SCH-3",
        summary="an anchor that stands twice in one schema",
        why="A reference to it would lead to two places.",
        fix="give each anchor a name of its own",
        sample=Sample(
            good="number: {type: integer}\n          title: {type: string}",
            bad="number: {$anchor: field, type: integer}\n          title: {$anchor: field, type: string}",
            file=LIST,
            line=51,
            column=28,
        ),
    ),
    Rule(
        code="EXT0521",
        name="validation-too-costly",
        severity=Severity.ERROR,
        since="0.1",
        section="R-SCH-5",
        summary="a value of a schema document that takes more than 1,000,000 evaluations to check",
        why=(
            "Each keyword at each place of a value is one evaluation. A schema whose own examples pass the "
            "bound refuses the calls they stand for as well."
        ),
        fix="make the schema simpler: refer to a part once instead of many times over",
        sample=Sample(
            good="      issue:\n",
            bad=f"      tree: {_TREE}\n      issue:\n",
            file=LIST,
            line=46,
            column=38,
        ),
    ),
    Rule(
        code="EXT0522",
        name="repeated-member",
        severity=Severity.ERROR,
        since="0.1",
        section="R-DIG-3",
        summary="a name that stands twice in required, dependentRequired or type",
        why="These are sets: order means nothing, and a repeat is a slip, often in place of another name.",
        fix="remove the repeat",
        sample=Sample(
            good="required: [owner, repo, number]",
            bad="required: [owner, repo, repo, number]",
            file=GET,
            line=20,
            column=29,
        ),
    ),
)
