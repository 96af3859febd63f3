"""What the toolkit says about a package: positions, findings, diagnostics, reports.

A *finding* is what a check yields: a rule's code and a place named by (file, pointer). It knows no lines.
A *diagnostic* is a finding joined with its rule and its position: what a person or a machine reads.
"""

from __future__ import annotations

import enum
import re
from dataclasses import dataclass, replace
from typing import Any, Final

from extpkg.unprintable import UNPRINTABLE, escape_character

_QUOTED_CHARACTERS: Final = 60

_UNFIT: Final = re.compile(f'["\\\\{UNPRINTABLE}]')
_QUOTING: Final = {'"': r"\"", "\\": r"\\"}


class Severity(enum.Enum):
    """How much a rule weighs: errors refuse a package, warnings do so under `--strict` alone, notes never."""

    ERROR = "error"
    WARNING = "warning"
    NOTE = "note"


@dataclass(frozen=True, slots=True, kw_only=True, order=True)
class Position:
    """A span of a document: 1-based lines and columns in code points; the end is exclusive."""

    line: int
    column: int
    end_line: int
    end_column: int


class Part(enum.Enum):
    """Which part of the member at a pointer is meant: its value or its key."""

    VALUE = "value"
    KEY = "key"


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """A place in a package: a file (relative, `/`-joined), a pointer into it, and which part of the member.

    `position` is set where the reader knows the span and no pointer can name it (a syntax error, say);
    otherwise the report looks it up. `character` is the index of the one character that is meant, where the
    part is a string and not all of it is. `label` is the short text that stands under the marked source.
    """

    path: str
    pointer: str = ""
    part: Part = Part.VALUE
    position: Position | None = None
    character: int | None = None
    label: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """One fault: the rule's code, where it is, what is wrong here, and what would mend it here.

    `message` is one line without a full stop. `help` overrides the rule's general fix where the check knows
    a better one. `related` are other places that explain the fault.
    """

    code: str
    place: Place
    message: str
    help: str = ""
    related: tuple[Place, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Excerpt:
    """One source line, kept so that a report can show it after its document is gone."""

    line: int
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Related:
    """A second place of a diagnostic, with the text to show there."""

    path: str
    pointer: str
    position: Position | None
    message: str
    excerpt: Excerpt | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Diagnostic:
    """A finding joined with its rule and position.

    `root` is the package's path as it was given; `path` is relative to it. `line` to `end_column` are 1-based
    (0 where a finding concerns no text: a missing file, say). `id` is a fingerprint that does not depend on
    line numbers.
    """

    code: str
    name: str
    severity: Severity
    root: str
    path: str
    pointer: str
    line: int
    column: int
    end_line: int
    end_column: int
    message: str
    help: str
    label: str
    related: tuple[Related, ...]
    excerpt: Excerpt | None
    id: str

    @property
    def position(self) -> Position | None:
        """The span in `path`, or None where the finding concerns no text."""
        if self.line == 0:
            return None
        return Position(
            line=self.line, column=self.column, end_line=self.end_line, end_column=self.end_column
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """What checking one package found.

    `digest` is the computed Definition digest, or None where a value that it depends on is in doubt.
    `domain` and `version` are what `meta.yaml` says, or None where it does not say it readably. `cut` says
    how many diagnostics a cap has left out.
    """

    root: str
    domain: str | None
    version: int | None
    digest: str | None
    diagnostics: tuple[Diagnostic, ...]
    cut: int = 0

    @property
    def errors(self) -> tuple[Diagnostic, ...]:
        """The diagnostics that refuse the package."""
        return tuple(d for d in self.diagnostics if d.severity is Severity.ERROR)

    @property
    def ok(self) -> bool:
        """Whether the package has no error (warnings do not count)."""
        return not self.errors

    def named(self, root: str) -> Report:
        """Return the report with its package called `root`, whatever directory was read."""
        if root == self.root:
            return self
        found = tuple(replace(d, root=root) if d.root == self.root else d for d in self.diagnostics)
        return replace(self, root=root, diagnostics=found)


def quoted(value: Any) -> str:
    """Return how a message names a value: one line, at most 60 characters of it, nothing invisible unescaped.

    A string stands in double quotes, `null`, a boolean or a number as JSON writes it; of a collection only
    the kind is named.
    """
    if isinstance(value, str):
        cut = "…" if len(value) > _QUOTED_CHARACTERS else ""
        return f'"{_UNFIT.sub(_escape, value[:_QUOTED_CHARACTERS])}{cut}"'
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    if isinstance(value, (int, float)):
        return repr(value)[:_QUOTED_CHARACTERS]
    return "a list" if isinstance(value, list) else "a mapping"


def _escape(match: re.Match[str]) -> str:
    character = match[0]
    return _QUOTING.get(character) or escape_character(character)
