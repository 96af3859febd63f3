"""`extpkg review`: pages of directories, revisions and Builtins; the same bytes everywhere; refusals."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import subprocess
from typing import TYPE_CHECKING

import pytest
from console import SCRIPT, change, extpkg, script
from corpus import ROOT
from pages import Element, check, read

from extpkg import load_package
from extpkg.binding.request import compile_action
from extpkg.json_schema import compile_schema
from extpkg.resources import builtin_package_names

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

GIT = shutil.which("git")


@pytest.fixture
def old(tmp_path: Path) -> Path:
    return shutil.copytree(ROOT / "golden/packages/github", tmp_path / "old")


@pytest.fixture
def new(tmp_path: Path) -> Path:
    """A version with a removed action, changes of each class, and the wrong digest."""
    folder = shutil.copytree(ROOT / "golden/packages/github", tmp_path / "new")
    change(folder / "meta.yaml", "\nversion: 1\n", "\nversion: 2\n")
    create = folder / "actions/create-issue.yaml"
    change(create, "maxLength: 256", "maxLength: 100")
    change(create, "maxItems: 100", "maxItems: 200")
    change(create, "method: POST", "method: PUT")
    change(folder / "actions/get-issue.yaml", "summary: Get an issue", "summary: Read an issue")
    return folder


def reviewed(target: Path, *arguments: object) -> Element:
    ran = extpkg("review", *arguments, "--output", target)
    assert (ran.code, ran.out, ran.err) == (0, "", f"Written: {target}\n")
    root = read(target.read_bytes())
    check(root)
    return root


def test_two_versions(old: Path, new: Path, tmp_path: Path) -> None:
    root = reviewed(tmp_path / "page.html", new, "--against", old)
    tiles = [tile.text for tile in root.every("li", "tile")]
    assert tiles[0] == "Changes since 12 breaking, 1 compatible, 2 textVersion 2 is due, as it says."
    assert tiles[1:] == ["Findings1 error, 0 warnings", "8 actions4 read, 3 mutation, 1 destructive"]
    source = (new / "actions/create-issue.yaml").read_text().split("\n")
    line = next(number for number, text in enumerate(source, 1) if text.endswith("maxLength: 100"))
    assert f"in {new}/actions/create-issue.yaml:{line}:20" in root.text
    assert "validation: /title must have at most 100 characters, not 101" in root.text
    digest = extpkg("digest", new).out.split()[0]
    assert digest in root.one("header", "banner").text
    error = root.every("article", "error")
    assert len(error) == 1
    assert "digest" in error[0].text
    both = [each.text for each in root.every("article", "change")[0].every("div", "pair")[-1].every("figure")]
    assert [each.split(" ")[0] for each in both] == ["OldPOST", "NewPUT"]


def figures(root: Element, name: str) -> dict[str, str]:
    (action,) = [
        each for each in root.every("article", "action") if each.attributes["id"] == f"action-{name}"
    ]
    return {each.one("figcaption").text: each.one("code").text for each in action.every("figure")}


def test_every_example_is_the_request_that_bind_shows(tmp_path: Path) -> None:
    package = ROOT / "golden/packages/github"
    root = reviewed(tmp_path / "page.html", package)
    definition = load_package(package).definition
    for action in definition.actions:
        shown = figures(root, action.name)
        assert json.loads(shown["Input"]) == action.catalog.example
        plan = compile_action(definition, action.name)
        request = plan.bind(action.catalog.example)
        head, _, body = shown["Request"].partition("\n\n")
        first, *headers = head.split("\n")
        assert first == f"{request.method} {request.url}"
        assert headers == [
            *(f"{name}: {value}" for name, value in request.headers),
            "authorization: Bearer <credential default>",
        ]
        assert (json.loads(body) if body else None) == (json.loads(request.body) if request.body else None)
        assert request.audit_hash in root.text


def test_a_key_in_the_query_stands_there(tmp_path: Path) -> None:
    package = shutil.copytree(ROOT / "golden/packages/github", tmp_path / "keyed")
    for file in (package / "actions").iterdir():
        text = file.read_text()
        file.write_text(text.replace("\n  required_scopes:\n    - repo\n", "\n"))
    meta = package / "meta.yaml"
    profile = "type: oauth2_bearer"
    meta.write_text(meta.read_text().replace(profile, "type: api_key\n      in: query\n      name: key"))
    root = reviewed(tmp_path / "page.html", package)
    request = figures(root, "get-issue")["Request"]
    assert request.split("\n")[0].endswith("?key=<credential default>")


@pytest.mark.parametrize("name", builtin_package_names())
def test_builtins(name: str, tmp_path: Path) -> None:
    root = reviewed(tmp_path / "page.html", f"@{name}")
    assert f"Package@{name}" in root.one("header", "banner").text
    assert "Builtin, connection: " in root.text


def test_an_example_that_is_missing_is_made(tmp_path: Path) -> None:
    package = shutil.copytree(ROOT / "golden/packages/github", tmp_path / "bare")
    file = package / "actions/get-issue.yaml"
    text = file.read_text()
    start = text.index("  example:")
    file.write_text(text[:start] + text[text.index("\nbinding:") :])
    root = reviewed(tmp_path / "page.html", package)
    given = json.loads(figures(root, "get-issue")["Input"])
    definition = load_package(ROOT / "golden/packages/github").definition
    schema = next(each for each in definition.actions if each.name == "get-issue").catalog.input_schema
    assert compile_schema(schema).accepts(given)
    assert "made up from the input schema" in root.text
    assert "1 warning" in root.every("li", "tile")[0].text


def test_an_input_that_nobody_can_make_is_said_to_be_missing(tmp_path: Path) -> None:
    package = shutil.copytree(ROOT / "golden/packages/github", tmp_path / "bare")
    file = package / "actions/get-issue.yaml"
    text = file.read_text()
    text = text[: text.index("  example:")] + text[text.index("\nbinding:") :]
    file.write_text(text.replace("pattern: ^[A-Za-z0-9_-]{1,39}$", "pattern: ^a{3}$\n        minLength: 50"))
    root = reviewed(tmp_path / "page.html", package)
    assert figures(root, "get-issue") == {}
    assert "No input was found that the schema accepts" in root.text


@pytest.mark.skipif(GIT is None, reason="no git")
def test_a_revision(old: Path, new: Path, tmp_path: Path) -> None:
    repository = tmp_path / "repository"
    shutil.copytree(old, repository / "github")
    identity = ["-c", "user.name=a", "-c", "user.email=a@b.example"]
    for arguments in (["init", "-q"], ["add", "."], [*identity, "commit", "-qm", "one"]):
        subprocess.run([str(GIT), "-C", repository, *arguments], check=True)
    shutil.copytree(new, repository / "github", dirs_exist_ok=True)
    root = reviewed(tmp_path / "page.html", repository / "github", "--against", "git:HEAD")
    assert "Compared withgit:HEAD:github, github 1, " in root.text
    assert "2 breaking, 1 compatible, 2 text" in root.text


def test_a_published_version(old: Path, new: Path, tmp_path: Path) -> None:
    library = tmp_path / "library.db"
    assert extpkg("library", "init", "--library", library).code == 0
    assert extpkg("library", "publish", old, "--library", library).code == 0
    page = tmp_path / "page.html"
    root = reviewed(page, new, "--against", "library:github@1", "--library", library)
    assert "Compared withlibrary:github@1, github 1, " in root.text
    itself = reviewed(page, "library:github@1", "--library", library)
    assert "This version was judged when it was published." in itself.text


@pytest.mark.skipif(not SCRIPT.exists(), reason="the command is not installed")
def test_the_bytes_are_the_same_everywhere(old: Path, new: Path, tmp_path: Path) -> None:
    hashes = set()
    for seed, zone, locale in (("0", "UTC", "C"), ("1", "Asia/Tokyo", "C.UTF-8"), ("2", "", "POSIX")):
        page = tmp_path / f"{seed}.html"
        environment = {"PYTHONHASHSEED": seed, "TZ": zone, "LC_ALL": locale}
        ran = script(*("review", "new", "--against", "old", "--output", page), cwd=tmp_path, env=environment)
        assert ran.returncode == 0, ran.stderr
        hashes.add(hashlib.sha256(page.read_bytes()).hexdigest())
    assert len(hashes) == 1
    assert os.fsencode(tmp_path) not in (tmp_path / "0.html").read_bytes()
    assert old.exists()
    assert new.exists()


def refusals(tmp_path: Path) -> Iterator[tuple[list[object], int, str]]:
    package = ROOT / "golden/packages/github"
    broken = shutil.copytree(package, tmp_path / "broken")
    change(broken / "meta.yaml", "domain: github", "domain: Git_Hub")
    page = tmp_path / "page.html"
    yield [broken, "--output", page], 1, "EXT"
    yield [package, "--against", broken, "--output", page], 1, "EXT"
    yield [package], 2, "--output"
    yield [tmp_path / "absent", "--output", page], 2, "no such file"
    yield [package, "--against", tmp_path / "absent", "--output", page], 2, "no such file"
    yield [package, "--against", "", "--output", page], 2, "an empty path names nothing"
    yield [package, "--output", tmp_path / "no/page.html"], 2, "cannot write"
    yield [package, "--output", tmp_path], 2, "not a file"


def test_what_is_refused_writes_nothing(tmp_path: Path) -> None:
    for arguments, code, said in refusals(tmp_path):
        ran = extpkg("review", *arguments)
        assert (ran.code, ran.out) == (code, "")
        assert said in ran.err
        assert not (tmp_path / "page.html").exists()
