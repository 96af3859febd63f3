"""The digest over generated packages: blind to what is no meaning, moved by all else. P038, P106, P107."""

from __future__ import annotations

import copy
import json
from typing import TYPE_CHECKING, Any

from hypothesis import given, settings
from hypothesis import strategies as st
from package_strategies import Files, packages

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
