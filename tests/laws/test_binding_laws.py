"""What an accepted binding promises, over generated schemas, bindings and inputs (R-BIND, R-REQ)."""

from __future__ import annotations

import copy
from typing import Any

from actions import FILE, action, body, faults, header, meta, path, query
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from extpkg import parse_document
from extpkg.binding.body import build_body
from extpkg.binding.parameters import fill_path, header_value, query_text
from extpkg.binding.source import ABSENT, read
from extpkg.check.bindings import check_bindings
from extpkg.check.responses import check_response
from extpkg.check.rules.bindings import RULES as BINDINGS
from extpkg.check.rules.responses import RULES as RESPONSES
from extpkg.check.schema_graph import Node, schema_graph
from extpkg.check.sources import Sources
from extpkg.errors import DocumentInvalid
from extpkg.json_schema import check_schema, compile_schema
from extpkg.pointer import Pointer

NAMES = st.sampled_from(["a", "b", "c"])
SCALARS = st.sampled_from([None, True, 0, 1.5, "", "x", "..", "é"])
JSON = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(NAMES, inner, max_size=3),
    max_leaves=6,
)
KNOWN = {rule.code for rule in (*BINDINGS, *RESPONSES)}


def _objects(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    closing = st.sampled_from(
        [{"additionalProperties": False}] * 4 + [{"unevaluatedProperties": False}] * 4 + [{}]
    )
    return st.builds(
        lambda properties, required, end: {
            "type": "object",
            "properties": properties,
            "required": [name for name in required if name in properties],
            **end,
        },
        st.dictionaries(NAMES, inner, max_size=3),
        st.lists(NAMES, unique=True),
        closing,
    )


def _beside(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    part = st.fixed_dictionaries({"properties": st.dictionaries(NAMES, inner, max_size=2)}) | inner
    return st.one_of(
        st.builds(lambda parts: {"allOf": parts}, st.lists(part, min_size=1, max_size=2)),
        st.builds(lambda parts: {"anyOf": parts}, st.lists(part, min_size=1, max_size=2)),
        st.builds(lambda parts: {"oneOf": parts}, st.lists(part, min_size=1, max_size=2)),
        st.builds(lambda when, then: {"if": when, "then": then}, part, part),
        st.builds(lambda name, then: {"dependentSchemas": {name: then}}, NAMES, part),
        st.builds(lambda then: {"patternProperties": {"^c": then}}, inner),
        st.builds(lambda then: {"additionalProperties": then}, inner),
        st.just({"$ref": "#/$defs/d"}),
    )


LEAVES = st.sampled_from(
    [
        *[{"type": "string"}, {"type": "integer"}, {"enum": ["x", "..", 0]}, {"const": True}] * 3,
        *[{"type": ["string", "null"]}, {}, True, False, {"const": {"a": 1}}, {"enum": [["x"], "x"]}],
        *[{"type": "array", "items": {"type": "string"}}, {"type": "array"}, {"$ref": "#/$defs/d"}],
        {
            "anyOf": [
                {"type": "string"},
                {"type": "array", "prefixItems": [{"type": "string"}], "items": False},
            ]
        },
    ]
)
SCHEMAS = st.recursive(
    LEAVES,
    lambda inner: st.one_of(
        _objects(inner),
        st.builds(lambda left, right: {**left, **right}, _objects(inner), _beside(inner)),
    ),
    max_leaves=6,
)
ROOTS = st.builds(
    lambda root, more, definition: {
        **root,
        **({} if "additionalProperties" in more else more),
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$defs": {"d": definition},
    },
    _objects(SCHEMAS),
    st.just({}) | _beside(SCHEMAS),
    LEAVES.filter(lambda leaf: not (isinstance(leaf, dict) and "$ref" in leaf)) | _objects(LEAVES),
)


def declared(root: Any) -> list[tuple[str, ...]]:
    """Return the locations of up to two tokens that a root declares as sources."""
    sources = Sources(root, ())
    outer = [(name,) for name in sources.members(())]
    return [*outer, *((*tokens, name) for tokens in outer for name in sources.members(tokens))]


@st.composite
def actions(draw: st.DrawFn) -> dict[str, Any]:
    root = draw(ROOTS)
    assume(not list(check_schema(root, "")))
    parameters: list[dict[str, Any]] = []
    mappings: list[tuple[str, str]] = []
    template = "/x"
    for index, tokens in enumerate(declared(root)):
        source = Pointer.of(*tokens).text
        match draw(st.sampled_from(["body", "body", "query", "header", "path", "none"])):
            case "body":
                mappings.append((source, f"/t{index}"))
            case "query":
                parameters.append(query(source, f"q{index}", explode=draw(st.booleans())))
            case "header":
                parameters.append(header(source, f"X-{index}"))
            case "path":
                template += f"/{{p{index}}}"
                parameters.append(path(source, f"p{index}"))
    if not mappings and draw(st.booleans()):
        mappings = [("", "")]
    return action(root, *parameters, path=template, body=body(*mappings))


REFUSALS = ("comes out", "visible ASCII", "holds a comma")
TYPED: dict[str, list[Any]] = {
    "string": ["", "x", "..", "é"],
    "integer": [0, 7],
    "null": [None],
    "array": [[], ["x"], ["x", "y,z"]],
}


@st.composite
def values(draw: st.DrawFn, nodes: list[Node], depth: int = 3) -> Any:
    """Return a value that schemas at one place are likely to accept, with members that any of them names."""
    judges = list(nodes)
    for node in judges:
        judges.extend(other for other in node.beside() if other not in judges)
    named: dict[str, list[Node]] = {}
    for node in judges:
        for name, member in node.children.get("properties", {}).items():
            named.setdefault(name, []).append(member)
    listed = [value for node in judges for value in (node.get("enum") or [])]
    listed += [node.get("const") for node in judges if node.get("const") is not None]
    types = [kind for node in judges for kind in [node.get("type")] if isinstance(kind, str)]
    if ("object" in types or named) and depth and draw(st.integers(0, 9)):
        needed = {name for node in judges for name in (node.get("required") or [])}
        names = [name for name in named if name in needed or draw(st.booleans())]
        stray = draw(st.sampled_from([[]] * 6 + [["c"]]))
        return {name: draw(values(named.get(name, []), depth - 1)) for name in [*names, *stray]}
    listed += [value for kind in types for value in TYPED.get(kind, [])]
    return draw(st.sampled_from(listed)) if listed else draw(JSON)


def bind(value: dict[str, Any], given_input: Any) -> list[tuple[str, ...]]:
    """Write the whole request of an input; return the locations that went into it."""
    binding = value["binding"]
    used: list[tuple[str, ...]] = []
    by_place: dict[str, list[tuple[dict[str, Any], Any]]] = {"path": [], "query": [], "header": []}
    for row in binding["parameters"]:
        tokens = Pointer(row["from"]).tokens
        found = read(given_input, tokens)
        if found is not ABSENT:
            used.append(tokens)
            by_place[row["in"]].append((row, found))
    fill_path(binding["path"], {row["name"]: found for row, found in by_place["path"]})
    query_text([(row["name"], found, row["explode"]) for row, found in by_place["query"]])
    for _, found in by_place["header"]:
        header_value(found)
    routes = [(Pointer(row["from"]).tokens, Pointer(row["to"]).tokens) for row in binding["body"]["mappings"]]
    build_body(routes, given_input)
    return [*used, *(source for source, _ in routes)]


def left_over(value: Any, used: list[tuple[str, ...]], here: tuple[str, ...] = ()) -> list[tuple[str, ...]]:
    """Return the places of an input that are no objects and went nowhere."""
    if any(here[: len(tokens)] == tokens for tokens in used):
        return []
    if not isinstance(value, dict):
        return [here]
    return [place for name, member in value.items() for place in left_over(member, used, (*here, name))]


@settings(max_examples=400, suppress_health_check=[HealthCheck.filter_too_much, HealthCheck.too_slow])
@given(actions(), st.data())
def test_an_accepted_action_drops_nothing_and_binds(value: dict[str, Any], data: st.DataObject) -> None:
    """P081, P082, P083, P084."""
    assume(not faults(value))
    root = value["catalog"]["input_schema"]
    inputs = data.draw(st.lists(values([schema_graph(root, ())]), min_size=6, max_size=6))
    for given_input in filter(compile_schema(root).accepts, inputs):
        example = faults({**value, "catalog": {**value["catalog"], "example": given_input}})
        try:
            used = bind(value, given_input)
        except DocumentInvalid as error:
            refusal = error.faults[0].message
        else:
            refusal = ""
            assert left_over(given_input, used) == []
        # a value that the schema admits and no request can carry is `validation` when called
        assert not refusal or any(part in refusal for part in REFUSALS)
        assert [finding.code for finding in example[:1]] == (["EXT0428"] if refusal else [])


def base_actions() -> list[Any]:
    from actions import BASE

    return [parse_document(file.read_bytes()).value for file in sorted(BASE.glob("actions/*.yaml"))]


@st.composite
def mutants(draw: st.DrawFn) -> Any:
    """Return an action of the base package with some values replaced, removed or renamed."""
    value = copy.deepcopy(draw(st.sampled_from(base_actions())))
    for _ in range(draw(st.integers(1, 3))):
        place: Any = value
        key: Any = "binding"
        while isinstance(place[key], dict | list) and place[key] and draw(st.integers(0, 4)):
            place = place[key]
            key = draw(st.sampled_from(sorted(place) if isinstance(place, dict) else range(len(place))))
        kind = draw(st.sampled_from(["replace", "remove", "copy"]))
        if kind == "remove" and place is not value:
            del place[key]
        elif kind == "copy" and isinstance(place, list):
            place.append(copy.deepcopy(place[key]))
        else:
            place[key] = draw(JSON | st.text(max_size=8))
        if not isinstance(value.get("binding"), dict) or not value["binding"]:
            break
    return value


@settings(max_examples=400)
@given(mutants())
def test_no_mutant_raises_and_each_finding_is_known(value: Any) -> None:
    for finding in (*check_bindings(value, meta(), FILE), *check_response(value, FILE)):
        assert finding.code in KNOWN
        assert finding.place.path == FILE
        assert "\n" not in finding.message


@given(JSON, JSON, JSON)
def test_any_value_is_judged(schema: Any, binding: Any, profiles: Any) -> None:
    value = {"catalog": {"input_schema": schema}, "binding": binding, "auth": {"profile": "x"}}
    list(check_bindings(value, profiles, FILE))
    list(check_bindings(action(schema, query("/a"), path("/b"), path="/{b}"), {"auth": profiles}, FILE))
    list(check_response({"binding": {"response": binding}, "catalog": schema}, FILE))
