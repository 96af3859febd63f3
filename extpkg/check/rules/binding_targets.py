"""04xx: what bound values are written to, and whether all of the input is (R-BIND-5 to 7, 9)."""

from __future__ import annotations

from extpkg.check.rules.rule import Rule, Sample
from extpkg.diagnostic import Severity

GET = "actions/get-issue.yaml"
LIST = "actions/list-issues.yaml"
CREATE = "actions/create-issue.yaml"

RULES: tuple[Rule, ...] = (
    Rule(
        code="EXT0403",
        name="whole-body-not-alone",
        severity=Severity.ERROR,
        since="0.1",
        section="R-BIND-1",
        summary="a mapping of the whole body beside another mapping",
        why=(
            "The whole body is one value; what another mapping adds to it would overwrite or be overwritten."
        ),
        fix='keep the mapping to "" alone, or give it a target inside the body',
        sample=Sample(good="        to: /title", bad='        to: ""', file=CREATE, line=75, column=13),
    ),
    Rule(
        code="EXT0418",
        name="duplicate-target",
        severity=Severity.ERROR,
        since="0.1",
        section="R-BIND-5",
        summary="a query parameter, header or body field that is written twice",
        why=(
            "Which of two values a server takes is not defined, and one of them may be a static header "
            "or the credential. Query names count byte for byte, header names without case."
        ),
        fix="give one of the two another name, or remove it",
        sample=Sample(
            good="name: page, style: form}", bad="name: per_page, style: form}", file=LIST, line=66, column=38
        ),
    ),
    Rule(
        code="EXT0419",
        name="overlapping-body-targets",
        severity=Severity.ERROR,
        since="0.1",
        section="R-BIND-5",
        summary="a body target inside another one",
        why="One value would overwrite the other or be written into it, depending on the order.",
        fix="move one of the targets, or map the parts one by one",
        sample=Sample(good="to: /labels", bad="to: /body/labels", file=CREATE, line=79, column=13),
    ),
    Rule(
        code="EXT0420",
        name="numeric-body-token",
        severity=Severity.ERROR,
        since="0.1",
        section="R-BIND-5",
        summary='a body target with a number or "-" as a token',
        why=(
            "A number may mean a member or an index; bodies are built of objects alone, so arrays come "
            "whole from one source."
        ),
        fix="map the whole array from one field of type array",
        sample=Sample(good="to: /labels", bad="to: /labels/0", file=CREATE, line=79, column=13),
    ),
    Rule(
        code="EXT0422",
        name="header-name",
        severity=Severity.ERROR,
        since="0.1",
        section="R-BIND-6",
        summary="a header whose name is no token of RFC 9110",
        why="Such a header cannot be sent; what is sent instead may split the request.",
        fix="use letters, digits and ! # $ % & ' * + - . ^ _ ` | ~ only",
        sample=Sample(
            good="name: X-GitHub-Api-Version", bad="name: X GitHub Api Version", file=LIST, line=67, column=46
        ),
    ),
    Rule(
        code="EXT0423",
        name="reserved-header",
        severity=Severity.ERROR,
        since="0.1",
        section="R-BIND-6",
        summary="a static or bound header that only the engine may write",
        why=(
            "These headers carry the credential, frame the message or claim where it came from; an "
            "Agent must not reach them."
        ),
        fix="remove it; credentials belong to auth profiles, the content type to body.content_type",
        sample=Sample(
            good="name: X-GitHub-Api-Version", bad="name: Authorization", file=LIST, line=67, column=46
        ),
    ),
    Rule(
        code="EXT0424",
        name="header-value",
        severity=Severity.ERROR,
        since="0.1",
        section="R-BIND-6",
        summary="a static header value that is not visible ASCII with inner spaces",
        why=(
            "Other characters, line breaks above all, are read differently by each server or end the header."
        ),
        fix="write visible ASCII only, without spaces at the ends",
        sample=Sample(
            good="Accept: application/vnd.github+json",
            bad='Accept: "application/vnd.github+json "',
            file=GET,
            line=47,
            column=13,
        ),
    ),
    Rule(
        code="EXT0425",
        name="body-method",
        severity=Severity.ERROR,
        since="0.1",
        section="R-BIND-7",
        summary="a body with a method that has none",
        why="The body of a GET has no meaning and is refused or ignored by servers and proxies.",
        fix="bind the fields to query parameters, or use POST, PUT, PATCH or DELETE",
        sample=Sample(
            good="  response:",
            bad="  body: {content_type: application/json, mappings: []}\n  response:",
            file=LIST,
            line=68,
            column=3,
        ),
    ),
    Rule(
        code="EXT0426",
        name="body-content-type",
        severity=Severity.ERROR,
        since="0.1",
        section="R-BIND-7",
        summary="a body content type that is not JSON",
        why=(
            "Bodies are JSON and nothing else; another type would promise a form that is not sent. "
            "Types are lower case and have no parameters, so that there is one spelling of each."
        ),
        fix="write application/json or application/<x>+json in lower case",
        sample=Sample(
            good="content_type: application/json",
            bad="content_type: application/xml",
            file=CREATE,
            line=72,
            column=19,
        ),
    ),
    Rule(
        code="EXT0427",
        name="input-not-bound",
        severity=Severity.ERROR,
        since="0.1",
        section="R-BIND-9",
        summary="an input field that no binding carries",
        why=(
            "An Agent would fill it in, the schema would accept it, and it would be dropped without a "
            "word. Objects that are bound by their members must be closed objects and nothing else, for "
            "the same reason."
        ),
        fix="bind the field, or take it out of the input schema",
        sample=Sample(
            good="default: 30}",
            bad="default: 30}\n      sort: {type: string}",
            file=LIST,
            line=35,
            column=7,
        ),
    ),
    Rule(
        code="EXT0428",
        name="example-does-not-bind",
        severity=Severity.ERROR,
        since="0.1",
        section="R-ACT-4",
        summary="an example that the input schema accepts and no request can carry",
        why=(
            'The example shows an Agent what works. A path segment that comes out empty, "." or "..", a '
            "header value beyond visible ASCII or a comma inside a header item is refused when it is "
            "called."
        ),
        fix="change the example; where the schema should never accept such a value, narrow the schema too",
        sample=Sample(good="repo: agentteam", bad='repo: ".."', file=GET, line=39, column=11),
    ),
    Rule(
        code="EXT0429",
        name="binding-method",
        severity=Severity.ERROR,
        since="0.1",
        section="R-BIND-7",
        summary="a method outside GET, POST, PUT, PATCH and DELETE",
        why=(
            "No other method makes a useful action: HEAD has no data, OPTIONS and TRACE are about the "
            "connection."
        ),
        fix="use GET, POST, PUT, PATCH or DELETE in upper case, or leave the operation out",
        sample=Sample(good="method: GET", bad="method: HEAD", file=GET, line=43, column=11),
    ),
)
