from __future__ import annotations

import json
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, cast

import pytest
from hypothesis import given
from hypothesis import strategies as st
from mutants import package

from extpkg import parse_document, resources
from extpkg.check import check_action, is_error, layout, metadata, safety, structure
from extpkg.diagnostic import Finding, Part
from extpkg.json_schema import compile_schema

if TYPE_CHECKING:
    from extpkg.document.files import Tree

EMPTY = cast("Tree", SimpleNamespace(entries=()))
ACTION = "actions/create-issue.yaml"


def check(change: str, value: Any, kind: str = "meta") -> list[tuple[str, str, Part]]:
    """Set (or with `...` remove) the member at a path of keys, and return what structure says."""
    documents = package()
    root = documents.meta if kind == "meta" else documents.actions[ACTION]
    *parents, last = change.split("/")
    target = root
    for token in parents:
        target = target[int(token) if isinstance(target, list) else token]
    if value is ...:
        del target[last]
    else:
        target[last] = value
    found = structure.check_meta(root) if kind == "meta" else structure.check_action(root, ACTION)
    return [(finding.code, finding.place.pointer, finding.place.part) for finding in found]


FIELDS = resources.schema("meta")["properties"]
KEY, VALUE = Part.KEY, Part.VALUE


@pytest.mark.parametrize(
    ("kind", "change", "value", "expected"),
    [
        ("meta", "x", 1, ("EXT0301", "/x", KEY)),
        ("meta", "a/b~c", 1, ("EXT0301", "/a~1b~0c", KEY)),
        ("meta", "kind", "Builtin", ("EXT0301", "/kind", KEY)),
        ("meta", "source/date", "x", ("EXT0301", "/source/date", KEY)),
        ("meta", "endpoint/url", "x", ("EXT0301", "/endpoint/url", KEY)),
        ("meta", "auth/scopes", [], ("EXT0301", "/auth/scopes", KEY)),
        ("meta", "auth/profiles/0/scopes", [], ("EXT0301", "/auth/profiles/0/scopes", KEY)),
        ("meta", "auth/profiles/0/value", "secret", ("EXT0301", "/auth/profiles/0/value", KEY)),
        ("meta", "actions/1/x", 1, ("EXT0301", "/actions/1/x", KEY)),
        ("action", "x", 1, ("EXT0301", "/x", KEY)),
        ("action", "auth/scopes", [], ("EXT0301", "/auth/scopes", KEY)),
        ("action", "catalog/tags", [], ("EXT0301", "/catalog/tags", KEY)),
        ("action", "catalog/safety/level", 1, ("EXT0301", "/catalog/safety/level", KEY)),
        ("action", "binding/timeout", 1, ("EXT0301", "/binding/timeout", KEY)),
        ("action", "binding/parameters/0/required", True, ("EXT0301", "/binding/parameters/0/required", KEY)),
        ("action", "binding/body/x", 1, ("EXT0301", "/binding/body/x", KEY)),
        ("action", "binding/body/mappings/0/x", 1, ("EXT0301", "/binding/body/mappings/0/x", KEY)),
        ("action", "binding/response/x", 1, ("EXT0301", "/binding/response/x", KEY)),
        ("meta", "schema_version", ..., ("EXT0302", "", VALUE)),
        ("meta", "domain", ..., ("EXT0302", "", VALUE)),
        ("meta", "name", ..., ("EXT0302", "", VALUE)),
        ("meta", "description", ..., ("EXT0302", "", VALUE)),
        ("meta", "actions", ..., ("EXT0302", "", VALUE)),
        ("meta", "source/type", ..., ("EXT0302", "/source", KEY)),
        ("meta", "source/sha256", ..., ("EXT0302", "/source", KEY)),
        ("meta", "endpoint/base_url", ..., ("EXT0302", "/endpoint", KEY)),
        ("meta", "auth/profiles", ..., ("EXT0302", "/auth", KEY)),
        ("meta", "auth/profiles/0/type", ..., ("EXT0302", "/auth/profiles/0", VALUE)),
        ("meta", "actions/1/file", ..., ("EXT0302", "/actions/1", VALUE)),
        ("action", "name", ..., ("EXT0302", "", VALUE)),
        ("action", "catalog", ..., ("EXT0302", "", VALUE)),
        ("action", "auth/profile", ..., ("EXT0302", "/auth", KEY)),
        ("action", "catalog/safety", ..., ("EXT0302", "/catalog", KEY)),
        ("action", "catalog/output_schema", ..., ("EXT0302", "/catalog", KEY)),
        ("action", "catalog/safety/class", ..., ("EXT0302", "/catalog/safety", KEY)),
        ("action", "binding/response", ..., ("EXT0302", "/binding", KEY)),
        ("action", "binding/body/content_type", ..., ("EXT0302", "/binding/body", KEY)),
        ("action", "binding/body/mappings/2/to", ..., ("EXT0302", "/binding/body/mappings/2", VALUE)),
        ("meta", "version", "1", ("EXT0303", "/version", VALUE)),
        ("meta", "version", True, ("EXT0303", "/version", VALUE)),
        ("meta", "version", 1.5, ("EXT0303", "/version", VALUE)),
        ("meta", "schema_version", None, ("EXT0303", "/schema_version", VALUE)),
        ("meta", "schema_version", True, ("EXT0303", "/schema_version", VALUE)),
        ("meta", "domain", None, ("EXT0303", "/domain", VALUE)),
        ("meta", "digest", 5, ("EXT0303", "/digest", VALUE)),
        ("meta", "source", None, ("EXT0303", "/source", VALUE)),
        ("meta", "source/document_version", 2.0, ("EXT0303", "/source/document_version", VALUE)),
        ("meta", "endpoint", [], ("EXT0303", "/endpoint", VALUE)),
        ("meta", "auth", False, ("EXT0303", "/auth", VALUE)),
        ("meta", "auth/profiles", {}, ("EXT0303", "/auth/profiles", VALUE)),
        ("meta", "actions", "*.yaml", ("EXT0303", "/actions", VALUE)),
        ("action", "name", 7, ("EXT0303", "/name", VALUE)),
        ("action", "catalog", None, ("EXT0303", "/catalog", VALUE)),
        ("action", "catalog/input_schema", True, ("EXT0303", "/catalog/input_schema", VALUE)),
        ("action", "catalog/output_schema", False, ("EXT0303", "/catalog/output_schema", VALUE)),
        ("action", "catalog/safety/destructive", "no", ("EXT0303", "/catalog/safety/destructive", VALUE)),
        ("action", "binding", None, ("EXT0303", "/binding", VALUE)),
        ("action", "binding/static_headers/Accept", 5, ("EXT0303", "/binding/static_headers/Accept", VALUE)),
        ("action", "binding/parameters", {}, ("EXT0303", "/binding/parameters", VALUE)),
        ("meta", "source/type", "swagger", ("EXT0304", "/source/type", VALUE)),
        ("meta", "auth/profiles/0/type", "basic", ("EXT0304", "/auth/profiles/0/type", VALUE)),
        ("action", "catalog/safety/class", "Read", ("EXT0304", "/catalog/safety/class", VALUE)),
        ("action", "catalog/safety/class", 5, ("EXT0303", "/catalog/safety/class", VALUE)),
        ("action", "binding/method", 5, ("EXT0303", "/binding/method", VALUE)),
        ("action", "binding/parameters/0/in", None, ("EXT0303", "/binding/parameters/0/in", VALUE)),
        ("action", "binding/response/mode", [], ("EXT0303", "/binding/response/mode", VALUE)),
    ],
)  # fmt: skip
def test_one_fault_one_finding(kind: str, change: str, value: Any, expected: tuple[str, str, Part]) -> None:
    """P036, P050, P063, P064, P069, P070, P075, P076."""
    if change == "a/b~c":
        meta = package().meta
        meta["a/b~c"] = value
        found = [(f.code, f.place.pointer, f.place.part) for f in structure.check_meta(meta)]
        assert found == [expected]
        return
    assert check(change, value, kind) == [expected]


@pytest.mark.parametrize(
    ("kind", "change", "value"),
    [
        ("meta", "auth", None),
        ("meta", "auth", {"profiles": []}),
        ("meta", "source", ...),
        ("meta", "digest", ...),
        ("meta", "endpoint", ...),
        ("meta", "source/openapi_version", ...),
        ("action", "auth", None),
        ("action", "binding/body", None),
        ("action", "binding", ...),
        ("action", "source_operation_id", ...),
        ("action", "catalog/example", None),
        ("action", "binding/method", "HEAD"),
        ("action", "binding/parameters/0/in", "cookie"),
        ("action", "binding/response/mode", "raw"),
        ("action", "catalog/input_schema", {"anything": [None]}),
    ],
)
def test_left_to_others_or_allowed(kind: str, change: str, value: Any) -> None:
    assert check(change, value, kind) == []


@pytest.mark.parametrize("value", [None, [], "text", 1, 1.5, True])
def test_a_file_is_a_mapping(value: Any) -> None:
    for found in (list(structure.check_meta(value)), list(structure.check_action(value, ACTION))):
        assert [(f.code, f.place.pointer) for f in found] == [("EXT0303", "")]


def messages(value: Any) -> list[tuple[str, str]]:
    return [(f.message, f.help) for f in structure.check_meta(value)]


def test_a_space_or_an_indentation_that_is_missing_is_one_fault() -> None:
    meta = package().meta
    meta["version:1"] = meta.pop("version")
    assert messages(meta) == [('the file has no field "version:1"', 'put a space after "version:"')]
    meta = package().meta
    source = meta.pop("source")
    assert messages({**meta, "source": None, **source}) == [
        ('the file has no field "type"', 'indent it under "source:"')
    ]
    meta["endpoint"] = "base_url:https://api.example.com"
    assert [fix for _, fix in messages(meta)] == ['put a space after the ":"']
    meta = package().meta
    meta["actions"] = "-name: x"
    assert [fix for _, fix in messages(meta)] == ['put a space after each "-"']


def test_a_misspelt_required_field_is_one_fault() -> None:
    meta = package().meta
    meta["verison"] = meta.pop("version")
    assert messages(meta) == [('the file has no field "verison"', 'rename it to "version"')]
    meta = package().meta
    meta["actions"][0]["nmae"] = meta["actions"][0].pop("name")
    assert messages(meta) == [('an entry of "actions" has no field "nmae"', 'rename it to "name"')]


@pytest.mark.parametrize(
    ("kind", "parent", "name", "typo"),
    [
        ("meta", (), "endpoint", "endpiont"),
        ("action", (), "binding", "bindings"),
        ("action", ("catalog",), "example", "examples"),
    ],
)
def test_a_misspelt_field_that_another_rule_requires_is_one_fault(
    kind: str, parent: tuple[str, ...], name: str, typo: str
) -> None:
    documents = package()
    meta, action = documents.meta, documents.actions[ACTION]
    target = meta if kind == "meta" else action
    for token in parent:
        target = target[token]
    target[typo] = target.pop(name)
    found: list[Finding] = [*structure.check_meta(meta), *metadata.check_metadata(meta)]
    found += structure.check_action(action, ACTION)
    found += metadata.check_action_kind(action, ACTION, metadata.Kind.EXTERNAL)
    found += safety.check_action_safety(action, meta, ACTION)
    assert [finding.code for finding in found] == ["EXT0301"]


def test_words() -> None:
    meta = package().meta
    meta |= {"version": "1", "name": 5, "endpoint": None, "source": ["x"], "x": 1}
    meta["auth"]["profiles"][0]["type"] = "OAuth2_Bearer"
    del meta["schema_version"]
    assert sorted(messages(meta)) == sorted(
        [
            ('the file has no field "x"', f"remove it; known fields are {', '.join(FIELDS)}"),
            ('the file lacks the required field "schema_version"',
             'add "schema_version": the version of the file format, always the integer 1'),
            ('"version" must be an integer, not a string', "write an integer, without quotes"),
            ('"name" must be a string, not 5', "put the value in quotes"),
            ('"endpoint" must be a mapping, not null', "write a mapping"),
            ('"source" must be a mapping, not a list', "write a mapping"),
            ('"type" is "OAuth2_Bearer" but must be one of "oauth2_bearer", "api_key"',
             "write oauth2_bearer"),
        ]
    )  # fmt: skip


TEXTS = st.text(st.characters(min_codepoint=1, max_codepoint=0xD7FF), max_size=140)
LEAVES = (
    st.none()
    | st.booleans()
    | st.integers(-3, 1 << 33)
    | st.floats(-10, 10)
    | TEXTS
    | st.from_regex(r"[A-Za-z0-9./:_-]*", fullmatch=True)
)
VALUES = st.recursive(
    LEAVES, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS, inner, max_size=3)
)


def places(value: Any, path: tuple[str | int, ...] = ()) -> list[tuple[str | int, ...]]:
    """Return the paths to everything in a file but what lies in embedded schemas and examples."""
    found = [path]
    if path[-1:] in {("input_schema",), ("output_schema",), ("example",)}:
        return found
    for key, inner in (
        value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    ):
        found += places(inner, (*path, key))
    return found


@given(data=st.data())
def test_whatever_a_shipped_schema_refuses_is_an_error(data: st.DataObject) -> None:
    """What structure passes over as another rule's business is found by that rule."""
    documents = package(data.draw(st.sampled_from(["github", "keyed"])))
    file = data.draw(st.sampled_from(sorted(documents.documents)))
    value = documents.documents[file].value
    *parents, last = data.draw(st.sampled_from(places(value)[1:]))
    target = value
    for token in parents:
        target = target[token]
    if data.draw(st.booleans()):
        del target[last]
    else:
        target[last] = data.draw(VALUES)
    name = "meta" if file == "meta.yaml" else "action"
    if compile_schema(resources.schema(name)).accepts(value):
        return
    if name == "meta":
        found = [*structure.check_meta(value), *metadata.check_metadata(value)]
        found += [*layout.check_layout(EMPTY, value), *safety.check_profiles(value, [])]
    else:
        written = parse_document(json.dumps(value).encode(), file)
        found = check_action(written, documents.meta, file)
    assert [finding for finding in found if is_error(finding)]


@pytest.mark.parametrize("value", [None, 5, []])
def test_a_digest_is_never_written_by_hand(value: Any) -> None:
    meta = package().meta
    meta["digest"] = value
    (found,) = structure.check_meta(meta)
    assert (found.code, found.help) == ("EXT0303", "run extpkg digest --write")
