"""Ambiguous scalars: exactly those of R-DOC-4, and what to write instead."""

from __future__ import annotations

import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from extpkg import parse_document
from extpkg.diagnostic import Part
from extpkg.document.scalars import AMBIGUOUS, resolve, unambiguous

# The patterns as R-DOC-4 writes them, one by one.
PATTERNS = [
    "yes|no|on|off|Yes|No|On|Off|YES|NO|ON|OFF",
    "=|<<",
    r"[-+]?0[0-9]+",
    r"0o[0-7]+",
    r"[-+]?0b[01_]+",
    r"[-+]0x[0-9a-fA-F_]+",
    r"0x[0-9a-fA-F]*_[0-9a-fA-F_]*",
    r"[-+]\.[0-9]+([eE][-+]?[0-9]+)?",
    r"[-+]?[0-9]+[eE][-+]?[0-9]+",
    r"[-+]?([0-9]+\.[0-9]*|\.[0-9]+)[eE][0-9]+",
    r"[-+]?[0-9][0-9_]*(:[0-5]?[0-9])+(\.[0-9_]*)?",
    r"[0-9]{4}-[0-9]{2}-[0-9]{2}",
    (
        r"[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}([Tt]|[ \t]+)[0-9]{1,2}:[0-9]{2}:[0-9]{2}(\.[0-9]*)?"
        r"([ \t]*(Z|[-+][0-9]{1,2}(:[0-9]{2})?))?"
    ),
]
WITH_UNDERSCORE = r"[-+]?([0-9][0-9_]*(\.[0-9_]*)?|\.[0-9][0-9_]*)([eE][-+]?[0-9]+)?"


def ambiguous(text: str) -> bool:
    return any(re.fullmatch(pattern, text) for pattern in PATTERNS) or (
        "_" in text and re.fullmatch(WITH_UNDERSCORE, text) is not None
    )


MATCHES = st.one_of(*(st.from_regex(p, fullmatch=True) for p in PATTERNS)) | st.from_regex(
    WITH_UNDERSCORE, fullmatch=True
).filter(lambda text: "_" in text)
NEAR = MATCHES | st.text("yYnNoOfFsSeE=<0123456789+-._:xXbTtZ abAB", max_size=12)


@given(NEAR)
def test_exactly_the_scalars_of_the_ruling_are_ambiguous(text: str) -> None:
    value, code = resolve(text)
    if code in {"EXT0116", "EXT0117", "EXT0118"}:
        assert value == 0
    else:
        assert (code == AMBIGUOUS) == ambiguous(text)


@given(MATCHES)
def test_what_to_write_instead_is_not_ambiguous_and_means_the_same(text: str) -> None:
    value, code = resolve(text)
    if code != AMBIGUOUS:
        return
    advice = unambiguous(text)
    assert f'"{text}" if text is' in advice
    if not isinstance(value, str):
        assert advice.startswith(f"{(number := advice.split()[0])} if the number is meant")
        assert resolve(number) == (value, "")
    for other in re.findall(r", (\S+) if a number is", advice):
        assert resolve(other)[1] == ""
        assert isinstance(resolve(other)[0], (int, float))


@pytest.mark.parametrize(
    "text",
    ["yes", "No", "ON", "off", "=", "<<", "007", "-01", "0o7", "0b1", "-0x1", "1_0", "+.5", "1e3", "1.e5"],
)
def test_ambiguous(text: str) -> None:
    assert resolve(text)[1] == AMBIGUOUS


@pytest.mark.parametrize(
    "text",
    [
        "y",
        "n",
        "Y",
        "N",
        "yEs",
        "oN",
        "true",
        "null",
        "~",
        "0",
        "1",
        "-1",
        "+1",
        "1.5",
        "-0.5",
        "1.5e+3",
        ".5",
        "3.1.0",
        "0x1f",
        "1:",
        "2026-8-1",
        "2026",
        "-",
        "._",
        "a_b",
        "<<<",
        "==",
        "0o8",
        "1:60x",
    ],
)
def test_not_ambiguous(text: str) -> None:
    assert resolve(text)[1] == ""


@pytest.mark.parametrize(
    ("text", "advice"),
    [
        ("0777", '777 if the number is meant, "0777" if text is'),
        ("0o17", '15 if the number is meant, "0o17" if text is'),
        ("1e3", '1000.0 if the number is meant, "1e3" if text is'),
        ("1e22", '1.0e+22 if the number is meant, "1e22" if text is'),
        ("yes", '"yes" if text is meant, true if a boolean is'),
        ("Off", '"Off" if text is meant, false if a boolean is'),
        ("1_000", '"1_000" if text is meant, 1000 if a number is'),
        ("0_7", '"0_7" if text is meant, 7 if a number is'),
        ("1_0e400", '"1_0e400" if text is meant'),
        ("2026-08-01", '"2026-08-01" if text is meant'),
        ("<<", '"<<" if text is meant'),
    ],
)
def test_advice(text: str, advice: str) -> None:
    assert unambiguous(text) == advice


def test_the_reader_reads_them_and_notes_them() -> None:
    document = parse_document(b"yes: 0777\na: [no, 'no', {on: 1}]\nb: |\n  yes\nc: y\n", "a.yaml")
    assert document.value == {"yes": 777, "a": ["no", "no", {"on": 1}], "b": "yes\n", "c": "y"}
    found: list[Any] = [
        (n.code, n.place.pointer, n.place.part, n.place.position and n.place.position.column)
        for n in document.notes
    ]
    assert found == [
        ("EXT0124", "/yes", Part.KEY, 1),
        ("EXT0124", "/yes", Part.VALUE, 6),
        ("EXT0124", "/a/0", Part.VALUE, 5),
        ("EXT0124", "/a/2/on", Part.KEY, 16),
    ]
    assert document.notes[1].help == 'write 777 if the number is meant, "0777" if text is'
