"""07xx: credential slots, scopes, safety facts and examples (R-META-6, R-ACT-2 to 4)."""

from __future__ import annotations

from typing import Final

from extpkg.check.rules.rule import Rule, Sample
from extpkg.diagnostic import Severity

_CREATE_EXAMPLE: Final = """\
  example:
    owner: pingcap
    repo: agentteam
    title: Add Extension support
    description: Track the implementation.
    labels:
      - feature

"""
_GET_EXAMPLE: Final = """\
  example:
    owner: pingcap
    repo: agentteam
    number: 42

"""

RULES: tuple[Rule, ...] = (
    Rule(
        code="EXT0701",
        name="duplicate-profile",
        severity=Severity.ERROR,
        since="0.1",
        section="R-META-6",
        summary="two profiles with one id",
        why="An action that names the id would mean two credentials.",
        fix="give each profile an id of its own",
        sample=Sample(
            good="      type: oauth2_bearer",
            bad="      type: oauth2_bearer\n    - id: default\n      type: oauth2_bearer",
            file="meta.yaml",
            line=24,
            column=11,
        ),
    ),
    Rule(
        code="EXT0702",
        name="profile-members",
        severity=Severity.ERROR,
        since="0.1",
        section="R-META-6",
        summary="a profile with too many or too few fields for its type",
        why=(
            "`oauth2_bearer` always writes Authorization and needs no place; an `api_key` goes where `in` "
            "and `name` say."
        ),
        fix="give an api_key profile in and name, and an oauth2_bearer profile neither",
        sample=Sample(
            good="      type: oauth2_bearer",
            bad="      type: oauth2_bearer\n      in: header",
            file="meta.yaml",
            line=24,
            column=7,
        ),
    ),
    Rule(
        code="EXT0703",
        name="api-key-location",
        severity=Severity.ERROR,
        since="0.1",
        section="R-META-6",
        summary="an API key that goes neither into a header nor into the query",
        why="Cookies and bodies are no place for a credential here.",
        fix="write in: header or in: query",
        sample=Sample(
            good="      in: header",
            bad="      in: cookie",
            file="meta.yaml",
            line=17,
            column=11,
            base="keyed",
        ),
    ),
    Rule(
        code="EXT0704",
        name="api-key-name",
        severity=Severity.ERROR,
        since="0.1",
        section="R-META-6, R-BIND-6",
        summary="an API key whose name is no header token or is a reserved header",
        why="A reserved header belongs to the engine; a name that is no token breaks the request.",
        fix="write the name that the provider documents, such as X-Api-Key",
        sample=Sample(
            good="      name: X-Api-Key",
            bad="      name: Authorization",
            file="meta.yaml",
            line=18,
            column=13,
            base="keyed",
        ),
    ),
    Rule(
        code="EXT0705",
        name="unknown-default-profile",
        severity=Severity.ERROR,
        since="0.1",
        section="R-META-6",
        summary="an `auth.default` that names no profile",
        why="The default is shown to people who set up a connection.",
        fix="name one of the profiles, or remove default",
        sample=Sample(good="  default: default", bad="  default: main", file="meta.yaml", line=20, column=12),
    ),
    Rule(
        code="EXT0706",
        name="unused-profile",
        severity=Severity.WARNING,
        since="0.1",
        section="R-META-6",
        summary="a profile that no action names",
        why="People would be asked for a credential that nothing uses.",
        fix="remove the profile, or name it in the auth of an action",
        sample=Sample(
            good="      type: oauth2_bearer",
            bad="      type: oauth2_bearer\n    - id: other\n      type: oauth2_bearer",
            file="meta.yaml",
            line=24,
            column=11,
        ),
    ),
    Rule(
        code="EXT0707",
        name="unknown-profile",
        severity=Severity.ERROR,
        since="0.1",
        section="R-ACT-3",
        summary="an action that names a profile which meta.yaml does not have",
        why="The action would have no credential.",
        fix="name one of the profiles of meta.yaml",
        sample=Sample(
            good="  profile: default", bad="  profile: main", file="actions/get-issue.yaml", line=4, column=12
        ),
    ),
    Rule(
        code="EXT0708",
        name="scopes-without-oauth2",
        severity=Severity.ERROR,
        since="0.1",
        section="R-ACT-3",
        summary="required scopes of a profile that is no oauth2_bearer",
        why="An API key has no scopes; a requirement that nothing can check is none.",
        fix="remove required_scopes",
        sample=Sample(
            good="  profile: key",
            bad="  profile: key\n  required_scopes: [read]",
            file="actions/get-tides.yaml",
            line=4,
            column=20,
            base="keyed",
        ),
    ),
    Rule(
        code="EXT0709",
        name="malformed-scope",
        severity=Severity.ERROR,
        since="0.1",
        section="R-ACT-3",
        summary="a required scope that is empty or holds a space",
        why="Scopes are joined by spaces, so a space inside one makes it two.",
        fix="write each scope as an item of its own",
        sample=Sample(
            good="  required_scopes: [repo]",
            bad='  required_scopes: ["repo read:org"]',
            file="actions/list-issues.yaml",
            line=5,
            column=21,
        ),
    ),
    Rule(
        code="EXT0710",
        name="duplicate-scope",
        severity=Severity.ERROR,
        since="0.1",
        section="R-ACT-3",
        summary="a required scope that is listed twice",
        why="Scopes are a set; a repeat is a slip of the pen.",
        fix="remove the repeat",
        sample=Sample(
            good="  required_scopes: [repo]",
            bad="  required_scopes: [repo, repo]",
            file="actions/list-issues.yaml",
            line=5,
            column=27,
        ),
    ),
    Rule(
        code="EXT0711",
        name="destructive-flag",
        severity=Severity.ERROR,
        since="0.1",
        section="R-ACT-2",
        summary="a `destructive` flag that contradicts the class",
        why="Authorization reads the class, people read the flag; they must say the same.",
        fix="set destructive: true exactly where class is destructive",
        sample=Sample(
            good="    destructive: false",
            bad="    destructive: true",
            file="actions/get-issue.yaml",
            line=14,
            column=18,
        ),
    ),
    Rule(
        code="EXT0712",
        name="read-not-idempotent",
        severity=Severity.ERROR,
        since="0.1",
        section="R-ACT-2",
        summary="a read action that is not idempotent",
        why="What changes nothing can be called twice; if it cannot, it is no read.",
        fix="write idempotent: true, or class: mutation",
        sample=Sample(
            good="    idempotent: true",
            bad="    idempotent: false",
            file="actions/get-issue.yaml",
            line=13,
            column=17,
        ),
    ),
    Rule(
        code="EXT0713",
        name="delete-not-destructive",
        severity=Severity.ERROR,
        since="0.1",
        section="R-ACT-2",
        summary="a DELETE that is not classed destructive",
        why="A deletion that is sold as less slips past the policy for destructive actions.",
        fix="write class: destructive and destructive: true",
        sample=Sample(
            good="  method: POST",
            bad="  method: DELETE",
            file="actions/create-issue.yaml",
            line=12,
            column=12,
        ),
    ),
    Rule(
        code="EXT0714",
        name="put-or-patch-read",
        severity=Severity.ERROR,
        since="0.1",
        section="R-ACT-2",
        summary="a PUT or PATCH that is classed read",
        why="PUT and PATCH change something by definition.",
        fix="write class: mutation or class: destructive",
        sample=Sample(
            good="  method: GET", bad="  method: PATCH", file="actions/get-issue.yaml", line=12, column=12
        ),
    ),
    Rule(
        code="EXT0715",
        name="get-not-read",
        severity=Severity.WARNING,
        since="0.1",
        section="R-ACT-2",
        summary="a GET that is not classed read",
        why="A GET should change nothing; if this one does, a reviewer should know that it is meant.",
        fix="write class: read, or suppress this warning with the reason",
        sample=Sample(
            good="    class: read",
            bad="    class: mutation",
            file="actions/get-issue.yaml",
            line=12,
            column=12,
        ),
    ),
    Rule(
        code="EXT0716",
        name="example-required",
        severity=Severity.ERROR,
        since="0.1",
        section="R-ACT-4",
        summary="a mutation or destructive action without an example",
        why="A call that changes something must not be an Agent's first guess at the input.",
        fix="add an example that the input schema accepts",
        sample=Sample(good=_CREATE_EXAMPLE, bad="", file="actions/create-issue.yaml", line=8, column=1),
    ),
    Rule(
        code="EXT0717",
        name="example-recommended",
        severity=Severity.WARNING,
        since="0.1",
        section="R-ACT-4",
        summary="a read action without an example",
        why="One example saves an Agent most of its failed first calls.",
        fix="add an example that the input schema accepts",
        sample=Sample(good=_GET_EXAMPLE, bad="", file="actions/get-issue.yaml", line=8, column=1),
    ),
    Rule(
        code="EXT0718",
        name="profile-id",
        severity=Severity.ERROR,
        since="0.1",
        section="R-META-6",
        summary="a profile id that is not lower-case kebab-case of at most 128 characters",
        why="The id is hashed and named by actions; one spelling keeps it the same everywhere.",
        fix="write lower-case letters and digits in parts joined by single hyphens, a letter first",
        sample=Sample(
            good="      type: oauth2_bearer",
            bad="      type: oauth2_bearer\n    - id: Other\n      type: oauth2_bearer",
            file="meta.yaml",
            line=24,
            column=11,
        ),
    ),
)
