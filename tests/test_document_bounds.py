"""Hostile texts: each is read or refused in time that grows with its size (R-DOC-1)."""

from __future__ import annotations

import time
from contextlib import suppress

import pytest

from extpkg import DocumentInvalid, parse_document, parse_json

SIZE = 1 << 18
YAML = {
    "[": "[",
    "{a: ": "{a: ",
    "- ": "- ",
    "? ": "? ",
    "plain": "x",
    "spaces": " ",
    "breaks": "\n",
    "returns": "\r",
    "tabs": "\t\n",
    "comments": "#\n",
    "comments after": "a #x\n",
    "list": "- a\n",
    "pairs in a list": "- a: b\n",
    "duplicates": "a: 1\n",
    "anchors": "- &a b\n",
    "aliases": "- *a\n",
    "tags": "- !t b\n",
    "ambiguous": "- no\n",
    "nul": "\0",
    "directives": "%a\n",
    "block scalars": "- |\n\n a\n",
    "headers": "- |\n",
    "surrogates": '- "\\ud800"\n',
    "glued comments": '- "a"#\n',
    "glued in flow": "- [a,#\n b]\n",
    "questions": "- [?a]\n",
    "quoted questions": '- "?a"\n',
    "lines of plain": "a\n",
    "colons": ": ",
    "documents": "---\na\n",
    "empty flow": "- []\n",
    "quotes": "'",
    "double quotes": '"',
    "backslashes": '"\\',
    "bad bytes": "\udcff",
    "tabbed quotes": '- "a\n\tb"\n',
}
LONG = {
    "key": "{}: 1",
    "quoted key": '"{}": 1',
    "flow key": "{{{}: 1}}",
    "digits": "a: {:1<1}",
    "literal": "a: |\n {}",
    "tag": "!{} a",
    "anchor": "&{} a",
    "comment": "a: 1 #{}",
    "alias": "*{}",
}


def seconds(data: bytes) -> float:
    started = time.process_time()
    for read in (parse_document, parse_json):
        with suppress(DocumentInvalid):
            read(data)
    return time.process_time() - started


@pytest.mark.parametrize("unit", YAML.values(), ids=YAML.keys())
def test_repeated(unit: str) -> None:
    data = (unit * (SIZE // len(unit))).encode("utf-8", "surrogateescape")
    assert seconds(data) < 5


@pytest.mark.parametrize("form", LONG.values(), ids=LONG.keys())
def test_long(form: str) -> None:
    assert seconds(form.format("1" * (SIZE - 20)).encode()) < 5


@pytest.mark.parametrize("unit", ["1", "[", '"a",', "NaN,", "\\u0061", '{"a":', " ", '"', "true,", "-"])
def test_json(unit: str) -> None:
    text = unit * (SIZE // len(unit) - 1)
    assert max(seconds(text.encode()), seconds(f"[{text}".encode()), seconds(f'"{text}"'.encode())) < 5


MIXED = {
    "hashes, then questions": "[" + '" #",' * 49_000 + " ?a," * 900 + "]",
    "candidates in a comment": "a: 1 # \U0001f600" + "[#" * 120_000,
}


@pytest.mark.parametrize("text", MIXED.values(), ids=MIXED.keys())
def test_one_long_line(text: str) -> None:
    assert seconds(text.encode()) < 5
