"""The search engines on the command line: packages, cases, and results as a person reads them."""

from __future__ import annotations

import json
import shutil
from typing import TYPE_CHECKING, Any

import pytest
from console import change, extpkg
from corpus import ROOT

from extpkg.cli.render.search import render_results
from extpkg.cli.render.wrapping import WIDTH

if TYPE_CHECKING:
    from pathlib import Path

ENGINES = ("brave", "searxng", "serper", "tavily")
GOLDEN = ROOT / "golden" / "invoke"


@pytest.mark.parametrize("engine", ENGINES)
def test_installed_packages_go_by_their_names(engine: str) -> None:
    """S021, S026."""
    assert extpkg("validate", "--strict", f"@{engine}").code == 0
    assert extpkg("digest", "--check", f"@{engine}").code == 0
    shown = extpkg("show", f"@{engine}", "search").out
    assert "query" in shown
    assert "evidence" in shown
    schema = json.loads(extpkg("show", f"@{engine}", "search", "--input-schema").out)
    assert schema["additionalProperties"] is False
    assert list(schema["properties"]) == ["query", "limit"]
    ran = extpkg("test", f"@{engine}", "--cases", GOLDEN / engine, "--coverage", "--fail-under", "100")
    assert ran.code == 0, ran.out
    assert int(ran.out.rsplit(" of ", 1)[1].split()[0]) >= 25


@pytest.mark.parametrize("engine", ENGINES)
def test_the_pinned_package_may_lie_anywhere_and_no_other_may_have_its_domain(
    engine: str, tmp_path: Path
) -> None:
    """S013, R-PKG-5."""
    copy = tmp_path / "copy"
    shutil.copytree(ROOT / "packages" / engine, copy)
    assert extpkg("validate", "--strict", copy).out == "The package is valid.\n"
    change(copy / "actions/search.yaml", "maxItems: 10", "maxItems: 20")
    extpkg("digest", "--write", copy)
    ran = extpkg("validate", copy, "--format", "concise")
    assert ran.code == 1
    assert "EXT1101" in ran.out
    assert extpkg("invoke", copy, "search", '{"query":"q"}').code == 65


def replayed(engine: str, case: str, *options: str) -> Any:
    folder = GOLDEN / engine / "search" / case
    return extpkg("invoke", engine, "search", f"@{folder / 'input.json'}", "--replay", folder, *options)


@pytest.mark.parametrize("engine", ENGINES)
def test_calls_and_their_exit_codes(engine: str) -> None:
    """S026, S084, S085."""
    ran = replayed(engine, "several-results")
    assert ran.code == 0
    expected = json.loads((GOLDEN / engine / "search/several-results/output.json").read_bytes())
    assert json.loads(ran.out) == {"domain": engine, "action": "search", "data": expected}
    codes = [
        replayed(engine, case).code
        for case in ("query-empty", "status-429", "status-500", "without-connection")
    ]
    assert codes == [65, 75, 69, 69]


def test_results_as_a_person_reads_them() -> None:
    ran = replayed("serper", "several-results", "--pretty")
    assert ran.out == (
        "1. The specification\n"
        "  docs.example\n"
        "  What a package is.\n"
        "  https://docs.example/spec\n"
        "\n"
        "2. Packages, explained\n"
        "  blog.example\n"
        "  A longer look.\n"
        "  https://blog.example/2026/packages?ref=feed\n"
        "\n"
        "3. Package\n"
        "  wiki.example\n"
        "  From the wiki.\n"
        "  http://wiki.example/Package\n"
        "\n"
        "3 results.\n"
    )
    assert replayed("brave", "no-results", "--pretty").out == "No results.\n"


def result(**changes: str) -> dict[str, str]:
    return {"url": "https://a.example/", "title": "t", "snippet": "s"} | changes


@pytest.mark.parametrize(
    ("url", "host"),
    [
        ("https://a.example", "a.example"),
        ("HTTP://A.example:8080/p?q", "A.example"),
        ("https://a.example?q", "a.example"),
        ("https://[2001:db8::1]:8443/", "[2001:db8::1]"),
        ("https://b\u00fccher.example/", "b\u00fccher.example"),
    ],
)
def test_a_result_is_shown_by_its_host(url: str, host: str) -> None:
    assert render_results({"results": [result(url=url)]}) == f"1. t\n  {host}\n  s\n  {url}\n\n1 result.\n"


def test_empty_texts_and_long_ones() -> None:
    text = render_results({"results": [result(title="", snippet=""), result(snippet="word " * 60)]})
    assert text.startswith("1. (without a title)\n  a.example\n  https://a.example/\n\n2. t\n")
    assert max(map(len, text.splitlines())) <= WIDTH
    assert text.count("word") == 60


def test_hostile_texts_cannot_reach_the_terminal() -> None:
    hostile = "\x1b]0;title\x07 \u202egnp \r\n::set-output name=x::y"
    text = render_results(
        {"results": [result(title=hostile, snippet=hostile, url="https://a\u202e.example/\u200b")]}
    )
    assert not {"\x1b", "\x07", "\r", "\u202e", "\u200b"} & set(text)
    ran = replayed("tavily", "hostile-texts-are-data", "--pretty")
    assert ran.code == 0
    assert "\x1b" not in ran.out
    assert "\u202e" not in ran.out
    assert not any(line.lstrip().startswith("::") for line in ran.out.splitlines())


def test_a_call_without_a_connection_contacts_nobody() -> None:
    """S048, S085."""
    ran = replayed("brave", "without-connection", "--pretty")
    assert json.loads(ran.out)["error"]["code"] == "provider_auth_unavailable"
    assert "extpkg connection set brave" in ran.err
    assert "Contacting" not in ran.err
