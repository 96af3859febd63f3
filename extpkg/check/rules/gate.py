"""13xx: what the release gate asks beyond a valid package (seed 001 section 4.3).

A sample is the published package (`good`) and the one that is refused (`bad`), or what a configuration asks.
"""

from __future__ import annotations

from extpkg.check.rules.rule import Rule, Sample
from extpkg.diagnostic import Severity

RULES: tuple[Rule, ...] = (
    Rule(
        code="EXT1301",
        name="version-not-due",
        severity=Severity.ERROR,
        since="0.2",
        section="seed 001, section 4.3",
        summary="a version that is not the one that is due after the last published one",
        why="A version names one Definition for ever: a changed one needs the next, an equal one stays.",
        fix="write the version that the message names, then run extpkg digest --write",
        sample=Sample(
            good="    maxLength: 256",
            bad="    maxLength: 100",
            file="meta.yaml",
            line=4,
            column=10,
        ),
        compares=True,
    ),
    Rule(
        code="EXT1302",
        name="cases-refuse",
        severity=Severity.ERROR,
        since="0.2",
        section="R-FIX-2",
        summary="cases that fail, or that leave more untried than the policy allows",
        why="What no case shows to work may not work for the Agents that call it.",
        fix="run extpkg test --coverage, and write the cases that it names",
        sample=Sample(good="coverage = 0", bad="coverage = 100", file="extpkg.toml", line=0, column=0),
        compares=True,
    ),
    Rule(
        code="EXT1303",
        name="form-required",
        severity=Severity.ERROR,
        since="0.2",
        section="seed 001, section 4.3",
        summary="a file that is not in the one form, where the policy asks for it",
        why="Files in one form show in a review what changed and nothing else.",
        fix="run extpkg fmt",
        sample=Sample(
            good="require-fmt = false", bad="require-fmt = true", file="extpkg.toml", line=0, column=0
        ),
        compares=True,
    ),
    Rule(
        code="EXT1304",
        name="not-storable",
        severity=Severity.ERROR,
        since="0.2",
        section="R-PKG-3",
        summary="a package that no library can hold: a name that not every system has, or too many bytes",
        why="What is published is got by others, on other systems, with every file under its own name.",
        fix="rename the file, or leave out what is large",
        sample=Sample(
            good="source/openapi.json",
            bad="source/openapi:json",
            file="source/openapi:json",
            line=0,
            column=0,
        ),
        compares=True,
    ),
)
