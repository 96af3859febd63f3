"""Replaying cases: what passes, and how what does not is shown (R-FIX-2)."""

from __future__ import annotations

import socket
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from cases import FILES, write_case
from extensions import definition, extension

from extpkg.egress.send import send
from extpkg.exchange import Request
from extpkg.fixture.find import CaseFolder
from extpkg.fixture.run import CaseResult, run_case, run_cases
from extpkg.providers import builtin_registry
from extpkg.registry import Builtin, register

if TYPE_CHECKING:
    from pathlib import Path

    import pytest

    from extpkg.extension import Call

ARXIV = builtin_registry().newest["arxiv"]
FAILS: dict[str, Any] = {"output": None, "error": '{"code": "upstream_failure"}'}


def ran(folder: Path, builtin: Builtin = ARXIV, action: str = "get", **changes: Any) -> CaseResult:
    path = write_case(folder / "case", **changes)
    return run_case(CaseFolder(action=action, name="case", path=path), builtin)


def titles(result: CaseResult) -> list[str]:
    return [mismatch.title for mismatch in result.mismatches]


def test_a_case_passes_and_opens_no_socket(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """R-FIX-3, D028."""
    opened: list[Any] = []
    monkeypatch.setattr(socket.socket, "connect", lambda *arguments: opened.append(arguments))
    result = ran(tmp_path, **FAILS)
    assert result.passed
    assert titles(result) == []
    assert opened == []


def test_details_are_compared_where_they_are_written(tmp_path: Path) -> None:
    right = '{"code": "upstream_failure", "details": {"reason": "feed_malformed"}}'
    assert ran(tmp_path, output=None, error=right).passed
    result = ran(tmp_path, output=None, error=right.replace("feed_", ""))
    assert titles(result) == ["the error is not the expected one"]
    assert '-    "reason": "malformed"\n+    "reason": "feed_malformed"' in result.mismatches[0].text


def test_another_outcome(tmp_path: Path) -> None:
    result = ran(tmp_path)
    assert titles(result) == [
        "the call failed: upstream_failure: arXiv answered with something that is no feed"
    ]
    result = ran(tmp_path, output=None, error='{"code": "not_found"}')
    assert '-  "code": "not_found"\n+  "code": "upstream_failure"' in result.mismatches[0].text


def test_another_request(tmp_path: Path) -> None:
    result = ran(tmp_path, input='{"id": "2103.01235v1"}', **FAILS)
    assert titles(result) == ["request 1 is not the recorded one"]
    assert "-  ?id_list=2103.01234\n+  ?id_list=2103.01235v1\n   &max_results=1" in result.mismatches[0].text
    assert not result.passed


def test_requests_too_many_and_too_few(tmp_path: Path) -> None:
    assert titles(ran(tmp_path, exchange="[]", **FAILS)) == ["request 1 is one too many"]
    twice = FILES["exchange.json"].strip()
    result = ran(tmp_path, exchange=f"[{twice[1:-1]},{twice[1:-1]}]", **FAILS)
    assert titles(result) == ["request 2 was not made"]
    assert result.mismatches[0].text.startswith("--- expected\n+++ actual\n@@")
    refused = ran(tmp_path, input='{"id": "x"}', output=None, error='{"code": "validation"}')
    assert titles(refused) == ["request 1 was not made"]


def test_a_case_that_cannot_be_read(tmp_path: Path) -> None:
    result = ran(tmp_path, input="{", notes=None)
    assert (result.passed, result.case, titles(result)) == (False, None, [])
    assert [fault.code for fault in result.faults] == ["EXT0126"]


async def echo(call: Call) -> Any:
    return call.value.get("a", 2**60)


OPEN = {"$schema": "https://json-schema.org/draft/2020-12/schema", "type": "object", "properties": {"a": {}}}


def echoing(output_schema: Any) -> Builtin:
    plain = definition()
    (looks,) = plain.actions
    closed = {**OPEN, "additionalProperties": False}
    catalog = replace(looks.catalog, input_schema=closed, output_schema={**OPEN, "type": output_schema})
    made = replace(plain, actions=(replace(looks, catalog=catalog),))
    (builtin,) = register([extension(definition=made, execute=echo, connection_policy="none")]).builtins
    return builtin


def test_results_are_compared_as_values_and_checked(tmp_path: Path) -> None:
    builtin = echoing("string")
    quiet: dict[str, Any] = {"action": "look", "exchange": "[]"}
    assert ran(tmp_path, builtin, input='{"a": "\u00e9"}', output=r'"\u00e9"', **quiet).passed
    result = ran(tmp_path, builtin, input='{"a": 1.0}', output="1", **quiet)
    assert titles(result) == ["output_schema: the result must be a string, not 1.0"]
    result = ran(tmp_path, builtin, input='{"a": "x"}', output='"y"', **quiet)
    assert titles(result) == ["the result is not the expected one"]
    result = ran(tmp_path, builtin, input='{"a": "x"}', output=None, error='{"code": "conflict"}', **quiet)
    assert titles(result) == ["the call succeeded, and conflict is expected"]


def test_whole_numbers_are_compared_by_their_digits(tmp_path: Path) -> None:
    builtin = echoing("integer")
    quiet: dict[str, Any] = {"action": "look", "exchange": "[]", "input": "{}"}
    assert ran(tmp_path, builtin, output=str(2**60), **quiet).passed
    assert not ran(tmp_path, builtin, output=str(2**60 + 1), **quiet).passed


def test_a_connection_of_the_case_is_active(tmp_path: Path) -> None:
    """R-FIX-1: without connection.json there is none."""
    (needy,) = register([extension()]).builtins
    quiet: dict[str, Any] = {"action": "look", "exchange": "[]", "input": "{}"}
    assert ran(tmp_path, needy, connection='{"config": {}}', output="{}", **quiet).passed
    error = '{"code": "provider_auth_unavailable"}'
    assert ran(tmp_path, needy, output=None, error=error, **quiet).passed


def test_an_executor_that_swallows_a_mismatch_fails_all_the_same(tmp_path: Path) -> None:
    async def deaf(call: Call) -> Any:
        request = Request(method="POST", url="https://a.example/", headers=(("x-a", "1"),), body=b"{}\nx")
        try:
            await send(request, transport=call.transport)
        except Exception:  # noqa: BLE001 - the point of it
            return {}

    (builtin,) = register([extension(execute=deaf, connection_policy="none")]).builtins
    result = ran(tmp_path, builtin, action="look", exchange="[]", input="{}", output="{}")
    assert titles(result) == ["request 1 is one too many"]
    assert "+POST https://a.example/\n+x-a: 1\n+\n+{}\n+x" in result.mismatches[0].text


def test_a_long_difference_is_cut(tmp_path: Path) -> None:
    value = '{"a": [' + ",".join(map(str, range(1000))) + "]}"
    result = ran(tmp_path, echoing("array"), action="look", exchange="[]", input=value, output="[]")
    lines = result.mismatches[0].text.split("\n")
    assert len(lines) == 201
    assert lines[-1].endswith("more lines")


def test_several_cases_run_in_their_order(tmp_path: Path) -> None:
    folders = [
        CaseFolder(action="get", name=name, path=write_case(tmp_path / name, **FAILS)) for name in "bca"
    ]
    assert [(str(each.folder), each.passed) for each in run_cases(folders, ARXIV)] == [
        ("get/b", True),
        ("get/c", True),
        ("get/a", True),
    ]
    assert run_cases([], ARXIV) == ()
