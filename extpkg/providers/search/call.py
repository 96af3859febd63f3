"""One bounded request of a search engine, and what its status says (seed 004 section 6, R-SRCH-7)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from extpkg.binding.input import input_violations
from extpkg.binding.parameters import encode_value
from extpkg.document.strict_json import parse_answer
from extpkg.errors import DocumentInvalid, ExtensionError
from extpkg.extension import ConnectionForm, CredentialField
from extpkg.json_schema import compile_schema
from extpkg.providers.search.contract import failure

if TYPE_CHECKING:
    from extpkg.connection import Connection
    from extpkg.egress.credential import Credential
    from extpkg.egress.reach import Origin
    from extpkg.exchange import Request, Response
    from extpkg.extension import Call
    from extpkg.secret import Secret

TOTAL_SECONDS: Final = 15.0
"""One search from its start to the last byte (R-RES-2)."""

API_KEY: Final = "apiKey"
"""The credential of every engine that has one."""

JSON_HEADERS: Final = (("content-type", "application/json"),)

KEY_FORM: Final = ConnectionForm(
    config_schema={
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "type": "object",
        "additionalProperties": False,
    },
    credentials=(CredentialField(name=API_KEY, label="API key"),),
    hints={
        "credential_missing": "Set the API key again: the connection holds none.",
        "credential_refused": "The provider does not accept the API key, or not for this interface.",
    },
)
"""What a connection of an engine with an API key holds: that key, and nothing to configure."""

_KEY_REFUSED: Final = frozenset({401, 403})


async def ask(
    request: Request, call: Call, *, credential: Credential | None = None, reach: Origin | None = None
) -> Response:
    """Send the one request of a call and return the answer; lets `EgressFailure` pass."""
    # Imported by the first call: a registry is read by many programs that send nothing.
    from extpkg.egress.clock import Budget
    from extpkg.egress.send import send

    budget = Budget(total=TOTAL_SECONDS)
    return await send(request, transport=call.transport, budget=budget, credential=credential, reach=reach)


def query_text(*pairs: tuple[str, str | int]) -> str:
    """Return a query of pairs in the order that is given, encoded as R-REQ-2 says (R-SRCH-9)."""
    return "&".join([f"{name}={encode_value(value)}" for name, value in pairs])


def connection_of(call: Call, form: ConnectionForm) -> Connection:
    """Return the connection of a call; raises `ExtensionError` where there is none or the form refuses it.

    Whoever made it may have written its file by hand: the executor asks the form again.
    """
    connection = call.connection
    if connection is None:
        raise unavailable("the Extension needs a connection, and none is active", "connection_missing")
    config = dict(connection.config)
    refused = input_violations(compile_schema(form.config_schema), config)
    if refused or (form.judge is not None and form.judge(config)):
        raise unavailable("the connection's configuration is not valid", "connection_invalid")
    return connection


def api_key(call: Call) -> Secret:
    """Return the API key of the call's connection; raises `ExtensionError` where it is not configured."""
    secret = connection_of(call, KEY_FORM).secret(API_KEY)
    if secret is None:
        raise unavailable("the connection has no API key", "credential_missing")
    return secret


def unavailable(message: str, reason: str) -> ExtensionError:
    """Return the `provider_auth_unavailable` of that reason, for the caller to raise."""
    return ExtensionError("provider_auth_unavailable", message, {"reason": reason})


def key_refused() -> ExtensionError:
    """Return the refusal of an API key, for the caller to raise."""
    return unavailable("the search engine refuses the connection's API key", "credential_refused")


def judge_key(response: Response) -> None:
    """Raise `ExtensionError` where the status alone says that the API key was refused."""
    if response.status in _KEY_REFUSED:
        raise key_refused()


def content(response: Response) -> Any:
    """Return the JSON of a success, halves of surrogate pairs as they came; raises `ExtensionError`.

    Neither the status nor a word of the answer is in an error (R-RES-4, seed 004 section 4.2).
    """
    if response.status == 429:
        raise ExtensionError("rate_limited", "the search engine asks to slow down; wait before the next call")
    if 300 <= response.status < 400:
        raise failure("the search engine answered with a redirect, which is not followed", "redirected")
    if response.status != 200:
        raise failure("the search engine did not carry out the search", "status")
    try:
        return parse_answer(response.body, halves="kept")
    except DocumentInvalid:
        pass
    raise failure("the search engine answered with something that is no JSON", "answer_malformed")
