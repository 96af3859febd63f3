"""Compiling an action and binding inputs: what is refused, what is never read, what never changes."""

from __future__ import annotations

import copy
import dataclasses
import json
import pickle
from typing import Any

import pytest
from actions import action, body, header, path, query, schema
from corpus import ROOT
from hypothesis import given, settings
from hypothesis import strategies as st
from plans import definition, plan

import extpkg
from extpkg import ExtensionError, compile_action, load_package
from extpkg.definition.model import Mapping, Parameter

STRING = {"type": "string"}
STRINGS = {"type": "array", "items": STRING}
ANY = {"type": ["object", "array", "string", "number", "boolean", "null"]}
GITHUB = load_package(ROOT / "golden/valid/github").definition
ISSUE: dict[str, Any] = {"owner": "octo", "repo": "demo", "title": "Hello"}


def refusal(bound: Any, value: Any) -> ExtensionError:
    with pytest.raises(ExtensionError) as caught:
        bound.bind(value)
    assert caught.value.code == "validation"
    assert caught.value.__cause__ is None
    return caught.value


def rows(error: ExtensionError) -> list[tuple[str, str]]:
    assert error.details
    return [(row["pointer"], row["message"]) for row in error.details["violations"]]


def test_the_worked_request() -> None:
    """P085 to P093: the seed's `create-issue`, to the byte."""
    request = compile_action(GITHUB, "create-issue").bind(ISSUE | {"labels": ["a", "b"]})
    assert request.method == "POST"
    assert request.url == "https://api.github.com/repos/octo/demo/issues"
    assert request.headers == (
        ("accept", "application/vnd.github+json"),
        ("content-type", "application/json"),
    )
    assert request.body == b'{"labels":["a","b"],"title":"Hello"}'
    assert json.loads(request.canonical())["headers"] == [list(pair) for pair in request.headers]
    assert request.audit_hash.startswith("sha256:")


def test_the_public_names() -> None:
    assert extpkg.compile_action is compile_action
    assert {"ActionPlan", "Request", "compile_action"} <= set(extpkg.__all__)
    bound = compile_action(GITHUB, "create-issue")
    assert type(bound) is extpkg.ActionPlan
    assert type(bound.bind(ISSUE)) is extpkg.Request


def test_a_plan_says_what_running_needs() -> None:
    bound = compile_action(GITHUB, "create-issue")
    assert (bound.domain, bound.action, bound.method) == ("github", "create-issue", "POST")
    assert bound.path == "/repos/{owner}/{repo}/issues"
    assert bound.safety.classification == "mutation"
    assert bound.auth is GITHUB.profiles[0]
    assert bound.required_scopes == ("repo",)
    assert bound.response.success_statuses == (201,)
    assert bound.input_schema["required"] == ["owner", "repo", "title"]
    assert bound.output_schema["type"] == "object"
    assert "schema" not in repr(bound)


def test_an_action_without_auth_has_none() -> None:
    bound = plan(schema({}))
    assert bound.auth is None
    assert bound.required_scopes == ()


def test_an_unknown_action_is_not_found() -> None:
    with pytest.raises(ExtensionError, match="create-issue, get-issue, list-issues") as caught:
        compile_action(GITHUB, "nope")
    assert caught.value.code == "not_found"


def test_a_builtin_has_no_binding() -> None:
    arxiv = load_package(ROOT / "packages/arxiv").definition
    with pytest.raises(ExtensionError, match="no binding") as caught:
        compile_action(arxiv, "get")
    assert caught.value.code == "validation"


def test_defaults_are_not_applied() -> None:
    """R-SCH-4."""
    bound = plan(schema({"q": STRING | {"default": "x"}}), query("/q"), body=body())
    assert bound.bind({}).url == "https://api.example.com/v1/"


def test_absent_is_not_null_and_not_empty() -> None:
    bound = plan(schema({"v": ANY}), body=body(("/v", "/v")))
    values: list[Any] = [{}, {"v": None}, {"v": ""}, {"v": []}, {"v": {}}]
    assert [bound.bind(value).body for value in values] == [
        b"{}",
        b'{"v":null}',
        b'{"v":""}',
        b'{"v":[]}',
        b'{"v":{}}',
    ]


def test_a_sole_whole_body_that_is_absent_is_no_body() -> None:
    bound = plan(schema({"v": ANY}), body=body(("/v", "")), static_headers={"Accept": "a/b"})
    assert bound.bind({}).body is None
    assert bound.bind({}).headers == (("accept", "a/b"),)
    assert bound.bind({"v": None}).body == b"null"
    assert bound.bind({"v": None}).headers == (("accept", "a/b"), ("content-type", "application/json"))


def test_the_whole_input_may_be_the_body() -> None:
    bound = plan(schema({"b": STRING, "a": STRING}), body=body(("", "")))
    assert bound.bind({"b": "2", "a": "1"}).body == b'{"a":"1","b":"2"}'


def test_very_deep_targets_are_written_as_any_other() -> None:
    deep = "".join(f"/{'ab'[index % 2]}" for index in range(70))
    bound = plan(schema({"v": STRING}), body=body(("/v", deep)))
    written = bound.bind({"v": "x"}).body
    assert written is not None
    assert written.decode() == "".join(f'{{"{"ab"[index % 2]}":' for index in range(70)) + '"x"' + "}" * 70


def test_bound_headers_are_sorted_among_the_others() -> None:
    made = schema({"b": STRING, "z": STRINGS})
    bound = plan(
        made, header("/z", "Zz"), header("/b", "B"), static_headers={"M": "m"}, body=body(), method="POST"
    )
    names = [name for name, _ in bound.bind({"b": "", "z": ["1", "2"]}).headers]
    assert names == ["b", "content-type", "m", "zz"]
    assert bound.bind({"z": []}).headers == (("content-type", "application/json"), ("m", "m"))


@pytest.mark.parametrize("text", ["\r\nx: y", "\0", "\u560d", " a", "a ", "\x7f", "é", "\t"])
def test_what_no_header_may_say_is_validation_and_elsewhere_data(text: str) -> None:
    """Issue, done when 4: CR, LF, NUL and U+560D."""
    made = schema({"v": STRING}, "v")
    error = refusal(plan(made, header("/v", "X")), {"v": text})
    assert rows(error) == [
        ("/v", "cannot be sent: a header value is visible ASCII with inner spaces, nothing else")
    ]
    assert "%" in plan(made, path("/v"), path="/{v}").bind({"v": text}).url
    assert "%" in plan(made, query("/v")).bind({"v": text}).url
    written = plan(made, body=body(("/v", "/v"))).bind({"v": text}).body
    assert written is not None
    assert json.loads(written) == {"v": text}


@pytest.mark.parametrize("text", [".", "..", ""])
def test_dot_segments_are_refused(text: str) -> None:
    """P086; issue, done when 4."""
    error = refusal(plan(schema({"v": STRING}, "v"), path("/v"), path="/a/{v}/b"), {"v": text})
    assert rows(error)[0][0] == "/v"
    assert "the path segment {v} comes out" in error.message


def test_every_part_that_cannot_be_sent_is_said() -> None:
    made = schema({"a": STRING, "b": STRING, "c": STRINGS}, "a")
    bound = plan(made, path("/a"), header("/b", "B"), header("/c", "C"), path="/{a}")
    error = refusal(bound, {"a": "..", "b": "é", "c": ["x,y"]})
    assert [pointer for pointer, _ in rows(error)] == ["/a", "/b", "/c"]
    assert error.message.endswith("(and 2 more)")


def test_null_goes_into_a_body_alone() -> None:
    """P090; a package's checks refuse such a schema, a plan refuses the value."""
    made = schema({"v": {"type": ["string", "null"]}})
    assert rows(refusal(plan(made, query("/v")), {"v": None})) == [
        ("/v", "cannot be sent: null is written only into a body")
    ]


def test_a_path_source_that_is_absent_is_refused() -> None:
    error = refusal(plan(schema({"v": STRING}), path("/v"), path="/{v}"), {})
    assert rows(error) == [("/v", "cannot be sent: it is absent, and the path needs it")]


def nested(depth: int) -> Any:
    value: Any = "x"
    for _ in range(depth):
        value = [value]
    return value


def cyclic() -> Any:
    value: dict[str, Any] = {}
    value["v"] = [value]
    return value


def doubled() -> Any:
    value: Any = ["x", "x"]
    for _ in range(60):
        value = [value, value]
    return {"v": value}


HOSTILE = {
    "lone surrogate": {"v": "a\ud800"},
    "lone surrogate in a name": {"\udfff": 1},
    "2^53": {"v": 2**53},
    "-2^53": {"v": -(2**53)},
    "huge": {"v": 10**5000},
    "nan": {"v": float("nan")},
    "infinity": {"v": float("-inf")},
    "1 MiB and 1": {"v": "x" * ((1 << 20) - 7)},
    "100,001 values": {"v": [1] * 99_999},
    "depth 65": {"v": nested(64)},
    "depth 10,000": {"v": nested(10_000)},
    "depth 100,000": {"v": nested(100_000)},
    "contains itself": cyclic(),
    "one part 2^60 times": doubled(),
    "key that is no string": {1: "x"},
    "tuple": {"v": (1, 2)},
    "bytes": {"v": b"x"},
    "set": {"v": {1}},
    "object": {"v": object()},
    "no object": "text",
    "null": None,
    "undeclared": {"w": 1},
}


@pytest.mark.parametrize("value", HOSTILE.values(), ids=HOSTILE)
def test_hostile_inputs_are_validation(value: Any) -> None:
    """Issue, done when 4; P069, P070."""
    bound = plan(schema({"v": ANY}), body=body(("/v", "/v")))
    error = refusal(bound, value)
    assert error.message.isprintable()
    assert len(error.message) < 300
    assert 1 <= len(rows(error)) <= 20


@pytest.mark.parametrize(
    "value",
    [{"v": "x" * ((1 << 20) - 8)}, {"v": [1] * 99_998}, {"v": nested(63)}, {"v": 2**53 - 1}, {"v": "\0"}],
    ids=["1 MiB", "100,000 values", "depth 64", "2^53-1", "nul"],
)
def test_inputs_at_a_bound_pass(value: Any) -> None:
    assert plan(schema({"v": ANY}), body=body(("/v", "/v"))).bind(value).body


def test_at_most_twenty_reasons() -> None:
    error = refusal(plan(schema({"v": ANY}), body=body(("/v", "/v"))), {f"x{n}": 1 for n in range(100)})
    assert len(rows(error)) == 20
    error = refusal(plan(schema({"v": ANY}), body=body(("/v", "/v"))), {"v": ["\ud800"] * 100})
    assert len(rows(error)) == 20


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("a", "/a"),
        ("a\nb", r'"/a\nb"'),
        ("\u202ex", r'"/\u202ex"'),
        ("\udc80", "/\\udc80"),
        ("x" * 500, f'"/{"x" * 59}…"'),
    ],
)
def test_a_refusal_is_one_short_line(name: str, shown: str) -> None:
    error = refusal(plan(schema({})), {name: 1})
    assert error.message.startswith(f"{shown} ")
    assert "\n" not in error.message
    json.dumps(error.envelope(), ensure_ascii=False).encode()


def test_a_body_that_is_too_deep_is_refused() -> None:
    bound = plan(schema({"v": ANY}), body=body(("/v", "/a" * 70)))
    assert rows(refusal(bound, {"v": nested(60)})) == [
        ("", "cannot be sent: its body: more than 128 nested collections")
    ]


def test_an_input_is_not_changed() -> None:
    value = {"owner": "a", "repo": "b", "title": "t", "labels": ["x"]}
    before = copy.deepcopy(value)
    compile_action(GITHUB, "create-issue").bind(value)
    assert value == before


def test_a_plan_is_immutable_and_of_its_own() -> None:
    made = definition(action(schema({"v": STRING}), body=body(("/v", "/v"))))
    bound = compile_action(made, "act")
    with pytest.raises(dataclasses.FrozenInstanceError):
        bound.domain = "other"  # type: ignore[misc]
    made.actions[0].catalog.input_schema["properties"]["v"] = {"type": "integer"}
    assert bound.bind({"v": "x"}).body == b'{"v":"x"}'


def test_the_definition_may_be_written_in_any_form() -> None:
    """A Definition that is not normalized binds as the normalized one does."""
    made = definition(
        action(schema({"v": STRING}), header("/v", "X-B"), static_headers={"X-A": "1"}),
        endpoint={"base_url": "https://api.example.com/v1/"},
    )
    request = compile_action(made, "act").bind({"v": "2"})
    assert request.url == "https://api.example.com/v1/"
    assert request.headers == (("x-a", "1"), ("x-b", "2"))


KEY = {"id": "k", "type": "api_key", "in": "header", "name": "X-Key"}
ANSWER = {"mode": "passthrough", "success_statuses": [200], "content_types": ["application/json"]}
QUERY_KEY = {"id": "k", "type": "api_key", "in": "query", "name": "key"}
V = schema({"v": STRING}, "v")
W = schema({"v": STRING, "w": STRING}, "v", "w")

UNSOUND: dict[str, Any] = {
    "reserved header": lambda: plan(V, header("/v", "Authorization")),
    "reserved static header": lambda: plan(V, static_headers={"Host": "evil.example"}),
    "reserved by prefix": lambda: plan(V, header("/v", "Sec-X")),
    "no header name": lambda: plan(V, header("/v", "a b")),
    "header value": lambda: plan(V, static_headers={"A": "x\r\nb: c"}),
    "header written twice": lambda: plan(W, header("/v", "A"), header("/w", "a")),
    "static header written twice": lambda: plan(V, header("/v", "A"), static_headers={"a": "1"}),
    "query written twice": lambda: plan(W, query("/v", "q"), query("/w", "q")),
    "header of the credential": lambda: plan(V, header("/v", "x-key"), profile=KEY),
    "query of the credential": lambda: plan(V, query("/v", "key"), profile=QUERY_KEY),
    "target twice": lambda: plan(W, body=body(("/v", "/a"), ("/w", "/a"))),
    "target inside": lambda: plan(W, body=body(("/v", "/a"), ("/w", "/a/b"))),
    "whole body beside": lambda: plan(W, body=body(("/v", ""), ("/w", "/a"))),
    "target of an array": lambda: plan(V, body=body(("/v", "/a/0"))),
    "target no pointer": lambda: plan(V, body=body(("/v", "a"))),
    "target surrogate": lambda: plan(V, body=body(("/v", "/\ud800"))),
    "source no pointer": lambda: plan(V, query("/~2", "q")),
    "query surrogate": lambda: plan(V, query("/v", "\ud800")),
    "body type": lambda: plan(V, body={"content_type": "text/html", "mappings": []}),
    "body with GET": lambda: plan(V, method="GET", body=body(("/v", "/v"))),
    "method": lambda: plan(V, method="CONNECT"),
    "no slash": lambda: plan(V, path="evil"),
    "dot segment": lambda: plan(V, path="/a/../b"),
    "query in the path": lambda: plan(V, path="/a?b=c"),
    "placeholder unbound": lambda: plan(V, path="/{v}"),
    "placeholder twice": lambda: plan(V, path("/v"), path="/{v}/{v}"),
    "placeholder bound twice": lambda: plan(V, path("/v"), path("/v"), path="/{v}"),
    "no placeholder": lambda: plan(V, path("/v"), path="/"),
    "location": lambda: plan(V, query("/v") | {"in": "cookie"}),
    "style": lambda: plan(V, query("/v") | {"style": "simple"}),
    "exploded header": lambda: plan(V, header("/v", "A", explode=True)),
    "schema": lambda: plan(schema({"v": {"type": "text"}})),
    "credential in a reserved header": lambda: plan(V, profile=KEY | {"name": "Host"}),
    "credential in no header": lambda: plan(V, profile=KEY | {"name": "x\r\ny"}),
    "credential without a name": lambda: plan(V, profile=KEY | {"name": ""}),
    "credential of a lone surrogate": lambda: plan(V, profile=QUERY_KEY | {"name": "\ud800"}),
    "credential in a cookie": lambda: plan(V, profile=KEY | {"in": "cookie"}),
    "credential nowhere": lambda: plan(V, profile={"id": "k", "type": "api_key", "name": "x"}),
    "credential of another type": lambda: plan(V, profile=KEY | {"type": "basic"}),
    "redirect as success": lambda: plan(V, response=ANSWER | {"success_statuses": [200, 302]}),
    "no success": lambda: plan(V, response=ANSWER | {"success_statuses": []}),
    "mode": lambda: plan(V, response=ANSWER | {"mode": "stream"}),
    "no result fits": lambda: plan(V, response=ANSWER | {"max_bytes": 0}),
    "larger result": lambda: plan(V, response=ANSWER | {"max_bytes": 65_537}),
}


@pytest.mark.parametrize("make", UNSOUND.values(), ids=UNSOUND)
def test_an_unsound_binding_is_refused_when_it_is_used(make: Any) -> None:
    """Issue, section 1: refused again at bind time, whatever was checked before."""
    error = refusal(make(), {"v": "x", "w": "y"} if "w" in make().input_schema["properties"] else {"v": "x"})
    assert error.message.startswith("the action cannot be bound: ")
    assert error.message.isprintable()


@pytest.mark.parametrize(
    "base_url",
    [
        "http://api.example.com",
        "https://api.example.com@evil.example",
        "https://evil.example/?",
        "https://a.example/..",
        "https://a.example/./b",
        "https://127.0.0.1\n",
        "https://127.0.0.1",
        "https://0x7f.1",
        "https://api.example.com:443",
        "https://api.example.com:65536",
        "https://intranet.corp",
        "https://-a.example",
        "https://localhost",
        "https://a.example#f",
        "",
    ],
)
def test_an_endpoint_that_is_none_is_refused(base_url: str) -> None:
    made = definition(action(schema({})), endpoint={"base_url": base_url})
    refusal(compile_action(made, "act"), {})


def test_a_profile_that_is_not_there_is_refused() -> None:
    """R-ACT-3: what asks for a credential is never sent without one."""
    value = action(schema({})) | {"auth": {"profile": "gone"}}
    with pytest.raises(ExtensionError) as caught:
        compile_action(definition(value, auth={"profiles": [KEY]}), "act")
    assert caught.value.code == "validation"


@pytest.mark.parametrize("how", ["replace", "setattr"])
@pytest.mark.parametrize("what", ["reserved header", "second target", "origin", "profile"])
def test_a_tampered_plan_is_refused(what: str, how: str) -> None:
    bound = plan(W, query("/v", "q"), header("/w", "X-Key"), body=body(("/v", "/a")), profile=QUERY_KEY)
    bound.bind({"v": "x", "w": "y"})
    binding = bound.binding
    assert binding.body is not None
    second = dataclasses.replace(
        binding.body, mappings=(Mapping(source="/w", target="/a/b"), *binding.body.mappings)
    )
    host = Parameter(source="/w", location="header", name="Host", style="simple", explode=False)
    changes: dict[str, tuple[str, Any]] = {
        "reserved header": ("binding", dataclasses.replace(binding, parameters=(host,))),
        "second target": ("binding", dataclasses.replace(binding, body=second)),
        "origin": ("base_url", "https://u@evil.example"),
        "profile": (
            "auth",
            dataclasses.replace(GITHUB.profiles[0], type="api_key", location="header", name="x-key"),
        ),
    }
    field, value = changes[what]
    if how == "replace":
        bound = dataclasses.replace(bound, **{field: value})
    else:
        object.__setattr__(bound, field, value)
    refusal(bound, {"v": "x", "w": "y"})
    with pytest.raises(ExtensionError):
        bound.write({"v": "x", "w": "y"})


def test_a_tampered_schema_is_the_one_that_judges() -> None:
    bound = plan(V, query("/v"))
    object.__setattr__(bound, "input_schema", schema({"v": {"type": "integer"}}))
    refusal(bound, {"v": "x"})


def test_a_request_is_a_value() -> None:
    request = compile_action(GITHUB, "create-issue").bind(ISSUE)
    assert request == compile_action(GITHUB, "create-issue").bind(dict(reversed(ISSUE.items())))
    assert pickle.loads(pickle.dumps(request)) == request  # noqa: S301 - our own
    assert "demo" not in repr(request)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53) + 1, 2**53 - 1) | st.floats(-1e300, 1e300)
    | st.text(st.characters(exclude_categories=["Cs"])),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=8,
)  # fmt: skip


@settings(max_examples=150, deadline=None)
@given(value=JSON)
def test_what_goes_into_a_body_comes_out_of_it(value: Any) -> None:
    """Decode(encode(v)) is v, in the numbers of RFC 8785."""
    written = plan(schema({"v": ANY}), body=body(("/v", "/a/b"))).bind({"v": value}).body
    assert written is not None
    assert json.loads(written, parse_int=float) == {"a": {"b": value}}


@settings(max_examples=150, deadline=None)
@given(text=st.text(st.characters(exclude_categories=["Cs"])), more=st.lists(st.text(max_size=4), max_size=3))
def test_no_input_changes_the_shape_of_a_request(text: str, more: list[str]) -> None:
    """Method, origin, path shape, header names and query names are the binding's alone."""
    made = schema({"p": STRING, "q": STRING, "l": STRINGS}, "p")
    bound = plan(made, path("/p"), query("/q"), query("/l", explode=False), path="/a/{p}/b", method="DELETE")
    try:
        request = bound.bind({"p": text, "q": text, "l": more})
    except ExtensionError:
        assert text in {"", ".", ".."} or any("\ud800" <= c <= "\udfff" for item in more for c in item)
        return
    assert request.method == "DELETE"
    origin, _, tail = request.url.partition("/v1/a/")
    assert origin == "https://api.example.com"
    rest, _, pairs = tail.partition("?")
    assert rest.count("/") == 1
    assert rest.endswith("/b")
    assert [pair.split("=")[0] for pair in pairs.split("&")] == (["l", "q"] if more else ["q"])
    assert request.headers == ()


@settings(max_examples=150, deadline=None)
@given(one=st.lists(st.text(st.characters(codec="utf-8"), max_size=3), min_size=1, max_size=3), two=st.data())
def test_different_values_are_different_bytes(one: list[str], two: st.DataObject) -> None:
    other = two.draw(st.lists(st.text(st.characters(codec="utf-8"), max_size=3), min_size=1, max_size=3))
    made = schema({"l": STRINGS})
    for bound in (plan(made, query("/l", explode=False)), plan(made, query("/l"))):
        assert (bound.bind({"l": one}) == bound.bind({"l": other})) == (one == other)
