"""`extpkg connection`: what a Builtin's connection holds is set, shown, tried, removed, sealed anew."""

from __future__ import annotations

import functools
import os
from typing import TYPE_CHECKING, Any, Final

import click

from extpkg.cli.credential import FORMS, read_credentials
from extpkg.cli.invoke import network
from extpkg.cli.output import refuse_write
from extpkg.cli.render.connection import shown_list, shown_one, summary
from extpkg.cli.render.escape import escaped, shown_path
from extpkg.cli.render.json_report import dumped
from extpkg.cli.terminal import Halt
from extpkg.errors import ExtensionError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from click.shell_completion import CompletionItem

    from extpkg.cli.terminal import Terminal
    from extpkg.connections import Entry, Store
    from extpkg.egress.send import Transport
    from extpkg.extension import ConnectionForm
    from extpkg.registry import Builtin

_EXIT_CODES: Final = """\b
Exit codes: 0 done; 1 failed or refused; 2 usage, or a credential that cannot be read;
70 internal; 74 output lost; 130 interrupted."""


def user_store() -> Store:
    """Return the store of this user."""
    from extpkg.connections import standard_store

    return standard_store()


def _complete(_: click.Context, __: click.Parameter, incomplete: str) -> list[CompletionItem]:
    from click.shell_completion import CompletionItem

    return [CompletionItem(name) for name in sorted(_forms()) if name.startswith(incomplete)]


_name: Final = click.argument("name", shell_complete=_complete)
_json: Final = click.option("--json", "as_json", is_flag=True, help="Print JSON, that of an error as well.")


@click.group(
    "connection",
    epilog=f"""\b
Examples:
  extpkg connection set searxng --config baseUrl=http://10.0.0.5:8080
  extpkg connection set brave --credential apiKey=env:BRAVE_KEY
  extpkg connection set tavily --credential apiKey=-      asks, and shows nothing
  extpkg connection test brave
  extpkg connection list --json
  extpkg connection rotate

{_EXIT_CODES}""",
)
def command() -> None:
    """Set up what a Builtin needs before it can be called: its one connection.

    The configuration is kept as it is, every credential sealed under a master key: that of
    EXTPKG_MASTER_KEY, else that of a key file or the system's keyring, made on first use.
    """


@command.command(
    "set",
    short_help="Make or change a connection.",
    context_settings={"allow_extra_args": True},
    epilog=f"""\b
Examples:
  extpkg connection set searxng --config baseUrl=https://search.example --config language=de
  extpkg connection set searxng --config language=        takes it out again
  extpkg connection set brave --credential apiKey=file:brave.key

{_EXIT_CODES}""",
)
@_name
@click.option("--config", metavar="KEY=VALUE", multiple=True, help="Set a member; without VALUE take it out.")
@click.option(
    "--credential", "credentials", metavar=FORMS, multiple=True, help="Read a credential there; - asks."
)
@click.pass_context
def set_command(
    context: click.Context, *, name: str, config: tuple[str, ...], credentials: tuple[str, ...]
) -> int:
    """Make or change the connection of the Builtin NAME.

    What is not named stays as it is. A credential is read from an environment variable, a file of
    mode 0600 or standard input: on the command line, others could see it.
    """
    if context.args:  # not repeated: it may be a credential
        raise Halt(2, "there is an argument too many; a credential is given with --credential, by its source")
    change(context.obj, name, config, credentials)
    return 0


@command.command("list", short_help="List the connections.", epilog=_EXIT_CODES)
@_json
@click.pass_obj
def list_command(terminal: Terminal, *, as_json: bool) -> int:
    """List the connections: configuration, whether each credential is configured, what is wrong."""

    def show() -> None:
        entries = user_store().list(_forms())
        rows = [summary(entry, _forms().get(entry.name)) for entry in entries]
        terminal.print(dumped(rows) if as_json else shown_list(rows))

    return _told(terminal, show, as_json=as_json)


@command.command("show", short_help="Show one, without its secrets.", epilog=_EXIT_CODES)
@_name
@_json
@click.pass_obj
def show_command(terminal: Terminal, *, name: str, as_json: bool) -> int:
    """Show the connection NAME; of a credential nothing but whether it is configured."""

    def show() -> None:
        row = summary(_entry(user_store(), name), _forms().get(name))
        terminal.print(dumped(row) if as_json else shown_one(row))

    return _told(terminal, show, as_json=as_json)


@command.command("test", short_help="Try one with a real call.", epilog=_EXIT_CODES)
@_name
@_json
@click.pass_obj
def test_command(terminal: Terminal, *, name: str, as_json: bool) -> int:
    """Try the connection NAME with one real call, exactly as an invocation makes it.

    Prints whether it works, never what came back. A failure's JSON envelope is printed in any case.
    """
    return probe(terminal, name, as_json=as_json)


@command.command("remove", short_help="Remove one.", epilog=_EXIT_CODES)
@_name
@_json
@click.pass_obj
def remove_command(terminal: Terminal, *, name: str, as_json: bool) -> int:
    """Remove the connection NAME, whatever is wrong with it."""

    def remove() -> None:
        if not _written(functools.partial(user_store().remove, name)):
            raise _absent(name)
        shown = dumped({"extension": name, "removed": True})
        terminal.print(shown if as_json else f"The connection {name} is removed.\n")

    return _told(terminal, remove, as_json=as_json)


@command.command("rotate", short_help="Seal all under a new master key.", epilog=_EXIT_CODES)
@click.pass_obj
def rotate_command(terminal: Terminal) -> int:
    """Seal every credential anew under a new master key, or end a rotation that was broken off.

    Whatever breaks it off, every connection opens as before; the old key goes last. The keys of
    EXTPKG_MASTER_KEY are yours to change: put the new one before the old one, then rotate.
    """
    store = user_store()
    done = _written(store.rotate)
    count = len(done.sealed)
    terminal.print(f"{count} connection{'' if count == 1 else 's'} sealed anew under the key {done.key}.\n")
    for entry in done.left:
        terminal.complain(f"{entry.name}: {escaped(entry.problem.message if entry.problem else '')}\n")
    if done.left:
        raise Halt(1, "the old key is kept for what could not be sealed anew; mend that and rotate again")
    if not store.keys.is_writable:
        terminal.print("Every key after the first can be taken out of EXTPKG_MASTER_KEY.\n")
    return 0


def change(terminal: Terminal, name: str, config: Sequence[str], credentials: Sequence[str]) -> None:
    """Make or change a connection; raises `ExtensionError`, or `Halt` for what cannot be read."""
    from extpkg.connections import Change

    form = _form(name)
    members = dict(_member(text, form) for text in config)
    if len(members) < len(config):
        raise Halt(2, "--config is given twice for one member")
    secrets = read_credentials(credentials, [field.name for field in form.credentials])
    store = user_store()
    wanted = Change(config=members, credentials=secrets)
    try:
        _written(functools.partial(store.save, name, form, wanted))
    except ExtensionError as error:
        refusal = error
    else:
        terminal.print(f"The connection {name} is set. Try it with: extpkg connection test {name}\n")
        return
    raise Halt(1, f"{refusal.code}: {escaped(refusal.message)}{_usage(name, form, refusal)}")


def probe(terminal: Terminal, name: str, *, as_json: bool, live: Callable[[], Transport] = network) -> int:
    """Try a connection over the transport of `live`; print whether it works."""
    form = None
    try:
        form = _form(name)
        _call(terminal, name, live)
    except ExtensionError as error:
        refusal = error
    else:
        terminal.print(
            dumped({"extension": name, "ok": True}) if as_json else f"The connection {name} works.\n"
        )
        return 0
    details = refusal.details or {}
    hint = form.hints.get(details.get("reason", "")) if form else None
    if hint:
        refusal = ExtensionError(refusal.code, refusal.message, {**details, "hint": hint})
    terminal.print(dumped(refusal.envelope()))
    more = f"\nHint: {hint}" if hint else ""
    raise Halt(_exit_code(refusal), f"{refusal.code}: {escaped(refusal.message)}{more}")


def _call(terminal: Terminal, name: str, live: Callable[[], Transport]) -> None:
    from extpkg.connections import load_connection
    from extpkg.egress.loop import run
    from extpkg.egress.record import RecordingTransport
    from extpkg.invocation import serve

    builtin = _builtins()[name]
    tried = builtin.extension.probe
    if tried is None:
        raise ExtensionError("validation", f"{name} says nothing about how its connection is tried")
    connection = load_connection(name, user_store())

    def heard(host: str) -> None:
        terminal.complain(f"Contacting {escaped(host)}\n")

    async def main() -> None:
        transport = RecordingTransport(live(), heard)
        await serve(builtin, tried.action, tried.value, transport=transport, connections=(connection,))

    run(main)


def _told(terminal: Terminal, act: Callable[[], None], *, as_json: bool) -> int:
    """Do it; under `--json` a refusal is printed as an envelope too."""
    try:
        act()
    except ExtensionError as error:
        refusal = error
    else:
        return 0
    if as_json:
        terminal.print(dumped(refusal.envelope()))
    raise Halt(_exit_code(refusal), f"{refusal.code}: {escaped(refusal.message)}")


def _exit_code(refusal: ExtensionError) -> int:
    return 70 if refusal.code == "internal" else 1


def _written(act: Callable[[], Any]) -> Any:
    """Do what writes; a system that refuses it ends the command (1), a full disk as lost output."""
    try:
        return act()
    except OSError as error:
        name = error.filename if isinstance(error.filename, (str, bytes)) else ""
        refuse_write(shown_path(os.fsdecode(name)), error, 1)


def _member(text: str, form: ConnectionForm) -> tuple[str, str | None]:
    """Return one member of the configuration; None where nothing is given for it."""
    name, separator, value = text.partition("=")
    known = form.config_schema.get("properties", {})
    if separator and name in known:
        return name, value or None
    if name in {field.name for field in form.credentials}:
        raise Halt(2, f"{name} is a credential; give it with --credential {name}=env:NAME|file:PATH|-")
    members = ", ".join(known) or "none"
    raise Halt(2, f"--config must be KEY=VALUE, KEY one of the members of the configuration: {members}")


def _usage(name: str, form: ConnectionForm, refusal: ExtensionError) -> str:
    """Return how what a refused connection lacks is given."""
    if refusal.code != "validation":
        return ""
    required = form.config_schema.get("required", [])
    options = [f"--config {member}=VALUE" for member in required]
    options += [f"--credential {field.name}={FORMS.partition('=')[2]}" for field in form.credentials]
    return f"\nUsage: extpkg connection set {name} {' '.join(options)}"


def _entry(store: Store, name: str) -> Entry:
    entry = store.entry(name, _forms().get(name))
    if entry is None:
        raise _absent(name)
    return entry


def _absent(name: str) -> ExtensionError:
    if name in _forms():
        return ExtensionError("not_found", f"{name} has no connection; make it: extpkg connection set {name}")
    return _unknown()


def _unknown() -> ExtensionError:
    message = f"that is no Builtin with a connection; those are: {', '.join(sorted(_forms()))}"
    return ExtensionError("not_found", message)


def _form(name: str) -> ConnectionForm:
    form = _forms().get(name)
    if form is None:
        raise _unknown()
    return form


def _forms() -> dict[str, ConnectionForm]:
    return {
        name: builtin.extension.form
        for name, builtin in _builtins().items()
        if builtin.extension.form is not None
    }


def _builtins() -> dict[str, Builtin]:
    from extpkg.providers import builtin_registry

    return builtin_registry().newest
