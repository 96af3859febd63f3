"""Text becomes HTML by one door: nothing of it is markup, and nothing of it is unseen."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pages import read

from extpkg.cli.render.escape import escaped, is_unsafe
from extpkg.review.markup import (
    Html,
    badge,
    bounded,
    breakable,
    code,
    details,
    element,
    lines,
    number,
    plain,
    text,
    words,
)

ANY = st.text(st.characters(), max_size=60)
MARKS = ("\u0300", "\u0489", "\u20d7", "\ufe20")


def seen(html: str) -> str:
    return read(html).text


@given(ANY)
def test_text_is_shown_as_a_terminal_shows_it(value: str) -> None:
    """The other writer of foreign text agrees, where no CI command and no pile of marks is in it."""
    if "##" not in value and not any("\u0300" <= each <= "\ufe2f" for each in value):
        assert seen(text(value)) == escaped(value)
    assert {each.tag for each in read(text(value)).every()} <= {"span"}


@given(ANY)
def test_nothing_unseen_is_left(value: str) -> None:
    for made in (text(value), lines(value), plain(value), breakable(value), code(value)):
        assert not any(is_unsafe(each) for each in made if each not in "\n\t")
        made.encode("utf-8")
    assert not any(is_unsafe(each) for each in text(value))


@given(ANY)
def test_an_attribute_holds_what_it_is_given(value: str) -> None:
    (made,) = read(element("p", aria_label=value)).parts
    assert not isinstance(made, str)
    if not any("\u0300" <= each <= "\ufe2f" for each in value) and "##" not in value:
        assert made.attributes.get("aria-label", "") == escaped(value)
    assert made.parts == []


def test_lines_keep_what_breaks_them() -> None:
    assert lines("a\r\nb\tc\u202e\n") == 'a\nb\tc<span class="escape">\\u202e</span>\n'
    assert text("a\n") == 'a<span class="escape">\\n</span>'


def test_a_pile_of_marks_is_cut_down() -> None:
    for mark in MARKS:
        shown = text("e" + mark * 50)
        assert shown.count(mark) == 3
        assert read(shown).text.endswith(f"\\u{ord(mark):04x}" * 47)
    assert text("e\u0301e\u0301") == "e\u0301e\u0301"


def test_long_text_says_how_much_is_missing() -> None:
    assert seen(text("x" * 3_500, 1_000)) == "x" * 1_000 + "… 2,500 more characters"
    assert len(plain("x" * 100_000)) == 2_000


def test_elements_are_written_as_they_are_meant() -> None:
    assert element("meta", http_equiv="x", content='"') == '<meta http-equiv="x" content="&quot;">'
    assert element("p", text("<"), text("&"), class_="") == "<p>&lt;&amp;</p>"
    assert words("a `b` c") == "a <code>b</code> c"
    assert badge("read", "read") == '<span class="badge read">read</span>'
    assert breakable("a.b[]/c") == "a.<wbr>b[]<wbr>/<wbr>c"
    assert details(Html("s"), Html("t"), is_open=True) == "<details open><summary>s</summary>t</details>"
    assert (
        details(Html("s"), is_open=False, class_="x") == '<details class="x"><summary>s</summary></details>'
    )


@pytest.mark.parametrize(("count", "said"), [(0, "0 errors"), (1, "1 error"), (12_000, "12,000 errors")])
def test_counts_have_their_noun(count: int, said: str) -> None:
    assert number(count, "error") == said


def test_what_is_bounded_is_made_no_further() -> None:
    made: list[int] = []

    def parts() -> object:
        for index in range(100):
            made.append(index)
            yield Html("xxxxx")

    assert len(bounded(parts(), 12)) == 3  # type: ignore[arg-type]
    assert made == [0, 1, 2]
