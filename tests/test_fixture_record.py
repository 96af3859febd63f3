"""Recording with secrets: of connections, in whatever form an answer repeats one."""

from __future__ import annotations

import gzip
import html
import json
import re
import time
from base64 import b64encode, urlsafe_b64encode
from typing import TYPE_CHECKING, Any
from urllib.parse import quote, quote_plus

import httpx
import pytest

from extpkg.connection import Connection
from extpkg.exchange import Exchange, Request, Response
from extpkg.fixture.find import CaseFolder
from extpkg.fixture.record import Live, RecordingRefused, record, write_case
from extpkg.fixture.run import run_case
from extpkg.fixture.scrub import REDACTED, holds_secret, looks_secret, scrubbed, without_secrets
from extpkg.invocation import find_builtin
from extpkg.secret import Secret

if TYPE_CHECKING:
    from pathlib import Path

CANARY = 'c4n/ry+5f"2a=91'
RESULTS: dict[str, Any] = {"results": [{"url": "https://a.example/", "title": CANARY, "content": "s"}]}


def written(folder: Path) -> str:
    return "".join(file.read_text() for file in folder.iterdir())


def taken(
    tmp_path: Path, domain: str, connection: Connection, answer: httpx.Response
) -> tuple[str, list[httpx.Request]]:
    """Record one search; return all that was written, and the requests that were made."""
    builtin = find_builtin(domain)
    requests: list[httpx.Request] = []

    def handle(request: httpx.Request) -> httpx.Response:
        requests.append(request)
        return answer

    live = Live(transport=httpx.MockTransport(handle), connections=(connection,))
    recorded = record(builtin, "search", {"query": "q"}, live)
    folder = CaseFolder(action="search", name="new", path=tmp_path / "search/new")
    write_case(folder, recorded, builtin)
    assert run_case(folder, builtin).passed
    return written(folder.path), requests


def test_a_connection_is_recorded_without_its_credentials(tmp_path: Path) -> None:
    """R-FIX-1, R-FIX-3."""
    body = {"type": "search", "web": {"results": [{**RESULTS["results"][0], "description": "s"}]}}
    connection = Connection(credentials={"apiKey": "canary5f2a91"})
    text, requests = taken(tmp_path, "brave", connection, httpx.Response(200, json=body))
    assert requests[0].headers["x-subscription-token"] == "canary5f2a91"
    assert "canary" not in text
    assert "subscription" not in text
    assert json.loads((tmp_path / "search/new/connection.json").read_bytes()) == {"config": {}}


def test_a_private_instance_is_recorded_decoded(tmp_path: Path) -> None:
    """R-SRCH-8: its origin is in the case, so that the same request is made again."""
    connection = Connection(config={"baseUrl": "http://10.0.0.5:8080"})
    answer = httpx.Response(
        200,
        stream=httpx.ByteStream(gzip.compress(json.dumps(RESULTS).encode())),
        headers={"content-encoding": "gzip", "content-type": "application/json"},
    )
    text, requests = taken(tmp_path, "searxng", connection, answer)
    assert requests[0].headers["accept-encoding"] == "gzip"
    assert "http://10.0.0.5:8080/search?q=q&format=json" in text
    assert "https://a.example/" in text


FORMS = [
    CANARY,
    json.dumps(CANARY),
    quote(CANARY, safe=""),
    b64encode(CANARY.encode()).decode(),
    f"x{CANARY}y",
]


@pytest.mark.parametrize("form", FORMS)
def test_a_secret_is_taken_out_in_every_form(form: str) -> None:
    request = Request(method="GET", url="https://a.example/")
    response = Response(status=200, body=f"<p>{form}</p>".encode())
    kept = scrubbed(Exchange(request=request, response=response), [Secret(CANARY)])
    assert REDACTED in kept.response.body
    for each in FORMS[:4]:
        assert each.strip("=").encode() not in kept.response.body
    assert holds_secret(
        Request(method="POST", url="https://a.example/", body=form.encode()), [Secret(CANARY)]
    )


ODD = "c+/n =<r>&\"'%\u00e9\U0001f600y"
ESCAPED = {
    "PHP escapes slashes": json.dumps(ODD).replace("/", r"\/"),
    ".NET escapes HTML": "".join(f"\\u{ord(each):04X}" if each in "<>&+\"'" else each for each in ODD),
    "JSON in JSON": json.dumps(json.dumps(ODD)),
    "percent in lower case": re.sub("%..", lambda found: found[0].lower(), quote(ODD, safe="")),
    "percent, slashes kept": quote(ODD),
    "percent twice": quote(quote(ODD, safe=""), safe=""),
    "a form": quote_plus(ODD),
    "HTML": html.escape(ODD),
    "HTML by numbers": "".join(f"&#{ord(each)};" for each in ODD),
    "HTML in hexadecimal": "".join(f"&#x{ord(each):04X};" for each in ODD),
    "base64 of URLs": urlsafe_b64encode(ODD.encode()).decode(),
    "backslashes": json.dumps(ODD + "\\\\"),
}


@pytest.mark.parametrize("form", ESCAPED.values(), ids=ESCAPED)
def test_a_secret_is_taken_out_however_it_is_escaped(form: str) -> None:
    """R-FIX-3: an API that repeats a token in its answer escapes it as its language does."""
    secret = Secret(ODD + "\\\\" if form.endswith('\\\\"') else ODD)
    body = f'{{"token_was": [{form}]}}'.encode()
    cleaned = without_secrets(body, [secret])
    assert re.fullmatch(rb'\{"token_was": \[["\\]*REDACTED["\\]*\]\}', cleaned)
    assert looks_secret(body, [secret])


@pytest.mark.parametrize(
    ("secret", "text"),
    [("a" * 500, "a" * 499 + "b"), ("\\a" * 50, "\\"), ("%" * 50, "%25"), ("&" * 50, "&amp;"), ("00", "&#0")],
)
def test_taking_out_is_linear(secret: str, text: str) -> None:
    body = text.encode() * (200_000 // len(text))
    started = time.process_time()
    without_secrets(body, [Secret(secret)])
    assert time.process_time() - started < 5


def test_a_query_that_holds_the_secret_is_not_recorded(tmp_path: Path) -> None:
    builtin = find_builtin("brave")
    live = Live(
        transport=httpx.MockTransport(lambda _: httpx.Response(404)),
        connections=(Connection(credentials={"apiKey": "canary5f2a91"}),),
    )
    with pytest.raises(RecordingRefused, match="looks like a secret"):
        record(builtin, "search", {"query": "about canary5f2a91"}, live)
    assert not list(tmp_path.iterdir())
