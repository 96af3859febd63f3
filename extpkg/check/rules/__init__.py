"""The rule catalogue: every code that a finding may carry, once, in order."""

from __future__ import annotations

from functools import cache

from extpkg.check.rules import (
    authoring,
    bindings,
    changes,
    document,
    fixtures,
    gate,
    layout,
    metadata,
    publication,
    responses,
    safety,
    schemas,
    text,
)
from extpkg.check.rules.rule import Rule, Sample

__all__ = ["RULES", "Rule", "Sample", "rule", "rule_named"]

RULES: tuple[Rule, ...] = tuple(
    sorted(
        (
            row
            for module in (
                authoring,
                document,
                fixtures,
                gate,
                layout,
                metadata,
                bindings,
                changes,
                schemas,
                publication,
                safety,
                responses,
                text,
            )
            for row in module.RULES
        ),
        key=lambda row: row.code,
    )
)


@cache
def _by_code() -> dict[str, Rule]:
    return {row.code: row for row in RULES}


def rule(code: str) -> Rule:
    """Return the rule of a code. Raises KeyError for a code that does not exist."""
    return _by_code()[code]


def rule_named(text: str) -> Rule | None:
    """Return the rule that a person means by a code in any case (`ext0421`) or by its name, or None."""
    wanted = text.strip()
    return _by_code().get(wanted.upper()) or next((row for row in RULES if row.name == wanted.lower()), None)
