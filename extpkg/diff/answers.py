"""Answers that tell two response policies apart (R-BIND-8)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from extpkg.canonical import canonical_json
from extpkg.diff.samples import some
from extpkg.diff.sites import Root
from extpkg.exchange import Response

if TYPE_CHECKING:
    from collections.abc import Iterator

    from extpkg.definition.model import Action


def answers(old: Action, new: Action, field: str, value: Any) -> Iterator[Response]:
    """Yield answers that a change of one field of the response policy may tell apart.

    `value` is the status or content type that only one version takes; other fields are as both have them,
    where both have any in common.
    """
    policies = [each.binding.response for each in (old, new) if each.binding is not None]
    statuses = _shared_first([policy.success_statuses for policy in policies])
    types = _shared_first([policy.content_types for policy in policies]) or ["application/json"]
    if field == "success_statuses":
        statuses = [value]
    if field == "content_types":
        types = [value]
    body = _small(old)
    if field == "max_bytes":
        body = b'"%s"' % (b"a" * (max(policy.max_bytes for policy in policies) - 2))
    yield from (_answer(status, media_type, body) for status in statuses for media_type in types)


def _small(action: Action) -> bytes:
    """Return the JSON of a result that is not null, which nothing at all would give too."""
    found = some((Root(action.catalog.output_schema).site,), 2)
    return canonical_json(next((value for value in found if value is not None), 1))


def _shared_first(lists: list[tuple[Any, ...]]) -> list[Any]:
    """Return the members of all lists, those that stand in each of them first."""
    every = list(dict.fromkeys(each for members in lists for each in members))
    return sorted(every, key=lambda each: sum(each not in members for members in lists))


def _answer(status: int, media_type: str, body: bytes) -> Response:
    """Return an answer; a text is what a JSON string of the same size holds."""
    sent = body.strip(b'"') if media_type.startswith("text/") else body
    return Response(status=status, headers=(("content-type", media_type),), body=sent)
