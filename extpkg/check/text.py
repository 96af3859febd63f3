"""Text that an Agent sees: no invisible or reordering character, few lines, bounded (R-META-3, R-ACT-1).

An Agent sees all of a catalog (summary, description, every string and key of both schemas, the example) and
the package's name and description. Three kinds of text differ by the control characters they may hold:

* *labels* (names, keys, titles, enum members, patterns): none;
* *prose* (any `description` but the package's, `$comment`): LF and TAB;
* *data* (the example, `const`, `default`, `examples`, `x-*`): LF, CR and TAB, as an input may have them.
"""

from __future__ import annotations

import json
import re
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

from extpkg.check.characters import (
    BIDI,
    CONTROL,
    INVISIBLE,
    LINE_BREAKS,
    TAG,
    has_suspect,
    is_fit,
    named,
    unfit,
)
from extpkg.check.members import member, text_at
from extpkg.diagnostic import Finding, Part, Place
from extpkg.document.files import META
from extpkg.limits import CATALOG_CHARACTERS
from extpkg.pointer import join

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

SUMMARY_CHARACTERS: Final = 120
DESCRIPTION_CHARACTERS: Final = 4096

_TEXTS: Final = ("summary", "description")
_encode: Final = json.JSONEncoder(ensure_ascii=False, check_circular=False, separators=(",", ":")).encode
_ESCAPED: Final = re.compile(r"\\[bfnrtu]")
"""What the encoder makes of a control character; what else looks like it is looked at again."""

_PROSE_TEXT: Final = re.compile(r'"(?:description|\$comment)":"(?:[^"\\]+|\\[nt"\\])*"')
"""Prose with nothing special but its lines; it cannot start inside a string, where quotes are escaped."""

_SCHEMA, _NAMES, _PROSE, _DATA = range(4)
"""Where in a catalog a value stands: a schema, a mapping of names to schemas, prose or data."""

_ALLOWED: Final = ("", "", "\n\t", "\n\r\t")
"""The control characters that a text may hold there."""

_BELOW: Final = {
    "description": _PROSE,
    "$comment": _PROSE,
    "const": _DATA,
    "default": _DATA,
    "examples": _DATA,
    "properties": _NAMES,
    "patternProperties": _NAMES,
    "$defs": _NAMES,
    "dependentSchemas": _NAMES,
    "dependentRequired": _NAMES,
}
_WHAT: Final = {
    CONTROL: "the control character",
    BIDI: "the direction control",
    INVISIBLE: "the invisible character",
    TAG: "the tag character",
}


def check_meta_text(meta_value: Any) -> Iterator[Finding]:
    """Yield the characters that must not stand in the package's name and description.

    Line breaks there, blanks and lengths belong to EXT0311 and EXT0312.
    """
    for field in ("name", "description"):
        text = text_at(meta_value, field)
        if text is not None and not is_fit(text, LINE_BREAKS):
            yield from _unfit(text, Place(path=META, pointer=f"/{field}"), LINE_BREAKS)


def check_action_text(action_value: Any, file: str) -> Iterator[Finding]:
    """Yield what is wrong with the text of an action's catalog, and a warning when it is very long."""
    catalog = member(action_value, "catalog")
    if not isinstance(catalog, dict):
        return
    yield from _check_summary(catalog, file)
    yield from _check_description(catalog, file)
    texts = {name: value for name, value in catalog.items() if name in _TEXTS}
    rest = _encode({name: value for name, value in catalog.items() if name not in _TEXTS})
    yield from _check_weight(len(rest) + len(_encode(texts)) - 1, file)
    if _is_quiet(rest):
        return
    schemas = {name: catalog[name] for name in ("input_schema", "output_schema") if name in catalog}
    yield from _check_tree(schemas, _NAMES, file)
    yield from _check_tree({"example": catalog.get("example")}, _DATA, file)


def _is_quiet(encoded: str) -> bool:
    """Whether compact JSON shows at once that a walk over its texts would find nothing."""
    if has_suspect(encoded):
        return False
    return not _ESCAPED.search(encoded) or not _ESCAPED.search(_PROSE_TEXT.sub("", encoded))


def _check_summary(catalog: dict[str, Any], file: str) -> Iterator[Finding]:
    summary = text_at(catalog, "summary")
    if summary is None:
        return
    place = Place(path=file, pointer="/catalog/summary")
    yield from _check_extent(summary, place, SUMMARY_CHARACTERS)
    if not summary.isprintable() and set(summary) & set(LINE_BREAKS):
        yield Finding(code="EXT1005", place=place, message='"summary" has more than one line')
    if not is_fit(summary, LINE_BREAKS):
        yield from _unfit(summary, place, LINE_BREAKS)


def _check_description(catalog: dict[str, Any], file: str) -> Iterator[Finding]:
    description = text_at(catalog, "description")
    if description is None:
        return
    place = Place(path=file, pointer="/catalog/description")
    yield from _check_extent(description, place, DESCRIPTION_CHARACTERS)
    if not is_fit(description, _ALLOWED[_PROSE]):
        yield from _unfit(description, place, _ALLOWED[_PROSE])


def _check_extent(text: str, place: Place, most: int) -> Iterator[Finding]:
    name = place.pointer.rpartition("/")[2]
    if not text.strip():
        yield Finding(code="EXT1006", place=place, message=f'"{name}" is {"blank" if text else "empty"}')
    elif len(text) > most:
        yield Finding(
            code="EXT1008", place=place, message=f'"{name}" has {len(text):,} characters, over {most:,}'
        )


def _check_weight(weight: int, file: str) -> Iterator[Finding]:
    """Yield a warning for a catalog whose compact JSON is long; a token is taken as four characters."""
    if weight > CATALOG_CHARACTERS:
        yield Finding(
            code="EXT1007",
            place=Place(path=file, pointer="/catalog", part=Part.KEY, label=f"{weight:,} characters"),
            message=f"the catalog weighs {weight:,} characters, about {weight // 4:,} tokens in every prompt",
        )


def _check_tree(root: dict[str, Any], region: int, file: str) -> Iterator[Finding]:
    """Walk the texts of `root` without recursion; `region` says where its members lie.

    A pointer is kept as a chain of (chain, token) and only written out for a finding.
    """
    stack: list[tuple[Any, Any, int]] = [(root, None, region)]
    while stack:
        node, chain, here = stack.pop()
        keyed = type(node) is dict
        members: Iterable[tuple[Any, Any]] = (
            node.items() if keyed else enumerate(node) if type(node) is list else ()
        )
        for token, value in members:
            below = _region_below(here, token) if keyed else here
            if keyed and not is_fit(token, _ALLOWED[here]):
                yield from _unfit(token, _place(file, (chain, token), Part.KEY), _ALLOWED[here])
            if type(value) is not str:
                stack.append((value, (chain, token), below))
            elif not is_fit(value, _ALLOWED[below]):
                yield from _unfit(value, _place(file, (chain, token), Part.VALUE), _ALLOWED[below])


def _region_below(here: int, key: str) -> int:
    if here is _NAMES:
        return _SCHEMA
    if here is not _SCHEMA:
        return here
    return _DATA if key.startswith("x-") else _BELOW.get(key, _SCHEMA)


def _place(file: str, chain: Any, part: Part) -> Place:
    tokens: list[str] = []
    while chain is not None:
        chain, token = chain
        tokens.append(str(token))
    return Place(path=file, pointer="/catalog" + join(tuple(reversed(tokens))), part=part)


def _unfit(text: str, place: Place, allowed: str) -> Iterator[Finding]:
    """Yield one finding for each kind of unfit character in a text, about the first of its kind."""
    for code, places in unfit(text, allowed).items():
        first = places[0]
        more = f" and {len(places) - 1} more like it" if len(places) > 1 else ""
        where = "key" if place.part is Part.KEY else "text"
        yield Finding(
            code=code,
            place=replace(place, character=first),
            message=f"the {where} has {_WHAT[code]} {named(text[first])} at character {first + 1}{more}",
        )
