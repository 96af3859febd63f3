"""`extpkg new`: a package that validates at once, with comments that say what to change."""

from __future__ import annotations

import os
import re
import shutil
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

from extpkg.check.layout import is_device
from extpkg.cli.output import refuse_write
from extpkg.cli.paths import DIRECTORY
from extpkg.cli.render.escape import escaped, shown_path
from extpkg.cli.template import action_yaml, meta_yaml
from extpkg.cli.terminal import Halt
from extpkg.definition.files import set_digest
from extpkg.document.strict_yaml import parse_document
from extpkg.package import read_package
from extpkg.resources import registered_builtins, reserved_domains

if TYPE_CHECKING:
    from collections.abc import Sequence

    from extpkg.cli.terminal import Terminal

_KEBAB: Final = re.compile(r"[a-z][a-z0-9]*(?:-[a-z0-9]+)*")
_LONGEST: Final = 64


@click.command(
    "new",
    epilog="""\b
Examples:
  extpkg new weather
  extpkg new packages/tracker --domain issue-tracker --action get-issue --action list-issues""",
)
@click.argument("directory", type=DIRECTORY)
@click.option("--domain", metavar="NAME", help="The domain; by default the name of DIRECTORY.")
@click.option("--action", "actions", metavar="NAME", multiple=True, help="An action; may be repeated.")
@click.pass_obj
def command(terminal: Terminal, *, directory: str, domain: str | None, actions: tuple[str, ...]) -> int:
    """Start a package in DIRECTORY, which must not exist yet.

    Each action begins as a GET request that reads one item; comments say what to change. The
    package validates as it is, digest included.
    """
    target = Path(directory)
    if not directory or target.name in {"", ".."}:
        raise click.UsageError("DIRECTORY must name a directory to make")
    chosen = _name("domain", target.name if domain is None else domain)
    if chosen in reserved_domains():
        raise click.UsageError(f"the domain '{chosen}' is reserved; choose another with --domain")
    if chosen in registered_builtins():
        raise click.UsageError(f"the domain '{chosen}' is that of a Builtin; choose another with --domain")
    names = sorted({_name("action", action) for action in actions or ("get-item",)})
    for name in filter(is_device, names):
        raise click.UsageError(f"'{name}' is the name of a Windows device; choose another with --action")
    if os.path.lexists(directory):
        raise Halt(1, f"'{shown_path(directory)}' exists already; nothing was written")
    _make(target, chosen, names)
    shown = shown_path(directory)
    terminal.print(f"Started {shown} (domain {chosen}; {', '.join(names)}). Next: extpkg validate {shown}\n")
    return 0


def _name(what: str, text: str) -> str:
    if not _KEBAB.fullmatch(text) or len(text) > _LONGEST:
        raise click.UsageError(
            f"'{escaped(text)}' is no {what}: lower-case words of letters and digits joined by -, "
            f"at most {_LONGEST} characters; choose one with --{what}"
        )
    return text


def _make(target: Path, domain: str, actions: Sequence[str]) -> None:
    """Write the package beside its place and move it there once it is whole and valid."""
    try:
        draft = Path(tempfile.mkdtemp(prefix=".extpkg-new-", dir=target.parent))
    except OSError as error:
        refuse_write(shown_path(str(target)), error, 2)
    try:
        _write(draft, domain, actions)
        draft.chmod(0o777 & ~_umask())
        draft.rename(target)
    except OSError as error:
        refuse_write(shown_path(str(target)), error, 1)
    finally:
        shutil.rmtree(draft, ignore_errors=True)


def _write(draft: Path, domain: str, actions: Sequence[str]) -> None:
    meta = draft / "meta.yaml"
    meta.write_bytes(meta_yaml(domain, actions).encode())
    folder = draft / "actions"
    folder.mkdir()
    for action in actions:
        (folder / f"{action}.yaml").write_bytes(action_yaml(action).encode())
    computed = read_package(str(draft)).computed
    if computed is not None:
        data = meta.read_bytes()
        meta.write_bytes(set_digest(data, parse_document(data), computed))
    report = read_package(str(draft)).report
    if report.diagnostics:
        raise RuntimeError(f"the template does not validate: {report.diagnostics[0].message}")


def _umask() -> int:
    mask = os.umask(0o077)
    os.umask(mask)
    return mask
