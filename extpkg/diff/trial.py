"""Both versions of an action, run on the same values: what each makes of them."""

from __future__ import annotations

import json
from contextlib import suppress
from functools import cached_property
from itertools import islice
from typing import TYPE_CHECKING, Any, Final

from extpkg.binding.request import compile_action
from extpkg.binding.response import read_response
from extpkg.diff.change import Shows, Witness
from extpkg.diff.guesses import around
from extpkg.diff.samples import some
from extpkg.diff.sites import Root, Spent
from extpkg.errors import ExtensionError
from extpkg.json_schema import compile_schema
from extpkg.result import result_bytes

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from extpkg.binding.request import ActionPlan
    from extpkg.definition.model import Action, Definition
    from extpkg.exchange import Request, Response
    from extpkg.json_schema import Schema

_FIRST: Final = 20
_INPUTS: Final = 300
"""Inputs of one action that are tried for a difference of the requests."""


class Version:
    """One version of one action."""

    def __init__(self, definition: Definition, action: Action) -> None:
        self.definition = definition
        self.action = action

    @cached_property
    def _plan(self) -> ActionPlan | ExtensionError:
        """What binds its inputs, or why nothing does."""
        try:
            return compile_action(self.definition, self.action.name)
        except ExtensionError as refused:
            return refused

    def plan(self) -> ActionPlan:
        """Return what binds its inputs; raise `ExtensionError` where nothing does."""
        if isinstance(self._plan, ExtensionError):
            raise self._plan
        return self._plan

    @cached_property
    def _input(self) -> Schema:
        return compile_schema(self.action.catalog.input_schema)

    @cached_property
    def _output(self) -> Schema:
        return compile_schema(self.action.catalog.output_schema)

    @property
    def max_bytes(self) -> int | None:
        """The most bytes of a result, None for a Builtin's."""
        return self.action.binding.response.max_bytes if self.action.binding else None

    def request(self, value: Any) -> Request | None:
        """Return the request of an input, None for an input that is refused and for a Builtin's."""
        try:
            return self.plan().bind(value)
        except ExtensionError:
            return None

    def accepts(self, value: Any) -> bool:
        """Say whether an input is accepted and, where there is a binding, can be sent."""
        return self.takes(value) if self.action.binding is None else self.request(value) is not None

    def takes(self, value: Any) -> bool:
        """Say whether `input_schema` accepts a value."""
        return self._input.accepts(value)

    def of_input(self, value: Any) -> Any:
        """Return what becomes of an input: its request, or why it is refused."""
        try:
            if self.action.binding is not None:
                return {"request": shown(self.plan().bind(value))}
        except ExtensionError as error:
            return error.envelope()
        reasons = self._input.violations(value, 1)
        if not reasons:
            return {"accepted": True}
        message = f"{reasons[0].pointer or 'the input'} {reasons[0].message}"
        return ExtensionError("validation", message).envelope()

    def of_data(self, value: Any) -> Any:
        """Return whether `output_schema` accepts data."""
        return {"accepted": self._output.accepts(value)}

    def of_answer(self, answer: Response) -> Any:
        """Return what becomes of an answer: the data of a result, or the error that it means."""
        try:
            return {"data": read_response(self.plan(), answer)}
        except ExtensionError as error:
            return error.envelope()


def shown(request: Request) -> Any:
    """Return a request as `{method, url, headers, body}`, the body as text or null."""
    value = json.loads(request.canonical())
    del value["bodySha256"]
    return {**value, "body": None if request.body is None else request.body.decode()}


class Trial:
    """An action in its old and its new version."""

    def __init__(self, old: Version, new: Version) -> None:
        self.old = old
        self.new = new
        self.name = old.action.name
        self._tried: list[tuple[Any, Request, Request | None]] = []
        self._untried = islice(self._inputs(), _INPUTS)

    def is_input(self, value: Any) -> bool:
        """Say whether a value is an input that only the old version accepts."""
        return self.old.accepts(value) and not self.new.accepts(value)

    def is_data(self, value: Any) -> bool:
        """Say whether data can be a result of the new version at all."""
        return self.new.max_bytes is None or len(result_bytes(value)) <= self.new.max_bytes

    def input(self, value: Any) -> Witness:
        """Return the witness that an input is."""
        return Witness(
            shows=Shows.INPUT,
            action=self.name,
            value=value,
            old=self.old.of_input(value),
            new=self.new.of_input(value),
        )

    def data(self, value: Any) -> Witness:
        """Return the witness that data is."""
        return Witness(
            shows=Shows.DATA,
            action=self.name,
            value=value,
            old=self.old.of_data(value),
            new=self.new.of_data(value),
        )

    def differing(self, part: Callable[[Request], Any]) -> Witness | None:
        """Return an input whose two requests differ in a part, else one that can no longer be sent."""
        refused: list[Any] = []
        for value, old, new in self._sent():
            if new is None:
                refused.append(value)
            elif part(old) != part(new):
                return Witness(
                    shows=Shows.REQUEST,
                    action=self.name,
                    value=value,
                    old={"request": shown(old)},
                    new={"request": shown(new)},
                )
        return self.input(refused[0]) if refused else None

    def _sent(self) -> Iterator[tuple[Any, Request, Request | None]]:
        """Yield inputs that the old version sends and the new schema accepts, with both requests."""
        yield from self._tried
        for value in self._untried:
            old = self.old.request(value)
            if old is not None and self.new.takes(value):
                self._tried.append((value, old, self.new.request(value)))
                yield self._tried[-1]

    def _inputs(self) -> Iterator[Any]:
        """Yield the examples of both versions, then values that both schemas accept, then near ones."""
        catalogs = [self.old.action.catalog, self.new.action.catalog]
        yield from (each.example for each in catalogs if each.example is not None)
        both = tuple(Root(each.input_schema).site for each in catalogs)
        yield from some(both, _FIRST)
        with suppress(Spent):
            yield from around(both, ())

    def answered(self, answers: Iterable[Response]) -> Witness | None:
        """Return the first answer of which the old version makes a result and the new one makes no such."""
        for answer in answers:
            old, new = self.old.of_answer(answer), self.new.of_answer(answer)
            if "data" in old and old != new:
                headers = [list(pair) for pair in answer.headers]
                value = {"status": answer.status, "headers": headers, "body": answer.body.decode()}
                return Witness(shows=Shows.ANSWER, action=self.name, value=value, old=old, new=new)
        return None
