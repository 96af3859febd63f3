"""arXiv's feeds: what is read, what is skipped, what is refused (R-ARX-3, R-ARX-4)."""

from __future__ import annotations

import html
import re
from datetime import UTC, datetime, timedelta, timezone
from typing import Any

import pytest
from feeds import TIME, entry, feed
from hypothesis import given
from hypothesis import strategies as st

from extpkg.json_schema import compile_schema
from extpkg.providers import shipped_definition
from extpkg.providers.arxiv.atom import FeedInvalid, parse_feed, timestamp
from extpkg.result import result_bytes

PAPER = compile_schema(
    next(
        action for action in shipped_definition("arxiv").actions if action.name == "get"
    ).catalog.output_schema
)


def paper(*entries: str) -> dict[str, Any]:
    (found,) = parse_feed(feed(*entries)).entries
    assert found.paper is not None
    return found.paper


@pytest.mark.parametrize(
    "start",
    [
        b"",
        b"<?xml version='1.0'?>",
        b'<?xml version="1.0" encoding="utf-8"?>',
        b"\xef\xbb\xbf<?xml version='1.0'\n encoding = 'UTF-8' standalone='yes' ?>",
        b"\xef\xbb\xbf",
    ],
)
def test_text_is_utf_8(start: bytes) -> None:
    body = start + feed(entry(title="\u00e9")).partition(b"?>")[2].strip()
    (found,) = parse_feed(body).entries
    assert found.paper is not None
    assert found.paper["title"] == "\u00e9"


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"Rate exceeded",
        b"<feed/>",
        feed(entry())[:-1],
        feed(entry()) + b"<a/>",
        feed(entry()).replace(b"<feed", b"<!DOCTYPE feed><feed"),
        feed(entry()).replace(b"2005/Atom", b"2005/atom"),
        feed(entry()).replace(b"<feed", b"<a><feed") + b"</a>",
        feed(entry(title="&nbsp;")),
        feed(entry(title="&#0;")),
        feed(entry(title="<a" + " b='1'" * 2 + "/>")),
        feed(entry(title="<a>" * 300 + "</a>" * 300)),
        feed(entry(title="<undeclared:a/>")),
        feed(entry()).replace(b"2103", b"\xff"),
        feed(entry()).decode().encode("utf-16"),
        feed(entry()).decode().encode("utf-32"),
        *(
            feed(entry(title="\u00e9")).replace(b"UTF-8", label)
            for label in (b"ISO-8859-1", b"US-ASCII", b"UTF-7", b"UTF-16", b"x-nothing", b"")
        ),
        b"\xef\xbb\xbf" + feed(entry()).replace(b"UTF-8", b"ISO-8859-1"),
        feed(entry(title="\u00e9")).replace(b"UTF-8", b"ISO-8859-1").decode().encode("latin-1"),
        feed(entry(title="here")).replace(b"UTF-8", b"UTF-7").replace(b"here", b"+ADw-a/+AD4-"),
        feed(entry()).decode().encode("utf-16-le"),
        *(
            feed(entry(), total=total)
            for total in (None, "", "-1", "+1", "1.0", "1e3", "0x1", "1_0", "\u0661", 2**53, "9" * 5000)
        ),
    ],
)
def test_what_is_no_feed_is_refused_and_says_nothing(body: bytes) -> None:
    """A038, A048, A051: no text of the parser's and no exception of its is within reach."""
    with pytest.raises(FeedInvalid) as caught:
        parse_feed(body)
    assert caught.value.args == ()
    assert caught.value.__context__ is None
    assert caught.value.__cause__ is None


@given(st.binary(max_size=200) | st.text(max_size=200).map(str.encode))
def test_any_bytes_are_a_feed_or_are_refused(noise: bytes) -> None:
    whole = feed(entry(title="here"))
    for body in (noise, whole.replace(b"here", noise), whole[: len(noise)] + noise):
        try:
            assert parse_feed(body).total >= 0
        except FeedInvalid:
            continue


@pytest.mark.parametrize("total", [0, 1, " \n12 ", "007", 2**53 - 1])
def test_totals(total: object) -> None:
    assert parse_feed(feed(total=total)).total == int(str(total))


@pytest.mark.parametrize(
    "bad",
    [
        entry(id=None),
        entry(id=""),
        entry(id="2103.01234v1"),
        entry(id="http://arxiv.org/abs/2113.01234"),
        entry(id="http://arxiv.org/abs/arXiv:2103.01234"),
        entry(id="http://arxiv.org/abs/2103.01234.pdf"),
        entry(id="http://arxiv.org/pdf/2103.01234"),
        entry(id="http://arxiv.org.example.com/abs/2103.01234"),
        entry(id="ftp://arxiv.org/abs/2103.01234"),
        entry(id="http://arxiv.org/abs/2103.01234 v1"),
        entry(updated=None),
        entry(published=None),
        entry(updated="soon"),
        entry(published="2021-02-29T00:00:00Z"),
    ],
)
def test_a_malformed_entry_is_skipped_alone(bad: str) -> None:
    """A037."""
    found = parse_feed(feed(bad, entry("2103.00002")))
    assert [each.paper is not None for each in found.entries] == [False, True]


def test_only_so_many_entries_are_read() -> None:
    many = feed(*(entry(f"2103.{number:05}") for number in range(1, 9)))
    assert len(parse_feed(many, 3).entries) == 3
    assert len(parse_feed(many).entries) == 8


@pytest.mark.parametrize(
    ("ids", "expected"),
    [
        ((), False),
        (("http://arxiv.org/api/errors#a",), True),
        (("http://arxiv.org/api/errors#a", "https://arxiv.org/api/errors"), True),
        (("http://arxiv.org/api/errors#a", "http://arxiv.org/abs/2103.00001"), False),
        (("http://arxiv.org/abs/2103.00001", "http://arxiv.org/api/errors#a"), False),
    ],
)
def test_feeds_of_errors_alone(ids: tuple[str, ...], expected: bool) -> None:
    assert parse_feed(feed(*(entry(id=each) for each in ids))).only_errors is expected


def test_the_first_of_repeated_elements_counts() -> None:
    assert paper(entry(more="<title>a</title><title>b</title><updated>x</updated>"))["title"] == "a"


def test_elements_inside_foreign_ones_are_not_the_entrys() -> None:
    """A031."""
    foreign = "<x:a xmlns:x='y'><id>z</id><link href='https://e.example/'/></x:a>"
    found = paper(entry(more=foreign + "<author><x:n xmlns:x='y'><name>N</name></x:n></author>"))
    assert (found["links"], found["authors"]) == ([], [])


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (TIME, TIME),
        ("2021-03-04t05:06:07z", TIME),
        ("2021-03-04T05:06:07", TIME),
        ("2021-03-04T05:06:07+00:00", TIME),
        ("2021-03-04T05:06:07-00:00", TIME),
        ("2021-03-04T07:06:07+02:00", TIME),
        ("2021-03-04T00:36:07-04:30", TIME),
        ("2021-03-04T05:06:07.000Z", TIME),
        ("2021-03-04T05:06:07.1234569+00:00", "2021-03-04T05:06:07.123456Z"),
        ("2021-03-04T05:06:07.120", "2021-03-04T05:06:07.12Z"),
        ("2021-03-04T05:06:07.0000009Z", TIME),
        ("2020-12-31T23:00:00.5-02:00", "2021-01-01T01:00:00.5Z"),
        ("1000-01-01T00:00:00Z", "1000-01-01T00:00:00Z"),
        ("9999-12-31T23:59:59Z", "9999-12-31T23:59:59Z"),
        ("0999-12-31T23:59:59-01:00", None),
        ("1000-01-01T00:00:00+00:01", None),
        ("9999-12-31T23:59:59-00:01", None),
        ("0001-01-01T00:00:00+23:59", None),
        ("2021-03-04", None),
        ("2021-03-04 05:06:07Z", None),
        ("2021-03-04T05:06Z", None),
        ("2021-03-04T05:06:60Z", None),
        ("2021-03-04T24:00:00Z", None),
        ("2021-03-04T05:06:07.Z", None),
        ("2021-03-04T05:06:07,5Z", None),
        ("2021-03-04T05:06:07+0200", None),
        ("2021-03-04T05:06:07+24:00", None),
        ("2021-03-04T05:06:07+02:60", None),
        ("2021-02-29T05:06:07Z", None),
        ("2021-13-01T05:06:07Z", None),
        ("20210304T050607Z", None),
        ("2021-W09-4T05:06:07Z", None),
        ("2021-03-04T05:06:07Z\n", None),
        ("\u0662021-03-04T05:06:07Z", None),
        ("12021-03-04T05:06:07Z", None),
        ("", None),
    ],
)
def test_times(text: str, expected: str | None) -> None:
    """A032."""
    assert timestamp(text) == expected


@given(
    st.datetimes(min_value=datetime(1000, 1, 3), max_value=datetime(9999, 12, 29)),  # noqa: DTZ001 - zones follow
    st.integers(-23 * 60 - 59, 23 * 60 + 59),
)
def test_a_time_is_the_same_moment_in_utc(moment: datetime, minutes: int) -> None:
    placed = moment.replace(tzinfo=timezone(timedelta(minutes=minutes)))
    written = timestamp(placed.isoformat())
    assert written is not None
    assert datetime.fromisoformat(written) == placed
    assert datetime.fromisoformat(written).tzinfo == UTC


TEXTS = st.text(
    st.characters(exclude_categories=("Cs", "Cc"), exclude_characters="\ufffe\uffff"), max_size=30
)
SPACED = st.lists(TEXTS | st.sampled_from([" ", "\n", "\t", "\u00a0", " \u3000 "]), max_size=4).map("".join)
ATTRIBUTES = st.fixed_dictionaries(
    {},
    optional={
        "href": st.sampled_from(["https://arxiv.org/pdf/1", "javascript:x", "http://a.example/"]) | TEXTS,
        "title": st.sampled_from(["pdf", "doi", "", " "]) | TEXTS,
        "rel": TEXTS,
        "type": TEXTS,
    },
)
IDS = st.sampled_from(["http://arxiv.org/abs/2103.01234v1", "https://www.arxiv.org/abs/math.GT/0309136", "x"])
TIMES = st.sampled_from([TIME, "2021-03-04T05:06:07.50+01:00", "1000-01-01T00:00:00+01:00", "never", ""])


def element(tag: str, content: str | None) -> str:
    return "" if content is None else f"<{tag}>{html.escape(content)}</{tag}>"


@st.composite
def entries(draw: st.DrawFn) -> str:
    """Entries of every kind: whole, sparse, malformed, with anything as text."""
    some = st.none() | SPACED
    parts = [
        element("id", draw(IDS | some)),
        element("updated", draw(TIMES)),
        element("published", draw(TIMES)),
        *(element(tag, draw(some)) for tag in ("title", "summary", "arxiv:comment", "arxiv:doi")),
        element("arxiv:journal_ref", draw(some)),
    ]
    for name, affiliations in draw(st.lists(st.tuples(some, st.lists(some, max_size=2)), max_size=3)):
        stated = "".join(element("arxiv:affiliation", each) for each in affiliations)
        parts.append(f"<author>{element('name', name)}{stated}</author>")
    for attributes in draw(st.lists(ATTRIBUTES, max_size=3)):
        pairs = "".join(f' {name}="{html.escape(text)}"' for name, text in attributes.items())
        parts.append(f"<link{pairs}/>")
    parts += [f'<category term="{html.escape(term)}"/>' for term in draw(st.lists(TEXTS, max_size=3))]
    return f"<entry>{''.join(draw(st.permutations(parts)))}</entry>"


@given(st.lists(entries(), max_size=4))
def test_every_paper_is_what_the_output_schema_says(drawn: list[str]) -> None:
    """A027 to A036: whatever the entries hold, what is no paper is skipped and every paper validates."""
    found = parse_feed(feed(*drawn))
    assert len(found.entries) == len(drawn)
    for each in found.entries:
        if each.paper is not None:
            assert PAPER.violations(each.paper) == ()
            assert result_bytes(each.paper)
            assert str(each.identifier) == each.paper["id"]


@given(SPACED)
def test_titles_are_folded_and_abstracts_are_kept(text: str) -> None:
    """A033, D027."""
    found = paper(entry(title=html.escape(text), summary=html.escape(text)))
    assert found["title"] == re.sub(r"\s+", " ", text).strip()
    assert found["abstract"] == text.strip()
