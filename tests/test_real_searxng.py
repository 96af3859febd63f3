"""A real SearXNG, set up, tried and called by the command line; and that its stand-in behaves as it does.

EXTPKG_REAL_SEARXNG=1 installs one (`tools/real_searxng.py`) and runs this; without it the stand-in of
`engines.py` alone is held against what SearXNG's documentation says.
"""

from __future__ import annotations

import importlib.util
import json
import os
import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import httpx
import pytest
from console import extpkg, script
from corpus import ROOT
from engines import searxng, serving

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

REAL = os.environ.get("EXTPKG_REAL_SEARXNG") == "1"

HEADERS = {"accept": "*/*", "accept-encoding": "gzip", "accept-language": "en", "user-agent": "extpkg"}
"""What the adapter sends, as far as the limiter looks at it."""

needs_real = pytest.mark.skipif(
    not REAL, reason="a real SearXNG is installed with EXTPKG_REAL_SEARXNG=1 only"
)


def tool() -> Any:
    spec = importlib.util.spec_from_file_location("real_searxng", ROOT / "tools/real_searxng.py")
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return where SearXNG is installed, once for all tests here."""
    found = tmp_path_factory.mktemp("searxng")
    tool().install(found)
    return found


@pytest.fixture(autouse=True)
def config(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Give each test a directory of configuration of its own."""
    monkeypatch.setenv("EXTPKG_CONFIG_DIR", str(tmp_path / "config"))


def set_base(base: str) -> None:
    assert extpkg("connection", "set", "searxng", "--config", f"baseUrl={base}").code == 0


@needs_real
def test_a_real_instance_is_tried_and_called(folder: Path) -> None:
    """S070: by processes, over the guarded network, as a user does it."""
    with tool().running(folder) as base:
        assert script("connection", "set", "searxng", "--config", f"baseUrl={base}/").returncode == 0
        tried = script("connection", "test", "searxng")
        called = script("invoke", "searxng", "search", '{"query": "anything", "limit": 5}')
    assert (tried.returncode, tried.stdout) == (0, b"The connection searxng works.\n")
    assert json.loads(called.stdout)["data"]["results"] == [
        {
            "url": "https://example.org/one",
            "title": "The first",
            "snippet": "Text of <b>the first</b>.",
        },
        {"url": "https://example.org/two", "title": "Der zweite: ü", "snippet": ""},
    ]


@needs_real
def test_a_real_instance_without_json_is_told(folder: Path) -> None:
    with tool().running(folder, formats=("html",)) as base:
        set_base(base)
        ran = extpkg("connection", "test", "searxng")
    assert ran.code == 1
    assert json.loads(ran.out)["error"]["details"]["reason"] == "forbidden"
    assert "Hint: Instances refuse JSON until search.formats" in ran.err


@needs_real
def test_a_real_limiter_lets_the_adapter_pass(folder: Path) -> None:
    module = tool()
    if module.valkey_server() is None:
        pytest.skip("the limiter needs valkey-server or redis-server, and neither is installed")
    with module.running(folder, limiter=True) as base:
        set_base(base)
        ran = extpkg("connection", "test", "searxng")
        statuses = limited(base)
    assert (ran.code, ran.out) == (0, "The connection searxng works.\n")
    assert statuses == EXPECTED


@contextmanager
def stand_in(**options: Any) -> Iterator[str]:
    with serving(searxng(**options)) as engine:
        yield f"http://127.0.0.1:{engine.port}"


LIMITED = {
    "as the adapter asks": {},
    "a browser": {"accept": "text/html,application/xml;q=0.9", "accept-encoding": "br, gzip"},
    "deflate alone": {"accept-encoding": "deflate"},
    "no compression": {"accept-encoding": "identity"},
    "JSON alone": {"accept": "application/json"},
    "no language": {"accept-language": ""},
}
EXPECTED = {
    "as the adapter asks": 200,
    "a browser": 200,
    "deflate alone": 200,
    "no compression": 429,
    "JSON alone": 429,
    "no language": 429,
}


def limited(base: str) -> dict[str, int]:
    """Return the status that each kind of client gets."""
    with httpx.Client(trust_env=False) as client:
        found = {}
        for name, changes in LIMITED.items():
            headers = {**HEADERS, **changes}
            request = httpx.Request("GET", f"{base}/search?q=x&format=json", headers=headers)
            found[name] = client.send(request).status_code
        return found


def test_the_stand_in_limits_as_a_real_instance_does() -> None:
    """What the methods of botdetection document; a real limiter gives the same table."""
    with stand_in() as base:
        assert limited(base) == EXPECTED


def test_the_stand_in_refuses_json_as_a_real_instance_does() -> None:
    with stand_in(formats=("html",)) as base:
        answer = httpx.get(f"{base}/search?q=x&format=json", headers=HEADERS, trust_env=False)
    assert answer.status_code == 403
    assert answer.text.startswith("<!doctype html>")


def test_the_script_says_what_it_runs() -> None:
    """Without installing anything: its settings are YAML, and its answers are what the tests expect."""
    import yaml

    module = tool()
    settings = yaml.safe_load(
        module.SETTINGS.format(
            formats='["html"]', port=1, limiter="true", valkey="false", folder="/x", engine=2
        )
    )
    assert settings["search"] == {"formats": ["html"]}
    assert settings["engines"][0]["search_url"] == "http://127.0.0.1:2/?q={query}"
    assert len(module.ITEMS) == 2
    assert sys.version_info >= (3, 11)
