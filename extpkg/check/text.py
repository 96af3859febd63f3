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
import unicodedata
from typing import TYPE_CHECKING, Any, Final

from extpkg.check.members import member, text_at
from extpkg.check.metadata import META
from extpkg.diagnostic import Finding, Part, Place
from extpkg.limits import CATALOG_CHARACTERS
from extpkg.pointer import escape

if TYPE_CHECKING:
    from collections.abc import Iterator

CONTROL: Final = "EXT1001"
BIDI: Final = "EXT1002"
INVISIBLE: Final = "EXT1003"
TAG: Final = "EXT1004"
NOT_ONE_LINE: Final = "EXT1005"
BLANK: Final = "EXT1006"
HEAVY: Final = "EXT1007"
TOO_LONG: Final = "EXT1008"

SUMMARY_CHARACTERS: Final = 120
DESCRIPTION_CHARACTERS: Final = 4096

_LINE_BREAKS: Final = "\n\v\f\r\x85\u2028\u2029"
_SUSPECT: Final = re.compile(
    "[\x00-\x1f\x7f-\x9f\u2028\u2029]"
    "|(?P<bidi>[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069])"
    "|(?P<tag>[\U000e0000-\U000e007f])"
    "|(?P<selector>[\ufe00-\ufe0f\U000e0100-\U000e01ef])"
    "|(?P<joiner>[\u200c\u200d])"
    "|(?P<invisible>[\xad\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b\u2060-\u2065\u206a-\u206f"
    "\u3164\ufeff\uffa0\ufff0-\ufffb\U0001bca0-\U0001bca3\U0001d173-\U0001d17a"
    "\U000e0080-\U000e00ff\U000e01f0-\U000e0fff])"
)
_TEXTS: Final = ("summary", "description")
_encode: Final = json.JSONEncoder(ensure_ascii=False, check_circular=False, separators=(",", ":")).encode
_ESCAPED: Final = re.compile(r"\\[bfnrtu]")
"""What the encoder makes of a control character; seldom what another text looks like, and then looked at again."""

_EMOJI: Final = re.compile("[\u2194\U0001f000-\U0001faff\U0001fc00-\U0001fffd]")
_JOINABLE: Final = frozenset({"Lu", "Ll", "Lt", "Lm", "Lo", "Mn", "Mc", "Me", "So", "Cn"})
_KEYCAPS: Final = frozenset("0123456789#*")
_KEYCAP: Final = "\u20e3"

_LABEL_CONTROLS: Final = ""
_PROSE_CONTROLS: Final = "\n\t"
_DATA_CONTROLS: Final = "\n\r\t"

_PROSE_KEYS: Final = frozenset({"description", "$comment"})
_DATA_KEYS: Final = frozenset({"const", "default", "examples"})
_NAME_MAPS: Final = frozenset(
    {"properties", "patternProperties", "$defs", "dependentSchemas", "dependentRequired"}
)

_WHAT: Final = {
    CONTROL: "the control character",
    BIDI: "the direction control",
    INVISIBLE: "the invisible character",
    TAG: "the tag character",
    NOT_ONE_LINE: "the line break",
}


def check_meta_text(meta_value: Any) -> Iterator[Finding]:
    """Yield the characters that must not stand in the package's name and description.

    Line breaks there, blanks and lengths belong to EXT0311 and EXT0312.
    """
    for field in ("name", "description"):
        text = text_at(meta_value, field)
        if text is not None:
            place = Place(path=META, pointer=f"/{field}")
            yield from _characters(text, place, _LINE_BREAKS)


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
    if _is_plain(rest) and not _ESCAPED.search(rest):
        return
    for field in ("input_schema", "output_schema"):
        yield from _check_schema(catalog.get(field), f"/catalog/{field}", file)
    yield from _check_data(catalog.get("example"), "/catalog/example", file)


def _check_summary(catalog: dict[str, Any], file: str) -> Iterator[Finding]:
    summary = text_at(catalog, "summary")
    if summary is None:
        return
    place = Place(path=file, pointer="/catalog/summary")
    yield from _extent(summary, place, SUMMARY_CHARACTERS)
    if any(character in _LINE_BREAKS for character in summary):
        yield Finding(code=NOT_ONE_LINE, place=place, message='"summary" has more than one line')
    yield from _characters(summary, place, _LINE_BREAKS)


def _check_description(catalog: dict[str, Any], file: str) -> Iterator[Finding]:
    description = text_at(catalog, "description")
    if description is None:
        return
    place = Place(path=file, pointer="/catalog/description")
    yield from _extent(description, place, DESCRIPTION_CHARACTERS)
    yield from _characters(description, place, _PROSE_CONTROLS)


def _extent(text: str, place: Place, most: int) -> Iterator[Finding]:
    name = place.pointer.rpartition("/")[2]
    if not text.strip():
        yield Finding(code=BLANK, place=place, message=f'"{name}" is {"blank" if text else "empty"}')
    elif len(text) > most:
        yield Finding(
            code=TOO_LONG, place=place, message=f'"{name}" has {len(text):,} characters, over {most:,}'
        )


def _check_weight(weight: int, file: str) -> Iterator[Finding]:
    """Yield a warning for a catalog whose compact JSON is long; a token is taken as four characters."""
    if weight > CATALOG_CHARACTERS:
        yield Finding(
            code=HEAVY,
            place=Place(path=file, pointer="/catalog", part=Part.KEY, label=f"{weight:,} characters"),
            message=f"the catalog weighs {weight:,} characters, about {weight // 4:,} tokens in every prompt",
        )


def _check_schema(root: Any, pointer: str, file: str) -> Iterator[Finding]:
    """Walk a schema without recursion; where `names` is true a mapping's keys are names, not keywords."""
    stack: list[tuple[Any, str, bool]] = [(root, pointer, False)]
    while stack:
        node, at, names = stack.pop()
        if isinstance(node, list):
            stack.extend((item, f"{at}/{index}", False) for index, item in enumerate(node))
        elif isinstance(node, str) and not _is_plain(node):
            yield from _characters(node, Place(path=file, pointer=at), _LABEL_CONTROLS)
        if not isinstance(node, dict):
            continue
        for key, value in node.items():
            if type(value) is str and key.isascii() and key.isprintable() and _is_plain(value):
                continue
            below = f"{at}/{escape(key)}"
            yield from _key(key, below, file, _LABEL_CONTROLS)
            if names:
                stack.append((value, below, False))
            elif key in _DATA_KEYS or key.startswith("x-"):
                yield from _check_data(value, below, file)
            elif key in _PROSE_KEYS and isinstance(value, str):
                yield from _characters(value, Place(path=file, pointer=below), _PROSE_CONTROLS)
            else:
                stack.append((value, below, key in _NAME_MAPS))


def _check_data(root: Any, pointer: str, file: str) -> Iterator[Finding]:
    stack: list[tuple[Any, str]] = [(root, pointer)]
    while stack:
        node, at = stack.pop()
        if isinstance(node, str):
            if not _is_plain(node):
                yield from _characters(node, Place(path=file, pointer=at), _DATA_CONTROLS)
        elif isinstance(node, list):
            stack.extend((item, f"{at}/{index}") for index, item in enumerate(node))
        elif isinstance(node, dict):
            for key, value in node.items():
                below = f"{at}/{escape(key)}"
                yield from _key(key, below, file, _DATA_CONTROLS)
                stack.append((value, below))


def _key(key: str, pointer: str, file: str, allowed: str) -> Iterator[Finding]:
    if not _is_plain(key):
        yield from _characters(key, Place(path=file, pointer=pointer, part=Part.KEY), allowed)


def _is_plain(text: str) -> bool:
    """Whether a text can have nothing to find, decided without looking at each character in Python."""
    return text.isascii() and text.isprintable()


def _characters(text: str, place: Place, allowed: str) -> Iterator[Finding]:
    """Yield one finding for each kind of unfit character in a text, about the first of its kind."""
    if _is_plain(text):
        return
    found: dict[str, list[int]] = {}
    for match in _SUSPECT.finditer(text):
        code = _code(match, text)
        if code and match[0] not in allowed:
            found.setdefault(code, []).append(match.start())
    for code, places in found.items():
        character = text[places[0]]
        name = unicodedata.name(character, "")
        shown = f"U+{ord(character):04X}{f' {name}' if name else ''}"
        more = f" and {len(places) - 1} more like it" if len(places) > 1 else ""
        where = "key" if place.part is Part.KEY else "text"
        yield Finding(
            code=code,
            place=place,
            message=f"the {where} has {_WHAT[code]} {shown} at character {places[0] + 1}{more}",
        )


def _code(match: re.Match[str], text: str) -> str:
    """Return the rule that a suspect character breaks where it stands, or an empty string."""
    kind, index = match.lastgroup, match.start()
    if kind == "joiner":
        return "" if _joins(text, index) else INVISIBLE
    if kind == "selector":
        return "" if _selects(text, index) else INVISIBLE
    return {None: CONTROL, "bidi": BIDI, "tag": TAG, "invisible": INVISIBLE}[kind]


def _joins(text: str, index: int) -> bool:
    """Whether a joiner stands between two letters, marks or emoji."""
    return 0 < index < len(text) - 1 and _is_joinable(text[index - 1]) and _is_joinable(text[index + 1])


def _is_joinable(character: str) -> bool:
    """Whether a character is a letter, a mark or an emoji, or unknown to this Python's Unicode version."""
    suspect = _SUSPECT.match(character)
    if suspect and suspect.lastgroup != "selector":
        return False
    return unicodedata.category(character) in _JOINABLE or _EMOJI.match(character) is not None


def _selects(text: str, index: int) -> bool:
    """Whether a variation selector has something to vary: one visible character or a keycap's base."""
    before = text[index - 1] if index else " "
    if before in _KEYCAPS:
        return text[index + 1 : index + 2] == _KEYCAP
    return not before.isascii() and not before.isspace() and _SUSPECT.match(before) is None
