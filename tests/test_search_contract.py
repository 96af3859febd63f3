"""What the four search engines share: contract, addresses, texts, budgets (seed 004 section 4, R-SRCH)."""

from __future__ import annotations

import re
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import pytest
from hypothesis import given
from hypothesis import strategies as st

from extpkg.errors import ExtensionError
from extpkg.json_schema import compile_schema
from extpkg.limits import RESULT_BYTES
from extpkg.providers import shipped_definition
from extpkg.providers.search import brave, contract, searxng, serper, tavily
from extpkg.providers.search.contract import Members, address, question, results
from extpkg.registry import register
from extpkg.result import result_bytes

if TYPE_CHECKING:
    from extpkg.definition.model import Definition

MODULES = (brave, searxng, serper, tavily)
DOMAINS = [module.DEFINITION.domain for module in MODULES]
MEMBERS = Members(url="u", title="t", snippet="s")
OUTPUT = compile_schema(brave.DEFINITION.actions[0].catalog.output_schema)
INPUT = compile_schema(brave.DEFINITION.actions[0].catalog.input_schema)


def anonymous(definition: Definition) -> Definition:
    """Return a Definition without the texts that tell it from the others."""
    (action,) = definition.actions
    catalog = replace(action.catalog, summary="", description="")
    return replace(
        definition, domain="", name="", description="", actions=(replace(action, catalog=catalog),)
    )


def test_the_four_are_equal_but_for_the_texts_of_their_identity() -> None:
    """S021, S023, S030, S031."""
    bare = [anonymous(module.DEFINITION) for module in MODULES]
    assert bare == [bare[0]] * 4
    assert DOMAINS == ["brave", "searxng", "serper", "tavily"]
    names = [module.DEFINITION.name for module in MODULES]
    assert names == ["Brave Search", "SearXNG", "Serper Search", "Tavily Search"]


def test_descriptions_differ_by_the_limits_of_a_query_alone() -> None:
    """S046, R-SRCH-6."""
    limits = "A query has at most "
    described = [module.DEFINITION.actions[0].catalog.description.splitlines() for module in MODULES]
    shared = [[line for line in lines if not line.startswith(limits)] for lines in described]
    assert shared == [shared[0]] * 4
    assert any("not evidence" in line for line in shared[0])
    own = [[line.removeprefix(limits) for line in lines if line.startswith(limits)] for lines in described]
    assert own == [["400 characters and 50 words."], [], [], ["400 characters."]]


@pytest.mark.parametrize("module", MODULES, ids=DOMAINS)
def test_the_package_says_what_the_code_says(module: Any) -> None:
    """R-PKG-5, S025: one source, and the package is its other form."""
    assert shipped_definition(module.DEFINITION.domain) == module.DEFINITION


@pytest.mark.parametrize("module", MODULES, ids=DOMAINS)
def test_a_search_reads_and_may_be_repeated(module: Any) -> None:
    """S045."""
    (action,) = module.DEFINITION.actions
    safety = action.catalog.safety
    assert (safety.classification, safety.idempotent, safety.destructive) == ("read", True, False)


def test_what_contacts_an_engine_stands_in_one_place() -> None:
    """S069: addresses of engines in their own modules, and sending in the one that they share."""
    room = Path(contract.__file__).parent
    sources = {path: path.read_text(encoding="utf-8") for path in room.parents[1].rglob("*.py")}
    hosts = {"api.search.brave.com": "brave", "api.tavily.com": "tavily", "google.serper.dev": "serper"}
    for host, engine in hosts.items():
        assert [path for path, text in sources.items() if host in text] == [room / f"{engine}.py"]
    senders = [path.name for path in room.glob("*.py") if "extpkg.egress.send" in sources[path]]
    assert senders == ["call.py"]


def test_versions_and_revisions_are_each_providers_own() -> None:
    """S024."""
    made = {module.DEFINITION.domain: module.extension() for module in MODULES}
    raised = replace(made["brave"], revision="2")
    before = register(made.values()).newest
    after = register((made | {"brave": raised}).values()).newest
    assert [domain for domain in DOMAINS if before[domain] != after[domain]] == ["brave"]
    assert len({builtin.runtime_digest for builtin in before.values()}) == 4


@pytest.mark.parametrize(
    ("value", "accepted"),
    [
        ({"query": "q"}, True),
        ({"query": "\U0001d49c" * 512}, True),
        ({"query": "\U0001d49c" * 513}, False),
        ({"query": ""}, False),
        ({"query": " \t\u3000"}, False),
        ({"query": None}, False),
        ({}, False),
        *(({"query": "q", "limit": limit}, True) for limit in (1, 10, 5.0)),
        *(({"query": "q", "limit": limit}, False) for limit in (0, 11, -1, 1.5, "5", True, None, [5])),
        *(
            ({"query": "q", name: "x"}, False)
            for name in (
                "provider",
                "endpoint",
                "apiKey",
                "language",
                "region",
                "params",
                "headers",
                "format",
            )
        ),
    ],
)
def test_input(value: Any, accepted: bool) -> None:
    """S032 to S035."""
    assert INPUT.accepts(value) is accepted


RESULT = {"url": "https://a.example/", "title": "", "snippet": ""}


@pytest.mark.parametrize(
    ("value", "accepted"),
    [
        ({"results": []}, True),
        ({}, False),
        ({"results": [RESULT] * 10}, True),
        ({"results": [RESULT] * 11}, False),
        ({"results": [RESULT | {"title": "\U0001d49c" * 512, "snippet": "\u6f22" * 4096}]}, True),
        ({"results": [RESULT | {"title": "x" * 513}]}, False),
        ({"results": [RESULT | {"snippet": "x" * 4097}]}, False),
        ({"results": [RESULT | {"url": "ftp://a.example/"}]}, False),
        ({"results": [RESULT | {"url": "https://a.example/#f"}]}, False),
        ({"results": [RESULT | {"url": "HTTP://a.example"}]}, True),
        ({"results": [RESULT | {"score": 1}]}, False),
        ({"results": [{"url": "https://a.example/"}]}, False),
        ({"results": [], "query": "q"}, False),
    ],
)
def test_output(value: Any, accepted: bool) -> None:
    """S036 to S042, S044."""
    assert OUTPUT.accepts(value) is accepted


def test_a_question_is_trimmed_and_has_a_limit() -> None:
    """S033, S034."""
    assert (question({"query": "\u3000 a b\n"}).query, question({"query": "q"}).limit) == ("a b", 5)
    asked = question({"query": "q", "limit": 7.0})
    assert (asked.limit, type(asked.limit)) == (7, int)


@pytest.mark.parametrize(
    ("query", "characters", "words", "message"),
    [
        ("\x1c\x85", None, None, "more than spaces"),
        ("x" * 401, 400, None, "400 characters"),
        (" " + "x" * 401, 400, 50, "400 characters"),
        ("w " * 51, 400, 50, "50 words"),
        ("w\u3000" * 51, 400, 50, "50 words"),
    ],
)
def test_what_the_schema_cannot_say(
    query: str, characters: int | None, words: int | None, message: str
) -> None:
    """R-SRCH-1, R-SRCH-6: named by place and limit."""
    with pytest.raises(ExtensionError, match=message) as caught:
        question({"query": query}, characters=characters, words=words)
    assert caught.value.code == "validation"
    assert caught.value.details is not None
    assert [row["pointer"] for row in caught.value.details["violations"]] == ["/query"]


def test_an_engines_limits_count_the_trimmed_text() -> None:
    assert len(question({"query": " " * 60 + "\U0001d49c" * 400 + " "}, characters=400).query) == 400
    assert question({"query": " w" * 50 + "  "}, characters=400, words=50).query.count("w") == 50


KEPT = [
    "https://a.example",
    "http://a.example/",
    "HTTPS://A.Example/P?q=%23x",
    "https://a.example?q",
    "https://a.example:0/",
    "https://a.example:65535/",
    "https://a.example:000443/",
    "https://a.example:/",
    "https://127.0.0.1/",
    "https://[::1]/",
    "https://[2001:db8::1]:8443/x",
    "https://[::ffff:1.2.3.4]/",
    "https://b\u00fccher.example/\u4f60?\U0001f600",
    "https://a_b.example/",
    "https://a.example/@b:c",
    "https://a.example/?u=https://b.example/",
    "https://a.example//",
    "https://a.example/\u200b\ufeff\ufffd",
    "https://xn--bcher-kva.example/%zz|^<>\"'",
]
OMITTED = [
    "", " ", "a", "//a.example/", "https:", "https://", "https:///p", "https://?q", "https://#f",
    "https:/a.example",
    "https://:80/", "https://@a.example/", "https://u@a.example/", "https://u:p@a.example/", "http://a.example@/",
    "https://a.example:65536/", "https://a.example:99999999999999999999/", "https://a.example:8a/",
    "https://a.example:-1/", "https://a.example:\u0661/", "https://a.example:80:80/", "https://[::1",
    "https://[]/", "https://[::g]/", "https://[1.2.3.4]/", "https://[fe80::1%25eth0]/", "https://[::1]x/",
    "https://[:::1]/", "https://a]b/", "https://a.example/ b", "https://a .example/", "https://a.example/\x00",
    "https://a.example/\t", "https://a.example/\x7f", "https://a.example/\x9f", "https://a.example/\u2028",
    "https://a.example/\u00a0", "https://a.example/\\", "https://a.example\\@b/", "https://a.example/\ud800",
    "https://a.example/#\ud800", "https://a.example/# x", "\thttps://a.example/", "\u00a0https://a.example/",
    "javascript:alert(1)", "data:,x", "ftp://a.example/", "file:///etc", "mailto:a@b.example", "http\u017f://a.example",
    "https://a<b.example/", "https://a^b.example/", "https://a|b.example/", "view-source:https://a.example/",
]  # fmt: skip


@pytest.mark.parametrize("url", KEPT)
@pytest.mark.parametrize(("before", "after"), [("", ""), ("  ", " "), ("", "#"), ("", "#a#b?c")])
def test_an_address_is_kept_without_its_fragment(url: str, before: str, after: str) -> None:
    """S038, S040."""
    assert address(f"{before}{url}{after}") == url
    assert OUTPUT.accepts({"results": [RESULT | {"url": url}]})


@pytest.mark.parametrize("url", OMITTED, ids=ascii)
def test_what_is_no_address_is_omitted(url: str) -> None:
    """S038, S043."""
    assert address(url) is None


@given(
    st.text(st.sampled_from("hHtTpPsS:/?#[]@.aA1\\ \t\u00a0\u4f60%"), max_size=24)
    | st.builds("https://{}{}".format, st.text(max_size=8), st.text(max_size=8))
)
def test_an_address_is_one_to_another_parser(text: str) -> None:
    """S038: whatever is kept has the host and the port that the standard library sees."""
    found = address(text)
    if found is None:
        return
    parts = urlsplit(found)
    assert parts.scheme in {"http", "https"}
    assert parts.hostname
    assert (parts.username, parts.password, parts.fragment) == (None, None, "")
    assert parts.port is None or 0 <= parts.port <= 65_535
    assert text.strip(" ").partition("#")[0] == found
    assert address(found) == found


TEXT = st.text(st.sampled_from("ab <>\u6f22\ud800\U0001f600\n&;"), max_size=6)
ENTRY = st.one_of(
    st.none(),
    st.integers(),
    st.fixed_dictionaries(
        {},
        optional={
            "u": st.sampled_from(
                ["https://a.example/#x", "https://a.example/", "https://b.example/", "x", 3]
            ),
            "t": TEXT | st.none() | st.integers(),
            "s": TEXT | st.none() | st.lists(st.none(), max_size=1),
        },
    ),
)


@given(st.lists(ENTRY, max_size=14), st.integers(1, 10))
def test_results_are_a_valid_result_whatever_comes(entries: list[Any], limit: int) -> None:
    """S036, S037, S039, S043."""
    found = results(entries, MEMBERS, limit)
    assert OUTPUT.violations(found) == ()
    urls = [row["url"] for row in found["results"]]
    assert len(urls) <= limit
    assert len(set(urls)) == len(urls)
    sound = [
        each
        for each in entries
        if isinstance(each, dict)
        and address(each.get("u"))
        and all(isinstance(each.get(name, ""), str | None) for name in ("t", "s"))
    ]
    first = dict.fromkeys(str(address(each["u"])) for each in sound)
    assert urls == list(first)[:limit]


@given(st.lists(st.text(max_size=5000), min_size=1, max_size=10), st.sampled_from('x\u6f22\U0001f600\x01"'))
def test_a_result_always_fits(texts: list[str], filler: str) -> None:
    """R-SRCH-4, R-RES-5: only trailing results are dropped, and never one that would have fitted."""
    entries = [
        {"u": f"https://a.example/{place}", "t": filler * 512, "s": text + filler * 4096}
        for place, text in enumerate(texts)
    ]
    found = results(entries, MEMBERS, 10)["results"]
    assert 1 <= len(found) <= len(texts)
    assert len(result_bytes({"results": found})) <= RESULT_BYTES
    whole = [results([entry], MEMBERS, 1)["results"][0] for entry in entries]
    assert found == whole[: len(found)]
    if len(found) < len(whole):
        assert len(result_bytes({"results": whole[: len(found) + 1]})) > RESULT_BYTES


def test_a_first_result_too_large_is_no_empty_result() -> None:
    entry = {"u": "https://a.example/" + "p" * RESULT_BYTES}
    with pytest.raises(ExtensionError) as caught:
        results([entry, {"u": "https://a.example/"}], MEMBERS, 5)
    assert (caught.value.code, caught.value.details) == ("upstream_failure", {"reason": "result_too_large"})


class _Text(HTMLParser):
    """A second opinion on HTML that is nothing but sound tags and texts."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.pieces: list[str] = []

    def handle_data(self, data: str) -> None:
        self.pieces.append(data)


@given(
    st.lists(
        st.sampled_from(
            [
                "<b>",
                "</b>",
                "<strong class='x'>",
                "<br/>",
                "&amp;",
                "&lt;b&gt;",
                "&#39;",
                "&#x4F60;",
                "a ",
                "\u6f22",
            ]
        ),
        max_size=12,
    ).map("".join)
)
def test_html_reads_as_a_parser_reads_it(text: str) -> None:
    """R-SRCH-3."""
    parser = _Text()
    parser.feed(text)
    parser.close()
    assert brave.plain_text(text) == "".join(parser.pieces)


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("a < b > c", "a < b > c"),
        ("<3 </3> < b>", "<3 </3> < b>"),
        ("1<a 2", "1<a 2"),
        ("x<a\nhref='>'>y", "x'>y"),
        ("<<b>>", "<>"),
        ("<B>\u00e9</B><h1>t</h1>", "\u00e9t"),
        ("&amp;lt;b&amp;gt;", "&lt;b&gt;"),
        ("&lt;b>", "<b>"),
        ("AT&T &copy &hellip;", "AT&T \u00a9 \u2026"),
        ("&#65&#x42;&#0067;&#X00000000044;", "ABCD"),
        ("&#;&#x;&#xg;&#0;&#x80;", "&#;&#x;&#xg;\ufffd\u20ac"),
        ("&#55296;&#x10FFFF1;&#99999999999;", "\ufffd\ufffd\ufffd"),
        ("&#" + "7" * 9_999 + ";&#x" + "f" * 9_999 + " &#" + "0" * 9_999 + "65;", "\ufffd\ufffd A"),
    ],
)
def test_html_of_the_odd_kind(text: str, plain: str) -> None:
    assert brave.plain_text(text) == plain


@pytest.mark.parametrize("piece", ["<a", "</a", "<a ", "&#", "&#0", "&#x", "&amp", "<a>"])
def test_no_html_takes_long(piece: str) -> None:
    """A whole body of one piece; quadratic work would take hours."""
    text = piece * ((1 << 20) // len(piece))
    assert len(brave.plain_text(text)) <= len(text)
    assert brave.plain_text(text + ">") is not None


def test_only_brave_reads_html() -> None:
    """R-SRCH-3."""
    entries = [{"u": "https://a.example/", "t": "<b>x</b>", "s": "&amp;"}]
    (row,) = results(entries, MEMBERS, 1)["results"]
    assert (row["title"], row["snippet"]) == ("<b>x</b>", "&amp;")
    (row,) = results(entries, MEMBERS, 1, plain=brave.plain_text)["results"]
    assert (row["title"], row["snippet"]) == ("x", "&")


def test_no_name_of_a_provider_is_an_argument() -> None:
    """S031, S066: an executor is bound to its engine before any input is read."""
    for module in MODULES:
        made = module.extension()
        assert made.execute is module.search
        assert made.execute.__module__ == module.__name__
        assert not re.search(r"provider|engine", " ".join(module.search.__annotations__))
