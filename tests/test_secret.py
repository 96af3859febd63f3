"""Secrets: no way to show one leads to its text."""

from __future__ import annotations

import copy
import json
import logging
import pickle
import pprint
import traceback
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

import pytest

import extpkg
from extpkg.connection import Connection
from extpkg.extension import Call, ConnectionForm, CredentialField
from extpkg.secret import Secret

if TYPE_CHECKING:
    from collections.abc import Callable

CANARY = "canary-5f2a91"


@dataclass
class _Holder:
    """A value that somebody else made, with a secret in it."""

    secret: Secret


SHOWING: list[Callable[[Secret], object]] = [
    str,
    repr,
    format,
    ascii,
    lambda secret: f"{secret}{secret!r}{secret:>30}{secret!s:.5}",
    lambda secret: f"%s %r {secret}" % (secret, secret),
    lambda secret: [secret, {"a": secret}, (secret,)],
    lambda secret: pprint.pformat({"deep": [secret]}),
    _Holder,
    lambda secret: asdict(_Holder(secret)),
    lambda secret: json.dumps({"key": secret}, default=repr),
    copy.copy,
    copy.deepcopy,
    lambda secret: copy.deepcopy({"key": [secret]}),
    lambda secret: Connection(credentials={"apiKey": secret}),
    lambda secret: logging.makeLogRecord({"msg": "%s", "args": (secret,)}).getMessage(),
    lambda secret: Call(action="a", value={}, transport=object(), connection=_connection(secret)),  # type: ignore[arg-type]
    dir,
    hash,
]


def _connection(secret: Secret) -> Connection:
    return Connection(credentials={"apiKey": secret})


@pytest.mark.parametrize("show", SHOWING)
def test_nothing_shows_it(show: Callable[[Secret], object]) -> None:
    """P: redaction is structural."""
    shown = show(Secret(CANARY))
    assert CANARY not in f"{shown} {shown!r}"


@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
def test_it_is_not_pickled(protocol: int) -> None:
    with pytest.raises(TypeError, match="not pickled"):
        pickle.dumps(Secret(CANARY), protocol)


@pytest.mark.parametrize("write", [json.dumps, extpkg.canonical_json])
def test_it_is_no_json(write: Callable[[object], object]) -> None:
    with pytest.raises((TypeError, extpkg.DocumentInvalid)) as caught:
        write({"key": Secret(CANARY)})
    assert CANARY not in repr(caught.value)


def test_a_traceback_with_locals_shows_none() -> None:
    """As error reporters write it: every local of every frame."""

    def fail(secret: Secret, connection: Connection) -> None:
        raise RuntimeError(f"{secret} {connection}")

    secret = Secret(CANARY)
    try:
        fail(secret, _connection(secret))
    except RuntimeError as error:
        shown = "".join(traceback.TracebackException.from_exception(error, capture_locals=True).format())
    assert "Secret(***)" in shown
    assert CANARY not in shown


def test_reveal_alone_gives_it() -> None:
    secret = Secret(CANARY)
    assert secret.reveal() == CANARY
    assert not hasattr(secret, "__dict__")


def test_two_are_never_equal() -> None:
    """No comparison answers a guess."""
    one, other = Secret(CANARY), Secret(CANARY)
    assert one != other
    assert one == one  # noqa: PLR0124 - the same object
    assert one != CANARY  # type: ignore[comparison-overlap]
    assert len({one, other}) == 2
    assert copy.copy(one) is one
    assert copy.deepcopy(one) is one


def test_an_empty_one_is_refused() -> None:
    for refused in (lambda: Secret(""), lambda: Connection(credentials={"apiKey": ""})):
        with pytest.raises(ValueError, match="empty"):
            refused()


def test_a_connection_keeps_what_it_was_given() -> None:
    config, credentials = {"language": "en"}, {"apiKey": CANARY}
    connection = extpkg.Connection(config=config, credentials=credentials)
    config["language"] = credentials["apiKey"] = "changed"
    assert connection.config == {"language": "en"}
    secret = connection.secret("apiKey")
    assert isinstance(secret, extpkg.Secret)
    assert secret.reveal() == CANARY
    assert connection.secret("other") is None
    with pytest.raises(TypeError):
        connection.config["language"] = "de"  # type: ignore[index]


def test_a_form_is_a_value() -> None:
    hints = {"json_disabled": "Enable JSON."}
    form = ConnectionForm(
        config_schema={}, credentials=(CredentialField(name="apiKey", label="API key"),), hints=hints
    )
    hints.clear()
    assert form.hints == {"json_disabled": "Enable JSON."}
    assert form.credentials[0].required
