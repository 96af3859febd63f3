"""Every command in this process: what it prints where, what it writes, how it ends."""

from __future__ import annotations

import errno
import io
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from console import SCRIPT, change, extpkg, github, script
from corpus import ROOT
from jsonschema import Draft202012Validator

from extpkg import parse_json, resources
from extpkg.check.rules import RULES
from extpkg.cli.group import COMMANDS
from extpkg.cli.main import run, verdict
from extpkg.cli.progress import Progress
from extpkg.cli.render.properties import property_rows, type_of
from extpkg.cli.terminal import Terminal, standard_terminal
from extpkg.errors import DocumentInvalid
from extpkg.package import load_package
from extpkg.version import __version__

if TYPE_CHECKING:
    from collections.abc import Iterator

DIGEST = re.compile(r"sha256:[0-9a-f]{64}\n")


@pytest.fixture
def package(tmp_path: Path) -> Path:
    return github(tmp_path / "github")


def broken(package: Path) -> Path:
    change(package / "actions/get-issue.yaml", "method: GET", "method: TRACE")
    return package


def snapshot(folder: Path) -> dict[str, bytes]:
    return {str(p.relative_to(folder)): p.read_bytes() for p in sorted(folder.rglob("*")) if p.is_file()}


# -- the tree of commands


def test_the_entry_prints_to_the_streams_of_the_process(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["--version"]) == 0
    assert capsys.readouterr().out == f"extpkg {__version__}\n"
    assert run(["nope"]) == 2
    assert capsys.readouterr().err == "Error: No such command 'nope'. Try 'extpkg --help'.\n"


def test_version() -> None:
    assert extpkg("--version").out == f"extpkg {__version__}\n"
    assert extpkg("--debug", "--version").out == f"extpkg {__version__}\n"
    assert extpkg("--version", "--help").out == f"extpkg {__version__}\n"


def test_help_lists_every_command_by_section() -> None:
    ran = extpkg("--help")
    assert ran.code == 0
    assert ran.err == ""
    for entry in COMMANDS:
        assert re.search(rf"^  {entry.name} +{re.escape(entry.summary)}$", ran.out, re.MULTILINE)
        assert f"{entry.section}:" in ran.out
    assert "Exit codes" in ran.out


@pytest.mark.parametrize("entry", COMMANDS, ids=lambda entry: entry.name)
def test_help_of_every_command_has_examples(entry: Any) -> None:
    ran = extpkg(entry.name, "-h")
    assert ran.code == 0
    assert f"  extpkg {entry.name} " in ran.out
    assert "Examples:" in ran.out
    assert extpkg(entry.name, "--help") == ran


def test_no_command_is_a_usage_error_with_the_help() -> None:
    ran = extpkg()
    assert ran.code == 2
    assert ran.out == ""
    assert "Usage: extpkg" in ran.err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["nope"], "Error: No such command 'nope'. Try 'extpkg --help'.\n"),
        (["validat"], "Error: No such command 'validat' (did you mean 'validate'?). Try 'extpkg --help'.\n"),
        (["Show"], "Error: No such command 'Show' (did you mean 'show'?). Try 'extpkg --help'.\n"),
        (["a\n::error::b"], "Error: No such command 'a\\n::error::b'. Try 'extpkg --help'.\n"),
        (["validate"], "Error: Missing argument 'PATH...'. Try 'extpkg validate --help'.\n"),
        (["validate", "--nope", "."], "Error: No such option '--nope'"),
        (["validate", "--format", "xml", "."], "Error: Invalid value for '--format': 'xml' is not one of"),
        (
            ["digest", "--check", "--write", "."],
            "Error: --check, --write, --projection, --explain and --diff exclude",
        ),
        (["digest", "--explain", ".", "."], "Error: --projection, --explain, --diff take one package"),
        (["fmt", "--check", "--diff", "."], "Error: --check and --diff exclude each other"),
        (
            ["show", ".", "--json", "--input-schema"],
            "Error: --json, --input-schema and --output-schema exclude",
        ),
        (["show", ".", "--input-schema"], "Error: --input-schema and --output-schema need an ACTION"),
        (["explain"], "Error: a CODE is missing; --all lists them"),
        (["explain", "EXT0101", "--all"], "Error: give a CODE or --all, not both"),
        (["explain", "EXT421"], "Error: Invalid value: there is no rule 'EXT421' (did you mean EXT0421 "),
        (
            ["explain", "bidi-controls"],
            "Error: Invalid value: there is no rule 'bidi-controls' (did you ",
        ),
        (["explain", "EXT9999"], "Error: Invalid value: there is no rule 'EXT9999'"),
        (["schema", "x"], "Error: Invalid value for"),
        (["schema"], "Error: Missing argument"),
        (["new", ""], "Error: DIRECTORY must name a directory to make"),
        (["new", ".."], "Error: DIRECTORY must name a directory to make"),
        (["new", "x", "--domain", "a_b"], "Error: 'a_b' is no domain"),
        (["new", "x", "--domain", "catalog"], "Error: the domain 'catalog' is reserved"),
        (["new", "x", "--domain", "arxiv"], "Error: the domain 'arxiv' is that of a Builtin"),
        (["new", "x", "--action", "Get"], "Error: 'Get' is no action"),
        (["new", "x", "--action", "a" * 65], f"Error: '{'a' * 65}' is no action"),
        (["validate", ""], "Error: path '': an empty path names nothing"),
        (["validate", "/no/such"], "Error: path '/no/such': no such file or directory\n"),
        (["validate", "a\0b"], "Error: path 'a\\x00b': not a path\n"),
        (["validate", "@nope"], "Error: path '@nope': no Builtin has this name; there is @arxiv"),
        (["validate", "@../arxiv"], "Error: path '@../arxiv': no Builtin has this name"),
        (
            ["validate", "/x\n::error::y", "@z"],
            "Error: path '/x\\n::error::y': no such file or directory\nError: path '@z'",
        ),
    ],
)
def test_wrong_usage_is_told_on_one_line_and_ends_with_2(arguments: list[str], message: str) -> None:
    ran = extpkg(*arguments)
    assert ran.code == 2
    assert ran.out == ""
    assert ran.err.startswith(message)
    assert not any(line.lstrip().startswith("::") for line in ran.err.splitlines())


# -- from a PATH to packages


def test_packages_are_found_by_meta_yaml(tmp_path: Path) -> None:
    for name in ("b", "a/x", "a/inner", ".hidden", "B", "b/source/nested"):
        (tmp_path / name).mkdir(parents=True)
        (tmp_path / name / "meta.yaml").write_text("{}")
    (tmp_path / "linked").symlink_to(tmp_path / "b")
    (tmp_path / "empty").mkdir()
    ran = extpkg("validate", "--format", "json", tmp_path)
    roots = [package["root"] for package in json.loads(ran.out)["packages"]]
    assert roots == [str(tmp_path / name) for name in ("B", "a/inner", "a/x", "b")]
    assert ran.code == 1


def test_a_link_given_as_path_is_followed(package: Path, tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(package)
    assert extpkg("validate", tmp_path / "link").code == 0


def test_a_directory_without_a_package_is_a_usage_error(tmp_path: Path) -> None:
    ran = extpkg("validate", tmp_path)
    assert (ran.code, ran.err) == (2, f"Error: path '{tmp_path}': there is no package in it (no meta.yaml)\n")
    (tmp_path / "meta.yml").write_text("")
    ran = extpkg("validate", tmp_path / "meta.yml")
    assert ran.code == 2
    assert "not a directory; name the directory that has meta.yaml" in ran.err


def test_a_package_that_lost_its_meta_yaml_is_still_one(package: Path) -> None:
    (package / "meta.yaml").unlink()
    ran = extpkg("validate", package)
    assert ran.code == 1
    assert "meta.yaml" in ran.out


def test_a_package_named_twice_is_judged_once(package: Path) -> None:
    assert extpkg("validate", package, package).out == "The package is valid.\n"


# -- validate


def test_validate_says_that_packages_are_valid(package: Path, tmp_path: Path) -> None:
    assert extpkg("validate", package) == extpkg("validate", tmp_path)
    ran = extpkg("validate", package)
    assert (ran.code, ran.out, ran.err) == (0, "The package is valid.\n", "")
    ran = extpkg("validate", package, "@arxiv")
    assert (ran.code, ran.out) == (0, "All 2 packages are valid.\n")


def test_validate_reports_a_fault_where_it_is(package: Path) -> None:
    ran = extpkg("validate", broken(package))
    assert ran.code == 1
    assert f" --> {package}/actions/get-issue.yaml:43:11\n" in ran.out
    assert "43 |   method: TRACE\n   |           ^^^^^" in ran.out
    assert "Found 1 error, 0 warnings in 1 package. Explain a code: extpkg explain EXT" in ran.out
    assert ran.err == ""


def test_a_builtins_package_goes_by_its_name() -> None:
    report = json.loads(extpkg("validate", "@arxiv", "--format", "json").out)
    assert report["packages"][0]["root"] == "@arxiv"


def test_warnings_refuse_under_strict_alone(package: Path) -> None:
    (package / ".DS_Store").write_text("")
    lax, strict = extpkg("validate", package), extpkg("validate", "--strict", package)
    assert (lax.code, strict.code) == (0, 1)
    assert "0 errors, 1 warning in 1 package" in lax.out
    assert lax.out == strict.out


@pytest.mark.parametrize("form", ["text", "concise", "json", "sarif", "github", "junit"])
@pytest.mark.parametrize("faults", [0, 1, 60])
def test_every_format_with_any_number_of_faults(package: Path, form: str, faults: int) -> None:
    unknown = "".join(f"unknown-{number}: 1\n" for number in range(faults))
    change(package / "actions/get-issue.yaml", "binding:\n", f"{unknown}binding:\n")
    ran = extpkg("validate", "--format", form, package)
    assert ran.code == (1 if faults else 0)
    if form in {"text", "github", "concise"}:
        start = {"text": "error[", "github": "::error ", "concise": f"{package}/actions"}[form]
        assert sum(line.startswith(start) for line in ran.out.splitlines()) == faults
    if form == "json":
        assert len(json.loads(ran.out)["diagnostics"]) == faults
        Draft202012Validator(resources.schema("report")).validate(json.loads(ran.out))
    if form == "sarif":
        assert len(json.loads(ran.out)["runs"][0]["results"]) == faults
    if form == "junit":
        assert ran.out.count("<failure ") == faults
    if form != "text":
        assert ("valid" if not faults else "Found") in ran.err


def test_output_goes_to_a_file_whole_or_not_at_all(package: Path, tmp_path: Path) -> None:
    target = tmp_path / "report.json"
    ran = extpkg("validate", package, "--format", "json", "--output", target)
    assert (ran.code, ran.out, ran.err) == (0, "", "The package is valid.\n")
    assert target.read_text() == extpkg("validate", package, "--format", "json").out
    extpkg("validate", broken(package), "--output", target, colour=True)
    assert "\x1b" not in target.read_text()
    assert "error[EXT" in target.read_text()
    assert {p.name for p in tmp_path.iterdir()} == {"report.json", "github"}


def test_output_that_cannot_be_written(package: Path, tmp_path: Path) -> None:
    ran = extpkg("validate", package, "--output", tmp_path / "no/such/report")
    assert ran.code == 2
    assert "no such file or directory" in ran.err
    assert extpkg("validate", package, "--output", tmp_path).code == 2
    assert extpkg("validate", package, "--output", "").code == 2


def test_the_given_configuration_is_the_one_that_counts(package: Path, tmp_path: Path) -> None:
    (package / ".DS_Store").write_text("")
    warning = json.loads(extpkg("validate", package, "--format", "json").out)["diagnostics"][0]
    config = tmp_path / "my.toml"
    config.write_text(f'[[suppress]]\nrule = "{warning["rule"]}"\npath = ".DS_Store"\nreason = "a test"\n')
    assert extpkg("validate", "--strict", package).code == 1
    assert extpkg("validate", "--strict", package, "--config", config).code == 0
    (tmp_path / "extpkg.toml").write_bytes(config.read_bytes())
    assert extpkg("validate", "--strict", package).code == 0
    ran = extpkg("validate", package, "--config", tmp_path / "absent.toml")
    assert ran.code == 2
    assert "absent.toml" in ran.err


# -- digest


def test_digest_prints_the_digest_alone(package: Path) -> None:
    ran = extpkg("digest", package)
    assert (ran.code, ran.err) == (0, "")
    assert DIGEST.fullmatch(ran.out)
    assert ran.out.strip() == load_package(package).digest
    assert extpkg("digest", package, colour=True).out == ran.out


def test_digest_prints_a_line_for_each_of_several(package: Path) -> None:
    ran = extpkg("digest", package, "@arxiv")
    first, second = ran.out.splitlines()
    assert first == f"{load_package(package).digest}  {package}"
    assert re.fullmatch(r"sha256:[0-9a-f]{64}  @arxiv", second)


def test_digest_works_where_only_the_digest_is_wrong(package: Path) -> None:
    right = extpkg("digest", package).out
    meta = package / "meta.yaml"
    change(meta, right.strip(), f"sha256:{'1' * 64}")
    assert extpkg("digest", package) == type(extpkg("--version"))(code=0, out=right, err="")
    ran = extpkg("digest", "--check", package)
    assert (ran.code, ran.out) == (1, "")
    assert "EXT0603" in ran.err
    assert extpkg("validate", package).code == 1


@pytest.mark.parametrize("line", ["", "digest: wrong\n", f"digest: sha256:{'A' * 64}\n"])
def test_digest_works_where_the_digest_is_missing_or_malformed(package: Path, line: str) -> None:
    right = extpkg("digest", package).out
    change(package / "meta.yaml", f"digest: {right}", line)
    assert extpkg("digest", package).out == right
    assert extpkg("digest", "--check", package).code == 1
    assert extpkg("digest", "--write", package).out == right
    assert extpkg("validate", package).code == 0


def test_digest_works_on_a_spoof_and_check_refuses_it(tmp_path: Path) -> None:
    package = tmp_path / "arxiv"
    shutil.copytree(ROOT / "packages/arxiv", package)
    change(package / "meta.yaml", "\nversion: 1\n", "\nversion: 2\n")
    assert extpkg("digest", package).code == 0
    assert extpkg("digest", "--write", package).code == 0
    ran = extpkg("digest", "--check", package)
    assert (ran.code, ran.out) == (1, "")
    assert "EXT1101" in ran.err


def test_digest_of_a_package_with_another_error_prints_and_writes_nothing(
    package: Path, tmp_path: Path
) -> None:
    good = github(tmp_path / "good")
    change(good / "meta.yaml", extpkg("digest", good).out.strip(), f"sha256:{'1' * 64}")
    broken(package)
    before = snapshot(tmp_path)
    for options in ([], ["--check"], ["--write"]):
        ran = extpkg("digest", *options, good, package)
        assert (ran.code, ran.out) == (1, "")
        assert "TRACE" in ran.err
    for options in (["--projection"], ["--explain"], ["--diff", str(good)]):
        assert extpkg("digest", *options, package).code == 1
    assert snapshot(tmp_path) == before


def test_digest_write_changes_one_line_alone(package: Path) -> None:
    meta = package / "meta.yaml"
    right = extpkg("digest", package).out.strip()
    text = meta.read_text().replace("\n", "\r\n").replace(right, f"sha256:{'1' * 64}  # the digest")
    meta.write_bytes(text.encode())
    before = snapshot(package)
    ran = extpkg("digest", "--write", package)
    assert (ran.code, ran.out) == (0, f"{right}\n")
    assert meta.read_bytes() == text.replace("1" * 64, right.removeprefix("sha256:")).encode()
    assert {k: v for k, v in snapshot(package).items() if k != "meta.yaml"} == {
        k: v for k, v in before.items() if k != "meta.yaml"
    }
    stamp = meta.stat().st_mtime_ns, meta.stat().st_ino
    assert extpkg("digest", "--write", package).code == 0
    assert (meta.stat().st_mtime_ns, meta.stat().st_ino) == stamp
    assert extpkg("digest", "--check", package).out == f"{right}\n"


def test_digest_projection_is_what_is_hashed(package: Path) -> None:
    from hashlib import sha256

    ran = extpkg("digest", "--projection", package)
    assert f"sha256:{sha256(ran.out.encode()).hexdigest()}\n" == extpkg("digest", package).out


def test_digest_explain_names_the_place_of_each_value(package: Path) -> None:
    rows = [re.split(r" {2,}", line) for line in extpkg("digest", "--explain", package).out.splitlines()]
    places = {row[0]: row[1:] for row in rows}
    assert places["/domain"] == ['"github"', f"{package}/meta.yaml:4"]
    assert places["/actions/1/binding/method"] == ['"GET"', f"{package}/actions/get-issue.yaml:43"]
    assert places["/contract"] == ['"extpkg.definition/1"', "(contract)"]
    assert places["/actions/1/binding/body"] == ["null", f"{package}/actions/get-issue.yaml (default)"]


def test_digest_diff_lists_what_differs(package: Path, tmp_path: Path) -> None:
    other = github(tmp_path / "other")
    change(other / "meta.yaml", "domain: github", "# a comment\ndomain: github")
    assert extpkg("digest", package, "--diff", other).out == "no semantic change\n"
    assert extpkg("digest", package, "--diff", other).code == 0
    change(package / "actions/get-issue.yaml", "summary: Get an issue", "summary: Get one issue")
    ran = extpkg("digest", package, "--diff", other)
    assert ran.code == 1
    assert ran.out == 'changed  /actions/1/catalog/summary (get-issue): "Get an issue" -> "Get one issue"\n'


def test_a_builtins_installed_package_is_never_changed() -> None:
    assert extpkg("digest", "--check", "@arxiv").code == 0
    assert extpkg("digest", "--write", "@arxiv").code == 0
    ran = extpkg("fmt", "@arxiv")
    assert ran.code == 0, ran.err


# -- fmt


def test_fmt_rewrites_checks_and_shows(package: Path) -> None:
    digest = extpkg("digest", package).out
    meta = package / "meta.yaml"
    assert extpkg("fmt", package).code == 0
    good = meta.read_bytes()
    meta.write_bytes(good.replace(b"version: 1\nname: GitHub", b"name:   'GitHub'   # the name\nversion: 1"))
    before = snapshot(package)
    ran = extpkg("fmt", "--check", package)
    assert (ran.code, ran.out, ran.err) == (1, f"would change {meta}\n", "1 of 4 files would change.\n")
    ran = extpkg("fmt", "--diff", package)
    assert ran.code == 1
    assert ran.out.startswith(f"--- {meta}\n+++ {meta}\n@@ ")
    assert "-name:   'GitHub'   # the name\n" in ran.out
    assert "+name: GitHub # the name\n" in ran.out or "+name: GitHub  # the name\n" in ran.out
    assert snapshot(package) == before
    ran = extpkg("fmt", package)
    assert (ran.code, ran.out, ran.err) == (0, f"changed {meta}\n", "1 of 4 files changed.\n")
    assert b"# the name" in meta.read_bytes()
    assert (extpkg("fmt", "--check", package).code, extpkg("fmt", "--diff", package).out) == (0, "")
    assert extpkg("digest", package).out == digest


def test_fmt_changes_nothing_where_a_file_cannot_be_read(package: Path) -> None:
    meta = package / "meta.yaml"
    meta.write_bytes(meta.read_bytes().replace(b"name: GitHub", b"name:    GitHub"))
    change(package / "actions/get-issue.yaml", "name: get-issue", "name: get-issue\nname: get-issue")
    before = snapshot(package)
    ran = extpkg("fmt", package)
    assert (ran.code, ran.out) == (1, "")
    assert f"{package}/actions/get-issue.yaml:2:1" in ran.err
    assert snapshot(package) == before


def test_fmt_says_which_files_have_no_form(package: Path) -> None:
    (package / "actions/get-issue.yaml").write_text("[]\n")
    before = snapshot(package)
    ran = extpkg("fmt", package)
    assert (ran.code, ran.out) == (1, "")
    assert ran.err.startswith(f"Error: {package}/actions/get-issue.yaml: ")
    (package / "meta.yaml").unlink()
    ran = extpkg("fmt", package)
    assert (ran.code, ran.out) == (1, "")
    assert f" --> {package}/meta.yaml\n" in ran.err
    assert snapshot(package) == {k: v for k, v in before.items() if k != "meta.yaml"}


def test_fmt_tells_a_change_that_no_diff_shows(package: Path) -> None:
    extpkg("fmt", package)
    meta = package / "meta.yaml"
    meta.write_bytes(meta.read_bytes().replace(b"\n", b"\r\n"))
    ran = extpkg("fmt", "--diff", package)
    assert (ran.code, ran.out) == (1, f"{meta}: only line ends\n")
    assert extpkg("fmt", package).code == 0
    assert b"\r" not in meta.read_bytes()


def test_fmt_shows_hostile_text_harmlessly(package: Path) -> None:
    meta = package / "meta.yaml"
    meta.write_bytes(meta.read_bytes().replace(b"version: 1", "version:   1 # \u202e ##[error]x".encode(), 1))
    change(meta, "domain:", "# ::error::x\ndomain:")
    ran = extpkg("fmt", "--diff", package)
    assert "\\u202e #\\x23[error]x" in ran.out
    assert not any(line.lstrip().startswith("::") for line in ran.out.splitlines())


def test_a_file_that_cannot_be_replaced_is_refused(package: Path, tmp_path: Path) -> None:
    """A rewrite goes to the file itself, never through a link."""
    from extpkg.cli.find import Target
    from extpkg.cli.output import replace_inside
    from extpkg.cli.terminal import Halt

    (tmp_path / "link").symlink_to(package / "meta.yaml")
    with pytest.raises(Halt) as caught:
        replace_inside(Target(root=str(tmp_path), directory=str(tmp_path)), "link", b"")
    assert caught.value.code == 1
    with pytest.raises(Halt) as caught:
        replace_inside(Target(root="@x", directory=str(package)), "meta.yaml", b"")
    assert "@x is installed and is not changed" in caught.value.message


# -- show


def test_show_a_package() -> None:
    out = extpkg("show", "@arxiv").out
    assert re.search(r"^  domain +arxiv$", out, re.MULTILINE)
    assert re.search(r"^  endpoint +none", out, re.MULTILINE)
    assert re.search(r"^Read actions\n  get +\S.*\n  search  \S", out, re.MULTILINE)


def test_show_an_action(package: Path) -> None:
    out = extpkg("show", package, "list-issues").out
    assert re.search(r"^    owner +string +yes +at least 1 character$", out, re.MULTILINE)
    assert re.search(
        r"^    state +string +one of all, closed, open; default open +Which issues", out, re.MULTILINE
    )
    assert re.search(r"^    \[\].number +integer +yes", out, re.MULTILINE)
    assert re.search(r"^  /labels -> +query +labels +form$", out, re.MULTILINE)
    assert "GET https://api.github.com/repos/{owner}/{repo}/issues" in out
    out = extpkg("show", package, "create-issue").out
    assert re.search(r"^  /description -> +body +/body$", out, re.MULTILINE)
    assert "answer 201: application/json, at most 65536 bytes of result (passthrough)" in out


def test_show_for_tools(package: Path) -> None:
    whole = json.loads(extpkg("show", "--json", package).out)
    assert whole == json.loads(extpkg("digest", "--projection", package).out)
    action = json.loads(extpkg("show", "--json", package, "get-issue").out)
    assert action == whole["actions"][1]
    for option, key in (("--input-schema", "input_schema"), ("--output-schema", "output_schema")):
        assert json.loads(extpkg("show", package, "get-issue", option).out) == action["catalog"][key]


def test_show_credentials_and_whole_bodies(package: Path) -> None:
    meta, action = package / "meta.yaml", package / "actions/create-issue.yaml"
    change(meta, "      type: oauth2_bearer\n", "      type: api_key\n      in: header\n      name: X-Key\n")
    for name in ("create-issue", "get-issue", "list-issues"):
        text = (package / f"actions/{name}.yaml").read_text()
        text = re.sub(r"  required_scopes:.*?(?=\n\n)", "", text, flags=re.DOTALL)
        (package / f"actions/{name}.yaml").write_text(text)
    change(meta, "domain: github", "domain: other")
    assert "auth      default: api_key in header x-key\n" in extpkg("show", package).out
    assert "auth    default\n" in extpkg("show", package, "get-issue").out
    text = action.read_text()
    start, end = text.index("    mappings:"), text.index("  response:")
    whole = '    mappings:\n      - {from: "", to: ""}\n\n'
    action.write_text(
        re.sub(r"/repos/\{owner\}/\{repo\}/issues", "/issues", text[:start] + whole + text[end:])
    )
    text = action.read_text()
    action.write_text(re.sub(r"  parameters:.*?(?=  body:)", "", text, flags=re.DOTALL))
    ran = extpkg("show", package, "create-issue")
    assert ran.code == 0, ran.err
    assert re.search(r"^  \(whole input\) -> +body +\(whole\)$", ran.out, re.MULTILINE)


@pytest.mark.parametrize(
    ("schema", "expected"),
    [
        (True, "anything"),
        (False, "nothing"),
        ({}, "anything"),
        ({"type": ["string", "null"]}, "string or null"),
        ({"type": "array"}, "array"),
        ({"type": "array", "items": {"type": "integer"}}, "array of integer"),
        ({"type": "array", "items": True}, "array"),
        ({"const": None}, "null"),
        ({"enum": [1, "a", True, [], {}, 2.5]}, "array or boolean or number or object or string"),
        ({"anyOf": [{}, {}]}, "anyOf of 2"),
        ({"$ref": "#/$defs/a", "$defs": {"a": {"type": "integer"}}}, "integer"),
        ({"$ref": "#/$defs/b", "$defs": {"a": {"type": "integer"}}}, "anything"),
        ({"$ref": "#/$defs/a", "$defs": {"a": True}}, "anything"),
        ({"$ref": "#a"}, "anything"),
    ],
)
def test_the_type_of_a_schema_in_words(schema: Any, expected: str) -> None:
    assert type_of(schema, schema) == expected


def test_members_are_listed_to_a_depth_and_to_a_number() -> None:
    endless = {"$ref": "#/$defs/a", "$defs": {"a": {"properties": {"b": {"$ref": "#/$defs/a"}, "c": True}}}}
    names = [row[0] for row in property_rows(endless)]
    assert names == ["b", "b.b", "b.b.b", "b.b.b.b", "b.b.b.b.b", "b.b.b.b.c", "b.b.b.c", "b.b.c", "b.c", "c"]
    wide = {"properties": {f"p{number}": {"maxLength": 1} for number in range(300)}}
    rows = list(property_rows(wide))
    assert (len(rows), rows[-1][0], rows[0][3]) == (201, "...", "at most 1 character")
    assert list(property_rows(False)) == []
    [row] = property_rows(
        {"properties": {"a\n": {"uniqueItems": True, "maxItems": 2, "description": "x " * 99}}}
    )
    assert row[0] == "a\\n"
    assert row[3] == "at most 2 items; unique"
    assert (len(row[4]), row[4][-3:]) == (100, "...")


def test_show_refuses_what_is_not_there_or_not_valid(package: Path) -> None:
    ran = extpkg("show", package, "nope")
    assert (ran.code, ran.out) == (1, "")
    assert "there is no action 'nope'; there are create-issue, get-issue, list-issues" in ran.err
    assert extpkg("show", broken(package)).code == 1
    assert extpkg("show", ROOT / "golden/valid").code == 2


# -- explain, builtins, schema


def test_explain_by_code_and_by_name() -> None:
    row = RULES[0]
    ran = extpkg("explain", row.code.lower())
    assert ran == extpkg("explain", row.name)
    assert ran.out.startswith(
        f"{row.code} {row.name}\n{row.severity.value}, since {row.since}, {row.section}\n"
    )
    assert "Why: " in ran.out
    assert "Fix: " in ran.out
    value = json.loads(extpkg("explain", row.code, "--json").out)
    assert (value["code"], value["why"]) == (row.code, row.why)


def test_every_rule_can_be_explained() -> None:
    listed = extpkg("explain", "--all").out.splitlines()
    assert [line.split()[0] for line in listed] == [row.code for row in RULES]
    values = parse_json(extpkg("explain", "--all", "--json").out.encode())
    assert [value["code"] for value in values] == [row.code for row in RULES]
    assert [v["code"] for v in values if v["sample"]["escaped"]] == ["EXT0101"]
    assert values[0]["sample"]["bad"] == r"  summary: Get an issue\xe9"
    for row in RULES:
        assert extpkg("explain", row.code).code == 0


def test_builtins_are_listed() -> None:
    (row, *_) = json.loads(extpkg("builtins", "--json").out)
    assert list(row) == ["domain", "version", "policy", "definition_digest", "runtime_digest"]
    assert row["domain"] == "arxiv"
    heads, line = extpkg("builtins").out.splitlines()[:2]
    assert heads.split() == ["domain", "version", "policy", "definition", "digest", "runtime", "digest"]
    assert line.split() == [str(value) for value in row.values()]


@pytest.mark.parametrize("name", ["meta", "action", "report", "fixture"])
def test_schemas_are_printed_as_they_are(name: str) -> None:
    assert extpkg("schema", name).out == (ROOT / f"schemas/{name}.schema.json").read_text(encoding="utf-8")


# -- new


@pytest.mark.parametrize("domain", ["weather", "true", "a", "x" * 64, "on", "null", "issue-tracker-2"])
def test_a_new_package_has_no_finding(tmp_path: Path, domain: str) -> None:
    target = tmp_path / "started"
    ran = extpkg(
        "new", target, "--domain", domain, "--action", "get-b", "--action", "get-a", "--action", "no"
    )
    assert ran.code == 0, ran.err
    assert [p.name for p in tmp_path.iterdir()] == ["started"]
    assert set(snapshot(target)) == {
        "meta.yaml",
        "actions/get-a.yaml",
        "actions/get-b.yaml",
        "actions/no.yaml",
    }
    checked = extpkg("validate", "--strict", target)
    assert (checked.code, checked.out) == (0, "The package is valid.\n")
    assert extpkg("digest", "--check", target).code == 0
    assert extpkg("fmt", "--check", target).code == 0


def test_a_new_package_takes_its_domain_from_the_directory(tmp_path: Path) -> None:
    ran = extpkg("new", f"{tmp_path}/weather/")
    assert ran.code == 0, ran.err
    assert load_package(tmp_path / "weather").definition.domain == "weather"
    assert (tmp_path / "weather").stat().st_mode & 0o777 == 0o777 & ~umask()


def umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


@pytest.mark.parametrize(
    "inside", ["meta.yaml", "actions/../meta.yaml", "actions/get-issue.yaml", "source/new"]
)
def test_a_report_never_replaces_what_it_is_about(package: Path, inside: str) -> None:
    before = snapshot(package)
    ran = extpkg("validate", "--output", package / inside, package)
    assert (ran.code, ran.out) == (2, "")
    assert "it belongs to the package that is checked" in ran.err
    assert snapshot(package) == before


@pytest.mark.parametrize("name", ["con", "nul", "com1"])
def test_new_refuses_names_of_devices(tmp_path: Path, name: str) -> None:
    ran = extpkg("new", tmp_path / "weather", "--action", name)
    assert (ran.code, ran.out) == (2, "")
    assert f"'{name}' is the name of a Windows device" in ran.err
    assert snapshot(tmp_path) == {}


def test_a_usage_error_is_one_line() -> None:
    assert extpkg("schema").err.count("\\n") == 0


def test_new_never_overwrites(tmp_path: Path) -> None:
    (tmp_path / "weather0").mkdir()
    (tmp_path / "weather1").write_text("")
    (tmp_path / "weather2").symlink_to("nowhere")
    for name in ("weather0", "weather1", "weather2"):
        target = tmp_path / name
        ran = extpkg("new", target)
        assert (ran.code, ran.out) == (1, "")
        assert "exists already" in ran.err
    assert extpkg("new", tmp_path / "no/such/weather").code == 2
    assert snapshot(tmp_path) == {"weather1": b""}


# -- how a run can end


class Failing(io.BytesIO):
    """A stream on a full disk, or whatever else the system says."""

    def __init__(self, number: int = errno.ENOSPC) -> None:
        super().__init__()
        self._number = number

    def write(self, _data: Any, /) -> int:
        raise OSError(self._number, os.strerror(self._number))


class InterruptedOnce(io.TextIOWrapper):
    """An output on whose last flush somebody presses Ctrl-C."""

    told = False

    def flush(self) -> None:
        if not self.told:
            self.told = True
            raise KeyboardInterrupt
        super().flush()


def test_ctrl_c_after_the_end_changes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdout", InterruptedOnce(io.BytesIO(), encoding="utf-8"))
    assert run(["--version"], environment={}) == 0


def test_lost_output_is_74(package: Path) -> None:
    ran = extpkg("digest", package, out=Failing())
    assert (ran.code, ran.err) == (74, "Error: the output is lost: no space left on device\n")
    ran = extpkg("digest", package, out=None)
    assert (ran.code, ran.err) == (74, "Error: the output is lost: there is nowhere to write to\n")
    assert extpkg("--version", out=Failing()).code == 74
    assert extpkg("--help", out=None).code == 74
    assert extpkg("validate", broken(package), out=Failing()).code == 74


def test_a_reader_who_has_gone_is_not_told(package: Path) -> None:
    ran = extpkg("digest", package, out=Failing(errno.EPIPE))
    assert (ran.code, ran.err) == (74, "")


def test_a_path_that_becomes_unreadable_is_2(package: Path) -> None:
    """The system's refusals that no command expects."""

    class Gone(io.BytesIO):
        def write(self, _data: Any, /) -> int:
            raise AssertionError

    assert verdict(OSError(errno.EIO, "Input/output error", "a\nb")) == (
        2,
        "path 'a\\nb': input/output error",
    )
    assert verdict(OSError(errno.EIO, "Input/output error")) == (2, "input/output error")
    assert verdict(OSError()) == (2, "oserror")
    assert verdict(DocumentInvalid(())) == (1, "")
    assert extpkg("digest", package, out=Gone()).code == 70


def test_a_lost_message_keeps_the_code(package: Path) -> None:
    assert extpkg("nope", err=Failing()).code == 2
    assert extpkg("nope", err=None).code == 2
    assert extpkg("digest", package, err=Failing()).code == 0
    assert extpkg("digest", broken(package), err=Failing()).code == 74


def test_an_internal_error_is_70_and_asks_for_a_report() -> None:
    class Odd(io.BytesIO):
        def write(self, _data: Any, /) -> int:
            raise RuntimeError("odd\n::error::x")

    ran = extpkg("--version", out=Odd())
    assert ran.code == 70
    assert (
        ran.err == "Error: internal error (RuntimeError); please report it with what extpkg --debug prints\n"
    )
    ran = extpkg("--version", "--debug", out=Odd())
    assert ran.code == 70
    assert "Traceback (most recent call last)" in ran.err
    assert "RuntimeError: odd" in ran.err
    assert not any(line.lstrip().startswith("::") for line in ran.err.splitlines())


def test_an_interrupt_is_130() -> None:
    class Interrupted(io.BytesIO):
        def write(self, _data: Any, /) -> int:
            raise KeyboardInterrupt

    ran = extpkg("--version", out=Interrupted())
    assert (ran.code, ran.err) == (130, "Error: interrupted\n")
    assert extpkg("schema", "meta", out=Interrupted()).code == 130


def test_ctrl_c_in_a_process(tmp_path: Path) -> None:
    """A run that waits for its pipe's reader is interrupted."""
    package = github(tmp_path / "github")
    unknown = "".join(f"unknown-{number}: {'x' * 90}\n" for number in range(4_000))
    change(package / "actions/get-issue.yaml", "binding:\n", f"{unknown}binding:\n")
    with subprocess.Popen(
        [SCRIPT, "validate", "--format", "json", package], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        assert process.stdout
        process.stdout.read(1)
        time.sleep(0.2)
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=60)
    assert process.returncode == 130
    assert b"Traceback" not in err


def test_a_debug_flag_behind_two_dashes_is_a_path() -> None:
    ran = extpkg("validate", "--", "--debug")
    assert (ran.code, ran.err) == (2, "Error: path '--debug': no such file or directory\n")


# -- terminals


@pytest.mark.parametrize(
    ("environment", "expected"),
    [
        ({}, False),
        ({"FORCE_COLOR": "1"}, True),
        ({"FORCE_COLOR": "0"}, False),
        ({"FORCE_COLOR": ""}, False),
        ({"FORCE_COLOR": "1", "NO_COLOR": "1"}, False),
        ({"NO_COLOR": ""}, False),
    ],
)
def test_colour_of_a_pipe(environment: dict[str, str], expected: bool) -> None:
    assert standard_terminal(environment).colour is expected


def test_colour_is_for_text_alone(package: Path) -> None:
    broken(package)
    for form in ("concise", "json", "sarif", "github", "junit"):
        ran = extpkg("validate", "--format", form, package, colour=True)
        assert "\x1b" not in ran.out + ran.err
    assert "\x1b[1;31merror[" in extpkg("validate", package, colour=True).out


def test_a_terminal_gets_colour_and_its_encoding(package: Path) -> None:
    import pty

    broken(package)

    def on_terminal(**environment: str) -> bytes:
        master, slave = pty.openpty()
        env = {"TERM": "xterm", **environment}
        process = script("validate", package, stdout=slave, stderr=subprocess.PIPE, env=env)
        os.close(slave)
        out = b"".join(drain(master))
        os.close(master)
        assert process.returncode == 1
        return out

    assert b"\x1b[1;31merror[" in on_terminal()
    assert b"\x1b" not in on_terminal(NO_COLOR="1")
    assert b"\x1b" not in on_terminal(TERM="dumb")


def drain(descriptor: int) -> Iterator[bytes]:
    while True:
        try:
            data = os.read(descriptor, 65_536)
        except OSError:
            return
        if not data:
            return
        yield data


def test_progress_is_told_on_an_interactive_terminal_alone() -> None:
    err = io.BytesIO()
    with Progress(Terminal(out=None, err=err, interactive=True), patience=0.01) as progress:
        progress.note("Checking 1 of 2: a\nb")
        time.sleep(0.1)
    assert err.getvalue().startswith(b"\r\x1b[K")
    assert b"Checking 1 of 2: a\\nb" in err.getvalue()
    assert err.getvalue().endswith(b"\r\x1b[K")
    quiet = io.BytesIO()
    with Progress(Terminal(out=None, err=quiet), patience=0.01) as progress:
        time.sleep(0.05)
    assert quiet.getvalue() == b""
    with Progress(Terminal(out=None, err=quiet, interactive=True), patience=10):
        pass
    assert quiet.getvalue() == b""


def test_progress_that_cannot_be_told_is_let_go() -> None:
    with Progress(Terminal(out=None, err=Failing(), interactive=True), patience=0.01):
        time.sleep(0.05)


def test_an_encoding_that_lacks_characters_gets_escapes(package: Path) -> None:
    change(package / "meta.yaml", "name: GitHub", "name: GitHub\nnäme: 1")
    ran = extpkg("validate", package, encoding="ascii")
    assert ran.code == 1
    assert "n\\xe4me: 1" in ran.out


def test_arguments_can_be_bytes_that_are_no_text(tmp_path: Path) -> None:
    name = os.fsencode(tmp_path) + b"/caf\xe9"
    github(Path(os.fsdecode(name)))
    ran = script("validate", "--format", "json", os.fsdecode(name))
    assert ran.returncode == 0, ran.stderr
    assert json.loads(ran.stdout)["packages"][0]["root"] == f"{tmp_path}/caf\\xe9"


# -- start-up


def test_start_up_is_cheap(package: Path) -> None:
    """The version needs no click; nothing needs a network library or the metadata of installed packages."""
    code = "import sys; from extpkg.cli.main import run; run({!r}); print(*sys.modules, file=sys.stderr)"
    loaded = {
        name: subprocess.run(
            [sys.executable, "-c", code.format(arguments)], check=True, capture_output=True, text=True
        ).stderr.split()
        for name, arguments in {"version": ["--version"], "digest": ["digest", str(package)]}.items()
    }
    assert not {"click", "json", "jsonschema", "yaml", "pathlib", "extpkg.check"} & set(loaded["version"])
    for modules in loaded.values():
        assert not {"socket", "ssl", "http", "asyncio", "importlib.metadata", "ruamel", "lxml"} & set(modules)
