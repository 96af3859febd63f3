"""Authoring a package anew that somebody has edited: what made it, what it is, what it would be now."""

from __future__ import annotations

import os
from dataclasses import replace
from typing import TYPE_CHECKING

import click

from extpkg.cli.author_run import run
from extpkg.cli.find import find_package
from extpkg.cli.reading import read_files, refuse
from extpkg.cli.render.escape import shown_path
from extpkg.cli.terminal import Halt
from extpkg.diagnostic import Finding
from extpkg.document.files import META, EntryKind, read_tree
from extpkg.errors import DocumentInvalid
from extpkg.openapi.author import SOURCE_PATH
from extpkg.openapi.source import read_source
from extpkg.openapi.update import merge
from extpkg.package import read_package

if TYPE_CHECKING:
    from collections.abc import Iterator

    from extpkg.cli.find import Target
    from extpkg.cli.terminal import Terminal
    from extpkg.openapi.author import Authored, Options
    from extpkg.openapi.source import Source
    from extpkg.openapi.update import Merged
    from extpkg.package import Reading


def updated(
    terminal: Terminal, source: Source, options: Options, existing: str
) -> tuple[Authored, Merged | None, int]:
    """Return what the source makes, what that comes to with the package at `existing`, and its version.

    What an option does not say, the package does: its domain, and its base URL where the document has
    none that can be used. What an option does say comes like what the document says. `Halt` (1) where the
    package does not validate, but for its digest.
    """
    target = find_package(existing)
    reading = read_package(target.directory)
    if reading.definition is None:
        refuse(terminal, [target.named(reading.report)])
    options = _completed(options, reading)
    authored = _run(terminal, source, options, reading)
    version: int = reading.meta["version"]
    if not authored.files:
        return authored, None, version
    ours = _files(target)
    merged = merge(_base(terminal, target, options, reading), ours, authored.files)
    return authored, merged, version


def _completed(options: Options, reading: Reading) -> Options:
    domain = options.domain if options.domain is not None else reading.meta["domain"]
    return replace(options, domain=domain, present=frozenset(_present(reading)))


def _present(reading: Reading) -> Iterator[str]:
    """Yield what the operations of a package are called: id, action, and `METHOD /path`."""
    for action in reading.actions.values():
        binding = action.get("binding") or {}
        yield f"{binding.get('method')} {binding.get('path')}"
        yield action["name"]
        if "source_operation_id" in action:
            yield action["source_operation_id"]


def _run(terminal: Terminal, source: Source, options: Options, reading: Reading) -> Authored:
    authored = run(terminal, source, options)
    if any(fault.code == "server-missing" for fault in authored.report.faults):
        authored = run(terminal, source, replace(options, base_url=_base_url(reading)))
    return authored


def _base_url(reading: Reading) -> str | None:
    endpoint = reading.meta.get("endpoint")
    return endpoint["base_url"] if isinstance(endpoint, dict) else None


def _files(target: Target) -> dict[str, bytes]:
    found: dict[str, bytes] = {}
    for path, data in read_files(target):
        if isinstance(data, Finding):
            raise Halt(1, f"{shown_path(target.root, path)} cannot be read")
        found[path] = data
    return found


def _base(terminal: Terminal, target: Target, options: Options, reading: Reading) -> dict[str, bytes] | None:
    """Return the files that authoring made of the source which the package keeps, None where it keeps none.

    What is asked for with --include is new where the package has not got it, and not what a person removed.
    """
    with read_tree(target.directory) as tree:
        is_kept = tree.kind(SOURCE_PATH) is EntryKind.FILE
    if not is_kept:
        terminal.complain(f"{shown_path(target.root)} keeps no source: each difference is a conflict\n")
        return None
    try:
        source = read_source(os.path.join(target.directory, SOURCE_PATH))  # noqa: PTH118 - as it was typed
    except DocumentInvalid:
        terminal.complain(
            f"{shown_path(target.root, SOURCE_PATH)} cannot be read: each difference is a conflict\n"
        )
        return None
    authored = _before(terminal, source, options, reading)
    if META not in authored.files:
        return None
    if not options.include:
        return authored.files
    kept = {f"{action['name']}" for action in reading.actions.values()}
    ids = {action.get("source_operation_id") for action in reading.actions.values()}
    gone = {
        f"actions/{row.action}.yaml"
        for row in authored.report.taken
        if row.action not in kept and (row.operation_id is None or row.operation_id not in ids)
    }
    return {path: data for path, data in authored.files.items() if path not in gone}


def _before(terminal: Terminal, source: Source, options: Options, reading: Reading) -> Authored:
    """Return what the kept source makes with the options that made the package, as far as it shows them.

    A name, base URL or authentication that is asked for and that the package does not show is new: what it
    changes comes as what the source changes does.
    """
    plain = replace(options, include=(), exclude=(), auth=None, auth_as={}, require_auth=None)
    if options.name is not None:
        plain = replace(plain, name=reading.meta["name"])
    if options.base_url is not None or options.server_variables:
        plain = replace(plain, base_url=_base_url(reading))
    try:
        bare = _run(terminal, source, plain, reading)
    except click.UsageError:  # the kept source has no such server variable
        bare = _run(terminal, source, replace(plain, server_variables={}), reading)
    if options.auth is None and not options.auth_as and options.require_auth is None:
        return bare
    wishes = replace(plain, auth=options.auth, auth_as=options.auth_as, require_auth=options.require_auth)
    try:
        wished = _run(terminal, source, wishes, reading)
    except click.UsageError:  # the kept source has no such scheme
        return bare
    return wished if _shows(reading, wished, bare) else bare


def _shows(reading: Reading, wished: Authored, bare: Authored) -> bool:
    """Say whether an action is as it is because of the wishes, or could not be there without them."""
    with_them, without = (
        {row.operation_id or row.action: row.profile for row in each.report.taken} for each in (wished, bare)
    )
    for action in reading.actions.values():
        key = action.get("source_operation_id") or action["name"]
        if key not in with_them:
            continue
        profile = (action.get("auth") or {}).get("profile")
        if key not in without or (with_them[key] != without[key] and profile != without[key]):
            return True
    return False
