"""The library in a registry: what it keeps, what it refuses, and what it notices (P025, P109, P111, P112)."""

from __future__ import annotations

import base64
import json
from contextlib import closing
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest
from keys import pair
from publishing import entry_of
from registries import INDEX_TYPE, Asked, Registry, Reply, digest_of, rewritten_log, serving
from releases import release

from extpkg.canonical import canonical_json
from extpkg.egress.registry_client import RegistryClient
from extpkg.egress.registry_place import repository
from extpkg.envelope import sealed
from extpkg.library.docker_login import docker_login
from extpkg.library.entry import Entry, IntegrityError
from extpkg.library.local import LocalStore
from extpkg.library.location import open_store
from extpkg.library.oci import OciStore
from extpkg.library.oci_form import version_tag
from extpkg.library.publish import mirrored
from extpkg.library.signing import HEAD_TYPE, Signing, signing
from extpkg.library.store import Conflict, Outcome, Unavailable

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from extpkg.library.entry import Publication


@pytest.fixture
def registry() -> Iterator[Registry]:
    with serving(Registry()) as served:
        yield served
        assert served.complaints == []


def opened(registry: Registry, keys: Signing | None = None) -> OciStore:
    place = repository(registry.location)
    assert place is not None
    marks = iter(f"{number:016x}" for number in range(1_000))
    client = RegistryClient(place, login=lambda: None)
    return OciStore(client, keys or Signing(), settle=0.005, mark=lambda: next(marks))


@pytest.fixture
def store(registry: Registry) -> OciStore:
    made = opened(registry)
    assert made.create()
    return made


def versions(folder: Path, *numbers: int, domain: str = "a", marker: str = "A") -> list[Entry]:
    roots = [folder / f"{domain}{number}{marker}" for number in numbers]
    for root, number in zip(roots, numbers, strict=True):
        release(root, domain=domain, version=number, marker=marker)
    return [entry_of(root) for root in roots]


def one(folder: Path, number: int = 1, domain: str = "a", marker: str = "A") -> Entry:
    [entry] = versions(folder, number, domain=domain, marker=marker)
    return entry


def faults(registry: Registry) -> list[str]:
    return [fault.message for fault in opened(registry).verify()]


# What is stored


def test_a_version_is_a_manifest_whose_config_is_the_projection(
    registry: Registry, store: OciStore, tmp_path: Path
) -> None:
    entry = one(tmp_path)
    assert store.add(entry) is Outcome.STORED
    manifest = registry.under("a.1")
    assert registry.blobs[manifest["config"]["digest"]] == entry.projection
    assert manifest["config"]["digest"] == entry.digest
    layers = {
        layer["annotations"]["org.opencontainers.image.title"]: registry.blobs[layer["digest"]]
        for layer in manifest["layers"]
    }
    assert layers == entry.files
    assert canonical_json(manifest) == registry.manifests[registry.tags["a.1"]][1]
    log = registry.under("extpkg-log")
    [segment] = [registry.blobs[layer["digest"]] for layer in log["layers"]]
    [line] = store.publications()
    assert [json.loads(text) for text in segment.splitlines()] == [
        {"contract": "extpkg.log/1", "first": 1},
        {
            "contract": "extpkg.publication/1",
            "sequence": 1,
            "domain": "a",
            "version": 1,
            "definition": entry.digest,
            "manifest": digest_of(entry.manifest()),
            "previous": "sha256:" + "0" * 64,
            "link": line.computed_link(),
            "image": registry.tags["a.1"],
            "by": "0000000000000000",
        },
    ]
    assert store.find("a", 1) == line == store.find_digest(entry.digest)
    assert store.find("a", 2) is None
    assert store.find_digest("sha256:" + "0" * 64) is None
    assert store.read(line) == entry == opened(registry).read(line)


def test_conflicts_name_both_digests_and_change_nothing(
    registry: Registry, store: OciStore, tmp_path: Path
) -> None:
    """P112."""
    first, second = one(tmp_path), one(tmp_path, marker="B")
    store.add(first)
    tags = dict(registry.tags)
    with pytest.raises(Conflict) as refused:
        store.add(second)
    assert first.digest in str(refused.value)
    assert second.digest in str(refused.value)
    assert registry.tags == tags
    assert store.add(first) is Outcome.UNCHANGED


def test_a_group_is_published_up_to_what_is_refused(store: OciStore, tmp_path: Path) -> None:
    entries = versions(tmp_path, 1, 2)
    group = [entries[0], entries[1], entries[0], one(tmp_path, 2, marker="B"), one(tmp_path, 3)]
    outcomes = store.add_all(group)
    assert [next(outcomes) for _ in range(3)] == [Outcome.STORED, Outcome.STORED, Outcome.UNCHANGED]
    with pytest.raises(Conflict):
        next(outcomes)
    assert [line.name for line in store.publications()] == ["a@1", "a@2"]


def test_a_log_has_segments_and_full_ones_stay(
    registry: Registry, store: OciStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("extpkg.library.oci_log.SEGMENT_LINES", 2)
    for entry in versions(tmp_path, 1, 2, 3):
        store.add(entry)
    registry.asked.clear()
    list(store.add_all(versions(tmp_path, 4, 5)))
    first = registry.under("extpkg-log")["layers"][0]["digest"]
    assert len(registry.under("extpkg-log")["layers"]) == 3
    assert not [asked for asked in registry.asked if asked.path.endswith(first)]
    assert [line.version for line in opened(registry).publications()] == [1, 2, 3, 4, 5]
    assert faults(registry) == []


def test_a_domain_too_long_for_a_tag_is_cut_and_hashed(
    registry: Registry, store: OciStore, tmp_path: Path
) -> None:
    names = ["a" * 127, "a" * 128]
    for name in names:
        store.add(one(tmp_path, 1_000, domain=name))
    tags = [version_tag(line) for line in store.publications()]
    assert len(set(tags)) == 2
    assert all(len(tag) <= 128 for tag in tags)
    assert set(tags) < set(registry.tags)
    assert faults(registry) == []


def test_what_publishers_have_in_common_is_sent_once(
    registry: Registry, store: OciStore, tmp_path: Path
) -> None:
    store.add(one(tmp_path, 1))
    registry.asked.clear()
    store.add(one(tmp_path, 2))
    sent = [asked.query["digest"] for asked in registry.asked if "digest" in asked.query]
    entry = one(tmp_path / "again", 2)
    assert digest_of(entry.files["actions/ping.yaml"]) not in sent
    assert digest_of(entry.files["meta.yaml"]) in sent


# Others who publish


def test_a_line_that_another_overwrote_is_written_again(
    registry: Registry, store: OciStore, tmp_path: Path
) -> None:
    """The rival looked at the log before, and wrote it after this publisher did."""
    empty = registry.tags["extpkg-log"]
    rival = opened(registry)
    rival.add(one(tmp_path, domain="rival"))
    theirs = registry.tags["extpkg-log"]
    registry.tags["extpkg-log"] = empty
    writes = []

    def overwriting(asked: Asked, reply: Reply) -> Reply:
        if asked.method == "PUT" and asked.path.endswith("/extpkg-log"):
            writes.append(asked)
            if len(writes) == 1:
                registry.tags["extpkg-log"] = theirs
        return reply

    registry.after = overwriting
    assert store.add(one(tmp_path)) is Outcome.STORED
    assert [line.name for line in store.publications()] == ["rival@1", "a@1"]
    assert len(writes) == 2
    assert faults(registry) == []


@pytest.mark.parametrize(("marker", "outcome"), [("A", "unchanged"), ("B", "conflict")])
def test_a_rival_s_version_of_the_same_name_wins(
    registry: Registry, store: OciStore, tmp_path: Path, marker: str, outcome: str
) -> None:
    """Equal lines are told apart by who wrote them: one is stored, the other unchanged."""
    empty = registry.tags["extpkg-log"]
    place = repository(registry.location)
    assert place is not None
    rival = OciStore(RegistryClient(place, login=lambda: None), Signing(), settle=0.005)
    rival.add(one(tmp_path / "rival", marker=marker))
    theirs = registry.tags["extpkg-log"]
    registry.tags["extpkg-log"] = empty

    def overwriting(asked: Asked, reply: Reply) -> Reply:
        if asked.method == "PUT" and asked.path.endswith("/extpkg-log"):
            registry.tags["extpkg-log"] = theirs
        return reply

    registry.after = overwriting
    if outcome == "conflict":
        with pytest.raises(Conflict):
            store.add(one(tmp_path))
    else:
        assert store.add(one(tmp_path)) is Outcome.UNCHANGED
    assert len(store.publications()) == 1
    assert faults(registry) == []


def test_a_line_that_does_not_stay_is_no_conflict(
    registry: Registry, store: OciStore, tmp_path: Path
) -> None:
    """What another wrote and lost again neither refuses a version nor makes it unchanged."""
    empty = registry.tags["extpkg-log"]
    opened(registry).add(one(tmp_path / "rival", marker="B"))
    looks = []

    def losing(asked: Asked) -> None:
        if asked.method == "GET" and asked.path.endswith("/extpkg-log"):
            looks.append(asked)
            if len(looks) == 2:
                registry.tags["extpkg-log"] = empty

    registry.before = losing
    assert store.add(one(tmp_path)) is Outcome.STORED
    assert len(looks) > 2


def test_a_log_that_moved_meanwhile_is_not_written_over(
    registry: Registry, store: OciStore, tmp_path: Path
) -> None:
    rival = opened(registry)
    looks = []

    def meanwhile(asked: Asked) -> None:
        if asked.method == "GET" and asked.path.endswith("/extpkg-log"):
            looks.append(asked)
            if len(looks) == 2:
                registry.before = lambda _: None
                registry.lock.release()
                rival.add(one(tmp_path, domain="rival"))
                registry.lock.acquire()

    registry.before = meanwhile
    assert store.add(one(tmp_path)) is Outcome.STORED
    assert [line.name for line in store.publications()] == ["rival@1", "a@1"]


def test_who_is_always_overtaken_gives_up(
    registry: Registry, store: OciStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("extpkg.library.oci.TRIES", 3)
    empty = registry.tags["extpkg-log"]

    def overwriting(_: Asked, reply: Reply) -> Reply:
        registry.tags["extpkg-log"] = empty
        return reply

    registry.after = overwriting
    with pytest.raises(Unavailable, match="without a pause"):
        store.add(one(tmp_path))


def test_a_line_that_was_lost_later_is_named(registry: Registry, store: OciStore, tmp_path: Path) -> None:
    """A publisher that stood still between looking and writing is met by nobody but verify."""
    empty = registry.tags["extpkg-log"]
    store.add(one(tmp_path))
    registry.tags["extpkg-log"] = empty
    opened(registry).add(one(tmp_path, domain="b"))
    assert faults(registry) == [
        "the tag a.1 leads to a package that the log does not have: its line was lost"
    ]
    assert opened(registry).add(one(tmp_path / "again")) is Outcome.STORED
    assert faults(registry) == []


def test_what_is_not_known_is_said(registry: Registry, store: OciStore, tmp_path: Path) -> None:
    def silent(asked: Asked, reply: Reply) -> Reply:
        return Reply(0, cut=True) if asked.method == "PUT" and asked.path.endswith("-log") else reply

    registry.after = silent
    with pytest.raises(Unavailable, match="is not known"):
        store.add(one(tmp_path))
    registry.after = lambda _, reply: reply
    assert opened(registry).add(one(tmp_path / "again")) is Outcome.UNCHANGED


def test_a_version_without_its_tag_is_published_all_the_same(
    registry: Registry, store: OciStore, tmp_path: Path
) -> None:
    registry.before = lambda asked: Reply(403) if asked.path.endswith("/a.1") else None
    assert store.add(one(tmp_path)) is Outcome.STORED
    assert "a@1 may have no tag; publishing it again sets it" in store.notes()
    registry.before = lambda _: None
    reader = opened(registry)
    assert list(reader.verify()) == []
    assert "a@1 may have no tag; publishing it again sets it" in reader.notes()
    assert reader.add(one(tmp_path / "again")) is Outcome.UNCHANGED
    assert "a.1" in registry.tags


# What was done to it


def _reversed(rows: list[dict[str, Any]]) -> None:
    rows.reverse()


def _first_gone(rows: list[dict[str, Any]]) -> None:
    del rows[0]


def _renamed(rows: list[dict[str, Any]]) -> None:
    rows[1]["domain"] = "b"


def _repeated(rows: list[dict[str, Any]]) -> None:
    rows.append(rows[1])


def _other_link(rows: list[dict[str, Any]]) -> None:
    rows[0]["link"] = rows[1]["link"]


@pytest.mark.parametrize(
    ("change", "named"),
    [
        (_reversed, "the log is broken before a@2: a line is missing or in another place"),
        (_first_gone, "the log is broken before a@2: a line is missing or in another place"),
        (_renamed, "the log's line of b@2 was changed"),
        (_repeated, "the log is broken before a@2: a line is missing or in another place"),
        (_other_link, "the log's line of a@1 was changed"),
    ],
)
def test_a_log_with_other_lines_is_named_and_not_used(
    registry: Registry,
    store: OciStore,
    tmp_path: Path,
    change: Callable[[list[dict[str, Any]]], None],
    named: str,
) -> None:
    list(store.add_all(versions(tmp_path, 1, 2)))
    rewritten_log(registry, change)
    assert named in faults(registry)
    for use in (
        lambda: opened(registry).publications(),
        lambda: opened(registry).find("a", 1),
        lambda: opened(registry).add(one(tmp_path, 3)),
    ):
        with pytest.raises(IntegrityError):
            use()


@pytest.mark.parametrize("name", ["sequence", "version", "image", "by", "domain", "contract"])
@pytest.mark.parametrize("value", [None, True, 1.5, [], "x", 10**20])
def test_lines_that_are_none(
    registry: Registry, store: OciStore, tmp_path: Path, name: str, value: object
) -> None:
    """No value in a line makes reading raise anything else."""
    store.add(one(tmp_path))

    def change(rows: list[dict[str, Any]]) -> None:
        rows[0][name] = value

    rewritten_log(registry, change)
    if (name, value) == ("by", "x"):
        assert faults(registry) == []
    else:
        assert faults(registry)


@pytest.mark.parametrize(
    "value",
    [
        {},
        [],
        {"artifactType": "application/vnd.extpkg.log.v1", "layers": []},
        {"artifactType": "application/vnd.extpkg.log.v1", "layers": [{}]},
        {"artifactType": "application/vnd.extpkg.package.v1", "layers": []},
        {
            "artifactType": "application/vnd.extpkg.log.v1",
            "layers": [{"mediaType": "text/plain", "digest": "sha256:" + "0" * 64, "size": 1}],
        },
        {
            "artifactType": "application/vnd.extpkg.log.v1",
            "layers": [
                {
                    "mediaType": "application/vnd.extpkg.log.segment.v1+json-seq",
                    "digest": "sha256:" + "0" * 64,
                    "size": True,
                }
            ],
        },
    ],
)
def test_a_tag_that_leads_to_no_log(registry: Registry, store: OciStore, value: object) -> None:
    registry.put("extpkg-log", json.dumps(value).encode())
    assert faults(registry) == ["the tag extpkg-log leads to something that is no library's log"]
    with pytest.raises(IntegrityError):
        opened(registry).create()
    assert store.notes() == []


@pytest.mark.parametrize("data", [b"", b"{}", b"{}\n", b"[]\n", b"\xff", b"[" * 10_000, b'{"contract": 1}\n'])
def test_segments_that_are_none(registry: Registry, data: bytes) -> None:
    opened(registry).create()
    manifest = registry.under("extpkg-log")
    registry.blobs[digest_of(data)] = data
    manifest["layers"][0] |= {"digest": digest_of(data), "size": len(data)}
    registry.put("extpkg-log", json.dumps(manifest).encode())
    assert faults(registry) == ["a segment of the log cannot be read"]


def test_a_segment_that_is_gone_or_damaged(registry: Registry, store: OciStore, tmp_path: Path) -> None:
    store.add(one(tmp_path))
    digest = registry.under("extpkg-log")["layers"][0]["digest"]
    registry.blobs[digest] += b"\n"
    assert faults(registry) == ["a segment of the log is damaged"]
    del registry.blobs[digest]
    assert faults(registry) == ["a segment of the log is missing"]


def test_the_log_s_tag_may_be_unreadable(registry: Registry) -> None:
    registry.before = lambda asked: Reply(500) if asked.path.endswith("extpkg-log") else None
    assert faults(registry) == ["the log is unreadable in the registry"]


def _reimaged(change: Callable[[dict[str, Any]], object]) -> Callable[[Registry], None]:
    """Return what lets the log's first line lead to a manifest that was changed."""

    def act(registry: Registry) -> None:
        value = registry.under("a.1")
        change(value)
        image = registry.put("a.1", json.dumps(value).encode())
        rewritten_log(registry, lambda rows: rows[0].update(image=image))

    return act


@pytest.mark.parametrize(
    ("change", "named"),
    [
        (lambda value: value["layers"].pop(), "is not the one that was published"),
        (lambda value: value["layers"].append(value["layers"][0]), "is not the one that was published"),
        (
            lambda value: value["layers"][0]["annotations"].update(
                {"org.opencontainers.image.title": "../../etc/passwd"}
            ),
            "is not the one that was published",
        ),
        (lambda value: value["layers"][0].update(size=5), "is not the one that was published"),
        (lambda value: value["layers"][0].update(size=-1), "is not that of a package"),
        (lambda value: value["layers"][0].update(size="5"), "is not that of a package"),
        (lambda value: value["layers"][0].pop("annotations"), "cannot be read"),
        (lambda value: value.update(layers=None), "cannot be read"),
        (lambda value: value["layers"][0].update(size=10**20), "cannot be read"),
        (lambda value: value.update(artifactType="other"), "is not that of a package"),
        (lambda value: value["config"].update(size=True), "is not that of a package"),
        (lambda value: value["config"].update(digest="sha256:" + "0" * 64), "the Definition of a@1 is not"),
        (lambda value: value["config"].update(size=100 << 20), "larger than a library takes"),
        (lambda value: value["config"].update(size=5), "the Definition of a@1 is damaged"),
    ],
)
def test_manifests_that_are_not_what_was_published(
    registry: Registry,
    store: OciStore,
    tmp_path: Path,
    change: Callable[[dict[str, Any]], object],
    named: str,
) -> None:
    """P109: what the log leads to is held against its line, byte for byte."""
    store.add(one(tmp_path))
    _reimaged(change)(registry)
    [fault] = faults(registry)
    assert named in fault
    reader = opened(registry)
    [line] = reader.publications()
    with pytest.raises(IntegrityError, match=named):
        reader.read(line)


def test_a_line_of_another_log_is_not_read(store: OciStore, tmp_path: Path) -> None:
    store.add(one(tmp_path))
    [line] = store.publications()
    other = LocalStore(tmp_path / "other.db")
    with closing(other):
        other.create()
        other.add(one(tmp_path, 2))
        [stranger] = other.publications()
    with pytest.raises(IntegrityError, match="not in the log"):
        store.read(stranger)
    assert store.read(line).version == 1


def test_tags_that_moved_are_named_and_set_again(registry: Registry, store: OciStore, tmp_path: Path) -> None:
    list(store.add_all(versions(tmp_path, 1, 2)))
    registry.tags["a.1"] = registry.tags["a.2"]
    registry.put("b.1", b"{}")
    registry.put("c.1", b"[")
    registry.put("latest", b"{}")
    assert faults(registry) == [f"the tag a.1 of a@1 was moved: it leads to {registry.tags['a.2']}"]
    assert opened(registry).add(one(tmp_path / "again")) is Outcome.UNCHANGED
    assert faults(registry) == []


def test_damaged_blobs_are_not_published_over(registry: Registry, store: OciStore, tmp_path: Path) -> None:
    entry = one(tmp_path)
    registry.blobs[digest_of(entry.files["meta.yaml"])] = b"other"
    with pytest.raises(IntegrityError, match="is damaged"):
        store.add(entry)
    assert opened(registry).publications() == ()


def test_a_manifest_that_does_not_stay_is_noticed(
    registry: Registry, store: OciStore, tmp_path: Path
) -> None:
    def forgetting(asked: Asked, reply: Reply) -> Reply:
        if asked.method == "PUT" and "/manifests/sha256:" in asked.path:
            registry.manifests.pop(asked.path.rpartition("/")[2])
        return reply

    registry.after = forgetting
    with pytest.raises(IntegrityError, match="is missing"):
        store.add(one(tmp_path))


def test_a_segment_that_does_not_stay_is_noticed(registry: Registry, store: OciStore, tmp_path: Path) -> None:
    def damaging(_: Asked, reply: Reply) -> Reply:
        for digest, data in registry.blobs.items():
            if b"extpkg.log/1" in data and b"a" in data:
                registry.blobs[digest] = b"x"
        return reply

    registry.after = damaging
    with pytest.raises(IntegrityError, match="damaged"):
        store.add(one(tmp_path))


def test_a_library_that_is_not_there(registry: Registry) -> None:
    store = opened(registry)
    for use in (store.publications, lambda: list(store.verify()), lambda: store.find("a", 1)):
        with pytest.raises(Unavailable, match="library init"):
            use()
    assert store.create() is True
    assert store.create() is False
    assert store.publications() == ()
    store.close()


@pytest.mark.parametrize(("status", "full"), [(507, True), (403, False), (405, False)])
def test_a_registry_that_does_not_take_it(
    registry: Registry, store: OciStore, tmp_path: Path, status: int, *, full: bool
) -> None:
    registry.before = lambda asked: None if asked.method == "GET" else Reply(status)
    with pytest.raises(Unavailable) as refused:
        store.add(one(tmp_path))
    assert refused.value.full is full


def test_mirrors_have_the_same_log(store: OciStore, tmp_path: Path) -> None:
    """From a file into a registry and into another file; a second time nothing happens."""
    with closing(LocalStore(tmp_path / "one.db")) as first, closing(LocalStore(tmp_path / "two.db")) as last:
        first.create()
        last.create()
        for entry in (*versions(tmp_path, 1, 2), one(tmp_path, domain="b")):
            first.add(entry)
        for source, target in ((first, store), (store, last)):
            assert {outcome for _, outcome in mirrored(source, target)} == {Outcome.STORED}
            assert {outcome for _, outcome in mirrored(source, target)} == {Outcome.UNCHANGED}
        assert first.publications() == store.publications() == last.publications()
        assert [last.read(line) for line in first.publications()] == [
            first.read(line) for line in first.publications()
        ]


# The signature


class Keys:
    def __init__(self, folder: Path) -> None:
        folder.mkdir()
        self.private, self.public = pair(folder)

    def signer(self) -> Signing:
        return signing({"EXTPKG_LIBRARY_KEY": str(self.private)})

    def reader(self) -> Signing:
        return signing({"EXTPKG_LIBRARY_PUBLIC_KEY": str(self.public)})


@pytest.fixture
def keys(tmp_path: Path) -> Keys:
    return Keys(tmp_path / "keys")


@pytest.fixture
def signed(registry: Registry, keys: Keys, tmp_path: Path) -> OciStore:
    store = opened(registry, keys.signer())
    store.create()
    store.add(one(tmp_path))
    return store


def test_a_signed_log_is_believed_by_who_has_the_key(
    registry: Registry, signed: OciStore, keys: Keys
) -> None:
    reader = opened(registry, keys.reader())
    assert [line.name for line in reader.publications()] == ["a@1"]
    assert list(reader.notes()) == []
    anybody = opened(registry)
    assert list(anybody.notes()) == []
    anybody.publications()
    assert list(anybody.notes()) == [
        "the log is signed; EXTPKG_LIBRARY_PUBLIC_KEY names no key to check that with"
    ]
    assert list(signed.verify()) == []
    manifest = registry.under("extpkg-log")
    [envelope] = [layer for layer in manifest["layers"] if "dsse" in layer["mediaType"]]
    payload = base64.b64decode(json.loads(registry.blobs[envelope["digest"]])["payload"])
    [line] = reader.publications()
    assert json.loads(payload) == {"contract": "extpkg.head/1", "sequence": 1, "link": line.link}


def _replaced(registry: Registry, envelope: bytes | None) -> None:
    manifest = registry.under("extpkg-log")
    manifest["layers"] = [layer for layer in manifest["layers"] if "dsse" not in layer["mediaType"]]
    if envelope is not None:
        registry.blobs[digest_of(envelope)] = envelope
        kind = "application/vnd.dsse.envelope.v1+json"
        manifest["layers"].append({"mediaType": kind, "digest": digest_of(envelope), "size": len(envelope)})
    registry.put("extpkg-log", json.dumps(manifest).encode())


@pytest.mark.usefixtures("signed")
@pytest.mark.parametrize(
    ("forged", "named"),
    [
        (lambda _: None, "the log is not signed"),
        (lambda _: b"{}", "malformed"),
        (lambda folder: sealed(b"{}", HEAD_TYPE, Keys(folder).private.read_bytes()), "unknown-key"),
    ],
)
def test_forged_signatures_are_named(
    registry: Registry, keys: Keys, tmp_path: Path, forged: Callable[[Path], bytes | None], named: str
) -> None:
    _replaced(registry, forged(tmp_path / "others"))
    [fault] = opened(registry, keys.reader()).verify()
    assert named in fault.message
    for use in (opened(registry, keys.reader()).publications, opened(registry, keys.signer()).publications):
        with pytest.raises(IntegrityError, match=named):
            use()


@pytest.mark.usefixtures("signed")
def test_a_signature_of_another_head_or_with_another_text_is_named(registry: Registry, keys: Keys) -> None:
    _replaced(registry, sealed(b"{}", HEAD_TYPE, keys.private.read_bytes()))
    [fault] = opened(registry, keys.reader()).verify()
    assert "that of another log" in fault.message
    envelope = json.loads(sealed(b"{}", HEAD_TYPE, keys.private.read_bytes()))
    envelope["payload"] = base64.b64encode(b"[]").decode()
    _replaced(registry, json.dumps(envelope).encode())
    [fault] = opened(registry, keys.reader()).verify()
    assert "bad-signature" in fault.message


@pytest.mark.usefixtures("signed")
def test_a_signature_that_is_gone_from_the_registry(registry: Registry, keys: Keys) -> None:
    manifest = registry.under("extpkg-log")
    [layer] = [layer for layer in manifest["layers"] if "dsse" in layer["mediaType"]]
    del registry.blobs[layer["digest"]]
    assert [fault.message for fault in opened(registry, keys.reader()).verify()] == [
        "the log's signature is missing"
    ]


@pytest.mark.usefixtures("signed")
def test_nobody_takes_a_signature_off_by_publishing(registry: Registry, keys: Keys, tmp_path: Path) -> None:
    second = one(tmp_path, 2)
    for keyless in (keys.reader(), Signing()):
        with pytest.raises(Unavailable, match="EXTPKG_LIBRARY_KEY"):
            opened(registry, keyless).add(second)
    assert [line.name for line in opened(registry, keys.reader()).publications()] == ["a@1"]


def test_keys_that_are_none(tmp_path: Path, registry: Registry, keys: Keys) -> None:
    odd = tmp_path / "odd"
    odd.write_bytes(b"no key")
    odd.chmod(0o600)
    with pytest.raises(Unavailable, match="EXTPKG_LIBRARY_KEY: the file holds no private key"):
        signing({"EXTPKG_LIBRARY_KEY": str(odd)})
    with pytest.raises(Unavailable, match="cannot be read: no such file"):
        signing({"EXTPKG_LIBRARY_KEY": str(tmp_path / "none")})
    with pytest.raises(Unavailable, match="no regular file"):
        signing({"EXTPKG_LIBRARY_PUBLIC_KEY": str(tmp_path)})
    odd.write_bytes(b"x" * (1 << 20))
    with pytest.raises(Unavailable, match="more than"):
        signing({"EXTPKG_LIBRARY_PUBLIC_KEY": str(odd)})
    keys.private.chmod(0o644)
    with pytest.raises(Unavailable, match="chmod 600"):
        signing({"EXTPKG_LIBRARY_KEY": str(keys.private)})
    odd.write_bytes(b"no key")
    opened(registry).create()
    _replaced(registry, b"{}")
    with pytest.raises(Unavailable, match="PUBLIC_KEY: the file holds no public key"):
        opened(registry, signing({"EXTPKG_LIBRARY_PUBLIC_KEY": str(odd)})).publications()


def test_one_of_several_keys_is_enough(
    registry: Registry, signed: OciStore, keys: Keys, tmp_path: Path
) -> None:
    other = Keys(tmp_path / "others")
    both = signing({"EXTPKG_LIBRARY_PUBLIC_KEY": f"{other.public}:{keys.public}"})
    assert opened(registry, both).publications() == signed.publications()


# Attestations


@pytest.fixture
def line(store: OciStore, tmp_path: Path) -> Publication:
    store.add(one(tmp_path))
    [published] = store.publications()
    return published


@pytest.mark.parametrize("api", [True, False])
def test_attestations_refer_to_a_version(
    registry: Registry, store: OciStore, line: Publication, *, api: bool
) -> None:
    registry.referrers_api = api
    assert store.attestations(line) == ()
    for envelope in (b"one", b"two", b"one"):
        store.attest(line, envelope)
    assert sorted(store.attestations(line)) == [b"one", b"two"]
    assert (registry.tags["a.1"].replace(":", "-") in registry.tags) is not api
    assert faults(registry) == []
    registry.blobs[digest_of(b"two")] = b"TWO"
    assert faults(registry) == [f"an attestation of {registry.tags['a.1']} is damaged"]
    with pytest.raises(IntegrityError):
        store.attestations(line)
    with pytest.raises(IntegrityError, match="damaged"):
        store.attest(line, b"two")


def test_what_else_refers_to_a_version_is_passed_over(
    registry: Registry, store: OciStore, line: Publication
) -> None:
    registry.referrers_api = True
    store.attest(line, b"one")
    other = {"artifactType": "other", "subject": {"digest": registry.tags["a.1"]}}
    registry.put("other", json.dumps(other).encode())
    assert store.attestations(line) == (b"one",)


@pytest.mark.parametrize(
    ("change", "named"),
    [
        (lambda value: value["subject"].update(digest="sha256:" + "0" * 64), "that of another"),
        (lambda value: value.pop("subject"), "that of another"),
        (lambda value: value.update(layers=[]), "is none"),
        (lambda value: value["layers"][0].update(size=1 << 30), "is none"),
        (lambda value: value["layers"][0].update(digest="x"), "is none"),
        (lambda value: value["layers"][0].update(mediaType="text/plain"), "is none"),
    ],
)
def test_attestations_that_are_none(
    registry: Registry,
    store: OciStore,
    line: Publication,
    change: Callable[[dict[str, Any]], object],
    named: str,
) -> None:
    store.attest(line, b"one")
    tag = registry.tags["a.1"].replace(":", "-")
    index = registry.under(tag)
    value = json.loads(registry.manifests[index["manifests"][0]["digest"]][1])
    change(value)
    index["manifests"][0]["digest"] = registry.put("x", json.dumps(value).encode())
    registry.put(tag, json.dumps(index).encode(), INDEX_TYPE)
    with pytest.raises(IntegrityError, match=named):
        store.attestations(line)


@pytest.mark.parametrize(
    "index",
    [
        b"[]",
        b"{",
        b'{"manifests": 1}',
        b'{"manifests": [1]}',
        b'{"manifests": [{"artifactType": "application/vnd.dsse.envelope.v1+json"}]}',
    ],
)
def test_a_referrers_tag_that_leads_to_no_list(
    registry: Registry, store: OciStore, line: Publication, index: bytes
) -> None:
    registry.put(registry.tags["a.1"].replace(":", "-"), index, INDEX_TYPE)
    with pytest.raises(IntegrityError, match="list of what refers"):
        store.attestations(line)


def test_what_cannot_be_attested(
    registry: Registry, store: OciStore, line: Publication, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(Unavailable, match="at most"):
        store.attest(line, bytes((4 << 20) + 1))
    tag = registry.tags["a.1"].replace(":", "-")
    registry.put(tag, b'{"manifests": [{"size": NaN}]}', INDEX_TYPE)
    with pytest.raises(IntegrityError, match="no list"):
        store.attest(line, b"one")
    del registry.tags[tag]
    monkeypatch.setattr("extpkg.library.oci_attestation._TRIES", 2)

    def overwriting(asked: Asked, reply: Reply) -> Reply:
        if asked.path.endswith(tag):
            registry.tags.pop(tag, None)
        return reply

    registry.after = overwriting
    with pytest.raises(Unavailable, match="without a pause"):
        store.attest(line, b"one")
    registry.after = lambda _, reply: reply
    del registry.manifests[registry.tags["a.1"]]
    with pytest.raises(IntegrityError, match="is missing"):
        store.attest(line, b"one")


def test_an_attestation_s_manifest_may_be_gone(
    registry: Registry, store: OciStore, line: Publication
) -> None:
    store.attest(line, b"one")
    index = registry.under(registry.tags["a.1"].replace(":", "-"))
    del registry.manifests[index["manifests"][0]["digest"]]
    assert faults(registry) == [f"an attestation of {registry.tags['a.1']} is missing"]


# Who asks


HOST = "registry.example:5000"
AUTH = base64.b64encode(b"user:pa:ss").decode()


@pytest.mark.parametrize(
    ("config", "login"),
    [
        ({}, None),
        ({"auths": {HOST: {"auth": AUTH}}}, "user:pa:ss"),
        ({"auths": {f"https://{HOST}/v2/": {"auth": AUTH}}}, "user:pa:ss"),
        ({"auths": {f"http://{HOST}": {"auth": AUTH}}}, "user:pa:ss"),
        ({"auths": {HOST: {"username": "u", "password": "p"}}}, "u:p"),
        ({"auths": {"registry.example": {"auth": AUTH}}}, None),
        ({"auths": {"other.example": {"auth": AUTH}}}, None),
        ({"auths": {HOST: {}}}, None),
        ({"auths": {HOST: {"email": "x"}}}, None),
        ({"auths": {HOST: {"auth": AUTH}}, "credsStore": "desktop"}, "user:pa:ss"),
        ({"credHelpers": {"other.example": "x"}}, None),
    ],
)
def test_logins_of_the_docker_configuration(tmp_path: Path, config: object, login: str | None) -> None:
    (tmp_path / "config.json").write_text(json.dumps(config))
    found = docker_login(HOST, {"DOCKER_CONFIG": str(tmp_path)})
    assert (found and found.reveal()) == login
    home = tmp_path / "home"
    home.mkdir()
    assert docker_login(HOST, {"HOME": str(home)}) is None
    (home / ".docker").mkdir()
    (home / ".docker" / "config.json").write_text(json.dumps(config))
    again = docker_login(HOST, {"HOME": str(home)})
    assert (again and again.reveal()) == login


@pytest.mark.parametrize(
    ("config", "words"),
    [
        ({"credsStore": "desktop"}, r"credsStore \(desktop\)"),
        ({"credsStore": "desktop", "auths": {HOST: {}}}, r"credsStore \(desktop\)"),
        ({"credsStore": "\x1b[2J"}, r"in credsStore: put"),
        ({"credHelpers": {HOST: "ecr-login"}, "auths": {HOST: {"auth": AUTH}}}, r"credHelpers \(ecr-login\)"),
        ({"auths": {HOST: {"identitytoken": "canary"}}}, "has identitytoken"),
        ({"auths": {HOST: {"registrytoken": "canary"}}}, "has registrytoken"),
        ({"auths": {HOST: {"auth": "canary!"}}}, "no user and password"),
        ({"auths": {HOST: {"auth": base64.b64encode(b"canary").decode()}}}, "no user and password"),
        ({"auths": {HOST: {"auth": 1}}}, "no user and password"),
        ({"auths": {HOST: {"auth": ""}}}, "no user and password"),
        ({"auths": {HOST: "canary"}}, "not as docker writes it"),
        ({"auths": []}, "not as docker writes it"),
        ([], "not as docker writes it"),
    ],
)
def test_configurations_that_are_refused_by_name(tmp_path: Path, config: object, words: str) -> None:
    (tmp_path / "config.json").write_text(json.dumps(config))
    with pytest.raises(Unavailable, match=words) as refused:
        docker_login(HOST, {"DOCKER_CONFIG": str(tmp_path)})
    assert "canary" not in str(refused.value)
    assert AUTH not in str(refused.value)


@pytest.mark.parametrize("data", [b"{", b"\xff", b"[" * 100_000, b'{"auths": {"x": canary}}'])
def test_configurations_that_are_no_json(tmp_path: Path, data: bytes) -> None:
    (tmp_path / "config.json").write_bytes(data)
    with pytest.raises(Unavailable, match="no JSON") as refused:
        docker_login(HOST, {"DOCKER_CONFIG": str(tmp_path)})
    assert refused.value.__context__ is None


def test_a_helper_is_refused_only_where_somebody_asks(registry: Registry, tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text(json.dumps({"credsStore": "desktop"}))
    environment = {"DOCKER_CONFIG": str(tmp_path)}
    assert open_store(registry.location, environment).create() is True
    registry.before = lambda _: Reply(401, b"", {"www-authenticate": 'Basic realm="x"'})
    with pytest.raises(Unavailable, match="credsStore"):
        open_store(registry.location, environment).publications()


def test_the_login_is_that_of_the_host(registry: Registry, tmp_path: Path) -> None:
    host = f"127.0.0.1:{registry.port}"
    (tmp_path / "config.json").write_text(json.dumps({"auths": {host: {"auth": AUTH}}}))
    wanted = Reply(401, b"", {"www-authenticate": 'Basic realm="x"'})
    registry.before = lambda asked: None if asked.headers.get("authorization") == f"Basic {AUTH}" else wanted
    assert open_store(registry.location, {"DOCKER_CONFIG": str(tmp_path)}).create() is True
    with pytest.raises(Unavailable, match="none is configured"):
        open_store(registry.location, {"HOME": str(tmp_path)}).publications()


@pytest.mark.parametrize("text", ["oci://", "oci://x", "oci+http://x/A", "oci://u:p@x/a", "oci://x/a:tag"])
def test_locations_that_are_none(text: str) -> None:
    with pytest.raises(Unavailable, match=r"oci://HOST"):
        open_store(text, {})


def test_verify_reads_the_files_as_a_package(registry: Registry, store: OciStore, tmp_path: Path) -> None:
    """Whoever writes a whole library anew makes hashes that fit; a Definition digest fits its files alone."""
    good, other = one(tmp_path), one(tmp_path / "other", marker="B")
    assert store.add(replace(good, files=other.files)) is Outcome.STORED
    assert faults(registry) == ["the files of a@1 are not those of its Definition"]
