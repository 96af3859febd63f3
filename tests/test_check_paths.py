"""The grammar of path templates (R-BIND-2), as a table."""

from __future__ import annotations

import pytest

from extpkg.binding.template import path_faults, placeholders

GOOD = (
    "/",
    "/a",
    "/a/",
    "/a/b.c/~d_e-f",
    "/{a}",
    "/{a}.json",
    "/{a}{b}/{c.d~e-f_g}",
    "/.a/..b/c../...",
    "/.{a}/{a}..",
    "/a!$&'()*+,;=:@b",
    "/%20",
    "/%C3%A9",
    "/%7Bx%7D",
    "/%25",
    "/%FF",
)

BAD = (
    ("", ["09"]),
    ("a", ["09"]),
    ("{a}", ["09"]),
    ("https://x.example/", ["09"]),
    ("/a?b", ["09"]),
    ("/a#", ["09"]),
    ("/a b", ["09"]),
    ("/é", ["09"]),
    ("/\\", ["09"]),
    ("/a\n", ["09"]),
    ("/\x00", ["09"]),
    ("/[a]", ["09"]),
    ('/"', ["09"]),
    ("/{a", ["09"]),
    ("/a}", ["09"]),
    ("/{{a}}", ["09"]),
    ("/{a}}", ["09"]),
    ("//", ["10"]),
    ("//a", ["10"]),
    ("/a//b", ["10"]),
    ("/a//", ["10"]),
    ("/.", ["10"]),
    ("/..", ["10"]),
    ("/a/./b", ["10"]),
    ("/a/../b", ["10"]),
    ("/%", ["11"]),
    ("/%2", ["11"]),
    ("/%zz", ["11"]),
    ("/%c3%a9", ["11"]),
    ("/%2f", ["11"]),
    ("/%2F", ["11"]),
    ("/%5C", ["11"]),
    ("/%2E%2E", ["11"]),
    ("/%41", ["11"]),
    ("/%7E", ["11"]),
    ("/%00", ["11"]),
    ("/%0A", ["11"]),
    ("/%7F", ["11"]),
    ("/{}", ["12"]),
    ("/{a*}", ["12"]),
    ("/{+a}", ["12"]),
    ("/{a b}", ["12"]),
    ("/{a/b}", ["12"]),
    ("/{é}", ["12"]),
    ("/{a\n}", ["12"]),
    ("/{a}/./%41?x", ["11", "09", "10"]),
)


@pytest.mark.parametrize("path", GOOD)
def test_good_paths(path: str) -> None:
    assert list(path_faults(path)) == []


@pytest.mark.parametrize(("path", "expected"), BAD)
def test_bad_paths(path: str, expected: list[str]) -> None:
    """P085."""
    assert [fault.code[-2:] for fault in path_faults(path)] == expected


def test_placeholders_in_order() -> None:
    assert placeholders("/a/{b}{c}/{b}") == ["b", "c", "b"]
