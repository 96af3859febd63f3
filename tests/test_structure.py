from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from mutants import package

from extpkg import resources
from extpkg.check import metadata, safety, structure, text
from extpkg.diagnostic import Finding, Part
from extpkg.json_schema import compile_schema

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
        ("action", "catalog/safety/class", 5, ("EXT0304", "/catalog/safety/class", VALUE)),
        ("action", "binding/method", "HEAD", ("EXT0304", "/binding/method", VALUE)),
        ("action", "binding/method", "get", ("EXT0304", "/binding/method", VALUE)),
        ("action", "binding/parameters/0/in", "cookie", ("EXT0304", "/binding/parameters/0/in", VALUE)),
        ("action", "binding/response/mode", "raw", ("EXT0304", "/binding/response/mode", VALUE)),
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


STRINGS = st.text(max_size=140) | st.from_regex(r"[a-z0-9./:_-]*", fullmatch=True)
NUMBERS = st.integers(-3, 1 << 33) | st.floats(allow_nan=False, allow_infinity=False)


@given(data=st.data())
def test_whatever_a_schema_leaves_to_a_rule_that_rule_finds(data: st.DataObject) -> None:
    """Nothing that a shipped schema refuses is accepted: what structure passes over has its own finding."""
    documents = package("keyed")
    meta, action = documents.meta, documents.actions["actions/get-tides.yaml"]
    field = data.draw(
        st.sampled_from(["digest", "domain", "name", "description", "version", "schema_version"])
    )
    meta[field] = data.draw(NUMBERS if "version" in field else STRINGS)
    profile = meta["auth"]["profiles"][0]
    profile[data.draw(st.sampled_from(["id", "type", "in", "name"]))] = data.draw(STRINGS)
    meta["source"] = {"type": "openapi", "sha256": data.draw(STRINGS), "path": data.draw(STRINGS)}
    meta["actions"] = data.draw(st.sampled_from([[], meta["actions"]]))
    action["catalog"][data.draw(st.sampled_from(["summary", "description"]))] = data.draw(STRINGS)
    action["auth"]["required_scopes"] = data.draw(st.lists(st.sampled_from(["", "a", "b"]), max_size=3))
    meta_found: list[Finding] = [*structure.check_meta(meta), *metadata.check_metadata(meta)]
    meta_found += safety.check_profiles(meta, [action])
    file = "actions/get-tides.yaml"
    action_found: list[Finding] = [
        *structure.check_action(action, file),
        *text.check_action_text(action, file),
    ]
    action_found += safety.check_action_safety(action, meta, file)
    assert meta_found or compile_schema(resources.schema("meta")).accepts(meta)
    assert action_found or compile_schema(resources.schema("action")).accepts(action)
