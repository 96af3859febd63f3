"""`extpkg author --interactive`: what a person has to decide, asked one after the other.

Questions go to standard error, answers are lines of standard input; an empty one takes what is in brackets.
"""

from __future__ import annotations

import re
import sys
from dataclasses import replace
from typing import TYPE_CHECKING, Final

import click

from extpkg.binding.origin import refusal
from extpkg.cli.author_run import run
from extpkg.cli.render.escape import escaped
from extpkg.cli.terminal import Halt
from extpkg.openapi.inventory import operations
from extpkg.openapi.naming import domain_name, domain_refusal
from extpkg.openapi.note import Unusable
from extpkg.openapi.security import BEARER, Security, Wishes
from extpkg.openapi.server import choose_endpoint, variables_of

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from extpkg.cli.terminal import Terminal
    from extpkg.openapi.author import Options
    from extpkg.openapi.report import Row
    from extpkg.openapi.source import Source

_RANGE: Final = re.compile(r"([0-9]{1,6})(?:-([0-9]{1,6}))?")


def asked(
    terminal: Terminal, source: Source, options: Options, *, answer: Callable[[], str] | None = None
) -> Options:
    """Return the options with what a person answers: domain, server, auth, and which operations.

    `answer` returns a line, or nothing where there are no more: `Halt` (2).
    """
    questions = _Questions(terminal, answer or _line)
    options = _domain(questions, source, options)
    options = _server(questions, source, options)
    options = _auth(questions, source, options)
    return _operations(questions, terminal, source, options)


def _line() -> str:
    if sys.stdin is None:
        return ""
    return sys.stdin.readline()


class _Questions:
    """Asks, and reads the answers."""

    def __init__(self, terminal: Terminal, answer: Callable[[], str]) -> None:
        self._terminal = terminal
        self._answer = answer

    def say(self, text: str) -> None:
        """Print a line."""
        self._terminal.complain(f"{text}\n")

    def ask(self, text: str, default: str, judge: Callable[[str], str] = lambda _: "") -> str:
        """Return an answer that `judge` has nothing against; it is asked for until there is one."""
        while True:
            shown = f" [{escaped(default)}]" if default else ""
            self._terminal.complain(f"{text}{shown}: ")
            line = self._answer()
            if not line:
                self.say("")
                raise Halt(2, "standard input ended before everything was answered; nothing was written")
            said = line.strip() or default
            fault = judge(said)
            if not fault:
                return said
            self.say(f"  {fault}")


def _domain(questions: _Questions, source: Source, options: Options) -> Options:
    info = source.root.get("info")
    title = info.get("title") if info is not None else None
    suggested = options.domain or domain_name(str(title.value) if title is not None else "")
    return replace(options, domain=questions.ask("Domain", suggested, domain_refusal))


def _server(questions: _Questions, source: Source, options: Options) -> Options:
    """Ask for the base URL; for variables first where the document's server has some."""
    given = dict(options.server_variables)
    if options.base_url is None:
        for name, default, allowed in variables_of(source):
            if name not in given:
                shown = f" ({', '.join(map(escaped, allowed))})" if allowed else ""
                given[name] = questions.ask(
                    f"Server variable {escaped(name)}{shown}", default, _among(allowed)
                )
    suggested = options.base_url or ""
    if not suggested:
        try:
            suggested = choose_endpoint(source, None, given).base_url
        except Unusable as unusable:
            questions.say(f"The document's servers cannot be used: {escaped(unusable.message)}")

    def judge(text: str) -> str:
        refused = refusal(text)
        return f"refused: {refused.reason}" if refused else ""

    chosen = questions.ask("Base URL", suggested, judge)
    same = options.base_url is None and chosen == suggested
    return replace(options, server_variables=given, base_url=None if same else chosen)


def _among(allowed: Sequence[str]) -> Callable[[str], str]:
    def judge(text: str) -> str:
        if not text:
            return "a value is needed"
        return "" if not allowed or text in allowed else f"one of {', '.join(map(escaped, allowed))}"

    return judge


def _auth(questions: _Questions, source: Source, options: Options) -> Options:
    wishes = Wishes(prefer=options.auth, read_as=options.auth_as, require=options.require_auth)
    listed = operations(source)
    try:
        security = Security(source, listed, wishes)
    except Unusable as unusable:
        raise click.UsageError(unusable.message) from None
    read_as = dict(options.auth_as)
    for scheme in security.schemes:
        if scheme.profile is None and scheme.code == "security-apikey-in-Authorization":
            text = f"Read {escaped(scheme.name)} as a bearer token (y/n)"
            if questions.ask(text, "n", _among(["y", "n"])) == "y":
                read_as[scheme.name] = BEARER
    security = Security(source, listed, replace(wishes, read_as=read_as))
    usable = [scheme.name for scheme in security.schemes if scheme.profile is not None]
    options = replace(options, auth_as=read_as)
    if not usable:
        return options
    named = f"({', '.join(map(escaped, usable))}, or - for"
    choice = _among([*usable, "-"])
    prefer, require = options.auth, options.require_auth
    if len(usable) > 1 and prefer is None:
        said = questions.ask(f"Scheme to prefer {named} the usual choice)", "-", choice)
        prefer = None if said == "-" else said
    if require is None and any(not security.needs(each) for each in listed):
        said = questions.ask(f"Scheme where the document requires none {named} none)", "-", choice)
        require = None if said == "-" else said
    return replace(options, auth=prefer, require_auth=require)


def _operations(questions: _Questions, terminal: Terminal, source: Source, options: Options) -> Options:
    """Show every operation with its safety, and let the person switch them on and off."""
    report = run(terminal, source, options).report
    rows = report.rows
    chosen = {index for index, row in enumerate(rows) if row.taken}
    if report.faults or not chosen:
        return options
    whole = set(chosen)
    while True:
        for line in checklist(rows, chosen):
            questions.say(line)
        count = f"{len(chosen)} of {len(whole)}"
        said = questions.ask(
            f"{count} are taken. Numbers or ranges to switch (3 7-9), all, none, Enter to go on",
            "",
            lambda text: _unread(text, len(rows)),
        )
        if not said:
            if chosen:
                break
            questions.say("  at least one operation must be taken")
            continue
        chosen = _switched(said, chosen, whole)
    if chosen == whole:
        return options
    return replace(options, include=tuple(rows[index].place for index in sorted(chosen)), exclude=())


def checklist(rows: Sequence[Row], chosen: set[int]) -> list[str]:
    """Return a line for each operation that was asked for: its number, whether it is taken, its safety."""
    lines = []
    for index, row in enumerate(rows):
        if row.taken:
            mark = "x" if index in chosen else " "
            lines.append(
                f"[{mark}] {index + 1:>4}  {row.safety or '':11}  {row.action}  {escaped(row.place)}"
            )
        elif row.reasons:
            lines.append(f" -  {index + 1:>4}  {'left out':11}  {escaped(row.place)}: {row.reasons[0].code}")
    return lines


def _unread(text: str, count: int) -> str:
    """Say what is wrong with an answer to the checklist, or nothing."""
    if text in {"", "all", "none"}:
        return ""
    for word in re.split(r"[\s,]+", text):
        found = _RANGE.fullmatch(word)
        if found is None or not 1 <= int(found[1]) <= int(found[2] or found[1]) <= count:
            return f"'{escaped(word)}' is no number or range from 1 to {count}"
    return ""


def _switched(text: str, chosen: set[int], whole: set[int]) -> set[int]:
    if text == "all":
        return set(whole)
    if text == "none":
        return set()
    named: set[int] = set()
    for word in re.split(r"[\s,]+", text):
        found = _RANGE.fullmatch(word)
        if found is not None:
            named.update(range(int(found[1]) - 1, int(found[2] or found[1])))
    return chosen ^ (named & whole)
