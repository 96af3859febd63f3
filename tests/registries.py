"""An OCI registry on loopback that is strict, small, and fails where a test says so.

It holds one repository in memory. Whatever a client does that the distribution spec does not allow is written
to `complaints`, which tests expect to stay empty.
"""

from __future__ import annotations

import json
import re
import threading
from contextlib import contextmanager
from dataclasses import dataclass, field
from hashlib import sha256
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qs, urlsplit

if TYPE_CHECKING:
    import ssl
    from collections.abc import Callable, Iterator

NAME = "team/packages"
INDEX_TYPE = "application/vnd.oci.image.index.v1+json"
_DIGEST = re.compile(r"sha256:[0-9a-f]{64}")
_TAG = re.compile(r"[a-zA-Z0-9_][a-zA-Z0-9._-]{0,127}")


def digest_of(data: bytes) -> str:
    return "sha256:" + sha256(data).hexdigest()


@dataclass(frozen=True)
class Asked:
    method: str
    target: str
    headers: dict[str, str] = field(repr=False)
    body: bytes = field(repr=False)

    @property
    def path(self) -> str:
        return urlsplit(self.target).path

    @property
    def query(self) -> dict[str, str]:
        return {name: values[-1] for name, values in parse_qs(urlsplit(self.target).query).items()}


@dataclass(frozen=True)
class Reply:
    status: int
    body: bytes = b""
    headers: dict[str, str] = field(default_factory=dict)
    cut: bool = False
    """Close the connection instead of answering."""


@dataclass
class Registry:
    """What a registry holds, how it behaves, and what it was asked."""

    port: int = 0
    scheme: str = "http"
    blobs: dict[str, bytes] = field(default_factory=dict)
    manifests: dict[str, tuple[str, bytes]] = field(default_factory=dict)
    tags: dict[str, str] = field(default_factory=dict)
    uploads: set[str] = field(default_factory=set)
    referrers_api: bool = False
    page: int = 1_000
    before: Callable[[Asked], Reply | None] = lambda _: None
    """Answers instead of the registry where it returns something."""
    after: Callable[[Asked, Reply], Reply] = lambda _, reply: reply
    """Answers what the registry did."""
    asked: list[Asked] = field(default_factory=list)
    complaints: list[str] = field(default_factory=list)
    lock: threading.RLock = field(default_factory=threading.RLock, repr=False)

    @property
    def location(self) -> str:
        return f"oci+http://127.0.0.1:{self.port}/{NAME}"

    def answer(self, asked: Asked) -> Reply:
        with self.lock:
            self.asked.append(asked)
            return self.before(asked) or self.after(asked, self._answer(asked))

    def under(self, tag: str) -> dict[str, Any]:
        """Return the manifest that a tag leads to."""
        value: dict[str, Any] = json.loads(self.manifests[self.tags[tag]][1])
        return value

    def put(self, tag: str, manifest: bytes, kind: str = "application/vnd.oci.image.manifest.v1+json") -> str:
        """Put a manifest under a tag, as somebody who may write the repository can."""
        digest = digest_of(manifest)
        self.manifests[digest] = (kind, manifest)
        self.tags[tag] = digest
        return digest

    def _answer(self, asked: Asked) -> Reply:
        prefix = f"/v2/{NAME}/"
        if not asked.path.startswith(prefix):
            return Reply(404)
        kind, _, rest = asked.path.removeprefix(prefix).partition("/")
        work = {
            "blobs": self._upload if rest.startswith("uploads/") else self._blob,
            "manifests": self._manifest,
            "tags": self._tags,
            "referrers": self._referrers,
        }
        return work[kind](asked, rest)

    def _complain(self, text: str, status: int = 400) -> Reply:
        self.complaints.append(text)
        return Reply(status)

    def _blob(self, asked: Asked, digest: str) -> Reply:
        if asked.method != "GET" or not _DIGEST.fullmatch(digest):
            return self._complain(f"{asked.method} of a blob {digest}")
        data = self.blobs.get(digest)
        return Reply(404) if data is None else Reply(200, data, {"content-type": "application/octet-stream"})

    def _upload(self, asked: Asked, rest: str) -> Reply:
        session = rest.removeprefix("uploads/")
        if asked.method == "POST" and not session:
            session = f"s{len(self.uploads)}-{len(self.asked)}"
            self.uploads.add(session)
            where = f"/v2/{NAME}/blobs/uploads/{session}?state=%2F{session}"
            return Reply(202, headers={"location": where})
        digest = asked.query.get("digest", "")
        if asked.method != "PUT" or session not in self.uploads or asked.query.get("state") != f"/{session}":
            return self._complain(f"{asked.method} of an upload {session}")
        if digest_of(asked.body) != digest:
            return self._complain(f"another blob than {digest}")
        self.uploads.discard(session)
        self.blobs[digest] = asked.body
        return Reply(201, headers={"location": f"/v2/{NAME}/blobs/{digest}"})

    def _manifest(self, asked: Asked, reference: str) -> Reply:
        if asked.method == "PUT":
            return self._put_manifest(asked, reference)
        if asked.method != "GET":
            return self._complain(f"{asked.method} of a manifest")
        digest = reference if reference.startswith("sha256:") else self.tags.get(reference, "")
        found = self.manifests.get(digest)
        if found is None:
            return Reply(404)
        if found[0] not in asked.headers.get("accept", ""):
            return self._complain("the kind of manifest is not accepted", 406)
        return Reply(200, found[1], {"content-type": found[0], "docker-content-digest": digest})

    def _put_manifest(self, asked: Asked, reference: str) -> Reply:
        digest = digest_of(asked.body)
        kind = asked.headers.get("content-type", "")
        value = json.loads(asked.body)
        if value.get("mediaType") != kind:
            return self._complain("a manifest of another kind than it says")
        if reference.startswith("sha256:"):
            if reference != digest:
                return self._complain("another manifest than its digest")
        elif not _TAG.fullmatch(reference):
            return self._complain(f"a tag {reference!r}")
        else:
            self.tags[reference] = digest
        named = [*value.get("layers", ()), *([value["config"]] if "config" in value else ())]
        for each in named:
            if len(self.blobs.get(each["digest"], b"")) != each["size"] and each["digest"] not in self.blobs:
                return self._complain(f"a manifest without its blob {each['digest']}")
        self.manifests[digest] = (kind, asked.body)
        listed = (
            {"oci-subject": value["subject"]["digest"]} if self.referrers_api and "subject" in value else {}
        )
        return Reply(201, headers={"docker-content-digest": digest} | listed)

    def _tags(self, asked: Asked, _: str) -> Reply:
        tags = sorted(self.tags)
        last = asked.query.get("last", "")
        shown = [tag for tag in tags if tag > last][: self.page]
        body = json.dumps({"name": NAME, "tags": shown or None}).encode()
        more = bool(shown) and shown[-1] != tags[-1]
        link = {"link": f'</v2/{NAME}/tags/list?n={self.page}&last={shown[-1]}>; rel="next"'} if more else {}
        return Reply(200, body, {"content-type": "application/json"} | link)

    def _referrers(self, asked: Asked, digest: str) -> Reply:
        if not self.referrers_api:
            return Reply(404, b"404 page not found", {"content-type": "text/plain"})
        found = [
            {"mediaType": kind, "artifactType": value["artifactType"], "digest": own, "size": len(data)}
            for own, (kind, data) in self.manifests.items()
            if (value := json.loads(data)).get("subject", {}).get("digest") == digest
        ]
        start = int(asked.query.get("start", 0))
        body = {"schemaVersion": 2, "mediaType": INDEX_TYPE, "manifests": found[start : start + self.page]}
        link = {}
        if start + self.page < len(found):
            link = {"link": f'</v2/{NAME}/referrers/{digest}?start={start + self.page}>; rel="next"'}
        return Reply(200, json.dumps(body).encode(), {"content-type": INDEX_TYPE} | link)


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 128

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Say nothing of clients that went away."""


@contextmanager
def serving(registry: Registry, tls: ssl.SSLContext | None = None) -> Iterator[Registry]:
    """Let a registry answer on a port of loopback."""

    class Talk(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def _talk(self) -> None:
            names = [name.lower() for name in self.headers]
            if len(set(names)) != len(names):
                registry.complaints.append("a header twice")
            if self.command in {"PUT", "POST"} and "content-length" not in names:
                registry.complaints.append("a body without its length")
            body = self.rfile.read(int(self.headers.get("content-length", "0")))
            headers = {name.lower(): value for name, value in self.headers.items()}
            reply = registry.answer(Asked(self.command, self.path, headers, body))
            self.close_connection = True
            if reply.cut:
                return
            self.send_response(reply.status)
            framed = "transfer-encoding" in reply.headers
            length = {} if framed else {"content-length": str(len(reply.body))}
            for name, value in (length | reply.headers).items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(reply.body)

        do_GET = do_PUT = do_POST = do_HEAD = do_PATCH = do_DELETE = _talk  # noqa: N815 - http.server's names

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    with _Server(("127.0.0.1", 0), Talk) as server:
        if tls is not None:
            server.socket = tls.wrap_socket(server.socket, server_side=True, do_handshake_on_connect=False)
            registry.scheme = "https"
        registry.port = server.server_address[1]
        thread = threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True)
        thread.start()
        try:
            yield registry
        finally:
            server.shutdown()
            thread.join()


def rewritten_log(registry: Registry, change: Callable[[list[dict[str, Any]]], object]) -> None:
    """Let the log's tag lead to a log with other lines, as somebody who may write the repository can."""
    manifest = registry.under("extpkg-log")
    [layer] = [each for each in manifest["layers"] if "segment" in each["mediaType"]]
    head, *rows = [json.loads(text) for text in registry.blobs[layer["digest"]].splitlines()]
    change(rows)
    text = [json.dumps(row, sort_keys=True, separators=(",", ":")) + "\n" for row in (head, *rows)]
    data = "".join(text).encode()
    registry.blobs[digest_of(data)] = data
    layer |= {"digest": digest_of(data), "size": len(data)}
    registry.put("extpkg-log", json.dumps(manifest).encode())
