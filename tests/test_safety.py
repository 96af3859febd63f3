from __future__ import annotations

from typing import Any

import pytest

from extpkg.check.safety import check_action_safety, check_profiles

FILE = "actions/act.yaml"
OAUTH = {"id": "default", "type": "oauth2_bearer"}
KEY = {"id": "key", "type": "api_key", "in": "header", "name": "X-Key"}


def profiles(
    *rows: Any, default: Any = None, used: tuple[str, ...] = ("default", "key")
) -> list[tuple[str, str]]:
    auth = {"profiles": list(rows)} | ({} if default is None else {"default": default})
    actions = [{"auth": {"profile": name}} for name in used]
    return [(f.code, f.place.pointer) for f in check_profiles({"domain": "d", "auth": auth}, actions)]


P = "/auth/profiles/0"


@pytest.mark.parametrize(
    ("rows", "expected"),
    [
        ((OAUTH, KEY), []),
        ((KEY | {"in": "query", "name": "api key"},), []),
        ((KEY | {"in": "query", "name": "Authorization"},), []),
        ((OAUTH, OAUTH), [("EXT0701", "/auth/profiles/1/id")]),
        ((OAUTH | {"in": "header", "name": "X"},), [("EXT0702", f"{P}/in")]),
        ((OAUTH | {"name": "X"},), [("EXT0702", f"{P}/name")]),
        (({"id": "key", "type": "api_key"},), [("EXT0702", P)]),
        (({"id": "key", "type": "api_key", "in": "query"},), [("EXT0702", P)]),
        ((KEY | {"in": "cookie"},), [("EXT0703", f"{P}/in")]),
        ((KEY | {"in": "Header"},), [("EXT0703", f"{P}/in")]),
        ((KEY | {"name": ""},), [("EXT0704", f"{P}/name")]),
        ((KEY | {"in": "query", "name": ""},), [("EXT0704", f"{P}/name")]),
        ((KEY | {"name": "X Key"},), [("EXT0704", f"{P}/name")]),
        ((KEY | {"name": "X:Key"},), [("EXT0704", f"{P}/name")]),
        ((KEY | {"name": "Schlüssel"},), [("EXT0704", f"{P}/name")]),
        ((KEY | {"name": "X-Key\n"},), [("EXT0704", f"{P}/name")]),
        ((KEY | {"name": "COOKIE"},), [("EXT0704", f"{P}/name")]),
        ((KEY | {"name": "Proxy-Key"},), [("EXT0704", f"{P}/name")]),
        ((OAUTH | {"id": "Default"},), [("EXT0718", f"{P}/id")]),
        ((OAUTH | {"id": ""},), [("EXT0718", f"{P}/id")]),
        ((OAUTH | {"id": "a" * 129},), [("EXT0718", f"{P}/id")]),
        ((OAUTH, {"id": "other", "type": "oauth2_bearer"}), [("EXT0706", "/auth/profiles/1/id")]),
        ((5, None, {}, {"id": 5, "type": []}, {"id": "key", "type": "basic", "in": 5}), []),
    ],
)
def test_profiles(rows: tuple[Any, ...], expected: list[tuple[str, str]]) -> None:
    """P063, P064, P067."""
    assert profiles(*rows) == expected


def test_default() -> None:
    assert profiles(OAUTH, default="default") == []
    assert profiles(OAUTH, default="other") == [("EXT0705", "/auth/default")]
    assert profiles(OAUTH, default=5) == []


@pytest.mark.parametrize(
    "actions",
    [[], [None], [{"auth": {"profile": 5}}], [{"auth": []}], [{"auth": {"profile": "default"}}]],
)
def test_unused_is_said_only_when_all_actions_are_known(actions: list[Any]) -> None:
    meta = {"domain": "d", "auth": {"profiles": [OAUTH]}, "actions": [{}]}
    assert list(check_profiles(meta, actions)) == []
    assert list(check_profiles(meta | {"actions": [{}, {}]}, [{}])) == []
    assert [f.code for f in check_profiles(meta, [{}])] == ["EXT0706"]


def action(**changes: Any) -> dict[str, Any]:
    """Return an action; the names are members of its safety, `auth`, `method` or `example`."""
    safety = {"class": "read", "idempotent": True, "destructive": False}
    catalog: dict[str, Any] = {"safety": safety, "example": {}}
    value: dict[str, Any] = {"catalog": catalog, "binding": {"method": "GET"}}
    for name, new in changes.items():
        if name == "auth":
            value["auth"] = new
        elif name == "method":
            value["binding"]["method"] = new
        elif name == "example":
            del catalog["example"]
        else:
            safety[name.rstrip("_")] = new
    return value


META = {"domain": "d", "auth": {"profiles": [OAUTH, KEY]}}


def check(value: Any, meta: Any = META) -> list[tuple[str, str]]:
    return [(f.code, f.place.pointer) for f in check_action_safety(value, meta, FILE)]


@pytest.mark.parametrize(
    ("auth", "expected"),
    [
        (None, []),
        ({"profile": "default"}, []),
        ({"profile": "default", "required_scopes": []}, []),
        ({"profile": "default", "required_scopes": ["repo", "read:org", "https://a.b/c"]}, []),
        ({"profile": "key", "required_scopes": []}, []),
        ({"profile": "nobody"}, [("EXT0707", "/auth/profile")]),
        ({"profile": "Default"}, [("EXT0707", "/auth/profile")]),
        ({"profile": ""}, [("EXT0707", "/auth/profile")]),
        ({"profile": "key", "required_scopes": ["a"]}, [("EXT0708", "/auth/required_scopes")]),
        ({"profile": "key", "required_scopes": ["", ""]}, [("EXT0708", "/auth/required_scopes")]),
        *(({"profile": "default", "required_scopes": ["a", scope]}, [("EXT0709", "/auth/required_scopes/1")])
          for scope in ("", " ", "a b", "a\tb", "a\n", "\u3000", "a\x00")),
        ({"profile": "default", "required_scopes": ["a", "b", "a", "a"]},
         [("EXT0710", "/auth/required_scopes/2"), ("EXT0710", "/auth/required_scopes/3")]),
        ({"profile": "default", "required_scopes": [5, None, 5]}, []),
        ({"profile": None, "required_scopes": {}}, []),
        ([], []),
    ],
)  # fmt: skip
def test_auth(auth: Any, expected: list[tuple[str, str]]) -> None:
    """P077, P079, P080."""
    assert check(action(auth=auth)) == expected


def test_a_connectionless_builtin_has_its_own_rule_about_auth() -> None:
    assert check(action(auth={"profile": "nobody"}), {"domain": "arxiv"}) == []
    assert list(check_profiles({"domain": "arxiv", "auth": {"profiles": [OAUTH, OAUTH]}}, [])) == []


def test_a_builtin_has_no_method_to_judge() -> None:
    assert check(action(method="DELETE"), {"domain": "arxiv"}) == []


CLASS, FLAG, IDEMPOTENT = (f"/catalog/safety/{name}" for name in ("class", "destructive", "idempotent"))


@pytest.mark.parametrize(
    ("method", "class_", "idempotent", "destructive", "expected"),
    [
        ("GET", "read", True, False, []),
        ("POST", "read", True, False, []),
        ("POST", "mutation", False, False, []),
        ("POST", "destructive", False, True, []),
        ("PUT", "mutation", True, False, []),
        ("PATCH", "destructive", False, True, []),
        ("DELETE", "destructive", True, True, []),
        (None, "read", True, False, []),
        ("GET", "read", False, False, [("EXT0712", IDEMPOTENT)]),
        ("GET", "read", True, True, [("EXT0711", FLAG)]),
        ("POST", "mutation", True, True, [("EXT0711", FLAG)]),
        ("POST", "destructive", True, False, [("EXT0711", FLAG)]),
        ("DELETE", "mutation", True, False, [("EXT0713", CLASS)]),
        ("DELETE", "mutation", True, True, [("EXT0713", CLASS)]),
        ("DELETE", "read", True, False, [("EXT0713", CLASS)]),
        ("DELETE", "destructive", True, False, [("EXT0711", FLAG)]),
        ("PUT", "read", True, False, [("EXT0714", CLASS)]),
        ("PATCH", "read", True, False, [("EXT0714", CLASS)]),
        ("GET", "mutation", True, False, [("EXT0715", CLASS)]),
        ("GET", "destructive", True, True, [("EXT0715", CLASS)]),
        ("DELETE", "weird", False, True, []),
        ("GET", "read", None, None, []),
        ("GET", 5, "x", "y", []),
    ],
)
def test_facts(
    method: Any, class_: Any, idempotent: Any, destructive: Any, expected: list[tuple[str, str]]
) -> None:
    value = action(method=method, class_=class_, idempotent=idempotent, destructive=destructive)
    assert check(value) == expected


def test_a_get_with_a_body_is_judged_by_its_binding() -> None:
    value = action(method="GET", class_="mutation", idempotent=True, destructive=False)
    value["binding"]["body"] = {"content_type": "application/json", "mappings": []}
    assert check(value) == []


@pytest.mark.parametrize(
    ("class_", "code"), [("read", "EXT0717"), ("mutation", "EXT0716"), ("destructive", "EXT0716")]
)
def test_examples(class_: str, code: str) -> None:
    facts = {"class_": class_, "destructive": class_ == "destructive", "method": "POST"}
    assert check(action(**facts)) == []
    assert check(action(**facts, example=...)) == [(code, "/catalog")]


@pytest.mark.parametrize("value", [None, 5, [], {}, {"catalog": 5}, {"catalog": {"safety": []}}, {"auth": 5}])
def test_other_values_are_passed_over(value: Any) -> None:
    assert check(value) == []
    assert check(value, None) == []
    assert list(check_profiles(value, [value])) == []


def test_without_meta_no_profile_is_called_unknown() -> None:
    assert check(action(auth={"profile": "nobody"}), None) == []
