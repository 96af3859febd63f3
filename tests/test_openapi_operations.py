"""From one operation to one action: each choice of the rules, one small document at a time."""

from __future__ import annotations

import json
import re
import time
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest
from authoring import action, document, errors_of, file_of, from_value, reasons, warnings
from corpus import ROOT

from extpkg.binding.request import compile_action
from extpkg.diff.sites import Root
from extpkg.openapi.author import SelectorIdle, author
from extpkg.openapi.codes import CODES, table
from extpkg.openapi.inventory import operations
from extpkg.openapi.judge import encoded
from extpkg.openapi.media import body_reason, response_reason
from extpkg.openapi.naming import domain_name, kebab, profile_id
from extpkg.openapi.operation import LeftOut, Taken
from extpkg.openapi.safety import destructive_verb
from extpkg.openapi.selection import Selectable, matches
from extpkg.openapi.smallest import NONE, smallest
from extpkg.openapi.source import read_source
from extpkg.openapi.texts import cleaned, first_paragraph, first_sentence, fitted
from extpkg.openapi.wire import Misfit, fitted_schema

if TYPE_CHECKING:
    from pathlib import Path

    from extpkg.openapi.author import Authored

JSON = "application/json"


def taken(
    folder: Path, operation: dict[str, Any], method: str = "get", path: str = "/a", **more: Any
) -> Authored:
    """Author a document with one operation; `more` are members of the document and options."""
    options = {key: more.pop(key) for key in list(more) if key in OPTIONS}
    authored = from_value(
        folder, document({path: {method: {"operationId": "do it", **operation}}}, **more), **options
    )
    assert authored.files == {} or errors_of(authored, folder / "package") == []
    return authored


OPTIONS = {"base_url", "server_variables", "auth", "auth_as", "require_auth", "domain", "name", "keep_source"}


def query(schema: Any, **members: Any) -> dict[str, Any]:
    return {"parameters": [{"name": "q", "in": "query", "schema": schema, **members}]}


def answering(content: Any, status: str = "200") -> dict[str, Any]:
    return {"responses": {status: {"description": "d", "content": content}}}


def bound_url(authored: Authored, value: Any) -> str:
    assert authored.definition is not None
    return (
        compile_action(authored.definition, "do-it").bind(value).url.removeprefix("https://api.example.com")
    )


class TestNames:
    @pytest.mark.parametrize(
        ("text", "name"),
        [
            ("listUsers", "list-users"),
            ("list_users", "list-users"),
            ("issues/list-HTTPCalls v2", "issues-list-http-calls-v2"),
            ("GetOAuth2Token", "get-o-auth2-token"),
            ("user's items", "users-items"),
            ("Übersicht_öffnen", "ubersicht-offnen"),
            ("---", ""),
            ("XMLParser", "xml-parser"),
            ("a1B2c3", "a1-b2c3"),
        ],
    )
    def test_kebab(self, text: str, name: str) -> None:
        assert kebab(text) == name

    @pytest.mark.parametrize(
        ("title", "domain"),
        [
            ("Notion API", "notion"),
            ("The Swagger 2.0 Pet-Store REST API", "pet-store"),
            ("API", ""),
            ("日本", ""),
        ],
    )
    def test_domain(self, title: str, domain: str) -> None:
        assert domain_name(title) == domain

    def test_profile(self) -> None:
        assert [profile_id(each) for each in ("bearerAuth", "2fa", "認証")] == [
            "bearer-auth",
            "auth-2fa",
            "auth",
        ]

    @pytest.mark.parametrize(
        ("field", "code"),
        [
            ("Not A Name", "name-invalid"),
            (3, "name-invalid"),
            ("con", "name-invalid"),
            ("a" * 129, "name-invalid"),
        ],
    )
    def test_an_own_name_must_be_one(self, field: Any, code: str, tmp_path: Path) -> None:
        assert reasons(taken(tmp_path, {"x-agentteam-action": field})) == {"GET /a": [code]}

    def test_an_id_that_makes_no_name(self, tmp_path: Path) -> None:
        authored = taken(tmp_path, {"operationId": "2fa"}, path="/two-factor/{id}/")
        assert reasons(authored) == {"GET /two-factor/{id}/": ["path-placeholder-undeclared"]}
        assert authored.report.rows[0].action == "get-two-factor-id"
        assert "name-from-path" in warnings(authored, "GET /two-factor/{id}/")

    def test_a_name_that_would_be_too_long(self, tmp_path: Path) -> None:
        path = "/" + "/".join(["segment"] * 20)
        assert reasons(taken(tmp_path, {"operationId": ""}, path=path)) == {f"GET {path}": ["name-too-long"]}

    @pytest.mark.parametrize("domain", ["Not One", "exec", "arxiv", ""])
    def test_a_domain_that_cannot_be_used(self, domain: str, tmp_path: Path) -> None:
        [fault] = taken(tmp_path, {}, domain=domain).report.faults
        assert fault.code == "domain"


class TestSafety:
    @pytest.mark.parametrize(
        ("method", "name", "verb"),
        [
            ("POST", "delete-message", "delete"),
            ("POST", "conversations-archive", "archive"),
            ("POST", "view-delete", "delete"),
            ("POST", "create-archive", ""),
            ("GET", "get-ban", ""),
            ("GET", "ban-user", "ban"),
            ("PUT", "undelete", ""),
            ("POST", "list-remove-member", "remove"),
        ],
    )
    def test_a_verb_that_takes_away(self, method: str, name: str, verb: str) -> None:
        assert destructive_verb(name, method) == verb

    @pytest.mark.parametrize(
        ("method", "field", "found"),
        [
            ("get", None, ("read", True, False)),
            ("put", None, ("mutation", True, False)),
            ("post", None, ("mutation", False, False)),
            ("patch", None, ("mutation", False, False)),
            ("delete", None, ("destructive", True, True)),
            ("post", "read", ("read", True, False)),
            ("post", "destructive", ("destructive", False, True)),
            ("post", {"class": "mutation", "idempotent": True}, ("mutation", True, False)),
            ("get", "mutation", ("mutation", True, False)),
        ],
    )
    def test_class(self, method: str, field: Any, found: tuple[str, bool, bool], tmp_path: Path) -> None:
        said = {} if field is None else {"x-agentteam-safety": field}
        safety = action(taken(tmp_path, said, method), "do-it").catalog.safety
        assert (safety.classification, safety.idempotent, safety.destructive) == found

    @pytest.mark.parametrize(
        ("method", "field", "code"),
        [
            ("delete", "read", "safety-downgrade"),
            ("delete", "mutation", "safety-downgrade"),
            ("put", "read", "safety-invalid"),
            ("patch", "read", "safety-invalid"),
            ("post", "safe", "safety-invalid"),
            ("post", ["read"], "safety-invalid"),
            ("post", {"class": "read", "idempotent": False}, "safety-invalid"),
            ("post", {"class": "mutation", "destructive": True}, "safety-invalid"),
            ("post", {"class": "mutation", "more": 1}, "safety-invalid"),
        ],
    )
    def test_refused(self, method: str, field: Any, code: str, tmp_path: Path) -> None:
        authored = taken(tmp_path, {"x-agentteam-safety": field}, method)
        assert reasons(authored) == {f"{method.upper()} /a": [code]}


SCHEMES = {
    "bearer": {"type": "http", "scheme": "Bearer"},
    "oidc": {"type": "openIdConnect", "openIdConnectUrl": "https://a.example/x"},
    "header": {"type": "apiKey", "in": "header", "name": "X-Key"},
    "query": {"type": "apiKey", "in": "query", "name": "key"},
    "bot": {"type": "apiKey", "in": "header", "name": "Authorization"},
    "host": {"type": "apiKey", "in": "header", "name": "Host"},
    "bad": {"type": "apiKey", "in": "header", "name": "not a token"},
    "basic": {"type": "http", "scheme": "basic"},
    "digest": {"type": "http", "scheme": "digest"},
    "tls": {"type": "mutualTLS"},
    "odd": {"type": "http", "scheme": "hoba"},
    "none": {},
    "lost": {"$ref": "#/components/securitySchemes/missing"},
}


class TestSecurity:
    def secured(self, folder: Path, security: Any, **options: Any) -> Authored:
        return taken(folder, {"security": security}, components={"securitySchemes": SCHEMES}, **options)

    @pytest.mark.parametrize(
        ("scheme", "code"),
        [
            ("bot", "security-apikey-in-Authorization"),
            ("host", "security-apikey-reserved-header"),
            ("bad", "security-unsupported"),
            ("basic", "security-basic"),
            ("digest", "security-digest"),
            ("tls", "security-mtls"),
            ("odd", "security-unsupported"),
            ("none", "security-unsupported"),
            ("lost", "unresolvable-ref"),
            ("unknown", "security-unknown"),
        ],
    )
    def test_a_scheme_that_no_action_can_use(self, scheme: str, code: str, tmp_path: Path) -> None:
        assert reasons(self.secured(tmp_path, [{scheme: []}])) == {"GET /a": [code]}

    @pytest.mark.parametrize(
        ("security", "options", "profile"),
        [
            ([{"header": []}, {"bearer": []}], {}, "bearer"),
            ([{"query": []}, {"header": []}], {}, "query"),
            ([{"query": []}, {"header": []}], {"auth": "header"}, "header"),
            ([{"bot": []}], {"auth_as": {"bot": "oauth2_bearer"}}, "bot"),
            ([], {}, None),
            ([], {"require_auth": "query"}, "query"),
            ([{}], {"require_auth": "oidc"}, "oidc"),
            ([{}, {"bot": []}], {}, None),
            ([{"basic": []}, {"oidc": ["read all", "b", "a", "a"]}], {}, "oidc"),
        ],
    )
    def test_the_choice(self, security: Any, options: Any, profile: str | None, tmp_path: Path) -> None:
        auth = action(self.secured(tmp_path, security, **options), "do-it").auth
        assert (auth.profile if auth else None) == profile
        if profile == "oidc" and security[-1].get("oidc"):
            assert auth is not None
            assert auth.required_scopes == ("a", "b")

    @pytest.mark.parametrize(
        "options",
        [{"auth": "missing"}, {"require_auth": "basic"}, {"auth_as": {"missing": "oauth2_bearer"}}],
    )
    def test_a_wish_that_cannot_be_met(self, options: dict[str, Any], tmp_path: Path) -> None:
        assert [fault.code for fault in self.secured(tmp_path, [], **options).report.faults] == [
            "auth-option"
        ]

    def test_schemes_that_would_share_a_profile(self, tmp_path: Path) -> None:
        schemes = {"aKey": SCHEMES["header"], "a_key": SCHEMES["query"]}
        paths = {f"/{name}": {"get": {"operationId": name, "security": [{name: []}]}} for name in schemes}
        authored = from_value(tmp_path, document(paths, components={"securitySchemes": schemes}))
        assert {fault.code for fault in authored.report.faults} == {
            "duplicate-profile-id",
            "duplicate-action-name",
        }


class TestServers:
    @pytest.mark.parametrize(
        ("servers", "base"),
        [
            ([{"url": "https://API.Example.com:443/v1/"}], "https://api.example.com/v1"),
            ([{"url": "http://a.example.com"}, {"url": "https://b.example.com"}], "https://b.example.com"),
            (
                [{"url": "https://me@a.example.com"}, {"url": "https://b.example.com"}],
                "https://b.example.com",
            ),
        ],
    )
    def test_the_first_that_can_be_used(self, servers: Any, base: str, tmp_path: Path) -> None:
        assert taken(tmp_path, {}, servers=servers).report.base_url == base

    @pytest.mark.parametrize(
        ("servers", "advice"),
        [
            ([], "--base-url https://HOST/PATH"),
            ([{"url": "/api/v2"}], "--base-url https://HOST/api/v2"),
            ([{"url": "http://a.example.com/v1/"}], "--base-url https://HOST/v1"),
            ([{"url": "https://{a}.example.com"}], "--server-var a=VALUE"),
            ([{"url": "https://localhost"}], "reserved suffix"),
        ],
    )
    def test_none_that_can(self, servers: Any, advice: str, tmp_path: Path) -> None:
        [fault] = taken(tmp_path, {}, servers=servers).report.faults
        assert fault.code == "server-missing"
        assert advice in fault.message

    def test_credentials_of_a_server_are_never_repeated(self, tmp_path: Path) -> None:
        servers = [{"url": "https://me:hunter2@a.example.com"}]
        report = taken(tmp_path, {}, servers=servers).report
        assert "hunter2" not in repr(report)

    @pytest.mark.parametrize(
        ("head", "advice"),
        [
            ({"host": "a.example.com", "basePath": "/v1"}, "--base-url https://HOST/v1"),
            ({"basePath": "/v1"}, "--base-url https://HOST/v1"),
            ({"host": "a.example.com", "schemes": ["http"]}, "--base-url https://HOST"),
        ],
    )
    def test_2_0_without_https(self, head: Any, advice: str, tmp_path: Path) -> None:
        value = {"swagger": "2.0", "info": {"title": "T", "version": "1"}, "paths": {}, **head}
        [fault] = from_value(tmp_path, value, domain="t").report.faults
        assert advice in fault.message

    @pytest.mark.parametrize(
        ("own", "path"),
        [
            ("https://api.example.com/v1", "/a"),
            ("https://api.example.com/v1/beta/", "/beta/a"),
            ("/v1/gamma", "/gamma/a"),
            ("//api.example.com/v1", "/a"),
            ("https://api.example.com/v2", "server-other-prefix"),
            ("https://api.example.com/v12", "server-other-prefix"),
            ("https://other.example.com/v1", "server-other-origin"),
            ("http://api.example.com/v1", "server-other-origin"),
            ("https://{x}.example.com", "server-other-origin"),
        ],
    )
    def test_an_own_server(self, own: str, path: str, tmp_path: Path) -> None:
        operation = {"servers": [{"url": own}]}
        authored = taken(tmp_path, operation, servers=[{"url": "https://api.example.com/v1"}])
        if path.startswith("/"):
            binding = action(authored, "do-it").binding
            assert binding is not None
            assert binding.path == path
        else:
            assert reasons(authored) == {"GET /a": [path]}

    def test_a_base_url_that_drops_the_documents_path(self, tmp_path: Path) -> None:
        servers = [{"url": "https://a.example.com/v1"}]
        authored = taken(tmp_path, {}, servers=servers, base_url="https://b.example.com")
        assert [note.code for note in authored.report.notes] == ["base-path-not-used"]
        assert (
            taken(tmp_path / "x", {}, servers=servers, base_url="https://b.example.com/v1").report.notes == ()
        )

    def test_options_that_are_wrong(self, tmp_path: Path) -> None:
        assert [f.code for f in taken(tmp_path, {}, base_url="http://x").report.faults] == [
            "base-url-refused"
        ]
        authored = taken(tmp_path, {}, server_variables={"x": "1"})
        assert [fault.code for fault in authored.report.faults] == ["server-variable"]


@pytest.fixture(autouse=True)
def _folders(tmp_path: Path) -> None:
    (tmp_path / "x").mkdir()


class TestParameters:
    @pytest.mark.parametrize(
        ("parameter", "code"),
        [
            (
                {"in": "query", "style": "spaceDelimited", "schema": {"type": "array"}},
                "param-style-spaceDelimited",
            ),
            ({"in": "header", "style": "form", "schema": {"type": "string"}}, "param-style-form"),
            ({"in": "query", "content": {JSON: {}}}, "param-content"),
            ({"in": "query", "schema": {"type": "object"}}, "param-query-object"),
            (
                {"in": "query", "schema": {"type": "array", "items": {"type": "object"}}},
                "param-query-array-complex",
            ),
            ({"in": "query", "schema": {"type": "null"}}, "param-query-null-only"),
            ({"in": "header", "name": "a b", "schema": {"type": "string"}}, "param-name"),
            ({"in": "query", "name": "", "schema": {"type": "string"}}, "param-name"),
            ({"in": "query", "name": "a\u202eb", "schema": {"type": "string"}}, "param-name"),
            ({"in": "query", "name": "a\x1b[2J", "schema": {"type": "string"}}, "param-name"),
            ({"in": "header", "name": "Host", "schema": {"type": "string"}}, "param-header-reserved"),
            ({"in": "cookie", "schema": {"type": "string"}}, "param-cookie"),
            ({"in": "body", "schema": {"type": "string"}}, "param-location"),
        ],
    )
    def test_what_cannot_be_sent(self, parameter: dict[str, Any], code: str, tmp_path: Path) -> None:
        parameter = {"name": "q", **parameter}
        authored = taken(tmp_path, {"parameters": [parameter]})
        assert warnings(authored, "GET /a") == [code]
        assert "properties" not in action(authored, "do-it").catalog.input_schema
        authored = taken(tmp_path / "x", {"parameters": [{**parameter, "required": True}]})
        assert reasons(authored) == {"GET /a": [code]}

    @pytest.mark.parametrize(
        ("schema", "found"),
        [
            ({"type": ["string", "null"]}, {"type": "string"}),
            ({"anyOf": [{"type": "string"}, {"type": "null"}]}, {"type": "string"}),
            ({"anyOf": [{"type": "integer"}, {"type": "object"}]}, {"type": "integer"}),
            ({"enum": ["a", None]}, {"enum": ["a"]}),
            (
                {"type": "array", "items": {"type": ["integer", "null"]}},
                {"type": "array", "items": {"type": "integer"}},
            ),
            ({"type": "array"}, {"type": "array", "items": {"type": ["string", "number", "boolean"]}}),
            ({}, {"type": ["string", "number", "boolean"]}),
            (True, {"type": ["string", "number", "boolean"]}),
            ({"const": 3}, {"const": 3}),
            ({"type": ["integer", "object"]}, {"type": "integer"}),
            (
                {"type": "array", "items": {"type": ["string", "object"]}},
                {"type": "array", "items": {"type": "string"}},
            ),
            (
                {"type": ["array", "string"], "items": {"type": "object"}},
                {"type": "string", "items": {"type": "object"}},
            ),
            ({"$ref": "#/components/schemas/Nullable"}, {"type": "string", "minLength": 1}),
            (
                {"oneOf": [{"$ref": "#/components/schemas/Nullable"}, {"type": "integer"}]},
                {"oneOf": [{"type": "string", "minLength": 1}, {"type": "integer"}]},
            ),
        ],
    )
    def test_null_and_objects_are_taken_out(self, schema: Any, found: Any, tmp_path: Path) -> None:
        components = {"schemas": {"Nullable": {"type": ["string", "null"], "minLength": 1}}}
        authored = taken(tmp_path, query(schema), components=components)
        assert action(authored, "do-it").catalog.input_schema["properties"]["q"] == found

    def test_explode(self, tmp_path: Path) -> None:
        authored = taken(tmp_path, query({"type": "array", "items": {"type": "string"}}, explode=False))
        assert bound_url(authored, {"q": ["a", "b"]}) == "/a?q=a,b"
        authored = taken(tmp_path / "x", query({"type": ["array", "string"], "items": {"type": "string"}}))
        assert bound_url(authored, {"q": ["a", "b"]}) == "/a?q=a&q=b"

    @pytest.mark.parametrize(
        ("header", "static"),
        [
            ({"name": "X-Mode", "required": True, "schema": {"const": "fast"}}, {"x-mode": "fast"}),
            ({"name": "X-Mode", "required": True, "schema": {"enum": ["fast"]}}, {"x-mode": "fast"}),
            ({"name": "X-Mode", "schema": {"enum": ["fast"]}}, {}),
            ({"name": "Api-Version", "schema": {"type": "string", "default": "7"}}, {"api-version": "7"}),
            ({"name": "X-Mode", "schema": {"type": "string", "default": "7"}}, {}),
            ({"name": "accept", "schema": {"const": "text/x"}}, {"accept": "text/x"}),
            ({"name": "Accept", "schema": {"type": "string"}}, {}),
            ({"name": "Accept", "schema": {"default": " x"}}, {}),
        ],
    )
    def test_headers_that_are_always_sent(self, header: Any, static: Any, tmp_path: Path) -> None:
        authored = taken(tmp_path, {"parameters": [{"in": "header", **header}]})
        binding = action(authored, "do-it").binding
        assert binding is not None
        assert dict(binding.static_headers) == static

    def test_the_nearest_parameter_counts(self, tmp_path: Path) -> None:
        paths = {
            "/a": {
                "parameters": [{"name": "X-A", "in": "header", "schema": {"type": "integer"}}],
                "get": {
                    "operationId": "do it",
                    "parameters": [
                        {"name": "x-a", "in": "header", "deprecated": True, "schema": {"type": "string"}}
                    ],
                },
            }
        }
        found = action(from_value(tmp_path, document(paths)), "do-it").catalog.input_schema["properties"]
        assert found == {"x-a": {"type": "string", "deprecated": True}}

    def test_an_unused_path_parameter(self, tmp_path: Path) -> None:
        parameter = {"name": "id", "in": "path", "required": True, "schema": {"type": "string"}}
        assert warnings(taken(tmp_path, {"parameters": [parameter]}), "GET /a") == ["param-path-unused"]

    def test_names_that_collide_in_every_form(self, tmp_path: Path) -> None:
        names = [("id", "query"), ("id", "header"), ("id_query", "query")]
        parameters = [{"name": name, "in": at, "schema": {"type": "string"}} for name, at in names]
        assert reasons(taken(tmp_path, {"parameters": parameters})) == {"GET /a": ["input-name-collision"]}

    @pytest.mark.parametrize(
        ("schema", "found"),
        [
            ({"allOf": [{"$ref": "#/$defs/N"}]}, {"allOf": [{"allOf": [{"type": "string"}]}]}),
            ({"allOf": [{"type": "null"}]}, None),
            ({"anyOf": [{"type": "null"}, False]}, None),
            ({"type": ["null"]}, None),
            ({"const": None}, None),
            ({"enum": [None]}, None),
            (False, None),
            (
                {"type": "string", "default": None, "anyOf": [{"minLength": 1}, {"const": None}]},
                {"type": "string", "minLength": 1},
            ),
            ({"$ref": "#/$defs/Null"}, None),
            (
                {"$ref": "#/$defs/N", "allOf": [{"minLength": 1}]},
                {"allOf": [{"minLength": 1}, {"type": "string"}]},
            ),
            ({"$ref": "#/$defs/S"}, {"$ref": "#/$defs/S"}),
            (
                {
                    "type": "array",
                    "prefixItems": [{"type": "string"}, {"type": "null"}],
                    "items": {"type": "null"},
                },
                {"type": "array", "prefixItems": [{"type": "string"}, False], "items": False},
            ),
            ({"type": "array", "prefixItems": [{}]}, {"type": "array", "prefixItems": [{}]}),
            (
                {"type": ["integer", "object"], "anyOf": [{"type": "integer"}, {"minimum": 3}]},
                {"type": "integer", "anyOf": [{"type": "integer"}, {"minimum": 3}]},
            ),
        ],
    )
    def test_what_is_left_for_the_wire(self, schema: Any, found: Any) -> None:
        definitions = {"N": {"type": ["string", "null"]}, "S": {"type": "string"}, "Null": {"type": "null"}}
        if found is None:
            with pytest.raises(Misfit):
                fitted_schema(schema, definitions)
        else:
            assert fitted_schema(schema, definitions).schema == found


class TestPaths:
    @pytest.mark.parametrize(
        ("path", "written"),
        [
            ("/a b", "/a%20b"),
            ("/a%7eb%2f", None),
            ("/a%7eb", "/a~b"),
            ("/%e4%b8", "/%E4%B8"),
            ("/é", "/%C3%A9"),
            ("/a//b", None),
            ("/a/../b", None),
            ("/a/", "/a/"),
            ("a", None),
            ("/{bad name}", None),
        ],
    )
    def test_written(self, path: str, written: str | None, tmp_path: Path) -> None:
        authored = taken(tmp_path, {}, path=path)
        if written is None:
            assert "path-invalid" in reasons(authored)[f"GET {path}"]
            return
        binding = action(authored, "do-it").binding
        assert binding is not None
        assert binding.path == written

    def test_items_that_refer_to_others(self, tmp_path: Path) -> None:
        shared = {"get": {"operationId": "shared", "responses": {"200": {"description": "ok"}}}}
        paths = {
            "/a": {"$ref": "#/components/pathItems/Shared"},
            "/b": {"$ref": "#/components/pathItems/Shared", "get": {"operationId": "own"}},
            "/c": {"$ref": "#/components/pathItems/Missing"},
            "/d": {"get": {"$ref": "#/components/pathItems/Missing"}},
            "/e": {"get": []},
            "x-note": {"get": {}},
        }
        value = document({}, components={"pathItems": {"Shared": shared}})
        paths["/b"]["get"]["responses"] = {"200": {"description": "ok"}}  # type: ignore[index]
        value["paths"] = paths
        authored = from_value(tmp_path, value)
        assert [row.action for row in authored.report.taken] == ["shared", "own"]
        assert reasons(authored) == {
            "? /c": ["unresolvable-ref"],
            "GET /d": ["unresolvable-ref"],
            "GET /e": ["malformed"],
        }


def bodied(schema: Any, **members: Any) -> dict[str, Any]:
    return {"requestBody": {"content": {JSON: {"schema": schema}}, **members}}


class TestBodies:
    @pytest.mark.parametrize(
        ("schema", "inputs"),
        [
            ({"type": "object", "properties": {"a": {}}}, ["a"]),
            ({"properties": {"a": {}}}, ["a"]),
            ({"type": "object"}, ["body"]),
            ({"type": "object", "properties": {"0": {}}}, ["body"]),
            ({"type": "object", "properties": {"-": {}}}, ["body"]),
            ({"type": "object", "properties": {"a": {}}, "minProperties": 1}, ["body"]),
            ({"type": "object", "properties": {"a": {}}, "additionalProperties": True}, ["body"]),
            ({"type": "object", "properties": {"a": {}}, "additionalProperties": False}, ["a"]),
            ({"type": ["object", "null"], "properties": {"a": {}}}, ["body"]),
            ({"type": "object", "properties": {"a": {}}, "required": ["b"]}, ["body"]),
            (
                {
                    "allOf": [
                        {"properties": {"a": {"type": "string"}}},
                        {"properties": {"a": {"minLength": 1}}},
                    ]
                },
                ["a"],
            ),
            ({"allOf": [{"properties": {"a": {}}}, {"oneOf": [{}]}]}, ["body"]),
            (
                {
                    "allOf": [
                        {"properties": {"a": {}}, "additionalProperties": False},
                        {"properties": {"b": {}}},
                    ]
                },
                ["body"],
            ),
            ({"anyOf": [{"properties": {"a": {}}}]}, ["body"]),
            (True, ["body"]),
        ],
    )
    def test_spread_or_whole(self, schema: Any, inputs: list[str], tmp_path: Path) -> None:
        authored = taken(tmp_path, bodied(schema, required=True), "post")
        assert sorted(action(authored, "do-it").catalog.input_schema["properties"]) == inputs

    def test_an_optional_whole_body(self, tmp_path: Path) -> None:
        authored = taken(tmp_path, bodied({"type": "array", "items": {"type": "string"}}), "post")
        assert "required" not in action(authored, "do-it").catalog.input_schema
        assert action(authored, "do-it").catalog.example == {}

    def test_examples_of_the_whole_body(self, tmp_path: Path) -> None:
        schema = {
            "type": "object",
            "required": ["a"],
            "properties": {"a": {"type": "integer"}, "b": {"type": "string"}},
        }
        content = {
            JSON: {"schema": schema, "examples": {"z": {"value": {"a": 2}}, "m": {"value": {"a": 7, "b": 3}}}}
        }
        authored = taken(tmp_path, {"requestBody": {"required": True, "content": content}}, "post")
        assert action(authored, "do-it").catalog.example == {"a": 7}

    @pytest.mark.parametrize(
        ("content", "found"),
        [
            ({"*/*": {}}, JSON),
            ({"application/*": {}, "text/plain": {}}, JSON),
            ({"application/b+json": {}, "application/a+json": {}}, "application/a+json"),
            ({"application/z+json": {}, "application/merge-patch+json": {}}, "application/merge-patch+json"),
            ({"application/a+json": {}, "application/json; v=1": {}}, JSON),
        ],
    )
    def test_media_types(self, content: Any, found: str, tmp_path: Path) -> None:
        authored = taken(tmp_path, {"requestBody": {"content": content}}, "post")
        binding = action(authored, "do-it").binding
        assert binding is not None
        assert binding.body is not None
        assert binding.body.content_type == found
        assert ("body-type-assumed" in warnings(authored, "POST /a")) == ("*" in str(content))

    @pytest.mark.parametrize(
        ("types", "code"),
        [
            (["multipart/form-data"], "body-multipart"),
            (["multipart/form-data", "application/x-www-form-urlencoded"], "body-form-urlencoded"),
            (["application/octet-stream"], "body-octet-stream"),
            (["text/plain"], "body-text"),
            (["text/xml"], "body-xml"),
            (["application/soap+xml"], "body-xml"),
            (["application/x-tar"], "body-other"),
        ],
    )
    def test_reasons(self, types: list[str], code: str) -> None:
        assert body_reason(types) == code

    def test_a_get_has_none(self, tmp_path: Path) -> None:
        assert warnings(taken(tmp_path, bodied({"type": "string"})), "GET /a") == ["body-on-get"]
        authored = taken(tmp_path / "x", bodied({"type": "string"}, required=True))
        assert reasons(authored) == {"GET /a": ["body-on-get"]}

    def test_a_body_without_content(self, tmp_path: Path) -> None:
        binding = action(taken(tmp_path, {"requestBody": {"content": {}}}, "post"), "do-it").binding
        assert binding is not None
        assert binding.body is None


class TestAnswers:
    @pytest.mark.parametrize(
        ("responses", "statuses", "types"),
        [
            ({"200": {"content": {JSON: {}}}, "202": {"description": "later"}}, (200, 202), (JSON,)),
            ({"200": {"content": {JSON: {}}}, "206": {"content": {"image/png": {}}}}, (200,), (JSON,)),
            ({"2xx": {"content": {JSON: {}}}}, (200, 201, 202, 204), (JSON,)),
            ({"200": {"content": {"text/plain": {}, "image/png": {}}}}, (200,), ("text/plain",)),
            (
                {"200": {"content": {JSON: {}, "application/a+json": {}}}},
                (200,),
                ("application/a+json", JSON),
            ),
            ({"200": {"description": "d"}, "302": {"description": "moved"}}, (200,), ()),
            ({"205": {"content": {JSON: {}}}}, (205,), ()),
        ],
    )
    def test_successes(self, responses: Any, statuses: Any, types: Any, tmp_path: Path) -> None:
        binding = action(taken(tmp_path, {"responses": responses}), "do-it").binding
        assert binding is not None
        assert binding.response.success_statuses == statuses
        assert binding.response.content_types == types

    @pytest.mark.parametrize(
        ("responses", "code"),
        [
            ({"400": {"description": "no"}}, "response-no-success"),
            ({}, "response-no-success"),
            ({"101": {"description": "switch"}}, "response-no-success"),
            ({"301": {"description": "moved"}, "default": {"description": "d"}}, "response-redirect-only"),
            (
                {"200": {"content": {"application/zip": {}}}, "202": {"description": "later"}},
                "response-binary",
            ),
            ({"200": {"content": {"application/x-ndjson": {}}}}, "response-streaming"),
        ],
    )
    def test_no_success(self, responses: Any, code: str, tmp_path: Path) -> None:
        assert reasons(taken(tmp_path, {"responses": responses})) == {"GET /a": [code]}

    def test_reasons(self) -> None:
        assert response_reason(["text/event-stream", "application/xml"]) == "response-streaming"

    def test_what_comes_back_may_be_null_or_either(self, tmp_path: Path) -> None:
        responses = {
            "200": {"content": {JSON: {"schema": {"type": "object"}}}},
            "201": {"content": {JSON: {"schema": {"type": "array", "items": {}}}}},
            "204": {"description": "nothing"},
        }
        output = action(taken(tmp_path, {"responses": responses}), "do-it").catalog.output_schema
        assert output["anyOf"][-1] == {"type": "null"}
        assert {each["type"] for each in output["anyOf"]} == {"object", "array", "null"}

    @pytest.mark.parametrize(
        ("schema", "found"),
        [
            ({"type": "object"}, {"type": ["object", "null"]}),
            ({"type": ["object", "null"]}, {"type": ["object", "null"]}),
            ({"enum": ["a"]}, {"anyOf": [{"enum": ["a"]}, {"type": "null"}]}),
            ({}, {}),
        ],
    )
    def test_nothing_beside_something(self, schema: Any, found: Any, tmp_path: Path) -> None:
        responses = {"200": {"content": {JSON: {"schema": schema}}}, "204": {"description": "n"}}
        output = dict(action(taken(tmp_path, {"responses": responses}), "do-it").catalog.output_schema)
        del output["$schema"]
        assert output == found

    def test_other_types_are_not_asked_for(self, tmp_path: Path) -> None:
        content: dict[str, Any] = {JSON: {}, "application/pdf": {}}
        binding = action(taken(tmp_path, answering(content)), "do-it").binding
        assert binding is not None
        assert dict(binding.static_headers) == {"accept": JSON}

    @pytest.mark.parametrize(
        ("parameter", "schema", "warned"),
        [
            ("limit", {"type": "array", "items": {}}, False),
            ("page[size]", {"type": "array", "items": {}}, False),
            ("filter", {"type": "array", "items": {}}, True),
            ("filter", {"type": "object", "properties": {"items": {"type": "array", "items": {}}}}, True),
            ("filter", {"type": "object", "properties": {"name": {"type": "string"}}}, False),
        ],
    )
    def test_lists_without_pages(self, parameter: str, schema: Any, warned: bool, tmp_path: Path) -> None:
        operation = {
            "parameters": [{"name": parameter, "in": "query", "schema": {"type": "string"}}],
            **answering({JSON: {"schema": schema}}),
        }
        assert ("collection-unpaged" in warnings(taken(tmp_path, operation), "GET /a")) is warned


class TestSwagger:
    @pytest.mark.parametrize(
        ("operation", "code"),
        [
            ({"parameters": [{"name": "f", "in": "formData", "type": "string"}]}, "body-form-urlencoded"),
            (
                {
                    "consumes": ["multipart/form-data"],
                    "parameters": [{"name": "f", "in": "formData", "type": "string"}],
                },
                "body-multipart",
            ),
            (
                {"consumes": [JSON], "parameters": [{"name": "f", "in": "formData", "type": "file"}]},
                "body-multipart",
            ),
            (
                {"consumes": ["text/csv"], "parameters": [{"name": "b", "in": "body", "schema": {}}]},
                "body-text",
            ),
            (
                {"produces": ["application/xml"], "responses": {"200": {"schema": {"type": "object"}}}},
                "response-xml",
            ),
            ({"responses": {"200": {"schema": {"type": "file"}}}}, "response-binary"),
        ],
    )
    def test_left_out(self, operation: Any, code: str, tmp_path: Path) -> None:
        assert reasons(taken(tmp_path, operation, "post", version="2.0")) == {"POST /a": [code]}

    def test_types_that_nobody_says(self, tmp_path: Path) -> None:
        operation = {
            "parameters": [
                {"name": "b", "in": "body", "description": "A pet.", "schema": {"type": "string"}}
            ],
            "responses": {"200": {"description": "d", "schema": {"type": "string"}}},
        }
        authored = taken(tmp_path, operation, "post", version="2.0")
        assert warnings(authored, "POST /a") == ["body-type-assumed", "response-type-assumed"]
        assert action(authored, "do-it").catalog.input_schema["properties"]["body"]["description"] == "A pet."


class TestTexts:
    @pytest.mark.parametrize(
        ("text", "sentence"),
        [
            ("Lists users. More.", "Lists users"),
            ("Lists users, e.g. admins. More.", "Lists users, e.g. admins"),
            ("Really? Yes.", "Really?"),
            ("Uses v1.2 of it. More", "Uses v1.2 of it"),
            ("No end", "No end"),
            ("Over\nlines. More", "Over lines"),
        ],
    )
    def test_first_sentence(self, text: str, sentence: str) -> None:
        assert first_sentence(text) == sentence

    def test_cleaned(self) -> None:
        assert cleaned("a\r\nb\x07c\u202ed\u200b  \n\u2028e\x00") == "a\nb cd\n\ne"
        assert first_paragraph("One\ntwo.\n \nThree.") == "One two."

    def test_cut_at_a_space(self) -> None:
        assert fitted("one two three", 12) == ("one two\u2026", True)
        assert fitted("o" * 20, 10) == ("o" * 9 + "\u2026", True)
        assert len(fitted("one two three four", 12).text) <= 12

    def test_where_they_come_from(self, tmp_path: Path) -> None:
        said = action(taken(tmp_path, {"description": "Does it.\n\nMore of it."}), "do-it").catalog
        assert (said.summary, said.description) == ("Does it", "Does it.\n\nMore of it.")
        bare = action(taken(tmp_path / "x", {}), "do-it").catalog
        assert (bare.summary, bare.description) == ("Do it", "Do it")


class TestDocuments:
    def test_nothing_to_author(self, tmp_path: Path) -> None:
        value = document({})
        assert [fault.code for fault in from_value(tmp_path, value).report.faults] == ["nothing-authored"]
        del value["paths"]
        assert [fault.code for fault in from_value(tmp_path, value).report.faults] == ["nothing-authored"]
        value["paths"] = {"$ref": "#/missing"}
        assert [fault.code for fault in from_value(tmp_path, value).report.faults] == ["nothing-authored"]

    def test_no_source_is_kept_where_none_is_wanted(self, tmp_path: Path) -> None:
        authored = taken(tmp_path, {}, keep_source=False)
        assert set(authored.files) == {"meta.yaml", "actions/do-it.yaml"}
        assert "source" not in file_of(authored, "meta.yaml")

    def test_progress_is_heard(self, tmp_path: Path) -> None:
        (tmp_path / "a.json").write_text('{"openapi":"3.1.0"}')
        heard: list[tuple[int, int]] = []
        author(read_source(tmp_path / "a.json"), on_operation=lambda done, of: heard.append((done, of)))
        assert heard == []

    def test_selectors(self, tmp_path: Path) -> None:
        paths = {
            f"/{name}": {
                "get": {"operationId": name, "tags": [tag]},
                "delete": {"operationId": f"{name}Delete"},
            }
            for name, tag in (("one", "a"), ("two", "b"))
        }
        value = document(paths)

        def names(**options: Any) -> list[str | None]:
            return [row.action for row in from_value(tmp_path, value, **options).report.taken]

        assert names(include=("tag:a",)) == ["one"]
        assert names(include=("one", "GET /two")) == ["one", "two"]
        assert names(exclude=("DELETE *",)) == ["one", "two"]
        assert names(include=("one*",), exclude=("oneDelete",)) == ["one"]
        with pytest.raises(SelectorIdle, match="missing"):
            names(include=("missing",))

    @pytest.mark.parametrize(
        ("selector", "matched"),
        [
            ("getA", True),
            ("get-a", True),
            ("GET /a/{id}", True),
            ("get /a/{id}", True),
            ("GET /a/*", True),
            ("tag:T?", True),
            ("tag:T", False),
            ("GETA", False),
            ("*", True),
        ],
    )
    def test_a_selector(self, selector: str, matched: bool) -> None:
        candidate = Selectable(id="getA", action="get-a", place="GET /a/{id}", tags=("T1",))
        assert matches(selector, candidate) is matched


class TestExamples:
    @pytest.mark.parametrize(
        ("schema", "found"),
        [
            ({"type": "integer", "minimum": 5}, 5),
            ({"type": "integer", "exclusiveMaximum": -3, "multipleOf": 4}, -4),
            ({"type": "number", "exclusiveMinimum": 0, "exclusiveMaximum": 1}, 0.5),
            ({"type": "string", "minLength": 3}, "aaa"),
            ({"type": "string", "pattern": "^[A-Z]{2}-[0-9]+$"}, "AA-0"),
            ({"type": "string", "format": "uuid"}, "00000000-0000-4000-8000-000000000000"),
            ({"enum": ["long", "b", "a"]}, "a"),
            ({"type": "boolean"}, False),
            ({"type": "array", "minItems": 2, "uniqueItems": True, "items": {"type": "integer"}}, [0, 1]),
            ({"type": "array", "minItems": 1, "prefixItems": [{"type": "boolean"}]}, [False]),
            ({"type": "object", "minProperties": 1, "properties": {"z": {"type": "integer"}}}, {"z": 0}),
            (
                {"type": "object", "minProperties": 2, "additionalProperties": {"type": "integer"}},
                {"a": 0, "b": 0},
            ),
            ({"type": "object", "required": ["k"]}, {"k": "a"}),
            ({"oneOf": [{"type": "string"}, {"type": "string", "minLength": 1}]}, ""),
            ({"anyOf": [{"type": "integer", "minimum": 7}, {"type": "string"}]}, 7),
            ({"allOf": [{"type": "integer"}, {"minimum": 2}]}, 2),
            ({"type": ["null", "integer"]}, 0),
            ({"type": "null"}, None),
            ({"type": "string", "default": "d"}, "d"),
            ({"type": "string", "examples": ["e"], "default": "d"}, "e"),
            (
                {
                    "type": "object",
                    "required": ["k"],
                    "properties": {"k": {"type": "string", "example": "x"}},
                },
                {"k": "x"},
            ),
            ({"type": "array", "minItems": 1, "items": {"type": "string", "example": "x"}}, ["x"]),
            ({"$ref": "#/components/schemas/Tree"}, {"name": "a"}),
            ({"type": "array", "contains": {"const": 3}, "items": {"type": "integer"}}, [3]),
        ],
    )
    def test_the_smallest(self, schema: Any, found: Any, tmp_path: Path) -> None:
        tree = {
            "type": "object",
            "required": ["name"],
            "properties": {"name": {"type": "string"}, "next": {"$ref": "#/components/schemas/Tree"}},
        }
        wrapped = {"type": "object", "required": ["v"], "properties": {"v": schema}}
        body = bodied(wrapped, required=True)
        authored = taken(tmp_path, body, "post", components={"schemas": {"Tree": tree}})
        assert action(authored, "do-it").catalog.example == {"v": found}

    def test_none_is_found(self, tmp_path: Path) -> None:
        never = {
            "type": "object",
            "required": ["v"],
            "properties": {"v": {"allOf": [{"type": "string"}, {"type": "integer"}]}},
        }
        authored = taken(tmp_path, bodied(never, required=True), "post")
        assert reasons(authored) == {"POST /a": ["example-not-found"]}

    @pytest.mark.parametrize("value", ["", ".", "..", "\u202e", "x" * 3_000])
    def test_what_cannot_be_sent_or_shown_is_no_example(self, value: str, tmp_path: Path) -> None:
        parameter = {
            "name": "id",
            "in": "path",
            "required": True,
            "schema": {"type": "string"},
            "example": value,
        }
        authored = taken(tmp_path, {"parameters": [parameter]}, path="/a/{id}")
        assert action(authored, "do-it").catalog.example == {"id": "a"}

    def test_an_array_in_the_path_is_not_empty(self, tmp_path: Path) -> None:
        schema = {"type": "array", "items": {"type": "string"}, "default": []}
        parameter = {"name": "id", "in": "path", "required": True, "schema": schema}
        authored = taken(tmp_path, {"parameters": [parameter]}, path="/a/{id}")
        assert action(authored, "do-it").catalog.example == {"id": ["a"]}

    @pytest.mark.parametrize(
        "schema",
        [
            {"type": "string", "minLength": 100_000},
            {"type": "array", "minItems": 1_000, "items": {}},
            {"type": "array", "minItems": 1, "items": {"type": "string", "minLength": 100_000}},
            {"type": "array", "minItems": 2, "uniqueItems": True, "items": {"type": "boolean"}},
            {"type": "object", "required": ["a"], "properties": {"a": False}},
            False,
        ],
    )
    def test_a_value_that_is_not_looked_for_long(self, schema: Any) -> None:
        assert smallest(Root(schema), schema) is NONE

    def test_a_search_ends(self) -> None:
        """Each level offers many choices, none of which holds: unbounded, it is a power of the depth."""
        schema: Any = {
            "type": "object",
            "required": ["x"],
            "properties": {"x": {"const": 1}},
            "maxProperties": 0,
        }
        for _ in range(8):
            choice = {"type": "object", "required": ["x"], "properties": {"x": schema}}
            schema = {"anyOf": [{**choice, "title": str(index)} for index in range(12)]}
        start = time.process_time()
        assert smallest(Root(schema), schema) is NONE
        assert time.process_time() - start < 20

    def test_what_would_not_validate_is_left_out(self, tmp_path: Path) -> None:
        parameters = [
            {"name": f"p{index}", "in": "query", "description": "d" * 400, "schema": {"type": "string"}}
            for index in range(3_000)
        ]
        authored = taken(tmp_path, {"parameters": parameters})
        assert reasons(authored) == {"GET /a": ["not-valid"]}
        assert "EXT0103" in authored.report.rows[0].reasons[0].message

    def test_a_fault_of_authoring_itself_is_never_written(self, tmp_path: Path) -> None:
        source = read_source(_written(tmp_path, document({"/a": {"get": {"operationId": "a"}}})))
        [operation] = operations(source)
        found = action(author(source), "a")
        assert found.binding is not None
        broken = replace(found, binding=replace(found.binding, path="/a/{id}"))
        with pytest.raises(LeftOut) as left:
            encoded(Taken(action=broken, profile=None, notes=()), "https://api.example.com", operation)
        assert left.value.reasons[0].code == "not-valid"


def _written(folder: Path, value: Any) -> Path:
    path = folder / "a.json"
    path.write_text(json.dumps(value))
    return path


class TestCodes:
    def test_every_code_is_explained(self) -> None:
        known = {row.code for row in CODES}
        pattern = re.compile(
            r'(?:Unusable|_Dropped|RefusedError)\(\s*"([A-Za-z-]+)"|code="([a-z][A-Za-z-]+)"'
        )
        said: set[str] = set()
        for path in (ROOT / "extpkg/openapi").glob("*.py"):
            said.update(
                first or second for first, second in pattern.findall(path.read_text(encoding="utf-8"))
            )
        assert len(said) > 60
        assert said <= known

    def test_the_table_in_the_documentation_is_this_one(self) -> None:
        assert table() in (ROOT / "docs/authoring.md").read_text(encoding="utf-8")

    def test_codes_stand_once_and_in_order(self) -> None:
        codes = [row.code for row in CODES]
        assert codes == sorted(set(codes))
