from __future__ import annotations

import copy
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from mutants import package

from extpkg.check.text import check_action_text, check_meta_text
from extpkg.diagnostic import Part
from extpkg.limits import CATALOG_CHARACTERS

FILE = "actions/list-issues.yaml"
BASE: dict[str, Any] = package().actions[FILE]


def check(path: str, value: Any) -> list[tuple[str, str]]:
    """Set the member of the catalog at a path of keys; return the codes and pointers of what is found."""
    action = copy.deepcopy(BASE)
    target = action["catalog"]
    *parents, last = path.split("/")
    for token in parents:
        target = target[token]
    target[last] = value
    return [(f.code, f.place.pointer.removeprefix("/catalog/")) for f in check_action_text(action, FILE)]


GOOD_TEXT = """plain|Größe
日本語|עברית|हिन्दी|\u0627\u0644\u0639\u0631\u0628\u064a\u0629|e\u0301|\u00bd|a\u00a0b
\u2764\ufe0f\u200d\U0001f525|\U0001f3f3\ufe0f\u200d\U0001f308|1\ufe0f\u20e3|#\ufe0f\u20e3|\u00a9\ufe0f
\U0001f44d\U0001f3fd|\U0001f469\U0001f3fd\u200d\U0001f4bb|\U0001f1e9\U0001f1ea|\U0001f642\u200d\u2194\ufe0f
\U0001f468\u200d\U0001f469\u200d\U0001f467|\U0001fae8\u200d\U0001fae8|\u845b\U000e0100
\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645|\u0915\u094d\u200d\u0937""".replace("\n", "|").split("|")

CONTROLS = ["\x00", "\x1b[31m", "\x7f", "\x85", "\x9b", "\u2028", "\u2029", "\r", "\x0b"]
BIDI = [0x61C, 0x200E, 0x200F, *range(0x202A, 0x202F), *range(0x2066, 0x206A)]
INVISIBLE = [
    *(0xAD, 0x34F, 0x115F, 0x1160, 0x17B4, 0x180B, 0x180E, 0x200B, 0x2060, 0x2061, 0x2064, 0x206A, 0x206F),
    *(0x3164, 0xFEFF, 0xFFA0, 0xFFF9, 0x1BCA0, 0x1D173, 0xE0080, 0xE0FFF),
]
MISPLACED = [
    *("\u200d", "a\u200d ", " \u200cb", "1\u200d2", "a\u200d\u200db", "a\u200b\u200db", "\ufe0f", "x\ufe0f"),
    *("1\ufe0f", " \ufe0f", "\u2764\ufe0f\ufe0f", "\u845b\U000e0100\U000e0101", "e\ufe00"),
]
TAGS = ["\U000e0001", "\U0001f3f4\U000e0067\U000e007f", "\U000e0020"]
BAD_TEXT = [
    *(("EXT1001", text) for text in CONTROLS),
    *(("EXT1002", chr(code)) for code in BIDI),
    *(("EXT1003", text) for text in [*map(chr, INVISIBLE), *MISPLACED]),
    *(("EXT1004", text) for text in TAGS),
]
LABELS = [
    "input_schema/properties/state/title",
    "input_schema/properties/state/pattern",
    "output_schema/title",
    "output_schema/$defs/issue/properties/title/format",
]
PROSE = ["description", "input_schema/properties/state/description", "output_schema/$comment"]
DATA = [
    "example/owner",
    "input_schema/properties/state/default",
    "output_schema/const",
    "output_schema/x-note",
]


@pytest.mark.parametrize("path", ["summary", *LABELS, *PROSE, *DATA])
@pytest.mark.parametrize("text", GOOD_TEXT)
def test_visible_text_passes(path: str, text: str) -> None:
    assert check(path, f"a {text} b") == []
    assert check(path, text) == []


@pytest.mark.parametrize(("code", "text"), BAD_TEXT)
@pytest.mark.parametrize("path", [*LABELS, "description"])
def test_unfit_characters_in_labels_and_prose(path: str, code: str, text: str) -> None:
    assert check(path, f"+{text}+") == [(code, path)]


@pytest.mark.parametrize("path", DATA)
@pytest.mark.parametrize(("code", "text"), [row for row in BAD_TEXT if row[1] != "\r"])
def test_unfit_characters_in_data(path: str, code: str, text: str) -> None:
    assert check(path, [f"+{text}+"]) == [(code, f"{path}/0")]


@pytest.mark.parametrize("text", ["a\nb", "a\tb"])
def test_lines_and_tabs(text: str) -> None:
    """Only descriptions and data have lines."""
    for path in (*PROSE, *DATA):
        assert check(path, text) == []
    for path in LABELS:
        assert check(path, text) == [("EXT1001", path)]
    assert check("summary", text) == [("EXT1001" if "\t" in text else "EXT1005", "summary")]


@pytest.mark.parametrize("text", ["a\rb", "a\x0bb", "a\x0cb", "a\x85b", "a\u2028b", "a\r\nb", "a\n\nb\n"])
def test_a_summary_is_one_line(text: str) -> None:
    assert check("summary", text) == [("EXT1005", "summary")]


def test_enum_members_are_labels() -> None:
    found = check("input_schema/properties/state/enum", ["open", "clo\nsed", 5, None, ["a\u200bb"]])
    assert sorted(found) == [
        ("EXT1001", "input_schema/properties/state/enum/1"),
        ("EXT1003", "input_schema/properties/state/enum/4/0"),
    ]


@pytest.mark.parametrize("holder", ["input_schema/properties", "output_schema/$defs", "example"])
def test_keys(holder: str) -> None:
    action = copy.deepcopy(BASE)
    target = action["catalog"]
    for token in holder.split("/"):
        target = target[token]
    target["na\u202eme"] = {}
    assert [(f.code, f.place.pointer, f.place.part) for f in check_action_text(action, FILE)] == [
        ("EXT1002", f"/catalog/{holder}/na\u202eme", Part.KEY)
    ]


@pytest.mark.parametrize(
    "name", ["description", "const", "default", "examples", "x-y", "properties", "$comment"]
)
def test_a_property_may_be_called_like_a_keyword(name: str) -> None:
    assert check(f"input_schema/properties/{name}", {"title": "a\nb"}) == [
        ("EXT1001", f"input_schema/properties/{name}/title")
    ]
    assert check(f"input_schema/properties/{name}", {"description": "a\nb", "default": "a\r\nb"}) == []


@pytest.mark.parametrize(("path", "most"), [("summary", 120), ("description", 4096)])
def test_extents(path: str, most: int) -> None:
    assert check(path, "\U0001f600" * most) == []
    assert check(path, "x" * (most + 1)) == [("EXT1008", path)]
    assert check(path, "") == [("EXT1006", path)]
    assert check(path, " \u3000 ") == [("EXT1006", path)]


def test_weight_is_that_of_the_compact_json() -> None:
    catalog = copy.deepcopy(BASE["catalog"])
    rest = len(json.dumps(catalog, ensure_ascii=False, separators=(",", ":")))
    text = catalog["input_schema"]["properties"]["api_version"]["description"]
    room = CATALOG_CHARACTERS - rest + len(text)
    assert check("input_schema/properties/api_version/description", "ä" * room) == []
    action = copy.deepcopy(BASE)
    action["catalog"]["input_schema"]["properties"]["api_version"]["description"] = "ä" * (room + 1)
    (found,) = check_action_text(action, FILE)
    assert (found.code, found.place.pointer, found.place.part) == ("EXT1007", "/catalog", Part.KEY)
    assert found.message == "the catalog weighs 8,001 characters, about 2,000 tokens in every prompt"


def test_one_finding_for_each_kind_names_the_first() -> None:
    action = copy.deepcopy(BASE)
    action["catalog"]["summary"] = "a\u200bb\u200bc\u202ed"
    assert [f.message for f in check_action_text(action, FILE)] == [
        "the text has the invisible character U+200B ZERO WIDTH SPACE at character 2 and 1 more like it",
        "the text has the direction control U+202E RIGHT-TO-LEFT OVERRIDE at character 6",
    ]


@pytest.mark.parametrize("field", ["name", "description"])
@pytest.mark.parametrize(("code", "text"), BAD_TEXT)
def test_package_texts(field: str, code: str, text: str) -> None:
    """R-META-3: line breaks belong to the rules of the field."""
    found = [(f.code, f.place.pointer) for f in check_meta_text({field: f"+{text}+"})]
    breaks = set(text) & set("\n\v\f\r\x85\u2028\u2029")
    assert found == ([] if breaks else [(code, f"/{field}")])


@pytest.mark.parametrize("value", [None, 5, [], {}, {"catalog": None}, {"catalog": {"summary": 5}}])
def test_other_values_are_passed_over(value: Any) -> None:
    assert list(check_action_text(value, FILE)) == []
    assert list(check_meta_text(value)) == []


@given(st.text(alphabet=st.characters(max_codepoint=0x7E, min_codepoint=0x20)))
def test_printable_ascii_always_passes(text: str) -> None:
    for path in ("input_schema/title", "example", "output_schema/default"):
        assert check(path, text) == []


@given(st.text())
def test_what_is_quiet_shows_nothing_hidden(text: str) -> None:
    """No control, override or zero-width space ever passes, whatever stands around it."""
    hidden = set(text) & set("\x00\x1b\x7f\u200b\u202e\u2066\ufeff\U000e0041")
    if hidden:
        assert check("input_schema/title", text)
