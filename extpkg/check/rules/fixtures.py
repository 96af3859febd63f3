"""09xx: the files of a test case (R-FIX-1). The samples stand in the files of a case, not of a package."""

from __future__ import annotations

from extpkg.check.rules.rule import Rule, Sample
from extpkg.diagnostic import Severity

RULES: tuple[Rule, ...] = (
    Rule(
        code="EXT0901",
        name="case-stranger",
        severity=Severity.ERROR,
        since="0.1",
        section="R-FIX-1",
        summary="an entry among the cases that is no part of one",
        why="A misspelt file name would leave a part of the case unread, and the case would pass for less.",
        fix="remove it, or give it the name of a file of a case; cases are in <action>/<case>/",
        sample=Sample(
            good="input.json",
            bad="inputs.json",
            file="inputs.json",
            line=0,
            column=0,
            tree=(("write", "inputs.json", "{}"),),
        ),
    ),
    Rule(
        code="EXT0902",
        name="case-file-missing",
        severity=Severity.ERROR,
        since="0.1",
        section="R-FIX-1",
        summary="a case without input.json or exchange.json",
        why="A case says what goes in and which requests are made; a call that makes none has an empty list.",
        fix="add the file; for a call that sends nothing write [] into exchange.json",
        sample=Sample(
            good="exchange.json",
            bad="no exchange.json",
            file="exchange.json",
            line=0,
            column=0,
            tree=(("remove", "exchange.json", ""),),
        ),
    ),
    Rule(
        code="EXT0903",
        name="case-outcome",
        severity=Severity.ERROR,
        since="0.1",
        section="R-FIX-1",
        summary="a case with both output.json and error.json, or with neither",
        why="A call has one outcome. Without an expectation a case proves nothing.",
        fix="keep exactly one of output.json and error.json",
        sample=Sample(
            good="output.json",
            bad="output.json and error.json",
            file="error.json",
            line=0,
            column=0,
            tree=(("write", "error.json", '{"code": "not_found"}'),),
        ),
    ),
    Rule(
        code="EXT0904",
        name="case-value",
        severity=Severity.ERROR,
        since="0.1",
        section="R-FIX-1",
        summary="a value in a file of a case that does not belong there",
        why="The files are read as strictly as packages are: a field that nobody reads is a mistake.",
        fix="see `extpkg schema fixture` for the fields of each file",
        sample=Sample(good='"status": 200', bad='"status": "200"', file="exchange.json", line=9, column=17),
    ),
    Rule(
        code="EXT0905",
        name="case-request-header",
        severity=Severity.ERROR,
        since="0.1",
        section="R-FIX-1",
        summary="a recorded request header that no bound request has",
        why=(
            "A case holds the request as the action determines it: lower-case names, sorted, without the "
            "engine's own headers and without the credential, which must never be written down."
        ),
        fix="remove engine headers and credentials, write names in lower case and sort them",
        sample=Sample(
            good='"headers": []',
            bad='"headers": [["user-agent", "extpkg"]]',
            file="exchange.json",
            line=6,
            column=19,
        ),
    ),
    Rule(
        code="EXT0906",
        name="case-body-file",
        severity=Severity.ERROR,
        since="0.1",
        section="R-FIX-1",
        summary="a bodyFile that is not there, or that is another file of the case",
        why="The body is what the answer consists of; without it there is nothing to replay.",
        fix="put the bytes of the body into a file of that name beside exchange.json",
        sample=Sample(
            good='"body": "hi"',
            bad='"bodyFile": "body.xml"',
            file="exchange.json",
            line=11,
            column=19,
        ),
    ),
)
