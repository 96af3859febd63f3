"""The page in a real Chromium: accessible, quiet, complete in print, at two widths, light and dark."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

import pytest
from chromium import axe, browser, chromium
from console import change, extpkg
from corpus import ROOT
from pages import read
from test_review_page import HOSTILE, hostile

from extpkg.review import page

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from chromium import Page

PROGRAM = chromium()

pytestmark = pytest.mark.skipif(PROGRAM is None, reason="there is no Chromium here")

WIDTHS = (1280, 390)
SCHEMES = ("light", "dark")
VIEWS = [
    *(("arxiv", width, scheme) for width in WIDTHS for scheme in SCHEMES),
    *(("change", 1280, "light"), ("change", 390, "dark"), ("hostile", 1280, "light")),
]


@pytest.fixture(scope="module")
def tab() -> Iterator[Page]:
    with browser(str(PROGRAM)) as opened:
        yield opened


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """A Builtin, a breaking change, and a page about hostile texts."""
    folder = tmp_path_factory.mktemp("pages")
    old = ROOT / "golden/packages/github"
    new = shutil.copytree(old, folder / "new")
    change(new / "meta.yaml", "\nversion: 1\n", "\nversion: 2\n")
    create = new / "actions/create-issue.yaml"
    change(create, "maxLength: 256", "maxLength: 100")
    change(create, "    - repo\n\ncatalog", "    - public_repo\n\ncatalog")
    change(create, "method: POST", "method: PUT")
    made = {name: folder / f"{name}.html" for name in ("arxiv", "change", "hostile")}
    assert extpkg("review", ROOT / "packages/arxiv", "--output", made["arxiv"]).code == 0
    assert extpkg("review", new, "--against", old, "--output", made["change"]).code == 0
    made["hostile"].write_bytes(page(hostile("".join(HOSTILE[:-2]))))
    return made


def test_axe_finds_nothing(tab: Page, pages: dict[str, Path]) -> None:
    source = axe()
    if source is None:
        pytest.skip("axe-core cannot be had here")
    for name, width, scheme in VIEWS:
        tab.open(pages[name], width=width, scheme=scheme)
        assert tab.faults(source) == [], (name, width, scheme)


def test_nothing_is_asked_for_and_nothing_complains(tab: Page, pages: dict[str, Path]) -> None:
    for file in pages.values():
        tab.open(file, width=1280)
        asked = [
            each["params"]["request"]["url"]
            for each in tab.events
            if each["method"] == "Network.requestWillBeSent"
        ]
        assert asked == [file.resolve().as_uri()]
        noise = {
            "Log.entryAdded",
            "Runtime.exceptionThrown",
            "Runtime.consoleAPICalled",
            "Page.javascriptDialogOpening",
        }
        assert [each for each in tab.events if each["method"] in noise] == []


def test_the_browser_reads_what_the_tests_read(tab: Page, pages: dict[str, Path]) -> None:
    """No tag was repaired, moved or added: both parsers see the same elements in the same order."""
    for file in pages.values():
        tab.open(file, width=1280)
        seen = tab.value("[...document.querySelectorAll('*')].map(each => each.localName)")
        assert seen == [each.tag for each in read(file.read_bytes()).every()]


def test_the_policy_lets_no_script_in(tab: Page, pages: dict[str, Path]) -> None:
    tab.open(pages["change"], width=1280)
    added = (
        "document.body.append(Object.assign(document.createElement('script'), {text: 'window.ran = 1'})),"
        "document.body.insertAdjacentHTML('beforeend', '<p style=\"color: red\" onclick=\"ran = 1\">'),"
        "document.body.lastElementChild.click(), window.ran ?? null"
    )
    assert tab.value(added) is None
    colour = (
        "getComputedStyle(document.body.lastElementChild).color === getComputedStyle(document.body).color"
    )
    assert tab.value(colour) is True
    assert tab.value("document.styleSheets.length === 1 && document.styleSheets[0].cssRules.length > 50")


@pytest.mark.parametrize("width", WIDTHS)
def test_nothing_is_wider_than_the_window(tab: Page, pages: dict[str, Path], width: int) -> None:
    for file in pages.values():
        tab.open(file, width=width)
        assert tab.value("document.documentElement.scrollWidth") <= width


@pytest.mark.parametrize(("name", "width", "scheme"), VIEWS)
def test_there_is_a_picture_of_every_page(
    tab: Page, pages: dict[str, Path], name: str, width: int, scheme: str, tmp_path: Path
) -> None:
    """The scheme is followed: the page's ground is light in one picture and dark in the other."""
    tab.open(pages[name], width=width, scheme=scheme)
    picture = tmp_path / f"{name}-{width}-{scheme}.png"
    tab.picture(picture)
    assert picture.read_bytes().startswith(b"\x89PNG")
    ground = tab.value("getComputedStyle(document.body).backgroundColor")
    assert ground == {"light": "rgb(255, 255, 255)", "dark": "rgb(20, 23, 28)"}[scheme]


def test_print_opens_everything_and_is_light(tab: Page, pages: dict[str, Path], tmp_path: Path) -> None:
    hidden = (
        "[...document.querySelectorAll('details > :not(summary)')]"
        ".filter(each => each.getClientRects().length && !each.checkVisibility()).length"
    )
    tab.open(pages["arxiv"], width=720)
    tab.value("document.querySelectorAll('details').forEach(each => each.open = false)")
    assert tab.value(hidden) > 0
    tab.open(pages["arxiv"], width=720, scheme="dark", media="print")
    tab.value("document.querySelectorAll('details').forEach(each => each.open = false)")
    assert tab.value(hidden) == 0
    assert tab.value("document.querySelectorAll('details').length") > 0
    assert tab.value("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    assert tab.value("getComputedStyle(document.querySelector('nav')).display") == "none"
    tab.printed(tmp_path / "page.pdf")
    assert (tmp_path / "page.pdf").read_bytes().startswith(b"%PDF")


def test_the_keyboard_reaches_what_opens_and_what_leads(tab: Page, pages: dict[str, Path]) -> None:
    """The first stop skips to the content; every link and summary is a stop, in the order of the page."""
    tab.open(pages["arxiv"], width=1280)
    stops = []
    for _ in range(40):
        tab.send("Input.dispatchKeyEvent", type="rawKeyDown", key="Tab", windowsVirtualKeyCode=9)
        stop = tab.value("document.activeElement.localName + ' ' + document.activeElement.innerText")
        if stop.startswith("body"):
            break
        stops.append(stop)
    assert stops[0] == "a Skip to the content"
    expected = tab.value(
        "[...document.querySelectorAll('a, summary')].map(each => each.localName + ' ' + each.innerText)"
    )
    assert stops == expected


def test_summaries_open_and_close_by_the_keyboard(tab: Page, pages: dict[str, Path]) -> None:
    tab.open(pages["arxiv"], width=1280)
    tab.value("document.querySelector('summary').focus()")
    before = tab.value("document.querySelector('details').open")
    for kind in ("keyDown", "keyUp"):
        tab.send("Input.dispatchKeyEvent", type=kind, key="Enter", windowsVirtualKeyCode=13, text="\r")
    assert tab.value("document.querySelector('details').open") is not before
