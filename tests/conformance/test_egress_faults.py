"""The corpus of wire faults over TLS on loopback, judged as for an External action with `[200]` and JSON."""

from __future__ import annotations

import json
import tracemalloc
from typing import Any

import pytest
from corpus import corpus
from loopback import GET, URL, Outcome, bomb, call

from extpkg.egress.failure import Reason
from extpkg.exchange import Request

CASES: list[dict[str, Any]] = corpus("conformance/egress_faults.json")
POST = Request(method="POST", url=URL, headers=(("content-type", "application/json"),), body=b"{}")
REQUESTS = {
    "fault-redirect-loop-body": POST,
    "fault-stall-write": Request(
        method="POST", url=URL, headers=POST.headers, body=b'"' + b"x" * (1 << 20) + b'"'
    ),
}
CODES = {400: "validation", 422: "validation", 401: "provider_auth_unavailable", 403: "permission_denied"} | {
    404: "not_found", 410: "not_found", 409: "conflict", 412: "conflict", 429: "rate_limited"
}  # fmt: skip
MEMORY = 16 << 20


def judge(outcome: Outcome) -> str:
    """Say what R-RES-1 and R-RES-4 make of it."""
    answer = outcome.result
    if isinstance(answer, Reason):
        return "upstream_failure"
    if answer.status != 200:
        return CODES.get(answer.status, "upstream_failure")
    types = [value.partition(";")[0].strip().lower() for value in answer.values("content-type")]
    try:
        json.loads(answer.body.decode("utf-8"))
    except ValueError:
        return "upstream_failure"
    return "ok" if types == ["application/json"] else "upstream_failure"


@pytest.mark.parametrize("case", [pytest.param(case, id=case["id"]) for case in CASES])
def test_fault(case: dict[str, Any]) -> None:
    """A042 to A044, A048, P302, P305, P310."""
    for step in case["steps"]:
        if "send_gen" in step:
            bomb(step["send_gen"])
    tracemalloc.start()
    try:
        outcome = call(case["steps"], REQUESTS.get(case["id"], GET))
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    verdict = judge(outcome)
    assert verdict in {"ok_raw_cap": ("ok",), "ok_or_upstream_failure": ("ok", "upstream_failure")}.get(
        case["expect"], (case["expect"],)
    ), outcome.result
    assert len(outcome.upstream.requests) <= 1
    assert outcome.seconds <= case.get("limits", {}).get("time_s", 1)
    assert peak < MEMORY
