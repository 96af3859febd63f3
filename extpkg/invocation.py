"""Front door 2: a target, an action and an input become a Result, or an `ExtensionError`.

    Builtin:  registry -> connection policy -> input schema -> executor -> result budget -> Result
    External: package -> input schema -> binding -> leave -> credential -> egress -> response -> Result

Importing this imports no network library; the first invocation does.
"""

from __future__ import annotations

import os
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

from extpkg.binding.input import check_input
from extpkg.egress.failure import EgressFailure, ReplayMismatch
from extpkg.errors import ExtensionError
from extpkg.extension import Call
from extpkg.external import NOTHING, External, Leave, execute
from extpkg.json_schema import compile_schema
from extpkg.limits import RESULT_BYTES
from extpkg.package import Package, open_package
from extpkg.providers import builtin_registry
from extpkg.registry import Builtin, connection_refusal
from extpkg.result import Result, result_bytes

if TYPE_CHECKING:
    from collections.abc import Awaitable, Mapping, Sequence

    from extpkg.connection import Connection
    from extpkg.definition.model import Action, Definition
    from extpkg.egress.send import Transport
    from extpkg.external import Allowed
    from extpkg.json_schema import Schema
    from extpkg.secret import Secret

Served = Builtin | External
"""What answers an action: code that is registered, or a package's bindings."""

Target = str | os.PathLike[str] | Package
"""A Builtin's name, the path of a package, or a package that was loaded."""

_REFUSALS: Final = {
    "provider_auth_unavailable": (
        "{domain} needs a connection, and none is active; one is kept with: extpkg connection set {domain}"
    ),
    "conflict": "the number of active connections does not suit {domain}",
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
    credentials: Mapping[str, Secret] = NOTHING.credentials,
    allow: Allowed | None = None,
    connection: Connection | None = None,
) -> Result:
    """Invoke an action and wait for its Result, in an event loop of its own; else as `ainvoke`.

    RuntimeError where an event loop runs in this thread: await `ainvoke` there. KeyboardInterrupt passes.
    """
    from extpkg.egress.loop import run

    async def call() -> Result:
        return await ainvoke(
            target,
            action,
            value,
            transport=transport,
            timeout=timeout,
            credentials=credentials,
            allow=allow,
            connection=connection,
        )

    return run(call)


async def ainvoke(  # noqa: PLR0913 - the public names
    target: Target,
    action: str,
    value: Any,
    *,
    transport: Transport | None = None,
    timeout: float | None = None,  # noqa: ASYNC109 - the public name; a scope keeps it
    credentials: Mapping[str, Secret] = NOTHING.credentials,
    allow: Allowed | None = None,
    connection: Connection | None = None,
) -> Result:
    """Invoke an action with an input and return its Result; raises `ExtensionError` and nothing else of ours.

    `transport` is any `httpx.AsyncBaseTransport`; None is the guarded network. `timeout` is the caller's own
    deadline in seconds: `deadline_exceeded`. `connection` is the one active connection of a Builtin.
    `credentials` are those of an External package by profile, and `allow` names the class of actions beside
    `read` that may be sent; over a `ReplayTransport` nothing is, and neither is asked for.

    Cancelling passes at once and unchanged, under asyncio and trio.
    """
    from extpkg.egress.loop import within

    leave = Leave(credentials=credentials, allow=allow)
    with within(timeout):
        served = find_served(target)
        connections = () if connection is None else (connection,)
        try:
            return await answer(
                served, action, value, transport=_guest(transport), connections=connections, leave=leave
            )
        except ReplayMismatch:
            pass
        message = "the record has no answer to the request that was made"
        raise ExtensionError("upstream_failure", message, {"reason": "not_recorded"})
    raise ExtensionError("deadline_exceeded", "the caller's deadline passed before there was a result")


def find_served(target: Target) -> Served:
    """Return what serves a target; raises `ExtensionError`.

    `not_found` where nothing has that name or path, `validation` for a package that does not validate.
    """
    registered = builtin_registry().newest
    if isinstance(target, str) and target in registered:
        return registered[target]
    package = target if isinstance(target, Package) else open_package(os.fspath(target))
    builtin = registered.get(package.definition.domain)
    if builtin is None:
        return External(definition=package.definition, definition_digest=package.digest)
    if builtin.definition_digest != package.digest:
        raise ExtensionError("validation", "the package has the domain of a Builtin and is not that Builtin")
    return builtin


def find_builtin(target: Target) -> Builtin:
    """Return the Builtin that serves a target; raises `ExtensionError`, for an External package too."""
    served = find_served(target)
    if isinstance(served, External):
        raise ExtensionError("validation", "that is an External package, not a Builtin")
    return served


async def answer(  # noqa: PLR0913 - what a Builtin needs and what an External does
    served: Served,
    action: str,
    value: Any,
    *,
    transport: Transport | None = None,
    connections: Sequence[Connection] = (),
    leave: Leave = NOTHING,
) -> Result:
    """Run one action of whatever serves it through every gate; raises `ExtensionError` as `ainvoke` does.

    A replay's `ReplayMismatch` passes.
    """
    if isinstance(served, External):
        if connections:
            raise ExtensionError("conflict", "an External package has no connection; it takes credentials")
        return await serve_external(served, action, value, transport=transport, leave=leave)
    if leave.credentials:
        message = "a Builtin takes its credentials from its connection, not with the call"
        raise ExtensionError("validation", message)
    return await serve(served, action, value, transport=transport, connections=connections)


async def serve_external(
    external: External,
    action: str,
    value: Any,
    *,
    transport: Transport | None = None,
    leave: Leave = NOTHING,
) -> Result:
    """Run one action of an External package through every gate; raises `ExtensionError` as `ainvoke` does."""
    from extpkg.egress.replay import ReplayTransport

    _action(external.definition, action)
    carrier = transport or _network()
    given = replace(leave, replayed=isinstance(carrier, ReplayTransport))
    data = await _answered(execute(external, action, value, transport=carrier, leave=given))
    return _fitting(external.definition.domain, action, data)


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
    chosen = _action(builtin.extension.definition, action)
    refusal = connection_refusal(builtin.policy, len(connections))
    if refusal is not None:
        raise ExtensionError(refusal, _REFUSALS[refusal].format(domain=domain))
    check_input(_judge(builtin.definition_digest, chosen), value)
    call = Call(
        action=action,
        value=value,
        transport=transport or _network(),
        connection=connections[0] if connections else None,
    )
    return _fitting(domain, action, await _answered(builtin.extension.execute(call)))


def _fitting(domain: str, action: str, data: Any) -> Result:
    """Return data as a Result; raises `ExtensionError` where it is over the final budget (R-RES-5)."""
    if len(result_bytes(data)) > RESULT_BYTES:
        message = f"the result is larger than {RESULT_BYTES:,} bytes"
        raise ExtensionError("upstream_failure", message, {"reason": "result_too_large"})
    return Result(domain=domain, action=action, data=data)


async def _answered(executing: Awaitable[Any]) -> Any:
    """Return what an executor returns; what egress says becomes an error, without its exception."""
    try:
        return await executing
    except EgressFailure as failure:
        reason = failure.reason.value
    except ValueError:
        reason = None
    if reason is None:
        raise ExtensionError("internal", "the executor made a request that cannot be sent")
    sentence = reason.replace("_", " ")
    raise ExtensionError("upstream_failure", f"there was no whole answer: {sentence}", {"reason": reason})


def _guest(transport: Transport | None) -> Transport | None:
    """Return the transport that a caller brings, so that whatever it raises stops there; a replay is ours."""
    from extpkg.egress.foreign import ForeignTransport
    from extpkg.egress.replay import ReplayTransport

    if transport is None or isinstance(transport, ReplayTransport):
        return transport
    return ForeignTransport(transport)


def _network() -> Transport:
    from extpkg.egress.send import GuardedTransport

    return GuardedTransport()


def _action(definition: Definition, name: str) -> Action:
    actions = {action.name: action for action in definition.actions}
    if name not in actions:
        message = f"{definition.domain} has no such action; it has {', '.join(sorted(actions))}"
        raise ExtensionError("not_found", message)
    return actions[name]


def _judge(definition_digest: str, action: Action) -> Schema:
    """Return the compiled input schema, compiled once in this process."""
    key = (definition_digest, action.name)
    if key not in _schemas:
        _schemas[key] = compile_schema(action.catalog.input_schema)
    return _schemas[key]
