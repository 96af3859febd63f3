"""Patterns: what is allowed, how states are counted, and how long a search may take (R-SCH-5)."""

from __future__ import annotations

import subprocess
import sys
import time

import pytest

from extpkg.json_schema.characters import LAST, complement, union, written
from extpkg.json_schema.pattern_syntax import SYNTAX, TOO_LARGE, UNSUPPORTED, PatternRefused, translate
from extpkg.json_schema.patterns import compile_pattern

STATES = [
    ("", 0),
    ("abc", 3),
    ("^a$", 3),
    ("\\bx\\B", 3),
    ("[abc]\\d.", 3),
    ("\\uD83D\\uDE00", 1),
    ("a*b+c?", 3),
    ("a{5}", 5),
    ("a{2,7}", 7),
    ("a{3,}", 4),
    ("a{0,}", 1),
    ("a{1,}", 2),
    ("a{0}", 0),
    ("(ab|c){3}", 9),
    ("((a{2}b){3}c){4}", 40),
    ("(?:){1000}", 0),
    ("((a{1000}){1000}){0}b", 1),
    ("(|a)(b|)", 2),
    ("(?:a{1000}){10}", 10_000),
    ("(?:a{999}){10}bbbbbbbbbb", 10_000),
    ("(?:[ab]{100}){100}", 10_000),
    ("\\S{1000}\\W{1000}[^a]{1000}" * 3 + "a{1000}", 10_000),
]


@pytest.mark.parametrize(("source", "states"), STATES)
def test_states_are_counted_after_unfolding(source: str, states: int) -> None:
    pattern = compile_pattern(source)
    assert pattern.translation.states == states
    pattern.compile()


REFUSED = [
    ("(?:a{1000}){10}b", TOO_LARGE, 1),
    ("a{1001}", TOO_LARGE, 2),
    ("a{0,1001}", TOO_LARGE, 2),
    ("a{99999999999999999999999,}", TOO_LARGE, 2),
    ("(?:a{1001}){0}", TOO_LARGE, 5),
    ("(a{1000}){0,1000}", TOO_LARGE, 1),
    ("ab(?=c)", UNSUPPORTED, 3),
    ("(?<!c)", UNSUPPORTED, 1),
    ("(?<name>a)", UNSUPPORTED, 1),
    ("(a)\\1", UNSUPPORTED, 4),
    ("\\k<a>", UNSUPPORTED, 1),
    ("a\\p{L}", UNSUPPORTED, 2),
    ("[\\P{L}]", UNSUPPORTED, 2),
    ("a)", SYNTAX, 2),
    ("(a", SYNTAX, 1),
    ("a[b", SYNTAX, 2),
    ("a[b\\", SYNTAX, 4),
    ("a[b-", SYNTAX, 2),
    ("[z-a]", SYNTAX, 2),
    ("[\\d-z]", SYNTAX, 2),
    ("*", SYNTAX, 1),
    ("a**", SYNTAX, 3),
    ("^*", SYNTAX, 2),
    ("a{2,1}", SYNTAX, 2),
    ("a{,1}", SYNTAX, 2),
    ("}", SYNTAX, 1),
    ("\\a", SYNTAX, 1),
    ("\\", SYNTAX, 1),
    ("\\u12", SYNTAX, 1),
    ("\\u{110000}", SYNTAX, 1),
    ("\\xg0", SYNTAX, 1),
    ("\\c1", SYNTAX, 1),
    ("\\01", SYNTAX, 1),
    ("(?P<a>b)", SYNTAX, 1),
    ("(?", SYNTAX, 1),
]


@pytest.mark.parametrize(("source", "code", "character"), REFUSED)
def test_refused(source: str, code: str, character: int) -> None:
    with pytest.raises(PatternRefused) as refused:
        translate(source)
    assert (refused.value.code, refused.value.offset + 1) == (code, character)
    assert str(refused.value) == refused.value.message


@pytest.mark.parametrize(
    ("source", "text", "found"),
    [
        ("^(?:(?:ab){1,30}){40,50}$", "ab" * 40, True),
        ("^(?:(?:ab){1,30}){40,50}$", "ab" * 39, False),
        ("^(?:(?:ab){1,30}){40,50}$", "ab" * 1501, False),
        ("^(?:(?:ab){1,30}){40,}$", "ab" * 3000, True),
        ("^(?:a{500}){3}$", "a" * 1500, True),
        ("^(?:a{500}){3}$", "a" * 1499, False),
        ("^(?:a{600}){0,2}$", "a" * 600, True),
        ("^(?:a{600}){0,2}$", "a" * 700, False),
        ("^(?:(?:a?){2}){1}b{1}c{0,1}$", "aabc", True),
        ("\\B", "aéb", False),
        ("\\B", "aéé", True),
        ("^[\\ud800-\\udfff]?$", "", True),
        ("[\\ud7ff-\\ue000]", "\ue000", True),
        ("\\ud800", "\ud800", False),
        ("[^]", "\n", True),
        ("[]", "a", False),
    ],
)
def test_found(source: str, text: str, found: bool) -> None:
    assert compile_pattern(source).found_in(text) is found


def test_a_search_is_linear() -> None:
    started = time.process_time()
    for source in ("^(a+)+$", "^(a|aa)+$", "^(\\w+\\s?)*$", "(.*a){20}", "^(([a-z])+.)+[A-Z]([a-z])+$"):
        assert not compile_pattern(source).found_in("a" * 15 + "!" + "-" * 100_000)
    assert time.process_time() - started < 5


def test_long_texts_and_large_patterns_cost_more() -> None:
    assert compile_pattern("^[a-z]+$").surcharge("a" * 80) == 0
    assert compile_pattern("^[a-z]+$").surcharge("a" * 2560) == 30
    assert compile_pattern("a{1000}").surcharge("a" * 256) == 1000


def test_a_pattern_that_no_memory_holds_is_refused() -> None:
    wide = "".join(f"\\u{{{code:x}}}" for code in range(0x3000, 0x20000, 3))
    with pytest.raises(PatternRefused) as refused:
        compile_pattern(f"(?:[{wide}]{{100}}){{100}}")
    assert refused.value.code == TOO_LARGE
    with pytest.raises(PatternRefused, match="too large"):
        translate(f"(?:[{wide}][{wide}]{{999}}){{10}}")


def test_ranges() -> None:
    assert union([(5, 6), (1, 2), (3, 3), (6, 9)]) == ((1, 3), (5, 9))
    assert complement(()) == ((0, LAST),)
    assert complement(((0, 4), (6, LAST))) == ((5, 5),)
    assert written(((0xD000, 0xE000),)) == "[\\x{D000}-\\x{D7FF}\\x{E000}]"


def test_re2_is_loaded_by_the_first_search_only() -> None:
    code = (
        "import sys; from extpkg.json_schema import check_schema, compile_schema;"
        "schema = {'pattern': '^a'}; list(check_schema(schema)); compiled = compile_schema(schema);"
        "assert 're2' not in sys.modules and 'jsonschema' not in sys.modules;"
        "assert compiled.accepts('a') and 're2' in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
