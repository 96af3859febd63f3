"""02xx: the directory of a package, its entries and its file names (R-PKG-1 to 4)."""

from __future__ import annotations

from extpkg.check.rules.rule import Rule, Sample
from extpkg.diagnostic import Severity

RULES: tuple[Rule, ...] = (
    Rule(
        code="EXT0201",
        name="meta-missing",
        severity=Severity.ERROR,
        since="0.1",
        section="R-PKG-1",
        summary="a package without meta.yaml",
        why=(
            "meta.yaml says what the package is and which actions it has; a directory without it is no "
            "package."
        ),
        fix="add meta.yaml; `extpkg new` writes one",
        sample=Sample(
            good="meta.yaml",
            bad="meta.json",
            file="meta.yaml",
            line=0,
            column=0,
            tree=(("remove", "meta.yaml", ""),),
        ),
    ),
    Rule(
        code="EXT0202",
        name="actions-missing",
        severity=Severity.ERROR,
        since="0.1",
        section="R-PKG-1",
        summary="a package without the directory actions/",
        why="Each action is a file below actions/; without it no listed action can exist.",
        fix="create actions/ and put the file of each listed action there",
        sample=Sample(
            good="actions/",
            bad="Actions/",
            file="actions",
            line=0,
            column=0,
            tree=(("remove", "actions", ""),),
        ),
    ),
    Rule(
        code="EXT0203",
        name="unexpected-root-entry",
        severity=Severity.ERROR,
        since="0.1",
        section="R-PKG-1",
        summary="an entry that a package's root must not have",
        why=(
            "Only meta.yaml, actions/, source/, tests/, README.md, CHANGELOG.md and LICENSE* belong there; "
            "whatever else lies there is a leftover or hides something from review."
        ),
        fix="remove it, or move it out of the package",
        sample=Sample(
            good="README.md",
            bad="notes.txt",
            file="notes.txt",
            line=0,
            column=0,
            tree=(("write", "notes.txt", "draft\n"),),
        ),
    ),
    Rule(
        code="EXT0204",
        name="unlisted-action-entry",
        severity=Severity.ERROR,
        since="0.1",
        section="R-PKG-1",
        summary="an entry of actions/ that meta.yaml does not list",
        why=(
            "meta.yaml alone says which actions exist; a file that it does not list is a forgotten or a "
            "smuggled one."
        ),
        fix="list it under actions in meta.yaml, or remove it",
        sample=Sample(
            good="actions/get-issue.yaml",
            bad="actions/get-issue.yml",
            file="actions/get-issue.yml",
            line=0,
            column=0,
            tree=(("write", "actions/get-issue.yml", "name: get-issue\n"),),
        ),
    ),
    Rule(
        code="EXT0205",
        name="listed-file-missing",
        severity=Severity.ERROR,
        since="0.1",
        section="R-PKG-1",
        summary="a listed action file that does not exist",
        why="An action without its file has no schema and no binding.",
        fix="add the file, or take the entry out of meta.yaml",
        sample=Sample(
            good="    file: actions/get-issue.yaml",
            bad="    file: actions/get-issue.yaml",
            file="meta.yaml",
            line=29,
            column=11,
            tree=(("remove", "actions/get-issue.yaml", ""),),
        ),
    ),
    Rule(
        code="EXT0206",
        name="symbolic-link",
        severity=Severity.ERROR,
        since="0.1",
        section="R-PKG-2",
        summary="a symbolic link inside a package",
        why=(
            "A link can point out of the package and change its target after review, wherever it points "
            "today."
        ),
        fix="replace the link by a copy of what it points to",
        sample=Sample(
            good="source/latest.yaml",
            bad="source/latest.yaml -> openapi.yaml",
            file="source/latest.yaml",
            line=0,
            column=0,
            tree=(("symlink", "source/latest.yaml", "openapi.yaml"),),
        ),
    ),
    Rule(
        code="EXT0207",
        name="not-a-regular-file",
        severity=Severity.ERROR,
        since="0.1",
        section="R-PKG-2",
        summary="an entry that is neither a regular file nor a directory where one belongs",
        why="A FIFO, socket or device can block its reader or give other bytes each time; "
        "a directory where a file belongs, or a file where a directory does, has nothing to read.",
        fix="put a regular file (for actions/, source/ and tests/ a directory) there",
        sample=Sample(
            good="README.md",
            bad="README.md/",
            file="README.md",
            line=0,
            column=0,
            tree=(("mkdir", "README.md", ""),),
        ),
    ),
    Rule(
        code="EXT0208",
        name="unreadable",
        severity=Severity.ERROR,
        since="0.1",
        section="R-PKG-2",
        summary="an entry that cannot be read",
        why="What cannot be read cannot be checked, so it is refused.",
        fix="give the file and its directories read permission",
        sample=Sample(
            good="chmod 644 actions/get-issue.yaml",
            bad="chmod 000 actions/get-issue.yaml",
            file="actions/get-issue.yaml",
            line=0,
            column=0,
            tree=(("chmod", "actions/get-issue.yaml", "000"),),
        ),
    ),
    Rule(
        code="EXT0209",
        name="name-collision",
        severity=Severity.ERROR,
        since="0.1",
        section="R-PKG-3",
        summary=(
            "two entries of one directory whose names differ only by letter case or Unicode normalization"
        ),
        why=(
            "On many disks both names are one file, so a checkout holds one of the two and nobody knows "
            "which."
        ),
        fix="rename or remove one of them",
        sample=Sample(
            good="LICENSE-MIT",
            bad="LICENSE-mit",
            file="LICENSE-mit",
            line=0,
            column=0,
            tree=(("write", "LICENSE-MIT", "MIT\n"), ("write", "LICENSE-mit", "MIT\n")),
        ),
    ),
    Rule(
        code="EXT0210",
        name="windows-device-name",
        severity=Severity.ERROR,
        since="0.1",
        section="R-PKG-3",
        summary="an entry that is named as a Windows device is",
        why=(
            "Windows cannot create the file (`con`, `aux.yaml`, `com1` and their like), "
            "so no package with it can be checked out there."
        ),
        fix="rename it",
        sample=Sample(
            good="source/auxiliary.yaml",
            bad="source/aux.yaml",
            file="source/aux.yaml",
            line=0,
            column=0,
            tree=(("write", "source/aux.yaml", "openapi: 3.1.0\n"),),
        ),
    ),
    Rule(
        code="EXT0211",
        name="action-file-path",
        severity=Severity.ERROR,
        since="0.1",
        section="R-PKG-4",
        summary="a `file` that is not exactly actions/<name>.yaml",
        why=(
            "One spelling leaves no room for absolute paths, traversal, other spellings of the same file "
            "or two actions in one file."
        ),
        fix="write actions/<name>.yaml with the entry's own name",
        sample=Sample(
            good="    file: actions/get-issue.yaml",
            bad="    file: ./actions/get-issue.yaml",
            file="meta.yaml",
            line=29,
            column=11,
        ),
    ),
    Rule(
        code="EXT0212",
        name="name-mismatch",
        severity=Severity.ERROR,
        since="0.1",
        section="R-PKG-4",
        summary="an action file whose `name` is not its file's name",
        why="The entry in meta.yaml, the file's name and the `name` in it are one identity; if they part, "
        "people and programs mean different actions.",
        fix="make the three names agree",
        sample=Sample(
            good="name: get-issue",
            bad="name: fetch-issue",
            file="actions/get-issue.yaml",
            line=1,
            column=7,
        ),
    ),
    Rule(
        code="EXT0213",
        name="duplicate-action",
        severity=Severity.ERROR,
        since="0.1",
        section="R-PKG-4",
        summary="an action or a file that meta.yaml lists twice",
        why="A name that is listed twice has no single meaning.",
        fix="remove the second entry, or give it its own name and file",
        sample=Sample(
            good="    file: actions/list-issues.yaml",
            bad="    file: actions/list-issues.yaml\n  - name: get-issue\n    file: actions/get-issue.yaml",
            file="meta.yaml",
            line=32,
            column=11,
        ),
    ),
    Rule(
        code="EXT0214",
        name="editor-leftover",
        severity=Severity.WARNING,
        since="0.1",
        section="R-PKG-1",
        summary="an ignored entry that an editor or the system left behind",
        why=(
            "Entries whose name starts with a dot are never opened, but a leftover in a published package "
            "is noise and may tell more than it should."
        ),
        fix="remove it, and name it in .gitignore",
        sample=Sample(
            good=".gitignore",
            bad=".DS_Store",
            file=".DS_Store",
            line=0,
            column=0,
            tree=(("write", ".DS_Store", ""),),
        ),
    ),
)
