"""`extpkg invoke`: one action called once, its envelope printed (R-ERR-2, R-ERR-3)."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, Final

import click

from extpkg.binding.input import VIOLATIONS
from extpkg.cli.credential import call_credentials, reads_standard_input
from extpkg.cli.failure import EXIT_CODES, failed
from extpkg.cli.input import read_input
from extpkg.cli.paths import DIRECTORY
from extpkg.cli.render.escape import escaped, shown_path
from extpkg.cli.render.json_report import dumped
from extpkg.cli.render.mismatch import finding_line, replay_text
from extpkg.cli.terminal import Halt, OutputLost
from extpkg.errors import DocumentInvalid, ExtensionError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from extpkg.cli.terminal import Terminal
    from extpkg.connection import Connection
    from extpkg.egress.send import Transport
    from extpkg.external import Allowed, Leave
    from extpkg.fixture.case import Case
    from extpkg.invocation import Served
    from extpkg.result import Result

    _Call = Callable[[Transport, Sequence[Connection]], Result]


@dataclass(frozen=True, slots=True, kw_only=True)
class Wish:
    """What is to be called; `given` is the argument that gives the input, `replay` the folder of a case.

    `credentials` say where secrets are, `allow` which class of actions beside `read` may be sent.
    """

    target: str
    action: str
    given: str | None = None
    replay: str | None = None
    timeout: float | None = None
    credentials: tuple[str, ...] = ()
    allow: Allowed | None = None
    pretty: bool = False


def network() -> Transport:
    """Return the guarded network."""
    from extpkg.egress.send import GuardedTransport

    return GuardedTransport()


CLASSES: Final = ("mutation", "destructive")
"""What `--allow` allows."""


def _seconds(_: click.Context, __: click.Parameter, value: float | None) -> float | None:
    if value is not None and not (math.isfinite(value) and value > 0):
        raise click.BadParameter("it must be a number of seconds above 0")
    return value


@click.command(
    "invoke",
    epilog="""\b
Examples:
  extpkg invoke arxiv get '{"id":"1605.08386"}'
  extpkg invoke arxiv search '{"query":"au:del_maestro AND ti:checkerboard"}' --pretty
  extpkg invoke packages/arxiv get @input.json --timeout 20
  extpkg invoke ./github get-issue @issue.json --credential default=env:GITHUB_TOKEN
  extpkg invoke ./github create-issue @new.json --credential default=- --allow mutation
  extpkg invoke arxiv get - --replay golden/invoke/arxiv/get/exact-version < input.json

\b
Exit codes: 0 success; 65 validation, or an invalid package; 66 not_found, unknown target or
action; 69 provider_auth_unavailable, upstream_failure; 70 internal; 73 conflict;
75 rate_limited, deadline_exceeded; 77 permission_denied, or refused for want of --allow;
130 canceled; 2 usage; 74 output lost.""",
)
@click.argument("target", type=DIRECTORY)
@click.argument("action")
@click.argument("given", metavar="[JSON | - | @FILE]", required=False)
@click.option(
    "--replay", metavar="CASE", type=DIRECTORY, help="Answer from the folder of a case: no network."
)
@click.option(
    "--credential",
    "credentials",
    metavar="PROFILE=env:NAME|file:PATH|-",
    multiple=True,
    help="Read the credential of a profile there; - asks, and shows nothing.",
)
@click.option(
    "--allow", type=click.Choice(CLASSES), help="Send an action of this class; reading is always allowed."
)
@click.option("--timeout", metavar="S", type=float, callback=_seconds, help="Give up after S seconds.")
@click.option("--pretty", is_flag=True, help="Show a success as a person reads it, not as JSON.")
@click.pass_obj
def command(  # noqa: PLR0913 - one for each option
    terminal: Terminal,
    *,
    target: str,
    action: str,
    given: str | None,
    replay: str | None,
    credentials: tuple[str, ...],
    allow: Allowed | None,
    timeout: float | None,
    pretty: bool,
) -> int:
    """Call an action and print what comes back.

    TARGET is the name of a Builtin, or the path of a package. The input is JSON as an argument, from
    standard input (-) or from a file (@FILE); without one it is {}. Standard output gets the JSON
    envelope, that of an error as well; standard error says which host is contacted, and what failed.

    A credential is read from an environment variable, a file of mode 0600 or standard input, never
    from the command line. An action that changes something is sent only with --allow.
    """
    if given == "-" and reads_standard_input(credentials):
        raise click.UsageError("standard input gives the input or a credential, not both")
    wish = Wish(
        target=target,
        action=action,
        given=given,
        replay=replay,
        timeout=timeout,
        credentials=credentials,
        allow=allow,
        pretty=pretty,
    )
    return perform(terminal, wish)


def perform(terminal: Terminal, wish: Wish, *, live: Callable[[], Transport] = network) -> int:
    """Call what is wished over the transport of `live`, or from a case; print the envelope.

    A failure ends as `Halt` with its exit code, its envelope printed before.
    """
    try:
        result = _called(terminal, wish, live)
    except (Halt, OutputLost):
        raise
    except ExtensionError as error:
        refusal = error
    except KeyboardInterrupt:
        refusal = ExtensionError("canceled", "the call was interrupted")
    except Exception as error:
        terminal.print(dumped(ExtensionError("internal", "this is a fault of extpkg itself").envelope()))
        message = f"internal error ({type(error).__name__}); please report it with what --debug prints"
        raise Halt(EXIT_CODES["internal"], message) from error
    else:
        terminal.print(_pretty(result) if wish.pretty else dumped(result.envelope()))
        return 0
    raise failed(terminal, refusal)


def _called(terminal: Terminal, wish: Wish, live: Callable[[], Transport]) -> Result:
    from extpkg.external import Leave
    from extpkg.invocation import find_served

    value = read_input(wish.given)
    case = None if wish.replay is None else _case(wish.replay)
    served = find_served(_target(wish.target))
    secrets = call_credentials(wish.credentials, [each.id for each in served.definition.profiles])
    call = partial(_waited, served, wish, (value, Leave(credentials=secrets, allow=wish.allow)))
    if case is not None:
        return _replayed(terminal, case, served, call)
    from extpkg.egress.record import RecordingTransport

    def heard(host: str) -> None:
        terminal.complain(f"Contacting {escaped(host)}\n")

    result = call(RecordingTransport(live(), heard), active_connections(served))
    _compare(terminal, served, result)
    return result


def active_connections(served: Served) -> Sequence[Connection]:
    """Return the active connections of what serves a call, as this user keeps them."""
    if served.form is None:
        return ()
    from extpkg.connections import active

    return active(served.definition.domain)


def _replayed(terminal: Terminal, case: Case, served: Served, call: _Call) -> Result:
    """Answer from a case; what parts from it is told on standard error."""
    from extpkg.egress.failure import ReplayMismatch
    from extpkg.egress.replay import ReplayTransport
    from extpkg.fixture.case import connections_of

    transport = ReplayTransport(case.exchanges)
    connections = connections_of(case, served.form)
    result = None
    try:
        result = call(transport, connections)
    except ReplayMismatch:
        pass
    finally:
        for each in transport.differences():
            terminal.complain(replay_text(each))
    if result is None:
        message = "the case has no answer to the request that was made"
        raise ExtensionError("upstream_failure", message, {"reason": "not_recorded"})
    return result


def _waited(
    served: Served,
    wish: Wish,
    given: tuple[Any, Leave],
    transport: Transport,
    connections: Sequence[Connection],
) -> Result:
    """Serve the call in an event loop of its own, within the caller's deadline."""
    from extpkg.egress.loop import run, within
    from extpkg.invocation import answer

    value, leave = given

    async def main() -> Result:
        with within(wish.timeout):
            return await answer(
                served, wish.action, value, transport=transport, connections=connections, leave=leave
            )
        raise ExtensionError("deadline_exceeded", f"there was no result within {wish.timeout:g} s")

    return run(main)


def _compare(terminal: Terminal, served: Served, result: Result) -> None:
    """Warn where data is not as `output_schema` says: upstreams drift, and the data stands all the same.

    Only places of the schema are named: whatever stands in the data is the upstream's text (R-RES-4).
    """
    from extpkg.json_schema import compile_schema

    [schema] = [
        each.catalog.output_schema for each in served.definition.actions if each.name == result.action
    ]
    places = [each.schema_pointer for each in compile_schema(schema).violations(result.data, VIOLATIONS)]
    if places:
        more = f" and {len(places) - 1} more" if len(places) > 1 else ""
        terminal.complain(f"Warning: the data is not as output_schema says: {escaped(places[0])}{more}\n")


def _target(typed: str) -> str:
    """Return a target as the front door takes it: `@NAME` means the Builtin here as elsewhere."""
    from extpkg.providers import builtin_registry

    return typed[1:] if typed.startswith("@") and typed[1:] in builtin_registry().newest else typed


def _case(folder: str) -> Case:
    from extpkg.fixture.case import read_case

    try:
        return read_case(folder)
    except DocumentInvalid as refused:
        faults = refused.faults
    lines = "".join(f"\n{finding_line(folder, each)}" for each in faults)
    raise Halt(2, f"'{shown_path(folder)}' is no case:{lines}")


def _pretty(result: Result) -> str:
    from extpkg.cli.render.pretty import PRETTY

    render = PRETTY.get(result.domain)
    return dumped(result.data) if render is None else render(result.data)
