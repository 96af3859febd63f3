from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, Any, cast

import pytest
from mutants import package

from extpkg import resources
from extpkg.check.metadata import Kind, check_action_kind, check_metadata, check_source, kind_of
from extpkg.document.files import EntryKind

if TYPE_CHECKING:
    from extpkg.document.files import Tree


def check(**changes: Any) -> list[tuple[str, str]]:
    meta = package().meta | changes
    return [(f.code, f.place.pointer) for f in check_metadata(meta)]


@pytest.mark.parametrize(
    ("field", "value", "code"),
    [
        ("schema_version", 0, "EXT0305"),
        ("schema_version", 2, "EXT0305"),
        ("schema_version", -1, "EXT0305"),
        ("schema_version", 1.0, "EXT0305"),
        ("version", 0, "EXT0306"),
        ("version", -1, "EXT0306"),
        ("version", 1 << 31, "EXT0306"),
        ("version", 1.0, "EXT0306"),
        ("version", 7.0, "EXT0306"),
        ("digest", "", "EXT0602"),
        ("digest", "sha256:" + "A" * 64, "EXT0602"),
        ("digest", "sha256:" + "a" * 63, "EXT0602"),
        ("digest", "a" * 64, "EXT0602"),
        ("digest", "sha256:" + "a" * 64 + "\n", "EXT0602"),
        *(("domain", name, "EXT0307") for name in (
            "", "A", "a_b", "a.b", "-a", "a-", "a--b", "1a", "a b", "ä", "a\n", "\uff41", "a" * 129)),
        ("domain", "a" * 65, "EXT0309"),
        ("domain", "a" * 128, "EXT0309"),
        *(("domain", name, "EXT0310") for name in sorted(resources.reserved_domains())),
        *(("name", name, "EXT0311") for name in ("", " ", "\u3000", "x" * 81, "a\nb", "a\u2028b", "a\r")),
        *(("description", name, "EXT0312") for name in ("", "\t", "x" * 1025, "a\nb", "a\x85b")),
        ("actions", [], "EXT0324"),
    ],
)  # fmt: skip
def test_refused(field: str, value: Any, code: str) -> None:
    """P050, P051, P052; R-META-1 to 3, 8."""
    assert check(**{field: value}) == [(code, f"/{field}")]


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("version", 1),
        ("version", (1 << 31) - 1),
        ("domain", "a"),
        ("domain", "a1-2b"),
        ("domain", "a" * 64),
        ("domain", "web-search-engine"),
        ("name", "\U0001f600" * 80),
        ("description", "ä" * 1024),
    ],
)
def test_accepted(field: str, value: Any) -> None:
    assert check(**{field: value}) == []


@pytest.mark.parametrize("value", [None, [], "x", 5, True, {}])
def test_wrong_types_are_passed_over(value: Any) -> None:
    for field in package().meta:
        assert all(
            code not in {"EXT0305", "EXT0306", "EXT0307"} for code, _ in check(**{field: value}) if value != 5
        )
    assert list(check_metadata(value)) == ([] if value != {} else list(check_metadata({})))


def test_booleans_are_no_versions() -> None:
    """`True == 1` in Python alone; its type is structure's business."""
    assert check(version=True, schema_version=True) == []


def test_suggestions() -> None:
    def told(**changes: Any) -> list[str]:
        return [f.help for f in check_metadata(package().meta | changes)]

    assert told(domain="GitHub_API") == ["write git-hub-api"]
    assert told(domain="9") == [""]
    assert told(version=2.0) == ["write 2"]
    assert told(version=0.0) == [""]


SHA = "0" * 64


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ({"path": "source/a/b c.yaml"}, []),
        ({"path": "source/..a"}, []),
        ({"url": "https://example.com"}, []),
        ({"url": "https://Example.com:8443/a%20b?c=d#e"}, []),
        ({}, [("EXT0313", "/source")]),
        ({"path": "source/a", "url": "https://example.com"}, [("EXT0313", "/source/url")]),
        *(({"path": path}, [("EXT0314", "/source/path")]) for path in (
            "", "source", "source/", "a.yaml", "/source/a", "source//a", "source/./a", "source/../meta.yaml",
            "./source/a", "source\\a", "source/a\\b", "source/a\0b", "Source/a", "source/a/")),
        *(({"url": url}, [("EXT0315", "/source/url")]) for url in (
            "", "http://example.com", "HTTPS://example.com", "https://", "https:///a", "https://a:b@example.com",
            "https://a@example.com/", "https://example.com/a b", "https://example.com/a%2", "https://[::1]/",
            "https://example.com\\@evil.example", "https://example.com\n", "https://ex\u00e4mple.com")),
        ({"path": "source/a", "sha256": ""}, [("EXT0316", "/source/sha256")]),
        ({"path": "source/a", "sha256": "A" * 64}, [("EXT0316", "/source/sha256")]),
        ({"path": "source/a", "sha256": "0" * 63}, [("EXT0316", "/source/sha256")]),
        ({"path": "source/a", "sha256": "sha256:" + SHA}, [("EXT0316", "/source/sha256")]),
    ],
)  # fmt: skip
def test_source(source: dict[str, Any], expected: list[tuple[str, str]]) -> None:
    """P057, P058."""
    assert check(source={"type": "openapi", "sha256": SHA} | source) == expected


class OneFile:
    """A tree in which one source file exists."""

    def __init__(self, data: bytes | None, kind: EntryKind = EntryKind.FILE) -> None:
        self.data = data
        self.entry_kind = kind

    def kind(self, path: str) -> EntryKind | None:
        return self.entry_kind if self.data is not None and path == "source/openapi.yaml" else None

    def sha256(self, path: str, limit: int) -> str | None:
        assert path == "source/openapi.yaml"
        assert limit == 64 << 20
        return hashlib.sha256(self.data).hexdigest() if self.data else None


@pytest.mark.parametrize(
    ("data", "code"),
    [(b"same", None), (b"other", "EXT0318"), (b"", "EXT0318"), (None, "EXT0317")],
)
def test_source_file(data: bytes | None, code: str | None) -> None:
    meta = package().meta
    meta["source"]["sha256"] = hashlib.sha256(b"same").hexdigest()
    found = list(check_source(meta, cast("Tree", OneFile(data))))
    assert [finding.code for finding in found] == ([code] if code else [])


def test_a_source_that_is_no_file_is_the_layouts_business() -> None:
    assert list(check_source(package().meta, cast("Tree", OneFile(b"other", EntryKind.LINK)))) == []


@pytest.mark.parametrize(
    "source", [None, [], {}, {"path": 5}, {"path": "../x", "sha256": SHA}, {"path": "source/a"}]
)
def test_no_source_to_compare(source: Any) -> None:
    assert list(check_source({"source": source}, cast("Tree", OneFile(None)))) == []
    assert list(check_source(None, cast("Tree", OneFile(None)))) == []


REQUIRED = resources.RegisteredBuiltin(
    domain="tracker", version=1, connection_policy="required", definition_digest="", runtime_digest=""
)


def test_kinds(monkeypatch: pytest.MonkeyPatch) -> None:
    """R-PKG-5, R-PKG-6: the domain alone decides."""
    registered = resources.registered_builtins() | {"tracker": REQUIRED}
    monkeypatch.setattr(resources, "registered_builtins", lambda: registered)
    meta, action = package().meta, package().actions["actions/get-issue.yaml"]
    table = {
        "github": (Kind.EXTERNAL, [], []),
        "arxiv": (Kind.CONNECTIONLESS, ["/endpoint", "/auth"], ["/binding", "/source_operation_id", "/auth"]),
        "tracker": (Kind.BUILTIN, ["/endpoint"], ["/binding", "/source_operation_id"]),
    }
    for domain, (kind, in_meta, in_action) in table.items():
        meta["domain"] = domain
        assert kind_of(meta) is kind
        assert [(f.code, f.place.pointer) for f in check_metadata(meta)] == [("EXT0323", p) for p in in_meta]
        found = list(check_action_kind(action, "actions/get-issue.yaml", kind))
        assert [(f.code, f.place.pointer) for f in found] == [("EXT0323", p) for p in in_action]


@pytest.mark.parametrize("value", [None, [], {}, {"domain": 5}, {"domain": ["arxiv"]}])
def test_without_a_domain_there_is_no_kind(value: Any) -> None:
    assert kind_of(value) is None
    assert list(check_action_kind(None, "actions/a.yaml", Kind.EXTERNAL)) == []


def test_explicit_null_auth_is_no_auth() -> None:
    found = check_action_kind({"name": "get", "auth": None}, "actions/get.yaml", Kind.CONNECTIONLESS)
    assert list(found) == []
