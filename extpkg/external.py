"""External packages: bind, ask for leave, send with the credential, read the answer (R-REQ, R-RES)."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, Literal

from extpkg.binding.request import compile_action
from extpkg.errors import ExtensionError
from extpkg.secret import Secret

if TYPE_CHECKING:
    from collections.abc import Mapping

    from extpkg.binding.request import ActionPlan
    from extpkg.definition.model import Definition, Profile
    from extpkg.egress.credential import Credential
    from extpkg.egress.send import Transport
    from extpkg.errors import ErrorCode
    from extpkg.exchange import Request, Response

Allowed = Literal["mutation", "destructive"]
"""What a caller gives leave for beside reading."""

PLACEHOLDER: Final = Secret("placeholder")
"""Stands where a real call has a credential: a replay needs none, and it is taken out before comparing."""

_ALWAYS: Final[frozenset[ErrorCode]] = frozenset({"validation", "rate_limited", "upstream_failure"})
URL_CHARACTERS: Final = 60_000
"""Characters of a URL before the credential; a longer one is not sent."""

_WORDS: Final = {"mutation": "a mutation"}
_BODILESS: Final = frozenset({204, 205})

_plans: dict[tuple[str, str], ActionPlan] = {}
"""Compiled actions, by Definition digest and name."""


@dataclass(frozen=True, slots=True, kw_only=True)
class External:
    """A package that is run by its bindings alone: its Definition and the digest of that."""

    definition: Definition
    definition_digest: str

    @property
    def form(self) -> None:
        """What a connection of it holds: it has none."""

    @property
    def fails_with(self) -> frozenset[ErrorCode]:
        """The error codes that calls of its actions may end with, as its author has to expect them (R-RES-1).

        `not_found` where a path names something, `conflict` where something changes, and the codes of a
        refused credential where there is one.
        """
        actions = self.definition.actions
        codes = set(_ALWAYS)
        if any(action.auth for action in actions):
            codes |= {"provider_auth_unavailable", "permission_denied"}
        if any(action.catalog.safety.classification != "read" for action in actions):
            codes.add("conflict")
        if any("{" in action.binding.path for action in actions if action.binding):
            codes.add("not_found")
        return frozenset(codes)


@dataclass(frozen=True, slots=True, kw_only=True)
class Leave:
    """What a caller hands over for one call: secrets by profile, and what may be changed.

    `replayed` says that nothing is sent: then there is no credential to ask for, and nothing to allow.
    TypeError for a credential that is no `Secret`.
    """

    credentials: Mapping[str, Secret] = field(default_factory=dict)
    allow: Allowed | None = None
    replayed: bool = False

    def __post_init__(self) -> None:
        if not all(isinstance(each, Secret) for each in self.credentials.values()):
            raise TypeError("a credential is an extpkg.Secret, never the text itself")


NOTHING: Final = Leave()
"""What a caller hands over who hands over nothing."""


def plan_of(external: External, action: str) -> ActionPlan:
    """Return the compiled action, compiled once in this process; raises `ExtensionError` (`not_found`)."""
    key = (external.definition_digest, action)
    if key not in _plans:
        _plans[key] = compile_action(external.definition, action)
    return _plans[key]


async def execute(external: External, action: str, value: Any, *, transport: Transport, leave: Leave) -> Any:
    """Return the data of one call; raises `ExtensionError`, and lets `EgressFailure` pass.

    In this order, each before the next: the profiles that credentials are given for, the input, the request,
    the leave to change something, the credential, and only then the first socket.
    """
    from extpkg.egress.clock import Budget
    from extpkg.egress.send import send

    _refuse_strangers(external.definition, leave.credentials)
    plan = plan_of(external, action)
    request = plan.bind(value)
    if len(request.url) > URL_CHARACTERS:
        message = f"the input makes a URL of more than {URL_CHARACTERS:,} characters"
        raise ExtensionError("validation", message)
    if not leave.replayed:
        _refuse_unallowed(plan, request, leave.allow)
    credential = _credential(plan, leave)
    budget = Budget(bodies=_read_statuses(plan))
    response = await send(request, transport=transport, budget=budget, credential=credential)
    return _read(plan, response)


def _read(plan: ActionPlan, response: Response) -> Any:
    """Return the data of an answer; a refusal is raised anew, outside the frames that hold upstream text."""
    from extpkg.binding.response import read_response

    try:
        return read_response(plan, response)
    except ExtensionError as error:
        refusal = ExtensionError(error.code, error.message, error.details)
    raise refusal


def _read_statuses(plan: ActionPlan) -> frozenset[int]:
    """Return the statuses whose body becomes data; of every other answer the status says all (R-RES-1)."""
    policy = plan.response
    return frozenset() if policy.mode == "empty" else frozenset(policy.success_statuses) - _BODILESS


def _refuse_strangers(definition: Definition, credentials: Mapping[str, Secret]) -> None:
    known = [profile.id for profile in definition.profiles]
    if all(profile in known for profile in credentials):
        return
    names = f"; it has {', '.join(known)}" if known else ""
    message = f"a credential is given for a profile that {definition.domain} does not have{names}"
    raise ExtensionError("validation", message)


def _refuse_unallowed(plan: ActionPlan, request: Request, allow: Allowed | None) -> None:
    safety = plan.safety.classification
    if safety in {"read", allow}:
        return
    host, _, path = request.url.partition("?")[0].removeprefix("https://").partition("/")
    what = f"{plan.domain} {plan.action} is {_WORDS.get(safety, safety)}"
    would = f"and would {request.method} /{path} at {host}; nothing was sent"
    message = f"{what} {would}; --allow {safety} allows it (in Python allow={safety!r})"
    details = {"method": request.method, "host": host, "path": f"/{path}", "safety": safety}
    raise ExtensionError("permission_denied", message, details)


def _credential(plan: ActionPlan, leave: Leave) -> Credential | None:
    """Return what is written into the request, None for an action without auth."""
    from extpkg.egress.credential import Credential

    profile = plan.auth
    if profile is None:
        return None
    secret = leave.credentials.get(profile.id) or (PLACEHOLDER if leave.replayed else None)
    if secret is None:
        raise _missing(plan, profile)
    if profile.type == "oauth2_bearer":
        return Credential.bearer(secret)
    name = profile.name or ""
    return Credential.query(name, secret) if profile.location == "query" else Credential.header(name, secret)


def _missing(plan: ActionPlan, profile: Profile) -> ExtensionError:
    scopes = f" with the scopes {', '.join(plan.required_scopes)}" if plan.required_scopes else ""
    message = (
        f"{plan.domain} {plan.action} needs a credential{scopes} for the profile {profile.id} "
        f"({profile.type}); --credential {profile.id}=env:NAME says where it is (in Python credentials)"
    )
    details = {
        "reason": "credential_missing",
        "profile": profile.id,
        "requiredScopes": list(plan.required_scopes),
    }
    return ExtensionError("provider_auth_unavailable", message, details)
