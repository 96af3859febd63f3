"""12xx: what a Package is authored from. The samples stand in an OpenAPI document, not in a package."""

from __future__ import annotations

from extpkg.check.rules.rule import Rule, Sample
from extpkg.diagnostic import Severity

RULES: tuple[Rule, ...] = (
    Rule(
        code="EXT1201",
        name="source-not-openapi",
        severity=Severity.ERROR,
        since="0.2",
        section="001 section 4.1",
        summary="a source that is no OpenAPI document of a version that is read",
        why="What the members of a document mean depends on the version that it says.",
        fix='write "openapi: 3.0.x", "openapi: 3.1.x" or "swagger: \'2.0\'" at the root of the document',
        sample=Sample(good="openapi: 3.1.0", bad="openapi: 4.0.0", file="openapi.yaml", line=1, column=10),
    ),
)
