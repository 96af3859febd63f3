"""arXiv identifiers: every spelling, and nothing that is none (R-ARX-2)."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from extpkg.providers.arxiv.identifier import LEGACY_ARCHIVES, Identifier, parse_identifier, parse_name


def normal(text: str) -> str | None:
    found = parse_identifier(text)
    return None if found is None else str(found)


MONTHS = st.integers(1, 12).map("{:02}".format)
FOUR = st.tuples(st.integers(8, 13).map("{:02}".format), MONTHS, st.integers(1, 9999)).map(
    lambda parts: f"{parts[0]}{parts[1]}.{parts[2]:04}"
)
FIVE = st.tuples(st.integers(15, 99), MONTHS, st.integers(1, 99999)).map(
    lambda parts: f"{parts[0]}{parts[1]}.{parts[2]:05}"
)
LEGACY = st.tuples(
    st.sampled_from(sorted(LEGACY_ARCHIVES)),
    st.sampled_from([92, 95, 99, 0, 3, 6]).map("{:02}".format),
    MONTHS,
    st.integers(1, 999),
).map(lambda parts: f"{parts[0]}/{parts[1]}{parts[2]}{parts[3]:03}")
VERSIONS = st.sampled_from(["", "v1", "v12"])
NORMAL = st.tuples(st.one_of(FOUR, FIVE, LEGACY), VERSIONS).map("".join)


@given(NORMAL)
def test_what_is_normal_stays(text: str) -> None:
    """A023."""
    assert normal(text) == text


@given(
    NORMAL,
    st.sampled_from(["", " ", "\n\t", "\u3000"]),
    st.sampled_from(["", "arXiv:", "ARXIV:", "arxiv: "]),
    st.sampled_from(["", "http://", "https://", "HTTPS://"]),
    st.sampled_from(["arxiv.org", "www.arxiv.org", "Export.Arxiv.Org"]),
    st.sampled_from(["abs", "pdf", "html", "src", "e-print", "PDF"]),
    st.sampled_from(["", ".pdf", "/", ".pdf/", "?context=x", "#top", "/?a=b#c"]),
)
def test_every_address_of_it_is_taken_off(
    text: str, space: str, prefix: str, scheme: str, host: str, word: str, tail: str
) -> None:
    """D016, M024."""
    assert normal(f"{space}{prefix}{scheme}{host}/{word}/{text}{tail}{space}") == text
    assert normal(f"{space}{prefix}{scheme}{host}/{word}/{text.replace('/', '%2F')}{tail}{space}") == text


@given(NORMAL)
def test_letter_case_is_mended(text: str) -> None:
    assert normal(text.upper()) == text


@given(st.text(max_size=40))
def test_parsing_is_total_and_settles(text: str) -> None:
    found = parse_identifier(text)
    if found is not None:
        assert parse_identifier(str(found)) == parse_name(str(found)) == found


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("0704.0001", "0704.0001"),
        ("0703.0001", None),
        ("0712.9999", "0712.9999"),
        ("0713.0001", None),
        ("0700.0001", None),
        ("1412.9999", "1412.9999"),
        ("1412.00001", None),
        ("1501.0001", None),
        ("1501.00001", "1501.00001"),
        ("1413.0001", None),
        ("9912.99999", "9912.99999"),
        ("0800.0001", None),
        ("0704.0000", None),
        ("1501.00000", None),
        ("hep-th/9107001", "hep-th/9107001"),
        ("hep-th/9106001", None),
        ("hep-th/9112999", "hep-th/9112999"),
        ("hep-th/9901000", None),
        ("hep-th/0703001", "hep-th/0703001"),
        ("hep-th/0704001", None),
        ("hep-th/0713001", None),
        ("cond-mat.mtrl-sci/9912001v2", "cond-mat/9912001v2"),
        ("math./0309136", None),
        ("stat/0703001", None),
        ("test/9901001", None),
        ("1605.08386v", None),
        ("1605.08386v0", None),
        ("1605.08386v" + "9" * 18, "1605.08386v" + "9" * 18),
        ("1605.08386v" + "9" * 19, None),
        ("1605.08386.pdf.pdf", None),
        ("1605.08386.PDF", None),
        ("arXiv:  1605.08386", None),
        ("arXiv:arXiv:1605.08386", None),
        ("https://arxiv.org/abs/arXiv:1605.08386", None),
        ("https://arxiv.org/abs/1605.08386//", None),
        ("https://arxiv.org/abs/1605.08386%2F", None),
        ("https://arxiv.org/abs/1605.08386%252F", None),
        ("https://arxiv.org/abs/1605.08386?a b", None),
        ("https://arxiv.org:443/abs/1605.08386", None),
        ("https://arxiv.org/list/1605.08386", None),
        ("https://arxiv.org/ab\u017f/1605.08386", None),
        ("ftp://arxiv.org/abs/1605.08386", None),
        ("//arxiv.org/abs/1605.08386", None),
        ("\u0661605.08386", None),
        ("he\u212a-th/9901001", None),
    ],
)
def test_borders(text: str, expected: str | None) -> None:
    assert normal(text) == expected


def test_long_texts_are_judged_at_once() -> None:
    for text in ("a-" * 200_000, "a." + "a-" * 200_000, "1" * 400_000, "arxiv.org/abs/" + "/" * 400_000):
        assert parse_identifier(text) is None


def test_a_version_is_covered_exactly_and_none_covers_all() -> None:
    """A024, A025."""
    plain, first, second = (Identifier(paper="1605.08386", version=version) for version in (None, 1, 2))
    assert plain.covers(first)
    assert plain.covers(second)
    assert first.covers(first)
    assert not first.covers(second)
    assert not first.covers(plain)
    assert not first.covers(Identifier(paper="1605.08387", version=1))
