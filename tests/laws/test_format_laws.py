"""Formatting: the value stays, comments stay, a second time changes nothing. P055."""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING, Any

import yaml
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from extpkg.canonical import canonical_json
from extpkg.definition.format import format_document
from extpkg.definition.order import Kind
from extpkg.document.strict_yaml import parse_document
from extpkg.errors import DocumentInvalid

if TYPE_CHECKING:
    from extpkg.document.document import Document

SPECIAL = (
    " |yes|no|~|null|1|1.0|1e3|0x1F|2026-08-01|2026-08|12:30|- a|-a|a: b|a #b|#a|a:|:a|?|? a|[a|{a}|a, b|'|%"
    '|@a|`|"|>|&a|*a|!a|---|...|a\nb|a\nb\n|a\n\n|\n| a|a |a\n b\n|a \nb\n|\ta|a\tb|a\n\tb\n|é|\U0001f600'
    "|x-y_z|/a/b|^[a-z]{2}$|https://a.example/b|first\n\nsecond\n"
)
LONG = ["", "|", "a" * 120, "word " * 30 + "end", "word " * 30 + "end\nword\n"]
WORDS = st.sampled_from([*SPECIAL.split("|"), *LONG])
TEXTS = WORDS | st.text(max_size=8)
SCALARS = st.none() | st.booleans() | st.integers(-99, 10**6) | st.floats(-1e30, 1e30) | TEXTS
FIELD = st.sampled_from(["name", "auth", "catalog", "binding", "type", "path", "from", "in", "a", "b", "c"])
KEYS = FIELD | WORDS | st.text(max_size=5)
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(KEYS, inner, max_size=4),
    max_leaves=16,
)
ROOTS = st.dictionaries(KEYS, VALUES, min_size=1, max_size=5)
CATALOG = st.fixed_dictionaries({"input_schema": ROOTS, "summary": TEXTS, "example": VALUES})
BINDING = st.fixed_dictionaries({"response": ROOTS, "parameters": st.lists(ROOTS, max_size=3)})
FIELDS = st.fixed_dictionaries({"name": TEXTS, "catalog": CATALOG}, optional={"binding": BINDING})


class Writer(yaml.SafeDumper):
    """Anchors are refused, so a value that occurs twice is written twice."""

    def ignore_aliases(self, data: Any) -> bool:
        del data
        return True


def accepted(text: str) -> Document:
    try:
        return parse_document(text.encode())
    except (DocumentInvalid, UnicodeEncodeError):
        assume(False)
        raise


@st.composite
def sources(draw: st.DrawFn) -> str:
    """A text in some style, with marked comments and blank lines put anywhere that leaves it a document."""
    value = draw(ROOTS | FIELDS)
    text: str = yaml.dump(
        value,
        Dumper=Writer,
        default_flow_style=draw(st.sampled_from([True, False, None])),
        default_style=draw(st.sampled_from([None, None, None, '"', "'", "|", ">"])),
        allow_unicode=True,
        sort_keys=False,
        indent=draw(st.integers(2, 4)),
        width=draw(st.sampled_from([20, 80, 1000])),
    )
    text = re.sub(r"(?m)![!a-z]+ ", "", text)
    lines = text.splitlines()
    for number in range(draw(st.integers(0, 5))):
        at = draw(st.integers(0, len(lines)))
        comment = f'# <{number}> it\'s: "here" [{{, - |'
        if at < len(lines) and draw(st.booleans()):
            changed = [*lines[:at], f"{lines[at]} {comment}", *lines[at + 1 :]]
        else:
            own = [" " * draw(st.integers(0, 8)) + comment]
            blank = [""] * draw(st.integers(0, 2))
            changed = [*lines[:at], *blank, *own, *[""] * draw(st.integers(0, 2)), *lines[at:]]
        try:
            parse_document("\n".join(changed).encode())
        except DocumentInvalid:
            continue
        lines = changed
    return "\n".join(lines) + draw(st.sampled_from(["", "\n", "\n\n", "\n...\n"]))


@settings(max_examples=60)
@given(sources(), st.sampled_from(Kind), st.sampled_from(["\n", "\r\n", "\r"]))
def test_value_and_comments_stay_and_a_second_time_changes_nothing(
    text: str, kind: Kind, line_end: str
) -> None:
    text = text.replace("\n", line_end)
    before = accepted(text)
    formatted = format_document(text.encode(), kind)
    after = parse_document(formatted)
    assert canonical_json(after.value) == canonical_json(before.value)
    assert Counter(re.findall("<[0-9]>", formatted.decode())) == Counter(re.findall("<[0-9]>", text))
    assert format_document(formatted, kind) == formatted
    assert b"\r" not in formatted
    assert formatted.endswith(b"\n")
    assert not formatted.endswith(b"\n\n")
    assert not [note for note in after.notes if note.code in {"EXT0102", "EXT0124"}]


@settings(max_examples=40)
@given(ROOTS, st.permutations(range(5)))
def test_the_order_of_known_fields_does_not_matter(value: dict[str, Any], order: list[int]) -> None:
    names = ["name", "source_operation_id", "auth", "catalog", "binding"]
    one = dict.fromkeys(names, value)
    other = {names[index]: value for index in order}
    first, second = (yaml.dump(text, Dumper=Writer, sort_keys=False).encode() for text in (one, other))
    accepted(first.decode())
    assert format_document(first, Kind.ACTION) == format_document(second, Kind.ACTION)
