"""03xx: fields and types of all files, meta.yaml, and what the kind of a package asks (R-META, R-PKG-6)."""

from __future__ import annotations

from typing import Final

from extpkg.check.rules.rule import Rule, Sample
from extpkg.diagnostic import Severity

_BINDING: Final = """\
binding:
  method: GET
  path: /repos/{owner}/{repo}/issues/{number}

  static_headers:
    Accept: application/vnd.github+json

  parameters:
    - {from: /owner, in: path, name: owner}
    - {from: /repo, in: path, name: repo}
    - {from: /number, in: path, name: number}

  response:
    mode: passthrough
    success_statuses: [200]
    content_types: [application/json]
    max_bytes: 65536
"""
_ACTIONS: Final = """\
actions:
  - name: create-issue
    file: actions/create-issue.yaml
  - name: get-issue
    file: actions/get-issue.yaml
  - name: list-issues
    file: actions/list-issues.yaml
"""

RULES: tuple[Rule, ...] = (
    Rule(
        code="EXT0301",
        name="unknown-field",
        severity=Severity.ERROR,
        since="0.1",
        section="R-DOC-7",
        summary="a field that is not known where it stands",
        why=(
            "A field that is silently ignored is a typing error that nobody sees, or a promise that "
            "nobody keeps."
        ),
        fix="correct its spelling or remove it",
        sample=Sample(
            good="description: GitHub REST", bad="descripton: GitHub REST", file="meta.yaml", line=7, column=1
        ),
    ),
    Rule(
        code="EXT0302",
        name="missing-field",
        severity=Severity.ERROR,
        since="0.1",
        section="R-META, R-ACT",
        summary="a required field that is missing",
        why="Nothing is guessed: what a package means stands in its files.",
        fix="add the field",
        sample=Sample(
            good="domain: github\nversion: 1\n", bad="domain: github\n", file="meta.yaml", line=1, column=1
        ),
    ),
    Rule(
        code="EXT0303",
        name="wrong-type",
        severity=Severity.ERROR,
        since="0.1",
        section="R-META, R-ACT",
        summary="a value of the wrong type",
        why="A value of another type would have to be converted, and readers convert differently.",
        fix="write a value of the type that is named",
        sample=Sample(
            good="idempotent: true",
            bad='idempotent: "true"',
            file="actions/get-issue.yaml",
            line=13,
            column=17,
        ),
    ),
    Rule(
        code="EXT0304",
        name="invalid-value",
        severity=Severity.ERROR,
        since="0.1",
        section="R-META, R-ACT",
        summary="a value that is none of those allowed",
        why="The choice is closed: any other value has no meaning.",
        fix="write one of the allowed values",
        sample=Sample(
            good="class: read", bad="class: reading", file="actions/get-issue.yaml", line=12, column=12
        ),
    ),
    Rule(
        code="EXT0305",
        name="schema-version",
        severity=Severity.ERROR,
        since="0.1",
        section="R-META-1",
        summary="a `schema_version` that is not the integer 1",
        why="The file format has one version so far; a file of another version means something unknown.",
        fix="write schema_version: 1",
        sample=Sample(good="schema_version: 1", bad="schema_version: 2", file="meta.yaml", line=1, column=17),
    ),
    Rule(
        code="EXT0306",
        name="version",
        severity=Severity.ERROR,
        since="0.1",
        section="R-META-1",
        summary="a `version` that is not an integer from 1 to 2147483647",
        why=(
            "The product version is hashed and compared as an integer; `1.0` is a number that happens to "
            "be whole."
        ),
        fix="write an integer, without a fraction or quotes",
        sample=Sample(
            good="domain: github\nversion: 1\n",
            bad="domain: github\nversion: 1.0\n",
            file="meta.yaml",
            line=5,
            column=10,
        ),
    ),
    Rule(
        code="EXT0307",
        name="domain-name",
        severity=Severity.ERROR,
        since="0.1",
        section="R-META-2",
        summary="a domain that is not lower-case kebab-case of at most 128 characters",
        why="The domain is a word of commands and addresses; one spelling keeps it the same everywhere.",
        fix="write lower-case letters and digits in parts joined by single hyphens, a letter first",
        sample=Sample(good="domain: github", bad="domain: GitHub", file="meta.yaml", line=4, column=9),
    ),
    Rule(
        code="EXT0308",
        name="action-name",
        severity=Severity.ERROR,
        since="0.1",
        section="R-META-2",
        summary="an action name that is not lower-case kebab-case of at most 128 characters",
        why="The name is a word of commands and a file name; one spelling keeps it the same everywhere.",
        fix="write lower-case letters and digits in parts joined by single hyphens, a letter first",
        sample=Sample(
            good="  - name: get-issue", bad="  - name: Get-Issue", file="meta.yaml", line=28, column=11
        ),
    ),
    Rule(
        code="EXT0309",
        name="long-name",
        severity=Severity.WARNING,
        since="0.1",
        section="R-META-2",
        summary="a domain or action name of more than 64 characters",
        why="Long names are cut in lists and cost tokens in every prompt.",
        fix="shorten the name to 64 characters or fewer",
        sample=Sample(
            good="domain: github", bad="domain: github" + "-github" * 9, file="meta.yaml", line=4, column=9
        ),
    ),
    Rule(
        code="EXT0310",
        name="reserved-domain",
        severity=Severity.ERROR,
        since="0.1",
        section="R-META-2",
        summary="a domain that is reserved",
        why="Reserved domains are commands of their own; a package must not shadow one.",
        fix="choose another domain",
        sample=Sample(good="domain: github", bad="domain: web-search", file="meta.yaml", line=4, column=9),
    ),
    Rule(
        code="EXT0311",
        name="display-name",
        severity=Severity.ERROR,
        since="0.1",
        section="R-META-3",
        summary="a `name` that is not one line of 1 to 80 characters",
        why="The name stands in lists and headings.",
        fix="write one line of 1 to 80 characters",
        sample=Sample(good="\nname: GitHub", bad='\nname: ""', file="meta.yaml", line=6, column=7),
    ),
    Rule(
        code="EXT0312",
        name="package-description",
        severity=Severity.ERROR,
        since="0.1",
        section="R-META-3",
        summary="a package `description` that is not one line of 1 to 1024 characters",
        why="The description stands in lists, and an Agent chooses by it.",
        fix="write one line of 1 to 1024 characters",
        sample=Sample(
            good="description: GitHub REST actions curated for AgentTeam Agents.",
            bad='description: "GitHub REST actions\\ncurated for AgentTeam Agents."',
            file="meta.yaml",
            line=7,
            column=14,
        ),
    ),
    Rule(
        code="EXT0313",
        name="source-location",
        severity=Severity.ERROR,
        since="0.1",
        section="R-META-4",
        summary="a `source` without exactly one of `path` and `url`",
        why="With both, or with neither, nobody knows which document `sha256` belongs to.",
        fix="write exactly one of path and url",
        sample=Sample(
            good="  path: source/openapi.yaml",
            bad="  path: source/openapi.yaml\n  url: https://example.com/openapi.yaml",
            file="meta.yaml",
            line=12,
            column=3,
        ),
    ),
    Rule(
        code="EXT0314",
        name="source-path",
        severity=Severity.ERROR,
        since="0.1",
        section="R-META-4",
        summary="a source path that does not lead to a file below source/",
        why="Provenance that leaves the package cannot be reviewed with it.",
        fix="write source/ and a plain relative path",
        sample=Sample(
            good="  path: source/openapi.yaml",
            bad="  path: ../openapi.yaml",
            file="meta.yaml",
            line=11,
            column=9,
        ),
    ),
    Rule(
        code="EXT0315",
        name="source-url",
        severity=Severity.ERROR,
        since="0.1",
        section="R-META-4",
        summary="a source address that is not HTTPS, or that holds credentials",
        why="The address is shown to people; it must be safe to open and hold no secret.",
        fix="write an https:// URL without user name and password",
        sample=Sample(
            good="  url: https://example.com/openapi.yaml",
            bad="  url: http://example.com/openapi.yaml",
            file="meta.yaml",
            line=11,
            column=8,
            anchor="  path: source/openapi.yaml",
        ),
    ),
    Rule(
        code="EXT0316",
        name="source-sha256",
        severity=Severity.ERROR,
        since="0.1",
        section="R-META-4",
        summary="a source `sha256` that is not 64 lower-case hexadecimal digits",
        why="Digests are compared as text, so there is one spelling.",
        fix="write the output of `sha256sum`, in lower case",
        sample=Sample(
            good="  sha256: b2bf996b", bad="  sha256: B2BF996B", file="meta.yaml", line=14, column=11
        ),
    ),
    Rule(
        code="EXT0317",
        name="source-missing",
        severity=Severity.WARNING,
        since="0.1",
        section="R-META-4",
        summary="a source file that the package does not hold",
        why="Without the document nobody can review the package against it.",
        fix="add the file, or remove source",
        sample=Sample(
            good="  path: source/openapi.yaml",
            bad="  path: source/openapi.json",
            file="meta.yaml",
            line=11,
            column=9,
        ),
    ),
    Rule(
        code="EXT0318",
        name="source-differs",
        severity=Severity.WARNING,
        since="0.1",
        section="R-META-4",
        summary="a source file that is not the one `sha256` was taken of, or that is over 64 MiB",
        why="The package may have been written from another document than the one that lies beside it.",
        fix="review the package against the file, then write the file's SHA-256",
        sample=Sample(
            good="  sha256: b2bf996b", bad="  sha256: c2bf996b", file="meta.yaml", line=14, column=11
        ),
    ),
    Rule(
        code="EXT0319",
        name="base-url",
        severity=Severity.ERROR,
        since="0.1",
        section="R-META-5",
        summary="a base URL that is not an absolute HTTPS URL in its one plain spelling",
        why=(
            "URL parsers disagree about everything unusual, and then what was reviewed is not what is called."
        ),
        fix=(
            "write https://, a lower-case DNS name of two or more labels, an optional port and plain path "
            "segments"
        ),
        sample=Sample(
            good="base_url: https://api.github.com",
            bad="base_url: http://api.github.com",
            file="meta.yaml",
            line=17,
            column=13,
        ),
    ),
    Rule(
        code="EXT0320",
        name="reserved-host",
        severity=Severity.ERROR,
        since="0.1",
        section="R-META-5",
        summary="a base URL whose host is an IP address or a name that is never public",
        why="A package must not reach into the network that it runs in.",
        fix="write the public DNS name of the service",
        sample=Sample(
            good="base_url: https://api.github.com",
            bad="base_url: https://github.internal",
            file="meta.yaml",
            line=17,
            column=13,
        ),
    ),
    Rule(
        code="EXT0321",
        name="endpoint-missing",
        severity=Severity.ERROR,
        since="0.1",
        section="R-PKG-6",
        summary="an External package without `endpoint`",
        why="An External action is one HTTP request, and the endpoint says where it goes.",
        fix="add endpoint with base_url",
        sample=Sample(
            good="endpoint:\n  base_url: https://api.github.com\n", bad="", file="meta.yaml", line=1, column=1
        ),
    ),
    Rule(
        code="EXT0322",
        name="binding-missing",
        severity=Severity.ERROR,
        since="0.1",
        section="R-PKG-6",
        summary="an action of an External package without `binding`",
        why="Without a binding the action has no request.",
        fix="add binding with method, path and response",
        sample=Sample(good=_BINDING, bad="", file="actions/get-issue.yaml", line=1, column=1),
    ),
    Rule(
        code="EXT0323",
        name="external-field-in-builtin",
        severity=Severity.ERROR,
        since="0.1",
        section="R-PKG-6",
        summary="a field that a Builtin must not have",
        why=(
            "A Builtin's request is made by code; a field that pretends to control it misleads reviewers. "
            "A connectionless Builtin has no credentials either."
        ),
        fix="remove the field",
        sample=Sample(
            good="actions:\n  - name: get\n",
            bad="endpoint:\n  base_url: https://export.arxiv.org\n\nactions:\n  - name: get\n",
            file="meta.yaml",
            line=9,
            column=1,
            base="arxiv",
        ),
    ),
    Rule(
        code="EXT0324",
        name="no-actions",
        severity=Severity.ERROR,
        since="0.1",
        section="R-META-8",
        summary="a package that lists no action",
        why="A package without actions does nothing.",
        fix="list at least one action",
        sample=Sample(good=_ACTIONS, bad="actions: []\n", file="meta.yaml", line=25, column=10),
    ),
)
