"""The second front door: every gate in its order, and errors that say nothing of the upstream."""

from __future__ import annotations

import logging
import subprocess
import sys
import traceback
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import anyio
import httpx
import pytest
from corpus import ROOT
from extensions import action, definition, extension
from feeds import Answering, Doing, entry, feed

import extpkg
from extpkg.catalog import visible
from extpkg.connection import Connection
from extpkg.egress.send import GuardedTransport
from extpkg.errors import ExtensionError
from extpkg.invocation import find_builtin, serve
from extpkg.providers import builtin_registry
from extpkg.registry import Builtin, register

if TYPE_CHECKING:
    from extpkg.extension import Call

FOUND = feed(entry())
QUERY = {"query": "x"}


def refused(*arguments: Any, **options: Any) -> ExtensionError:
    with pytest.raises(ExtensionError) as caught:
        extpkg.invoke(*arguments, **options)
    return caught.value


def builtin(**changes: Any) -> Builtin:
    (made,) = register([extension(**changes)]).builtins
    return made


def served(made: Builtin, value: Any, **options: Any) -> Any:
    async def main() -> Any:
        return await serve(made, "look", value, transport=Answering(b""), **options)

    return anyio.run(main)


def test_a_result_has_an_envelope() -> None:
    result = extpkg.invoke("arxiv", "get", {"id": "2103.01234"}, transport=Answering(FOUND))
    assert isinstance(result, extpkg.Result)
    assert (result.domain, result.action, result.data["id"]) == ("arxiv", "get", "2103.01234v1")
    assert result.envelope() == {"domain": "arxiv", "action": "get", "data": result.data}


def test_an_error_has_an_envelope() -> None:
    """R-ERR-2."""
    error = ExtensionError("conflict", "no")
    assert error.envelope() == {"error": {"code": "conflict", "message": "no"}}
    error = ExtensionError("conflict", "no", {"a": 1})
    assert error.envelope() == {"error": {"code": "conflict", "message": "no", "details": {"a": 1}}}
    assert str(error) == "conflict: no"
    assert isinstance(error, extpkg.ExtpkgError)


@pytest.mark.parametrize("target", [str(ROOT / "packages" / "arxiv"), ROOT / "packages" / "arxiv"])
def test_a_builtin_is_found_by_its_package_too(target: Any) -> None:
    transport = Answering(FOUND)
    assert extpkg.invoke(target, "get", {"id": "2103.01234"}, transport=transport).domain == "arxiv"
    package = extpkg.load_package(target)
    assert find_builtin(package) is find_builtin("arxiv")


def test_targets_that_are_none(tmp_path: Any) -> None:
    for target in ("", "nothing", "./nothing", tmp_path / "nothing", ROOT / "README.md"):
        assert refused(target, "search", QUERY).code == "not_found"
    error = refused(tmp_path, "search", QUERY)
    assert error.code == "validation"
    assert error.details is not None
    assert error.details["diagnostics"][0]["code"] == "EXT0201"
    assert error.__context__ is None
    with pytest.raises(ExtensionError, match="an External package, not a Builtin"):
        find_builtin(ROOT / "golden" / "valid" / "github")
    package = extpkg.load_package(ROOT / "packages" / "arxiv")
    assert refused(replace(package, digest="sha256:0"), "get", {}).code == "validation"


def test_an_action_that_is_none() -> None:
    error = refused("arxiv", "download", QUERY, transport=Answering(FOUND))
    assert (error.code, error.message) == ("not_found", "arxiv has no such action; it has get, search")


@pytest.mark.parametrize(
    ("value", "pointer"),
    [
        ({}, ""),
        ({"query": "x", "limit": 21}, "/limit"),
        ({"query": "x", "limit": float("nan")}, "/limit"),
        ({"query": "x", "offset": 2**53}, "/offset"),
        ({"query": "x", "idList": ("1605.08386",)}, "/idList"),
        ({"query": "\ud800"}, "/query"),
        (None, ""),
        ("x", ""),
    ],
)
def test_inputs_are_validated_first(value: Any, pointer: str) -> None:
    """A046, D025: with pointers and messages, before anything is sent."""
    transport = Answering(FOUND)
    error = refused("arxiv", "search", value, transport=transport)
    assert error.code == "validation"
    assert error.details is not None
    rows = error.details["violations"]
    assert pointer in {row["pointer"] for row in rows}
    assert all(set(row) == {"pointer", "message"} for row in rows)
    assert rows[0]["message"] in error.message
    assert transport.requests == []


def test_a_guest_that_fails_as_egress_does_keeps_its_reason() -> None:
    """A guarded transport that a caller made is the caller's, and says why there was no answer."""

    async def nobody(name: str, port: int) -> list[str]:
        del name, port
        return []

    error = refused("arxiv", "search", QUERY, transport=GuardedTransport(resolver=nobody))
    assert (error.code, error.details) == ("upstream_failure", {"reason": "name_not_resolved"})


def test_at_most_twenty_violations_are_named() -> None:
    error = refused("arxiv", "search", {"query": "x", **{f"more{n}": n for n in range(50)}})
    assert error.details is not None
    assert len(error.details["violations"]) == 20


def test_one_active_connection_hides_arxiv_and_refuses_it() -> None:
    """A061, R-REG-4: before the input is looked at and the executor runs."""
    transport = Answering(FOUND)
    registry = builtin_registry()
    assert [each.domain for each in visible(registry, {})] == ["arxiv"]
    assert visible(registry, {"arxiv": 1}) == ()

    async def main() -> None:
        await serve(
            registry.newest["arxiv"], "search", QUERY, transport=transport, connections=(Connection(),)
        )

    with pytest.raises(ExtensionError) as caught:
        anyio.run(main)
    assert caught.value.code == "conflict"
    assert transport.requests == []


@pytest.mark.parametrize(("active", "code"), [(0, "provider_auth_unavailable"), (1, None), (2, "conflict")])
def test_a_connection_that_is_required(active: int, code: str | None) -> None:
    made = builtin()
    if code is None:
        assert served(made, {}, connections=(Connection(),) * active).data == {}
        return
    with pytest.raises(ExtensionError) as caught:
        served(made, {}, connections=(Connection(),) * active)
    assert caught.value.code == code


def test_an_executor_gets_its_connection() -> None:
    """S036: the snapshot that was chosen, and nothing of any other."""
    seen: list[Any] = []

    async def answer(call: Call) -> None:
        seen.append(call.connection)

    chosen = Connection(config={"language": "en"}, credentials={"apiKey": "canary"})
    served(builtin(execute=answer), {}, connections=(chosen,))
    assert seen == [chosen]
    served(builtin(execute=answer, connection_policy="none"), {})
    assert seen == [chosen, None]


def open_builtin(execute: Any) -> Builtin:
    return builtin(connection_policy="none", execute=execute)


@pytest.mark.parametrize(("size", "fits"), [(65_534, True), (65_535, False)])
def test_a_result_is_measured(size: int, fits: bool) -> None:
    """R-RES-2, R-RES-5."""

    async def answer(_: Call) -> str:
        return "x" * size

    made = open_builtin(answer)
    if fits:
        assert len(served(made, {}).data) == size
        return
    with pytest.raises(ExtensionError) as caught:
        served(made, {})
    assert (caught.value.code, caught.value.details) == ("upstream_failure", {"reason": "result_too_large"})


def test_a_request_that_cannot_be_sent_is_internal() -> None:
    async def answer(_: Call) -> None:
        raise ValueError("secret")

    with pytest.raises(ExtensionError) as caught:
        served(open_builtin(answer), {})
    assert caught.value.code == "internal"
    assert caught.value.__context__ is None


def test_without_a_transport_it_is_the_guarded_network() -> None:
    used: list[Any] = []

    async def answer(call: Call) -> None:
        used.append(call.transport)

    async def main() -> None:
        await serve(open_builtin(answer), "look", {})

    anyio.run(main)
    assert [type(each) for each in used] == [GuardedTransport]


def test_what_is_no_fault_of_the_call_passes() -> None:
    async def answer(_: Call) -> None:
        raise KeyError

    with pytest.raises(KeyError):
        served(open_builtin(answer), {})


def test_the_newest_version_is_invoked() -> None:
    newer = extension(definition=definition(version=2, actions=(action(),)))
    registry = register([extension(), newer])
    assert registry.newest["almanac"].key == ("almanac", 2)


BACKENDS = ["asyncio", "trio"]


@pytest.mark.parametrize("backend", BACKENDS)
def test_the_callers_deadline_is_its_own_error(backend: str) -> None:
    """A049."""

    async def main() -> None:
        await extpkg.ainvoke("arxiv", "search", QUERY, transport=Doing(anyio.sleep_forever), timeout=0.01)

    with pytest.raises(ExtensionError) as caught:
        anyio.run(main, backend=backend)
    assert caught.value.code == "deadline_exceeded"
    assert caught.value.details is None


def test_a_deadline_without_an_event_loop_of_ones_own() -> None:
    stuck = Doing(anyio.sleep_forever)
    assert refused("arxiv", "search", QUERY, transport=stuck, timeout=0.01).code == "deadline_exceeded"


@pytest.mark.parametrize("backend", BACKENDS)
def test_cancelling_stays_cancelling(backend: str) -> None:
    """A049, D026."""
    seen: list[str] = []

    async def call() -> None:
        try:
            await extpkg.ainvoke("arxiv", "search", QUERY, transport=Doing(anyio.sleep_forever), timeout=60)
        except BaseException as raised:
            cancelled = isinstance(raised, anyio.get_cancelled_exc_class())
            seen.append("cancelled" if cancelled else repr(raised))
            raise

    async def main() -> None:
        async with anyio.create_task_group() as group:
            group.start_soon(call)
            await anyio.sleep(0.01)
            group.cancel_scope.cancel()

    anyio.run(main, backend=backend)
    assert seen == ["cancelled"]


def test_the_engines_deadline_is_the_upstreams_failure() -> None:
    """A048, R-ERR-1: the transport says that it timed out; the caller's deadline has not passed."""

    async def late() -> None:
        raise httpx.ReadTimeout("secret")

    error = refused("arxiv", "search", QUERY, transport=Doing(late), timeout=60)
    assert (error.code, error.details) == ("upstream_failure", {"reason": "transport_failed"})


def test_a_timeout_of_the_transports_is_not_the_callers() -> None:
    async def late() -> None:
        raise TimeoutError("secret")

    assert refused("arxiv", "search", QUERY, transport=Doing(late), timeout=60).code == "upstream_failure"


def test_an_interrupt_passes() -> None:
    async def interrupt() -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        extpkg.invoke("arxiv", "search", QUERY, transport=Doing(interrupt))


CANARY = "canary-5eb1f1d6"


@pytest.mark.parametrize(
    ("status", "body"),
    [
        *((status, f"<html>{CANARY}</html>".encode()) for status in (200, 301, 400, 401, 404, 429, 500)),
        (200, feed(entry(title=CANARY))[:-3]),
        (200, feed(entry(title=f"&{CANARY};"))),
        (200, feed(entry(), total=CANARY)),
        (200, feed(entry(id=f"http://arxiv.org/api/errors#{CANARY}"))),
        (200, feed(entry(published=CANARY))),
        (200, feed(entry(title=CANARY, summary=CANARY * 6000))),
        (200, feed(f"<entry><{CANARY}></{CANARY}x></entry>")),
    ],
)
def test_nothing_of_the_upstream_is_said(
    status: int, body: bytes, caplog: pytest.LogCaptureFixture, capsys: pytest.CaptureFixture[str]
) -> None:
    """A051: a canary in headers and bodies appears in no message, log, exception or repr."""
    caplog.set_level(logging.DEBUG)
    headers = {"x-secret": CANARY, "location": f"https://{CANARY}.example/", "content-type": f"text/{CANARY}"}
    for name, value in (("search", QUERY), ("get", {"id": "2103.01234"})):
        assert CANARY not in told_of(name, value, Answering(body, status, headers))
    assert CANARY not in caplog.text
    assert CANARY not in "".join(capsys.readouterr())


def told_of(name: str, value: Any, transport: Answering) -> str:
    """Return everything that a caller can get to see but the data of a result."""
    try:
        return repr(extpkg.invoke("arxiv", name, value, transport=transport))
    except ExtensionError as error:
        chain = f"{error.__context__!r}{error.__cause__!r}"
        return "".join(traceback.format_exception(error)) + repr(error) + str(error.envelope()) + chain


def test_importing_the_front_door_imports_no_network_library() -> None:
    script = (
        "import sys, extpkg\n"
        "extpkg.invoke, extpkg.ainvoke, extpkg.ExtensionError\n"
        "from extpkg.invocation import find_builtin\n"
        "find_builtin('arxiv')\n"
        "assert callable(extpkg.invoke)\n"
        "print(*sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", script], check=True, capture_output=True, text=True)
    assert {"httpx", "httpcore", "anyio", "lxml", "lxml.etree"} & set(done.stdout.split()) == set()
