from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import extpkg
from extpkg.diagnostic import Severity
from extpkg.limits import FINDINGS_PER_FILE
from extpkg.package import read_package

ROOT = Path(__file__).resolve().parent.parent
GITHUB = ROOT / "golden" / "valid" / "github"
ARXIV = ROOT / "packages" / "arxiv"


@pytest.fixture
def github(tmp_path: Path) -> Path:
    return Path(shutil.copytree(GITHUB, tmp_path / "github"))


def edit(path: Path, old: str, new: str) -> None:
    text = path.read_text()
    assert text.count(old) == 1
    path.write_text(text.replace(old, new))


def codes(path: Path) -> list[tuple[str, str, int, int]]:
    return [(d.code, d.path, d.line, d.column) for d in extpkg.check_package(path).diagnostics]


def test_a_valid_package_loads_with_its_digest() -> None:
    report = extpkg.check_package(GITHUB)
    assert report.ok
    assert (report.diagnostics, report.domain, report.version, report.cut) == ((), "github", 1, 0)
    package = extpkg.load_package(str(GITHUB))
    assert package.digest == report.digest
    assert [action.name for action in package.definition.actions] == [
        "create-issue",
        "get-issue",
        "list-issues",
    ]
    assert extpkg.projection(package.definition).startswith(b'{"actions":[{"auth":{"profile":"default"')


def test_a_wrong_digest_refuses_and_is_still_computed(github: Path) -> None:
    """P039, P053."""
    edit(github / "meta.yaml", "name: GitHub\n", "name: GitHub!\n")
    report = extpkg.check_package(github)
    assert [d.code for d in report.diagnostics] == ["EXT0603"]
    assert report.digest is not None
    with pytest.raises(extpkg.PackageInvalid) as refused:
        extpkg.load_package(github)
    assert refused.value.report == report
    assert str(refused.value).startswith("1 error: meta.yaml:")
    assert "EXT0603" in str(refused.value)


def test_a_missing_digest_is_said_once(github: Path) -> None:
    meta = github / "meta.yaml"
    meta.write_text("".join(x for x in meta.read_text().splitlines(True) if not x.startswith("digest")))
    assert [c for c, *_ in codes(github)] == ["EXT0601"]
    assert read_package(github).computed == extpkg.check_package(GITHUB).digest


def test_no_digest_is_computed_where_a_value_is_in_doubt(github: Path) -> None:
    edit(github / "actions" / "get-issue.yaml", "name: get-issue\n", "name: get-issue\nname: get-issue\n")
    report = extpkg.check_package(github)
    assert [(d.code, d.line) for d in report.diagnostics] == [("EXT0114", 2)]
    assert report.digest is None


def test_all_files_are_judged_when_meta_cannot_be_read(github: Path) -> None:
    (github / "meta.yaml").write_text("a: b: c\n")
    edit(github / "actions" / "get-issue.yaml", "  method: GET\n", "  method: HEAD\n")
    assert [(c, p) for c, p, *_ in codes(github)] == [
        ("EXT0429", "actions/get-issue.yaml"),
        ("EXT0106", "meta.yaml"),
    ]


def test_faults_of_all_files_come_in_one_run_in_order(github: Path) -> None:
    edit(github / "actions" / "list-issues.yaml", "summary: List issues", "summary: yes")
    edit(github / "actions" / "get-issue.yaml", "class: read", "class: reed")
    edit(github / "meta.yaml", "name: GitHub\n", 'name: " "\n')
    found = codes(github)
    assert [c for c, *_ in found] == ["EXT0304", "EXT0124", "EXT0311"]
    assert found == sorted(found, key=lambda row: row[1:] + row[:1])


def test_what_is_no_directory_is_a_finding(tmp_path: Path) -> None:
    for path in (tmp_path / "nowhere", GITHUB / "meta.yaml"):
        report = extpkg.check_package(path)
        assert [d.code for d in report.diagnostics] == ["EXT0208"]
        assert not report.ok
    gone = tmp_path / "nowhere"
    with pytest.raises(extpkg.PackageInvalid) as refused:
        extpkg.load_package(gone)
    assert str(refused.value).startswith('1 error: EXT0208 "/')
    assert str(refused.value).endswith('" does not exist')
    assert "permission" not in extpkg.check_package(gone).diagnostics[0].help


def test_the_text_of_a_refusal_names_a_file_without_lines(github: Path) -> None:
    (github / "meta.yaml").unlink()
    with pytest.raises(extpkg.PackageInvalid) as refused:
        extpkg.load_package(github)
    assert str(refused.value) == "1 error: meta.yaml: EXT0201 the package has no meta.yaml"


def test_a_spoofed_domain_is_refused_and_a_copy_is_not(tmp_path: Path) -> None:
    """R-PKG-5: a registered domain belongs to the pinned Definition alone."""
    copy = Path(shutil.copytree(ARXIV, tmp_path / "copy"))
    assert extpkg.check_package(copy).ok
    edit(copy / "meta.yaml", "name: arXiv\n", "name: arXiv mirror\n")
    computed = extpkg.check_package(copy).digest
    meta = copy / "meta.yaml"
    lines = [
        f"digest: {computed}\n" if x.startswith("digest:") else x for x in meta.read_text().splitlines(True)
    ]
    meta.write_text("".join(lines))
    report = extpkg.check_package(copy)
    assert [d.code for d in report.diagnostics] == ["EXT1101"]
    assert report.digest == computed


def test_a_cap_says_how_many_it_cut(github: Path) -> None:
    many = FINDINGS_PER_FILE + 7
    with (github / "meta.yaml").open("a") as file:
        file.writelines(f"field-{i}: 1\n" for i in range(many))
    report = extpkg.check_package(github)
    assert len([d for d in report.diagnostics if d.path == "meta.yaml"]) == FINDINGS_PER_FILE
    assert report.cut == 7
    assert len({d.id for d in report.diagnostics}) == FINDINGS_PER_FILE


def test_fingerprints_do_not_depend_on_lines(github: Path) -> None:
    action = github / "actions" / "get-issue.yaml"
    edit(action, "  method: GET\n", "  method: HEAD\n")
    before = extpkg.check_package(github).diagnostics
    action.write_text("# a comment\n\n" + action.read_text())
    after = extpkg.check_package(github).diagnostics
    assert [d.id for d in before] == [d.id for d in after]
    assert before[0].line + 2 == after[0].line


def test_each_file_is_announced_before_it_is_read() -> None:
    heard: list[str] = []
    read_package(GITHUB, on_file=heard.append)
    assert heard == [
        "meta.yaml",
        "actions/create-issue.yaml",
        "actions/get-issue.yaml",
        "actions/list-issues.yaml",
    ]


def test_excerpts_survive_their_document(github: Path) -> None:
    edit(github / "actions" / "get-issue.yaml", "required: [owner, repo, number]", "required: [owner, repo]")
    found = extpkg.check_package(github).diagnostics
    assert [d.code for d in found] == ["EXT0421"]
    assert found[0].excerpt is not None
    assert found[0].excerpt.text == "    - {from: /number, in: path, name: number}"
    assert [r.excerpt.text.strip() for r in found[0].related if r.excerpt] == ["required: [owner, repo]"]
    assert found[0].position is not None
    assert found[0].severity is Severity.ERROR


def test_the_result_does_not_depend_on_hash_seed_or_directory(tmp_path: Path) -> None:
    program = "import extpkg, sys; r = extpkg.check_package(sys.argv[1]); print(r.digest, r.diagnostics)"
    outputs = {
        subprocess.run(
            [sys.executable, "-c", program, str(GITHUB)],
            capture_output=True,
            check=True,
            cwd=where,
            env={**os.environ, "PYTHONHASHSEED": seed, "TZ": zone},
        ).stdout
        for seed, where, zone in (("1", ROOT, "UTC"), ("2", tmp_path, "Asia/Kathmandu"))
    }
    assert len(outputs) == 1


def test_public_names_are_there_and_nothing_else() -> None:
    for name in extpkg.__all__:
        assert getattr(extpkg, name) is not None
    assert dir(extpkg) == sorted(extpkg.__all__)
    with pytest.raises(AttributeError):
        extpkg.nothing  # noqa: B018


def test_refusals_are_of_one_family() -> None:
    for refused in (
        lambda: extpkg.parse_document(b"a: b: c"),
        lambda: extpkg.parse_json(b"{"),
        lambda: extpkg.canonical_json(float("nan")),
        lambda: extpkg.Pointer("a"),
        lambda: extpkg.Pointer("/a").resolve({}),
    ):
        with pytest.raises(extpkg.DocumentInvalid) as caught:
            refused()
        assert isinstance(caught.value, extpkg.ExtpkgError)
        assert all(fault.code.startswith("EXT") for fault in caught.value.faults)


def test_a_fault_of_the_schema_hides_no_fault_of_the_binding(github: Path) -> None:
    action = github / "actions" / "get-issue.yaml"
    edit(action, "pattern: ^[A-Za-z0-9-]+$", 'pattern: "^(?!-)[a-z]+$"')
    edit(action, "    Accept: application/vnd.github+json\n", "    Host: example.org\n")
    assert [c for c, *_ in codes(github)] == ["EXT0511", "EXT0423"]


def test_a_fault_of_the_response_hides_no_fault_of_the_sources(github: Path) -> None:
    action = github / "actions" / "get-issue.yaml"
    edit(action, "    max_bytes: 65536\n", "    retries: 3\n")
    edit(action, "from: /number", "from: /nummer")
    assert [c for c, *_ in codes(github)] == ["EXT0402", "EXT0301"]


@pytest.mark.parametrize(
    "digest",
    [
        "&x",
        "*a",
        "!!str x",
        ".inf",
        "99999999999999999999",
        r'"\0"',
        r'"\ud800"',
        "x\ndigest: y",
        "\n- a",
        "{",
        "1e999",
    ],
)
def test_a_digest_that_no_reader_takes_refuses_the_package(github: Path, digest: str) -> None:
    meta = github / "meta.yaml"
    meta.write_text(re.sub(r"(?m)^digest: .*$", lambda _: f"digest: {digest}", meta.read_text()))
    report = extpkg.check_package(github)
    assert not report.ok
    assert all(d.path == "meta.yaml" for d in report.diagnostics)
    with pytest.raises(extpkg.PackageInvalid):
        extpkg.load_package(github)


@pytest.mark.parametrize("digest", ["", "7", "[a]", "null", "sha256:0", '"sha256:0"'])
def test_a_digest_that_is_none_leaves_the_rest_beyond_doubt(github: Path, digest: str) -> None:
    meta = github / "meta.yaml"
    meta.write_text(re.sub(r"(?m)^digest: .*$", f"digest: {digest}", meta.read_text()))
    assert read_package(github).computed == extpkg.check_package(GITHUB).digest
    assert [d.line for d in extpkg.check_package(github).diagnostics] == [2]
