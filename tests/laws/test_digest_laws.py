"""The digest over generated packages: blind to what is no meaning, moved by all else. P038, P106, P107."""

from __future__ import annotations

import copy
import json
from typing import TYPE_CHECKING, Any

from hypothesis import given, settings
from hypothesis import strategies as st

from extpkg.canonical import canonical_json
from extpkg.definition.build import build
from extpkg.definition.files import encode
from extpkg.definition.normalize import normalize
from extpkg.definition.origins import origins
from extpkg.definition.projection import digest, project, projection
from extpkg.diff.differences import differences
from extpkg.document.strict_yaml import parse_document
from extpkg.pointer import Pointer

if TYPE_CHECKING:
    from extpkg.definition.model import Definition

Files = tuple[dict[str, Any], list[dict[str, Any]]]

TEXT = st.text(st.characters(exclude_categories=["Cs", "Cc"]), min_size=1, max_size=6)
NAMES = st.lists(
    st.sampled_from(["a", "b", "z", "A", "\ue000", "\U0001f600", "required", "type"]), unique=True, max_size=4
)
SLUG = st.sampled_from(["alpha", "beta", "gamma", "delta"])
SLUGS = st.lists(SLUG, min_size=1, max_size=3, unique=True)
HEADER = st.sampled_from(["X-One", "x-two", "Accept", "x-THREE"])
NUMBER = st.integers(-5, 5) | st.floats(-1e9, 1e9)
DATA = st.recursive(
    st.none() | st.booleans() | NUMBER | TEXT,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXT, inner, max_size=3),
    max_leaves=5,
)


def objects(schema: st.SearchStrategy[Any]) -> st.SearchStrategy[dict[str, Any]]:
    named = st.dictionaries(TEXT, schema, max_size=3)
    return st.fixed_dictionaries(
        {},
        optional={
            "type": st.lists(st.sampled_from(["string", "null", "object"]), min_size=1, unique=True)
            | st.just("object"),
            "required": NAMES,
            "enum": st.lists(DATA, min_size=1, max_size=4),
            "dependentRequired": st.dictionaries(TEXT, NAMES, max_size=2),
            "const": DATA,
            "default": DATA,
            "examples": st.lists(DATA, max_size=3),
            "x-any": DATA,
            "title": TEXT,
            "maximum": NUMBER,
            "properties": named,
            "$defs": named,
            "allOf": st.lists(schema, max_size=2),
            "items": schema,
            "not": schema,
        },
    )


SCHEMA = st.recursive(st.booleans(), objects, max_leaves=8)
PARAMETER = st.one_of(
    st.builds(lambda n: {"from": f"/{n}", "in": "path", "name": n}, SLUG),
    st.builds(lambda n: {"from": "/q", "in": "query", "name": n, "style": "form"}, SLUG),
    st.builds(
        lambda n, e: {"from": "/q", "in": "query", "name": n, "style": "form", "explode": e},
        SLUG,
        st.booleans(),
    ),
    st.builds(lambda n: {"from": "/h", "in": "header", "name": n, "style": "simple"}, HEADER),
)
BODY = st.fixed_dictionaries(
    {
        "content_type": st.just("application/json"),
        "mappings": st.builds(lambda names: [{"from": f"/{n}", "to": f"/{n}"} for n in names], SLUGS),
    }
)
RESPONSE = st.fixed_dictionaries(
    {
        "mode": st.just("passthrough"),
        "success_statuses": st.lists(st.integers(200, 299), min_size=1, max_size=3, unique=True),
        "content_types": st.permutations(["application/json", "text/plain", "text/csv"]),
    },
    optional={"max_bytes": st.integers(1, 65535)},
)
BINDING = st.fixed_dictionaries(
    {"method": st.sampled_from(["POST", "PUT"]), "path": TEXT, "response": RESPONSE},
    optional={
        "static_headers": st.dictionaries(HEADER, TEXT, max_size=3),
        "parameters": st.lists(PARAMETER, max_size=4, unique_by=lambda p: (p["in"], p["name"].lower())),
        "body": BODY,
    },
)
CATALOG = st.fixed_dictionaries(
    {
        "summary": TEXT,
        "description": TEXT,
        "safety": st.fixed_dictionaries(
            {"class": st.just("mutation"), "idempotent": st.booleans(), "destructive": st.just(False)}
        ),
        "input_schema": SCHEMA,
        "output_schema": SCHEMA,
    },
    optional={"example": st.dictionaries(TEXT, DATA, max_size=3)},
)
AUTH = st.fixed_dictionaries({"profile": SLUG}, optional={"required_scopes": SLUGS})


@st.composite
def packages(draw: st.DrawFn) -> Files:
    names = draw(SLUGS)
    actions = []
    for name in names:
        action = {"name": name, "catalog": draw(CATALOG), "binding": draw(BINDING)}
        if draw(st.booleans()):
            action["auth"] = draw(AUTH)
        actions.append(action)
    profiles = [
        draw(
            st.sampled_from(
                [
                    {"id": name, "type": "oauth2_bearer"},
                    {"id": name, "type": "api_key", "in": "header", "name": "X-Key"},
                ]
            )
        )
        for name in draw(SLUGS)
    ]
    meta = {
        "schema_version": 1,
        "domain": draw(SLUG),
        "version": draw(st.integers(1, 99)),
        "name": draw(TEXT),
        "description": draw(TEXT),
        "endpoint": {"base_url": "https://api.example.com"},
        "auth": {"profiles": profiles},
        "actions": [{"name": name, "file": f"actions/{name}.yaml"} for name in names],
    }
    return meta, actions


def shuffled(draw: st.DrawFn, value: Any) -> Any:
    """Return the value with the members of every object in another order."""
    if isinstance(value, dict):
        return {name: shuffled(draw, value[name]) for name in draw(st.permutations(list(value)))}
    return [shuffled(draw, item) for item in value] if isinstance(value, list) else value


@st.composite
def disguised(draw: st.DrawFn) -> tuple[Files, Files]:
    """A package twice: as it is, and with everything changed that is no meaning."""
    meta, actions = draw(packages())
    other_meta = shuffled(draw, meta)
    other = [shuffled(draw, action) for action in draw(st.permutations(actions))]
    other_meta |= {"digest": "sha256:other", "source": {"type": "openapi"}, "schema_version": 1}
    other_meta["endpoint"] = {"base_url": "https://api.example.com/"}
    other_meta["auth"] = {"default": "any", "profiles": draw(st.permutations(other_meta["auth"]["profiles"]))}
    for action in other:
        action["source_operation_id"] = "any"
        action.setdefault("auth", None)
        _disguise_binding(draw, action["binding"])
        if action["auth"]:
            action["auth"]["required_scopes"] = draw(
                st.permutations(action["auth"].get("required_scopes", []))
            )
        for schema in ("input_schema", "output_schema"):
            action["catalog"][schema] = _disguised_schema(draw, action["catalog"][schema])
    return (meta, actions), (other_meta, other)


def _disguise_binding(draw: st.DrawFn, binding: dict[str, Any]) -> None:
    binding.setdefault("body", None)
    if binding["body"]:
        binding["body"]["mappings"] = draw(st.permutations(binding["body"]["mappings"]))
    binding["response"].setdefault("max_bytes", 65536)
    for name in ("success_statuses", "content_types"):
        binding["response"][name] = draw(st.permutations(binding["response"][name]))
    binding["static_headers"] = {
        name.upper(): text for name, text in binding.get("static_headers", {}).items()
    }
    binding["parameters"] = draw(st.permutations(binding.get("parameters", [])))
    for parameter in binding["parameters"]:
        parameter.setdefault("style", "simple")
        parameter.setdefault("explode", parameter["style"] == "form")
        if parameter["in"] == "header":
            parameter["name"] = parameter["name"].upper()


def _disguised_schema(draw: st.DrawFn, schema: Any) -> Any:
    if not isinstance(schema, dict):
        return schema
    changed = dict(schema)
    for name, value in schema.items():
        if name in {"required", "enum"}:
            repeats = [value[0]] if name == "enum" else []
            changed[name] = draw(st.permutations([*value, *repeats]))
        elif name == "type":
            changed[name] = draw(st.permutations(value)) if isinstance(value, list) else [value]
        elif name == "dependentRequired":
            changed[name] = {key: draw(st.permutations(names)) for key, names in value.items()}
        elif name in {"properties", "$defs"}:
            changed[name] = {key: _disguised_schema(draw, member) for key, member in value.items()}
        elif name == "allOf":
            changed[name] = [_disguised_schema(draw, member) for member in value]
        elif name in {"items", "not"}:
            changed[name] = _disguised_schema(draw, value)
    return changed


def bytes_of(files: Files) -> bytes:
    return projection(build(*files))


@settings(max_examples=50)
@given(disguised())
def test_what_is_no_meaning_never_moves_the_digest(pair: tuple[Files, Files]) -> None:
    first, second = pair
    untouched = copy.deepcopy(second)
    assert bytes_of(first) == bytes_of(second)
    assert second == untouched
    assert encode(build(*first)) == encode(build(*second))
    assert differences(bytes_of(first), bytes_of(second)) == ()


@settings(max_examples=50)
@given(packages())
def test_normalizing_is_idempotent_and_is_what_is_projected(files: Files) -> None:
    definition = build(*files)
    normal = normalize(definition)
    assert canonical_json(project(normal)) == projection(definition)
    assert repr(normalize(normal)) == repr(normal)


@settings(max_examples=50)
@given(packages(), st.data())
def test_every_leaf_moves_the_digest(files: Files, data: st.DataObject) -> None:
    """Change any one value that comes from a file: the bytes differ, and the difference is named there."""
    listed = [origin for origin in origins(*files) if origin.source is not None]
    origin = data.draw(st.sampled_from(listed))
    meta, actions = copy.deepcopy(files)
    root = (
        meta
        if origin.file == "meta.yaml"
        else next(a for a in actions if origin.file == f"actions/{a['name']}.yaml")
    )
    parent, _, last = origin.source.rpartition("/")  # type: ignore[union-attr]
    holder = Pointer(parent).resolve(root)
    (key,) = Pointer(f"/{last}").tokens
    holder[int(key) if isinstance(holder, list) else key] = _another(origin.value)
    old, new = bytes_of(files), bytes_of((meta, actions))
    assert old != new
    assert differences(old, new)
    assert differences(new, old)


def _another(value: Any) -> Any:
    if isinstance(value, bool):
        return not value
    if isinstance(value, str):
        return value + "!"
    return (
        value + 1
        if isinstance(value, int)
        else "another"
        if value is None
        else 7
        if isinstance(value, float)
        else {"x-new": 1}
    )


@settings(max_examples=50)
@given(packages(), packages())
def test_no_difference_if_and_only_if_the_bytes_are_equal(first: Files, second: Files) -> None:
    old, new = bytes_of(first), bytes_of(second)
    assert (differences(old, new) == ()) == (old == new)
    for difference in differences(old, new):
        tree = json.loads(old if difference.kind.value == "removed" else new)
        assert canonical_json(Pointer(difference.pointer).resolve(tree)) == canonical_json(
            difference.old if difference.kind.value == "removed" else difference.new
        )


@settings(max_examples=50)
@given(packages())
def test_encoded_files_give_the_definition_back(files: Files) -> None:
    """P319."""
    definition = build(*files)
    encoded = encode(definition)
    again = _read(encoded)
    assert projection(again) == projection(definition)
    assert encode(again) == encoded
    assert parse_document(encoded["meta.yaml"]).value["digest"] == digest(projection(definition))
    assert not [note for data in encoded.values() for note in parse_document(data).notes]


def _read(encoded: dict[str, bytes]) -> Definition:
    values = {name: parse_document(data).value for name, data in encoded.items()}
    return build(values.pop("meta.yaml"), list(values.values()))
