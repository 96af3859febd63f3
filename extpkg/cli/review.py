"""`extpkg review`: a package as one page for a person who looks rather than reads."""

from __future__ import annotations

from contextlib import ExitStack, suppress
from typing import TYPE_CHECKING, Any, Final

import click

from extpkg.binding.request import compile_action
from extpkg.cli.output import write_file
from extpkg.cli.paths import DIRECTORY, FILE
from extpkg.cli.render.escape import shown_path
from extpkg.cli.render.request import Bound
from extpkg.cli.versions import resolve
from extpkg.errors import ExtensionError

if TYPE_CHECKING:
    from extpkg.cli.terminal import Terminal
    from extpkg.cli.versions import Version
    from extpkg.definition.model import Action, Definition
    from extpkg.review.subject import Comparison, Example, Subject

_TRIED: Final = 50
"""Values of an input schema of which one must be an input that can be sent."""


@click.command(
    "review",
    epilog="""\b
Examples:
  extpkg review weather --output weather.html                      what it is and does
  extpkg review weather --against git:origin/main --output weather.html
  extpkg review weather --against library:weather@3 --output weather.html
  extpkg review @arxiv --output arxiv.html                         a Builtin

\b
PATH and OLD: a directory, @NAME, git:REV[:PATH], library:DOMAIN@VERSION or a digest, as in
extpkg diff. The page is one file that fetches nothing and runs nothing.

\b
Exit codes: 0 written; 1 no valid package; 2 usage, or what cannot be read or written.""",
)
@click.argument("path", metavar="PATH", type=DIRECTORY)
@click.option("--against", metavar="OLD", help="Show what changed since this version.")
@click.option("--output", metavar="FILE", type=FILE, required=True, help="Write the page to FILE.")
@click.option("--library", metavar="URL", help="The library that versions are looked up in.")
@click.pass_obj
def command(terminal: Terminal, *, path: str, against: str | None, output: str, library: str | None) -> int:
    """Write a package as one HTML page for review.

    It has the actions by safety with what they take, give and send, credentials, findings with their
    lines, and what changed since OLD: each change with its class and what shows it. A package may have
    a wrong digest, which the page says; with any other error it is refused.
    """
    from extpkg.review.page import page

    with ExitStack() as stack:
        new = resolve(path, library, against or "", terminal, stack)
        old = resolve(against, library, path, terminal, stack) if against is not None else None
        written = page(_subject(new, old))
    write_file(output, written)
    terminal.complain(f"Written: {shown_path(output)}\n")
    return 0


def _subject(new: Version, old: Version | None) -> Subject:
    from extpkg.definition.normalize import normalize
    from extpkg.review.subject import Subject

    definition = normalize(new.definition)
    examples = {action.name: _example(definition, action) for action in definition.actions}
    return Subject(
        root=shown_path(new.root),
        definition=definition,
        digest=new.digest,
        report=new.report,
        examples={name: example for name, example in examples.items() if example is not None},
        comparison=_comparison(old, new) if old is not None else None,
    )


def _comparison(old: Version, new: Version) -> Comparison:
    from extpkg.cli.render.changes import Compared, place_of
    from extpkg.diff.compare import bump_due, compare
    from extpkg.review.subject import Comparison, Located

    changes = compare(old.definition, new.definition)
    bump = bump_due(old.definition, new.definition)
    compared = Compared(old=old, new=new, changes=changes, bump=bump)
    return Comparison(
        root=shown_path(old.root),
        definition=old.definition,
        digest=old.digest,
        changes=tuple(Located(change=each, place=place_of(compared, each)) for each in changes),
        bump=bump,
    )


def _example(definition: Definition, action: Action) -> Example | None:
    """Return the example of an action, else an input made from its schema; None where none is found."""
    from extpkg.diff.samples import some
    from extpkg.diff.sites import Root

    given = action.catalog.example
    tried = [given] if given is not None else some((Root(action.catalog.input_schema).site,), _TRIED)
    if action.binding is None:
        return _unsent(tried[0], given) if tried else None
    for value in tried:
        with suppress(ExtensionError):
            return _sent(Bound(compile_action(definition, action.name), value), value, given)
    return None


def _unsent(value: Any, given: Any) -> Example:
    from extpkg.review.subject import Example

    return Example(value=value, sent=None, is_made_up=given is None)


def _sent(bound: Bound, value: Any, given: Any) -> Example:
    from extpkg.review.subject import Example, Sent

    request = bound.request
    sent = Sent(
        method=request.method,
        url=request.url + bound.query_credential,
        headers=bound.headers[len(bound.engine) :],
        body=None if request.body is None else request.body.decode(),
        audit_hash=request.audit_hash,
    )
    return Example(value=value, sent=sent, is_made_up=given is None)
