"""The strict YAML reader: what it refuses, where, and that it says everything at once (R-DOC-1 to 6)."""

from __future__ import annotations

import re
from typing import Any

import pytest

from extpkg import DocumentInvalid, parse_document
from extpkg.diagnostic import Finding, Part


def faults(text: str | bytes) -> tuple[Finding, ...]:
    data = text if isinstance(text, bytes) else text.encode()
    with pytest.raises(DocumentInvalid) as refused:
        parse_document(data, "a.yaml")
    return refused.value.faults


def places(text: str | bytes) -> list[tuple[str, int, int]]:
    found = []
    for fault in faults(text):
        assert fault.place.path == "a.yaml"
        assert fault.place.position
        found.append((fault.code, fault.place.position.line, fault.place.position.column))
    return found


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("yes", "yes"),
        ("2026-08-01", "2026-08-01"),
        ("0o17", 15),
        ("0777", 777),
        ("-0777", -777),
        ("0x1F", 31),
        ("0b11", "0b11"),
        ("1_000", "1_000"),
        ("-0x1F", "-0x1F"),
        ("1e3", 1000.0),
        (".5", 0.5),
        ("1.", 1.0),
        ("+12", 12),
        ("-0", 0),
        ("~", None),
        ("Null", None),
        ("nULL", "nULL"),
        ("TRUE", True),
        ("tRUE", "tRUE"),
        ("1:30", "1:30"),
        ("3.1.0", "3.1.0"),
        ("'1'", "1"),
        ('"null"', "null"),
        ("|-\n  1\n", "1"),
        ("---", None),
        ("--- # nothing", None),
        ("9007199254740991", 2**53 - 1),
        ("-9007199254740991", -(2**53) + 1),
        ("9007199254740992.0", 2.0**53),
        ("1e308", 1e308),
        ("0000000000000000000000000000007", 7),
        ("0o377777777777777777", 2**53 - 1),
        ("0x1fffffffffffff", 2**53 - 1),
        ("'<<'", "<<"),
        ('"\\U0001F600"', "\U0001f600"),
        ('"\\x41\\u00e9\\n\\/"', "A\u00e9\n/"),
        ("{}", {}),
        ("[]", []),
        ("{a, b: }", {"a": None, "b": None}),
        ("[a: b, c]", [{"a": "b"}, "c"]),
        ('{"a":1}', {"a": 1}),
        ("? a\n: b", {"a": "b"}),
        ("? |-\n  a\n: b", {"a": "b"}),
        ('"a": 1\n\'b\': 2\n"c\\td": 3', {"a": 1, "b": 2, "c\td": 3}),
        ("k:\n- a\n- b", {"k": ["a", "b"]}),
        ("a: b\r\nc: d\re: f\n", {"a": "b", "c": "d", "e": "f"}),
        ("a: |+\n  x\n\nb: >\n  x\n  y\n", {"a": "x\n\n", "b": "x y\n"}),
        ("a: 'x ! & * y'", {"a": "x ! & * y"}),
        ("a: x #y\nb: x#y", {"a": "x", "b": "x#y"}),
        ('a: "#x"\nb: [a, "#b"]', {"a": "#x", "b": ["a", "#b"]}),
        ("a: what? no\nb: [a?b, what?]", {"a": "what? no", "b": ["a?b", "what?"]}),
        ("a: b ,#c\n# [#d", {"a": "b ,#c"}),
        ("'a\n\tb'", "a b"),
        ("a: 1\n...\n", {"a": 1}),
    ],
)
def test_values(text: str, value: Any) -> None:
    assert repr(parse_document(text.encode()).value) == repr(value)


ONE = [
    ("EXT0101", b"a: caf\xe9", 1, 7),
    ("EXT0101", b"\xff\xfea\0", 1, 1),
    ("EXT0101", b"a\0:\0 \x001\0", 1, 1),
    ("EXT0101", b"\0\0\0a", 1, 1),
    ("EXT0103", b"#" * (1 << 20) + b"\n", 1, 1),
    ("EXT0104", b"[" * 65, 1, 65),
    ("EXT0104", b"- " * 65, 1, 129),
    ("EXT0105", b"- a\n" * 100_000, 100_000, 3),
    ("EXT0105", b"[" + b"a," * 100_000 + b"]", 1, 200_000),
    ("EXT0107", b"", 1, 1),
    ("EXT0107", b"# nothing\n\n", 1, 1),
    ("EXT0108", b"a: 1\n---\nb: 1\n", 2, 1),
    ("EXT0108", b"---\n---\n", 2, 1),
    ("EXT0108", b"a: 1\n%YAML 1.2\n---\n", 2, 1),
    ("EXT0109", b"%YAML 1.2\n---\na: 1", 1, 1),
    ("EXT0109", b"# c\n\n%FOO x\n---\na: 1", 3, 1),
    ("EXT0109", b"%YAML 1.3\na: 1", 1, 1),
    ("EXT0110", b"a: &x 1", 1, 4),
    ("EXT0110", b"a: &x\n  b: 1", 1, 4),
    ("EXT0110", b"- &x\n- a", 1, 3),
    ("EXT0110", b"&x a: 1", 1, 1),
    ("EXT0110", "a: &\u03b1 1".encode(), 1, 4),
    ("EXT0111", b"a: *x", 1, 4),
    ("EXT0111", b"*x : 1", 1, 1),
    ("EXT0111", b"[*x]", 1, 2),
    ("EXT0112", b"a: !!str 1", 1, 4),
    ("EXT0112", b"a: ! 1", 1, 4),
    ("EXT0112", b"a: !<tag:yaml.org,2002:str> 1", 1, 4),
    ("EXT0112", b"a: !e!x 1", 1, 4),
    ("EXT0112", b"!!map {a: 1}", 1, 1),
    ("EXT0112", b"!!str 1: a", 1, 1),
    ("EXT0112", b"a: !!float .nan", 1, 4),
    ("EXT0113", b"<<: {}", 1, 1),
    ("EXT0114", b"a: 1\nb: 2\na: 3", 3, 1),
    ("EXT0114", b"a: 1\n'a': 3", 2, 1),
    ("EXT0114", b'{a: 1, b: {c: 1}, "\\x61": 2}', 1, 19),
    ("EXT0115", b"1: a", 1, 1),
    ("EXT0115", b"a:\n  0777: a", 2, 3),
    ("EXT0115", b": a", 1, 1),
    ("EXT0115", b"true: a", 1, 1),
    ("EXT0115", b".nan: a", 1, 1),
    ("EXT0115", b"[a]: b", 1, 1),
    ("EXT0115", b"? {a: 1}\n: b", 1, 3),
    ("EXT0116", b"a: .nan", 1, 4),
    ("EXT0116", b"a: [-.INF]", 1, 5),
    ("EXT0117", b"a: 1e400", 1, 4),
    ("EXT0117", b"a: -1e400", 1, 4),
    ("EXT0118", b"a: 9007199254740992", 1, 4),
    ("EXT0118", b"a: -9007199254740992", 1, 4),
    ("EXT0118", b"a: 0x20000000000000", 1, 4),
    ("EXT0118", b"a: 0o400000000000000000", 1, 4),
    ("EXT0118", b"a: " + b"1" * 5001, 1, 4),
    ("EXT0119", rb'a: "x\ud800"', 1, 6),
    ("EXT0119", rb'a: "\U0000dfff"', 1, 5),
    ("EXT0119", rb'a: "\ud83d\ude00"', 1, 5),
    ("EXT0119", rb'"\udc00": 1', 1, 2),
    ("EXT0120", b"a: x\0y", 1, 5),
    ("EXT0120", rb'a: "x\0"', 1, 6),
    ("EXT0120", rb'a: "\x00"', 1, 5),
    ("EXT0120", rb'"\u0000": 1', 1, 2),
    ("EXT0121", "a: x\x85y".encode(), 1, 5),
    ("EXT0121", "a: 'x\u2028y'".encode(), 1, 6),
    ("EXT0121", "a: 1 # \u2029".encode(), 1, 8),
    ("EXT0122", b"a:\n\t- 1", 2, 1),
    ("EXT0122", b"a:\n  b: 1\n\tc: 2", 3, 1),
    ("EXT0122", b'a: "x\n\ty"', 2, 1),
    ("EXT0122", b"a: [\n\t1]", 2, 1),
    ("EXT0122", b"\t{}", 1, 1),
    ("EXT0122", b"-\t- a", 1, 2),
    ("EXT0123", b"a: {?b: 1}", 1, 5),
    ("EXT0123", b"[a, ?b]", 1, 5),
    ("EXT0125", b"[:x]", 1, 2),
    ("EXT0125", b"{a:,}", 1, 3),
    ("EXT0125", b"a: |\n  \tx", 2, 3),
    ("EXT0125", b"a: |\n  x", 2, 4),
    ("EXT0125", b"|\n#x\n", 1, 1),
    ("EXT0125", b"|-\n...\n", 1, 1),
    ("EXT0125", b"|1\n  x\n", 1, 1),
    ("EXT0127", b"a: \x07", 1, 4),
    ("EXT0127", b"a: 1\n\xef\xbb\xbfb: 2", 2, 1),
    ("EXT0127", b"a: \x7f", 1, 4),
    ("EXT0127", "a: \uffff".encode(), 1, 4),
]


@pytest.mark.parametrize(("code", "text", "line", "column"), ONE)
def test_one_fault_is_one_finding(code: str, text: bytes, line: int, column: int) -> None:
    assert places(text) == [(code, line, column)]


@pytest.mark.parametrize("text", ["? " * 10_000, "{" * 900])
def test_keys_nest_no_deeper_than_values(text: str) -> None:
    assert [code for code, _, _ in places(text)] == ["EXT0115"] * 63 + ["EXT0104"]


@pytest.mark.parametrize("sign", ["[", "{", "- ", "{a: ", "[{a: ", "- - ? "])
def test_a_million_open_collections_are_one_fault(sign: str) -> None:
    text = sign * (1_000_000 // len(sign))
    assert {code for code, _, _ in places(text)} - {"EXT0115"} == {"EXT0104"}


SYNTAX = [
    # Wrong indentation: one finding, at the line that is wrong.
    ("a:\n    b: 1\n  c: 2\n", 3, 3, "indentation"),
    ("a:\n  b: 1\n   c: 2\n", 3, 4, "indented deeper"),
    ("a: 1\n b: 2\n", 2, 2, "indented deeper"),
    ("a: x\n  b: 2\nc: 3\n", 2, 3, "indented deeper"),
    ("a: 'x'\n  b: 2\n", 2, 3, "indentation"),
    ("a:\n  - x\n - y\n", 3, 2, "indentation"),
    ("a:\n  - x\n  y: 1\n", 3, 3, "belongs to no collection"),
    ("a:\n  - x: 1\n   y: 2\n", 3, 4, "belongs to no"),
    ("a:\n  - x: 1\n     y: 2\n", 3, 6, "indented deeper"),
    (" a: 1\nb: 2\n", 2, 1, "ended before"),
    ("- a\nb: 1\n", 2, 1, "belongs to no collection"),
    ("a:\n  b:\n      c: 1\n    d: 2\n  e: 3\n", 4, 5, "indentation"),
    # Everything else.
    ("a: b: c\n", 1, 5, "second"),
    ("a: Foo: bar\nb: 1\n", 1, 7, "second"),
    ("a:1\nb: 2\n", 1, 1, "no "),
    ("key:\n  - a\nvalue\n", 3, 1, "missing after a key"),
    ("a: 'x\n", 1, 4, "not closed"),
    ('a: "x\nb: 1\n', 1, 4, "not closed"),
    ('a: "x" y\n', 1, 8, "ended before"),
    ("a: [1, 2\n", 1, 4, "missing in a flow list"),
    ("a: {b: 1\n", 1, 4, "missing in a flow mapping"),
    ("a: {b: 1}}\n", 1, 10, "closes nothing"),
    ("a: [1]]\n", 1, 7, "closes nothing"),
    ("[1]]\n", 1, 4, "closes nothing"),
    ("a: [1,, 2]\n", 1, 7, "a value is expected"),
    ("a: [1}\n", 1, 6, "missing in a flow list"),
    ("a: ]x\n", 1, 4, "closes nothing"),
    ("a: - x\n", 1, 4, "cannot start here"),
    ("a: ? x\n", 1, 4, "cannot start a key"),
    ("a: @x\n", 1, 4, '"@" cannot start'),
    ("a: `x`\n", 1, 4, "cannot start"),
    ("a: %x\n", 1, 4, '"%" cannot start'),
    ('a: "\\q"\n', 1, 5, "backslash"),
    ('a: "\\xg"\n', 1, 5, "hexadecimal"),
    ('a: "\\U00110000"\n', 1, 5, "names no Unicode"),
    ("a: |x\n  b\n", 1, 5, "may follow"),
    ("a: |0\n  b\n", 1, 5, "1 to 9"),
    ("a: >#c\n  b\n", 1, 5, "needs a space"),
    ('a: "b"#c\n', 1, 7, "needs a space"),
    ("a: [b]#c\n", 1, 7, "needs a space"),
    ("a: [b,#c\n d]\n", 1, 7, "needs a space"),
    ("a: |\n     \n  x\n", 2, 6, "deeper than it"),
    ("[-]\n", 1, 2, "no value"),
    ("a: 1\n... b\n", 2, 5, "ended before"),
    ("a: 'x\n---\n'\n", 2, 1, "document marker"),
    # A quote that is never closed: at the quote, not where the next one closes it.
    ('name: "GitHub\ndescription: "x y"\nversion: 1\n', 1, 7, "ends only lines below"),
    ("name: 'GitHub\ndescription: 'x y'\n", 1, 7, "ends only lines below"),
    ('a: "x\nb: "https://api"\nc: {d: 1}\n', 1, 4, "ends only lines below"),
    ('a: "x\nb: "y: z"\n', 1, 4, "ends only lines below"),
    ('a: "x\nb: "@y"\n', 1, 4, "ends only lines below"),
    ('a: "x\n  b": c\n', 1, 4, "ends only lines below"),
    ("a: 'it''s\nb: it's\n", 1, 4, "ends only lines below"),
    ('a:\n  - "x\n  - "y"\n', 2, 5, "ends only lines below"),
    ('"a: 1\n"b": 2\n', 1, 1, "ends only lines below"),
    ('a: {b: "x,\n  c: "y"}\n', 1, 8, "ends only lines below"),
    ('a: {b: "x\n  y", c: }}\n', 2, 11, "closes nothing"),
    ('a: "x\n  y"\nb: @\n', 3, 4, "cannot start"),
    ('a: "x\n  y"\n   b: 1\n', 3, 4, "indentation"),
    # A "#" that hides what would close a flow collection.
    ("a: {$ref: #/$defs/x}\n", 1, 11, 'hides the closing "}"'),
    ("a: {$ref: #/$defs/x}\nb: {c: 1}\n", 1, 11, 'hides the closing "}"'),
    ("a:\n  b: {$ref: #/x}\n  c: {$ref: '#/x'}\n", 2, 13, 'hides the closing "}"'),
    ("a: [1, #x]\nb: 1\n", 1, 8, 'hides the closing "]"'),
    ("a: [b #x]\n", 1, 7, 'hides the closing "]"'),
    ("a: [1, # see [2]\nb: 1\n", 1, 4, "missing in a flow list"),
    ("a: [1, #x\nb: 1\n", 1, 4, "missing in a flow list"),
    ('a: ["b #c]", d\n', 1, 4, "missing in a flow list"),
    ("a: [1, # b #c]\n", 1, 4, "is not closed"),
]


@pytest.mark.parametrize(("text", "line", "column", "words"), SYNTAX)
def test_a_syntax_error_is_one_finding_in_our_words(text: str, line: int, column: int, words: str) -> None:
    (fault,) = faults(text)
    assert (fault.code, fault.place.position and fault.place.position.line) == ("EXT0106", line), fault
    assert fault.place.position
    assert fault.place.position.column == column
    assert words in fault.message
    assert not re.search(r"expected <|did not find|while (scanning|parsing)|line \d", fault.message)


def test_both_ends_of_a_quoted_text_that_runs_on_are_shown() -> None:
    (fault,) = faults('a: "x\nb: "y"\n')
    (closed,) = fault.related
    assert closed.position
    assert (closed.position.line, closed.position.column, closed.label) == (2, 4, "closed here")


@pytest.mark.parametrize(
    ("text", "help_"),
    [
        ("a: {$ref: #/$defs/x}", 'put the value in quotes: "#/$defs/x"'),
        ("a: [b, #c, d]", 'put the value in quotes: "#c"'),
        ("a: {b: c #d}", "put the value in quotes"),
    ],
)
def test_a_value_that_is_a_comment_is_to_be_quoted(text: str, help_: str) -> None:
    (fault,) = faults(text)
    assert fault.help == help_


def test_lines_that_tabs_indent_are_one_fault() -> None:
    (fault,) = faults('{\n\t"a": 1,\n\t"b": {\n\t\t"c": "x\ty"\n\t}\n}\n')
    assert fault.place.position
    assert (fault.code, fault.place.position.line, fault.place.position.column) == ("EXT0122", 2, 1)
    assert fault.message == "a line is indented by a tab, and 3 more lines"


def test_every_fault_is_said_in_the_order_of_the_text() -> None:
    """All faults in one run, the syntax error that ends it included."""
    text = (
        'a: &x !!str .nan\nb: [.nan, *x, 1e400]\na: {c: 9007199254740992, c: "\\0"}\n<<: 1\n1: \x07\nd: [\n'
    )
    assert places(text) == [
        ("EXT0110", 1, 4),
        ("EXT0112", 1, 7),
        ("EXT0116", 2, 5),
        ("EXT0111", 2, 11),
        ("EXT0117", 2, 15),
        ("EXT0114", 3, 1),
        ("EXT0118", 3, 8),
        ("EXT0114", 3, 26),
        ("EXT0120", 3, 30),
        ("EXT0113", 4, 1),
        ("EXT0115", 5, 1),
        ("EXT0127", 5, 4),
        ("EXT0106", 6, 4),
    ]


def test_reading_goes_on_after_half_a_surrogate_pair() -> None:
    text = 'a: "\\ud800 \\ud83d\\ude00"\nb: \'\\ud800\'\nc: "\\\\ud800"\nd: .nan\ne: "\\udc00"\nf: @\n'
    assert places(text) == [
        ("EXT0119", 1, 5),
        ("EXT0119", 1, 12),
        ("EXT0116", 4, 4),
        ("EXT0119", 5, 5),
        ("EXT0106", 6, 4),
    ]


def test_an_escape_beyond_unicode_among_halves() -> None:
    assert ("EXT0106", 2, 5) in places('a: "\\ud800"\nb: "\\U00110000"\n')


def test_a_character_that_was_refused_makes_no_duplicate_key() -> None:
    assert [code for code, _, _ in places('a\0: 1\na\x01: 2\n"\\ud800": 1\n"\\ud801": 2\n')] == [
        "EXT0120",
        "EXT0127",
        "EXT0119",
        "EXT0119",
    ]


def test_pointers_of_faults() -> None:
    text = "a:\n  - b~/: &x 1\n    c: .nan\n    c: 1\n? [*x]\n: 1\n"
    assert [(f.code, f.place.pointer, f.place.part) for f in faults(text)] == [
        ("EXT0110", "/a/0/b~0~1", Part.VALUE),
        ("EXT0116", "/a/0/c", Part.VALUE),
        ("EXT0114", "/a/0/c", Part.KEY),
        ("EXT0115", "", Part.VALUE),
        ("EXT0111", "/?/0", Part.VALUE),
    ]


@pytest.mark.parametrize(
    ("text", "first"),
    [
        ("a: 1\nb:\n  a: 2\na: 3\n", (1, 1)),
        ("x: {k: {a: 1}, a: 1, a: 2}\n", (1, 16)),
        ("- a: 1\n- b: 2\n  b: 3\n", (2, 3)),
        ("a: [a, {a: 1}]\na: 2\nc: @\n", (1, 1)),
    ],
)
def test_a_duplicate_shows_the_first_key(text: str, first: tuple[int, int]) -> None:
    fault = faults(text)[0]
    (related,) = fault.related
    assert fault.code == "EXT0114"
    assert related.part is Part.KEY
    assert related.position
    assert (related.position.line, related.position.column) == first


def test_an_open_flow_collection_shows_where_it_opens() -> None:
    (fault,) = faults("a: [1, 2\nb: 3\n")
    assert fault.place.position
    assert fault.place.position.line == 2
    assert [(p.position and p.position.line, p.label) for p in fault.related] == [(1, "opened here")]


def test_a_hostile_text_yields_a_thousand_findings_at_most() -> None:
    assert len(faults("- *a\n" * 100_000)) == 1000
    assert len(faults("\0" * 100_000)) == 1000
    assert len(parse_document(b"- no\n" * 5000).notes) == 1000


def test_a_byte_order_mark_is_a_note() -> None:
    document = parse_document(b"\xef\xbb\xbfa: 1\n", "a.yaml")
    (note,) = document.notes
    assert document.value == {"a": 1}
    assert note.code == "EXT0102"
    assert note.place.position
    assert (note.place.position.line, note.place.position.column) == (1, 1)
    assert document.position("/a").column == 4


def test_values_up_to_the_bound() -> None:
    """Keys are not counted, collections are."""
    assert len(parse_document(b"[" + b"a," * 99_999 + b"]").value) == 99_999
    text = "".join(f"k{i}: {{}}\n" for i in range(50_000))
    assert len(parse_document(text.encode()).value) == 50_000
    inner = b"- {a: 1, b: [x]}\n"
    assert len(parse_document(inner * 24_999).value) == 24_999
    assert places(inner * 25_000)[0][0] == "EXT0105"


def test_depth_up_to_the_bound() -> None:
    assert parse_document(b"[" * 64 + b"]" * 64).value
    assert parse_document(b"{a: " * 64 + b"1" + b"}" * 64).value


def test_bytes_up_to_the_bound() -> None:
    assert parse_document(b"a: " + b"x" * ((1 << 20) - 3)).value
    with pytest.raises(DocumentInvalid):
        parse_document(b"a: " + b"x" * ((1 << 20) - 2))


@pytest.mark.parametrize(
    ("text", "message", "label", "span"),
    [
        ("a:\n   - x\n  - y\n", "list entry", "an entry of the list above", (2, 4, 2, 7)),
        ("a:\n - - x\n  -\n", "list entry", "an entry of the list above", (2, 2, 2, 7)),
        ("x:\n  a: 1\n\n   # c\n   b: 2\n", "no mapping", "the mapping above begins here", (2, 3, 2, 4)),
        ("x:\n  a: 1\n   b: 2\n", "indented deeper", "the entry that it should follow", (2, 3, 2, 7)),
        ("x:\n  a: b\n    c\n   d: 2\n", "indented deeper", "the entry that it should follow", (2, 3, 2, 7)),
    ],
)
def test_a_line_out_of_line_shows_what_it_belongs_to(
    text: str, message: str, label: str, span: tuple[int, ...]
) -> None:
    with pytest.raises(DocumentInvalid) as refused:
        parse_document(text.encode())
    (fault,) = refused.value.faults
    (above,) = fault.related
    assert message in fault.message
    assert above.label == label
    at = above.position
    assert at is not None
    assert (at.line, at.column, at.end_line, at.end_column) == span
