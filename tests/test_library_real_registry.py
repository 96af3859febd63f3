"""A library in Debian's docker-registry, on loopback: what a stub cannot vouch for (issue's done-when 3).

`EXTPKG_REGISTRY_PACKAGES=1000` mirrors that many packages instead of 50.
"""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import time
import urllib.request
from contextlib import closing
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pytest
from corpus import ROOT
from debian import program
from keys import pair
from publishing import entry_of, publish
from releases import release

from extpkg.library.entry import IntegrityError, digest_of
from extpkg.library.local import LocalStore
from extpkg.library.location import open_store
from extpkg.library.oci import OciStore
from extpkg.library.publish import mirrored
from extpkg.library.store import Conflict, Outcome

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from pathlib import Path

NAME = "team/packages"
MANIFEST = "application/vnd.oci.image.manifest.v1+json"
CONFIG = """version: 0.1
log: {{level: error, accesslog: {{disabled: true}}}}
storage: {{filesystem: {{rootdirectory: {root}}}}}
http: {{addr: "127.0.0.1:{port}"}}
"""


@dataclass(frozen=True)
class Registry:
    port: int
    root: Path

    @property
    def location(self) -> str:
        return f"oci+http://127.0.0.1:{self.port}/{NAME}"

    def store(self, environment: Mapping[str, str] | None = None) -> OciStore:
        store = open_store(self.location, environment or {"DOCKER_CONFIG": str(self.root)})
        assert isinstance(store, OciStore)
        return store

    def ask(self, rest: str) -> bytes:
        url = f"http://127.0.0.1:{self.port}/v2/{NAME}/{rest}"
        request = urllib.request.Request(url, headers={"accept": MANIFEST})
        with urllib.request.urlopen(request, timeout=10) as answer:  # noqa: S310
            data: bytes = answer.read()
        return data

    def blob(self, digest: str) -> Path:
        hexadecimal = digest.removeprefix("sha256:")
        return self.root / "docker/registry/v2/blobs/sha256" / hexadecimal[:2] / hexadecimal / "data"

    def tag(self, name: str) -> Path:
        tags = self.root / "docker/registry/v2/repositories" / NAME / "_manifests/tags"
        return tags / name / "current/link"

    def former(self, name: str) -> list[str]:
        """Return every digest that a tag has ever led to."""
        index = self.tag(name).parent.parent / "index/sha256"
        return ["sha256:" + each.name for each in index.iterdir()]


@pytest.fixture
def registry(tmp_path: Path) -> Iterator[Registry]:
    binary = program("docker-registry", "docker-registry")
    if binary is None:
        pytest.skip("docker-registry is not installed, and Debian's packages cannot be reached")
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    root = tmp_path / "registry"
    root.mkdir()
    config = tmp_path / "registry.yml"
    config.write_text(CONFIG.format(root=root, port=port))
    with subprocess.Popen(
        [binary, "serve", config],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        env={"OTEL_TRACES_EXPORTER": "none", "PATH": os.environ["PATH"]},
    ) as process:
        try:
            _await(port, process)
            yield Registry(port, root)
        finally:
            process.kill()


def _await(port: int, process: subprocess.Popen[bytes]) -> None:
    for _ in range(200):
        assert process.poll() is None, "docker-registry ended"
        try:
            with socket.create_connection(("127.0.0.1", port), timeout=1):
                return
        except OSError:
            time.sleep(0.05)
    raise AssertionError("docker-registry does not answer")


def test_the_definition_digest_is_the_config_digest(registry: Registry, tmp_path: Path) -> None:
    """P025: pulled by digest, the registry's own hash is the Definition's; a layer for each file, no tar."""
    store = registry.store()
    assert (store.create(), store.create()) == (True, False)
    root = release(tmp_path / "a")
    published = publish(root, store)
    assert published.outcome is Outcome.STORED
    assert publish(root, store).outcome is Outcome.UNCHANGED
    with pytest.raises(Conflict) as refused:
        publish(release(tmp_path / "b", marker="B"), store)
    assert published.digest in str(refused.value)
    manifest = json.loads(registry.ask("manifests/a.1"))
    assert manifest["config"]["digest"] == published.digest
    assert manifest["artifactType"] == "application/vnd.extpkg.package.v1"
    assert digest_of(registry.ask(f"blobs/{published.digest}")) == published.digest
    pulled = {
        layer["annotations"]["org.opencontainers.image.title"]: registry.ask(f"blobs/{layer['digest']}")
        for layer in manifest["layers"]
    }
    assert pulled == {name: (root / name).read_bytes() for name in ("actions/ping.yaml", "meta.yaml")}
    [line] = registry.store().publications()
    assert registry.store().read(line).files == pulled
    assert list(registry.store().verify()) == []


def _flip(registry: Registry, digest: str) -> None:
    path = registry.blob(digest)
    path.write_bytes(path.read_bytes().replace(b"ping", b"pong"))


def _cut(registry: Registry, digest: str) -> None:
    path = registry.blob(digest)
    path.write_bytes(path.read_bytes()[:-1])


def _remove(registry: Registry, digest: str) -> None:
    registry.blob(digest).unlink()


def _garble(registry: Registry, digest: str) -> None:
    registry.blob(digest).write_bytes(b"garbage")


@pytest.mark.parametrize(
    ("part", "damage", "named"),
    [
        ("file", _flip, "the file 'actions/ping.yaml' of a@1 is damaged"),
        ("file", _cut, "the file 'actions/ping.yaml' of a@1 is damaged"),
        ("file", _remove, "the file 'actions/ping.yaml' of a@1 is missing"),
        ("config", _flip, "the Definition of a@1 is damaged"),
        ("config", _remove, "the Definition of a@1 is missing"),
        ("manifest", _flip, "the manifest of a@1 is damaged"),
        ("manifest", _garble, "the manifest of a@1 is unreadable in the registry"),
        ("manifest", _remove, "the manifest of a@1 is missing"),
    ],
)
def test_damage_on_the_registry_s_disk_is_named(
    registry: Registry, tmp_path: Path, part: str, damage: Callable[[Registry, str], None], named: str
) -> None:
    """P109, P111: nothing of a damaged version is given out, and another version still is."""
    store = registry.store()
    store.create()
    publish(release(tmp_path / "a"), store)
    publish(release(tmp_path / "b", domain="b", marker="B"), store)
    manifest = registry.ask("manifests/a.1")
    [ping] = [each for each in json.loads(manifest)["layers"] if "ping" in str(each["annotations"])]
    parts = {
        "file": ping["digest"],
        "config": json.loads(manifest)["config"]["digest"],
        "manifest": digest_of(manifest),
    }
    damage(registry, parts[part])
    reader = registry.store()
    first, second = reader.publications()
    with pytest.raises(IntegrityError, match=named):
        reader.read(first)
    assert reader.read(second).domain == "b"
    assert [fault.message for fault in registry.store().verify()] == [named]


def test_damage_is_not_published_over(registry: Registry, tmp_path: Path) -> None:
    store = registry.store()
    store.create()
    entry = entry_of(release(tmp_path / "a"))
    store.add(entry)
    _flip(registry, digest_of(entry.files["actions/ping.yaml"]))
    with pytest.raises(IntegrityError, match="damaged"):
        publish(release(tmp_path / "b", version=2), registry.store())


def test_a_moved_tag_is_named_and_nothing_is_read_through_it(registry: Registry, tmp_path: Path) -> None:
    store = registry.store()
    store.create()
    for version in (1, 2):
        publish(release(tmp_path / str(version), version=version), store)
    registry.tag("a.1").write_bytes(registry.tag("a.2").read_bytes())
    [fault] = registry.store().verify()
    assert fault.message.startswith("the tag a.1 of a@1 was moved: it leads to sha256:")
    first = registry.store().find("a", 1)
    assert first is not None
    assert registry.store().read(first).version == 1
    assert publish(tmp_path / "1", registry.store()).outcome is Outcome.UNCHANGED
    assert list(registry.store().verify()) == []


def test_a_log_that_is_led_back_is_named(registry: Registry, tmp_path: Path) -> None:
    """A tag that leads to an earlier log leaves versions without their lines; their tags tell."""
    store = registry.store()
    store.create()
    for version in (1, 2):
        publish(release(tmp_path / str(version), version=version), store)
    now = registry.tag("extpkg-log").read_text()
    seen = set()
    for digest in registry.former("extpkg-log"):
        registry.tag("extpkg-log").write_text(digest)
        faults = [fault.message for fault in registry.store().verify()]
        assert all("its line was lost" in message for message in faults)
        seen.add((digest == now, len(faults)))
    assert seen == {(False, 2), (False, 1), (True, 0)}
    registry.tag("extpkg-log").write_bytes(registry.tag("a.1").read_bytes())
    [fault] = registry.store().verify()
    assert "no library's log" in fault.message
    with pytest.raises(IntegrityError):
        registry.store().publications()


def race(location: str, *packages: Path) -> dict[str, int]:
    command = [sys.executable, str(ROOT / "tests/publishers.py"), "race", location, *map(str, packages)]
    ran = subprocess.run(command, capture_output=True, check=True, timeout=300)
    counts: dict[str, int] = json.loads(ran.stdout)
    return counts


def test_racing_writers_of_one_version(registry: Registry, tmp_path: Path) -> None:
    """P112: one is stored, the others are told of it."""
    registry.store().create()
    packages = [release(tmp_path / f"p{number}", marker=f"P{number}") for number in range(12)]
    assert race(registry.location, *packages) == {"stored": 1, "Conflict": 11}
    [line] = registry.store().publications()
    assert line.definition in {entry_of(package).digest for package in packages}
    assert list(registry.store().verify()) == []


def test_racing_writers_of_different_packages(registry: Registry, tmp_path: Path) -> None:
    """No line is lost to another writer's."""
    registry.store().create()
    names = ("a", "b", "c", "d", "e")
    packages = [release(tmp_path / name, domain=name, marker=name) for name in names]
    assert race(registry.location, *packages) == {"stored": len(names)}
    assert sorted(line.domain for line in registry.store().publications()) == list(names)
    assert list(registry.store().verify()) == []


def test_attestations_by_the_tag_that_stands_for_a_manifest(registry: Registry, tmp_path: Path) -> None:
    """This registry has no referrers API."""
    store = registry.store()
    store.create()
    publish(release(tmp_path / "a"), store)
    [line] = store.publications()
    assert store.attestations(line) == ()
    for envelope in (b'{"one": 1}', b'{"two": 2}', b'{"one": 1}'):
        store.attest(line, envelope)
    assert sorted(store.attestations(line)) == [b'{"one": 1}', b'{"two": 2}']
    image = digest_of(registry.ask("manifests/a.1"))
    assert registry.tag(image.replace(":", "-")).is_file()
    assert list(registry.store().verify()) == []
    _cut(registry, digest_of(b'{"two": 2}'))
    [fault] = registry.store().verify()
    assert "an attestation" in fault.message


def test_a_signed_log(registry: Registry, tmp_path: Path) -> None:
    private, public = pair(tmp_path)
    signer = {"EXTPKG_LIBRARY_KEY": str(private), "DOCKER_CONFIG": str(tmp_path)}
    reader = {"EXTPKG_LIBRARY_PUBLIC_KEY": str(public), "DOCKER_CONFIG": str(tmp_path)}
    registry.store(signer).create()
    publish(release(tmp_path / "a"), registry.store(signer))
    store = registry.store(reader)
    assert list(store.verify()) == []
    assert list(store.notes()) == []
    [line] = store.publications()
    assert store.read(line).domain == "a"


def test_from_a_file_to_the_registry_and_back(registry: Registry, tmp_path: Path) -> None:
    """Digests, links and bytes are equal on both sides."""
    count = int(os.environ.get("EXTPKG_REGISTRY_PACKAGES", "50"))
    with closing(LocalStore(tmp_path / "one.db")) as one, closing(LocalStore(tmp_path / "two.db")) as two:
        one.create()
        two.create()
        for number in range(count):
            root = release(tmp_path / "packages" / str(number), domain=f"p{number}", marker=str(number))
            publish(root, one)
        remote = registry.store()
        remote.create()
        assert _outcomes(one, remote) == {Outcome.STORED: count}
        assert _outcomes(one, remote) == {Outcome.UNCHANGED: count}
        assert _outcomes(registry.store(), two) == {Outcome.STORED: count}
        assert one.publications() == registry.store().publications() == two.publications()
        assert list(two.verify()) == []
        for line in one.publications():
            assert two.read(line) == one.read(line)
    assert list(registry.store().verify()) == []


def _outcomes(source: Any, target: Any) -> dict[Outcome, int]:
    outcomes = [outcome for _, outcome in mirrored(source, target)]
    return {outcome: outcomes.count(outcome) for outcome in set(outcomes)}
