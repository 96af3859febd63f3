from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from extpkg import resources
from extpkg.binding.origin import refusal
from extpkg.check.structure import check_meta

ACCEPTED = [
    "https://a.b",
    "https://a.b/",
    "https://a.b:1",
    "https://a.b:65535/",
    "https://a.b:8443/c",
    "https://a.b/c/",
    "https://a.b/C~d_e.f-9/...",
    "https://9to5.example",
    "https://xn--mgba3gch31f060k.com",
    "https://xn--g6h.net",
    "https://internal.example",
    "https://mylocal.example",
    "https://a.example",
    f"https://{'a' * 63}.example",
    f"https://{'.'.join(['a' * 60] * 4)}.example.c",
]
PLAIN = [
    ("", "start with"),
    ("HTTPS://a.b", "start with"),
    ("https://a.b?", "query"),
    ("https://a.b#", "fragment"),
    ("https://{tenant}.a.b", "variable"),
    ("https://a.b/%61", "percent-encoded"),
    ("https://a:b@c.d", "credentials"),
    ("https://a.b/c@d", "not plain"),
    ("https://a.b\n", "character"),
    ("https://a.b/ä", "character"),
    ("https://a.b:", "port"),
    ("https://a.b:0", "port"),
    ("https://a.b:080", "port"),
    ("https://a.b:65536", "port"),
    ("https://a.b:443", "443"),
    ("https://a.b:8:9", "port"),
    ("https://a.b//", "empty segment"),
    ("https://a.b/c//", "empty segment"),
    ("https://a.b/./", '"."'),
    ("https://a.b/..", '".."'),
    ("https://a.b/c;d", "not plain"),
    ("https:///a", "empty"),
    ("https://A.b", "lower case"),
    ("https://a.b.", "dot"),
    ("https://a", "one label"),
    ("https://a.-b", "no DNS label"),
    ("https://a_.b", "no DNS label"),
    ("https://a..b", "no DNS label"),
    ("https://a.1b", "start with a letter"),
    (f"https://{'a' * 64}.example", "no DNS label"),
    (f"https://{'.'.join(['a' * 60] * 4)}.example.co", "253"),
    ("https://xn--.example", "no DNS label"),
    ("https://xn--127-.example", "no DNS label"),
    ("https://xn--a.example", "no DNS label"),
    ("https://xn--999999999.example", "no DNS label"),
]
HOSTS = [
    "https://[::1]",
    "https://1.1.1.1",
    "https://a.0x7f",
    "https://a.0x",
    "https://7",
    "https://localhost",
    "https://a.LOCALHOST.",
    *(f"https://a.{suffix}" for suffix in resources.reserved_host_suffixes()),
]


@pytest.mark.parametrize("url", ACCEPTED)
def test_accepted(url: str) -> None:
    assert refusal(url) is None


@pytest.mark.parametrize(("url", "reason"), PLAIN)
def test_refused_for_its_spelling(url: str, reason: str) -> None:
    refused = refusal(url)
    assert refused is not None
    assert not refused.host
    assert reason in refused.reason


@pytest.mark.parametrize("url", HOSTS)
def test_refused_for_its_host(url: str) -> None:
    refused = refusal(url)
    assert refused is not None
    assert refused.host


@given(st.text() | st.text(alphabet="https://abcx-.0127:/?#@%_~").map(lambda rest: "https://" + rest))
def test_what_the_schema_refuses_the_grammar_refuses(url: str) -> None:
    """The pattern that editors use is never stricter than the rule."""
    meta = {"endpoint": {"base_url": url}}
    quiet = [finding for finding in check_meta(meta) if finding.place.pointer.startswith("/endpoint")]
    assert quiet == []
    if refusal(url) is None:
        assert _matches(url)


def _matches(url: str) -> bool:
    from jsonschema import Draft202012Validator

    node = resources.schema("meta")["properties"]["endpoint"]["properties"]["base_url"]
    return bool(Draft202012Validator(node).is_valid(url))
