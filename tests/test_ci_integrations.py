"""The pre-commit hooks through pre-commit itself, and the GitHub Action's own script."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml
from keys import pair
from releases import release, rewritten

ROOT = Path(__file__).resolve().parent.parent
ARXIV = ROOT / "packages" / "arxiv"
SCRIPTS = Path(sys.executable).parent


def load(name: str) -> Any:
    return yaml.safe_load((ROOT / name).read_text(encoding="utf-8"))


def git(folder: Path, *arguments: str) -> None:
    identity = ["-c", "user.name=Ada", "-c", "user.email=ada@example.com", "-c", "commit.gpgsign=false"]
    subprocess.run(["git", *identity, *arguments], cwd=folder, check=True, capture_output=True)


def repository(folder: Path) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    git(folder, "init", "-q")
    git(folder, "add", "-A")
    git(folder, "commit", "-q", "--allow-empty", "-m", "start")
    return folder


def environment(folder: Path) -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("GIT_", "PRE_COMMIT"))}
    path = os.pathsep.join([str(SCRIPTS), os.environ["PATH"]])
    return kept | {"PATH": path, "PRE_COMMIT_HOME": str(folder / "cache")}


@pytest.fixture
def package(tmp_path: Path) -> Path:
    """Return a package in a git repository of its own."""
    shutil.copytree(ARXIV, tmp_path / "user" / "packages" / "arxiv")
    return repository(tmp_path / "user") / "packages" / "arxiv"


@pytest.fixture
def hooks(tmp_path: Path) -> Path:
    """Return a repository with this project's hooks, run by the installed extpkg.

    pre-commit would install the project over the network for `language: python`; everything else in the
    manifest (entries, arguments, which files trigger, how paths are passed) is as it ships.
    """
    manifest = [hook | {"language": "system"} for hook in load(".pre-commit-hooks.yaml")]
    folder = tmp_path / "hooks"
    folder.mkdir()
    (folder / ".pre-commit-hooks.yaml").write_text(yaml.safe_dump(manifest), encoding="utf-8")
    return repository(folder)


def pre_commit(*arguments: str, folder: Path, home: Path) -> subprocess.CompletedProcess[str]:
    command = shutil.which("pre-commit", path=environment(home)["PATH"])
    if command is None or shutil.which("git") is None:
        pytest.skip("pre-commit or git is not installed")
    return subprocess.run(
        [command, *arguments],
        cwd=folder,
        env=environment(home),
        capture_output=True,
        text=True,
        check=False,
    )


def test_the_manifest_is_valid(tmp_path: Path) -> None:
    done = pre_commit(
        "validate-manifest", str(ROOT / ".pre-commit-hooks.yaml"), folder=tmp_path, home=tmp_path
    )
    assert done.returncode == 0, done.stdout


@pytest.mark.parametrize("hook", ["extpkg-validate", "extpkg-fmt", "extpkg-digest"])
def test_hooks_pass_a_good_package(hook: str, package: Path, hooks: Path, tmp_path: Path) -> None:
    done = pre_commit("try-repo", str(hooks), hook, "--all-files", folder=package.parents[1], home=tmp_path)
    assert done.returncode == 0, done.stdout
    assert "Passed" in done.stdout


FAULTS = [
    ("extpkg-validate", "    idempotent: true\n", "    idempotent: 1\n", "EXT"),
    ("extpkg-digest", "summary: Search arXiv papers", "summary: Search papers on arXiv", "sha256:"),
    ("extpkg-fmt", "name: search\n", "name:   search\n", "files were modified by this hook"),
]


@pytest.mark.parametrize(("hook", "good", "bad", "said"), FAULTS, ids=[row[0] for row in FAULTS])
def test_hooks_stop_a_bad_package(
    hook: str, good: str, bad: str, said: str, package: Path, hooks: Path, tmp_path: Path
) -> None:
    file = package / "actions" / "search.yaml"
    text = file.read_text(encoding="utf-8")
    assert text.count(good) == 1
    file.write_text(text.replace(good, bad), encoding="utf-8")
    git(package, "add", "-A")
    done = pre_commit("try-repo", str(hooks), hook, "--all-files", folder=package.parents[1], home=tmp_path)
    assert done.returncode == 1, done.stdout
    assert said in done.stdout


def test_hooks_wait_for_a_file_of_a_package(hooks: Path, tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.mkdir()
    (other / "README.md").write_text("Nothing of a package.\n", encoding="utf-8")
    done = pre_commit("try-repo", str(hooks), "--all-files", folder=repository(other), home=tmp_path)
    assert done.returncode == 0, done.stdout
    assert done.stdout.count("no files to check") == 3


def action_step(name: str) -> dict[str, Any]:
    (step,) = [step for step in load("action.yml")["runs"]["steps"] if step.get("name") == name]
    return dict(step)


def run_validate_step(folder: Path, paths: str, strict: str, **more: str) -> tuple[dict[str, str], Path]:
    """Run the action's own script as the runner would; return its outputs."""
    bash = shutil.which("bash")
    if bash is None:
        pytest.skip("bash is not installed")
    outputs, sarif = folder / "outputs", folder / "found.sarif"
    variables = {
        "INPUT_PATHS": paths,
        "INPUT_STRICT": strict,
        "INPUT_GATE": "false",
        "INPUT_AGAINST": "",
        "INPUT_LIBRARY": "",
        "SARIF": str(sarif),
        "GITHUB_OUTPUT": str(outputs),
    } | more
    subprocess.run(
        [bash, "--noprofile", "--norc", "-eo", "pipefail", "-c", action_step("Validate")["run"]],
        cwd=folder,
        env=environment(folder) | variables,
        check=True,
        capture_output=True,
    )
    lines = outputs.read_text(encoding="utf-8").splitlines()
    return dict(line.split("=", 1) for line in lines), sarif


def test_the_action_reports_a_good_package(tmp_path: Path) -> None:
    outputs, sarif = run_validate_step(tmp_path, f"\n{ARXIV}\n\n", "true")
    assert outputs == {"status": "0", "sarif": str(sarif)}
    (run,) = json.loads(sarif.read_bytes())["runs"]
    assert run["results"] == []


def test_the_action_reports_findings_and_still_uploads(package: Path, tmp_path: Path) -> None:
    file = package / "actions" / "get.yaml"
    file.write_text(file.read_text(encoding="utf-8").replace("class: read", "class: reed"), encoding="utf-8")
    outputs, sarif = run_validate_step(tmp_path, f"{ARXIV}\n{package}", "false")
    assert outputs == {"status": "1", "sarif": str(sarif)}
    (run,) = json.loads(sarif.read_bytes())["runs"]
    assert run["results"]


def test_the_action_says_what_it_does_not_find(tmp_path: Path) -> None:
    outputs, _ = run_validate_step(tmp_path, str(tmp_path / "missing"), "false")
    assert outputs["status"] == "2"


def test_the_action_holds_a_package_at_the_gate(tmp_path: Path) -> None:
    root = release(tmp_path / "user" / "packages" / "ping", domain="ping")
    repository(tmp_path / "user")
    gate = {"INPUT_GATE": "true", "INPUT_AGAINST": "git:HEAD"}
    outputs, _ = run_validate_step(tmp_path, str(root), "false", **gate)
    assert outputs["status"] == "0"
    rewritten(root, lambda value: value["binding"].update(path="/pong"))
    outputs, sarif = run_validate_step(tmp_path, str(root), "false", **gate)
    assert outputs["status"] == "1"
    (run,) = json.loads(sarif.read_bytes())["runs"]
    assert [result["ruleId"] for result in run["results"]] == ["EXT1301"]


def recipe(under: str, number: int) -> str:
    """Return the nth shell block under a heading of the page on CI."""
    page = (ROOT / "docs" / "ci.md").read_text(encoding="utf-8")
    blocks = page.split(under, 1)[1].split("```sh\n")[1:]
    return blocks[number].split("```", 1)[0]


def test_the_shell_recipes_work_as_written(tmp_path: Path) -> None:
    """A pull request, a tag, the same tag again, and a change that nobody gave a version."""
    root = release(tmp_path / "user" / "packages" / "ping", domain="ping")
    repository(tmp_path / "user")
    git(tmp_path / "user", "update-ref", "refs/remotes/origin/main", "HEAD")
    private, public = pair(tmp_path)
    library = tmp_path / "library.db"
    variables = {"PACKAGE": "ping", "LIBRARY": str(library), "KEY": str(private), "PUBLIC_KEY": str(public)}

    def run(script: str) -> int:
        return subprocess.run(
            [shutil.which("bash") or "sh", "-euc", script],
            cwd=tmp_path / "user",
            env=environment(tmp_path) | variables,
            check=False,
            capture_output=True,
        ).returncode

    under = "## A release gate"
    request, tag, attest = (recipe(under, number) for number in range(3))
    assert run(f"extpkg library init --library {library}") == 0
    assert [run(script) for script in (request, tag, tag, attest)] == [0, 0, 0, 0]
    rewritten(root, lambda value: value["binding"].update(path="/pong"))
    assert [run(script) for script in (request, tag)] == [1, 1]


@pytest.mark.parametrize("under", ["### GitHub Actions", "### GitLab CI"])
def test_the_recipes_of_services_call_what_exists(under: str) -> None:
    """As far as it can be run offline: they are YAML, and every command and option in them is known."""
    page = (ROOT / "docs" / "ci.md").read_text(encoding="utf-8").split("## A release gate", 1)[1]
    section = page.split(under, 1)[1].split("\n### ", 1)[0]
    blocks = [block.split("```", 1)[0] for block in section.split("```yaml\n")[1:]]
    assert blocks
    inputs = load("action.yml")["inputs"]
    for block in blocks:
        value = yaml.safe_load(block)
        for step in [step for job in value.get("jobs", {}).values() for step in job["steps"]]:
            if str(step.get("uses", "")).startswith("OWNER/extpkg"):
                assert set(step["with"]) <= set(inputs)
    for command in re.findall(r"extpkg ((?:gate|library publish) .*)", section):
        words = command.split()
        name = words[: 2 if words[0] == "library" else 1]
        known = subprocess.run(
            [SCRIPTS / "extpkg", *name, "--help"], capture_output=True, text=True, check=True
        )
        assert all(word in known.stdout for word in words if word.startswith("--"))


def test_the_action_ends_as_validate_ended() -> None:
    steps = load("action.yml")["runs"]["steps"]
    assert steps[-1]["name"] == "Verdict"
    assert steps[-1]["env"]["STATUS"] == "${{ steps.validate.outputs.status }}"
    inputs = load("action.yml")["inputs"]
    assert set(inputs) == {"paths", "strict", "gate", "against", "library", "python-version", "upload"}
    page = (ROOT / "docs" / "ci.md").read_text(encoding="utf-8")
    assert all(f"| `{name}` |" in page for name in inputs)


def test_shipped_yaml_reads_the_same_in_every_reader() -> None:
    for name in ("action.yml", ".pre-commit-hooks.yaml"):
        text = (ROOT / name).read_text(encoding="utf-8")
        assert "\t" not in text
        assert all(line == line.rstrip() for line in text.splitlines())
        load(name)
