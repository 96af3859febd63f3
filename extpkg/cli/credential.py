"""Credentials as the command line takes them: where to read one, never the text itself.

`FIELD=env:NAME` reads an environment variable, `FIELD=file:PATH` a file that nobody else may read, `FIELD=-`
standard input, where a terminal is asked without showing what is typed. Nothing that was typed is repeated in
a message before it is known to be no credential: a text given by mistake is one.
"""

from __future__ import annotations

import getpass
import os
import re
import shlex
import stat
import sys
import warnings
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from extpkg.cli.render.escape import shown_path
from extpkg.cli.terminal import Halt
from extpkg.errors import ExtensionError
from extpkg.secret import Secret

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping, Sequence

FORMS: Final = "FIELD=env:NAME|file:PATH|-"
"""How an option says where a credential is, for its metavar."""

CREDENTIAL_BYTES: Final = 16 << 10
"""Bytes of one credential; headers have no room for more."""

STANDARD_INPUT: Final = "-"

_SOURCE: Final = re.compile(r"([A-Za-z][A-Za-z0-9_.-]*)=(?:(env|file):(.+)|(-))", re.DOTALL)
_VARIABLE: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_UNFIT: Final = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]")
_OTHERS: Final = stat.S_IRWXG | stat.S_IRWXO
_OPEN: Final = (
    os.O_RDONLY
    | getattr(os, "O_CLOEXEC", 0)
    | getattr(os, "O_NONBLOCK", 0)
    | getattr(os, "O_NOCTTY", 0)
    | getattr(os, "O_BINARY", 0)
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """Where the credential of the field `name` is: `kind` is `env`, `file` or `-`, `place` where that is."""

    name: str
    kind: str
    place: str = field(repr=False)


def reads_standard_input(given: Sequence[str]) -> bool:
    """Say whether one of the options takes standard input, so that nothing else can."""
    return any(text.endswith("=-") for text in given)


def call_credentials(given: Sequence[str], profiles: Collection[str]) -> dict[str, Secret]:
    """Return the credentials of a call, by profile.

    A place that has none is no wrong usage: the call fails as without one, by `ExtensionError`
    (`provider_auth_unavailable`). `Halt` (2) for options that `read_credentials` refuses as they are written.
    """
    sources = _sources(given, profiles)
    try:
        return _secrets(sources, os.environ, getpass.getpass)
    except Halt as halt:
        message, reason = halt.message, "credential_missing"
    except ExtensionError as error:
        message, reason = error.message, "credential_malformed"
    raise ExtensionError("provider_auth_unavailable", message, {"reason": reason})


def read_credentials(
    given: Sequence[str],
    fields: Collection[str],
    *,
    environment: Mapping[str, str] = os.environ,
    ask: Callable[[str], str] = getpass.getpass,
) -> dict[str, Secret]:
    """Return the credentials that options `FIELD=env:NAME|file:PATH|-` lead to, by field.

    `Halt` (2) for an option of another form, an unknown or repeated field, or a source that cannot be read;
    `ExtensionError` (`validation`) for a credential that is empty or is not one line of text.
    """
    return _secrets(_sources(given, fields), environment, ask)


def _sources(given: Sequence[str], fields: Collection[str]) -> list[Source]:
    sources = [_source(text, fields) for text in given]
    if len({source.name for source in sources}) < len(sources):
        raise Halt(2, "--credential is given twice for one field")
    if sum(source.kind == STANDARD_INPUT for source in sources) > 1:
        raise Halt(2, "only one --credential can be read from standard input")
    return sources


def _secrets(
    sources: Sequence[Source], environment: Mapping[str, str], ask: Callable[[str], str]
) -> dict[str, Secret]:
    return {source.name: _judged(source, _read(source, environment, ask)) for source in sources}


def _source(text: str, fields: Collection[str]) -> Source:
    found = _SOURCE.fullmatch(text)
    if found is None or (found[2] == "env" and not _VARIABLE.fullmatch(found[3])):
        message = (
            f"--credential must be {FORMS}: where the credential is. "
            "The credential itself is never an argument, which others on this machine can see"
        )
        raise Halt(2, message)
    if found[1] not in fields:
        known = ", ".join(sorted(fields)) or "none"
        raise Halt(2, f"--credential names a field that is not there; the fields are: {known}")
    return Source(name=found[1], kind=found[2] or STANDARD_INPUT, place=found[3] or "")


def _read(source: Source, environment: Mapping[str, str], ask: Callable[[str], str]) -> bytes:
    match source.kind:
        case "env":
            text = environment.get(source.place)
            if text is None:
                raise Halt(2, f"the environment variable for the credential {source.name} is not set")
            return os.fsencode(text)
        case "file":
            return private_file(source.place, f"the credential {source.name}")
        case _:
            return _standard_input(source, ask)


def private_file(path: str, what: str, most: int = CREDENTIAL_BYTES + 2) -> bytes:
    """Return what a file holds that is regular and nobody else's to read; it may be reached by a link.

    At most one byte more than `most` is read. `Halt` (2) names `what` the file is for.
    """
    try:
        descriptor = os.open(path, _OPEN)
    except (OSError, ValueError) as error:
        reason = (getattr(error, "strerror", None) or "not a path").lower()
    else:
        try:
            _judge_file(path, what, os.fstat(descriptor))
            with os.fdopen(descriptor, "rb", closefd=False) as file:
                return file.read(most + 1)
        finally:
            os.close(descriptor)
    raise Halt(2, f"the file for {what} cannot be read: {reason}")


def _judge_file(path: str, what: str, found: os.stat_result) -> None:
    if not stat.S_ISREG(found.st_mode):
        raise Halt(2, f"what is given for {what} is no regular file")
    if os.name != "nt" and found.st_mode & _OTHERS:
        raise Halt(2, f"others may read the file for {what}; run: chmod 600 {shown_path(shlex.quote(path))}")


def _standard_input(source: Source, ask: Callable[[str], str]) -> bytes:
    if sys.stdin is None:
        raise Halt(2, f"there is no standard input to read the credential {source.name} from")
    if not sys.stdin.isatty():
        return sys.stdin.buffer.read(CREDENTIAL_BYTES + 3)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error", getpass.GetPassWarning)
            return ask(f"{source.name} (not shown): ").encode(errors="surrogatepass")
    except (EOFError, getpass.GetPassWarning):
        pass
    raise Halt(2, f"the terminal cannot be asked for the credential {source.name} without showing it")


def _judged(source: Source, data: bytes) -> Secret:
    """Return a credential without the line break that ends a file."""
    data = data.removesuffix(b"\n").removesuffix(b"\r")
    if not data.strip():
        raise ExtensionError("validation", f"the credential {source.name} is empty")
    if len(data) <= CREDENTIAL_BYTES:
        text = data.decode(errors="surrogateescape")
        if not _UNFIT.search(text):
            return Secret(text)
    message = f"the credential {source.name} is not one line of UTF-8 of at most {CREDENTIAL_BYTES:,} bytes"
    raise ExtensionError("validation", message)
