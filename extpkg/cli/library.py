"""`extpkg library`: the immutable store of published versions, and what is done with it."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import click

from extpkg.cli.judging import candidates, former_of, opened_library, policy_for
from extpkg.cli.output import refuse_write
from extpkg.cli.paths import DIRECTORY, FILE
from extpkg.cli.render.escape import escaped, guarded, shown_path
from extpkg.cli.render.json_report import dumped
from extpkg.cli.render.table import table
from extpkg.cli.render.verdict import render_verdicts
from extpkg.cli.suppressions import read_config
from extpkg.cli.terminal import Halt
from extpkg.document.directory import place_directory
from extpkg.library.contents import check_contents
from extpkg.library.entry import is_digest
from extpkg.library.location import location
from extpkg.library.publish import mirrored, stored
from extpkg.library.store import NotPublished, Outcome, same_version

if TYPE_CHECKING:
    from extpkg.cli.terminal import Terminal
    from extpkg.library.entry import Entry, Publication
    from extpkg.library.store import Store

_LIBRARY = click.option("--library", metavar="URL", help="Which library: a file, or oci://HOST/REPOSITORY.")
_JSON = click.option("--json", "as_json", is_flag=True, help="Print JSON.")


@click.group(
    "library",
    epilog="""\b
Examples:
  extpkg library init                                  make the library of this user
  extpkg library publish packages/weather              judge it, and store exactly what was judged
  extpkg library list                                  what is published
  extpkg library get weather@2 copy                    its files, every byte hashed again
  extpkg library verify                                hash everything, walk the log

\b
The library is --library URL, else EXTPKG_LIBRARY, else library.db in the user's data directory.
A URL is a file, or a repository of a registry: oci://HOST[:PORT]/REPOSITORY, with oci+private:// for a host
at a private address, and oci+http:// for one without TLS. EXTPKG_LIBRARY_KEY names the key that signs the log
of such a library, EXTPKG_LIBRARY_PUBLIC_KEY the keys that a reader believes.
Exit codes: 0 done; 1 refused, a conflict, nothing of that name, or the library is damaged;
2 usage, or a path or library that cannot be opened; 74 what was to be written has no room.""",
)
def command() -> None:
    """Keep every published version of packages, immutable and content-addressed."""


@command.command("init")
@_LIBRARY
@click.pass_obj
def init(terminal: Terminal, *, library: str | None) -> int:
    """Make a library where there is none; one that is there stays as it is."""
    place = location(library, os.environ)
    with opened_library(place) as store:
        made = store.create()
    terminal.print(f"{'made' if made else 'there already'}: {shown_path(place)}\n")
    return 0


@command.command(
    "publish",
    epilog="""\b
A version that is there already with the same digest is unchanged, with another one a conflict.
A new version is judged as extpkg gate judges it, against the library.""",
)
@click.argument("path", type=DIRECTORY)
@_LIBRARY
@click.option("--config", metavar="FILE", type=FILE, help="Take policy and suppressions from FILE.")
@click.option("--dry-run", is_flag=True, help="Do everything but store.")
@click.pass_obj
def publish(terminal: Terminal, *, path: str, library: str | None, config: str | None, dry_run: bool) -> int:
    """Judge a package and publish exactly the bytes that were judged, once and for ever."""
    from extpkg.gate.judge import judge

    policy = policy_for([path], config)
    with (
        opened_library(library) as store,
        candidates([path], config, "library", former_of("library", library)) as found,
    ):
        if len(found) != 1:
            raise Halt(2, f"'{shown_path(path)}' contains {len(found)} packages; name one of them")
        [(candidate, taken)] = found
        entry = None if taken is None else stored(candidate.reading, taken)
        known = None if entry is None else store.find(entry.domain, entry.version)
        if known is None:
            verdict = judge(candidate, policy)
            terminal.complain(guarded(render_verdicts([verdict])))
            if not verdict.passed or entry is None:
                return 1
        if entry is None:
            raise Halt(1, "the package is not valid")
        if not dry_run:
            outcome = store.add(entry)  # what is known too: a registry may have lost a tag of it
        else:
            outcome = Outcome.STORED if known is None else same_version(known, entry)
    said = "would be stored" if dry_run and outcome is Outcome.STORED else outcome.value
    terminal.print(f"{entry.domain}@{entry.version} {entry.digest} {said}\n")
    return 0


@command.command("list")
@click.argument("domain", required=False)
@_LIBRARY
@_JSON
@click.pass_obj
def list_(terminal: Terminal, *, domain: str | None, library: str | None, as_json: bool) -> int:
    """List what is published, by domain and version."""
    with opened_library(library) as store:
        lines = sorted(store.publications(), key=lambda line: (line.domain, line.version))
    shown = [line for line in lines if domain in {None, line.domain}]
    if as_json:
        terminal.print(dumped([_row(line) for line in shown]))
    else:
        rows = [[line.domain, str(line.version), line.definition] for line in shown]
        terminal.print("".join(f"{row}\n" for row in table([["domain", "version", "digest"], *rows])))
    return 0


@command.command("get")
@click.argument("what", metavar="DOMAIN@VERSION|DIGEST")
@click.argument("output", type=DIRECTORY)
@_LIBRARY
@click.pass_obj
def get(terminal: Terminal, *, what: str, output: str, library: str | None) -> int:
    """Write the files of a published version to OUTPUT, which must not exist; every byte is hashed again."""
    with opened_library(library) as store:
        line = find_line(store, what)
        entry = _whole(store, line)
    try:
        place_directory(output, entry.files)
    except FileExistsError as error:
        raise Halt(1, f"'{shown_path(output)}' exists already") from error
    except OSError as error:
        refuse_write(shown_path(output), error, 2)
    terminal.print(f"{line.name} {line.definition} in {shown_path(output)}\n")
    return 0


@command.command("mirror")
@click.argument("to", metavar="TO")
@_LIBRARY
@click.pass_obj
def mirror(terminal: Terminal, *, to: str, library: str | None) -> int:
    """Publish every version of this library into the library TO, in the order of the log."""
    with (
        opened_library(library) as source,
        opened_library(to) as target,
    ):
        for line, outcome in mirrored(source, target):
            terminal.print(f"{line.name} {line.definition} {outcome.value}\n")
    return 0


@command.command("verify")
@click.argument("what", metavar="[DOMAIN@VERSION|DIGEST]", required=False)
@click.option("--all", "everything", is_flag=True, help="Everything, which is the default.")
@_LIBRARY
@click.pass_obj
def verify(terminal: Terminal, *, what: str | None, everything: bool, library: str | None) -> int:
    """Hash a version again, or everything, and walk the log; say everything that is wrong."""
    if what is not None and everything:
        raise click.UsageError("--all goes without a version")
    with opened_library(library) as store:
        if what is not None:
            line = find_line(store, what)
            _whole(store, line)
            terminal.print(f"{line.name} {line.definition} is whole\n")
            return 0
        faults = list(store.verify())
        count = 0 if faults else len(store.publications())
        notes = store.notes()
    for fault in faults:
        terminal.print(f"{escaped(fault.message)}\n")
    for note in notes:
        terminal.complain(f"note: {escaped(note)}\n")
    terminal.complain(f"{len(faults)} faults\n" if faults else f"{count} versions, all whole\n")
    return 1 if faults else 0


@command.command("log")
@_LIBRARY
@_JSON
@click.pass_obj
def log(terminal: Terminal, *, library: str | None, as_json: bool) -> int:
    """Print the chain of publications, in their order."""
    with opened_library(library) as store:
        lines = store.publications()
    if as_json:
        terminal.print(dumped([_row(line) for line in lines]))
    else:
        rows = [[str(line.sequence), line.name, line.definition, line.link] for line in lines]
        terminal.print("".join(f"{row}\n" for row in table([["", "version", "definition", "link"], *rows])))
    return 0


@command.command("attest")
@click.argument("what", metavar="DOMAIN@VERSION|DIGEST")
@click.argument("attestation", type=FILE)
@_LIBRARY
@click.pass_obj
def attest(terminal: Terminal, *, what: str, attestation: str, library: str | None) -> int:
    """Keep an attestation, as extpkg gate --attest writes it, beside a published version."""
    envelope = read_config(attestation)
    with opened_library(library) as store:
        line = find_line(store, what)
        store.attest(line, envelope)
    terminal.print(f"{line.name} {line.definition} has {shown_path(attestation)}\n")
    return 0


@command.command("attestations")
@click.argument("what", metavar="DOMAIN@VERSION|DIGEST")
@click.argument("output", type=DIRECTORY)
@_LIBRARY
@click.pass_obj
def attestations(terminal: Terminal, *, what: str, output: str, library: str | None) -> int:
    """Write the attestations of a version to OUTPUT, which must not exist; extpkg verify judges them."""
    with opened_library(library) as store:
        line = find_line(store, what)
        found = sorted(store.attestations(line))
    try:
        place_directory(output, {f"{number}.json": data for number, data in enumerate(found, start=1)})
    except FileExistsError as error:
        raise Halt(1, f"'{shown_path(output)}' exists already") from error
    terminal.print(f"{len(found)} attestations of {line.name} in {shown_path(output)}\n")
    return 0


def find_line(store: Store, what: str) -> Publication:
    """Return the published version that `DOMAIN@VERSION` or a digest names; raises `NotPublished`."""
    domain, _, version = what.rpartition("@")
    if is_digest(what):
        line = store.find_digest(what)
    elif domain and version.isascii() and version.isdecimal() and len(version) <= 10:
        line = store.find(domain, int(version))
    else:
        raise Halt(2, f"'{escaped(what)}' is neither DOMAIN@VERSION nor a digest")
    if line is None:
        raise NotPublished(f"{escaped(what)} is not published here")
    return line


def _whole(store: Store, line: Publication) -> Entry:
    """Return a published version of which every byte and the whole package were judged again."""
    entry = store.read(line)
    check_contents(entry)
    return entry


def _row(line: Publication) -> dict[str, Any]:
    return {
        "sequence": line.sequence,
        "domain": line.domain,
        "version": line.version,
        "definition": line.definition,
        "manifest": line.manifest,
        "previous": line.previous,
        "link": line.link,
    }
