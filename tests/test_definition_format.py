"""The deterministic form, example by example: comments, blank lines, styles, field order."""

# ruff: noqa: E501 - a text and its form stand on one line each

from __future__ import annotations

from textwrap import dedent

import pytest
from corpus import ROOT

from extpkg.definition.format import format_document, refuse_change
from extpkg.definition.order import Kind
from extpkg.errors import DocumentInvalid, ExtpkgError


def formatted(text: str, kind: Kind = Kind.ACTION) -> str:
    once = format_document(dedent(text).encode(), kind)
    assert format_document(once, kind) == once
    return once.decode()


CASES = {
    "fields in order, unknown ones behind them": (
        "zzz: 1\nbinding:\n  path: /a\n  method: GET\nname: a\naaa: 2\n",
        "name: a\n\nbinding:\n  method: GET\n  path: /a\nzzz: 1\naaa: 2\n",
    ),
    "schemas keep the author's order": (
        "catalog:\n  input_schema:\n    type: object\n    $schema: x\n    required: [b, a]\n",
        "catalog:\n  input_schema:\n    type: object\n    $schema: x\n    required: [b, a]\n",
    ),
    "comments go with their fields": (
        "# head\n\n# catalog\ncatalog: # beside\n  # class\n  description: x # text\n  summary: y\n# name\nname: a\n# foot\n",
        "# head\n\n# catalog\n# name\nname: a\n\ncatalog: # beside\n  summary: y\n  # class\n  description: x # text\n# foot\n",
    ),
    "comments that close a collection": (
        "name: a\ncatalog:\n  example:\n    a: 1\n    # end of example\n  # end of catalog\n# end of file",
        "name: a\n\ncatalog:\n  example:\n    a: 1\n    # end of example\n  # end of catalog\n# end of file\n",
    ),
    "comments in flow collections make them blocks": (
        "auth: { # open\n  required_scopes: [a, # first\n    b # second\n    # last\n  ], profile: p # name\n} # close\n",
        "# open\nauth: # close\n  profile: p # name\n  required_scopes:\n    - a # first\n    - b # second\n    # last\n",
    ),
    "comments in empty flow collections": (
        "name: [ # open\n  # inside\n]\nauth: {\n  # alone\n}\ncatalog: []\n",
        "# open\nname: [] # inside\nauth: {} # alone\n\ncatalog: []\n",
    ),
    "comments in a flow root": (
        "{ # head\n  name: a, # name\n  # own\n  auth: [1, 2]\n  # last\n} # foot\n",
        "# head\nname: a # name\n# own\nauth: [1, 2] # foot\n# last\n",
    ),
    "comments of sequences": (
        "name:\n# before\n- a # one\n\n# between\n- b: 1 # two\n  # inside\n  c: 2\n# behind\nauth: 1\n",
        "name:\n  # before\n  - a # one\n\n  # between\n  - b: 1 # two\n    # inside\n    c: 2\n# behind\nauth: 1\n",
    ),
    "comments on a block scalar's header": (
        "catalog:\n  description: | # text\n    a # no comment\n\n    b\n  # next\n  summary: x\n",
        "catalog:\n  # next\n  summary: x\n  description: | # text\n    a # no comment\n\n    b\n",
    ),
    "a comment between a dash and its mapping": (
        "name:\n  - # dash\n    # own\n    a: 1 # beside\n",
        "name:\n  # dash\n  # own\n  - a: 1 # beside\n",
    ),
    "a comment between a key and its value": (
        "name: # one\n  # two\n  a\nauth:\n  # three\n  - b\n",
        "# two\nname: a # one\nauth:\n  # three\n  - b\n",
    ),
    "short flow collections of scalars stay, others are opened": (
        "name: {a: 1, b: [1]}\nauth: {a: 1,\n  b: two}\ncatalog: [[1, 2], []]\nbinding: [" + ", ".join(["x" * 30] * 4) + "]\n",
        "name:\n  a: 1\n  b: [1]\nauth: {a: 1, b: two}\n\ncatalog:\n  - [1, 2]\n  - []\n\nbinding:\n"
        + ("  - " + "x" * 30 + "\n") * 4,
    ),
    "strings are quoted where they must be": (
        "name: ['yes', \"a\", '1.0', 'a: b', '', ' a', '2026-08']\nauth: [\"a\\nb\", '#a', 'x#y', \"it's\", '- a', '-a', \"\\x01\", 'é']\n",
        'name: ["yes", a, "1.0", "a: b", "", " a", "2026-08"]\nauth: ["a\\nb", "#a", "x#y", it\'s, "- a", -a, "\\x01", é]\n',
    ),
    "numbers that readers part on": (
        "name: [0777, 0o17, 1e3, 1.5e3, +.5, 1_000, 0x1F, 1.50, -0, 1e30]\n",
        'name: [777, 15, 1000.0, 1500.0, 0.5, "1_000", 0x1F, 1.50, -0, 1.0e+30]\n',
    ),
    "null and booleans": ("name: [~, NULL, True, FALSE]\nauth:\n", "name: [null, null, true, false]\nauth: null\n"),
    "line ends, mark, markers, trailing space": (
        "\ufeff---\r\nname: a   \r\nauth: null\t# x  \r\n...\r\n",
        "name: a\nauth: null # x\n",
    ),
    "blank lines": (
        "\n\nname: a\n\n\nauth: null\ncatalog:\n\n  summary: x\n\n\n  input_schema:\n\n    type: object\n\n\n    title: b\n",
        "name: a\nauth: null\n\ncatalog:\n  summary: x\n\n  input_schema:\n    type: object\n\n    title: b\n",
    ),
    "literal and folded text": (
        'name: |+\n  a\n\nauth: >\n  one\n  two\n\n  three\ncatalog: "a\\nb"\nbinding: >-\n  ' + "word\n  " * 30 + "end\n",
        'name: "a\\n\\n"\nauth: >\n  one two\n\n  three\n\ncatalog: |-\n  a\n  b\n\nbinding: >-\n  '
        + " ".join(["word"] * 19) + "\n  " + " ".join(["word"] * 11) + " end\n",
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", CASES)
def test_form(case: str) -> None:
    before, after = CASES[case]
    assert formatted(before) == after


def test_meta_fields() -> None:
    before = "actions: [{file: f, name: n}]\nsource: {url: u, type: openapi}\ndomain: d\nschema_version: 1\nversion: 1\n"
    after = "schema_version: 1\n\ndomain: d\nversion: 1\n\nsource: {type: openapi, url: u}\n\nactions:\n  - {name: n, file: f}\n"
    assert formatted(before, Kind.META) == after


@pytest.mark.parametrize("file", ["meta.yaml", "actions/create-issue.yaml", "actions/get-issue.yaml"])
def test_the_seeds_sample_is_in_form(file: str) -> None:
    data = (ROOT / "golden" / "valid" / "github" / file).read_bytes()
    assert format_document(data, Kind.META if file == "meta.yaml" else Kind.ACTION) == data


@pytest.mark.parametrize(
    "package", sorted((ROOT / "golden" / "digest").glob("*/package")), ids=lambda path: path.parent.name
)
def test_goldens_take_the_form(package: object) -> None:
    for path in sorted(type(ROOT)(str(package)).rglob("*.yaml")):
        if path.parent.name != "source":
            kind = Kind.META if path.name == "meta.yaml" else Kind.ACTION
            once = format_document(path.read_bytes(), kind)
            assert format_document(once, kind) == once


def test_refusals() -> None:
    with pytest.raises(DocumentInvalid):
        format_document(b"a: &x 1\n", Kind.META)
    with pytest.raises(ExtpkgError, match="not a mapping"):
        format_document(b"- a\n", Kind.META)


def test_a_form_that_lost_something_would_be_refused() -> None:
    refuse_change("a: 1 # b\n", {"a": 1}, ["# b"])
    with pytest.raises(ExtpkgError, match="change the value"):
        refuse_change("a: 1\n", {"a": True}, [])
    with pytest.raises(ExtpkgError, match="lose a comment"):
        refuse_change("a: 1 # b\n", {"a": 1}, ["# b", "# b"])
