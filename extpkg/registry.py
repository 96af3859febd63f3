"""The trusted registry of Builtins: one fail-closed pass over one explicit tuple (R-REG).

`register` returns a registry of everything that it was given or raises: no process runs with a part of its
Builtins. A registry is a value, and registering onto one gives another.
"""

from __future__ import annotations

import enum
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal

from extpkg.canonical import canonical_json
from extpkg.definition.projection import digest, projection
from extpkg.errors import ExtpkgError
from extpkg.extension import ConnectionPolicy
from extpkg.resources import reserved_domains

if TYPE_CHECKING:
    from collections.abc import Iterable

    from extpkg.definition.model import Definition
    from extpkg.errors import ErrorCode
    from extpkg.extension import ConnectionForm, Extension

RUNTIME_CONTRACT: Final = "extpkg.builtin/1"
"""Names the rules by which a runtime digest is computed (R-REG-2)."""

ConnectionRefusal = Literal["provider_auth_unavailable", "conflict"]
"""The error codes of R-ERR-1 that a wrong number of connections has."""

_REVISION = re.compile(r"[\x21-\x7e]{1,64}")


class Fault(enum.Enum):
    """Why a registration fails; one member for each thing that stops start-up."""

    DUPLICATE_VERSION = "duplicate-version"
    RESERVED_DOMAIN = "reserved-domain"
    MISSING_ACTION = "missing-action"
    EXTRA_ACTION = "extra-action"
    UNKNOWN_POLICY = "unknown-policy"
    BAD_REVISION = "bad-revision"
    EXTERNAL_DEFINITION = "external-definition"
    AUTH_WITHOUT_CONNECTION = "auth-without-connection"


class RegistryInvalid(ExtpkgError):
    """A registration that was refused as a whole; `reason` says why, `domain` names the Extension."""

    def __init__(self, reason: Fault, domain: str, detail: str) -> None:
        self.reason = reason
        self.domain = domain
        super().__init__(f"{reason.value}: {domain}: {detail}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Builtin:
    """A registered Extension, its policy parsed and its two digests computed."""

    extension: Extension
    policy: ConnectionPolicy
    definition_digest: str
    runtime_digest: str

    @property
    def key(self) -> tuple[str, int]:
        """The identity that no other payload may take: (domain, version)."""
        return self.extension.definition.domain, self.extension.definition.version

    @property
    def definition(self) -> Definition:
        """The Definition that is served."""
        return self.extension.definition

    @property
    def fails_with(self) -> frozenset[ErrorCode]:
        """The error codes that calls end with."""
        return self.extension.fails_with

    @property
    def form(self) -> ConnectionForm | None:
        """What a connection of it holds."""
        return self.extension.form


@dataclass(frozen=True, slots=True, kw_only=True)
class Registry:
    """Every registered Builtin, ordered by domain and version."""

    builtins: tuple[Builtin, ...] = ()

    @property
    def newest(self) -> dict[str, Builtin]:
        """The newest version of every domain, by domain."""
        return {builtin.key[0]: builtin for builtin in self.builtins}


EMPTY: Final = Registry()
"""The registry that start-up begins with."""


def register(extensions: Iterable[Extension], onto: Registry = EMPTY) -> Registry:
    """Return `onto` with every extension registered, or raise `RegistryInvalid` and register none (R-REG-1).

    Registering what is registered already, with the same payload, changes nothing.
    """
    registered = {builtin.key: builtin for builtin in onto.builtins}
    for extension in extensions:
        builtin = _judge(extension)
        known = registered.setdefault(builtin.key, builtin)
        if known.runtime_digest != builtin.runtime_digest:
            domain, version = builtin.key
            detail = f"version {version} is registered with another payload; raise version or revision"
            raise RegistryInvalid(Fault.DUPLICATE_VERSION, domain, detail)
    return Registry(builtins=tuple(registered[key] for key in sorted(registered)))


def runtime_projection(definition_digest: str, revision: str, policy: ConnectionPolicy) -> bytes:
    """Return the canonical bytes behind a runtime digest (R-REG-2).

    Only `none` is written out: `required` keeps the original projection, which has no policy member.
    """
    members = {"contract": RUNTIME_CONTRACT, "definition": definition_digest, "revision": revision}
    if policy is ConnectionPolicy.NONE:
        members["connectionPolicy"] = policy.value
    return canonical_json(members)


def connection_refusal(policy: ConnectionPolicy, active: int) -> ConnectionRefusal | None:
    """Return why `active` connections refuse a call and hide an entry, or None where they suit (R-REG-4)."""
    needed = 1 if policy is ConnectionPolicy.REQUIRED else 0
    if active == needed:
        return None
    return "provider_auth_unavailable" if active == 0 else "conflict"


def _judge(extension: Extension) -> Builtin:
    definition = extension.definition
    domain = definition.domain
    if domain in reserved_domains():
        raise RegistryInvalid(Fault.RESERVED_DOMAIN, domain, "a built-in command has this name")
    _judge_actions(extension)
    if not _REVISION.fullmatch(extension.revision):
        detail = "a revision is 1 to 64 visible ASCII characters"
        raise RegistryInvalid(Fault.BAD_REVISION, domain, detail)
    policy = _policy(extension)
    if definition.base_url is not None or any(action.binding for action in definition.actions):
        detail = "a Builtin has neither endpoint nor binding"
        raise RegistryInvalid(Fault.EXTERNAL_DEFINITION, domain, detail)
    uses_auth = bool(definition.profiles) or any(action.auth for action in definition.actions)
    if policy is ConnectionPolicy.NONE and uses_auth:
        detail = "auth needs a connection, and the policy allows none"
        raise RegistryInvalid(Fault.AUTH_WITHOUT_CONNECTION, domain, detail)
    definition_digest = digest(projection(definition))
    runtime = runtime_projection(definition_digest, extension.revision, policy)
    return Builtin(
        extension=extension,
        policy=policy,
        definition_digest=definition_digest,
        runtime_digest=digest(runtime),
    )


def _judge_actions(extension: Extension) -> None:
    declared = {action.name for action in extension.definition.actions}
    domain = extension.definition.domain
    if missing := sorted(declared - extension.serves):
        raise RegistryInvalid(Fault.MISSING_ACTION, domain, f"nothing serves {', '.join(missing)}")
    if extra := sorted(extension.serves - declared):
        raise RegistryInvalid(Fault.EXTRA_ACTION, domain, f"the definition lacks {', '.join(extra)}")


def _policy(extension: Extension) -> ConnectionPolicy:
    try:
        return ConnectionPolicy(extension.connection_policy)
    except ValueError:
        detail = f"{extension.connection_policy!r} is no connection policy"
        raise RegistryInvalid(Fault.UNKNOWN_POLICY, extension.definition.domain, detail) from None
