"""Law: the text of a file without a layout is what the emitter and the layout make of it, byte for byte."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from extpkg.definition.encode import render
from extpkg.definition.format import laid_out
from extpkg.definition.fresh import fresh_text
from extpkg.definition.layout import Layout
from extpkg.definition.order import Kind

CHARACTERS = (
    "ab :#-\n\t\"'\u00e9\u00a0\u2028\u200b\\[]{},.0!&*\ufeff\U0001f600|>%@`?"
    "\x01\x07\x1b\x7f\x85\x90\xad\r\u2029\ue000\ufffd\ufffe"
)
TEXTS = st.one_of(
    st.text(alphabet=CHARACTERS, max_size=14),
    st.sampled_from(
        [
            "",
            "yes",
            "1.10",
            "two words",
            "line\nline",
            "line\n\nline\n",
            "a: b",
            "# no",
            "x" * 200,
            "x" * 1100,
        ]
    ),
)
SCALARS = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-9, 2**53 - 1),
    st.floats(allow_nan=False, allow_infinity=False),
    TEXTS,
)
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS, inner, max_size=3),
    max_leaves=12,
)
FILES = st.dictionaries(
    st.sampled_from(["catalog", "binding", "auth", "endpoint", "actions", "source", "domain", "a b"]),
    VALUES
    | st.dictionaries(
        st.sampled_from(["input_schema", "example", "body", "parameters", "x"]), VALUES, max_size=3
    ),
    min_size=1,
    max_size=4,
)


@pytest.mark.parametrize("kind", Kind)
@settings(max_examples=150, deadline=None)
@given(value=FILES)
def test_what_is_written_in_one_pass_is_what_the_emitter_writes(kind: Kind, value: dict[str, object]) -> None:
    assert fresh_text(value, kind) == laid_out(value, Layout(), kind)


def test_an_empty_file_is_left_to_the_emitter() -> None:
    assert fresh_text({}, Kind.META) == render({}, Layout())
