"""The client of an OCI registry: what it asks, whom it tells who it is, and what it believes (S025)."""

from __future__ import annotations

import base64
import hashlib
import json
import logging
from contextlib import ExitStack
from functools import partial
from typing import TYPE_CHECKING, Any

import pytest
from loopback import PUBLIC, client_tls, server_tls
from registries import NAME, Asked, Registry, Reply, digest_of, serving

from extpkg.egress.converse import Network
from extpkg.egress.dial import connect
from extpkg.egress.failure import Reason
from extpkg.egress.loop import run
from extpkg.egress.reach import Origin
from extpkg.egress.registry_client import BLOB_BYTES, MANIFEST_BYTES, Lack, RegistryClient
from extpkg.egress.registry_place import Repository, netloc, repository, target
from extpkg.egress.registry_session import RegistryFailure
from extpkg.egress.registry_token import basic, issued, read_challenge, token_path
from extpkg.secret import Secret

if TYPE_CHECKING:
    import socket
    from collections.abc import Callable, Iterator, Sequence

CANARY = "pass-9b1f"
LOGIN = Secret(f"user:{CANARY}")
BASIC = "Basic " + base64.b64encode(f"user:{CANARY}".encode()).decode()
TOKEN = "token-5c7e"  # noqa: S105 - made up
BLOB = b"what is kept"
DIGEST = digest_of(BLOB)


@pytest.fixture
def registry() -> Iterator[Registry]:
    with serving(Registry()) as served:
        yield served
        assert served.complaints == []


def client(registry: Registry, login: Secret | None = None, network: Network | None = None) -> RegistryClient:
    place = repository(registry.location)
    assert place is not None
    return RegistryClient(place, login=lambda: login, network=network)


# Where a repository is


@pytest.mark.parametrize(
    ("text", "origin", "private"),
    [
        ("oci://registry.example/a", Origin(scheme="https", host="registry.example", port=443), False),
        ("oci://registry.example:5000/a", Origin(scheme="https", host="registry.example", port=5000), False),
        ("oci+http://localhost/a", Origin(scheme="http", host="localhost", port=80), True),
        ("oci+private://r.corp.example/a", Origin(scheme="https", host="r.corp.example", port=443), True),
        ("oci://10.0.0.5:5000/a", Origin(scheme="https", host="10.0.0.5", port=5000), True),
        ("oci+http://[::1]:5000/a", Origin(scheme="http", host="::1", port=5000), True),
    ],
)
def test_a_location_is_an_origin_and_a_name(text: str, origin: Origin, *, private: bool) -> None:
    assert repository(text) == Repository(origin=origin, name="a", private=private)


@pytest.mark.parametrize("name", ["a", "a/b", "a1.b_c__d-e---f/g", "a/" * 100 + "a"])
def test_repository_names(name: str) -> None:
    place = repository(f"oci://registry.example/{name}")
    assert place is not None
    assert place.target("tags/list").path == f"/v2/{name}/tags/list"


@pytest.mark.parametrize(
    "text",
    [
        "oci://registry.example",
        "oci://registry.example/",
        "oci:///a",
        "oci://registry.example/A",
        "oci://Registry.example/a",
        "oci://user:pass@registry.example/a",
        "oci://registry.example/a:1",
        "oci://registry.example/a@sha256:" + "0" * 64,
        "oci://registry.example/a?x",
        "oci://registry.example/a#x",
        "oci://registry.example/../a",
        "oci://registry.example/a//b",
        "oci://registry.example/a/",
        "oci://registry.example:0/a",
        "oci://registry.example:65536/a",
        "oci://registry.example:05/a",
        "oci://-a.example/a",
        "oci://registry.example/" + "a" * 256,
        "oci+ftp://registry.example/a",
        "oci://registry.example/a\n",
        "oci://registry.ex\u00e4mple/a",
        "https://registry.example/a",
    ],
)
def test_what_is_no_location(text: str) -> None:
    assert repository(text) is None


@pytest.mark.parametrize(
    ("text", "host", "path"),
    [
        ("/v2/x?y=%2F", "registry.example", "/v2/x?y=%2F"),
        ("https://store.example/x?y", "store.example", "/x?y"),
        ("https://store.example", "store.example", "/"),
        ("//store.example/x", None, None),
        ("x", None, None),
        ("https://user@store.example/x", None, None),
        ("https://store.example/x#y", None, None),
        ("https://store.example/x y", None, None),
        ("https://store.example\\x", None, None),
        ("HTTPS://store.example/x", None, None),
        ("file:///etc/passwd", None, None),
        ("https://store.example/\u00e4", None, None),
        ("/x\r\nhost: y", None, None),
    ],
)
def test_where_a_registry_may_lead(text: str, host: str | None, path: str | None) -> None:
    found = target(text, Origin(scheme="https", host="registry.example", port=443))
    assert (found and (found.origin.host, found.path)) == (host and (host, path))


def test_hosts_are_written_as_in_a_url() -> None:
    assert netloc(Origin(scheme="https", host="::1", port=443)) == "[::1]"
    assert netloc(Origin(scheme="https", host="a.example", port=80)) == "a.example:80"


@pytest.mark.parametrize(
    ("location", "scheme", "host", "address", "allowed"),
    [
        ("oci://r.example/a", "https", "r.example", "10.0.0.1", False),
        ("oci://r.example/a", "https", "r.example", PUBLIC, True),
        ("oci://r.example/a", "http", "r.example", PUBLIC, None),
        ("oci+private://r.example/a", "https", "r.example", "10.0.0.1", True),
        ("oci+private://r.example/a", "http", "r.example", "10.0.0.1", None),
        ("oci+private://r.example/a", "https", "s.example", "10.0.0.1", False),
        ("oci+private://r.example/a", "https", "r.example", "169.254.169.254", False),
        ("oci+http://r.example/a", "http", "r.example", "127.0.0.1", True),
        ("oci+http://r.example/a", "https", "s.example", "127.0.0.1", False),
        ("oci+http://r.example/a", "http", "s.example", PUBLIC, None),
        ("oci+http://r.example/a", "http", "r.example", "100.100.100.200", False),
        ("oci://10.0.0.1/a", "https", "10.0.0.1", "10.0.0.1", True),
        ("oci://10.0.0.1/a", "https", "10.0.0.2", "10.0.0.2", False),
    ],
)
def test_plain_http_and_private_addresses_are_for_the_host_given_so(
    location: str, scheme: str, host: str, address: str, allowed: object
) -> None:
    place = repository(location)
    assert place is not None
    judge = place.permitted(Origin(scheme=scheme, host=host, port=1234))
    assert (None if judge is None else judge(address)) is allowed


def test_a_name_that_leads_to_a_private_address_is_not_asked() -> None:
    async def resolver(_: str, __: int) -> Sequence[str]:
        return ["10.0.0.1"]

    place = repository("oci://registry.example/a")
    assert place is not None
    asking = RegistryClient(place, login=lambda: None, network=Network(resolver=resolver))
    with pytest.raises(RegistryFailure, match=r"oci\+private://") as refused:
        run(partial(asking.manifest, "x"))
    assert refused.value.reason is Reason.ADDRESS_DENIED


# What it asks, and what it believes


def test_a_blob_is_stored_once_and_fetched(registry: Registry) -> None:
    asking = client(registry)
    assert run(partial(asking.blob, DIGEST, len(BLOB))) is Lack.ABSENT
    assert run(partial(asking.store, DIGEST, BLOB)) is None
    assert registry.blobs == {DIGEST: BLOB}
    assert run(partial(asking.store, DIGEST, BLOB)) is None
    assert run(partial(asking.blob, DIGEST, len(BLOB))) == BLOB
    assert [asked.method for asked in registry.asked] == ["GET", "GET", "POST", "PUT", "GET", "GET", "GET"]
    assert all(asked.headers["user-agent"] == "extpkg" for asked in registry.asked)
    assert all("authorization" not in asked.headers for asked in registry.asked)


def test_an_empty_blob(registry: Registry) -> None:
    asking = client(registry)
    assert run(partial(asking.store, digest_of(b""), b"")) is None
    assert run(partial(asking.blob, digest_of(b""), 0)) == b""


@pytest.mark.parametrize(
    "kept",
    [b"WHAT IS KEPT", b"what is kep", b"what is kept and more", b""],
    ids=["flip", "cut", "more", "empty"],
)
def test_what_is_not_its_digest_is_damaged(registry: Registry, kept: bytes) -> None:
    registry.blobs[DIGEST] = kept
    assert run(partial(client(registry).blob, DIGEST, len(BLOB))) is Lack.DAMAGED
    assert run(partial(client(registry).store, DIGEST, BLOB)) is Lack.DAMAGED


@pytest.mark.parametrize(("text", "whole"), [(b"what", True), (b"WHAT", False)])
def test_a_blob_is_hashed_whatever_its_framing(registry: Registry, text: bytes, *, whole: bool) -> None:
    chunks = b"4\r\n" + text + b"\r\n8\r\n is kept\r\n0\r\n\r\n"
    registry.before = lambda _: Reply(200, chunks, {"transfer-encoding": "chunked"})
    found = run(partial(client(registry).blob, DIGEST, len(BLOB)))
    assert found == (BLOB if whole else Lack.DAMAGED)


def test_large_blobs_arrive_whole(registry: Registry) -> None:
    data = hashlib.sha256(b"seed").digest() * (1 << 17)
    assert run(partial(client(registry).store, digest_of(data), data)) is None
    assert run(partial(client(registry).blob, digest_of(data), len(data))) == data


def test_nothing_larger_than_allowed_is_asked_for_or_sent(registry: Registry) -> None:
    asking = client(registry)
    assert run(partial(asking.blob, DIGEST, BLOB_BYTES + 1)) is Lack.DAMAGED
    with pytest.raises(RegistryFailure, match="are allowed"):
        run(partial(asking.store, DIGEST, bytes(BLOB_BYTES + 1)))
    with pytest.raises(RegistryFailure, match="are allowed"):
        run(partial(asking.store_manifest, "x", bytes(MANIFEST_BYTES + 1)))
    assert registry.asked == []


def test_several_blobs_keep_their_order(registry: Registry) -> None:
    blobs = {digest_of(data): data for data in (str(number).encode() for number in range(30))}
    asking = client(registry)
    assert run(partial(asking.store_all, blobs)) == ()
    registry.blobs[digest_of(b"7")] = b"x"
    del registry.blobs[digest_of(b"3")]
    found = run(partial(asking.blobs, {digest: len(data) for digest, data in blobs.items()}))
    assert list(found) == list(blobs)
    assert found[digest_of(b"7")] is Lack.DAMAGED
    assert found[digest_of(b"3")] is Lack.ABSENT
    assert run(partial(asking.blobs, {})) == {}


def test_one_failure_of_several_is_raised(registry: Registry) -> None:
    bad = digest_of(b"5")
    registry.before = lambda asked: Reply(403) if asked.path.endswith(bad) else None
    wanted = {digest_of(str(number).encode()): 1 for number in range(30)}
    with pytest.raises(RegistryFailure, match="does not allow"):
        run(partial(client(registry).blobs, wanted))


def test_manifests_by_tag_and_digest(registry: Registry) -> None:
    data = json.dumps({"mediaType": "application/vnd.oci.image.manifest.v1+json"}).encode()
    asking = client(registry)
    assert run(partial(asking.manifest, "x")) is Lack.ABSENT
    assert run(partial(asking.store_manifest, "x", data)) is False
    for reference in ("x", digest_of(data)):
        found = run(partial(asking.manifest, reference))
        assert not isinstance(found, Lack)
        assert (found.data, found.digest) == (data, digest_of(data))
    registry.manifests[digest_of(data)] = (registry.manifests[digest_of(data)][0], data + b" ")
    assert run(partial(asking.manifest, digest_of(data))) is Lack.DAMAGED


def test_a_registry_that_fails_is_asked_again(registry: Registry) -> None:
    registry.put("x", b"{}")
    answers = iter([500, 500])
    registry.before = lambda _: Reply(status) if (status := next(answers, None)) else None
    assert not isinstance(run(partial(client(registry).manifest, "x")), Lack)
    registry.before = lambda _: Reply(500)
    assert run(partial(client(registry).manifest, "x")) is Lack.FAILED


@pytest.mark.parametrize("page", [1, 2, 1000])
def test_tags_on_several_pages(registry: Registry, page: int) -> None:
    registry.page = page
    assert run(client(registry).tags) == ()
    for tag in ("a", "b", "c"):
        registry.put(tag, tag.encode())
    assert run(client(registry).tags) == ("a", "b", "c")


@pytest.mark.parametrize("page", [1, 1000])
def test_referrers_by_the_api(registry: Registry, page: int) -> None:
    registry.referrers_api, registry.page = True, page
    subject = registry.put("x", b"{}")
    for number in range(3):
        value = {"artifactType": "t", "subject": {"digest": subject}, "n": number}
        registry.put(f"r{number}", json.dumps(value).encode())
    found = run(partial(client(registry).referrers, subject))
    assert found is not None
    assert [each["artifactType"] for each in found] == ["t"] * 3


def test_a_registry_without_referrers_says_so(registry: Registry) -> None:
    assert run(partial(client(registry).referrers, DIGEST)) is None
    registry.before = lambda _: Reply(200, b"<html>", {"content-type": "text/html"})
    assert run(partial(client(registry).referrers, DIGEST)) is None


@pytest.mark.parametrize(
    ("reply", "words"),
    [
        (Reply(200, b"{"), "cannot be read"),
        (Reply(200, b"[]"), "cannot be read"),
        (Reply(200, b'{"tags": 1}'), "cannot be read"),
        (Reply(200, b'{"tags": [1]}'), "cannot be read"),
        (Reply(200, b"{}", {"link": '<ftp://x.example/>; rel="next"'}), "no plain URL"),
        (Reply(200, b"{}", {"link": '<https://x.example/>; rel="next"'}), "another host"),
        (Reply(200, b"{}", {"link": '</v2/>; rel="next"'}), "does not end"),
        (Reply(429), "too often"),
        (Reply(507), "storage is full"),
        (Reply(418), "status 418"),
        (Reply(0, cut=True), "truncated_answer"),
        (Reply(200, b"x" * (MANIFEST_BYTES + 1)), "body_too_large"),
        (Reply(200, b"x", {"content-encoding": "gzip"}), "encoded_answer"),
    ],
)
def test_lists_that_are_none(
    registry: Registry, monkeypatch: pytest.MonkeyPatch, reply: Reply, words: str
) -> None:
    monkeypatch.setattr("extpkg.egress.registry_client._PAGES", 5)
    registry.before = lambda _: reply
    with pytest.raises(RegistryFailure, match=words) as refused:
        run(client(registry).tags)
    assert refused.value.full is (reply.status == 507)


@pytest.mark.parametrize(
    ("location", "words"),
    [
        (None, "no plain URL"),
        ("ftp://x.example/", "no plain URL"),
        ("https://elsewhere.example/upload", "another host"),
        ("http://127.0.0.1:1/upload", "another host"),
    ],
)
def test_an_upload_stays_with_the_registry(registry: Registry, location: str | None, words: str) -> None:
    registry.before = lambda asked: (
        Reply(202, headers={} if location is None else {"location": location})
        if asked.method == "POST"
        else None
    )
    with pytest.raises(RegistryFailure, match=words):
        run(partial(client(registry, LOGIN).store, DIGEST, BLOB))
    assert {asked.method for asked in registry.asked} == {"GET", "POST"}


# Redirects


def _leading(*path: str) -> Callable[[Asked], Reply | None]:
    """Return what redirects blobs to a URL, from there to the next, and then answers."""
    places = iter(path)

    def before(asked: Asked) -> Reply | None:
        place = next(places, None) if "/blobs/" in asked.path or "/else" in asked.path else None
        if place is not None:
            return Reply(307, b"", {"location": place})
        return Reply(200, BLOB) if "/else" in asked.path else None

    return before


@pytest.mark.parametrize("steps", [0, 1, 3, 4])
def test_at_most_three_redirects_are_followed(registry: Registry, steps: int) -> None:
    registry.before = _leading(*(f"/else/{number}" for number in range(steps)))
    registry.blobs[DIGEST] = BLOB
    asking = partial(client(registry).blob, DIGEST, len(BLOB))
    if steps < 4:
        assert run(asking) == BLOB
    else:
        with pytest.raises(RegistryFailure, match="more than 3 times"):
            run(asking)
    assert len(registry.asked) == min(steps, 3) + 1


@pytest.mark.parametrize(
    ("place", "words"),
    [
        ("http://storage.example/else", "without TLS"),
        ("file:///etc/passwd", "no plain URL"),
        ("https://user:pass@storage.example/else", "no plain URL"),
        ("https://127.0.0.2/else", "not public"),
        ("https://169.254.169.254/else", "not public"),
    ],
)
def test_a_redirect_leads_nowhere_but_over_tls_to_public_addresses(
    registry: Registry, place: str, words: str
) -> None:
    registry.before = _leading(place)
    with pytest.raises(RegistryFailure, match=words):
        run(partial(client(registry).blob, DIGEST, len(BLOB)))


def test_only_blobs_are_redirected(registry: Registry) -> None:
    registry.before = lambda _: Reply(307, b"", {"location": "/else"})
    with pytest.raises(RegistryFailure, match="status 307"):
        run(partial(client(registry).manifest, "x"))


class World:
    """Several hosts under TLS on loopback, each by its public name."""

    def __init__(self, stack: ExitStack, *names: str) -> None:
        self.hosts = {name: stack.enter_context(serving(Registry(), server_tls(name))) for name in names}
        self._asked = ""

    def network(self) -> Network:
        addresses = {name: f"140.82.112.{number}" for number, name in enumerate(self.hosts, start=3)}
        ports = {addresses[name]: host.port for name, host in self.hosts.items()}

        async def resolver(name: str, _: int) -> Sequence[str]:
            return [addresses[name]]

        async def dialer(address: str, _: int) -> socket.socket:
            return await connect("127.0.0.1", ports[address])

        return Network(resolver=resolver, dialer=dialer, tls=client_tls())

    def client(self, host: str, login: Secret | None = LOGIN) -> RegistryClient:
        place = repository(f"oci://{host}/{NAME}")
        assert place is not None
        return RegistryClient(place, login=lambda: login, network=self.network())


def _asks_for_basic(asked: Asked) -> Reply | None:
    if asked.headers.get("authorization") == BASIC:
        return None
    return Reply(401, b"", {"www-authenticate": 'Basic realm="here"'})


def test_a_credential_never_follows_to_another_origin() -> None:
    """The registry gets the login, the storage that it leads to does not, and neither does the way back."""
    with ExitStack() as stack:
        world = World(stack, "registry.example.com", "storage.example.com")
        first, second = world.hosts.values()
        first.blobs[DIGEST] = BLOB

        def redirecting(asked: Asked) -> Reply | None:
            where = {"location": "https://storage.example.com/else?signed=1"}
            return _asks_for_basic(asked) or Reply(302, b"", where)

        first.before = redirecting
        second.before = lambda _: Reply(200, BLOB)
        assert run(partial(world.client("registry.example.com").blob, DIGEST, len(BLOB))) == BLOB
        assert [asked.headers.get("authorization") for asked in first.asked] == [None, BASIC]
        [asked] = second.asked
        assert "authorization" not in asked.headers
        assert CANARY not in json.dumps(asked.headers)


def test_a_storage_that_asks_for_a_credential_gets_none() -> None:
    with ExitStack() as stack:
        world = World(stack, "registry.example.com", "storage.example.com")
        first, second = world.hosts.values()
        first.before = lambda _: Reply(302, b"", {"location": "https://storage.example.com/else"})
        second.before = _asks_for_basic
        with pytest.raises(RegistryFailure, match="does not accept"):
            run(partial(world.client("registry.example.com").blob, DIGEST, len(BLOB)))
        assert len(second.asked) == 1


def test_the_same_name_on_another_port_is_another_origin() -> None:
    with ExitStack() as stack:
        world = World(stack, "registry.example.com")
        [host] = world.hosts.values()

        def before(asked: Asked) -> Reply | None:
            if asked.path == "/else":
                return Reply(200, BLOB)
            where = {"location": "https://registry.example.com:8443/else"}
            return _asks_for_basic(asked) or Reply(302, b"", where)

        host.before = before
        assert run(partial(world.client("registry.example.com").blob, DIGEST, len(BLOB))) == BLOB
        assert [asked.headers.get("authorization") for asked in host.asked] == [None, BASIC, None]


# Tokens


def _token_world(stack: ExitStack, body: Any = None, status: int = 200) -> World:
    """Return a registry that wants a token, and the realm that issues it."""
    world = World(stack, "registry.example.com", "auth.example.com")
    first, second = world.hosts.values()

    def before(asked: Asked) -> Reply | None:
        if asked.headers.get("authorization") == f"Bearer {TOKEN}":
            return None
        wanted = "pull" if asked.method == "GET" else "pull,push"
        value = (
            f'Bearer realm="https://auth.example.com/token",service="the registry",'
            f'scope="repository:{NAME}:{wanted}"'
        )
        return Reply(401, b'{"errors": []}', {"www-authenticate": value})

    first.before = before
    answer = json.dumps({"token": TOKEN} if body is None else body).encode()
    second.before = lambda _: Reply(status, answer)
    return world


def test_a_token_is_fetched_once_and_kept() -> None:
    with ExitStack() as stack:
        world = _token_world(stack)
        asking = world.client("registry.example.com")
        first, second = world.hosts.values()
        assert run(partial(asking.store_all, {DIGEST: BLOB, digest_of(b"x"): b"x"})) == ()
        assert run(partial(asking.blob, DIGEST, len(BLOB))) == BLOB
        [asked] = second.asked
        assert asked.headers["authorization"] == BASIC
        assert asked.path == "/token"
        assert asked.query == {"service": "the registry", "scope": f"repository:{NAME}:pull"}
        assert BASIC not in {each.headers.get("authorization") for each in first.asked}


def test_nobody_asks_for_a_token_without_a_login() -> None:
    with ExitStack() as stack:
        world = _token_world(stack)
        assert run(partial(world.client("registry.example.com", None).manifest, "x")) is Lack.ABSENT
        [asked] = world.hosts["auth.example.com"].asked
        assert "authorization" not in asked.headers


def test_another_token_is_fetched_where_one_is_not_enough() -> None:
    with ExitStack() as stack:
        world = _token_world(stack)
        first, second = world.hosts.values()
        tokens = iter(["pulls", TOKEN])
        second.before = lambda _: Reply(200, json.dumps({"access_token": next(tokens)}).encode())
        enough = first.before
        first.before = lambda asked: (
            None
            if asked.method == "GET" and asked.headers.get("authorization") == "Bearer pulls"
            else enough(asked)
        )
        assert run(partial(world.client("registry.example.com").store, DIGEST, BLOB)) is None
        assert [asked.query["scope"] for asked in second.asked] == [
            f"repository:{NAME}:pull",
            f"repository:{NAME}:pull,push",
        ]


@pytest.mark.parametrize(
    ("body", "status", "words"),
    [
        ({}, 200, "gives no token"),
        ([], 200, "gives no token"),
        ({"token": 1}, 200, "gives no token"),
        ({"token": "a b"}, 200, "gives no token"),
        ({"token": "x" * 70_000}, 200, "body_too_large"),
        (None, 401, "does not accept"),
        (None, 500, "status 500"),
        (None, 302, "status 302"),
        ({"token": "another"}, 200, "does not accept"),
    ],
)
def test_realms_that_give_no_token(body: Any, status: int, words: str) -> None:
    with ExitStack() as stack:
        world = _token_world(stack, body, status)
        with pytest.raises(RegistryFailure, match=words):
            run(partial(world.client("registry.example.com").manifest, "x"))


@pytest.mark.parametrize(
    ("challenge", "words"),
    [
        (None, "kind that is not known"),
        ("Negotiate", "kind that is not known"),
        ('Digest realm="x"', "kind that is not known"),
        ('Bearer realm="http://auth.example.com/"', "without TLS"),
        ('Bearer realm="https://127.0.0.2/"', "not public"),
        ('Bearer realm="/token"', "realm that is no plain URL"),
        ('Bearer service="x"', "realm that is no plain URL"),
        ('Bearer realm="https://a.example/",realm="https://b.example/"', "kind that is not known"),
        ('Bearer realm="https://a.example/', "kind that is not known"),
        ('Bearer realm="https://a.example/", Basic realm="x"', "kind that is not known"),
    ],
)
def test_challenges_that_are_not_met(registry: Registry, challenge: str | None, words: str) -> None:
    headers = {} if challenge is None else {"www-authenticate": challenge}
    registry.before = lambda _: Reply(401, b"", headers)
    with pytest.raises(RegistryFailure, match=words):
        run(partial(client(registry, LOGIN).manifest, "x"))
    assert len(registry.asked) == 1


def test_a_login_that_is_asked_for_and_is_none(registry: Registry) -> None:
    registry.before = _asks_for_basic
    with pytest.raises(RegistryFailure, match="none is configured"):
        run(partial(client(registry).manifest, "x"))
    with pytest.raises(RegistryFailure, match="no user and password"):
        run(partial(client(registry, Secret("only-a-word")).manifest, "x"))


def test_challenges_are_read_strictly() -> None:
    bearer = read_challenge(["Basic realm=x", 'bearer Realm="r" , scope="a b",service=s'])
    assert bearer is not None
    assert (bearer.scheme, bearer.realm, bearer.service, bearer.scope) == ("bearer", "r", "s", "a b")
    assert token_path("/t?x=1", bearer, "unused") == "/t?x=1&service=s&scope=a&scope=b"
    bare = read_challenge(['Bearer realm="r"'])
    assert bare is not None
    assert token_path("/t", bare, "repository:a/b:pull") == "/t?scope=repository%3Aa%2Fb%3Apull"
    assert token_path("/t", bare, "") == "/t"
    assert read_challenge([]) is None


def test_tokens_and_logins_that_cannot_be_sent() -> None:
    assert issued(b"[" * 100_000) is None
    assert issued(b"\xff") is None
    assert issued(b'{"token": ""}') is None
    assert basic(Secret("no colon")) is None


# Secrets


@pytest.mark.parametrize("fault", [Reply(0, cut=True), Reply(401), Reply(500), Reply(403), Reply(302)])
def test_no_secret_is_in_what_is_raised(
    registry: Registry, caplog: pytest.LogCaptureFixture, fault: Reply
) -> None:
    caplog.set_level(logging.DEBUG)
    registry.before = lambda asked: _asks_for_basic(asked) or fault
    asking = client(registry, LOGIN)
    with pytest.raises(RegistryFailure) as raised:
        run(partial(asking.store_manifest, "x", b"{}"))
    shown = [repr(asking), caplog.text, repr(vars(asking))]
    error: BaseException | None = raised.value
    while error is not None:
        shown += [str(error), repr(error)]
        trace = error.__traceback__
        while trace is not None:
            if "extpkg" in trace.tb_frame.f_code.co_filename:
                shown += [repr(value) for value in trace.tb_frame.f_locals.values()]
            trace = trace.tb_next
        error = error.__cause__ or error.__context__
    encoded = BASIC.removeprefix("Basic ")
    assert not any(secret in text for text in shown for secret in (CANARY, encoded))
