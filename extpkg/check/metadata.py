"""What `meta.yaml` says beyond its shape, and what a package's kind asks of its files (R-META, R-PKG-6)."""

from __future__ import annotations

import enum
import re
from typing import TYPE_CHECKING, Any, Final

from extpkg import resources
from extpkg.binding.origin import refusal
from extpkg.check.members import children, lacks, text_at
from extpkg.diagnostic import Finding, Part, Place, quoted
from extpkg.document.files import META, EntryKind
from extpkg.limits import SOURCE_BYTES

if TYPE_CHECKING:
    from collections.abc import Iterator

    from extpkg.document.files import Tree


KEBAB: Final = re.compile(r"[a-z][a-z0-9]*(?:-[a-z0-9]+)*")
NAME_CHARACTERS: Final = 128
LONG_NAME_CHARACTERS: Final = 64

_LINE_BREAK: Final = re.compile("[\n\v\f\r\x85\u2028\u2029]")
_DIGEST: Final = re.compile(r"sha256:[0-9a-f]{64}")
_SHA256: Final = re.compile(r"[0-9a-f]{64}")
_SOURCE_URL: Final = re.compile(
    r"https://[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)*\.?(?::[0-9]{1,5})?"
    r"(?:[/?#](?:[A-Za-z0-9._~!$&'()*+,;=:@/?#-]|%[0-9A-Fa-f]{2})*)?"
)
_UNFIT_IN_PATH: Final = re.compile(r"[\x00-\x1f\x7f\\]")


class Kind(enum.Enum):
    """What a package is registered as, never a field (R-PKG-5); connectionless is the policy `none`."""

    EXTERNAL = "External"
    BUILTIN = "Builtin"
    CONNECTIONLESS = "connectionless Builtin"


def kind_of(meta_value: Any) -> Kind | None:
    """Return the kind of the package with this `meta.yaml` value: its domain alone decides (R-PKG-5).

    None where there is no domain to tell it by, so that nothing that depends on the kind is said.
    """
    domain = text_at(meta_value, "domain")
    if domain is None:
        return None
    registered = resources.registered_builtins().get(domain)
    if registered is None:
        return Kind.EXTERNAL
    return Kind.CONNECTIONLESS if registered.connection_policy == "none" else Kind.BUILTIN


def check_metadata(meta_value: Any) -> Iterator[Finding]:
    """Yield what R-META-1 to 5, 7 (the digest's form) and 8 and R-PKG-6 find in a `meta.yaml` value."""
    if not isinstance(meta_value, dict):
        return
    yield from _check_versions(meta_value)
    yield from _check_digest(meta_value)
    yield from _check_domain(meta_value)
    yield from _check_one_line(meta_value, "name", 80, "EXT0311")
    yield from _check_one_line(meta_value, "description", 1024, "EXT0312")
    yield from _check_provenance(meta_value.get("source"))
    yield from _check_endpoint(meta_value)
    yield from _check_action_names(meta_value)


def check_action_kind(action_value: Any, file: str, kind: Kind | None) -> Iterator[Finding]:
    """Yield an External action's missing `binding`, and what a Builtin's action must not have (R-PKG-6)."""
    if not isinstance(action_value, dict) or kind is None:
        return
    if kind is Kind.EXTERNAL:
        if lacks(action_value, "binding"):
            yield Finding(
                code="EXT0322",
                place=Place(path=file, label='"binding" is missing'),
                message='an action of an External package lacks "binding"',
            )
        return
    for name in ("binding", "source_operation_id"):
        if name in action_value:
            yield _foreign_field(file, name, kind)
    if kind is Kind.CONNECTIONLESS and action_value.get("auth") is not None:
        yield _foreign_field(file, "auth", kind)


def check_source(meta_value: Any, tree: Tree) -> Iterator[Finding]:
    """Yield the warnings about a provenance file that is missing, different or too large (R-META-4).

    Nothing is said where `path` or `sha256` is not well-formed, nor where the file is no regular file or
    lies below something that is no directory: other rules say that.
    """
    source = meta_value.get("source") if isinstance(meta_value, dict) else None
    path, stated = text_at(source, "path"), text_at(source, "sha256")
    if path is None or stated is None or _source_path_fault(path) or not _SHA256.fullmatch(stated):
        return
    above = {tree.kind(path[: slash.start()]) for slash in re.finditer("/", path)}
    if not above <= {EntryKind.DIRECTORY, None}:
        return
    kind = tree.kind(path)
    if kind is None:
        yield Finding(
            code="EXT0317",
            place=Place(path=META, pointer="/source/path", label="no such file"),
            message=f"the source file {quoted(path)} does not exist",
        )
        return
    found = tree.sha256(path, SOURCE_BYTES)
    if found == stated or kind is not EntryKind.FILE:
        return
    mebibytes = SOURCE_BYTES >> 20
    differs = (
        f"has the SHA-256 {found}"
        if found
        else f"cannot be compared: it is over {mebibytes} MiB or unreadable"
    )
    yield Finding(
        code="EXT0318",
        place=Place(path=META, pointer="/source/sha256", label="not that of the file"),
        message=f"the source file {quoted(path)} {differs}",
        help=f"review the package against the file, then write sha256: {found}" if found else "",
    )


def _check_versions(meta: dict[str, Any]) -> Iterator[Finding]:
    schema_version, version = meta.get("schema_version", 1), meta.get("version", 1)
    if _is_whole(schema_version) and (isinstance(schema_version, float) or schema_version != 1):
        yield Finding(
            code="EXT0305",
            place=Place(path=META, pointer="/schema_version", label="must be 1"),
            message=f"schema_version is {quoted(schema_version)}, not the integer 1",
        )
    if _is_whole(version) and (isinstance(version, float) or not 1 <= version < 1 << 31):
        whole = isinstance(version, float) and 1 <= version < 1 << 31
        yield Finding(
            code="EXT0306",
            place=Place(path=META, pointer="/version", label="not an integer from 1 to 2147483647"),
            message=f"version is {quoted(version)}, not an integer from 1 to 2147483647 written as one",
            help=f"write {int(version)}" if whole else "",
        )


def _check_digest(meta: dict[str, Any]) -> Iterator[Finding]:
    """Yield a digest of the wrong form; whether it is there and right is judged elsewhere."""
    written = text_at(meta, "digest")
    if written is not None and not is_digest(written):
        yield Finding(
            code="EXT0602",
            place=Place(path=META, pointer="/digest"),
            message=f'{quoted(written)} is not "sha256:" and 64 lower-case hexadecimal digits',
        )


def _is_whole(value: Any) -> bool:
    """Whether a JSON Schema calls the value an integer; anything else has the wrong type."""
    return not isinstance(value, bool) and (
        isinstance(value, int) or (isinstance(value, float) and value.is_integer())
    )


def _check_domain(meta: dict[str, Any]) -> Iterator[Finding]:
    domain = text_at(meta, "domain")
    if domain is None:
        return
    if not is_name(domain):
        yield _bad_name("EXT0307", "/domain", "domain", domain)
    elif domain in resources.reserved_domains():
        yield Finding(
            code="EXT0310",
            place=Place(path=META, pointer="/domain", label="reserved"),
            message=f"the domain {quoted(domain)} is reserved",
        )
    elif len(domain) > LONG_NAME_CHARACTERS:
        yield _long_name("/domain", "domain", domain)


def _check_action_names(meta: dict[str, Any]) -> Iterator[Finding]:
    actions = meta.get("actions")
    if isinstance(actions, list) and not actions:
        yield Finding(
            code="EXT0324",
            place=Place(path=META, pointer="/actions", label="empty"),
            message='"actions" lists no action',
        )
    for pointer, entry in children(meta, "actions"):
        name = text_at(entry, "name")
        if name is None:
            continue
        if not is_name(name):
            yield _bad_name("EXT0308", f"{pointer}/name", "action name", name)
        elif len(name) > LONG_NAME_CHARACTERS:
            yield _long_name(f"{pointer}/name", "action name", name)


def is_digest(text: str) -> bool:
    """Say whether a text has the form of a digest: `sha256:` and 64 lower-case hex digits (R-DIG-1)."""
    return _DIGEST.fullmatch(text) is not None


def is_name(text: str) -> bool:
    """Whether a text may be a domain, an action name or a profile id (R-META-2)."""
    return len(text) <= NAME_CHARACTERS and KEBAB.fullmatch(text) is not None


def _bad_name(code: str, pointer: str, what: str, name: str) -> Finding:
    long = len(name) > NAME_CHARACTERS
    reason = f"has {len(name)} characters, over {NAME_CHARACTERS}" if long else "is not lower-case kebab-case"
    close = re.sub(r"[^a-z0-9]+", "-", re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "-", name).lower()).strip(
        "-0123456789"
    )
    return Finding(
        code=code,
        place=Place(path=META, pointer=pointer, label="not a valid name"),
        message=f"the {what} {quoted(name)} {reason}",
        help=f"write {close}" if not long and KEBAB.fullmatch(close) else "",
    )


def _long_name(pointer: str, what: str, name: str) -> Finding:
    return Finding(
        code="EXT0309",
        place=Place(path=META, pointer=pointer, label=f"{len(name)} characters"),
        message=f"the {what} {quoted(name)} has {len(name)} characters, over {LONG_NAME_CHARACTERS}",
    )


def _check_one_line(meta: dict[str, Any], field: str, most: int, code: str) -> Iterator[Finding]:
    text = text_at(meta, field)
    if text is None:
        return
    reason = ""
    if not text.strip():
        reason = "is blank" if text else "is empty"
    elif len(text) > most:
        reason = f"has {len(text)} characters, over {most}"
    elif _LINE_BREAK.search(text):
        reason = "has more than one line"
    if reason:
        yield Finding(code=code, place=Place(path=META, pointer=f"/{field}"), message=f'"{field}" {reason}')


def _check_provenance(source: Any) -> Iterator[Finding]:
    if not isinstance(source, dict):
        return
    if ("path" in source) == ("url" in source):
        both = "path" in source
        yield Finding(
            code="EXT0313",
            place=Place(path=META, pointer="/source/url" if both else "/source", part=Part.KEY),
            message=f'"source" has {"both" if both else "neither"} "path" {"and" if both else "nor"} "url"',
            help='remove "path" or "url"' if both else 'add "path" or "url"',
        )
    path, url, sha256 = (text_at(source, field) for field in ("path", "url", "sha256"))
    fault = _source_path_fault(path) if path is not None else ""
    if fault:
        yield Finding(
            code="EXT0314",
            place=Place(path=META, pointer="/source/path"),
            message=f"the source path {quoted(path)} {fault}",
        )
    if url is not None and not _SOURCE_URL.fullmatch(url):
        yield Finding(
            code="EXT0315",
            place=Place(path=META, pointer="/source/url"),
            message=f"the source address {quoted(url)} is no HTTPS URL without credentials",
        )
    if sha256 is not None and not _SHA256.fullmatch(sha256):
        yield Finding(
            code="EXT0316",
            place=Place(path=META, pointer="/source/sha256"),
            message=f"the source's sha256 {quoted(sha256)} is not 64 lower-case hexadecimal digits",
        )


def _source_path_fault(path: str) -> str:
    """Say what keeps a path from naming a file below `source/`, or return an empty string."""
    segments = path.split("/")
    if segments[0] != "source" or len(segments) < 2:
        return "does not lie under source/"
    if any(segment in {"", ".", ".."} for segment in segments):
        return 'has an empty segment, "." or ".."'
    return "has a control character or a backslash" if _UNFIT_IN_PATH.search(path) else ""


def _check_endpoint(meta: dict[str, Any]) -> Iterator[Finding]:
    kind = kind_of(meta)
    if kind is not None and kind is not Kind.EXTERNAL:
        if "endpoint" in meta:
            yield _foreign_field(META, "endpoint", kind)
        if kind is Kind.CONNECTIONLESS and meta.get("auth") is not None:
            yield _foreign_field(META, "auth", kind)
        return
    if kind is Kind.EXTERNAL and lacks(meta, "endpoint"):
        yield Finding(
            code="EXT0321",
            place=Place(path=META, label='"endpoint" is missing'),
            message='an External package lacks "endpoint"',
        )
    base_url = text_at(meta, "endpoint", "base_url")
    refused = refusal(base_url) if base_url is not None else None
    if refused:
        yield Finding(
            code="EXT0320" if refused.host else "EXT0319",
            place=Place(path=META, pointer="/endpoint/base_url"),
            message=f"the base URL {quoted(base_url)} is refused: {refused.reason}",
        )


def _foreign_field(file: str, name: str, kind: Kind) -> Finding:
    return Finding(
        code="EXT0323",
        place=Place(path=file, pointer=f"/{name}", part=Part.KEY, label="not in a Builtin"),
        message=f'"{name}" stands in a {kind.value}',
        help=f'remove "{name}"',
    )
