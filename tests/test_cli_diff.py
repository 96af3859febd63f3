"""`extpkg diff`: versions by directory and revision, its formats, what it refuses, and `digest --diff`."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from console import SCRIPT, change, extpkg
from corpus import ROOT
from jsonschema import Draft202012Validator
from test_cli_machine import validate_sarif

from extpkg import resources
from extpkg.diff.git_tree import Repository, checked_out
from extpkg.errors import ExtpkgError

GIT = shutil.which("git")
CREATE = "actions/create-issue.yaml"


@pytest.fixture
def old(tmp_path: Path) -> Path:
    return shutil.copytree(ROOT / "golden/valid/github", tmp_path / "old")


@pytest.fixture
def new(tmp_path: Path) -> Path:
    """A version with a breaking change of each sort, a possible one, a compatible one and one of text."""
    folder = shutil.copytree(ROOT / "golden/valid/github", tmp_path / "new")
    change(folder / "meta.yaml", "\nversion: 1\n", "\nversion: 2\n")
    change(folder / CREATE, "maxLength: 256", "maxLength: 100")
    change(folder / CREATE, "maxItems: 100", "maxItems: 200")
    change(folder / CREATE, "method: POST", "method: PUT")
    change(folder / CREATE, "    - repo\n\ncatalog", "    - public_repo\n\ncatalog")
    change(folder / "actions/get-issue.yaml", "max_bytes: 65536", "max_bytes: 20")
    change(folder / "actions/list-issues.yaml", "[number, title]", "[number]")
    change(folder / "actions/list-issues.yaml", "List issues", "List them")
    return folder


def report(*arguments: object) -> Any:
    ran = extpkg("diff", "--format", "json", *arguments)
    assert (ran.code, ran.err) == (0, "")
    value = json.loads(ran.out)
    Draft202012Validator(resources.schema("diff")).validate(value)
    return value


def test_text_says_what_and_where(old: Path, new: Path) -> None:
    ran = extpkg("diff", old, new)
    assert ran.code == 0
    lines = ran.out.splitlines()
    assert [line for line in lines if line and not line.startswith(" ")][:-1] == [
        "Breaking",
        "Compatible",
        "Text",
    ]
    assert f"  {new}/{CREATE}:34:20: EXT0612 input-narrowed" in lines
    where = "/actions/0/catalog/input_schema/properties/title/maxLength"
    assert f"    create-issue: {where} changed: 256 -> 100" in lines
    doubt = "EXT0620 auth-changed (possible: nothing was found that shows it)"
    assert f"  {old}/{CREATE}:6:7: {doubt}" in lines
    assert lines[-1] == (
        "github 1 -> 2: 6 breaking, 1 compatible, 2 text. A bump is due: version 2, as it says."
    )
    assert "OLD" not in ran.out


def test_witnesses_are_printed_whole(old: Path, new: Path) -> None:
    out = extpkg("diff", "--witness", old, new).out
    title = "a" * 101
    assert f'      input  {{"owner":"a","repo":"a","title":"{title}"}}\n      OLD    POST https://' in out
    assert "      NEW    validation: /title must have at most 100 characters, not 101\n" in out
    assert "      NEW    PUT https://api.github.com/repos/pingcap/agentteam/issues accept: " in out
    assert '      OLD    gives "aaaa' in out
    assert "      NEW    upstream_failure: the result is larger than 20 bytes\n" in out
    assert '      result [{"number":1}]\n      OLD    refused\n      NEW    accepted\n' in out


def test_a_witness_is_replayed_by_bind(old: Path, new: Path) -> None:
    """What is printed can be handed to `extpkg bind` on both versions."""
    for folder in (old, new):
        assert extpkg("digest", "--write", folder).code == 0
    shown = {row["rule"]: row["witness"] for row in report("--witness", old, new)["changes"]}
    for code in ("EXT0612", "EXT0622"):
        value = json.dumps(shown[code]["value"])
        before = extpkg("bind", old, "create-issue", value)
        after = extpkg("bind", new, "create-issue", value)
        assert before.code == 0, before.err
        assert shown[code]["old"]["request"]["url"] in before.out
        if code == "EXT0612":
            assert (after.code, shown[code]["new"]["error"]["code"]) == (65, "validation")
        else:
            assert after.code == 0
            assert before.out != after.out


def test_nothing_differs(old: Path) -> None:
    ran = extpkg("diff", "--fail-on", "any", old, old)
    assert (ran.code, ran.out) == (0, "github 1 -> 1: no semantic change, no bump is due.\n")
    value = report(old, old)
    assert value["changes"] == []
    assert value["summary"]["bump"] == {"due": False, "version": 1}


def test_a_bump_alone(old: Path, tmp_path: Path) -> None:
    bumped = shutil.copytree(old, tmp_path / "bumped")
    change(bumped / "meta.yaml", "\nversion: 1\n", "\nversion: 2\n")
    ran = extpkg("diff", "--fail-on", "any", old, bumped)
    assert ran.code == 0
    assert ran.out.endswith("github 1 -> 2: no semantic change, no bump is due.\n")


@pytest.mark.parametrize(
    ("edit", "breaking", "every"),
    [
        (("maxItems: 100", "maxItems: 200"), 0, 1),
        (("maxItems: 100", "maxItems: 99"), 1, 1),
        (("    - repo\n\ncatalog", "    - other\n\ncatalog"), 1, 1),
        (("Create an issue", "Open an issue"), 0, 1),
    ],
)
def test_what_is_refused(old: Path, tmp_path: Path, edit: tuple[str, str], breaking: int, every: int) -> None:
    other = shutil.copytree(old, tmp_path / "other")
    change(other / CREATE, *edit)
    assert extpkg("diff", old, other).code == 0
    assert extpkg("diff", "--fail-on", "breaking", old, other).code == breaking
    assert extpkg("diff", "--fail-on", "any", old, other).code == every


def test_json_without_witnesses(old: Path, new: Path) -> None:
    value = report(old, new)
    assert {row["witness"] for row in value["changes"]} == {None}
    assert [row["possible"] for row in value["changes"] if row["rule"] == "EXT0620"] == [True, True]
    assert value["summary"] == {
        "breaking": 6, "compatible": 1, "text": 2, "possible": 2, "bump": {"due": True, "version": 2},
    }  # fmt: skip
    assert report("--witness", old, new)["changes"][0].keys() == value["changes"][0].keys()


def test_sarif(old: Path, new: Path) -> None:
    log = json.loads(extpkg("diff", "--format", "sarif", old, new).out)
    validate_sarif(log)
    results = log["runs"][0]["results"]
    levels = {(result["ruleId"], result["level"]) for result in results}
    assert levels >= {("EXT0612", "error"), ("EXT0620", "warning"), ("EXT0613", "note"), ("EXT0630", "note")}
    assert all("region" in result["locations"][0]["physicalLocation"] for result in results)


def test_digest_diff_prints_the_same_pointers(old: Path, new: Path) -> None:
    lines = extpkg("digest", "--diff", old, new).out.splitlines()
    said = [(line.split()[0], line.split()[1].rstrip(":")) for line in lines]
    assert said == [(row["kind"], row["pointer"]) for row in report(old, new)["changes"]]


@pytest.mark.parametrize(
    ("operand", "code", "message"),
    [
        ("library:github@1", 2, "there is no library here"),
        (f"sha256:{'0' * 64}", 2, "there is no library here"),
        ("nowhere", 2, "no such file or directory"),
        ("git:", 2, "is no revision"),
        ("git:-x", 2, "is no revision"),
        ("git:--upload-pack=x:packages", 2, "is no revision"),
        ("git::packages", 2, "is no revision"),
    ],
)
def test_what_names_no_version(
    old: Path, operand: str, code: int, message: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    if operand.startswith("git:"):
        repository(old)
    monkeypatch.chdir(old)
    monkeypatch.setenv("EXTPKG_LIBRARY", str(old / "nowhere.db"))
    for order in ((operand, "."), (".", operand)):
        ran = extpkg("diff", *order)
        assert (ran.code, ran.out) == (code, "")
        assert message in ran.err


def test_a_package_with_an_error_is_refused(old: Path, new: Path) -> None:
    change(new / CREATE, "method: PUT", "method: GIT")
    for order in ((old, new), (new, old)):
        ran = extpkg("diff", *order)
        assert (ran.code, ran.out) == (1, "")
        assert "EXT0" in ran.err


def test_published_versions(old: Path, new: Path, tmp_path: Path) -> None:
    library = tmp_path / "library.db"
    for folder in (old, new):
        assert extpkg("digest", "--write", folder).code == 0
    digest = extpkg("digest", old).out.strip()
    assert extpkg("library", "init", "--library", library).code == 0
    assert extpkg("library", "publish", "--library", library, old).code == 0
    where = ["--library", library, "--witness"]
    wanted = report("--witness", old, new)
    for operand in ("library:github@1", digest):
        found = report(*where, operand, new)
        assert found["old"]["root"] == "library:github@1"
        for row, other in zip(found["changes"], wanted["changes"], strict=True):
            side = {"old": "library:github@1", "new": str(new)}[row["side"]]
            assert row == other | {"path": f"{side}/{other['path'].removeprefix(f'{tmp_path}/')[4:]}"}
    assert report(*where, old, digest)["changes"] == []
    log = json.loads(extpkg("diff", "--format", "sarif", "--library", library, digest, new).out)
    validate_sarif(log)
    for operand, message in [
        ("library:github@2", "github@2 is not published here"),
        ("library:github", "neither DOMAIN@VERSION nor a digest"),
    ]:
        ran = extpkg("diff", "--library", library, operand, new)
        assert ran.code == 2
        assert message in ran.err


def test_hash_seeds_change_nothing(old: Path, new: Path) -> None:
    said = {
        subprocess.run(
            [str(SCRIPT), "diff", "--witness", "--format", "json", str(old), str(new)],
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            check=True,
        ).stdout
        for seed in ("0", "1", "4711")
    }
    assert len(said) == 1


def git(folder: Path, *arguments: str) -> str:
    if GIT is None:
        pytest.skip("there is no git here")
    settings = ["-c", "user.name=n", "-c", "user.email=e@example.com", "-c", "core.autocrlf=false"]
    done = subprocess.run(
        [GIT, "-C", str(folder), *settings, *arguments], capture_output=True, text=True, check=True
    )
    return done.stdout


def repository(folder: Path) -> Path:
    git(folder, "init", "-q", "-b", "main")
    git(folder, "add", "-A")
    git(folder, "commit", "-q", "-m", "one")
    git(folder, "tag", "v1")
    return folder


def test_a_revision_of_the_directory_itself(old: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    repository(old)
    change(old / CREATE, "maxLength: 256", "maxLength: 100")
    change(old / CREATE, "Create an issue", "Open an issue")
    monkeypatch.chdir(old)
    ran = extpkg("diff", "git:v1", ".")
    assert "actions/create-issue.yaml:34:20: EXT0612" in ran.out
    back = report(".", "git:v1")
    assert {row["path"] for row in back["changes"]} == {"git:v1/actions/create-issue.yaml"}
    assert back["new"]["root"] == "git:v1"
    assert [row["rule"] for row in back["changes"]] == ["EXT0613", "EXT0630"]


def test_a_package_inside_a_repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    package = shutil.copytree(ROOT / "golden/valid/github", tmp_path / "repo/packages/github")
    repository(tmp_path / "repo")
    change(package / "meta.yaml", "name: GitHub", "name: GitHub issues")
    git(tmp_path / "repo", "commit", "-q", "-a", "-m", "two")
    monkeypatch.chdir(tmp_path)
    rules = ["EXT0630"]
    assert [row["rule"] for row in report("git:v1", package)["changes"]] == rules
    assert report("git:main", package)["changes"] == []
    assert extpkg("diff", "git:v1:packages/github", package).code == 2
    monkeypatch.chdir(package)
    both = report("git:v1:packages/github", "git:main:packages/github")
    assert [(row["rule"], row["path"]) for row in both["changes"]] == [
        ("EXT0630", "git:main:packages/github/meta.yaml")
    ]
    log = json.loads(
        extpkg("diff", "--format", "sarif", "git:v1:packages/github", "git:main:packages/github").out
    )
    validate_sarif(log)
    for operand, message in [
        ("git:v1:packages", "EXT0201"),
        ("git:v1:packages/github/meta.yaml", "has no directory"),
        ("git:v1:nowhere", "has no directory"),
        ("git:v9", "git knows no revision"),
        ("git:v1:../x", "has no directory"),
    ]:
        ran = extpkg("diff", operand, ".")
        assert ran.code == (1 if message.startswith("EXT") else 2)
        assert message in ran.err


def test_what_git_holds_is_read_like_a_directory(old: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    repository(old)
    monkeypatch.chdir(old)
    (old / "actions/get-issue.yaml").unlink()
    (old / "actions/get-issue.yaml").symlink_to("/etc/passwd")
    (old / "notes").mkdir()
    (old / "notes/a.txt").write_text("a")
    (old / ".github").mkdir()
    (old / ".github/x").write_text("x")
    (old / CREATE).write_bytes(b"#" * (1 << 20) + b"#")
    git(old, "add", "-A")
    git(old, "commit", "-q", "-m", "two")
    git(old, "checkout", "-q", "v1")
    ran = extpkg("diff", "git:main:", "git:v1")
    assert ran.code == 1
    for code in ("EXT0206", "EXT0103", "EXT0203"):
        assert code in ran.err, ran.err
    assert "root:" not in ran.err
    assert "EXT0318" not in ran.err


def test_a_submodule_is_refused(old: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    repository(old)
    head = git(old, "rev-parse", "HEAD").strip()
    git(old, "update-index", "--add", "--cacheinfo", f"160000,{head},actions/more")
    git(old, "commit", "-q", "-m", "two")
    monkeypatch.chdir(old)
    ran = extpkg("diff", "git:main", ".")
    assert (ran.code, ran.out) == (1, "")
    assert "is a submodule" in ran.err


def test_without_git(old: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(old))
    ran = extpkg("diff", "git:v1", old)
    assert ran.code == 2
    assert "there is no git program" in ran.err


def test_outside_of_a_repository(old: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if GIT is None:
        pytest.skip("there is no git here")
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(old.parent))
    ran = extpkg("diff", "git:v1", old)
    assert ran.code == 2
    assert "is in no git repository" in ran.err


@pytest.mark.skipif(sys.platform == "win32", reason="names of files differ there")
def test_objects_that_are_not_there(old: Path) -> None:
    repository(old)
    store = Repository(directory=str(old))
    tree = store.tree("v1", "")
    blob = git(old, "rev-parse", "v1:meta.yaml").strip()
    loose = old / ".git/objects" / blob[:2] / blob[2:]
    loose.chmod(0o600)
    loose.unlink()
    with pytest.raises(ExtpkgError, match="git cannot read the object"), checked_out(store, tree):
        pass
    with pytest.raises(ExtpkgError, match="git cannot list the tree"), checked_out(store, "0" * 40):
        pass


def test_what_is_written_out_is_taken_away(old: Path) -> None:
    repository(old)
    store = Repository(directory=str(old))
    with checked_out(store, store.tree("v1", "")) as folder:
        assert sorted(path.name for path in Path(folder).iterdir()) == ["actions", "meta.yaml", "source"]
        for file in (CREATE, "meta.yaml", "source/openapi.yaml"):
            assert Path(folder, file).read_bytes() == (old / file).read_bytes()
    assert not Path(folder).exists()
