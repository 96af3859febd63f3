"""Front door 2: a target, an action and an input become a Result, or an `ExtensionError`.

    registry -> connection policy -> input schema -> executor -> result budget -> Result

Importing this imports no network library; the first invocation does.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from extpkg.canonical import canonical_json
from extpkg.egress.failure import EgressFailure
from extpkg.errors import DocumentInvalid, ExtensionError, PackageInvalid
from extpkg.extension import VIOLATIONS, Call, invalid_input
from extpkg.json_schema import Schema, Violation, compile_schema
from extpkg.limits import RESULT_BYTES
from extpkg.package import Package, load_package
from extpkg.providers import builtin_registry
from extpkg.registry import connection_refusal
from extpkg.result import Result, result_bytes

if TYPE_CHECKING:
    from collections.abc import Sequence

    from extpkg.connection import Connection
    from extpkg.definition.model import Action
    from extpkg.egress.send import Transport
    from extpkg.registry import Builtin

Target = str | os.PathLike[str] | Package
"""A Builtin's name, the path of a package, or a package that was loaded."""

_REFUSALS: Final = {
    "provider_auth_unavailable": "the Extension needs a connection, and none is active",
    "conflict": "the number of active connections does not suit the Extension",
}

_schemas: dict[tuple[str, str], Schema] = {}
"""Compiled input schemas, by Definition digest and action."""


def invoke(  # noqa: PLR0913 - the public names
    target: Target,
    action: str,
    value: Any,
    *,
    transport: Transport | None = None,
    timeout: float | None = None,
    connection: Connection | None = None,
) -> Result:
    """Invoke an action and wait for its Result, in an event loop of its own; else as `ainvoke`.

    RuntimeError where an event loop runs in this thread: await `ainvoke` there. KeyboardInterrupt passes.
    """
    from extpkg.egress.loop import run

    async def call() -> Result:
        return await ainvoke(
            target, action, value, transport=transport, timeout=timeout, connection=connection
        )

    return run(call)


async def ainvoke(  # noqa: PLR0913 - the public names
    target: Target,
    action: str,
    value: Any,
    *,
    transport: Transport | None = None,
    timeout: float | None = None,  # noqa: ASYNC109 - the public name; a scope keeps it
    connection: Connection | None = None,
) -> Result:
    """Invoke an action with an input and return its Result; raises `ExtensionError` and nothing else of ours.

    `transport` is any `httpx.AsyncBaseTransport`; None is the guarded network. `timeout` is the caller's own
    deadline in seconds: `deadline_exceeded`. `connection` is the one active connection of a Builtin.
    Cancelling passes at once and unchanged, under asyncio and trio.
    """
    from extpkg.egress.loop import within

    with within(timeout):
        builtin = find_builtin(target)
        connections = () if connection is None else (connection,)
        return await serve(builtin, action, value, transport=transport, connections=connections)
    raise ExtensionError("deadline_exceeded", "the caller's deadline passed before there was a result")


def find_builtin(target: Target) -> Builtin:
    """Return the Builtin that serves a target; raises `ExtensionError`.

    `not_found` where nothing has that name or path, `validation` for a package that does not validate and
    for an External one: only Builtins have executors so far.
    """
    registered = builtin_registry().newest
    if isinstance(target, str) and target in registered:
        return registered[target]
    package = target if isinstance(target, Package) else _load(os.fspath(target))
    builtin = registered.get(package.definition.domain)
    if builtin is None or builtin.definition_digest != package.digest:
        raise ExtensionError("validation", "External packages cannot be invoked yet, only Builtins can")
    return builtin


async def serve(
    builtin: Builtin,
    action: str,
    value: Any,
    *,
    transport: Transport | None = None,
    connections: Sequence[Connection] = (),
) -> Result:
    """Run one action of a Builtin through every gate; raises `ExtensionError` as `ainvoke` does.

    `connections` are the active connections of this Builtin: their number is judged first (R-REG-4).
    """
    domain, _ = builtin.key
    chosen = _action(builtin, action)
    refusal = connection_refusal(builtin.policy, len(connections))
    if refusal is not None:
        raise ExtensionError(refusal, _REFUSALS[refusal])
    if violations := _violations(builtin.definition_digest, chosen, value):
        raise invalid_input(violations)
    call = Call(
        action=action,
        value=value,
        transport=transport or _network(),
        connection=connections[0] if connections else None,
    )
    data = await _executed(builtin, call)
    if len(result_bytes(data)) > RESULT_BYTES:
        message = f"the result is larger than {RESULT_BYTES:,} bytes"
        raise ExtensionError("upstream_failure", message, {"reason": "result_too_large"})
    return Result(domain=domain, action=action, data=data)


async def _executed(builtin: Builtin, call: Call) -> Any:
    """Return what the executor returns; what egress says becomes an error, without its exception."""
    try:
        return await builtin.extension.execute(call)
    except EgressFailure as failure:
        reason = failure.reason.value
    except ValueError:
        reason = None
    if reason is None:
        raise ExtensionError("internal", "the executor made a request that cannot be sent")
    sentence = reason.replace("_", " ")
    raise ExtensionError("upstream_failure", f"there was no whole answer: {sentence}", {"reason": reason})


def _network() -> Transport:
    from extpkg.egress.send import GuardedTransport

    return GuardedTransport()


def _load(path: str) -> Package:
    if not path or not Path(path).is_dir():
        raise ExtensionError("not_found", "the target is neither a Builtin nor the directory of a package")
    try:
        return load_package(path)
    except PackageInvalid as refused:
        errors = refused.report.errors
    rows = [
        {"code": each.code, "path": each.path, "line": each.line, "message": each.message}
        for each in errors[:VIOLATIONS]
    ]
    message = f"the package is not valid: {errors[0].code} {errors[0].message}"
    raise ExtensionError("validation", message, {"diagnostics": rows})


def _action(builtin: Builtin, name: str) -> Action:
    actions = {action.name: action for action in builtin.extension.definition.actions}
    if name not in actions:
        message = f"{builtin.key[0]} has no such action; it has {', '.join(sorted(actions))}"
        raise ExtensionError("not_found", message)
    return actions[name]


def _violations(definition_digest: str, action: Action, value: Any) -> tuple[Violation, ...]:
    """Return what is wrong with an input: that it is not JSON, or what the schema has against it."""
    try:
        canonical_json(value)
    except DocumentInvalid as refused:
        faults = refused.faults
    else:
        key = (definition_digest, action.name)
        if key not in _schemas:
            _schemas[key] = compile_schema(action.catalog.input_schema)
        return _schemas[key].violations(value, VIOLATIONS)
    return tuple(
        Violation(
            pointer=fault.place.pointer,
            keyword="",
            schema_pointer="",
            message=f"must be JSON: {fault.message}",
        )
        for fault in faults
    )
