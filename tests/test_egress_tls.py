"""TLS with a throwaway CA: what is trusted, and what no context given from outside can loosen."""

from __future__ import annotations

import ssl
import warnings
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import pytest
import trustme
from loopback import GET, NAME, VirtualTime, authority, call, client_tls, run, server_tls, serving

from extpkg.egress.failure import EgressFailure, Reason
from extpkg.egress.send import GuardedTransport, send
from extpkg.egress.stream import public_tls, strict_tls
from extpkg.exchange import Response

if TYPE_CHECKING:
    from loopback import Script

OK: Script = [{"read_request": True}, {"send": "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi"}]


def serving_with(certificate: trustme.LeafCert) -> ssl.SSLContext:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    certificate.configure_cert(context)
    return context


def expired() -> ssl.SSLContext:
    past = datetime.now(UTC) - timedelta(days=2)
    return serving_with(authority().issue_cert(NAME, not_before=past, not_after=past + timedelta(days=1)))


def unknown_authority() -> ssl.SSLContext:
    return serving_with(trustme.CA().issue_cert(NAME))


def common_name_alone() -> ssl.SSLContext:
    return serving_with(authority().issue_cert("other.example.com", common_name=NAME))


def old_version() -> ssl.SSLContext:
    context = serving_with(authority().issue_cert(NAME))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        context.minimum_version = ssl.TLSVersion.TLSv1
        context.maximum_version = ssl.TLSVersion.TLSv1_1
    context.set_ciphers("ALL:@SECLEVEL=0")
    return context


REFUSED = {
    "another name": lambda: server_tls("other.example.com"),
    "the name above": lambda: server_tls("example.com"),
    "a wildcard above": lambda: server_tls("*.com"),
    "the name below": lambda: server_tls("x.api.example.com"),
    "the address": lambda: server_tls("140.82.112.3"),
    "the common name alone": common_name_alone,
    "expired": expired,
    "signed by itself": unknown_authority,
    "TLS 1.1": old_version,
}


@pytest.mark.parametrize("certificate", REFUSED.values(), ids=REFUSED)
def test_refused(certificate: object) -> None:
    assert callable(certificate)
    outcome = call(OK, tls=certificate())
    assert outcome.result is Reason.TLS_FAILED
    assert outcome.upstream.requests == []


@pytest.mark.parametrize("version", [ssl.TLSVersion.TLSv1_2, ssl.TLSVersion.TLSv1_3])
def test_accepted(version: ssl.TLSVersion) -> None:
    context = serving_with(authority().issue_cert("*.example.com"))
    context.minimum_version = context.maximum_version = version
    assert isinstance(call(OK, tls=context).result, Response)


def test_the_name_goes_out_and_no_other_protocol() -> None:
    seen: list[str | None] = []
    context = serving_with(authority().issue_cert(NAME))
    context.sni_callback = lambda *given: seen.append(given[1])
    context.set_alpn_protocols(["h2"])
    assert isinstance(call(OK, tls=context).result, Response)
    assert seen == [NAME]


def test_a_lax_context_becomes_strict() -> None:
    lax = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    lax.check_hostname = False
    lax.verify_mode = ssl.CERT_NONE
    lax.hostname_checks_common_name = True
    lax.options |= ssl.OP_IGNORE_UNEXPECTED_EOF

    async def main(time: VirtualTime) -> None:
        async with serving(OK, time) as upstream:
            transport = GuardedTransport(resolver=upstream.resolver, dialer=upstream.dialer, tls=lax)
            with pytest.raises(EgressFailure, match="tls_failed"):
                await send(GET, transport=transport)

    run(main)
    assert lax.check_hostname
    assert lax.verify_mode is ssl.CERT_REQUIRED
    assert not lax.hostname_checks_common_name
    assert lax.minimum_version is ssl.TLSVersion.TLSv1_2
    assert not lax.options & ssl.OP_IGNORE_UNEXPECTED_EOF


def test_the_keys_of_a_session_are_never_written(monkeypatch: pytest.MonkeyPatch, tmp_path: object) -> None:
    monkeypatch.setenv("SSLKEYLOGFILE", f"{tmp_path}/keys")
    context = ssl.create_default_context()
    assert context.keylog_filename
    assert strict_tls(context).keylog_filename is None


def test_the_public_context_is_built_once_and_knows_roots() -> None:
    assert public_tls() is public_tls()
    assert public_tls().cert_store_stats()["x509_ca"] > 50
    assert public_tls().check_hostname
    assert client_tls().cert_store_stats()["x509_ca"] == 1


def test_the_public_roots_do_not_know_the_throwaway_authority() -> None:
    async def main(time: VirtualTime) -> None:
        async with serving(OK, time) as upstream:
            with pytest.raises(EgressFailure, match="tls_failed"):
                await send(
                    GET, transport=GuardedTransport(resolver=upstream.resolver, dialer=upstream.dialer)
                )

    run(main)


@pytest.mark.parametrize(
    ("end", "expected"), [({"farewell": True}, b"hi"), ({"close": True}, Reason.TRUNCATED)]
)
def test_an_answer_up_to_the_end_needs_the_farewell(end: dict[str, bool], expected: bytes | Reason) -> None:
    """A cut connection is not the end of a text."""
    result = call([{"read_request": True}, {"send": "HTTP/1.1 200 OK\r\n\r\nhi"}, end]).result
    assert (result.body if isinstance(result, Response) else result) == expected
