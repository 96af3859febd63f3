"""What changed: each value that differs, its class, both versions of it, and what shows that it breaks."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Final

from extpkg.check.rules import rule
from extpkg.diff.change import Impact, Shows
from extpkg.diff.differences import Kind
from extpkg.review.blocks import block, figure, outcome_lines, pair, value_lines
from extpkg.review.markup import (
    NOTHING,
    Html,
    badge,
    bounded,
    code,
    details,
    element,
    joined,
    link,
    number,
    text,
    words,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from extpkg.diff.change import Change, Witness
    from extpkg.review.subject import Comparison, Located

SHOWN: Final = 300
"""Changes that are shown; the breaking ones come first."""

SIZE: Final = 3 << 20
"""Characters of all changes of one class."""

_VALUE: Final = 600
"""Characters of a value that is shown on one line."""

_INLINE: Final = 80
"""Characters of two values that are shown on one line."""

_OPEN: Final = 16
"""Lines of a value that is shown at once."""

_WORDS: Final = {
    Impact.BREAKING: "These may break whoever calls the package.",
    Impact.COMPATIBLE: "It is proven that these break no caller.",
    Impact.TEXT: "These change what is read, and nothing of what is sent or accepted.",
}
_SHOWS: Final = {
    Shows.INPUT: ("an input that the old version accepts and the new one does not", "Input"),
    Shows.REQUEST: ("an input that makes two different requests", "Input"),
    Shows.DATA: ("a result that the old schema refuses and the new one accepts", "Result"),
    Shows.ANSWER: ("an answer that the two versions read differently", "Answer"),
}


def summary(comparison: Comparison, version: int) -> tuple[str, str]:
    """Return in a few words what changed, and which version is due."""
    counts = counted(comparison)
    found = ", ".join(f"{count:,} {impact.value}" for impact, count in counts.items() if count)
    if comparison.bump == comparison.definition.version:
        due = "Nothing that counts has changed: no new version is due."
        return found or "no change", due if version == comparison.bump else f"{due} It says {version}."
    said = "as it says" if version == comparison.bump else f"but it says {version}"
    return found, f"Version {comparison.bump} is due, {said}."


def counted(comparison: Comparison) -> dict[Impact, int]:
    """Return how many changes there are of each class."""
    impacts = [located.change.impact for located in comparison.changes]
    return {impact: impacts.count(impact) for impact in Impact}


def worst(comparison: Comparison | None) -> dict[str, Impact]:
    """Return the heaviest class of change of each action."""
    found: dict[str, Impact] = {}
    order = list(Impact)
    for located in comparison.changes if comparison else ():
        name, impact = located.change.action, located.change.impact
        if name is not None:
            found[name] = min(found.get(name, impact), impact, key=order.index)
    return found


def changes_section(comparison: Comparison, anchors: frozenset[str]) -> Html:
    """Return the section; `anchors` are the actions that the page has a part about."""
    groups: list[Html] = []
    left = SHOWN
    for impact in Impact:
        chosen = [located for located in comparison.changes if located.change.impact is impact]
        if chosen:
            groups.append(_group(impact, chosen, chosen[:left], anchors))
            left = max(0, left - len(chosen))
    nothing = element("p", text("The two versions mean the same.")) if not groups else NOTHING
    return joined((nothing, *groups))


def _group(
    impact: Impact, every: Sequence[Located], chosen: Sequence[Located], anchors: frozenset[str]
) -> Html:
    cards = bounded(_cards(chosen, anchors), SIZE)
    left = len(every) - len(cards)
    rest = element("p", text(f"{number(left, 'more change')} not shown."), class_="cut") if left else NOTHING
    title = element("h3", text(f"{impact.value.capitalize()} ({len(every):,})"), id=f"changes-{impact.value}")
    return joined((title, element("p", text(_WORDS[impact]), class_="quiet"), *cards, rest))


def _cards(chosen: Sequence[Located], anchors: frozenset[str]) -> Iterator[Html]:
    """Yield a card for each change; what shows two of them is shown with the first."""
    shown: dict[str, str] = {}
    for index, located in enumerate(chosen, start=1):
        witness, impact = located.change.witness, located.change.impact.value
        anchor = f"{impact}-{index}"
        if witness is None:
            shows = NOTHING
        else:
            key = json.dumps([witness.action, witness.value, witness.old, witness.new], sort_keys=True)
            shows = _witness(witness) if key not in shown else _again(shown[key])
            shown.setdefault(key, anchor)
        yield _card(located, anchors, anchor, shows)


def _card(located: Located, anchors: frozenset[str], anchor: str, shows: Html) -> Html:
    change = located.change
    row = rule(change.code)
    name = change.action
    about = NOTHING
    if name is not None:
        about = link(f"action-{name}", code(name)) if name in anchors else code(name)
    doubt = badge("possible", "possible") if change.possible else NOTHING
    head = (badge(change.impact.value, row.name), doubt, about)
    place = element("p", code(change.pointer), text(" in "), code(located.place), class_="place")
    parts = (
        element("h4", joined((part for part in head if part), Html(" "))),
        element("p", words(row.summary[:1].upper() + row.summary[1:]), text(f" ({change.code})")),
        place,
        _values(change),
        _doubt(change),
        shows,
    )
    return element("article", *parts, class_=f"change {change.impact.value}", id=anchor)


def _doubt(change: Change) -> Html:
    if not change.possible:
        return NOTHING
    return element("p", text("Nothing was found that shows it: look at this one yourself."), class_="quiet")


def _values(change: Change) -> Html:
    if change.kind is Kind.CHANGED:
        return _both(value_lines(change.old), value_lines(change.new))
    value = change.new if change.kind is Kind.ADDED else change.old
    title = "Added" if change.kind is Kind.ADDED else "Removed"
    shown = value_lines(value)
    if len(shown) == 1 and len(shown[0]) <= _VALUE:
        return element("p", text(f"{title}: "), code(shown[0]))
    return details(text(title), block(shown), is_open=len(shown) <= _OPEN)


def _both(old: Sequence[str], new: Sequence[str]) -> Html:
    """Return both versions of a value: in a line where they are short, else side by side."""
    if len(old) + len(new) > 2 or len(old[0]) + len(new[0]) > _INLINE:
        return pair(old, new)
    was, now = (element("code", element(tag, text(line))) for tag, line in (("del", old[0]), ("ins", new[0])))
    return element("p", was, text(" is now "), now)


def _again(anchor: str) -> Html:
    same = link(anchor, text("that of the change above"))
    return element("p", element("b", text("Witness")), text(": "), same, class_="witness")


def _witness(witness: Witness) -> Html:
    said, noun = _SHOWS[witness.shows]
    is_marked = witness.old.keys() == witness.new.keys()
    parts = (
        figure(noun, block(value_lines(witness.value))),
        pair(outcome_lines(witness.old), outcome_lines(witness.new), is_marked=is_marked),
    )
    title = joined((element("b", text("Witness")), text(f": {said}")))
    return details(title, *parts, is_open=True, class_="witness")
