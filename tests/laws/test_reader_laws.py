"""What holds for any bytes, any value and any accepted text (R-DOC)."""

from __future__ import annotations

import json
from functools import cache
from typing import TYPE_CHECKING, Any

import pytest
from corpus import ROOT
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from second_opinion import second_opinion

from extpkg import Document, DocumentInvalid, parse_document, parse_json
from extpkg.pointer import escape

if TYPE_CHECKING:
    from collections.abc import Callable

PIECES = [
    *"abz019-?:,[]{}#&*!|>'\"%@`~.=<+_\\/",
    *(
        " ",
        "  ",
        "    ",
        "\t",
        "\n",
        "\n",
        "\n\n",
        "\r\n",
        "\r",
        "\n  ",
        "\n    ",
        "- ",
        ": ",
        "? ",
        " #",
        "---",
        "...",
    ),
    *(
        "key: value\n",
        "- item\n",
        "|\n  x\n",
        ">-\n  x\n  y\n",
        "|2",
        "null",
        "true",
        "yes",
        "0777",
        "1e3",
        ".inf",
    ),
    *(
        "0x1f",
        "é",
        "😀",
        "\x85",
        "\u2028",
        "\ufeff",
        "\0",
        "\x07",
        "\\n",
        "\\ud800",
        "&a ",
        "*a",
        "!!str ",
        "<<",
        "''",
        '""',
    ),
]
SOUP = st.lists(st.sampled_from(PIECES), max_size=25).map("".join)


@cache
def seeds() -> list[str]:
    files = sorted((ROOT / "golden" / "valid").glob("**/*.yaml"))
    return [text for file in files if len(text := file.read_text(encoding="utf-8")) < 4000]


@st.composite
def mutants(draw: st.DrawFn) -> str:
    """A good file with up to three cuts, doublings and insertions."""
    text = draw(st.sampled_from(seeds()))
    for _ in range(draw(st.integers(1, 3))):
        at = draw(st.integers(0, len(text)))
        until = draw(st.integers(at, min(len(text), at + 12)))
        text = text[:at] + draw(st.sampled_from([*PIECES, text[at:until] * 2])) + text[until:]
    return text


TEXTS = SOUP | mutants()
JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**53) + 1, 2**53 - 1)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(exclude_categories=["Cs"]), max_size=8),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=4), inner, max_size=4),
    max_leaves=12,
)


def outcome(data: bytes, read: Callable[[bytes, str], Any] = parse_document) -> Any:
    try:
        return read(data, "f")
    except DocumentInvalid as refused:
        return refused


def read(data: bytes) -> Document | None:
    """Read, and look at every finding's place: it lies inside the text."""
    found = outcome(data)
    if isinstance(found, Document):
        return found
    lines = _lines(data.decode(errors="replace").removeprefix("\ufeff"))
    assert found.faults
    for fault in found.faults:
        assert fault.place.path == "f"
        at = fault.place.position
        assert at is not None
        assert (at.line, at.column) <= (at.end_line, at.end_column)
        assert 1 <= at.line <= at.end_line <= len(lines) + 1
        assert 1 <= at.column <= len(lines[at.line - 1] if at.line <= len(lines) else "") + 2
        assert fault.message
        assert "\n" not in fault.message
    return None


def _lines(text: str) -> list[str]:
    return text.replace("\r\n", "\n").replace("\r", "\n").split("\n")


@given(st.binary(max_size=60))
def test_no_bytes_crash_the_readers(data: bytes) -> None:
    read(data)
    found = outcome(data, parse_json)
    if isinstance(found, DocumentInvalid):
        assert all(fault.place.position for fault in found.faults)


@given(TEXTS)
@settings(max_examples=400)
def test_no_text_crashes_the_reader(text: str) -> None:
    read(text.encode())


@given(TEXTS, st.integers(0, 200), st.binary(min_size=1, max_size=3))
def test_no_bytes_inside_a_text_crash_the_reader(text: str, at: int, noise: bytes) -> None:
    data = text.encode()
    read(data[:at] + noise + data[at:])


RUAMEL_BUGS = ("\t", "|", ">")
"""ruamel.yaml refuses or cuts some texts with tabs, and block scalars with blank lines before their text."""


@given(TEXTS)
@settings(max_examples=400, suppress_health_check=[HealthCheck.filter_too_much])
def test_every_accepted_text_has_the_same_value_to_another_scanner(text: str) -> None:
    document = read(text.encode())
    if document is None:
        return
    try:
        expected = second_opinion(text.removeprefix("\ufeff"))
    except Exception:
        # What one scanner refuses is not read in two ways; nearly all of it are bugs of the other one.
        if not any(sign in text for sign in RUAMEL_BUGS):
            raise
        return
    assert repr(document.value) == repr(expected)


@given(TEXTS)
@settings(max_examples=300)
def test_every_place_is_at_its_value(text: str) -> None:
    document = read(text.encode())
    if document is not None:
        look_at_places(document, text.removeprefix("\ufeff"))


def test_every_place_of_the_good_files_is_at_its_value() -> None:
    for text in seeds():
        document = parse_document(text.encode())
        look_at_places(document, text.removeprefix("\ufeff"))


def look_at_places(document: Document, text: str) -> None:
    lines = _lines(text)
    assert [document.line_text(number) for number in range(1, len(lines) + 1)] == lines

    def cut(at: Any) -> str:
        assert (at.line, at.column) <= (at.end_line, at.end_column)
        inside = lines[at.line - 1 : at.end_line]
        inside[-1] = inside[-1][: at.end_column - 1]
        inside[0] = inside[0][at.column - 1 :]
        return "\n".join(inside)

    def walk(value: Any, pointer: str) -> None:
        here = cut(document.position(pointer))
        assert here == here.rstrip("\n") or not here.strip()
        if isinstance(value, dict):
            for key, member in value.items():
                below = f"{pointer}/{escape(key)}"
                assert _written(cut(document.key_position(below)), key)
                assert document.key_position(below) < document.position(below)
                assert document.position(below) <= document.position(pointer) or _within(
                    document, pointer, below
                )
                walk(member, below)
        elif isinstance(value, list):
            for index, item in enumerate(value):
                assert _within(document, pointer, f"{pointer}/{index}")
                walk(item, f"{pointer}/{index}")
        elif isinstance(value, str):
            assert _written(here, value)
        else:
            assert repr(second_opinion(here)) == repr(value) if here else value is None

    walk(document.value, "")


def _within(document: Document, outer: str, inner: str) -> bool:
    around, at = document.position(outer), document.position(inner)
    starts = (around.line, around.column) <= (at.line, at.column)
    return starts and (at.end_line, at.end_column) <= (around.end_line, around.end_column)


def _written(source: str, value: str) -> bool:
    """Whether a piece of source is a string, as far as that can be told without reading it."""
    if source[:1] in {"|", ">"}:
        return True
    if source[:1] in {'"', "'"} and len(source) > 1:
        return source[-1] == source[0] and second_opinion(source) == value
    return source == value or source.split() == value.split()


@given(JSON)
def test_json_text_is_read_as_the_value_that_it_is(value: Any) -> None:
    assert repr(parse_json(json.dumps(value).encode())) == repr(value)
    assert repr(parse_json(json.dumps(value, ensure_ascii=False, indent=1).encode())) == repr(value)


@given(JSON)
def test_json_is_yaml_where_yaml_allows_its_characters(value: Any) -> None:
    found = outcome(json.dumps(value).encode())
    if isinstance(found, DocumentInvalid):
        # Escaped astral characters are surrogate pairs, which YAML does not know; NUL is refused.
        assert {fault.code for fault in found.faults} <= {"EXT0119", "EXT0120"}
    else:
        assert json.dumps(found.value) == json.dumps(value)


@pytest.mark.parametrize("form", ["\n", "\r\n", "\r"])
def test_line_breaks_mean_the_same(form: str) -> None:
    for text in seeds():
        document, other = (parse_document(t.encode()) for t in (text, text.replace("\n", form)))
        assert document.value == other.value
        for pointer in ("", *(f"/{escape(key)}" for key in document.value)):
            assert document.position(pointer) == other.position(pointer)
            assert document.key_position(pointer) == other.key_position(pointer)
