from __future__ import annotations

from datetime import date

import pytest

from extpkg.check.suppression import Suppression, expired, read_suppressions, unused
from extpkg.diagnostic import Diagnostic, Severity

ENTRY = '[[suppress]]\nrule = "EXT0717"\npath = "packages/*/actions/get-*.yaml"\nreason = "later"\n'


def diagnostic(
    code: str = "EXT0717", pointer: str = "/catalog", severity: Severity = Severity.WARNING
) -> Diagnostic:
    return Diagnostic(
        code=code,
        name="x",
        severity=severity,
        root=".",
        path="actions/get-a.yaml",
        pointer=pointer,
        line=1,
        column=1,
        end_line=1,
        end_column=2,
        message="m",
        help="h",
        label="",
        related=(),
        excerpt=None,
        id="",
    )


def entry(text: str) -> Suppression:
    entries, findings = read_suppressions(text.encode(), "extpkg.toml")
    assert findings == ()
    return entries[0]


@pytest.mark.parametrize(
    ("pattern", "path", "covered"),
    [
        ("packages/*/actions/get-*.yaml", "packages/a/actions/get-a.yaml", True),
        ("packages/*/actions/get-*.yaml", "packages/a/b/actions/get-a.yaml", False),
        ("packages/**/get-?.yaml", "packages/a/b/actions/get-a.yaml", True),
        ("packages/**/get-?.yaml", "packages/get-a.yaml", True),
        ("packages/**", "packages/a/meta.yaml", True),
        ("actions/get-a.yaml", "packages/a/actions/get-a.yaml", True),
        ("get-a.yaml", "packages/a/actions/xget-a.yaml", False),
        ("/actions/get-a.yaml", "packages/a/actions/get-a.yaml", False),
        ("/packages/a/meta.yaml", "packages/a/meta.yaml", True),
        ("a.yaml", "a.yaml\n", False),
        ("a+.yaml", "aa.yaml", False),
    ],
)
def test_a_path_is_a_glob_from_the_folder_or_any_tail(pattern: str, path: str, *, covered: bool) -> None:
    row = entry(f'[[suppress]]\nrule = "example-recommended"\npath = "{pattern}"\nreason = "later"\n')
    assert row.covers(diagnostic(), path) is covered


def test_only_the_named_warning_at_the_named_place_is_covered() -> None:
    row = entry(ENTRY + 'pointer = "/catalog"\n')
    path = "packages/a/actions/get-a.yaml"
    assert row.covers(diagnostic(pointer="/catalog"), path)
    assert row.covers(diagnostic(pointer="/catalog/example"), path)
    assert not row.covers(diagnostic(pointer="/catalogue"), path)
    assert not row.covers(diagnostic(pointer=""), path)
    assert not row.covers(diagnostic(code="EXT0706"), path)
    assert not row.covers(diagnostic(severity=Severity.ERROR), path)


@pytest.mark.parametrize(
    ("text", "line", "word"),
    [
        ("[[suppress]]\n", 1, "rule"),
        ('[[suppress]]\nrule = "EXT0717"\npath = "x"\nreason = " "\n', 1, "reason"),
        (ENTRY + '\n[[suppress]]\nrule = "EXT9999"\npath = "x"\nreason = "r"\n', 6, "EXT9999"),
        ('# one\n\n[[suppress]]\nrule = "EXT0421"\npath = "x"\nreason = "r"\n', 3, "cannot be suppressed"),
        (ENTRY + "expires = 2026-01-01T00:00:00\n", 1, "date"),
        (ENTRY + "pointer = 1\n", 1, "string"),
        (ENTRY + "until = 2026-01-01\n", 1, "unknown key"),
        ("suppress = 1\n", 1, "no list"),
        ("suppress = [1]\n", 1, "no table"),
        ("[other]\n", 1, "unknown table"),
        ("a = [\n  1,\n  b\n]\n", 3, "not TOML"),
        ("a = " + "[" * 5000, 1, "not TOML"),
    ],
)
def test_a_bad_configuration_says_what_and_where(text: str, line: int, word: str) -> None:
    _, findings = read_suppressions(text.encode(), "extpkg.toml")
    assert [f.code for f in findings] == ["EXT1112"]
    assert word in findings[0].message
    position = findings[0].place.position
    assert position is not None
    assert (findings[0].place.path, position.line) == ("extpkg.toml", line)


def test_bytes_that_are_no_text_are_refused() -> None:
    assert [f.code for f in read_suppressions(b"\xff", "extpkg.toml")[1]] == ["EXT1112"]


def test_the_last_day_still_counts_and_the_next_does_not() -> None:
    row = entry(ENTRY + "expires = 2026-06-30\n")
    assert list(expired([row], date(2026, 6, 30))) == []
    assert [f.code for f in expired([row], date(2026, 7, 1))] == ["EXT1111"]
    assert list(expired([entry(ENTRY)], date(9999, 12, 31))) == []


def test_what_silenced_nothing_is_named() -> None:
    row = entry(ENTRY)
    assert list(unused([row], {row})) == []
    assert [f.code for f in unused([row], set())] == ["EXT1110"]
