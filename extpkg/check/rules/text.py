"""10xx: text that an Agent sees (R-META-3, R-ACT-1)."""

from __future__ import annotations

from extpkg.check.rules.rule import Rule, Sample
from extpkg.diagnostic import Severity

RULES: tuple[Rule, ...] = (
    Rule(
        code="EXT1001",
        name="control-character",
        severity=Severity.ERROR,
        since="0.1",
        section="R-META-3, R-ACT-1",
        summary="a control character in text that an Agent sees",
        why=(
            "Control characters hide text from a reviewer and steer terminals. Judged are the package's "
            "name and description, and all of a catalog: summary, description, every key and string of "
            "both schemas (titles, descriptions, enum members, property names, defaults, examples) and "
            "the example. LF and TAB are allowed in a `description` and in `$comment`; LF, CR and TAB in "
            "data (`example`, `const`, `default`, `examples`, `x-*`)."
        ),
        fix="remove the character",
        sample=Sample(
            good="  summary: Get an issue",
            bad='  summary: "Get\\x07 an issue"',
            file="actions/get-issue.yaml",
            line=9,
            column=16,
        ),
    ),
    Rule(
        code="EXT1002",
        name="bidi-control",
        severity=Severity.ERROR,
        since="0.1",
        section="R-META-3, R-ACT-1",
        summary="a character that changes the direction of text that an Agent sees",
        why=(
            "Overrides, embeddings, isolates and marks make a reviewer read another text than the Agent "
            "does. Judged are the package's name and description, and all of a catalog: summary, "
            "description, every key and string of both schemas (titles, descriptions, enum members, "
            "property names, defaults, examples) and the example."
        ),
        fix="remove the character; in a pattern write it as an escape",
        sample=Sample(
            good="  summary: Get an issue",
            bad='  summary: "Get \\u202ean issue"',
            file="actions/get-issue.yaml",
            line=9,
            column=17,
        ),
    ),
    Rule(
        code="EXT1003",
        name="invisible-character",
        severity=Severity.ERROR,
        since="0.1",
        section="R-META-3, R-ACT-1",
        summary="an invisible character in text that an Agent sees",
        why=(
            "Zero-width characters, fillers and stray variation selectors hide instructions from a "
            "reviewer. U+200C and U+200D may stand between two letters, marks or emoji, and a variation "
            "selector after the one character that it varies. Judged are the package's name and "
            "description, and all of a catalog: summary, description, every key and string of both "
            "schemas (titles, descriptions, enum members, property names, defaults, examples) and the "
            "example."
        ),
        fix="remove the character; in a pattern write it as an escape",
        sample=Sample(
            good="  summary: Get an issue",
            bad='  summary: "Get an\\u200b issue"',
            file="actions/get-issue.yaml",
            line=9,
            column=19,
        ),
    ),
    Rule(
        code="EXT1004",
        name="tag-character",
        severity=Severity.ERROR,
        since="0.1",
        section="R-META-3, R-ACT-1",
        summary="a Unicode tag character in text that an Agent sees",
        why=(
            "Tag characters spell a whole second text that people cannot see and models can read. Judged "
            "are the package's name and description, and all of a catalog: summary, description, every "
            "key and string of both schemas (titles, descriptions, enum members, property names, "
            "defaults, examples) and the example."
        ),
        fix="remove the characters",
        sample=Sample(
            good="  summary: Get an issue",
            bad='  summary: "Get an issue\\U000E0049"',
            file="actions/get-issue.yaml",
            line=9,
            column=25,
        ),
    ),
    Rule(
        code="EXT1005",
        name="not-one-line",
        severity=Severity.ERROR,
        since="0.1",
        section="R-ACT-1",
        summary="a summary of more than one line",
        why="A summary stands in lists, one line for each action.",
        fix="write one line; details belong into description",
        sample=Sample(
            good="  summary: Get an issue",
            bad='  summary: "Get an issue\\nby number"',
            file="actions/get-issue.yaml",
            line=9,
            column=12,
        ),
    ),
    Rule(
        code="EXT1006",
        name="blank-text",
        severity=Severity.ERROR,
        since="0.1",
        section="R-ACT-1",
        summary="a summary or description that is empty or only spaces",
        why="An Agent chooses an action by its text.",
        fix="say what the action does",
        sample=Sample(
            good="  summary: Get an issue",
            bad='  summary: "  "',
            file="actions/get-issue.yaml",
            line=9,
            column=12,
        ),
    ),
    Rule(
        code="EXT1007",
        name="heavy-catalog",
        severity=Severity.WARNING,
        since="0.1",
        section="R-ACT-1",
        summary="a catalog of more than 8,000 characters",
        why=(
            "The whole catalog of an action stands in the prompt of every Agent that may call it; a token "
            "is about four characters."
        ),
        fix="shorten descriptions, or drop fields that no Agent needs",
        sample=Sample(
            good="        description: The dated version of the REST API.",
            bad="        description: The dated version of the REST API." + " It is long." * 700,
            file="actions/list-issues.yaml",
            line=7,
            column=1,
        ),
    ),
    Rule(
        code="EXT1008",
        name="text-too-long",
        severity=Severity.ERROR,
        since="0.1",
        section="R-ACT-1",
        summary="a summary of more than 120 or a description of more than 4,096 characters",
        why="Long texts cost tokens in every prompt and are cut in lists.",
        fix="shorten it",
        sample=Sample(
            good="  summary: Get an issue",
            bad="  summary: Get an issue" + " of a repository" * 8,
            file="actions/get-issue.yaml",
            line=9,
            column=12,
        ),
    ),
)
