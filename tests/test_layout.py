"""Trees made on disk, judged by their entries and by what meta.yaml lists (R-PKG-1 to 4)."""

from __future__ import annotations

import os
import shutil
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, cast

import pytest
from mutants import base_folder

from extpkg.check.layout import check_action_name, check_layout, check_tree
from extpkg.check.rules import layout as layout_rules
from extpkg.document.files import Entry, EntryKind, read_tree
from extpkg.document.strict_yaml import parse_document

if TYPE_CHECKING:
    from pathlib import Path

    from extpkg.check.rules.rule import Rule
    from extpkg.diagnostic import Finding
    from extpkg.document.files import Tree


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return shutil.copytree(base_folder("github"), tmp_path / "github")


def findings(folder: Path) -> list[Finding]:
    with read_tree(folder) as tree:
        found = list(check_tree(tree))
        meta = tree.read("meta.yaml")
        if isinstance(meta, bytes):
            found += check_layout(tree, parse_document(meta, "meta.yaml").value)
        for entry in tree.entries:
            is_action = entry.path.startswith("actions/") and entry.path.endswith(".yaml")
            data = tree.read(entry.path) if is_action else b""
            if isinstance(data, bytes) and data:
                found += check_action_name(parse_document(data, entry.path).value, entry.path)
        return found


def check(folder: Path) -> list[tuple[str, str]]:
    return [(finding.code, finding.place.path) for finding in findings(folder)]


def apply(folder: Path, operation: str, path: str, argument: str) -> None:
    target = folder / path
    if operation == "write":
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(argument)
    elif operation == "remove":
        shutil.rmtree(target) if target.is_dir() else target.unlink()
    elif operation == "symlink":
        target.unlink(missing_ok=True)
        target.symlink_to(argument)
    elif operation == "mkdir":
        target.mkdir(parents=True)
    elif operation == "fifo":
        os.mkfifo(target)
    else:
        pytest.skip(f"{operation} depends on who runs the test")


@pytest.mark.parametrize("rule", layout_rules.RULES, ids=lambda rule: rule.code)
def test_sample(rule: Rule, folder: Path) -> None:
    sample = rule.sample
    assert check(folder) == []
    for operation, path, argument in sample.tree:
        apply(folder, operation, path, argument)
    if not sample.tree:
        text = (folder / sample.file).read_text()
        assert text.count(sample.good) == 1
        (folder / sample.file).write_text(text.replace(sample.good, sample.bad))
    (finding,) = findings(folder)
    assert (finding.code, finding.place.path) == (rule.code, sample.file)
    if sample.line:
        document = parse_document((folder / sample.file).read_bytes(), sample.file)
        at = document.position(finding.place.pointer)
        assert (at.line, at.column) == (sample.line, sample.column)


@pytest.mark.parametrize(
    "path",
    [
        "README.md", "CHANGELOG.md", "LICENSE", "LICENSE.md", "LICENSE-MIT", "LICENSES.txt",
        "tests/get-issue/a/input.json", "source/deep/er/file.txt", "source/.hidden", ".gitignore",
        ".github/workflows/ci.yml", ".editorconfig", ".env",
    ],
)  # fmt: skip
def test_allowed_entries(folder: Path, path: str) -> None:
    apply(folder, "write", path, "x")
    assert check(folder) == []


@pytest.mark.parametrize(
    "path",
    [
        "readme.md", "README", "license", "Thumbs.db", "meta.yaml~", "meta.yml", "meta.json", "foo~",
        "source.yaml", "acts", "Makefile", "# x", "a b", "caf\u00e9", "\u202ex", "con",
    ],
)  # fmt: skip
def test_unexpected_root_entries(folder: Path, path: str) -> None:
    apply(folder, "write", path, "x")
    assert check(folder) == [("EXT0203", path)]


@pytest.mark.parametrize(
    "name",
    [
        ".DS_Store",
        "._meta.yaml",
        ".meta.yaml.swp",
        ".meta.yaml.swo",
        ".#meta.yaml",
        ".idea",
        ".vscode",
        ".foo~",
    ],
)
def test_leftovers(folder: Path, name: str) -> None:
    (folder / name).symlink_to("nowhere")
    assert check(folder) == [("EXT0214", name)]


@pytest.mark.parametrize(
    "path",
    [
        "actions/a.yaml", "actions/a.yml", "actions/a.json", "actions/.hidden.yaml", "actions/.DS_Store",
        "actions/x~", "actions/Thumbs.db", "actions/get-issue.yaml.bak", "actions/README.md",
    ],
)  # fmt: skip
def test_unlisted_entries(folder: Path, path: str) -> None:
    """P042, P044."""
    apply(folder, "write", path, "x: y\n")
    assert [row for row in check(folder) if row[0] != "EXT0212"] == [("EXT0204", path)]


def test_one_renamed_file_is_one_finding(folder: Path) -> None:
    (folder / "actions/get-issue.yaml").rename(folder / "actions/read-issue.yaml")
    (found,) = (finding for finding in findings(folder) if finding.code != "EXT0212")
    assert (found.code, found.place.pointer) == ("EXT0205", "/actions/1/file")
    assert [(place.path, place.label) for place in found.related] == [
        ("actions/read-issue.yaml", "was it renamed?")
    ]
    apply(folder, "write", "actions/other.yaml", "name: other\n")
    assert sorted(code for code, _ in check(folder) if code != "EXT0212") == ["EXT0204", "EXT0204", "EXT0205"]


def test_unlisted_folders(folder: Path) -> None:
    """P044: the files in one are named, or itself if it is empty."""
    apply(folder, "write", "actions/sub/deep/a.yaml", "name: a\n")
    apply(folder, "mkdir", "actions/void", "")
    found = [row for row in check(folder) if row[0] != "EXT0212"]
    assert found == [("EXT0204", "actions/sub/deep/a.yaml"), ("EXT0204", "actions/void")]


@pytest.mark.parametrize("target", ["nowhere", "/dev/zero", "..", "get-issue.yaml", "/etc/passwd"])
@pytest.mark.parametrize(
    "path",
    [
        "README.md",
        "source/link",
        "tests/link",
        "actions/link.yaml",
        "actions/get-issue.yaml",
        "source/deep/link",
    ],
)
def test_links(folder: Path, path: str, target: str) -> None:
    """P048: an error wherever they point."""
    (folder / path).parent.mkdir(exist_ok=True)
    apply(folder, "symlink", path, target)
    assert check(folder) == [("EXT0206", path)]


@pytest.mark.parametrize(
    "path", ["meta.yaml", "README.md", "source/pipe", "actions/pipe", "actions/get-issue.yaml"]
)
def test_fifos(folder: Path, path: str) -> None:
    (folder / path).unlink(missing_ok=True)
    apply(folder, "fifo", path, "")
    assert check(folder) == [("EXT0207", path)]


def test_files_and_directories_in_each_others_place(folder: Path) -> None:
    for path in ("source", "actions/get-issue.yaml"):
        apply(folder, "remove", path, "")
    (folder / "source").write_text("x")
    (folder / "actions" / "get-issue.yaml").mkdir()
    (folder / "tests").write_text("x")
    assert sorted(check(folder)) == [
        ("EXT0207", path) for path in ("actions/get-issue.yaml", "source", "tests")
    ]


def test_linked_actions_folder(folder: Path) -> None:
    (folder / "actions").rename(folder.parent / "elsewhere")
    (folder / "actions").symlink_to("../elsewhere")
    assert check(folder) == [("EXT0206", "actions")]


@pytest.mark.parametrize(
    "name",
    ["aux", "AUX.yaml", "con.tar.gz", "nul", "prn.txt", "com1.yaml", "Lpt9", "com\u00b9", "conin$", "con .x"],
)
def test_device_names(folder: Path, name: str) -> None:
    apply(folder, "write", f"source/{name}", "x")
    assert check(folder) == [("EXT0210", f"source/{name}")]


@pytest.mark.parametrize("name", ["auxiliary.yaml", "com.yaml", "com10.yaml", "console", "xcon", "nul-l"])
def test_other_names(folder: Path, name: str) -> None:
    apply(folder, "write", f"source/{name}", "x")
    assert check(folder) == []


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("source/a.yaml", "source/A.yaml"),
        ("source/caf\u00e9", "source/cafe\u0301"),
        ("source/stra\u00dfe", "source/STRASSE"),
        ("tests/a/x", "tests/A/x"),
        ("LICENSE", "LICENSE\u0301"),
    ],
)
def test_collisions(folder: Path, first: str, second: str) -> None:
    """R-PKG-3."""
    apply(folder, "write", first, "x")
    apply(folder, "write", second, "y")
    codes = {code for code, _ in check(folder)}
    assert codes == ({"EXT0209"} if first != "LICENSE" else set())


def test_a_collision_in_actions_is_one_finding(folder: Path) -> None:
    apply(folder, "write", "actions/Get-Issue.yaml", "name: Get-Issue\n")
    (finding,) = findings(folder)
    assert finding.code == "EXT0209"
    assert "Get-Issue" in finding.message


ZERO = {"name": "get-issue", "file": "actions/get-issue.yaml"}


def listing(folder: Path, *rows: Any) -> list[tuple[str, str]]:
    """Return what is found with these rows in place of the entry of get-issue."""
    others = [{"name": name, "file": f"actions/{name}.yaml"} for name in ("create-issue", "list-issues")]
    with read_tree(folder) as tree:
        return [(f.code, f.place.pointer) for f in check_layout(tree, {"actions": [*rows, *others]})]


@pytest.mark.parametrize(
    "file",
    [
        "", ".", "..", "/", "get-issue.yaml", "./actions/get-issue.yaml", "actions//get-issue.yaml",
        "actions/../actions/get-issue.yaml", "actions\\get-issue.yaml", "/actions/get-issue.yaml",
        "Actions/get-issue.yaml", "actions/get-issue.yml", "actions/get-issue.YAML", "actions/*.yaml",
        "actions/get-issue.yaml ", "actions/get-issue.yaml\n", "meta.yaml", "actions/get\u2010issue.yaml",
        "file:///etc/passwd", "~/x.yaml", "$HOME/x.yaml", "C:\\x.yaml", "actions/%67et-issue.yaml",
    ],
)  # fmt: skip
def test_one_spelling_of_a_path(folder: Path, file: str) -> None:
    """P046, P048, P049."""
    assert listing(folder, ZERO | {"file": file}) == [("EXT0211", "/actions/0/file")]


@pytest.mark.parametrize(
    ("rows", "expected"),
    [
        ([ZERO], []),
        ([ZERO, ZERO], [("EXT0213", "/actions/1/name")]),
        ([ZERO, ZERO | {"name": "other"}], [("EXT0213", "/actions/1/file")]),
        ([ZERO, ZERO | {"file": "actions/x/../get-issue.yaml"}], [("EXT0213", "/actions/1/name")]),
        ([ZERO | {"name": "Get-Issue"}], []),
        ([{"name": "Get-Issue", "file": "./actions/get-issue.yaml"}], []),
        ([{"name": "Get-Issue", "file": "actions/Get-Issue.yaml"}], []),
        ([{"name": "get_issue", "file": "actions//get-issue.yaml"}], []),
        ([{"name": "Get", "file": "x.yaml"}], [("EXT0204", "")]),
        ([{"name": "get-issue"}], []),
        ([{"file": "actions/get-issue.yaml"}], []),
        ([ZERO, {"name": "gone", "file": "actions/gone.yaml"}], [("EXT0205", "/actions/1/file")]),
        ([ZERO, None, 5, [], {"name": 5, "file": 6}], []),
    ],
)
def test_listings(folder: Path, rows: list[Any], expected: list[tuple[str, str]]) -> None:
    """P043, P045; a malformed name is R-META-2's business, a missing field structure's."""
    assert listing(folder, *rows) == expected


def test_swapped_files(folder: Path) -> None:
    rows = [{"name": a, "file": f"actions/{b}.yaml"} for a, b in (("a", "b"), ("b", "a"))]
    assert listing(folder, ZERO, *rows) == [("EXT0211", "/actions/1/file"), ("EXT0211", "/actions/2/file")]


@pytest.mark.parametrize("meta", [None, [], {}, {"actions": 5}, {"actions": []}])
def test_without_a_listing_nothing_is_called_unlisted(folder: Path, meta: Any) -> None:
    with read_tree(folder) as tree:
        assert list(check_layout(tree, meta)) == []


@pytest.mark.parametrize("value", [None, [], {}, {"name": 5}, {"name": "get-issue"}])
def test_no_or_the_right_name(value: Any) -> None:
    """P047."""
    assert list(check_action_name(value, "actions/get-issue.yaml")) == []


@pytest.mark.parametrize("path", ["source", "actions", "source/deep", "tests"])
@pytest.mark.parametrize(
    ("kind", "words"),
    [(EntryKind.UNREADABLE, "cannot be read"), (EntryKind.CROWDED, "a package has at most 100,000 in all")],
)
def test_folders_that_cannot_be_listed(path: str, kind: EntryKind, words: str) -> None:
    kinds = {"meta.yaml": EntryKind.FILE, "actions": EntryKind.DIRECTORY} | {path: kind}
    entries = tuple(Entry(path=name, kind=kind) for name, kind in kinds.items())
    tree = cast("Tree", SimpleNamespace(entries=entries))
    (found,) = check_tree(tree)
    assert (found.code, found.place.path) == ("EXT0208", path)
    assert found.message.endswith(words)
    if path == "actions":
        assert list(check_layout(tree, {"actions": [ZERO]})) == []
