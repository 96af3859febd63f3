from __future__ import annotations

import hashlib
import itertools
import json
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from extensions import action, definition, extension

from extpkg.definition.model import Auth, Binding, Profile, Response
from extpkg.errors import ExtpkgError
from extpkg.extension import ConnectionPolicy
from extpkg.registry import (
    EMPTY,
    Fault,
    RegistryInvalid,
    connection_refusal,
    register,
    runtime_projection,
)
from extpkg.resources import reserved_domains

if TYPE_CHECKING:
    from extpkg.extension import Extension

DIGEST = "sha256:" + "ab" * 32

BINDING = Binding(
    method="GET",
    path="/",
    static_headers=(),
    parameters=(),
    body=None,
    response=Response(
        mode="empty",
        success_statuses=(204,),
        content_types=(),
        max_bytes=65536,
    ),
)
PROFILE = Profile(id="token", type="oauth2_bearer")
NEEDY = action("see", auth=Auth(profile="token"))
SEE = frozenset({"see"})

REFUSED: list[tuple[str, Fault, Extension]] = [
    ("reserved", Fault.RESERVED_DOMAIN, extension("exec")),
    ("nothing served", Fault.MISSING_ACTION, extension(serves=frozenset())),
    (
        "one missing",
        Fault.MISSING_ACTION,
        extension(definition=definition(actions=(action(), NEEDY))),
    ),
    ("one too many", Fault.EXTRA_ACTION, extension(serves=frozenset({"look", "see"}))),
    ("policy", Fault.UNKNOWN_POLICY, extension(connection_policy="optional")),
    ("empty policy", Fault.UNKNOWN_POLICY, extension(connection_policy="")),
    ("policy's case", Fault.UNKNOWN_POLICY, extension(connection_policy="NONE")),
    ("empty revision", Fault.BAD_REVISION, extension(revision="")),
    ("long revision", Fault.BAD_REVISION, extension(revision="r" * 65)),
    ("revision's space", Fault.BAD_REVISION, extension(revision="r 1")),
    ("revision's line", Fault.BAD_REVISION, extension(revision="r1\n")),
    ("revision's letter", Fault.BAD_REVISION, extension(revision="é")),
    (
        "endpoint",
        Fault.EXTERNAL_DEFINITION,
        extension(definition=definition(base_url="https://api.example.com")),
    ),
    (
        "binding",
        Fault.EXTERNAL_DEFINITION,
        extension(definition=definition(actions=(action(binding=BINDING),))),
    ),
    (
        "profile without connection",
        Fault.AUTH_WITHOUT_CONNECTION,
        extension(definition=definition(profiles=(PROFILE,)), connection_policy="none"),
    ),
    (
        "auth without connection",
        Fault.AUTH_WITHOUT_CONNECTION,
        extension(
            definition=definition(actions=(NEEDY,)), serves=frozenset({"see"}), connection_policy="none"
        ),
    ),
]


@pytest.mark.parametrize(("fault", "bad"), [row[1:] for row in REFUSED], ids=[row[0] for row in REFUSED])
def test_each_inconsistency_stops_the_pass_with_its_own_error(fault: Fault, bad: Extension) -> None:
    """P110, P117, P162."""
    for extensions in ([extension("earlier"), bad], [bad, extension("later")]):
        with pytest.raises(RegistryInvalid) as caught:
            register(extensions)
        assert isinstance(caught.value, ExtpkgError)
        assert caught.value.reason is fault
        assert caught.value.domain == bad.definition.domain
        assert str(caught.value).startswith(f"{fault.value}: {bad.definition.domain}: ")
    assert EMPTY.builtins == ()


def test_every_fault_has_a_case() -> None:
    assert {fault for _, fault, _ in REFUSED} | {Fault.DUPLICATE_VERSION} == set(Fault)


@pytest.mark.parametrize("domain", sorted(reserved_domains()))
def test_reserved_domains_are_refused(domain: str) -> None:
    """P097."""
    with pytest.raises(RegistryInvalid) as caught:
        register([extension(domain)])
    assert caught.value.reason is Fault.RESERVED_DOMAIN


def test_registering_the_same_twice_changes_nothing() -> None:
    """P111."""
    once = register([extension(), extension("tides", connection_policy="none")])
    assert register([extension(), extension("tides", connection_policy="none")], onto=once) == once
    assert register([extension(), extension(), extension("tides", connection_policy="none")]) == once


@pytest.mark.parametrize(
    "other",
    [
        extension(revision="2"),
        extension(connection_policy="none"),
        extension(definition=definition(description="Other words.")),
    ],
    ids=["revision", "policy", "definition"],
)
def test_a_version_never_takes_another_payload(other: Extension) -> None:
    """P112: neither in one pass nor onto what is registered, and nothing of the pass remains."""
    registered = register([extension()])
    for extensions, onto in (([extension(), other], EMPTY), ([extension("tides"), other], registered)):
        with pytest.raises(RegistryInvalid) as caught:
            register(extensions, onto=onto)
        assert caught.value.reason is Fault.DUPLICATE_VERSION
    assert registered == register([extension()])


def test_versions_stand_side_by_side_and_the_newest_leads() -> None:
    newer = extension(definition=definition(version=10), revision="2")
    older = extension(definition=definition(version=9))
    registry = register([newer, extension("tides"), older])
    assert [builtin.key for builtin in registry.builtins] == [("almanac", 9), ("almanac", 10), ("tides", 1)]
    assert registry.newest["almanac"].extension is newer
    assert set(registry.newest) == {"almanac", "tides"}


def test_order_of_the_tuple_does_not_matter() -> None:
    several = [extension("tides"), extension(), extension("moons", connection_policy="none")]
    for order in itertools.permutations(several):
        assert register(order) == register(several)


def test_the_digest_is_of_the_normalized_definition() -> None:
    actions = (action(), action("see"))
    serves = frozenset({"look", "see"})
    forward = register([extension(definition=definition(actions=actions), serves=serves)])
    backward = register([extension(definition=definition(actions=actions[::-1]), serves=serves)])
    assert [b.runtime_digest for b in forward.builtins] == [b.runtime_digest for b in backward.builtins]


def test_auth_is_for_builtins_that_have_a_connection() -> None:
    made = extension(definition=definition(profiles=(PROFILE,), actions=(NEEDY,)), serves=frozenset({"see"}))
    assert register([made]).newest["almanac"].policy is ConnectionPolicy.REQUIRED


def test_runtime_projection_names_the_policy_only_where_it_is_none() -> None:
    """A058 to A060, P117; the bytes of R-REG-2."""
    assert runtime_projection(DIGEST, "r1", ConnectionPolicy.REQUIRED) == (
        b'{"contract":"extpkg.builtin/1","definition":"' + DIGEST.encode() + b'","revision":"r1"}'
    )
    assert runtime_projection(DIGEST, "r1", ConnectionPolicy.NONE) == (
        b'{"connectionPolicy":"none","contract":"extpkg.builtin/1","definition":"'
        + DIGEST.encode()
        + b'","revision":"r1"}'
    )


@pytest.mark.parametrize("policy", ["required", "none"])
def test_runtime_digest_is_the_hash_of_its_projection(policy: str) -> None:
    builtin = register([extension(connection_policy=policy)]).builtins[0]
    members = {"contract": "extpkg.builtin/1", "definition": builtin.definition_digest, "revision": "1"}
    if policy == "none":
        members["connectionPolicy"] = "none"
    text = json.dumps(members, sort_keys=True, separators=(",", ":"))
    assert builtin.runtime_digest == "sha256:" + hashlib.sha256(text.encode()).hexdigest()


def test_required_is_the_policy_of_an_extension_that_names_none() -> None:
    """P117."""
    assert register([extension()]) == register([extension(connection_policy="required")])


def test_a_wrong_number_of_connections_is_refused() -> None:
    """A061, P138, P175 (R-REG-4)."""
    required, none = ConnectionPolicy.REQUIRED, ConnectionPolicy.NONE
    assert [connection_refusal(required, count) for count in (-1, 0, 1, 2, 3)] == [
        "conflict",
        "provider_auth_unavailable",
        None,
        "conflict",
        "conflict",
    ]
    assert [connection_refusal(none, count) for count in (-1, 0, 1, 2)] == [
        "conflict",
        None,
        "conflict",
        "conflict",
    ]


def test_extensions_compare_by_value() -> None:
    assert extension() == extension()
    assert replace(extension(), revision="2") != extension()
