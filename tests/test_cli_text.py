"""The formats for people, against outputs that were written by hand."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st
from reports import at, bare, diagnostic, report

from extpkg.cli.render.escape import escaped, guarded, shown_path
from extpkg.cli.render.snippet import LINE_WIDTH, Mark, draw
from extpkg.cli.render.text import SHOWN, Style, coloured, render_concise, render_text, summary
from extpkg.diagnostic import Excerpt, Related, Severity

if TYPE_CHECKING:
    from collections.abc import Callable

    from extpkg.diagnostic import Report

EXAMPLE = """\
error[EXT0421]: path placeholder {number} is bound to an optional input field
  --> actions/get-issue.yaml:19:14
   |
 8 |     required: [owner, repo]
   |               ------------- "number" is missing here
19 |     - {from: /number, in: path, name: number}
   |              ^^^^^^^ a path source must be required at every level
   = at: /binding/parameters/2/from
   = help: add "number" to required (changes the agent schema: needs a version bump)
Found 1 error, 0 warnings in 1 package. Explain a code: extpkg explain EXT0421
"""


def test_text_is_the_example_of_the_design() -> None:
    assert render_text([report(diagnostic())]) == EXAMPLE


def test_text_of_valid_packages_is_the_summary() -> None:
    assert render_text([report()]) == "The package is valid.\n"
    assert render_text([report(), report(), report()]) == "All 3 packages are valid.\n"


def test_text_of_several_diagnostics_has_an_empty_line_between_them() -> None:
    first = bare(message="the file is missing", path="actions/a.yaml", help="write it")
    second = bare(
        severity=Severity.WARNING,
        message="odd",
        path="meta.yaml",
        line=3,
        column=1,
        end_line=3,
        end_column=1,
        excerpt=Excerpt(line=3, text="x: 1"),
    )
    assert (
        render_text([report(first), report(second, root="p/q"), report()])
        == """\
error[EXT0421]: the file is missing
 --> actions/a.yaml
  = help: write it

warning[EXT0421]: odd
 --> meta.yaml:3:1
  |
3 | x: 1
  | ^
Found 1 error, 1 warning in 3 packages. Explain a code: extpkg explain EXT0421
"""
    )


def test_text_shows_another_file_in_a_snippet_of_its_own_and_bare_places_as_notes() -> None:
    other = Related(
        path="meta.yaml", pointer="/auth", position=at(101, 3, 7), message="the profile",
        excerpt=Excerpt(line=101, text="  auth: x"),
    )  # fmt: skip
    no_text = Related(path="source/x", pointer="", position=None, message="the source")
    found = diagnostic(root="p", related=(other, no_text), help="")
    assert (
        render_text([report(found)])
        == """\
error[EXT0421]: path placeholder {number} is bound to an optional input field
   --> p/actions/get-issue.yaml:19:14
    |
 19 |     - {from: /number, in: path, name: number}
    |              ^^^^^^^ a path source must be required at every level
   --> p/meta.yaml:101:3
    |
101 |   auth: x
    |   ---- the profile
    = note: p/source/x: the source
    = at: /binding/parameters/2/from
Found 1 error, 0 warnings in 1 package. Explain a code: extpkg explain EXT0421
"""
    )


def test_text_shows_a_line_once_with_all_of_its_marks() -> None:
    same = Related(
        path="actions/get-issue.yaml", pointer="", position=at(19, 36, 42), message="its name",
        excerpt=Excerpt(line=19, text="    - {from: /number, in: path, name: number}"),
    )  # fmt: skip
    lines = render_text([report(diagnostic(related=(same,), help="", pointer=""))]).splitlines()
    assert lines[3:6] == [
        "19 |     - {from: /number, in: path, name: number}",
        "   |              ^^^^^^^ a path source must be required at every level",
        "   |                                    ------ its name",
    ]


def test_text_counts_what_it_leaves_out() -> None:
    lines = render_text([report(*[bare()] * (SHOWN + 234))]).splitlines()
    assert lines[-2] == "(234 more not shown; --format json has them)"
    assert lines[-1].startswith("Found 1234 errors, 0 warnings in 1 package.")
    cut = report(bare(), cut=7)
    assert render_text([cut, report(cut=3)]).splitlines()[-2] == "(10 more left out: too many in one file)"
    assert len(render_concise([report(*[bare()] * (SHOWN + 1))]).splitlines()) == SHOWN + 1


def test_colours_change_nothing_but_colour() -> None:
    found = [report(diagnostic(), bare(severity=Severity.WARNING))]
    painted = render_text(found, coloured())
    plain = painted
    for sequence in ("\x1b[1;31m", "\x1b[1;33m", "\x1b[1;34m", "\x1b[1m", "\x1b[0m"):
        assert sequence in painted
        plain = plain.replace(sequence, "")
    assert plain == render_text(found)


def test_concise_is_one_line_each() -> None:
    place = bare(root="p", path="meta.yaml", line=2, column=5, end_line=2, end_column=6, message="a\nb")
    assert render_concise([report(), report(diagnostic(), bare(path="x y"), place)]) == (
        "actions/get-issue.yaml:19:14: error EXT0421 [optional-path-source] "
        "path placeholder {number} is bound to an optional input field\n"
        "x y: error EXT0421 [optional-path-source] "
        "path placeholder {number} is bound to an optional input field\n"
        "p/meta.yaml:2:5: error EXT0421 [optional-path-source] a\\nb\n"
    )
    assert render_concise([report()]) == ""


def test_summary_explains_an_error_before_a_warning() -> None:
    warning = bare(severity=Severity.WARNING, code="EXT0101")
    assert summary([report(warning)]).endswith(
        "Found 0 errors, 1 warning in 1 package. Explain a code: extpkg explain EXT0101"
    )
    assert summary([report(warning, bare()), report()]).endswith(
        "in 2 packages. Explain a code: extpkg explain EXT0421"
    )


@pytest.mark.parametrize(
    ("text", "mark", "expected"),
    [
        ("a: b", (4, 5), ["a: b", "   ^"]),
        ("a: b", (5, 5), ["a: b", "    ^"]),
        ("a:", (3, 3), ["a:", "  ^"]),
        ("", (1, 1), ["", "^"]),
        ("a: b", (90, 99), ["a: b", "    ^"]),
        ("\ta: b", (1, 2), ["    a: b", "^^^^"]),
        ("\ta: b", (5, 6), ["    a: b", "       ^"]),
        ("a\tb: c", (3, 4), ["a    b: c", "     ^"]),
        ("名: 値x", (4, 5), ["名: 値x", "    ^^"]),
        ("名: 値x", (5, 6), ["名: 値x", "      ^"]),
        ("e\u0301: x", (5, 6), ["e\u0301: x", "   ^"]),
        ("a: \u202eb", (4, 5), ["a: \\u202eb", "   ^^^^^^"]),
        ("a: \u202eb", (5, 6), ["a: \\u202eb", "         ^"]),
        ("a: \x1b[2J", (4, 8), ["a: \\x1b[2J", "   ^^^^^^^"]),
        ("a: ##[error]b", (13, 14), ["a: #\\x23[error]b", "               ^"]),
        ("a: ##x", (6, 7), ["a: ##x", "     ^"]),
    ],
)
def test_carets_stand_under_their_columns(text: str, mark: tuple[int, int], expected: list[str]) -> None:
    assert draw(text, (Mark(column=mark[0], end_column=mark[1], sign="^", label=""),)) == expected


def test_carets_stand_under_their_columns_where_characters_must_be_escaped() -> None:
    mark = Mark(column=4, end_column=5, sign="^", label="x")
    assert draw("é: 値", (mark,), "ascii") == ["\\xe9: \\u5024", "      ^^^^^^ x"]
    assert draw("é: 値", (mark,), "latin-1") == ["é: \\u5024", "   ^^^^^^ x"]


def test_a_long_line_is_cut_around_its_mark() -> None:
    text = "k: " + "a" * 500 + "X" + "b" * 500
    source, below = draw(text, (Mark(column=504, end_column=505, sign="^", label="here"),))
    assert source == "..." + "a" * 30 + "X" + "b" * 89 + "..."
    assert source[below.index("^")] == "X"
    assert below.endswith("^ here")
    start = draw("k: " + "a" * 500, (Mark(column=4, end_column=504, sign="^", label=""),))
    assert start == ["k: " + "a" * 117 + "...", "   " + "^" * 117]
    end = draw("k: " + "a" * 500, (Mark(column=504, end_column=504, sign="^", label=""),))
    assert end == ["..." + "a" * 30, " " * 33 + "^"]


def test_a_span_of_several_lines_is_marked_to_the_end_of_its_first() -> None:
    found = bare(line=1, column=4, end_line=3, end_column=2, excerpt=Excerpt(line=1, text="a: {b,"))
    assert "1 | a: {b,\n  |    ^^^\n" in render_text([report(found)])


HOSTILE = (
    "::error file=x,line=1::pwn", "  ::warning::x", "##[error]pwn", "##vso[task.setvariable]x",
    "##TeamCity[testFailed name='x']", "a\nb", "a\r\nb", "\x1b[2J", "\u202egnp", "\ud800", "\udce9",
    "\u2028::error::x", "\U000e0041", "%s%n", "{0.__class__}", "[red]x", "###[x", "\u0085::error::x",
)  # fmt: skip


@pytest.mark.parametrize("hostile", HOSTILE)
@pytest.mark.parametrize("render", [render_text, render_concise])
def test_no_name_value_or_source_breaks_a_line(hostile: str, render: Callable[[list[Report]], str]) -> None:
    found = diagnostic(
        root=hostile, path=hostile, pointer=hostile, message=hostile, help=hostile, label=hostile,
        excerpt=Excerpt(line=19, text=hostile), column=1, end_column=2,
        related=(Related(path="z", pointer=hostile, position=None, message=hostile),),
    )  # fmt: skip
    honest = render(
        [report(diagnostic(related=(Related(path="z", pointer="", position=None, message="m"),)))]
    )
    check_harmless(guarded(render([report(found, root=hostile)])), len(honest.splitlines()))


def check_harmless(text: str, lines: int) -> None:
    assert text.endswith("\n")
    assert len(text.splitlines()) == len(text.split("\n")) - 1 == lines
    for line in text.split("\n"):
        assert not line.lstrip().startswith("::")
        assert "##[" not in line
        assert "##vso[" not in line.lower()
        assert "##teamcity[" not in line.lower()
        assert not any(c < " " or c in "\x7f\u202e\u2028\x85" or "\ud800" <= c <= "\udfff" for c in line)


@given(st.text())
def test_escaped_text_stays_on_one_line_and_is_stable(text: str) -> None:
    shown = escaped(text)
    assert len(shown.splitlines()) <= 1
    assert escaped(shown) == shown
    shown.encode("utf-8")


@given(st.text(), st.integers(0, 300), st.integers(0, 300))
def test_any_source_can_be_drawn(text: str, column: int, length: int) -> None:
    mark = Mark(column=column, end_column=column + length, sign="^", label="")
    source, below = draw(text, (mark,))
    assert len(source.splitlines()) <= 1
    assert "^" in below
    assert len(below) <= LINE_WIDTH + len("...") + 1


@given(st.text())
def test_guarded_lines_are_never_commands(text: str) -> None:
    for line in guarded(text).split("\n"):
        assert not line.lstrip().startswith("::")
        assert "##[" not in line


def test_paths_are_the_given_one_joined_with_the_one_inside() -> None:
    assert shown_path("packages/arxiv", "meta.yaml") == "packages/arxiv/meta.yaml"
    assert shown_path("packages/arxiv/", "meta.yaml") == "packages/arxiv/meta.yaml"
    assert shown_path(".", "meta.yaml") == shown_path("./", "meta.yaml") == "meta.yaml"
    assert shown_path("..", "meta.yaml") == "../meta.yaml"
    assert shown_path("@arxiv", "meta.yaml") == "@arxiv/meta.yaml"
    assert shown_path("/", "meta.yaml") == "/meta.yaml"
    assert shown_path("a\nb") == "a\\nb"
    assert shown_path("\udce9", "é") == "\\xe9/é"
    assert Style().encoding == "utf-8"
