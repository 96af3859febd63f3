"""An action compiled once, and the one request that it makes of each input (R-REQ).

    Definition + action --compile_action--> ActionPlan;  ActionPlan + input --bind--> Request

Pure: binding reads the plan and the input, and nothing else.
"""

from __future__ import annotations

from copy import deepcopy
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from extpkg.binding.input import check_input, invalid_input
from extpkg.binding.program import Program
from extpkg.binding.soundness import unsound
from extpkg.errors import DocumentInvalid, ExtensionError
from extpkg.json_schema import Violation, check_schema, compile_schema
from extpkg.json_schema.samples import DEFAULT_INVALID
from extpkg.pointer import join

if TYPE_CHECKING:
    from extpkg.definition.model import Binding, Definition, Profile, Response, Safety
    from extpkg.exchange import Request
    from extpkg.json_schema import Schema


@dataclass(frozen=True, slots=True, kw_only=True)
class ActionPlan:
    """One action, ready to bind inputs; it may be used again and again, from any thread.

    `auth` is the profile of the credential that goes with the request, None for an action without one, and
    `required_scopes` what it must be allowed to do. The schemas are the plan's own copies, not to be changed.
    """

    domain: str
    action: str
    base_url: str
    binding: Binding = field(repr=False)
    safety: Safety
    auth: Profile | None
    required_scopes: tuple[str, ...] = ()
    input_schema: Any = field(repr=False)
    output_schema: Any = field(repr=False)
    _ready: _Ready = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_ready", _Ready(self))

    @property
    def method(self) -> str:
        """The HTTP method."""
        return self.binding.method

    @property
    def path(self) -> str:
        """The path template, with its placeholders."""
        return self.binding.path

    @property
    def response(self) -> Response:
        """What counts as success, and how an answer is read (R-BIND-8)."""
        return self.binding.response

    def bind(self, value: Any) -> Request:
        """Return the request of an input, byte for byte as R-REQ says; `default` fills nothing in.

        Raises `ExtensionError` (`validation`) for an input that is no JSON within the bounds of R-DOC-1, that
        the schema refuses or that no request can carry, and for a plan whose binding breaks R-BIND: that it
        was accepted once says nothing of the plan that is used now.
        """
        judge, program = self._sound()
        check_input(judge, value)
        return _written(program, value)

    def write(self, value: Any) -> Request:
        """Return the request of an input that is checked already, as `bind` does without checking it."""
        _, program = self._sound()
        return _written(program, value)

    def _sound(self) -> tuple[Schema, Program]:
        """Return what was made ready, anew where the plan is no longer what it was made from (R-BIND)."""
        ready = self._ready
        if not ready.is_of(self):
            ready = _Ready(self)
        if ready.program is None:
            raise ExtensionError("validation", f"the action cannot be bound: {ready.fault}")
        return ready.judge, ready.program


def compile_action(definition: Definition, action: str) -> ActionPlan:
    """Return the plan of one action of an External Definition.

    Raises `ExtensionError`: `not_found` for an action that the Definition has not, `validation` for one of a
    Builtin, which has no binding, and for one whose profile the Definition has not. A binding that breaks
    R-BIND is refused when it is used.
    """
    chosen = next((each for each in definition.actions if each.name == action), None)
    if chosen is None:
        names = ", ".join(sorted(each.name for each in definition.actions))
        raise ExtensionError("not_found", f"{definition.domain} has no such action; it has {names}")
    if chosen.binding is None or definition.base_url is None:
        raise ExtensionError("validation", f"{definition.domain} {action} is a Builtin's: it has no binding")
    wanted = chosen.auth.profile if chosen.auth else None
    auth = next((each for each in definition.profiles if each.id == wanted), None)
    if auth is None and wanted is not None:
        # Never without the credential that it asks for: that would be another request.
        raise ExtensionError("validation", f"{definition.domain} {action} needs a profile that is not there")
    return ActionPlan(
        domain=definition.domain,
        action=action,
        base_url=definition.base_url,
        binding=chosen.binding,
        safety=chosen.catalog.safety,
        auth=auth,
        required_scopes=chosen.auth.required_scopes if chosen.auth else (),
        input_schema=deepcopy(chosen.catalog.input_schema),
        output_schema=deepcopy(chosen.catalog.output_schema),
    )


class _Ready:
    """What a plan is made ready with, and what its fields were then; `fault` says why it cannot be used."""

    __slots__ = ("_made_of", "fault", "judge", "program")

    def __init__(self, plan: ActionPlan) -> None:
        self._made_of = (plan.base_url, plan.binding, plan.auth, plan.input_schema)
        self.fault = unsound(plan.base_url, plan.binding, plan.auth)
        # A default that its own schema refuses is a warning (R-SCH-7), and nothing is filled in anyway.
        faults = check_schema(plan.input_schema, "")
        if not self.fault and any(each.code != DEFAULT_INVALID for each in faults):
            self.fault = "its input schema is none that is allowed"
        self.judge = compile_schema(plan.input_schema)
        self.program = None if self.fault else Program(plan.base_url, plan.binding)

    def is_of(self, plan: ActionPlan) -> bool:
        """Say whether a plan still has the very fields that this was made of."""
        base_url, binding, auth, input_schema = self._made_of
        return (
            binding is plan.binding
            and base_url is plan.base_url
            and auth is plan.auth
            and input_schema is plan.input_schema
        )


def _written(program: Program, value: Any) -> Request:
    try:
        return program.write(value)
    except DocumentInvalid:
        pass
    raise invalid_input([_violation(*refusal) for refusal in program.refusals(value)])


def _violation(source: tuple[str, ...], reason: str) -> Violation:
    return Violation(pointer=join(source), keyword="", schema_pointer="", message=f"cannot be sent: {reason}")
