"""Foreign text made fit to print: one line, no terminal control, nothing invisible, no CI command.

Names, paths, messages and source lines come from the author of a package, who may be hostile to the terminal
or to the log that shows them. Everything that is printed passes here.
"""

from __future__ import annotations

import os
import re
from typing import Final

from extpkg.unprintable import UNPRINTABLE, escape_character

_UNSAFE: Final = re.compile(f"[{UNPRINTABLE}]")
_COMMAND: Final = re.compile(r"##(?=\[|vso\[|teamcity\[)", re.IGNORECASE)


def escaped(text: str) -> str:
    r"""Return `text` on one line, every unsafe character as `\n`, `\xNN`, `\uNNNN` or `\UNNNNNNNN`."""
    return _COMMAND.sub(r"#\\x23", _UNSAFE.sub(lambda match: escape_character(match[0]), text))


def is_unsafe(character: str) -> bool:
    """Whether a character is never printed as it is."""
    return _UNSAFE.match(character) is not None


def breaks_command(text: str, index: int) -> bool:
    """Whether the character at `index` completes the start of a CI command (`##[`, `##vso[`)."""
    return index > 0 and _COMMAND.match(text, index - 1) is not None


def unlocalized(path: str) -> str:
    """Return a file name as UTF-8 reads its bytes, whatever the locale made of them.

    What no file can be called (a surrogate that stands for no byte) becomes U+FFFD.
    """
    try:
        return os.fsencode(path).decode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        return "".join("\ufffd" if "\ud800" <= c <= "\udfff" else c for c in path)


def shown_path(root: str, inside: str = "") -> str:
    """Return the path as given, joined with a path inside it, escaped; the current directory adds nothing."""
    if not inside:
        return escaped(unlocalized(root))
    prefix = "" if root in {".", "./"} else root if root.endswith("/") else f"{root}/"
    return escaped(unlocalized(prefix + inside))


def guarded(text: str) -> str:
    """Return lines of output of which none starts a workflow command, not even behind spaces."""
    if "::" not in text and "##" not in text:
        return text
    return "\n".join(_guarded_line(line) for line in text.split("\n"))


def _guarded_line(line: str) -> str:
    start = len(line) - len(line.lstrip())
    if line.startswith("::", start):
        line = f"{line[:start]}\\x3a{line[start + 1 :]}"
    return _COMMAND.sub(r"#\\x23", line)
