"""Single changes of a schema: applied to it, and told apart by what they can mean."""

from __future__ import annotations

import copy
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from extpkg.diff.differences import Kind
from extpkg.json_schema.keywords import HOLDS, ROLES, Holds, Role

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence


@dataclass(frozen=True, slots=True, kw_only=True)
class Edit:
    """One change of a schema at the place that `tokens` name in it; `value` is what stands there then.

    What is added to an array has `-` for its last token.
    """

    tokens: tuple[str, ...]
    kind: Kind
    value: Any


def edited(schema: Any, edits: Iterable[Edit]) -> Any:
    """Return a schema with some changes made; the argument stays as it is."""
    box = {"": copy.deepcopy(schema)}
    gone: list[tuple[Any, Any]] = []
    for edit in edits:
        holder, key = _place(box, ("", *edit.tokens))
        if edit.kind is Kind.REMOVED:
            gone.append((holder, key))
        elif key == "-" and type(holder) is list:
            holder.append(edit.value)
        else:
            holder[key] = edit.value
    # The last item goes first, so that the others keep their places until it is their turn.
    for holder, key in sorted(gone, key=lambda each: each[1] if type(each[1]) is int else 0, reverse=True):
        del holder[key]
    return box[""]


def _place(value: Any, tokens: Sequence[str]) -> tuple[Any, Any]:
    """Return the collection that holds what `tokens` lead to, and its key there."""
    for token in tokens[:-1]:
        value = value[int(token)] if type(value) is list else value[token]
    last = tokens[-1]
    return value, int(last) if type(value) is list and last != "-" else last


def _route(tokens: Sequence[str]) -> Iterator[tuple[str, int]]:
    """Yield the keywords on the way to a place in a schema, each with its index among the tokens."""
    index = 0
    while index < len(tokens):
        holds = HOLDS.get(tokens[index], Holds.DATA)
        yield tokens[index], index
        if holds is Holds.DATA:
            return
        index += 1 if holds is Holds.SINGLE else 2


def is_annotation(tokens: Sequence[str]) -> bool:
    """Say whether a place in a schema belongs to an annotation or a comment: no value is judged by it."""
    return any(
        keyword in {"$comment", "$schema"} or ROLES.get(keyword, Role.ANNOTATION) is Role.ANNOTATION
        for keyword, _ in _route(tokens)
    )


def together(edits: Sequence[Edit]) -> list[list[Edit]]:
    """Return the edits in groups that mean something only together, in the order of their first members.

    These are: what is referred to and the references; the members of a list in which one was inserted;
    `if` with its `then` and `else`.
    """
    shifted = {tuple(e.tokens[:-1]) for e in edits if e.kind is not Kind.CHANGED and _is_listed(e.tokens)}
    groups: dict[tuple[str, ...], list[Edit]] = {}
    for edit in edits:
        groups.setdefault(_group(edit.tokens, shifted), []).append(edit)
    return list(groups.values())


def _is_listed(tokens: Sequence[str]) -> bool:
    return any(HOLDS.get(word) is Holds.LIST and index == len(tokens) - 2 for word, index in _route(tokens))


def _group(tokens: tuple[str, ...], shifted: set[tuple[str, ...]]) -> tuple[str, ...]:
    for keyword, index in _route(tokens):
        if tokens[: index + 1] in shifted:
            return tokens[: index + 1]
        if keyword in {"$ref", "$anchor"} or (keyword == "$defs" and len(tokens) <= index + 2):
            return ("$ref",)
        if keyword in {"if", "then", "else"} and len(tokens) == index + 1:
            return (*tokens[:index], "if")
    return tokens
