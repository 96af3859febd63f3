"""08xx: the response policy (R-BIND-8)."""

from __future__ import annotations

from extpkg.check.rules.rule import Rule, Sample
from extpkg.diagnostic import Severity

GET = "actions/get-issue.yaml"

RULES: tuple[Rule, ...] = (
    Rule(
        code="EXT0801",
        name="response-mode",
        severity=Severity.ERROR,
        since="0.1",
        section="R-BIND-8",
        summary="a response mode other than passthrough and empty",
        why="Streams, files and everything else that is not bounded JSON or text cannot be a result.",
        fix="write mode: passthrough, or mode: empty where nothing is to be read",
        sample=Sample(good="mode: passthrough", bad="mode: stream", file=GET, line=55, column=11),
    ),
    Rule(
        code="EXT0802",
        name="success-status",
        severity=Severity.ERROR,
        since="0.1",
        section="R-BIND-8",
        summary="a success status outside 200 to 299, or none at all",
        why="Redirects and errors have meanings of their own and are never data.",
        fix="list one or more statuses from 200 to 299",
        sample=Sample(
            good="success_statuses: [200]", bad="success_statuses: [302]", file=GET, line=56, column=24
        ),
    ),
    Rule(
        code="EXT0803",
        name="duplicate-status",
        severity=Severity.ERROR,
        since="0.1",
        section="R-BIND-8",
        summary="a success status that is listed twice",
        why="The statuses are a set; a repeat is a slip, and often for another number.",
        fix="remove the repeat, or write the status that was meant",
        sample=Sample(
            good="success_statuses: [200]", bad="success_statuses: [200, 200]", file=GET, line=56, column=29
        ),
    ),
    Rule(
        code="EXT0804",
        name="content-types-missing",
        severity=Severity.ERROR,
        since="0.1",
        section="R-BIND-8",
        summary="a passthrough response without content_types",
        why="An answer of any other type is never a result, so the types that are have to be said.",
        fix="add content_types, for example [application/json]",
        sample=Sample(
            good="success_statuses: [200]\n    content_types: [application/json]",
            bad="success_statuses: [200]",
            file=GET,
            line=54,
            column=3,
        ),
    ),
    Rule(
        code="EXT0805",
        name="content-types-with-empty",
        severity=Severity.ERROR,
        since="0.1",
        section="R-BIND-8",
        summary="an empty response with content_types",
        why="With mode: empty nothing is read, so a type has no meaning there.",
        fix="remove content_types, or write mode: passthrough",
        sample=Sample(good="mode: passthrough", bad="mode: empty", file=GET, line=57, column=5),
    ),
    Rule(
        code="EXT0806",
        name="content-type",
        severity=Severity.ERROR,
        since="0.1",
        section="R-BIND-8",
        summary="a content type that an answer may not have",
        why=(
            "Results are JSON or bounded text. Wildcards, parameters and upper case would make two "
            "spellings of one policy; text/event-stream never ends."
        ),
        fix="write application/json, application/<x>+json or text/<x> in lower case, without parameters",
        sample=Sample(
            good="content_types: [application/json]",
            bad="content_types: [application/octet-stream]",
            file=GET,
            line=57,
            column=21,
        ),
    ),
    Rule(
        code="EXT0807",
        name="duplicate-content-type",
        severity=Severity.ERROR,
        since="0.1",
        section="R-BIND-8",
        summary="a content type that is listed twice",
        why="The types are a set; a repeat is a slip.",
        fix="remove the repeat",
        sample=Sample(
            good="content_types: [application/json]",
            bad="content_types: [application/json, application/json]",
            file=GET,
            line=57,
            column=39,
        ),
    ),
    Rule(
        code="EXT0808",
        name="max-bytes",
        severity=Severity.ERROR,
        since="0.1",
        section="R-BIND-8",
        summary="a result budget outside 1 to 65536 bytes",
        why="max_bytes lowers the budget that every result has; it cannot raise it.",
        fix="write a number from 1 to 65536, or leave it out",
        sample=Sample(good="max_bytes: 65536", bad="max_bytes: 70000", file=GET, line=58, column=16),
    ),
    Rule(
        code="EXT0809",
        name="null-output",
        severity=Severity.WARNING,
        since="0.1",
        section="R-BIND-8",
        summary="an output schema that refuses null where the data can be null",
        why=(
            "The statuses 204 and 205 and the mode empty give null as data, which then contradicts what "
            "the Agent was told."
        ),
        fix='let the output schema admit null, for example type: [object, "null"]',
        sample=Sample(
            good="success_statuses: [200]", bad="success_statuses: [200, 204]", file=GET, line=33, column=3
        ),
    ),
)
