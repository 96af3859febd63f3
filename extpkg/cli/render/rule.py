"""A rule for people and machines: in the terminal, as a documentation page, as a value, in SARIF's help."""

from __future__ import annotations

from textwrap import fill, indent
from typing import TYPE_CHECKING, Any

from extpkg.cli.render.escape import is_unsafe
from extpkg.cli.render.json_report import documentation
from extpkg.unprintable import escape_character

if TYPE_CHECKING:
    from extpkg.check.rules.rule import Rule, Sample

_WIDTH = 88


def rule_text(row: Rule) -> str:
    """Return the explanation of a rule for a terminal."""
    bad, good = _titles(row)
    lines = [
        f"{row.code} {row.name}",
        f"{row.severity.value}, since {row.since}, {row.section}",
        "",
        fill(f"Finds {row.summary}.", _WIDTH),
        "",
        fill(f"Why: {row.why}", _WIDTH),
        "",
        fill(f"Fix: {row.fix}", _WIDTH),
        "",
        f"{bad}, {place_of(row.sample)}:",
        indent(shown_sample(row.sample.bad), "    "),
        "",
        f"{good}:",
        indent(shown_sample(row.sample.good), "    "),
    ]
    return "\n".join(lines) + "\n"


def rule_markdown(row: Rule) -> str:
    """Return the explanation of a rule as Markdown, without its title."""
    bad, good = _titles(row)
    return (
        f"{row.severity.value.capitalize()} since {row.since} ({row.section}): finds {row.summary}.\n\n"
        f"**Why:** {row.why}\n\n"
        f"**Fix:** {row.fix}\n\n"
        f"{bad}, `{place_of(row.sample)}`:\n\n{_fenced(row.sample.bad)}\n\n"
        f"{good}:\n\n{_fenced(row.sample.good)}\n"
    )


def _titles(row: Rule) -> tuple[str, str]:
    """Return what stands above the two texts of a sample."""
    return ("After", "Before") if row.compares else ("Bad", "Good")


def rule_page(row: Rule) -> str:
    """Return the documentation page of a rule."""
    return f"# {row.code} {row.name}\n\n{rule_markdown(row)}"


def rule_value(row: Rule) -> dict[str, Any]:
    r"""Return a rule as JSON value.

    `escaped` says that a sample holds bytes that are no text, and that `bad` and `good` write each as `\xNN`.
    """
    sample = row.sample
    return {
        "code": row.code,
        "name": row.name,
        "severity": row.severity.value,
        "since": row.since,
        "section": row.section,
        "summary": row.summary,
        "why": row.why,
        "fix": row.fix,
        "sample": {
            "file": sample.file,
            "line": sample.line,
            "column": sample.column,
            "bad": _text(sample.bad),
            "good": _text(sample.good),
            "escaped": _is_escaped(sample.bad) or _is_escaped(sample.good),
        },
        "url": documentation(row.code),
    }


def place_of(sample: Sample) -> str:
    """Return where the fault of a sample stands, as `file:line:column` as far as it has them."""
    return f"{sample.file}:{sample.line}:{sample.column}" if sample.line else sample.file


def shown_sample(text: str) -> str:
    """Return the lines of a sample with every character visible, or `(nothing)`."""
    shown = "".join(escape_character(c) if c != "\n" and is_unsafe(c) else c for c in text).strip("\n")
    return shown or "(nothing)"


def _is_escaped(text: str) -> bool:
    return any("\ud800" <= character <= "\udfff" for character in text)


def _text(text: str) -> str:
    """Return a sample as JSON can hold it."""
    return "".join(escape_character(c) if _is_escaped(c) else c for c in text)


def _fenced(text: str) -> str:
    shown = shown_sample(text)
    fence = "```"
    while fence in shown:
        fence += "`"
    return f"{fence}yaml\n{shown}\n{fence}"
